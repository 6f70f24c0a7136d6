//===- NamesTest.cpp - symbols for people ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Names.h"

#include <gtest/gtest.h>

using namespace tc::emu;

TEST(Names, Short) {
  const std::pair<const char *, const char *> cases[] = {
      {"k", "k"},
      {"i", "i"},
      {"_Zfoo", "_Zfoo"},
      {"_Z1kPi", "k"},
      {"_Z4kernIiEvPT_", "kern<int>"},
      {"_ZN2ns5twiceIiEEvPT_i", "ns::twice<int>"},
      {"_ZN12_GLOBAL__N_11kEi", "(anonymous namespace)::k"},
      {"_ZN7cutlass13device_kernelINS_4gemm6kernel13GemmUniversalIN4cute5tuple"
       "IJiiiiEEEEEEEvNT_6ParamsE",
       "cutlass::device_kernel<...>"},
      {"_ZZ4kernIiEvPT_E1s", "kern<int>(int*)::s"},
      {"_ZN1aL4tileE", "a::tile"},
      {"_ZZ1fvENKUliE_clEi", "f()::{lambda(int)#1}::operator()"},
  };
  for (const auto &[symbol, name] : cases)
    EXPECT_EQ(shortName(symbol), name);
}

TEST(Names, Full) {
  EXPECT_EQ(fullName("_Z4kernIiEvPT_"), "void kern<int>(int*)");
  EXPECT_EQ(fullName("matmul"), "matmul");
}
