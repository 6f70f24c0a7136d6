//===- RubinFormsTest.cpp - operands of tcgen05.mma of sm_107 -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Packed rows, indices into tables and scale factors in 128 lanes (PTX ISA 9.4,
// 9.7.18.10.4, .8 and .7): one instruction on random numbers.
//
//===----------------------------------------------------------------------===//

#include "RubinForms.h"

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

void expectRight(const Case &c, unsigned seed, const std::string &uses) {
  const Data data = draw(c, seed);
  for (const char *schedule : {"lazy", "random:2"}) {
    std::vector<float> d;
    RunResult result = runCase(c, data, {}, schedule, &d);
    ASSERT_TRUE(result.ok) << "seed " << seed << ": "
                           << result.reports.at(0).message;
    EXPECT_EQ(usesOf(result), uses) << "seed " << seed;
    for (size_t i = 0; i < d.size(); ++i)
      ASSERT_EQ(double(d[i]), data.expected[i])
          << "seed " << seed << ", row " << i / c.n() << ", column "
          << i % c.n();
  }
}

const std::string kPacked =
    "rubin-wide-k-halves rubin-mxf8-two-scales rubin-packed-rows";

TEST(RubinForms, packed_rows) {
  unsigned seed = 1;
  for (const Type &a : {kE2M3, kE3M2, kE2M1})
    for (const Type &b : {kE4M3, kE5M2, kE2M3, kE3M2, kE2M1})
      for (unsigned swizzle : {0u, 4u, 2u}) {
        Case c;
        c.a = a;
        c.b = b;
        c.swizzleA = swizzle;
        c.swizzleB = swizzle == 4 ? 2 : swizzle == 2 ? 0 : 4;
        c.byteA = swizzle == 2 ? 48 : 0;
        c.idA = seed % 2 * 2;
        c.idB = seed % 3 ? 0 : 2;
        c.negateA = seed % 2;
        c.negateB = seed % 3 == 0;
        c.group = seed % 4 == 0 ? 2 : 1;
        expectRight(c, seed++, kPacked);
      }
  // Rows of 32 bytes fit into the smallest swizzle.
  Case c;
  c.a = c.b = kE2M1;
  c.swizzleA = c.swizzleB = 6;
  expectRight(c, seed++, kPacked);
  // Other types beside them.
  for (const Type &a : {kE4M3, kE5M2}) {
    c.a = a;
    c.b = kE3M2;
    c.swizzleA = c.swizzleB = 0;
    expectRight(c, seed++, kPacked);
  }
}

TEST(RubinForms, packed_rows_in_tensor_memory) {
  unsigned seed = 100;
  for (const Type &a : {kE2M3, kE3M2})
    for (const Type &b : {kE4M3, kE2M3, kE2M1})
      for (unsigned group : {1u, 2u}) {
        Case c;
        c.a = a;
        c.b = b;
        c.tmemA = true;
        c.group = group;
        c.negateA = seed % 3 == 0;
        c.lanes = seed % 4 < 2;
        expectRight(c, seed++,
                    kPacked + (c.lanes ? " rubin-scales-128-lanes" : ""));
      }
}

TEST(RubinForms, tables) {
  unsigned seed = 200;
  for (const char *kind : {"f8f6f4", "mxf8f6f4"})
    for (unsigned swizzle : {0u, 4u, 2u})
      for (unsigned segment : {0u, 1u})
        for (unsigned group : {1u, 2u}) {
          Case c;
          c.kind = kind;
          c.looksUp = true;
          c.swizzleB = swizzle;
          c.segment = segment;
          c.group = group;
          c.tableLane = seed % 4 * 32;
          c.a = seed % 3 ? kE4M3 : kE5M2;
          c.tmemA = seed % 5 < 2;
          c.negateB = seed % 7 < 3;
          c.idA = seed % 2 * 2;
          expectRight(c, seed++,
                      c.scaled() ? "rubin-wide-k-halves rubin-mxf8-two-scales "
                                   "rubin-lookup-layout"
                                 : "rubin-wide-k-halves rubin-lookup-layout");
        }
  // A packed A beside it.
  for (bool tmemA : {false, true}) {
    Case c;
    c.looksUp = true;
    c.tmemA = tmemA;
    c.a = kE3M2;
    c.segment = 1;
    expectRight(c, seed++, kPacked + " rubin-lookup-layout");
  }
}

TEST(RubinForms, scales_in_128_lanes) {
  unsigned seed = 300;
  for (unsigned group : {1u, 2u})
    for (unsigned id : {0u, 2u}) {
      Case c;
      c.lanes = true;
      c.group = group;
      c.idA = id;
      c.idB = 2 - id;
      expectRight(c, seed++,
                  "rubin-wide-k-halves rubin-mxf8-two-scales "
                  "rubin-scales-128-lanes");
    }
  // Eight scales: two columns.
  Case c;
  c.kind = "mxf4nvf4";
  c.a = c.b = kE2M1;
  c.lanes = true;
  expectRight(c, seed++,
              "rubin-wide-k-halves rubin-k128-scale-order "
              "rubin-scales-128-lanes");
}

} // namespace
