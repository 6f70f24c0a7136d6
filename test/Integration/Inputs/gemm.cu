//===- gemm.cu - A tcgen05 matrix multiplication in CUDA C++ --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B^T with A (M x K) and B (N x K) in bf16 and D (M x N) in f32, all
// row-major. A kernel that the compiler has no part in: nvcc makes PTX of it
// and the emulator has to run it. One CTA computes a tile of 128 x 128: warp 0
// feeds a ring of shared-memory slots by TMA, warp 1 issues the MMAs, then all
// four warps read the accumulator out of Tensor Memory.
//
//===----------------------------------------------------------------------===//

#include <cstdint>

namespace {

constexpr int tileM = 128, tileN = 128, tileK = 64;
constexpr int slots = 3;
constexpr uint32_t bytesA = tileM * tileK * 2, bytesB = tileN * tileK * 2;
constexpr uint32_t columns = tileN; // of Tensor Memory, one f32 each

// Instruction descriptor: f32 D (bit 4), bf16 A and B (bits 7 and 10), N / 8
// from bit 17, M / 16 from bit 24.
constexpr uint32_t instruction =
    (1u << 4) | (1u << 7) | (1u << 10) | (tileN / 8 << 17) | (tileM / 16 << 24);

/// What cuTensorMapEncodeTiled fills in.
struct alignas(64) TensorMap {
  uint64_t words[16];
};

__device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

__device__ bool electOne() {
  uint32_t elected;
  asm volatile("{\n"
               ".reg .pred p;\n"
               "elect.sync _|p, 0xffffffff;\n"
               "selp.b32 %0, 1, 0, p;\n"
               "}"
               : "=r"(elected));
  return elected != 0;
}

__device__ void initBarrier(uint32_t barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
               "r"(count)
               : "memory");
}

/// Waits until the phase of the given parity is complete.
__device__ void wait(uint32_t barrier, uint32_t parity) {
  uint32_t done;
  do
    asm volatile(
        "{\n"
        ".reg .pred p;\n"
        "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 0x989680;\n"
        "selp.b32 %0, 1, 0, p;\n"
        "}"
        : "=r"(done)
        : "r"(barrier), "r"(parity)
        : "memory");
  while (!done);
}

__device__ void expectBytes(uint32_t barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
      "r"(bytes)
      : "memory");
}

__device__ void load(uint32_t destination, const TensorMap &map, int k, int row,
                     uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
               "mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                   destination),
               "l"(&map), "r"(k), "r"(row), "r"(barrier)
               : "memory");
}

/// K-major operand with 128-byte swizzle: 8 rows of 128 bytes form an atom, and
/// atoms are 1024 bytes apart. Bit 46 is constant, 2 in bits 61 to 63 the
/// swizzle.
__device__ uint64_t describe(uint32_t address) {
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(1) << 16 |
         uint64_t(1024 >> 4) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
}

__device__ void multiply(uint32_t accumulator, uint64_t a, uint64_t b,
                         bool accumulate) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "setp.ne.b32 p, %4, 0;\n"
               "tcgen05.mma.cta_group::1.kind::f16 [%0], %1, %2, %3, p;\n"
               "}" ::"r"(accumulator),
               "l"(a), "l"(b), "r"(instruction), "r"(uint32_t(accumulate))
               : "memory");
}

/// Arrives on the barrier once all MMAs before are done.
__device__ void commit(uint32_t barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one."
               "shared::cluster.b64 [%0];" ::"r"(barrier)
               : "memory");
}

/// 32 columns of the warp's 32 lanes, one row per thread.
__device__ void readColumns(uint32_t address, uint32_t (&values)[32]) {
  asm volatile(
      "tcgen05.ld.sync.aligned.32x32b.x32.b32 "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
      "%30, %31}, [%32];"
      : "=r"(values[0]), "=r"(values[1]), "=r"(values[2]), "=r"(values[3]),
        "=r"(values[4]), "=r"(values[5]), "=r"(values[6]), "=r"(values[7]),
        "=r"(values[8]), "=r"(values[9]), "=r"(values[10]), "=r"(values[11]),
        "=r"(values[12]), "=r"(values[13]), "=r"(values[14]), "=r"(values[15]),
        "=r"(values[16]), "=r"(values[17]), "=r"(values[18]), "=r"(values[19]),
        "=r"(values[20]), "=r"(values[21]), "=r"(values[22]), "=r"(values[23]),
        "=r"(values[24]), "=r"(values[25]), "=r"(values[26]), "=r"(values[27]),
        "=r"(values[28]), "=r"(values[29]), "=r"(values[30]), "=r"(values[31])
      : "r"(address));
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

} // namespace

extern "C" __global__ void __launch_bounds__(128)
    gemm(const __grid_constant__ TensorMap mapA,
         const __grid_constant__ TensorMap mapB, float *d, int m, int n,
         int k) {
  extern __shared__ uint8_t dynamic[];
  __shared__ alignas(8) uint64_t full[slots], empty[slots], ready;
  __shared__ uint32_t tmemSlot;

  // The swizzle pattern repeats every 1024 bytes.
  const uint32_t base = (sharedAddress(dynamic) + 1023) & ~1023u;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int row0 = blockIdx.y * tileM, column0 = blockIdx.x * tileN;
  const int blocks = (k + tileK - 1) / tileK;

  if (warp == 0 && electOne()) {
    for (int i = 0; i < slots; ++i) {
      initBarrier(sharedAddress(&full[i]), 1);
      initBarrier(sharedAddress(&empty[i]), 1);
    }
    initBarrier(sharedAddress(&ready), 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("prefetch.tensormap [%0];" ::"l"(&mapA) : "memory");
    asm volatile("prefetch.tensormap [%0];" ::"l"(&mapB) : "memory");
  }
  if (warp == 1) {
    __syncwarp();
    asm volatile("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 "
                 "[%0], %1;" ::"r"(sharedAddress(&tmemSlot)),
                 "r"(columns)
                 : "memory");
    asm volatile("tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;");
  }
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  const uint32_t accumulator = tmemSlot;

  if (warp == 0 && electOne()) {
    for (int block = 0; block < blocks; ++block) {
      const int slot = block % slots;
      const uint32_t lap = block / slots;
      const uint32_t barrier = sharedAddress(&full[slot]);
      wait(sharedAddress(&empty[slot]), (lap & 1) ^ 1); // free at once in lap 0
      expectBytes(barrier, bytesA + bytesB);
      const uint32_t a = base + slot * (bytesA + bytesB), b = a + bytesA;
      load(a, mapA, block * tileK, row0, barrier);
      load(b, mapB, block * tileK, column0, barrier);
    }
    // No commit is on its way when the CTA exits: they arrive in any order.
    for (int block = blocks > slots ? blocks - slots : 0; block < blocks;
         ++block)
      wait(sharedAddress(&empty[block % slots]), (block / slots) & 1);
  } else if (warp == 1 && electOne()) {
    for (int block = 0; block < blocks; ++block) {
      const int slot = block % slots;
      const uint32_t lap = block / slots;
      wait(sharedAddress(&full[slot]), lap & 1);
      asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
      const uint32_t a = base + slot * (bytesA + bytesB), b = a + bytesA;
#pragma unroll
      for (int step = 0; step < tileK / 16; ++step)
        multiply(accumulator, describe(a + step * 32), describe(b + step * 32),
                 block > 0 || step > 0);
      commit(sharedAddress(&empty[slot]));
    }
    commit(sharedAddress(&ready));
  }
  __syncwarp();

  wait(sharedAddress(&ready), 0);
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
  const int row = row0 + warp * 32 + lane;
  for (int first = 0; first < tileN; first += 32) {
    uint32_t values[32];
    __syncwarp();
    if (blocks > 0)
      readColumns(accumulator + (uint32_t(warp * 32) << 16) + first, values);
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      const int column = column0 + first + i;
      if (row < m && column < n)
        d[size_t(row) * n + column] =
            blocks > 0 ? __uint_as_float(values[i]) : 0.0f;
    }
  }

  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
  __syncthreads();
  if (warp == 1) {
    __syncwarp();
    asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
    asm volatile("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %0, %1;" ::"r"(
                     accumulator),
                 "r"(columns));
  }
}
