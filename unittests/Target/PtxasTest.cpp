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
  EXPECT_EQ(describeLoss(kernels[0]), "");
  EXPECT_EQ(describeLoss(kernels[1]),
            "kernel 'second' spills registers: 24 bytes stored, 40 bytes "
            "loaded");
}

TEST(Ptxas, SerializedWgmma) {
  auto kernels = parseResourceUsage(
      "ptxas info    : (C7514) Potential Performance Loss: wgmma.mma_async "
      "instructions are serialized due to non wgmma instructions reading "
      "accumulator registers of  a wgmma between start and end of the pipeline "
      "stage in the function 'f'\n"
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'f' for 'sm_90a'\n"
      "ptxas info    : Function properties for f\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 146 registers, used 3 barriers\n"
      "ptxas info    : Compiling entry function 'g' for 'sm_90a'\n"
      "ptxas info    : Function properties for g\n"
      "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 98 registers, used 3 barriers\n");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_TRUE(kernels[0].serializesWgmma);
  EXPECT_FALSE(kernels[1].serializesWgmma);
  EXPECT_EQ(kernels[0].registers, 146u);
  EXPECT_EQ(describeLoss(kernels[0]),
            "kernel 'f' waits for each wgmma before the next: ptxas "
            "serialises them");
}

} // namespace
