//===- driver.cpp - The driver API on the emulator ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// driver FILE.ptx: loads the kernel of box.ptx, launches it through
// cuLaunchKernelEx with a tensor map, and checks what it left. Calls are found
// by cuGetProcAddress, as libraries do.
//
//===----------------------------------------------------------------------===//

#include <cuda.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define OK(CALL)                                                               \
  do {                                                                         \
    CUresult code = (CALL);                                                    \
    if (code != CUDA_SUCCESS) {                                                \
      const char *name = nullptr;                                              \
      cuGetErrorName(code, &name);                                             \
      std::printf("failed: %s: %s\n", #CALL, name ? name : "?");               \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)
#define EXPECT(CONDITION)                                                      \
  do {                                                                         \
    if (!(CONDITION)) {                                                        \
      std::printf("failed: %s\n", #CONDITION);                                 \
      std::exit(1);                                                            \
    }                                                                          \
  } while (0)

/// Handles that are none, or no more: an error, whatever they point to.
static void checkHandles(const char *path) {
  CUlibrary library, none[2];
  CUmodule module;
  CUfunction function;
  CUkernel kernel;
  CUdeviceptr address;
  unsigned count;
  size_t bytes;
  for (void *&word : reinterpret_cast<void *(&)[2]>(none))
    word = &word;
  const CUlibrary wrong[] = {nullptr, reinterpret_cast<CUlibrary>(8),
                             reinterpret_cast<CUlibrary>(none)};
  for (CUlibrary handle : wrong) {
    EXPECT(cuLibraryGetKernel(&kernel, handle, "box") ==
           CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLibraryGetKernelCount(&count, handle) ==
           CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLibraryEnumerateKernels(&kernel, 1, handle) ==
           CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLibraryGetModule(&module, handle) == CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLibraryGetGlobal(&address, &bytes, handle, "x") ==
           CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLibraryGetManaged(&address, &bytes, handle, "x") ==
           CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuLibraryUnload(handle) == CUDA_ERROR_INVALID_HANDLE);
    module = reinterpret_cast<CUmodule>(handle);
    EXPECT(cuModuleGetFunction(&function, module, "box") ==
           CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuModuleGetGlobal(&address, &bytes, module, "x") ==
           CUDA_ERROR_INVALID_HANDLE);
    EXPECT(cuModuleUnload(module) == CUDA_ERROR_INVALID_HANDLE);
  }
  OK(cuLibraryLoadFromFile(&library, path, nullptr, nullptr, 0, nullptr,
                           nullptr, 0));
  OK(cuLibraryGetKernel(&kernel, library, "box"));
  EXPECT(cuLibraryGetKernel(&kernel, library, "none") == CUDA_ERROR_NOT_FOUND);
  OK(cuLibraryUnload(library));
  EXPECT(cuLibraryGetKernel(&kernel, library, "box") ==
         CUDA_ERROR_INVALID_HANDLE);
  EXPECT(cuLibraryUnload(library) == CUDA_ERROR_INVALID_HANDLE);
}

/// Libraries register a callback when they are loaded.
static void checkLogs() {
  CUlogsCallbackHandle handle;
  CUlogIterator iterator = 7;
  char text[8] = "?";
  size_t size = sizeof(text);
  OK(cuLogsRegisterCallback([](void *, CUlogLevel, char *, size_t) {}, nullptr,
                            &handle));
  OK(cuLogsCurrent(&iterator, 0));
  OK(cuLogsDumpToMemory(&iterator, text, &size, 0));
  EXPECT(!size && !text[0]);
  OK(cuLogsUnregisterCallback(handle));
  EXPECT(cuLogsUnregisterCallback(handle) == CUDA_ERROR_INVALID_VALUE);
}

int main(int, char **argv) {
  checkLogs();
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction function;
  EXPECT(cuCtxSynchronize() == CUDA_ERROR_NOT_INITIALIZED);
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  EXPECT(cuCtxSynchronize() == CUDA_ERROR_INVALID_CONTEXT);
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxSetCurrent(context));
  checkHandles(argv[1]);
  OK(cuModuleLoad(&module, argv[1]));
  OK(cuModuleGetFunction(&function, module, "box"));
  EXPECT(cuModuleGetFunction(&function, module, "none") ==
         CUDA_ERROR_NOT_FOUND);
  OK(cuModuleGetFunction(&function, module, "box"));

  using Encode = decltype(&cuTensorMapEncodeTiled);
  void *address = nullptr;
  CUdriverProcAddressQueryResult status;
  OK(cuGetProcAddress("cuTensorMapEncodeTiled", &address, 13000, 0, &status));
  EXPECT(address && status == CU_GET_PROC_ADDRESS_SUCCESS);
  EXPECT(cuGetProcAddress("cuTensorMapEncodeTiled", &address, 11000, 0,
                          &status) == CUDA_SUCCESS &&
         !address && status == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  OK(cuGetProcAddress("cuTensorMapEncodeTiled", &address, 13000, 0, &status));

  // A tensor of 20 x 40; the kernel copies the box of 8 x 16 at (4, 32), the
  // right half of which is outside.
  const int rows = 20, columns = 40, boxRows = 8, boxColumns = 16;
  std::vector<int> host(rows * columns), result(boxRows * boxColumns);
  for (int i = 0; i < rows * columns; ++i)
    host[i] = i + 1;
  CUdeviceptr in, out;
  OK(cuMemAlloc(&in, host.size() * 4));
  OK(cuMemAlloc(&out, result.size() * 4));
  OK(cuMemcpyHtoD(in, host.data(), host.size() * 4));
  CUtensorMap map;
  cuuint64_t dims[] = {columns, rows}, strides[] = {columns * 4};
  cuuint32_t box[] = {boxColumns, boxRows}, steps[] = {1, 1};
  OK(reinterpret_cast<Encode>(address)(
      &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, reinterpret_cast<void *>(in),
      dims, strides, box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE,
      CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE));
  strides[0] = 7;
  EXPECT(reinterpret_cast<Encode>(address)(
             &map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2,
             reinterpret_cast<void *>(in), dims, strides, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
             CU_TENSOR_MAP_L2_PROMOTION_NONE,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_ERROR_INVALID_VALUE);

  int x = 32, y = 4;
  void *arguments[] = {&map, &x, &y, &out};
  CUlaunchConfig config{};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 128;
  config.blockDimY = config.blockDimZ = 1;
  OK(cuLaunchKernelEx(&config, function, arguments, nullptr));
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH(result.data(), out, result.size() * 4));
  for (int i = 0; i < boxRows; ++i)
    for (int k = 0; k < boxColumns; ++k)
      EXPECT(result[i * boxColumns + k] ==
             (x + k < columns ? (y + i) * columns + x + k + 1 : 0));
  OK(cuModuleUnload(module));
  EXPECT(cuMemFree(out + 4) == CUDA_ERROR_INVALID_VALUE);
  OK(cuMemFree(in));
  OK(cuMemFree(out));
  std::printf("passed\n");
}
