//===- pair.cu - A persistent 2-CTA kernel with two accumulators ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B^T in bf16 with an f32 result. A pair of CTAs goes over tiles of
// 256 x 128; each holds 128 rows of A, 64 rows of B and 128 rows of D. In both
// CTAs warp 0 loads, warp 2 owns Tensor Memory and warps 4 to 7 store by TMA;
// warp 1 of the even CTA multiplies for both.
//
//===----------------------------------------------------------------------===//

#include "device.cuh"

namespace {
constexpr int tileM = 256, tileN = 128, tileK = 64, slots = 3;
constexpr int accumulators = 2, chunk = 32;
constexpr uint32_t bytesA = tileM / 2 * tileK * 2;
constexpr uint32_t bytesB = tileN / 2 * tileK * 2;
constexpr uint32_t bytesChunk = tileM / 2 * chunk * 4;
constexpr uint32_t instruction = describeBf16(tileM, tileN);
constexpr uint16_t both = 3; // CTAs
} // namespace

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256)
    pair(const __grid_constant__ TensorMap mapA,
         const __grid_constant__ TensorMap mapB,
         const __grid_constant__ TensorMap mapD, int across, int tiles,
         int blocks) {
  extern __shared__ uint8_t dynamic[];
  __shared__ alignas(8) uint64_t full[slots], empty[slots];
  __shared__ alignas(8) uint64_t ready[accumulators], drained[accumulators];
  __shared__ uint32_t tensorMemory;
  const uint32_t base = alignTo1024(sharedAddress(dynamic));
  const uint32_t staging = base + slots * (bytesA + bytesB);
  const int warp = threadIdx.x / 32;
  const uint32_t rank = clusterRank();
  const int first = blockIdx.x / 2, stride = gridDim.x / 2;

  if (warp == 0 && electOne()) {
    for (int i = 0; i < slots; ++i) {
      initBarrier(sharedAddress(&full[i]), 1);
      initBarrier(sharedAddress(&empty[i]), 1);
    }
    for (int i = 0; i < accumulators; ++i) {
      initBarrier(sharedAddress(&ready[i]), 1);
      initBarrier(sharedAddress(&drained[i]), 8); // warps of both CTAs
    }
    fenceInit();
  }
  __syncwarp();
  clusterSyncRelaxed();
  if (warp == 2) {
    allocate<2>(sharedAddress(&tensorMemory), accumulators * tileN);
    relinquish<2>();
  }
  __syncthreads();
  const uint32_t accumulator = tensorMemory;

  if (warp == 0 && electOne()) {
    int slot = 0;
    uint32_t parity = 1;
#pragma unroll 1
    for (int tile = first; tile < tiles; tile += stride) {
      const int row = tile / across * tileM + rank * (tileM / 2);
      const int column = tile % across * tileN + rank * (tileN / 2);
#pragma unroll 1
      for (int block = 0; block < blocks; ++block) {
        const uint32_t barrier = sharedAddress(&full[slot]);
        wait(sharedAddress(&empty[slot]), parity);
        if (rank == 0)
          arriveExpecting(barrier, 2 * (bytesA + bytesB));
        const uint32_t a = base + slot * (bytesA + bytesB);
        loadPair(a, mapA, block * tileK, row, barrier);
        loadPair(a + bytesA, mapB, block * tileK, column, barrier);
        slot = slot == slots - 1 ? 0 : slot + 1;
        parity ^= slot == 0;
      }
    }
    // No CTA may be gone while the last commits can still arrive.
#pragma unroll 1
    for (int i = 0; i < slots; ++i) {
      wait(sharedAddress(&empty[slot]), parity);
      slot = slot == slots - 1 ? 0 : slot + 1;
      parity ^= slot == 0;
    }
  } else if (warp == 1 && rank == 0 && electOne()) {
    int slot = 0, buffer = 0;
    uint32_t parity = 0, bufferParity = 1;
#pragma unroll 1
    for (int tile = first; tile < tiles; tile += stride) {
      waitCluster(sharedAddress(&drained[buffer]), bufferParity);
      fenceAfter();
#pragma unroll 1
      for (int block = 0; block < blocks; ++block) {
        waitCluster(sharedAddress(&full[slot]), parity);
        const uint32_t a = base + slot * (bytesA + bytesB);
#pragma unroll
        for (int step = 0; step < tileK / 16; ++step)
          multiply<2>(accumulator + buffer * tileN, describe(a + step * 32),
                      describe(a + bytesA + step * 32), instruction,
                      block > 0 || step > 0);
        commitMulticast<2>(sharedAddress(&empty[slot]), both);
        slot = slot == slots - 1 ? 0 : slot + 1;
        parity ^= slot == 0;
      }
      commitMulticast<2>(sharedAddress(&ready[buffer]), both);
      buffer ^= 1;
      bufferParity ^= buffer == 0;
    }
  } else if (warp >= 4) {
    const int thread = threadIdx.x - 128;
    int buffer = 0;
    uint32_t bufferParity = 0;
#pragma unroll 1
    for (int tile = first; tile < tiles; tile += stride) {
      wait(sharedAddress(&ready[buffer]), bufferParity);
      fenceAfter();
      uint32_t values[tileN];
#pragma unroll
      for (int i = 0; i < tileN; i += 32)
        readColumns(lanesOf(accumulator, warp) + buffer * tileN + i,
                    values + i);
      waitColumnsRead();
      fenceBefore();
      __syncwarp();
      if (electOne())
        arriveCluster(mapTo(sharedAddress(&drained[buffer]), 0));
      __syncwarp();
      const int row = tile / across * tileM + rank * (tileM / 2);
      const int column = tile % across * tileN;
#pragma unroll
      for (int i = 0; i < tileN / chunk; ++i) {
        const uint32_t source = staging + i % 2 * bytesChunk;
        if (thread == 0)
          waitSources<1>();
        namedBarrier(1, 128);
#pragma unroll
        for (int j = 0; j < chunk; j += 4) {
          const uint32_t *four = values + i * chunk + j;
          storeShared(source + thread * chunk * 4 + j * 4, four[0], four[1],
                      four[2], four[3]);
        }
        fenceProxy();
        namedBarrier(1, 128);
        if (thread == 0) {
          store(mapD, column + i * chunk, row, source);
          commitStores();
        }
      }
      buffer ^= 1;
      bufferParity ^= buffer == 0;
    }
    if (thread == 0)
      waitSources<0>();
  }

  __syncwarp();
  // The peer still arrives here and reads this CTA's memory.
  clusterSync();
  if (warp == 2)
    deallocate<2>(accumulator, accumulators * tileN);
}
