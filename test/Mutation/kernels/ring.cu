//===- ring.cu - A warp-specialised ring of depth 3 -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B^T in bf16 with an f32 result. One CTA per tile of 128 x 64: warp 0
// loads, warp 1 multiplies, warp 2 owns Tensor Memory, warps 4 to 7 store.
//
//===----------------------------------------------------------------------===//

#include "device.cuh"

#ifndef SLOTS
#define SLOTS 3
#endif

namespace {
constexpr int tileM = 128, tileN = 64, tileK = 64, slots = SLOTS;
constexpr uint32_t bytesA = tileM * tileK * 2, bytesB = tileN * tileK * 2;
constexpr uint32_t instruction = describeBf16(tileM, tileN);
} // namespace

extern "C" __global__ void __launch_bounds__(256)
    ring(const __grid_constant__ TensorMap mapA,
         const __grid_constant__ TensorMap mapB, float *d, int m, int n,
         int blocks) {
  extern __shared__ uint8_t dynamic[];
  __shared__ alignas(8) uint64_t full[slots], empty[slots], ready;
  __shared__ uint32_t tensorMemory;
  const uint32_t base = alignTo1024(sharedAddress(dynamic));
  const int warp = threadIdx.x / 32;
  const int row0 = blockIdx.y * tileM, column0 = blockIdx.x * tileN;

  if (warp == 0 && electOne()) {
    for (int i = 0; i < slots; ++i) {
      initBarrier(sharedAddress(&full[i]), 1);
      initBarrier(sharedAddress(&empty[i]), 1);
    }
    initBarrier(sharedAddress(&ready), 1);
    fenceInit();
  }
  if (warp == 2) {
    allocate<1>(sharedAddress(&tensorMemory), tileN);
    relinquish<1>();
  }
  __syncthreads();
  const uint32_t accumulator = tensorMemory;

  if (warp == 0 && electOne()) {
    int slot = 0;
    uint32_t parity = 1; // free at once in the first lap
#pragma unroll 1
    for (int block = 0; block < blocks; ++block) {
      const uint32_t barrier = sharedAddress(&full[slot]);
      wait(sharedAddress(&empty[slot]), parity);
      arriveExpecting(barrier, bytesA + bytesB);
      const uint32_t a = base + slot * (bytesA + bytesB);
      load(a, mapA, block * tileK, row0, barrier);
      load(a + bytesA, mapB, block * tileK, column0, barrier);
      slot = slot == slots - 1 ? 0 : slot + 1;
      parity ^= slot == 0;
    }
    // The CTA must not be gone while the last commits can still arrive.
#pragma unroll 1
    for (int i = 0; i < slots; ++i) {
      wait(sharedAddress(&empty[slot]), parity);
      slot = slot == slots - 1 ? 0 : slot + 1;
      parity ^= slot == 0;
    }
  } else if (warp == 1 && electOne()) {
    int slot = 0;
    uint32_t parity = 0;
#pragma unroll 1
    for (int block = 0; block < blocks; ++block) {
      wait(sharedAddress(&full[slot]), parity);
      const uint32_t a = base + slot * (bytesA + bytesB);
#pragma unroll
      for (int step = 0; step < tileK / 16; ++step)
        multiply<1>(accumulator, describe(a + step * 32),
                    describe(a + bytesA + step * 32), instruction,
                    block > 0 || step > 0);
      commit(sharedAddress(&empty[slot]));
      slot = slot == slots - 1 ? 0 : slot + 1;
      parity ^= slot == 0;
    }
    commit(sharedAddress(&ready));
  } else if (warp >= 4) {
    wait(sharedAddress(&ready), 0);
    fenceAfter();
    uint32_t values[tileN];
    readColumns(lanesOf(accumulator, warp), values);
    readColumns(lanesOf(accumulator, warp) + 32, values + 32);
    waitColumnsRead();
    const int row = row0 + threadIdx.x - 128;
    // N is a multiple of 4, so that the first four columns of a tile are there.
    if (row < m)
#pragma unroll
      for (int i = 0; i < tileN; i += 4)
        if (i == 0 || column0 + i < n)
          *reinterpret_cast<uint4 *>(d + size_t(row) * n + column0 + i) =
              make_uint4(values[i], values[i + 1], values[i + 2],
                         values[i + 3]);
  }

  __syncthreads();
  if (warp == 2)
    deallocate<1>(accumulator, tileN);
}
