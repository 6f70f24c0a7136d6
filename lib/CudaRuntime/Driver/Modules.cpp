//===- Modules.cpp - Modules, libraries, functions --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library is a module that outlives contexts, a kernel a function of one;
// here both are the same.
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

#include "tc/Runtime/Buffer.h"

#include <cstring>

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

static CUresult load(State &state, const void *image, Module *&module,
                     const char *call) {
  if (!image)
    return CUDA_ERROR_INVALID_VALUE;
  emu::Expected<Module *> loaded = state.loadModule(image);
  if (!loaded) {
    const std::string &why = loaded.error().message;
    // A refusal for want of PTX is not an error of the program.
    ++state.refusals;
    return refuse(state,
                  why.find("rebuild") != why.npos ? CUDA_ERROR_NO_BINARY_FOR_GPU
                                                  : CUDA_ERROR_INVALID_PTX,
                  call, why);
  }
  module = *loaded;
  return CUDA_SUCCESS;
}

/// The file at `path`, ending in a zero byte as texts do.
static CUresult readImage(State &state, const char *path,
                          std::vector<uint8_t> &bytes, const char *call) {
  emu::Expected<std::vector<uint8_t>> file = runtime::readFile(path);
  if (!file)
    return refuse(state, CUDA_ERROR_FILE_NOT_FOUND, call, file.error().message);
  bytes = std::move(*file);
  bytes.push_back(0);
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  return inContext([&](State &state) {
    Module *loaded = nullptr;
    CUresult result = load(state, image, loaded, "cuModuleLoadData");
    *module = toHandle(loaded);
    return result;
  });
}
CUresult cuModuleLoadDataEx(CUmodule *module, const void *image, unsigned count,
                            CUjit_option *options, void **values) {
  CUresult result = cuModuleLoadData(module, image);
  // Sizes of the logs that the program gave buffers for: nothing was logged.
  for (unsigned i = 0; i < count; ++i)
    if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
        options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES)
      values[i] = nullptr;
  return result;
}
CUresult cuModuleLoadFatBinary(CUmodule *module, const void *image) {
  return cuModuleLoadData(module, image);
}
CUresult cuModuleLoad(CUmodule *module, const char *path) {
  return inContext([&](State &state) {
    std::vector<uint8_t> bytes;
    CUresult result = readImage(state, path, bytes, "cuModuleLoad");
    if (result == CUDA_SUCCESS)
      result = cuModuleLoadData(module, bytes.data());
    return result;
  });
}

/// Calls on a module that is loaded.
template <class Body>
static CUresult onModule(CUmodule module, Body body) {
  return inContext([&](State &state) -> CUresult {
    return state.isLoaded(toModule(module)) ? body(*toModule(module))
                                            : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuModuleUnload(CUmodule module) {
  return onModule(module, [&](Module &found) {
    State::get().unload(&found);
    return CUDA_SUCCESS;
  });
}
CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode *mode) {
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}
CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  return onModule(module, [&](Module &found) {
    if (!name)
      return CUDA_ERROR_INVALID_VALUE;
    *function = toHandle(found.find(name));
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  });
}
CUresult cuModuleGetFunctionCount(unsigned *count, CUmodule module) {
  return onModule(module, [&](Module &found) {
    *count = unsigned(found.functions().size());
    return CUDA_SUCCESS;
  });
}
CUresult cuModuleEnumerateFunctions(CUfunction *functions, unsigned count,
                                    CUmodule module) {
  return onModule(module, [&](Module &found) {
    const auto &all = found.functions();
    for (unsigned i = 0; i < count && i < all.size(); ++i)
      functions[i] = toHandle(all[i].get());
    return CUDA_SUCCESS;
  });
}
CUresult cuModuleGetGlobal(CUdeviceptr *address, size_t *bytes, CUmodule module,
                           const char *name) {
  return onModule(module, [&](Module &from) {
    if (!name)
      return CUDA_ERROR_INVALID_VALUE;
    const emu::VariableInfo *found = from.program->findVariable(name);
    if (!found)
      return CUDA_ERROR_NOT_FOUND;
    if (address)
      *address = found->address;
    if (bytes)
      *bytes = found->bytes;
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Libraries
//===----------------------------------------------------------------------===//

// Never destroyed: programs unload libraries after main.
static std::set<CUlibrary> &libraries = *new std::set<CUlibrary>;

/// Calls on a library that is loaded, without a context.
template <class Body>
static CUresult onLibrary(CUlibrary library, Body body) {
  return locked([&](State &state) -> CUresult {
    return libraries.count(library) ? body(state, *library->module)
                                    : CUDA_ERROR_INVALID_HANDLE;
  });
}

CUresult cuLibraryLoadData(CUlibrary *library, const void *image,
                           CUjit_option *, void **, unsigned, CUlibraryOption *,
                           void **, unsigned) {
  // Loaded at once and without a context, so that a static initialiser can.
  return locked([&](State &state) {
    Module *module = nullptr;
    CUresult result = load(state, image, module, "cuLibraryLoadData");
    *library = nullptr;
    if (result == CUDA_SUCCESS) {
      *library = new CUlib_st;
      (*library)->module = module;
      libraries.insert(*library);
    }
    return result;
  });
}
CUresult cuLibraryLoadFromFile(CUlibrary *library, const char *path,
                               CUjit_option *, void **, unsigned,
                               CUlibraryOption *, void **, unsigned) {
  return locked([&](State &state) {
    std::vector<uint8_t> bytes;
    CUresult result = readImage(state, path, bytes, "cuLibraryLoadFromFile");
    if (result == CUDA_SUCCESS)
      result = cuLibraryLoadData(library, bytes.data(), nullptr, nullptr, 0,
                                 nullptr, nullptr, 0);
    return result;
  });
}
CUresult cuLibraryUnload(CUlibrary library) {
  return onLibrary(library, [&](State &state, Module &module) {
    state.unload(&module);
    libraries.erase(library);
    delete library;
    return CUDA_SUCCESS;
  });
}
CUresult cuLibraryGetKernel(CUkernel *kernel, CUlibrary library,
                            const char *name) {
  return onLibrary(library, [&](State &, Module &module) {
    if (!kernel || !name)
      return CUDA_ERROR_INVALID_VALUE;
    *kernel = reinterpret_cast<CUkernel>(module.find(name));
    return *kernel ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
  });
}
CUresult cuLibraryGetKernelCount(unsigned *count, CUlibrary library) {
  return onLibrary(library, [&](State &, Module &module) {
    *count = unsigned(module.functions().size());
    return CUDA_SUCCESS;
  });
}
CUresult cuLibraryEnumerateKernels(CUkernel *kernels, unsigned count,
                                   CUlibrary library) {
  return onLibrary(library, [&](State &, Module &module) {
    const auto &all = module.functions();
    for (unsigned i = 0; i < count && i < all.size(); ++i)
      kernels[i] = reinterpret_cast<CUkernel>(all[i].get());
    return CUDA_SUCCESS;
  });
}
CUresult cuLibraryGetModule(CUmodule *handle, CUlibrary library) {
  return onLibrary(library, [&](State &, Module &module) {
    *handle = toHandle(&module);
    return CUDA_SUCCESS;
  });
}
CUresult cuLibraryGetGlobal(CUdeviceptr *address, size_t *bytes,
                            CUlibrary library, const char *name) {
  return onLibrary(library, [&](State &, Module &module) {
    return cuModuleGetGlobal(address, bytes, toHandle(&module), name);
  });
}
CUresult cuLibraryGetManaged(CUdeviceptr *address, size_t *bytes,
                             CUlibrary library, const char *name) {
  return onLibrary(library, [&](State &state, Module &module) {
    if (!name)
      return CUDA_ERROR_INVALID_VALUE;
    const emu::VariableInfo *found = module.program->findVariable(name);
    if (!found || found->isConst)
      return CUDA_ERROR_NOT_FOUND;
    if (address)
      *address = found->address;
    if (bytes)
      *bytes = found->bytes;
    return check(state,
                 state.memory.shareWithHost(found->address, found->bytes),
                 "cuLibraryGetManaged");
  });
}
CUresult cuKernelGetFunction(CUfunction *function, CUkernel kernel) {
  *function = reinterpret_cast<CUfunction>(kernel);
  return kernel ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuKernelGetName(const char **name, CUkernel kernel) {
  return cuFuncGetName(name, reinterpret_cast<CUfunction>(kernel));
}
CUresult cuKernelGetParamInfo(CUkernel kernel, size_t index, size_t *offset,
                              size_t *size) {
  return cuFuncGetParamInfo(reinterpret_cast<CUfunction>(kernel), index, offset,
                            size);
}
CUresult cuKernelGetAttribute(int *value, CUfunction_attribute attribute,
                              CUkernel kernel, CUdevice) {
  return cuFuncGetAttribute(value, attribute,
                            reinterpret_cast<CUfunction>(kernel));
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value,
                              CUkernel kernel, CUdevice) {
  return cuFuncSetAttribute(reinterpret_cast<CUfunction>(kernel), attribute,
                            value);
}
CUresult cuKernelSetCacheConfig(CUkernel, CUfunc_cache, CUdevice) {
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

CUresult cuFuncGetName(const char **name, CUfunction function) {
  return locked([&](State &) {
    if (!function)
      return CUDA_ERROR_INVALID_HANDLE;
    *name = toFunction(function)->info->name.c_str();
    return CUDA_SUCCESS;
  });
}
CUresult cuFuncGetModule(CUmodule *module, CUfunction function) {
  return locked([&](State &) {
    *module = toHandle(toFunction(function)->module);
    return CUDA_SUCCESS;
  });
}
CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction) {
  *state = CU_FUNCTION_LOADING_STATE_LOADED;
  return CUDA_SUCCESS;
}
CUresult cuFuncLoad(CUfunction) { return CUDA_SUCCESS; }
CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }

CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset,
                            size_t *size) {
  return locked([&](State &) {
    if (!function || index >= toFunction(function)->info->params.size())
      return CUDA_ERROR_INVALID_VALUE;
    const emu::ParamInfo &param = toFunction(function)->info->params[index];
    *offset = param.offset;
    if (size)
      *size = param.size;
    return CUDA_SUCCESS;
  });
}

static int maxThreads(const emu::KernelInfo &info) {
  const auto &bound = info.reqntid[0] ? info.reqntid : info.maxntid;
  return bound[0] ? int(bound[0] * bound[1] * bound[2]) : 1024;
}
/// Registers of a thread: PTX has no number but its limits. What the threads
/// that a block may have leave, so that one of them always fits.
static int registersOf(const emu::KernelInfo &info) {
  if (info.maxnreg)
    return int(info.maxnreg);
  const unsigned threads =
      unsigned(maxThreads(info)) * std::max(info.minnctapersm, 1u);
  return int(std::min(255u, 65536 / std::max(threads, 256u) / 8 * 8));
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute,
                            CUfunction handle) {
  return locked([&](State &state) {
    if (!handle)
      return CUDA_ERROR_INVALID_HANDLE;
    const Function &function = *toFunction(handle);
    const emu::KernelInfo &info = *function.info;
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = maxThreads(info);
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = int(info.staticSmem);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = registersOf(info);
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = int(state.settings.device->capability());
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = function.maxDynamicSmem;
      break;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      *value = function.carveout;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      *value = info.explicitcluster && !info.reqnctapercluster[0];
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH: {
      unsigned i = attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH;
      *value = int(info.reqnctapercluster[0] ? info.reqnctapercluster[i]
                                             : function.cluster[i]);
      break;
    }
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      *value = function.allowsBigClusters;
      break;
    default:
      if (attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX)
        return CUDA_ERROR_INVALID_VALUE;
      *value = 0;
    }
    return CUDA_SUCCESS;
  });
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute,
                            int value) {
  return locked([&](State &state) {
    if (!handle)
      return CUDA_ERROR_INVALID_HANDLE;
    Function &function = *toFunction(handle);
    switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      if (value < 0 || value + int(function.info->staticSmem) >
                           int(state.settings.device->blockSharedBytes()))
        return CUDA_ERROR_INVALID_VALUE;
      function.maxDynamicSmem = value;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      function.carveout = value;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      function.allowsBigClusters = value;
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      function.cluster[attribute - CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH] =
          unsigned(value);
      return CUDA_SUCCESS;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_INVALID_VALUE;
    }
  });
}
