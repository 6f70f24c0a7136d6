//===- AsyncInstructionsTest.cpp - spelling of instructions -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The canonical form keeps what differs and drops what only repeats a default.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/PTX/AsyncInstructions.h"

#include "gtest/gtest.h"

using namespace tc;

namespace {

TEST(AsyncInstructions, DropsDefaults) {
  EXPECT_EQ(canonicalizeAsyncInstruction(
                "tcgen05.mma.cta_group::1.kind::f16.collector::a::discard"),
            "tcgen05.mma.cta_group::1.kind::f16");
  EXPECT_EQ(canonicalizeAsyncInstruction(
                "mbarrier.arrive.release.cta.shared::cta.b64"),
            canonicalizeAsyncInstruction("mbarrier.arrive.shared.b64"));
}

TEST(AsyncInstructions, KeepsWhatDiffers) {
  auto differ = [](const char *lhs, const char *rhs) {
    return canonicalizeAsyncInstruction(lhs) !=
           canonicalizeAsyncInstruction(rhs);
  };
  EXPECT_TRUE(differ("tcgen05.commit.cta_group::1.b64",
                     "tcgen05.commit.cta_group::2.b64"));
  EXPECT_TRUE(differ("mbarrier.arrive.shared.b64",
                     "mbarrier.arrive.release.cluster.shared::cluster.b64"));
  EXPECT_TRUE(differ("cp.async.bulk.tensor.2d.shared::cluster.global.tile",
                     "cp.async.bulk.tensor.2d.shared::cta.global.tile"));
  EXPECT_TRUE(differ("cp.async.bulk.shared::cluster.shared::cta",
                     "cp.async.bulk.shared::cta.shared::cluster"));
  EXPECT_TRUE(
      differ("griddepcontrol.wait", "griddepcontrol.launch_dependents"));
  EXPECT_TRUE(differ("createpolicy.fractional.L2::evict_first.b64",
                     "createpolicy.fractional.L2::evict_last.b64"));
  EXPECT_TRUE(differ("setmaxnreg.inc.sync.aligned.u32",
                     "setmaxnreg.dec.sync.aligned.u32"));
  EXPECT_TRUE(differ("fence.proxy.tensormap::generic.acquire.cta",
                     "fence.proxy.tensormap::generic.release.cta"));
}

TEST(AsyncInstructions, FindsThemInText) {
  llvm::SmallVector<AsyncInstruction> found;
  appendAsyncInstructions(R"(
    // tcgen05.wait::st.sync.aligned;
    /* mbarrier.inval.b64 [x]; */
    @%p1 mbarrier.init.shared.b64 [%r1], %r2; tcgen05.wait::ld.sync.aligned;
    $L__BB0_1: { fence.proxy.async.shared::cta; }
    add.s32 %r1, %r1, tcgen05_offset;
  )",
                          found);
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0], "mbarrier.init");
  EXPECT_EQ(found[1], "tcgen05.wait::ld");
  EXPECT_EQ(found[2], "fence.proxy.async.shared::cta");
}

// One block never runs, of one there are two copies.
TEST(AsyncInstructions, CountsCopiesOfBlocks) {
  AsyncCounts expected;
  expected["a"].blocks = {0, 1};
  expected["b"].blocks = {1, 2, 2};
  countMarkedBlocks(expected, "// tc.block 2\n{ }\n// tc.block 1\n"
                              "// tc.block 2\n");
  ASSERT_EQ(expected.size(), 2u);
  EXPECT_EQ(expected["a"].blocks, (llvm::SmallVector<unsigned>{1}));
  EXPECT_EQ(expected["b"].blocks, (llvm::SmallVector<unsigned>{1, 2, 2, 2, 2}));
}

} // namespace
