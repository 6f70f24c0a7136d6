//===- Registration.cpp - What nvcc registers -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructors of the program register fat binaries, kernels and variables. A
// fat binary is loaded when something of it is asked for.
//
//===----------------------------------------------------------------------===//

#include "Cudart/Frame.h"

#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

using namespace tc::cuda;
using namespace tc::cuda::cudart;

namespace {

struct Binary {
  const void *image = nullptr;
  CUlibrary library = nullptr;
  CUresult result = CUDA_SUCCESS; ///< of loading it
  bool isLoaded = false;
};
struct Named {
  Binary *binary = nullptr;
  std::string name;
};
/// A managed variable: the pointer on the host that has to get its address.
struct Managed {
  Binary *binary = nullptr;
  std::string name;
  void **pointer = nullptr;
};

struct Registry {
  std::recursive_mutex lock;
  std::vector<std::unique_ptr<Binary>> binaries;
  std::map<const void *, Named> functions, variables;
  std::map<const void *, CUfunction> handles; ///< given out
  std::vector<Managed> managed;

  static Registry &get() {
    // Never destroyed: destructors of the program come here.
    static Registry *registry = new Registry;
    return *registry;
  }

  CUresult load(Binary &binary) {
    if (!binary.isLoaded) {
      binary.isLoaded = true;
      binary.result = cuLibraryLoadData(&binary.library, binary.image, nullptr,
                                        nullptr, 0, nullptr, nullptr, 0);
      if (binary.result == CUDA_SUCCESS)
        linkManaged(binary);
    }
    return binary.result;
  }

  void linkManaged(Binary &binary) {
    for (const Managed &variable : managed) {
      CUdeviceptr address = 0;
      size_t bytes = 0;
      if (variable.binary == &binary &&
          cuLibraryGetManaged(&address, &bytes, binary.library,
                              variable.name.c_str()) == CUDA_SUCCESS)
        *variable.pointer = reinterpret_cast<void *>(address);
    }
  }
};

struct Configuration {
  dim3 grid, block;
  size_t smem;
  cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

} // namespace

extern "C" {

void **__cudaRegisterFatBinary(void *image) {
  Registry &registry = Registry::get();
  std::lock_guard<std::recursive_mutex> guard(registry.lock);
  registry.binaries.push_back(std::make_unique<Binary>());
  registry.binaries.back()->image = image;
  return reinterpret_cast<void **>(registry.binaries.back().get());
}
void __cudaRegisterFatBinaryEnd(void **) {}

void __cudaUnregisterFatBinary(void **handle) {
  Registry &registry = Registry::get();
  std::lock_guard<std::recursive_mutex> guard(registry.lock);
  auto *binary = reinterpret_cast<Binary *>(handle);
  auto drop = [&](auto &table) {
    for (auto row = table.begin(); row != table.end();)
      row = row->second.binary == binary ? table.erase(row) : std::next(row);
  };
  drop(registry.functions);
  drop(registry.variables);
  if (binary->library)
    (void)cuLibraryUnload(binary->library);
  binary->library = nullptr;
  binary->result = CUDA_ERROR_NOT_FOUND;
  binary->isLoaded = true;
}

char __cudaInitModule(void **handle) {
  Registry &registry = Registry::get();
  if (prepare() != CUDA_SUCCESS)
    return 0;
  std::lock_guard<std::recursive_mutex> guard(registry.lock);
  return registry.load(*reinterpret_cast<Binary *>(handle)) == CUDA_SUCCESS;
}
void __cudaRegisterFunction(void **handle, const char *host, char *,
                            const char *name, int, uint3 *, uint3 *, dim3 *,
                            dim3 *, int *) {
  Registry &registry = Registry::get();
  std::lock_guard<std::recursive_mutex> guard(registry.lock);
  registry.functions[host] = {reinterpret_cast<Binary *>(handle), name};
}
void __cudaRegisterVar(void **handle, char *host, char *, const char *name, int,
                       size_t, int, int) {
  Registry &registry = Registry::get();
  std::lock_guard<std::recursive_mutex> guard(registry.lock);
  registry.variables[host] = {reinterpret_cast<Binary *>(handle), name};
}
void __cudaRegisterHostVar(void **handle, const char *name, char *host,
                           size_t) {
  __cudaRegisterVar(handle, host, nullptr, name, 0, 0, 0, 0);
}
void __cudaRegisterManagedVar(void **handle, void **pointer, char *,
                              const char *name, int, size_t, int, int) {
  Registry &registry = Registry::get();
  std::lock_guard<std::recursive_mutex> guard(registry.lock);
  auto *binary = reinterpret_cast<Binary *>(handle);
  registry.managed.push_back({binary, name, pointer});
  registry.variables[pointer] = {binary, name};
}
void __cudaRegisterUnifiedTable(void **, void *) {
  complain("__cudaRegisterUnifiedTable", "not supported on the emulator");
}

//===----------------------------------------------------------------------===//
// What a <<<>>> becomes
//===----------------------------------------------------------------------===//

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t smem,
                                     cudaStream_t stream) {
  configurations.push_back({grid, block, smem, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *smem,
                                       void *stream) {
  if (configurations.empty())
    return note(cudaErrorMissingConfiguration);
  const Configuration &top = configurations.back();
  *grid = top.grid;
  *block = top.block;
  *smem = top.smem;
  std::memcpy(stream, &top.stream, sizeof(cudaStream_t));
  configurations.pop_back();
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  return withDevice([&] {
    CUfunction function = nullptr;
    CUresult result = findFunction(host, function);
    *kernel = reinterpret_cast<cudaKernel_t>(function);
    return result;
  });
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t smem,
                               cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void *>(kernel), grid, block,
                          arguments, smem, stream);
}
cudaError_t __cudaGetProcAddress(const char *, void **address) {
  complain("__cudaGetProcAddress", "not supported on the emulator");
  *address = nullptr;
  return note(cudaErrorNotSupported);
}

} // extern "C"

//===----------------------------------------------------------------------===//
// Looking things up
//===----------------------------------------------------------------------===//

CUresult cudart::findFunction(const void *host, CUfunction &function) {
  Registry &registry = Registry::get();
  std::lock_guard<std::recursive_mutex> guard(registry.lock);
  auto handle = registry.handles.find(host);
  if (handle != registry.handles.end()) {
    function = handle->second;
    return CUDA_SUCCESS;
  }
  auto found = registry.functions.find(host);
  if (found == registry.functions.end())
    return static_cast<CUresult>(cudaErrorInvalidDeviceFunction);
  if (CUresult result = registry.load(*found->second.binary);
      result != CUDA_SUCCESS)
    return result;
  CUkernel kernel = nullptr;
  CUresult result = cuLibraryGetKernel(&kernel, found->second.binary->library,
                                       found->second.name.c_str());
  if (result == CUDA_SUCCESS)
    result = cuKernelGetFunction(&function, kernel);
  if (result != CUDA_SUCCESS)
    return static_cast<CUresult>(cudaErrorInvalidDeviceFunction);
  // A kernel may be named by its handle from now on.
  registry.handles[kernel] = function;
  return CUDA_SUCCESS;
}

const void *cudart::findHost(CUfunction function) {
  Registry &registry = Registry::get();
  std::lock_guard<std::recursive_mutex> guard(registry.lock);
  const char *name = nullptr;
  if (cuFuncGetName(&name, function) == CUDA_SUCCESS)
    for (const auto &[host, named] : registry.functions) {
      CUfunction found = nullptr;
      if (named.name == name && findFunction(host, found) == CUDA_SUCCESS &&
          found == function)
        return host;
    }
  registry.handles[function] = function;
  return function;
}

CUresult cudart::findSymbol(const void *symbol, CUdeviceptr &address,
                            size_t &bytes) {
  Registry &registry = Registry::get();
  std::lock_guard<std::recursive_mutex> guard(registry.lock);
  auto found = registry.variables.find(symbol);
  if (found == registry.variables.end())
    return static_cast<CUresult>(cudaErrorInvalidSymbol);
  if (CUresult result = registry.load(*found->second.binary);
      result != CUDA_SUCCESS)
    return result;
  CUresult result =
      cuLibraryGetGlobal(&address, &bytes, found->second.binary->library,
                         found->second.name.c_str());
  return result == CUDA_ERROR_NOT_FOUND
             ? static_cast<CUresult>(cudaErrorInvalidSymbol)
             : result;
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

/// Kernels of libraries are launched by their handle.
static void give(CUkernel kernel) {
  Registry &registry = Registry::get();
  std::lock_guard<std::recursive_mutex> guard(registry.lock);
  CUfunction function = nullptr;
  if (cuKernelGetFunction(&function, kernel) == CUDA_SUCCESS)
    registry.handles[kernel] = function;
}

cudaError_t cudaLibraryLoadData(cudaLibrary_t *library, const void *image,
                                cudaJitOption *, void **, unsigned,
                                cudaLibraryOption *, void **, unsigned) {
  return withDevice([&] {
    return cuLibraryLoadData(reinterpret_cast<CUlibrary *>(library), image,
                             nullptr, nullptr, 0, nullptr, nullptr, 0);
  });
}
cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t *library, const char *path,
                                    cudaJitOption *, void **, unsigned,
                                    cudaLibraryOption *, void **, unsigned) {
  return withDevice([&] {
    return cuLibraryLoadFromFile(reinterpret_cast<CUlibrary *>(library), path,
                                 nullptr, nullptr, 0, nullptr, nullptr, 0);
  });
}
cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return withDevice(
      [&] { return cuLibraryUnload(reinterpret_cast<CUlibrary>(library)); });
}
cudaError_t cudaLibraryGetKernel(cudaKernel_t *kernel, cudaLibrary_t library,
                                 const char *name) {
  return withDevice([&] {
    CUkernel found = nullptr;
    CUresult result =
        cuLibraryGetKernel(&found, reinterpret_cast<CUlibrary>(library), name);
    if (result != CUDA_SUCCESS)
      return result;
    give(found);
    *kernel = reinterpret_cast<cudaKernel_t>(found);
    return result;
  });
}
cudaError_t cudaLibraryGetKernelCount(unsigned *count, cudaLibrary_t library) {
  return withDevice([&] {
    return cuLibraryGetKernelCount(count, reinterpret_cast<CUlibrary>(library));
  });
}
cudaError_t cudaLibraryEnumerateKernels(cudaKernel_t *kernels, unsigned count,
                                        cudaLibrary_t library) {
  return withDevice([&] {
    unsigned total = 0;
    auto handle = reinterpret_cast<CUlibrary>(library);
    auto *list = reinterpret_cast<CUkernel *>(kernels);
    CUresult result = cuLibraryGetKernelCount(&total, handle);
    if (result == CUDA_SUCCESS)
      result = cuLibraryEnumerateKernels(list, count, handle);
    for (unsigned i = 0; result == CUDA_SUCCESS && i < std::min(count, total);
         ++i)
      give(list[i]);
    return result;
  });
}
cudaError_t cudaLibraryGetGlobal(void **address, size_t *bytes,
                                 cudaLibrary_t library, const char *name) {
  return withDevice([&] {
    return cuLibraryGetGlobal(reinterpret_cast<CUdeviceptr *>(address), bytes,
                              reinterpret_cast<CUlibrary>(library), name);
  });
}
cudaError_t cudaLibraryGetManaged(void **address, size_t *bytes,
                                  cudaLibrary_t library, const char *name) {
  return withDevice([&] {
    return cuLibraryGetManaged(reinterpret_cast<CUdeviceptr *>(address), bytes,
                               reinterpret_cast<CUlibrary>(library), name);
  });
}
cudaError_t cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  return __cudaGetKernel(kernel, host);
}
cudaError_t cudaGetFuncBySymbol(cudaFunction_t *function, const void *host) {
  return withDevice([&] { return findFunction(host, *function); });
}
