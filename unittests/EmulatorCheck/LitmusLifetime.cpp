//===- LitmusLifetime.cpp - phases, allocations and CTAs that go ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What has to be known before an arrival, an allocation or an exit.
//
//===----------------------------------------------------------------------===//

#include "Litmus.h"

namespace tc::emu::test {

static const std::string arrive = "mbarrier.arrive.shared::cta.b64 _, [%r3];\n";
static const std::string meet = "barrier.cluster.arrive.aligned;\n"
                                "barrier.cluster.wait.aligned;\n";
static const std::string relaxed = "barrier.cluster.arrive.relaxed.aligned;\n"
                                   "barrier.cluster.wait.aligned;\n";
static const std::string pairAlloc =
    "tcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 [%r2], 32;\n"
    "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\n"
    "bar.warp.sync 0xffffffff;\nld.shared.u32 %r10, [%r2];\n";
static const std::string pairFree =
    "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r10, 32;\n";
static const std::string store =
    "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r10], {%r0};\n"
    "tcgen05.wait::st.sync.aligned;\n";

static std::string commitToBoth(const std::string &barrier) {
  return "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
         "multicast::cluster.b64 [" +
         barrier + "], %h0;\n";
}

static std::vector<Litmus> phases() {
  return {
      {"arrive_in_the_next_phase", Setup::Barriers, 64, 1, 1,
       // Who has made a whole phase by one arrival need not wait for it.
       only("%p0", "A",
            "mbarrier.arrive.shared::cta.b64 _, [%r4];\n"
            "mbarrier.arrive.shared::cta.b64 _, [%r4];\n" +
                arrive) +
           only("%p4", "B", waitFor("%r3", 0, "X") + arrive),
       waitFor("%r3", 0, "X"), nothing,
       "has not observed that the previous phase is complete"},
      // Who knows of all arrivals of a phase need not wait for it.
      {"arrivals_of_one_thread", Setup::Plain, 64, 1, 1,
       only("%p0", "A", "mbarrier.init.shared.b64 [%r3], 2;\n") +
           "bar.sync 0;\n" + only("%p0", "B", arrive + arrive) +
           "bar.sync 1;\n" + only("%p4", "C", arrive),
       "bar.sync 1;", nothing,
       "has not observed that the previous phase is complete"},
      {"copy_for_the_next_phase", Setup::Barriers, 64, 1, 1,
       only("%p0", "A", arrive) +
           only("%p4", "B",
                waitFor("%r3", 0, "X") +
                    "mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%r3], "
                    "16;\ncp.async.bulk.shared::cluster.global.mbarrier::"
                    "complete_tx::bytes [%r2], [%rd0], 16, [%r3];\n" +
                    arrive + waitFor("%r3", 1, "Y")),
       waitFor("%r3", 0, "X"), nothing,
       "has not observed that the previous phase is complete"},
  };
}

static std::vector<Litmus> visitors() {
  const std::string prolog = "mov.u32 %r20, %cluster_ctarank;\nsetp.eq.u32 %p5,"
                             " %r20, 1;\nand.pred %p5, %p5, %p0;\n" +
                             meet;
  return {
      {"exit_after_an_arrival", Setup::Barriers, 32, 2, 2,
       prolog +
           only("%p5", "A",
                "mapa.shared::cluster.u32 %r21, %r3, 0;\n"
                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                "[%r21];\n") +
           "END:\n" + meet,
       "END:\n" + meet, nothing, "exits without having observed"},
      {"exit_after_a_store", Setup::Barriers, 32, 2, 2,
       prolog +
           only("%p5", "A",
                "mapa.shared::cluster.u32 %r21, %r2, 0;\n"
                "st.shared::cluster.u32 [%r21], %r7;\n") +
           "END:\n" + meet,
       "END:\n" + meet, nothing, "exits without having observed"},
      {"exit_after_a_relaxed_barrier", Setup::Barriers, 32, 2, 2,
       prolog +
           only("%p5", "A",
                "mapa.shared::cluster.u32 %r21, %r3, 0;\n"
                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                "[%r21];\n") +
           relaxed,
       relaxed, nothing, "exits without having observed"},
      {"exit_after_a_relaxed_barrier_strict", Setup::Barriers, 32, 2, 2,
       prolog +
           only("%p5", "A",
                "mapa.shared::cluster.u32 %r21, %r3, 0;\n"
                "mbarrier.arrive.release.cluster.shared::cluster.b64 _, "
                "[%r21];\n") +
           "END:\n" + meet,
       "END:\n" + meet, relaxed.c_str(), "exits without having observed", true},
      // The second commit's phase tells of the work that both track.
      {"exit_after_a_commit", Setup::Tensor, 128, 2, 2,
       "mov.u32 %r20, %cluster_ctarank;\nsetp.eq.u32 %p5, %r20, 1;\n"
       "and.pred %p5, %p5, %p0;\n" +
           meet +
           only("%p5", "A",
                "tcgen05.mma.cta_group::1.kind::f16 [%r10], %rd6, %rd7, %r21, "
                "0;\nmov.b16 %h0, 3;\n" +
                    commitToBoth("%r3") + commitToBoth("%r4") +
                    waitFor("%r3", 0, "X") + waitFor("%r4", 0, "Z")) +
           only("%p0", "B", waitFor("%r4", 0, "Y") + "LAST:\n") + relaxed,
       waitFor("%r4", 0, "Y") + "LAST:\n", "LAST:\n",
       "exits without having observed"},
      // In its own CTA; commits of a thread come in any order.
      {"exit_after_its_own_commits", Setup::Tensor, 128, 1, 1,
       only("%p0", "A",
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::"
            "cluster.b64 [%r3];\n"
            "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::"
            "cluster.b64 [%r4];\n" +
                waitFor("%r3", 0, "X") + waitFor("%r4", 0, "Y")),
       waitFor("%r3", 0, "X"), nothing, "exits without having observed", true},
  };
}

static std::vector<Litmus> allocations() {
  return {
      {"alloc_for_a_pair", Setup::Plain, 32, 2, 2,
       "START:\n" + meet + pairAlloc + meet + pairFree, "START:\n" + meet,
       nothing, "that the peer CTA runs", true},
      {"dealloc_for_a_pair", Setup::Plain, 32, 2, 2,
       meet + pairAlloc + store + "END:\n" + meet + pairFree, "END:\n" + meet,
       nothing, "the tcgen05.", true},
      // The peer frees its part while this CTA has yet to store.
      {"peer_that_frees_first", Setup::Plain, 32, 2, 2,
       meet + pairAlloc +
           "mov.u32 %r20, %cluster_ctarank;\nsetp.eq.u32 %p5, %r20, 1;\n"
           "@%p5 bra FREE;\nmov.u32 %r21, 0;\nLATE:\nadd.u32 %r21, %r21, 1;\n"
           "setp.lt.u32 %p6, %r21, 8000;\n@%p6 bra LATE;\n" +
           store + "FREE:\n" + pairFree,
       "", "", "which the tcgen05.dealloc", false, "-pair-dealloc-waits"},
      // The load tells that the store is over, whichever CTA frees first.
      {"stores_known_through_loads", Setup::Plain, 32, 2, 2,
       meet + pairAlloc +
           "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r10], {%r0};\n"
           "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r11}, [%r10];\n"
           "tcgen05.wait::ld.sync.aligned;\n" +
           pairFree,
       "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%r11}, [%r10];\n"
       "tcgen05.wait::ld.sync.aligned;\n",
       nothing, "no tcgen05.wait::st"},
      {"permit_kept_while_waiting", Setup::Tensor, 128, 1, 2,
       "mov.u32 %r20, %ctaid.x;\nsetp.eq.u32 %p5, %r20, 0;\n"
       "@!%p1 bra KEPT;\n"
       "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
       "KEPT:\nbar.sync 0;\n"
       "@!%p5 bra OTHER;\n" +
           only("%p0", "A", "st.release.gpu.global.u32 [%rd0], 1;\n") +
           "bra EC;\nOTHER:\n" +
           only("%p0", "B",
                "SPIN:\nld.acquire.gpu.global.u32 %r21, [%rd0];\n"
                "setp.eq.u32 %p6, %r21, 0;\n@%p6 bra SPIN;\n"),
       "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;", nothing,
       "no tcgen05.relinquish_alloc_permit"},
  };
}

std::vector<Litmus> lifetimeLitmus() {
  std::vector<Litmus> all = phases();
  for (auto part : {visitors(), allocations()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace tc::emu::test
