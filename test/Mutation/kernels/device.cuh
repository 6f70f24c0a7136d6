//===- device.cuh - The instructions of the kernels -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One function per instruction, so that a kernel reads as a sequence of them.
// A shared address is a number; that of another CTA of the cluster is made by
// `mapTo`.
//
//===----------------------------------------------------------------------===//

#include <cstdint>

namespace {

/// What cuTensorMapEncodeTiled fills in.
struct alignas(64) TensorMap {
  uint64_t words[16];
};

//===----------------------------------------------------------------------===//
// Threads and addresses
//===----------------------------------------------------------------------===//

__device__ uint32_t sharedAddress(const void *pointer) {
  return static_cast<uint32_t>(__cvta_generic_to_shared(pointer));
}

/// The swizzle pattern of 128 bytes repeats every 1024 bytes.
__device__ uint32_t alignTo1024(uint32_t address) {
  return (address + 1023) & ~1023u;
}

__device__ uint32_t mapTo(uint32_t address, uint32_t rank) {
  uint32_t mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;"
               : "=r"(mapped)
               : "r"(address), "r"(rank));
  return mapped;
}

__device__ uint32_t clusterRank() {
  uint32_t rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
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

/// Meets `threads` threads of the CTA.
__device__ void namedBarrier(uint32_t id, uint32_t threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory");
}

__device__ void clusterSync() {
  asm volatile("barrier.cluster.arrive.release.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/// Publishes barriers that were initialised before fenceInit.
__device__ void clusterSyncRelaxed() {
  asm volatile("barrier.cluster.arrive.relaxed.aligned;" ::: "memory");
  asm volatile("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

//===----------------------------------------------------------------------===//
// mbarriers
//===----------------------------------------------------------------------===//

__device__ void initBarrier(uint32_t barrier, uint32_t count) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier),
               "r"(count)
               : "memory");
}

__device__ void fenceInit() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}

/// Waits until the phase of the given parity is complete.
__device__ void wait(uint32_t barrier, uint32_t parity) {
  uint32_t done;
  do
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n"
                 "selp.b32 %0, 1, 0, p;\n"
                 "}"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
  while (!done);
}

/// The same, for what another CTA of the cluster has published.
__device__ void waitCluster(uint32_t barrier, uint32_t parity) {
  uint32_t done;
  do
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 p, "
                 "[%1], %2;\n"
                 "selp.b32 %0, 1, 0, p;\n"
                 "}"
                 : "=r"(done)
                 : "r"(barrier), "r"(parity)
                 : "memory");
  while (!done);
}

__device__ void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier)
               : "memory");
}

/// `barrier` from mapTo.
__device__ void arriveCluster(uint32_t barrier) {
  asm volatile(
      "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(
          barrier)
      : "memory");
}

__device__ void arriveExpecting(uint32_t barrier, uint32_t bytes) {
  asm volatile(
      "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier),
      "r"(bytes)
      : "memory");
}

//===----------------------------------------------------------------------===//
// TMA
//===----------------------------------------------------------------------===//

__device__ void load(uint32_t destination, const TensorMap &map, int x, int y,
                     uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
               "mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
                   destination),
               "l"(&map), "r"(x), "r"(y), "r"(barrier)
               : "memory");
}

/// The bytes count on the barrier of the even CTA.
__device__ void loadPair(uint32_t destination, const TensorMap &map, int x,
                         int y, uint32_t barrier) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
               "mbarrier::complete_tx::bytes.cta_group::2 "
               "[%0], [%1, {%2, %3}], [%4];" ::"r"(destination),
               "l"(&map), "r"(x), "r"(y), "r"(barrier & 0xfeffffff)
               : "memory");
}

/// To the same place in every CTA of the mask.
__device__ void loadMulticast(uint32_t destination, const TensorMap &map, int x,
                              int y, uint32_t barrier, uint16_t mask) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile."
               "mbarrier::complete_tx::bytes.multicast::cluster "
               "[%0], [%1, {%2, %3}], [%4], %5;" ::"r"(destination),
               "l"(&map), "r"(x), "r"(y), "r"(barrier), "h"(mask)
               : "memory");
}

__device__ void store(const TensorMap &map, int x, int y, uint32_t source) {
  asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group "
               "[%0, {%1, %2}], [%3];" ::"l"(&map),
               "r"(x), "r"(y), "r"(source)
               : "memory");
}

__device__ void commitStores() {
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

/// Until at most `pending` groups have sources left to read.
template <int pending>
__device__ void waitSources() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(pending) : "memory");
}

__device__ void waitStores() {
  asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
}

__device__ void storeShared(uint32_t address, uint32_t a, uint32_t b,
                            uint32_t c, uint32_t d) {
  asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(address),
               "r"(a), "r"(b), "r"(c), "r"(d)
               : "memory");
}

__device__ void fenceProxy() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

//===----------------------------------------------------------------------===//
// Tensor Memory
//===----------------------------------------------------------------------===//

template <int group>
__device__ void allocate(uint32_t destination, uint32_t columns) {
  asm volatile("tcgen05.alloc.cta_group::%2.sync.aligned.shared::cta.b32 "
               "[%0], %1;" ::"r"(destination),
               "r"(columns), "n"(group)
               : "memory");
}

template <int group>
__device__ void relinquish() {
  asm volatile(
      "tcgen05.relinquish_alloc_permit.cta_group::%0.sync.aligned;" ::"n"(
          group));
}

template <int group>
__device__ void deallocate(uint32_t address, uint32_t columns) {
  asm volatile(
      "tcgen05.dealloc.cta_group::%2.sync.aligned.b32 %0, %1;" ::"r"(address),
      "r"(columns), "n"(group));
}

__device__ void fenceBefore() {
  asm volatile("tcgen05.fence::before_thread_sync;" ::: "memory");
}

__device__ void fenceAfter() {
  asm volatile("tcgen05.fence::after_thread_sync;" ::: "memory");
}

/// The address of the 32 lanes that a warp may touch.
__device__ uint32_t lanesOf(uint32_t address, int warp) {
  return address + (uint32_t(warp % 4 * 32) << 16);
}

/// 32 columns of the warp's lanes, one lane per thread.
__device__ void readColumns(uint32_t address, uint32_t *values) {
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
      : "r"(address)
      : "memory");
}

__device__ void waitColumnsRead() {
  asm volatile("tcgen05.wait::ld.sync.aligned;" ::: "memory");
}

__device__ void writeColumns(uint32_t address, const uint32_t *values) {
  asm volatile(
      "tcgen05.st.sync.aligned.32x32b.x32.b32 [%32], "
      "{%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "
      "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, "
      "%30, %31};" ::"r"(values[0]),
      "r"(values[1]), "r"(values[2]), "r"(values[3]), "r"(values[4]),
      "r"(values[5]), "r"(values[6]), "r"(values[7]), "r"(values[8]),
      "r"(values[9]), "r"(values[10]), "r"(values[11]), "r"(values[12]),
      "r"(values[13]), "r"(values[14]), "r"(values[15]), "r"(values[16]),
      "r"(values[17]), "r"(values[18]), "r"(values[19]), "r"(values[20]),
      "r"(values[21]), "r"(values[22]), "r"(values[23]), "r"(values[24]),
      "r"(values[25]), "r"(values[26]), "r"(values[27]), "r"(values[28]),
      "r"(values[29]), "r"(values[30]), "r"(values[31]), "r"(address)
      : "memory");
}

__device__ void waitColumnsWritten() {
  asm volatile("tcgen05.wait::st.sync.aligned;" ::: "memory");
}

//===----------------------------------------------------------------------===//
// Matrix unit
//===----------------------------------------------------------------------===//

/// Of an operand whose rows have 128 bytes along K, swizzled: 8 rows form an
/// atom, atoms are 1024 bytes apart. Bit 46 is constant, 2 in bits 61 to 63 the
/// swizzle.
__device__ uint64_t describe(uint32_t address) {
  return uint64_t((address & 0x3ffff) >> 4) | uint64_t(1) << 16 |
         uint64_t(1024 >> 4) << 32 | uint64_t(1) << 46 | uint64_t(2) << 61;
}

/// f32 D (bit 4), bf16 A and B (bits 7 and 10), N / 8 from bit 17, M / 16 from
/// bit 24.
constexpr uint32_t describeBf16(int m, int n) {
  return (1u << 4) | (1u << 7) | (1u << 10) | uint32_t(n / 8) << 17 |
         uint32_t(m / 16) << 24;
}

template <int group>
__device__ void multiply(uint32_t accumulator, uint64_t a, uint64_t b,
                         uint32_t instruction, bool accumulate) {
  asm volatile("{\n"
               ".reg .pred p;\n"
               "setp.ne.b32 p, %4, 0;\n"
               "tcgen05.mma.cta_group::%5.kind::f16 [%0], %1, %2, %3, p;\n"
               "}" ::"r"(accumulator),
               "l"(a), "l"(b), "r"(instruction), "r"(uint32_t(accumulate)),
               "n"(group)
               : "memory");
}

/// Arrives on the barrier once all work of the thread before is done.
__device__ void commit(uint32_t barrier) {
  asm volatile("tcgen05.commit.cta_group::1.mbarrier::arrive::one."
               "shared::cluster.b64 [%0];" ::"r"(barrier)
               : "memory");
}

/// On the barriers at the same place in every CTA of the mask.
template <int group>
__device__ void commitMulticast(uint32_t barrier, uint16_t mask) {
  asm volatile(
      "tcgen05.commit.cta_group::%2.mbarrier::arrive::one."
      "shared::cluster.multicast::cluster.b64 [%0], %1;" ::"r"(barrier),
      "h"(mask), "n"(group)
      : "memory");
}

} // namespace
