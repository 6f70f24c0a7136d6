//===- PtxasTest.cpp - the report of ptxas ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptxas -v prints, as ptxas 13.0 prints it.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/PTX/Ptxas.h"

#include "gtest/gtest.h"

using namespace tc;

namespace {

TEST(Ptxas, ReadsResourceUsage) {
  auto kernels = parseResourceUsage(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'first' for 'sm_100a'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 48 registers, used 1 barriers, 16 bytes smem
ptxas info    : Compiling entry function 'second' for 'sm_100a'
ptxas info    : Function properties for second
    64 bytes stack frame, 24 bytes spill stores, 40 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 64 bytes cumulative stack size
)");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "first");
  EXPECT_EQ(kernels[0].registers, 48u);
  EXPECT_EQ(kernels[0].spillStores, 0u);
  EXPECT_EQ(kernels[1].name, "second");
  EXPECT_EQ(kernels[1].registers, 255u);
  EXPECT_EQ(kernels[1].stackFrame, 64u);
  EXPECT_EQ(kernels[1].spillStores, 24u);
  EXPECT_EQ(kernels[1].spillLoads, 40u);
}

} // namespace
