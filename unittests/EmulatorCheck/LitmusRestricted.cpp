//===- LitmusRestricted.cpp - forms of PTX ISA 9.2 to 9.5 -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fences and waits that order a part of what others order, copies with strong
// accesses and copies that leave bytes out.
//
//===----------------------------------------------------------------------===//

#include "Litmus.h"

namespace tc::emu::test {

namespace {
const std::string fillRow = "st.shared.v4.u32 [%r2], {%r0, %r0, %r0, %r0};\n";
const std::string readRow = "ld.shared.u32 %r30, [%r2];\n";
const std::string fenceAll = "fence.proxy.async;\n";
const std::string fenceReads =
    "fence.proxy.async::generic.release.sync_restrict::shared::cluster::read."
    "cluster;\n";
const std::string rowOut =
    "cp.async.bulk.global.shared::cta.bulk_group [%rd0], [%r2], 16;\n"
    "cp.async.bulk.commit_group;\n";
const std::string waitAll = "cp.async.bulk.wait_group 0;\n";
const std::string waitProxy =
    "cp.async.bulk.wait_group.sync_restrict::proxy::async 0;\n";

/// A load of `size` bytes to %r2 + `to` on the barrier of %r3, with more
/// modifiers and operands.
std::string rowIn(unsigned to, const std::string &modifiers = "",
                  const std::string &operands = "") {
  return "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 16;\n"
         "cp.async.bulk.shared::cta.global.mbarrier::complete_tx::bytes" +
         modifiers + " [%r2+" + std::to_string(to) + "], [%rd0], 16" +
         operands + ", [%r3];\n";
}

std::vector<Litmus> fencesOfReads() {
  const std::string load = rowIn(0) + waitFor("%r3", 0, "X");
  return {
      {"reads_released_to_the_async_proxy", Setup::Barriers, 32, 1, 1,
       only("%p0", "A", fillRow + fenceAll + readRow + fenceReads + load),
       fenceReads, nothing, "which the ld.shared"},
      {"reads_released_by_another_thread", Setup::Barriers, 64, 1, 1,
       only("%p4", "A", fillRow + fenceAll + readRow + fenceReads) +
           "bar.sync 0;\n" + only("%p0", "B", load),
       fenceReads, nothing, "which the ld.shared"},
      {"reads_released_before_they_are_made", Setup::Barriers, 32, 1, 1,
       only("%p0", "A", fillRow + fenceAll + readRow + fenceReads + load),
       readRow + fenceReads, fenceReads + readRow, "which the ld.shared"},
      {"membar_of_the_async_proxy", Setup::Barriers, 32, 1, 1,
       only("%p0", "A", fillRow + "membar.proxy.async;\n" + rowOut + waitAll),
       "membar.proxy.async", "membar.proxy.alias",
       "no fence.proxy.async between the st.shared"},
      // It is of reads alone, and not cumulative.
      {"release_of_reads_orders_no_writes", Setup::Barriers, 32, 1, 1,
       only("%p0", "A", fillRow + fenceAll + rowOut + waitAll), fenceAll,
       fenceReads, "no fence.proxy.async between the st.shared"},
      {"release_of_reads_is_not_cumulative", Setup::Barriers, 64, 1, 1,
       only("%p4", "A", fillRow + fenceAll + readRow) + "bar.sync 0;\n" +
           only("%p0", "B", "fence.proxy.async.shared::cta;\n" + load),
       "fence.proxy.async.shared::cta;\n", fenceReads, "which the ld.shared"},
  };
}

/// Rank 1 has read its row and tells rank 0, whose copy overwrites it, by an
/// arrival of .cta scope.
std::vector<Litmus> readsOfOtherCtas() {
  const std::string meet =
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  const std::string body =
      "mov.u32 %r40, %cluster_ctarank;\nsetp.eq.u32 %p5, %r40, 0;\n"
      "mapa.shared::cluster.u32 %r41, %r2, 1;\n"
      "mapa.shared::cluster.u32 %r42, %r3, 0;\n"
      "mapa.shared::cluster.u32 %r43, %r4, 1;\n"
      "not.pred %p6, %p5;\nand.pred %p6, %p6, %p0;\n"
      "and.pred %p5, %p5, %p0;\n" +
      only("%p6", "A",
           fillRow + fenceAll +
               "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r4], 16;\n") +
      meet +
      only("%p6", "B",
           readRow + fenceReads +
               "mbarrier.arrive.shared::cluster.b64 _, [%r42];\n") +
      only("%p5", "C",
           waitFor("%r3", 0, "X", ".acquire.cluster") +
               "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::"
               "bytes [%r41], [%rd0], 16, [%r43];\n") +
      only("%p6", "D", waitFor("%r4", 0, "Y")) + meet;
  return {
      {"reads_released_to_another_cta", Setup::Barriers, 32, 2, 2, body,
       readRow + fenceReads, fenceReads + readRow, "which the ld.shared"},
  };
}

std::vector<Litmus> fencesOfAliases() {
  const std::string poll = "P:\nld.relaxed.sys.global.u32 %r31, [%rd0+128];\n"
                           "setp.eq.u32 %p5, %r31, 0;\n@%p5 bra P;\n";
  const std::string both =
      only("%p0", "A",
           "mov.u32 %r33, 1;\nst.global.u32 [%rd0], %r0;\n"
           "fence.proxy.alias.release.sys;\n"
           "st.relaxed.sys.global.u32 [%rd0+128], %r33;\n") +
      only("%p4", "B",
           poll + "fence.proxy.alias.acquire.sys;\n"
                  "ld.global.u32 %r32, [%rd0];\n");
  return {
      {"alias_release", Setup::Plain, 64, 1, 1, both,
       "fence.proxy.alias.release.sys;", "fence.proxy.alias;", "the st.global"},
      {"alias_acquire", Setup::Plain, 64, 1, 1, both,
       "fence.proxy.alias.acquire.sys;",
       "fence.alias.sync_restrict::read.release.sys;", "the st.global"},
  };
}

std::vector<Litmus> waitsOfTheProxy() {
  return {
      {"wait_for_the_async_proxy", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            fillRow + fenceAll + rowOut + waitProxy + rowIn(64) +
                waitFor("%r3", 0, "X")),
       waitProxy, nothing, "no cp.async.bulk.wait_group for"},
      {"wait_for_the_async_proxy_then_a_load", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            fillRow + fenceAll + rowOut + waitAll +
                "ld.global.u32 %r30, [%rd0];\n"),
       waitAll, waitProxy, "is for later work of the async proxy alone"},
      {"wait_for_the_async_proxy_then_a_store", Setup::Barriers, 32, 1, 1,
       only("%p0", "A", fillRow + fenceAll + rowOut + waitAll + fillRow),
       waitAll, waitProxy, "is for later work of the async proxy alone"},
      {"wait_for_the_async_proxy_by_another", Setup::Barriers, 64, 1, 1,
       only("%p0", "A",
            fillRow + fenceAll + rowOut + waitProxy +
                "mov.u32 %r33, 1;\n"
                "st.relaxed.gpu.global.u32 [%rd0+128], %r33;\n") +
           "bar.sync 0;\n" +
           only("%p4", "B", rowIn(64) + waitFor("%r3", 0, "X")),
       "bar.sync 0;\n",
       "P:\nld.relaxed.gpu.global.u32 %r31, [%rd0+128];\n"
       "setp.eq.u32 %p5, %r31, 0;\n@%p5 bra P;\n",
       "nothing orders the cp.async.bulk.wait_group"},
  };
}

std::vector<Litmus> restrictedCopies() {
  const std::string out =
      "cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [%rd0], "
      "[%r2], 16;\ncp.async.bulk.commit_group;\n" +
      waitAll;
  const std::string again =
      "cp.async.bulk.relaxed.gpu.global.shared::cta.bulk_group.b128 [%rd0+0], "
      "[%r2], 16;\ncp.async.bulk.commit_group;\n" +
      waitAll;
  const std::string both = only("%p0", "Z", fillRow + fenceAll) +
                           "bar.sync 0;\n" + only("%p0", "A", out) +
                           only("%p4", "B", again);
  return {
      {"relaxed_copies_of_two_threads", Setup::Barriers, 64, 1, 1, both,
       "relaxed.gpu.global.shared::cta.bulk_group.b128 [%rd0+0]",
       "weak.global.shared::cta.bulk_group [%rd0+0]", "cp.async.bulk"},
      {"relaxed_copies_of_two_clusters", Setup::Barriers, 32, 1, 2,
       only("%p0", "Z", fillRow + fenceAll + out), "relaxed.gpu", "relaxed.cta",
       "cp.async.bulk"},
      {"relaxed_copies_there_and_back", Setup::Barriers, 64, 1, 1,
       only("%p4", "Z", fillRow + fenceAll + out) +
           only("%p0", "A",
                "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 16;\n"
                "cp.async.bulk.relaxed.gpu.shared::cta.global.mbarrier::"
                "complete_tx::bytes.b128 [%r2+64], [%rd0], 16, [%r3];\n" +
                    waitFor("%r3", 0, "X")),
       "cp.async.bulk.relaxed.gpu.shared::cta.global.mbarrier::complete_tx::"
       "bytes.b128",
       "cp.async.bulk.weak.shared::cta.global.mbarrier::complete_tx::bytes",
       "cp.async.bulk"},
      {"multimem_copies_and_reductions", Setup::Barriers, 64, 1, 1,
       only("%p0", "Z", fillRow + fenceAll) + "bar.sync 0;\n" +
           only("%p0", "A",
                "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group."
                "add.u32 [%rd0], [%r2], 16;\ncp.async.bulk.commit_group;\n" +
                    waitAll) +
           only("%p4", "B",
                "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group."
                "add.u32 [%rd0+0], [%r2], 16;\ncp.async.bulk.commit_group;\n" +
                    waitAll),
       "multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 "
       "[%rd0+0]",
       "multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd0+0]",
       "multimem.cp.async.bulk"},
      // The last four bytes are left out, which another thread writes.
      {"ignored_bytes_are_not_read", Setup::Barriers, 64, 1, 1,
       only("%p4", "A", "st.global.u32 [%rd0+12], %r0;\n") +
           only("%p0", "B",
                rowIn(0, ".ignore_oob", ", 0, 4") + waitFor("%r3", 0, "X")),
       ", 0, 4", ", 0, 3", "the st.global"},
      {"wide_asynchronous_store", Setup::Barriers, 32, 1, 1,
       only("%p0", "A",
            "mov.u64 %rd2, 1;\n{ .reg .b128 %q; mov.b128 %q, {%rd2, %rd2};\n"
            "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r3], 16;\n"
            "st.async.shared::cluster.mbarrier::complete_tx::bytes.b128 "
            "[%r2], %q, [%r3]; }\n" +
                waitFor("%r3", 0, "X") + "ld.shared.u32 %r30, [%r2+12];\n"),
       waitFor("%r3", 0, "X"), nothing, "no wait on the mbarrier"},
      {"readonly_loads_are_loads", Setup::Plain, 64, 1, 1,
       only("%p0", "A", "st.global.u32 [%rd0+0], %r0;\n") +
           only("%p4", "B", "ld.global.u32.proxy::readonly %r30, [%rd0+4];\n"),
       "[%rd0+4]", "[%rd0]", "proxy::readonly"},
      {"expanded_rows_have_eight_bytes", Setup::Plain, 64, 1, 1,
       "mov.u32 %r33, 0;\nshl.b32 %r34, %r0, 3;\nadd.u32 %r34, %r34, %r2;\n"
       "st.shared.v2.u32 [%r34], {%r33, %r33};\nbar.sync 0;\n" +
           only("%p4", "A", "st.shared.u32 [%r2+64], %r33;\n") +
           only("%p1", "B",
                "ldmatrix.sync.aligned.m8n16.x1.shared.s8.s4 {%r30}, "
                "[%r34];\n"),
       "[%r2+64]", "[%r2+60]", "ldmatrix"},
  };
}
} // namespace

std::vector<Litmus> restrictedLitmus() {
  std::vector<Litmus> all;
  for (auto part : {fencesOfReads(), readsOfOtherCtas(), fencesOfAliases(),
                    waitsOfTheProxy(), restrictedCopies()})
    all.insert(all.end(), part.begin(), part.end());
  return all;
}

} // namespace tc::emu::test
