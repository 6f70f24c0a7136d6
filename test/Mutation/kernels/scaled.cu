//===- scaled.cu - A block-scaled pair with tcgen05.cp --------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = (A * SFA) * (B * SFB)^T in e4m3 with ue8m0 scales per 32 elements along
// K, for one tile of 256 x 128 per pair. Scales come in blocks of 128 rows x 4
// (512 bytes), one per 128 elements of K. Warp 3 of each CTA brings its own
// through registers; the even CTA copies both CTAs' to Tensor Memory.
//
//===----------------------------------------------------------------------===//

#include "device.cuh"

namespace {
constexpr int tileM = 256, tileN = 128, tileK = 128, slots = 2;
constexpr uint32_t bytesA = tileM / 2 * tileK, bytesB = tileN / 2 * tileK;
constexpr uint32_t bytesScales = 512, scaleColumns = 4;
constexpr uint32_t columns = 256;
constexpr uint16_t both = 3; // CTAs

/// e4m3 A and B (0), N / 8 from bit 17, ue8m0 (bit 23), M / 128 from bit 27;
/// which byte of a scale cell: B's in bit 4, A's in bit 29.
__device__ uint32_t describeScaled(int step) {
  return uint32_t(step) << 4 | uint32_t(tileN / 8) << 17 | 1u << 23 |
         uint32_t(tileM / 128) << 27 | uint32_t(step) << 29;
}

/// 32 rows of 16 bytes, not swizzled: groups of 8 rows are 128 bytes apart.
__device__ uint64_t describeScales(uint32_t address) {
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(1) << 16 |
         uint64_t(128 >> 4) << 32 | uint64_t(1) << 46;
}

__device__ void copyScales(uint32_t destination, uint64_t source) {
  asm volatile(
      "tcgen05.cp.cta_group::2.32x128b.warpx4 [%0], %1;" ::"r"(destination),
      "l"(source)
      : "memory");
}

__device__ void multiplyScaled(uint32_t accumulator, uint64_t a, uint64_t b,
                               uint32_t instruction, uint32_t scalesA,
                               uint32_t scalesB, bool accumulate) {
  asm volatile(
      "{\n"
      ".reg .pred p;\n"
      "setp.ne.b32 p, %6, 0;\n"
      "tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale.scale_vec::1X "
      "[%0], %1, %2, %3, [%4], [%5], p;\n"
      "}" ::"r"(accumulator),
      "l"(a), "l"(b), "r"(instruction), "r"(scalesA), "r"(scalesB),
      "r"(uint32_t(accumulate))
      : "memory");
}
} // namespace

extern "C" __global__ void __cluster_dims__(2, 1, 1) __launch_bounds__(256)
    scaled(const __grid_constant__ TensorMap mapA,
           const __grid_constant__ TensorMap mapB, const uint4 *scalesA,
           const uint4 *scalesB, float *d, int n, int blocks) {
  extern __shared__ uint8_t dynamic[];
  __shared__ alignas(8) uint64_t full[slots], empty[slots];
  // Of the scales, on the even CTA: its own and the peer's.
  __shared__ alignas(8) uint64_t own[slots], peers[slots], ready;
  __shared__ uint32_t tensorMemory;
  const uint32_t base = alignTo1024(sharedAddress(dynamic));
  const uint32_t scales = base + slots * (bytesA + bytesB);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const uint32_t rank = clusterRank();
  const int row0 = blockIdx.x * (tileM / 2), column0 = blockIdx.y * tileN;

  if (warp == 0 && electOne()) {
    for (int i = 0; i < slots; ++i) {
      initBarrier(sharedAddress(&full[i]), 1);
      initBarrier(sharedAddress(&empty[i]), 1);
      initBarrier(sharedAddress(&own[i]), 1);
      initBarrier(sharedAddress(&peers[i]), 1);
    }
    initBarrier(sharedAddress(&ready), 1);
    fenceInit();
  }
  __syncwarp();
  clusterSyncRelaxed();
  if (warp == 2) {
    allocate<2>(sharedAddress(&tensorMemory), columns);
    relinquish<2>();
  }
  __syncthreads();
  const uint32_t accumulator = tensorMemory;

  if (warp == 0 && electOne()) {
    int slot = 0;
    uint32_t parity = 1;
#pragma unroll 1
    for (int block = 0; block < blocks; ++block) {
      const uint32_t barrier = sharedAddress(&full[slot]);
      wait(sharedAddress(&empty[slot]), parity);
      if (rank == 0)
        arriveExpecting(barrier, 2 * (bytesA + bytesB));
      const uint32_t a = base + slot * (bytesA + bytesB);
      loadPair(a, mapA, block * tileK, row0, barrier);
      loadPair(a + bytesA, mapB, block * tileK, column0 + rank * (tileN / 2),
               barrier);
      slot ^= 1;
      parity ^= slot == 0;
    }
    // No CTA may be gone while the last commits can still arrive.
#pragma unroll 1
    for (int i = 0; i < slots; ++i) {
      wait(sharedAddress(&empty[slot]), parity);
      slot ^= 1;
      parity ^= slot == 0;
    }
  } else if (warp == 3) {
    // A pair's CTA multiplies its own rows of A with all columns of B.
    const uint4 *fromA = scalesA + size_t(blockIdx.x) * blocks * 32 + lane;
    const uint4 *fromB = scalesB + size_t(blockIdx.y) * blocks * 32 + lane;
    int slot = 0;
    uint32_t parity = 1;
#pragma unroll 1
    for (int block = 0; block < blocks; ++block) {
      const uint4 a = fromA[block * 32], b = fromB[block * 32];
      wait(sharedAddress(&empty[slot]), parity);
      const uint32_t to = scales + slot * 2 * bytesScales + lane * 16;
      storeShared(to, a.x, a.y, a.z, a.w);
      storeShared(to + bytesScales, b.x, b.y, b.z, b.w);
      __syncwarp();
      if (electOne()) {
        if (rank == 0)
          arrive(sharedAddress(&own[slot]));
        else
          arriveCluster(mapTo(sharedAddress(&peers[slot]), 0));
      }
      __syncwarp();
      slot ^= 1;
      parity ^= slot == 0;
    }
  } else if (warp == 1 && rank == 0 && electOne()) {
    uint32_t parity = 0;
#pragma unroll 1
    for (int block = 0; block < blocks; block += slots) {
#pragma unroll
      for (int slot = 0; slot < slots; ++slot) {
        if (block + slot >= blocks)
          break;
        wait(sharedAddress(&own[slot]), parity);
        waitCluster(sharedAddress(&peers[slot]), parity);
        // The copy below reads what threads of both CTAs have stored.
        fenceProxy();
        waitCluster(sharedAddress(&full[slot]), parity);
        fenceAfter();
        const uint32_t from = scales + slot * 2 * bytesScales;
        const uint32_t scaleA = accumulator + tileN + slot * 2 * scaleColumns;
        const uint32_t scaleB = scaleA + scaleColumns;
        copyScales(scaleA, describeScales(from));
        copyScales(scaleB, describeScales(from + bytesScales));
        const uint32_t a = base + slot * (bytesA + bytesB);
#pragma unroll
        for (int step = 0; step < tileK / 32; ++step)
          multiplyScaled(accumulator, describe(a + step * 32),
                         describe(a + bytesA + step * 32), describeScaled(step),
                         scaleA, scaleB, block + slot > 0 || step > 0);
        commitMulticast<2>(sharedAddress(&empty[slot]), both);
      }
      parity ^= 1;
    }
    commitMulticast<2>(sharedAddress(&ready), both);
  } else if (warp >= 4) {
    wait(sharedAddress(&ready), 0);
    fenceAfter();
    float *to = d + size_t(row0 + threadIdx.x - 128) * n + column0;
    uint32_t values[tileN];
#pragma unroll
    for (int i = 0; i < tileN; i += 32)
      readColumns(lanesOf(accumulator, warp) + i, values + i);
    waitColumnsRead();
#pragma unroll
    for (int i = 0; i < tileN; ++i)
      to[i] = __uint_as_float(values[i]);
  }

  __syncwarp();
  // The peer still reads this CTA's memory and arrives on its barriers.
  clusterSync();
  if (warp == 2)
    deallocate<2>(accumulator, columns);
}
