//===- late.cpp - Calls of CUDA after main --------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An object that was there before the first call outlives what that has loaded.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cuda_runtime_api.h>
#include <initializer_list>

struct AtEnd {
  cudaStream_t first = nullptr;
  ~AtEnd() {
    cudaStream_t second = nullptr;
    int errors = cudaStreamCreate(&second) != cudaSuccess;
    for (cudaStream_t stream : {first, second})
      errors += cudaStreamSynchronize(stream) != cudaSuccess ||
                cudaStreamDestroy(stream) != cudaSuccess;
    std::printf("after main: %d errors\n", errors);
  }
} atEnd;

int main() { return cudaStreamCreate(&atEnd.first) != cudaSuccess; }
