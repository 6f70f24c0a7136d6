//===- LitmusGeneric.cpp - barriers, flags and plain accesses ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Generic accesses of two threads need an order: barrier, mbarrier, warp
// synchronisation, or release and acquire through memory.
//
//===----------------------------------------------------------------------===//

#include "Litmus.h"

namespace tc::emu::test {

static const std::string meetCluster =
    "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";

/// Thread 0 stores 7 and then does `then`; thread 32 loads after `first`.
static std::string handOver(const std::string &then, const std::string &first) {
  return "@%p4 st.shared.u32 [%r2], %r0;\nbar.sync 1;\n" +
         only("%p0", "A", "st.shared.u32 [%r2], %r0;\n" + then) +
         only("%p4", "B", first + "ld.shared.u32 %r30, [%r2];\n");
}

static std::vector<Litmus> barriers() {
  const std::string mbarrier = handOver(
      "mbarrier.arrive.shared::cta.b64 _, [%r3];\n", waitFor("%r3", 0, "X"));
  return {
      {"bar_sync", Setup::Plain, 64, 1, 1,
       "@%p0 st.shared.u32 [%r2], %r0;\nbar.sync 0;\n@%p4 ld.shared.u32 %r30, "
       "[%r2];\n",
       "bar.sync 0;", nothing, "no barrier, or release and acquire"},
      {"bar_sync_too_early", Setup::Plain, 64, 1, 1,
       "@%p4 st.shared.u32 [%r2], %r0;\nbar.sync 1;\n@%p0 st.shared.u32 "
       "[%r2], %r0;\nbar.sync 0;\n@%p4 ld.shared.u32 %r30, [%r2];\n",
       "@%p0 st.shared.u32 [%r2], %r0;\nbar.sync 0;",
       "bar.sync 0;\n@%p0 st.shared.u32 [%r2], %r0;",
       "no barrier, or release and acquire"},
      {"one_word_from_all_lanes", Setup::Plain, 64, 1, 1,
       "st.shared.u32 [%r2+64], %r7;\n", "%r7", "%r0", "nothing orders"},
      {"one_word_from_all_lanes_strict", Setup::Plain, 64, 1, 1,
       "@%p0 st.shared.u32 [%r2+64], %r7;\n", "@%p0 st", "st",
       "no bar.warp.sync", true},
      {"bar_arrive_and_sync", Setup::Plain, 64, 1, 1,
       only("%p1", "A",
            "@%p0 st.shared.u32 [%r2], %r0;\nbarrier.cta.arrive.aligned 1, "
            "64;\n") +
           "@%p1 bra OUT;\nbarrier.cta.sync.aligned 1, 64;\nld.shared.u32 "
           "%r30, [%r2];\nOUT:\n",
       "@%p0 st.shared.u32 [%r2], %r0;\nbarrier.cta.arrive.aligned 1, 64;",
       "barrier.cta.arrive.aligned 1, 64;\n@%p0 st.shared.u32 [%r2], %r0;",
       "nothing orders"},
      {"read_then_write", Setup::Plain, 64, 1, 1,
       "@%p0 st.shared.u32 [%r2], %r0;\nbar.sync 0;\n@%p0 ld.shared.u32 %r30, "
       "[%r2];\nbar.sync 1;\n@%p4 st.shared.u32 [%r2], %r0;\n",
       "bar.sync 1;", nothing, "no barrier, or release and acquire"},
      {"mbarrier_release_acquire", Setup::Barriers, 64, 1, 1, mbarrier,
       "mbarrier.arrive.shared::cta", "mbarrier.arrive.relaxed.cta.shared::cta",
       "nothing orders"},
      {"mbarrier_wait_relaxed", Setup::Barriers, 64, 1, 1, mbarrier,
       "try_wait.parity.shared", "try_wait.parity.relaxed.cta.shared",
       "nothing orders"},
      {"mbarrier_arrive_too_early", Setup::Barriers, 64, 1, 1, mbarrier,
       "st.shared.u32 [%r2], %r0;\nmbarrier.arrive.shared::cta.b64 _, [%r3];",
       "mbarrier.arrive.shared::cta.b64 _, [%r3];\nst.shared.u32 [%r2], %r0;",
       "nothing orders"},
      {"mbarrier_of_another_stage", Setup::Barriers, 64, 1, 1,
       only("%p0", "A",
            "mbarrier.arrive.shared::cta.b64 _, [%r4];\nst.shared.u32 [%r2], "
            "%r0;\nmbarrier.arrive.shared::cta.b64 _, [%r3];\n") +
           only("%p4", "B",
                waitFor("%r3", 0, "X") + "ld.shared.u32 %r30, [%r2];\n"),
       "%p2, [%r3], 0", "%p2, [%r4], 0", "nothing orders"},
      {"mbarrier_init_seen", Setup::Plain, 64, 1, 1,
       only("%p0", "A", "mbarrier.init.shared.b64 [%r3], 1;\n") +
           "bar.sync 0;\n" +
           only("%p4", "B", "mbarrier.arrive.shared::cta.b64 _, [%r3];\n"),
       "bar.sync 0;", nothing, "fence.mbarrier_init"},
      {"mbarrier_init_fenced", Setup::Plain, 64, 2, 2,
       only("%p0", "A",
            "mbarrier.init.shared.b64 [%r3], "
            "1;\nfence.mbarrier_init.release.cluster;\n") +
           "barrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait."
           "aligned;\n" +
           only("%p4", "B", "mbarrier.arrive.shared::cta.b64 _, [%r3];\n"),
       "fence.mbarrier_init.release.cluster;", nothing, "fence.mbarrier_init"},
      {"warp_sync", Setup::Plain, 32, 1, 1,
       "@%p0 st.shared.u32 [%r2], %r0;\nbar.warp.sync "
       "0xffffffff;\nld.shared.u32 %r30, [%r2];\n",
       "bar.warp.sync 0xffffffff;", nothing, "no bar.warp.sync"},
      {"warp_sync_before_leader_arrives", Setup::Barriers, 64, 1, 1,
       only("%p1", "A",
            "shl.b32 %r30, %r0, 2;\nadd.u32 %r30, %r30, %r2;\nst.shared.u32 "
            "[%r30], %r0;\nbar.warp.sync 0xffffffff;\n@%p0 "
            "mbarrier.arrive.shared::cta.b64 _, [%r3];\n") +
           only("%p4", "B",
                waitFor("%r3", 0, "X") + "ld.shared.u32 %r31, [%r2+4];\n"),
       "bar.warp.sync 0xffffffff;", nothing, "nothing orders"},
      {"cluster_barrier", Setup::Plain, 32, 2, 2,
       "mov.u32 %r40, %cluster_ctarank;\nsetp.eq.u32 %p5, %r40, 0;\nmapa."
       "shared::cluster.u32 %r41, %r2, 1;\nand.pred %p6, %p5, %p0;\n" +
           meetCluster + "@%p6 st.shared::cluster.u32 [%r41], %r0;\n" +
           "barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait."
           "acquire.aligned;\n@!%p5 ld.shared.u32 %r42, [%r2];\n" +
           meetCluster,
       "barrier.cluster.arrive.release.aligned",
       "barrier.cluster.arrive.relaxed.aligned", "nothing orders"},
  };
}

static std::vector<Litmus> bytes() {
  return {
      {"neighbours_in_a_granule", Setup::Plain, 32, 1, 1,
       "shl.b32 %r30, %r0, 1;\nadd.u32 %r30, %r30, %r2;\ncvt.u16.u32 %h0, "
       "%r0;\nst.shared.u16 [%r30], %h0;\n",
       "shl.b32 %r30, %r0, 1;", "and.b32 %r30, %r0, 30;", "no bar.warp.sync"},
      {"neighbours_in_global_memory", Setup::Plain, 64, 1, 1,
       "mul.wide.u32 %rd1, %r0, 4;\nadd.s64 %rd1, %rd0, %rd1;\nst.global.u32 "
       "[%rd1], %r0;\n",
       "mul.wide.u32 %rd1, %r0, 4;",
       "shr.u32 %r30, %r0, 5;\nadd.u32 %r30, %r30, %r0;\nmul.wide.u32 %rd1, "
       "%r30, 4;\nand.b64 %rd1, %rd1, 124;",
       "global address"},
      {"part_of_a_wide_store", Setup::Plain, 64, 1, 1,
       "mov.u32 %r30, 0;\n@%p0 st.shared.v4.u32 [%r2], {%r30, %r30, %r30, "
       "%r30};\n@%p4 st.shared.u32 [%r2+16], %r30;\n",
       "[%r2+16]", "[%r2+12]", "nothing orders"},
      {"wide_store_over_parts", Setup::Plain, 64, 1, 1,
       "mov.u32 %r30, 0;\n@%p0 st.shared.u32 [%r2+4], %r30;\n@%p0 "
       "st.shared.u32 [%r2+8], %r30;\n@%p4 st.shared.v4.u32 [%r2+16], {%r30, "
       "%r30, %r30, %r30};\n",
       "[%r2+16]", "[%r2]", "shared offset"},
  };
}

static std::vector<Litmus> flags() {
  auto spin = [](const std::string &load) {
    return "SPIN:\n" + load +
           " %r30, [%rd0];\nsetp.eq.u32 %p2, %r30, 0;\n@%p2 "
           "bra SPIN;\n";
  };
  const std::string clusterFlag =
      "mov.u32 %r40, %ctaid.x;\nsetp.eq.u32 %p5, %r40, 0;\nmov.u32 %r41, 1;\n" +
      only("%p5", "A",
           "st.global.u32 [%rd0+64], %r41;\nst.release.gpu.global.u32 [%rd0], "
           "%r41;\nbra.uni OUT;\n") +
      spin("ld.acquire.gpu.global.u32") +
      "ld.global.u32 %r42, "
      "[%rd0+64];\nOUT:\n";
  return {
      {"strong_accesses", Setup::Plain, 64, 1, 1,
       "@%p0 st.relaxed.gpu.global.u32 [%rd0], %r0;\n@%p4 "
       "ld.relaxed.gpu.global.u32 %r30, [%rd0];\n",
       "st.relaxed.gpu.global", "st.global", "nothing orders"},
      {"atomics", Setup::Plain, 64, 1, 1,
       "red.relaxed.gpu.global.add.u32 [%rd0], 1;\n",
       "red.relaxed.gpu.global.add.u32 [%rd0], 1;",
       "@%p0 red.relaxed.gpu.global.add.u32 [%rd0], 1;\n@%p4 ld.global.u32 "
       "%r30, [%rd0];",
       "nothing orders"},
      {"release_and_acquire", Setup::Plain, 64, 1, 1,
       only("%p0", "A",
            "mov.u32 %r31, 1;\nst.shared.u32 [%r2], "
            "%r31;\nst.release.gpu.global.u32 [%rd0], %r31;\n") +
           only("%p4", "B",
                spin("ld.acquire.gpu.global.u32") +
                    "ld.shared.u32 %r32, [%r2];\n"),
       "st.release.gpu", "st.relaxed.gpu", "nothing orders"},
      {"acquire_is_needed", Setup::Plain, 64, 1, 1,
       only("%p0", "A",
            "mov.u32 %r31, 1;\nst.shared.u32 [%r2], "
            "%r31;\nst.release.gpu.global.u32 [%rd0], %r31;\n") +
           only("%p4", "B",
                spin("ld.acquire.gpu.global.u32") +
                    "ld.shared.u32 %r32, [%r2];\n"),
       "ld.acquire.gpu", "ld.relaxed.gpu", "is read by a relaxed operation"},
      {"fences_around_relaxed", Setup::Plain, 64, 1, 1,
       only("%p0", "A",
            "mov.u32 %r31, 1;\nst.shared.u32 [%r2], "
            "%r31;\nfence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%rd0], "
            "%r31;\n") +
           only("%p4", "B",
                spin("ld.relaxed.gpu.global.u32") +
                    "membar.gl;\nld.shared.u32 %r32, [%r2];\n"),
       "membar.gl;", nothing, "with no .acquire and no memory fence after it"},
      {"fence_before_relaxed", Setup::Plain, 64, 1, 1,
       only("%p0", "A",
            "mov.u32 %r31, 1;\nst.shared.u32 [%r2], "
            "%r31;\nfence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [%rd0], "
            "%r31;\n") +
           only("%p4", "B",
                spin("ld.relaxed.gpu.global.u32") +
                    "membar.gl;\nld.shared.u32 %r32, [%r2];\n"),
       "fence.acq_rel.gpu;", nothing, "nothing orders"},
      {"flag_between_clusters", Setup::Plain, 1, 1, 2, clusterFlag,
       "st.release.gpu", "st.relaxed.gpu", "no release at .gpu scope"},
      {"acquire_between_clusters", Setup::Plain, 1, 1, 2, clusterFlag,
       "ld.acquire.gpu", "ld.relaxed.gpu", "two clusters: the release after"},
      {"flag_of_cta_scope", Setup::Plain, 1, 1, 2, clusterFlag,
       "st.release.gpu", "st.release.cta", "nothing orders the two clusters"},
      {"flag_read_at_cta_scope", Setup::Plain, 1, 1, 2, clusterFlag,
       "ld.acquire.gpu", "ld.acquire.cta", "nothing orders the two clusters"},
      {"fence_after_a_relaxed_wait", Setup::Barriers, 64, 1, 1,
       only("%p0", "A",
            "st.shared.u32 [%r2], %r0;\nmbarrier.arrive.shared::cta.b64 _, "
            "[%r3];\n") +
           only("%p4", "B",
                waitFor("%r3", 0, "X", ".relaxed.cta") +
                    "fence.acq_rel.cta;\nld.shared.u32 %r31, [%r2];\n"),
       "fence.acq_rel.cta;", nothing, "is read by a relaxed operation"},
      {"fence_before_a_relaxed_arrival", Setup::Barriers, 64, 1, 1,
       only("%p0", "A",
            "st.shared.u32 [%r2], %r0;\nfence.acq_rel.cta;\nmbarrier.arrive."
            "relaxed.cta.shared::cta.b64 _, [%r3];\n") +
           only("%p4", "B",
                waitFor("%r3", 0, "X") + "ld.shared.u32 %r31, [%r2];\n"),
       "fence.acq_rel.cta;", nothing, "nothing orders"},
      {"outputs_of_two_clusters", Setup::Plain, 1, 1, 2,
       "mov.u32 %r40, %ctaid.x;\nmul.wide.u32 %rd1, %r40, 4;\nadd.s64 %rd1, "
       "%rd0, %rd1;\nst.global.u32 [%rd1], %r40;\n",
       "mul.wide.u32 %rd1, %r40, 4;", "mov.u64 %rd1, 0;",
       "nothing orders the two clusters"},
  };
}

static std::vector<Litmus> remote() {
  const std::string body =
      "mov.u32 %r40, %cluster_ctarank;\nsetp.eq.u32 %p5, %r40, 0;\n"
      "mapa.shared::cluster.u32 %r41, %r2, 1;\nmapa.shared::cluster.u32 %r42, "
      "%r3, 1;\nand.pred %p6, %p5, %p0;\n" +
      meetCluster +
      only("%p6", "A",
           "st.shared::cluster.u32 [%r41], "
           "%r0;\nmbarrier.arrive.release.cluster.shared::cluster.b64 _, "
           "[%r42];\n") +
      "@%p5 bra OUT;\n" + waitFor("%r3", 0, "X", ".acquire.cluster") +
      "ld.shared.u32 %r43, [%r2];\nOUT:\n" + meetCluster;
  const std::string relay =
      "mov.u32 %r40, %cluster_ctarank;\nsetp.eq.u32 %p5, %r40, 0;\n"
      "mapa.shared::cluster.u32 %r42, %r3, 1;\nand.pred %p6, %p5, %p0;\n" +
      meetCluster +
      only("%p6", "A",
           "mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r42];\n") +
      meetCluster;
  // Rank 1 has read; rank 0 overwrites.
  const std::string read = "ld.shared.u32 %r43, [%r2];\n";
  const std::string tell = "mbarrier.arrive.shared::cluster.b64 _, [%r42];\n";
  const std::string overwrite =
      "mov.u32 %r40, %cluster_ctarank;\nsetp.eq.u32 %p5, %r40, 0;\n"
      "mapa.shared::cluster.u32 %r41, %r2, 1;\nmapa.shared::cluster.u32 %r42, "
      "%r3, 0;\n@%p0 st.shared.u32 [%r2], %r0;\n" +
      meetCluster + "@%p5 bra WRITE;\n@!%p0 bra OUT;\n" + read + tell +
      "bra OUT;\nWRITE:\n" + waitFor("%r3", 0, "X") +
      "@%p0 st.shared::cluster.u32 [%r41], %r0;\nOUT:\n" + meetCluster;
  // The last barrier comes after the fence.
  const std::string late =
      "mov.u32 %r40, %cluster_ctarank;\nmapa.shared::cluster.u32 %r42, %r2, "
      "0;\n@%p0 mbarrier.init.shared::cta.b64 [%r2+8], "
      "1;\nfence.mbarrier_init.release.cluster;\n@%p0 "
      "mbarrier.init.shared::cta.b64 [%r2], "
      "2;\nbarrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait."
      "aligned;\n@%p0 mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
      "[%r42];\n" +
      meetCluster;
  return {
      {"remote_arrive_of_cta_scope_after_a_read", Setup::Barriers, 32, 2, 2,
       overwrite, read + tell, tell + read, "shared offset"},
      {"init_between_fence_and_relaxed_arrival", Setup::Plain, 32, 2, 2, late,
       "fence.mbarrier_init.release.cluster;", nothing,
       "is not ordered before it"},
      {"remote_arrive_of_cluster_scope", Setup::Barriers, 32, 2, 2, body,
       ".release.cluster.shared", ".release.cta.shared", "has .cta scope"},
      {"remote_wait_of_cluster_scope", Setup::Barriers, 32, 2, 2, body,
       ".acquire.cluster.shared", ".acquire.cta.shared", "nothing orders"},
      {"remote_store_before_the_start", Setup::Plain, 32, 2, 2,
       "START:\n" + meetCluster +
           "mov.u32 %r40, %cluster_ctarank;\nsetp.eq.u32 %p5, %r40, "
           "0;\nmapa.shared::cluster.u32 %r41, %r2, 1;\nand.pred %p6, %p5, "
           "%p0;\n@%p6 st.shared::cluster.u32 [%r41], %r0;\n" +
           meetCluster,
       "START:\n" + meetCluster, nothing,
       "has not observed that this CTA has started"},
      {"fence_then_relaxed_cluster_arrival", Setup::Plain, 32, 2, 2,
       "mov.u32 %r40, %cluster_ctarank;\nxor.b32 %r41, %r40, 1;\nmapa.shared::"
       "cluster.u32 %r41, %r2, %r41;\n@%p0 st.shared.u32 [%r2], %r0;\n" +
           meetCluster +
           "@%p0 ld.shared::cluster.u32 %r42, [%r41];\nfence.acq_rel.cluster;"
           "\nbarrier.cluster.arrive.relaxed.aligned;\nbarrier.cluster.wait."
           "aligned;\n@%p0 st.shared.u32 [%r2], %r0;\n" +
           meetCluster,
       "fence.acq_rel.cluster;", "fence.acq_rel.cta;", "nothing orders"},
      {"remote_arrive_strict", Setup::Barriers, 32, 2, 2, relay,
       ".release.cluster.shared", ".release.cta.shared",
       "expected .cluster scope", true},
  };
}

std::vector<Litmus> genericLitmus() {
  std::vector<Litmus> all = barriers();
  for (auto part : {bytes(), flags(), remote()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace tc::emu::test
