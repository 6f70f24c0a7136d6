//===- kernels.cu - kernels for nvcc --------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plain CUDA C++ that KernelTest.cpp runs after nvcc has compiled it to PTX.
//
//===----------------------------------------------------------------------===//

#include <cassert>
#include <cstdio>

extern "C" __global__ void vectorAdd(const float *a, const float *b, float *c,
                                     int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    c[i] = a[i] + b[i];
}

extern "C" __global__ void sgemm(const float *a, const float *b, float *c,
                                 int m, int n, int k) {
  __shared__ float tileA[16][16], tileB[16][17];
  int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int start = 0; start < k; start += 16) {
    bool inA = row < m && start + threadIdx.x < k;
    bool inB = col < n && start + threadIdx.y < k;
    tileA[threadIdx.y][threadIdx.x] =
        inA ? a[row * k + start + threadIdx.x] : 0;
    tileB[threadIdx.y][threadIdx.x] =
        inB ? b[(start + threadIdx.y) * n + col] : 0;
    __syncthreads();
    for (int j = 0; j < 16; ++j)
      sum += tileA[threadIdx.y][j] * tileB[j][threadIdx.x];
    __syncthreads();
  }
  if (row < m && col < n)
    c[row * n + col] = sum;
}

extern "C" __global__ void reduceSum(const int *in, int *out, int n) {
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * blockDim.x)
    sum += in[i];
  for (int offset = 16; offset; offset >>= 1)
    sum += __shfl_down_sync(~0u, sum, offset);
  __shared__ int warps[32];
  if ((threadIdx.x & 31) == 0)
    warps[threadIdx.x >> 5] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0;
    sum = __reduce_add_sync(~0u, sum);
    if (threadIdx.x == 0)
      atomicAdd(out, sum);
  }
}

__device__ __noinline__ int collatz(int n) {
  int steps = 0;
  while (n != 1) {
    n = n & 1 ? 3 * n + 1 : n / 2;
    ++steps;
  }
  return steps;
}

extern "C" __global__ void divergent(int *out) {
  int t = threadIdx.x;
  int value = collatz(t + 1);
  switch (t % 5) {
  case 0:
    value += 10;
    break;
  case 1:
    value *= 3;
    break;
  case 2:
    value ^= 0x55;
    break;
  case 3:
    value -= 7;
    break;
  }
  out[t] = value + __popc(__ballot_sync(~0u, value > 20));
}

extern "C" __global__ void prints(int n) {
  assert(n < 100);
  if (threadIdx.x < n)
    printf("thread %d: %.2f %s\n", threadIdx.x, 1.5 * threadIdx.x, "ok");
}

extern "C" __global__ void spin(unsigned *out, int n) {
  unsigned x = threadIdx.x, y = 1, z = 3;
  for (int i = 0; i < n; ++i) {
    x = x * 1664525u + y;
    y ^= x >> 3;
    z += y & x;
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = x + y + z;
}
