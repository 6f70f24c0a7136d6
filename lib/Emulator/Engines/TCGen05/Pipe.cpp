//===- Pipe.cpp - pipelined tcgen05 instructions --------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Pipe.h"

#include <algorithm>
#include <iterator>

namespace tc::emu {

namespace {

struct Pair {
  AsyncClass first, second;
  enum If { Always, SameAccumulator, FourRows } condition;
};

} // namespace

static constexpr Pair kPairs[] = {
    {AsyncClass::Mma, AsyncClass::Mma, Pair::SameAccumulator},
    {AsyncClass::TmemCopy, AsyncClass::Mma, Pair::Always},
    {AsyncClass::TmemShift, AsyncClass::Mma, Pair::Always},
    {AsyncClass::TmemShift, AsyncClass::TmemCopy, Pair::FourRows},
    {AsyncClass::Mma, AsyncClass::TmemShift, Pair::Always},
};

bool isPipelined(const PipedOp &first, const PipedOp &second) {
  return first.ctaGroup == second.ctaGroup &&
         std::any_of(std::begin(kPairs), std::end(kPairs),
                     [&](const Pair &pair) {
                       if (pair.first != first.asyncClass ||
                           pair.second != second.asyncClass)
                         return false;
                       switch (pair.condition) {
                       case Pair::Always:
                         return true;
                       case Pair::SameAccumulator:
                         return first.accumulator == second.accumulator &&
                                first.shape == second.shape;
                       case Pair::FourRows:
                         return second.fourRows;
                       }
                       return false;
                     });
}

} // namespace tc::emu
