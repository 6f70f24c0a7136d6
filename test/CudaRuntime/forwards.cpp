//===- forwards.cpp - A stripped runtime behind exports of other names ----===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What CuTe DSL's library is: the static runtime without its symbols, and
// exports _cudaX that jump to its calls, and _cuX that ask for the driver's.
//
//===----------------------------------------------------------------------===//

#include <cuda_runtime_api.h>

extern "C" {
__attribute__((visibility("default"))) cudaError_t
_cudaGetDeviceCount(int *count) {
  return cudaGetDeviceCount(count);
}
__attribute__((visibility("default"))) cudaError_t _cudaLibraryLoadData(
    cudaLibrary_t *library, const void *code, cudaJitOption *options,
    void **values, unsigned count, cudaLibraryOption *libraryOptions,
    void **libraryValues, unsigned libraryCount) {
  return cudaLibraryLoadData(library, code, options, values, count,
                             libraryOptions, libraryValues, libraryCount);
}
__attribute__((visibility("default"))) cudaError_t _cudaMalloc(void **pointer,
                                                               size_t size) {
  return cudaMalloc(pointer, size);
}
__attribute__((visibility("default"))) int _cuDeviceGet(int *device,
                                                        int ordinal) {
  void *call = nullptr;
  cudaDriverEntryPointQueryResult result;
  if (cudaGetDriverEntryPointByVersion("cuDeviceGet", &call, 12080, 0,
                                       &result) != cudaSuccess ||
      !call)
    return 999;
  return reinterpret_cast<int (*)(int *, int)>(call)(device, ordinal);
}
}
