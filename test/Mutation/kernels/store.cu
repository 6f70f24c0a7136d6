//===- store.cu - A TMA-store ring whose output another CTA reads ---------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B^T in bf16 with an f32 result, K cut in two. The two CTAs of a
// cluster share a tile of B, of which each loads one half for both. The second
// half of K (blockIdx.z = 1) goes to a workspace through a ring of TMA stores
// and a flag; the first waits for the flag and adds. Two CTAs fit on an SM, so
// that both may have to share Tensor Memory.
//
//===----------------------------------------------------------------------===//

#include "device.cuh"

namespace {
constexpr int tileM = 128, tileN = 64, tileK = 64, slots = 3, chunk = 16;
constexpr uint32_t bytesA = tileM * tileK * 2, bytesB = tileN * tileK * 2;
constexpr uint32_t bytesChunk = tileM * chunk * 4;
constexpr uint32_t instruction = describeBf16(tileM, tileN);
constexpr uint16_t both = 3; // CTAs

__device__ void raise(uint32_t *flag) {
  asm volatile("red.release.gpu.global.add.u32 [%0], 1;" ::"l"(flag)
               : "memory");
}

__device__ uint32_t observe(const uint32_t *flag) {
  uint32_t value;
  asm volatile("ld.acquire.gpu.global.u32 %0, [%1];"
               : "=r"(value)
               : "l"(flag)
               : "memory");
  return value;
}
} // namespace

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256)
    store_ring(const __grid_constant__ TensorMap mapA,
               const __grid_constant__ TensorMap mapB,
               const __grid_constant__ TensorMap mapW, const float *w,
               uint32_t *flags, float *d, int n, int blocks) {
  extern __shared__ uint8_t dynamic[];
  __shared__ alignas(8) uint64_t full[slots], empty[slots], ready;
  __shared__ uint32_t tensorMemory;
  const uint32_t base = alignTo1024(sharedAddress(dynamic));
  const uint32_t staging = base + slots * (bytesA + bytesB);
  const int warp = threadIdx.x / 32;
  const uint32_t rank = clusterRank();
  const int row0 = blockIdx.x * tileM, column0 = blockIdx.y * tileN;
  const int block0 = blockIdx.z * blocks;
  uint32_t *flag = flags + blockIdx.y * gridDim.x + blockIdx.x;

  if (warp == 0 && electOne()) {
    for (int i = 0; i < slots; ++i) {
      initBarrier(sharedAddress(&full[i]), 1);
      initBarrier(sharedAddress(&empty[i]), 2); // both read what one loads
    }
    initBarrier(sharedAddress(&ready), 1);
    fenceInit();
  }
  if (warp == 2) {
    allocate<1>(sharedAddress(&tensorMemory), tileN);
    relinquish<1>();
  }
  __syncthreads();
  clusterSyncRelaxed();
  const uint32_t accumulator = tensorMemory;

  if (warp == 0 && electOne()) {
    int slot = 0;
    uint32_t parity = 1;
#pragma unroll 1
    for (int block = block0; block < block0 + blocks; ++block) {
      const uint32_t barrier = sharedAddress(&full[slot]);
      wait(sharedAddress(&empty[slot]), parity);
      arriveExpecting(barrier, bytesA + bytesB);
      const uint32_t a = base + slot * (bytesA + bytesB);
      load(a, mapA, block * tileK, row0, barrier);
      loadMulticast(a + bytesA + rank * (bytesB / 2), mapB, block * tileK,
                    column0 + rank * (tileN / 2), barrier, both);
      slot = slot == slots - 1 ? 0 : slot + 1;
      parity ^= slot == 0;
    }
    // No CTA may be gone while the last commits can still arrive.
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
      commitMulticast<1>(sharedAddress(&empty[slot]), both);
      slot = slot == slots - 1 ? 0 : slot + 1;
      parity ^= slot == 0;
    }
    commit(sharedAddress(&ready));
  } else if (warp >= 4) {
    const int thread = threadIdx.x - 128;
    wait(sharedAddress(&ready), 0);
    fenceAfter();
    uint32_t values[tileN];
#pragma unroll
    for (int i = 0; i < tileN; i += 32)
      readColumns(lanesOf(accumulator, warp) + i, values + i);
    waitColumnsRead();
    if (blockIdx.z == 1) {
#pragma unroll
      for (int i = 0; i < tileN / chunk; ++i) {
        const uint32_t source = staging + i % 2 * bytesChunk;
        if (thread == 0 && i >= 2)
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
          ::store(mapW, column0 + i * chunk, row0, source);
          commitStores();
        }
      }
      if (thread == 0) {
        waitStores();
        raise(flag);
      }
    } else {
      if (thread == 0)
        while (observe(flag) == 0)
          ;
      namedBarrier(1, 128);
      const size_t start = size_t(row0 + thread) * n + column0;
#pragma unroll
      for (int i = 0; i < tileN; ++i)
        d[start + i] = __uint_as_float(values[i]) + w[start + i];
    }
  }

  __syncwarp();
  // The other CTA still writes this one's memory and arrives on its barriers.
  clusterSync();
  if (warp == 2)
    deallocate<1>(accumulator, tileN);
}
