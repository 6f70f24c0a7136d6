//===- convert.cu - Operands through registers ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B^T for 8-bit integers, multiplied in bf16 with an f32 result. One
// CTA per tile of 128 x 64: warps 4 to 7 convert A into Tensor Memory and B
// into swizzled shared memory, warp 1 multiplies, warp 2 owns Tensor Memory.
//
//===----------------------------------------------------------------------===//

#include "device.cuh"

#ifndef SLOTS
#define SLOTS 3
#endif

namespace {
constexpr int tileM = 128, tileN = 64, tileK = 64, slots = SLOTS;
constexpr uint32_t bytesB = tileN * tileK * 2;
constexpr uint32_t columnsA = tileK / 2; // two elements per cell
constexpr uint32_t columns = 256;
constexpr uint32_t instruction = describeBf16(tileM, tileN);

/// Two bf16 of the bytes at bits 8 * i and 8 * (i + 1).
__device__ uint32_t convertPair(uint32_t bytes, int i) {
  const float low = float(int8_t(bytes >> (8 * i)));
  const float high = float(int8_t(bytes >> (8 * i + 8)));
  uint32_t both;
  asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(both) : "f"(high), "f"(low));
  return both;
}

/// `count` elements of a row.
template <int count>
__device__ void convertRow(const int8_t *from, uint32_t *to) {
#pragma unroll
  for (int i = 0; i < count / 4; ++i) {
    const uint32_t four = reinterpret_cast<const uint32_t *>(from)[i];
    to[2 * i] = convertPair(four, 0);
    to[2 * i + 1] = convertPair(four, 2);
  }
}

__device__ void multiplyTensor(uint32_t accumulator, uint32_t a, uint64_t b,
                               bool accumulate) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "setp.ne.b32 p, %4, 0;\n"
               "tcgen05.mma.cta_group::1.kind::f16 [%0], [%1], %2, %3, p;\n"
               "}" ::"r"(accumulator),
               "r"(a), "l"(b), "r"(instruction), "r"(uint32_t(accumulate))
               : "memory");
}
} // namespace

extern "C" __global__ void __launch_bounds__(256)
    convert(const int8_t *matrixA, const int8_t *matrixB, float *d, int n,
            int k) {
  extern __shared__ uint8_t dynamic[];
  __shared__ alignas(8) uint64_t full[slots], empty[slots], ready;
  __shared__ uint32_t tensorMemory;
  const uint32_t base = alignTo1024(sharedAddress(dynamic));
  const int warp = threadIdx.x / 32;
  const int row0 = blockIdx.y * tileM, column0 = blockIdx.x * tileN;
  const int blocks = k / tileK;

  if (warp == 0 && electOne()) {
    for (int i = 0; i < slots; ++i) {
      initBarrier(sharedAddress(&full[i]), 128);
      initBarrier(sharedAddress(&empty[i]), 1);
    }
    initBarrier(sharedAddress(&ready), 1);
    fenceInit();
  }
  if (warp == 2) {
    allocate<1>(sharedAddress(&tensorMemory), columns);
    relinquish<1>();
  }
  __syncthreads();
  const uint32_t accumulator = tensorMemory;
  const uint32_t operand = accumulator + tileN;

  if (warp == 1 && electOne()) {
    uint32_t parity = 0;
#pragma unroll 1
    for (int block = 0; block < blocks; block += slots) {
#pragma unroll
      for (int slot = 0; slot < slots; ++slot) {
        if (block + slot >= blocks)
          break;
        wait(sharedAddress(&full[slot]), parity);
        fenceAfter();
#pragma unroll
        for (int step = 0; step < tileK / 16; ++step)
          multiplyTensor(accumulator, operand + slot * columnsA + step * 8,
                         describe(base + slot * bytesB + step * 32),
                         block + slot > 0 || step > 0);
        commit(sharedAddress(&empty[slot]));
      }
      parity ^= 1;
    }
    commit(sharedAddress(&ready));
  } else if (warp >= 4) {
    const int thread = threadIdx.x - 128;
    const int row = thread / 2, half = thread % 2; // of B's tile
    const int8_t *fromA = matrixA + size_t(row0 + thread) * k;
    const int8_t *fromB = matrixB + size_t(column0 + row) * k + half * 32;
    uint32_t parity = 1;
#pragma unroll 1
    for (int block = 0; block < blocks; block += slots) {
#pragma unroll
      for (int slot = 0; slot < slots; ++slot) {
        if (block + slot >= blocks)
          break;
        uint32_t a[tileK / 2], b[tileK / 4];
        convertRow<tileK>(fromA + (block + slot) * tileK, a);
        convertRow<tileK / 2>(fromB + (block + slot) * tileK, b);
        wait(sharedAddress(&empty[slot]), parity);
        fenceAfter();
        __syncwarp();
        writeColumns(lanesOf(operand, warp) + slot * columnsA, a);
#pragma unroll
        for (int i = 0; i < 4; ++i)
          storeShared(base + slot * bytesB + row * 128 +
                          (((half * 4 + i) ^ (row % 8)) * 16),
                      b[4 * i], b[4 * i + 1], b[4 * i + 2], b[4 * i + 3]);
        waitColumnsWritten();
        fenceBefore();
        fenceProxy();
        arrive(sharedAddress(&full[slot]));
      }
      parity ^= 1;
    }

    wait(sharedAddress(&ready), 0);
    fenceAfter();
    __syncwarp();
    float *to = d + size_t(row0 + thread) * n + column0;
    uint32_t values[tileN];
    readColumns(lanesOf(accumulator, warp), values);
    readColumns(lanesOf(accumulator, warp) + 32, values + 32);
    waitColumnsRead();
#pragma unroll
    for (int i = 0; i < tileN; ++i)
      to[i] = __uint_as_float(values[i]);
    // The CTA must not be gone while the last commits can still arrive. A slot
    // that was never used has nothing to wait for: parity 1.
#pragma unroll 1
    for (int slot = 0; slot < slots; ++slot)
      wait(sharedAddress(&empty[slot]),
           (blocks - slot + slots - 1) / slots - 1 & 1);
  }

  __syncthreads();
  if (warp == 2)
    deallocate<1>(accumulator, columns);
}
