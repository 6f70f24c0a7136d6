//===- devices.cu - What a program sees of the device -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include <cstdio>

/// The architecture that the PTX is for, and the number of multiprocessors.
__global__ void ask(int *out) {
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
  asm volatile("wgmma.fence.sync.aligned;\nwgmma.commit_group.sync.aligned;\n"
               "wgmma.wait_group.sync.aligned 0;" ::
                   : "memory");
#endif
#ifdef __CUDA_ARCH__
  out[0] = __CUDA_ARCH__;
#endif
  asm("mov.u32 %0, %%nsmid;" : "=r"(out[1]));
}

int main() {
  cudaDeviceProp p;
  cudaGetDeviceProperties(&p, 0);
  std::printf("%s: %d.%d, %d SMs, %zu and %zu bytes, %d threads, %d blocks, "
              "cluster %d, L2 %d\n",
              p.name, p.major, p.minor, p.multiProcessorCount,
              p.sharedMemPerBlockOptin, p.sharedMemPerMultiprocessor,
              p.maxThreadsPerMultiProcessor, p.maxBlocksPerMultiProcessor,
              p.clusterLaunch, p.l2CacheSize);
  int clock = 0, bus = 0, blocks = 0, result[2] = {}, *out;
  cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, 0);
  cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, ask, 32, 0);
  const bool most = !cudaFuncSetAttribute(
                 ask, cudaFuncAttributeMaxDynamicSharedMemorySize,
                 int(p.sharedMemPerBlockOptin)),
             more = !cudaFuncSetAttribute(
                 ask, cudaFuncAttributeMaxDynamicSharedMemorySize,
                 int(p.sharedMemPerBlockOptin) + 1);
  std::printf("clock %d, bus %d, %d blocks, %d %d\n", clock, bus, blocks, most,
              more);
  (void)cudaGetLastError();
  cudaMalloc(&out, sizeof(result));
  ask<<<1, 128>>>(out);
  const cudaError_t error =
      cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
  std::printf("%s: PTX for %d, %d SMs\n", cudaGetErrorName(error), result[0],
              result[1]);
  return error;
}
