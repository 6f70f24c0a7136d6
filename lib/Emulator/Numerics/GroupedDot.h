//===- GroupedDot.h - the 4-bit MMA step on decoded operands ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// groupedDotAdd (FusedDotAdd.h) for whole tiles: e2m1 operands and their scales
// are decoded once, and one element costs a few integer operations per group.
// Bit-identical to the reference.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_NUMERICS_GROUPEDDOT_H
#define TC_EMULATOR_NUMERICS_GROUPEDDOT_H

#include "Numerics/FusedDotAdd.h"

#include <vector>

namespace tc::emu {

/// A decoded scale (ue8m0 or ue4m3): significand * 2^(exponent - fraction), the
/// fraction being the mantissa bits of its format.
struct GroupScale {
  int32_t significand = 0;
  int32_t exponent = 0;
  bool nan = false;
};

GroupScale decodeGroupScale(NumberFormat format, uint32_t bits);

/// Twice the values of `count` e2m1 numbers, whole numbers from -12 to 12.
void decodeDoubledE2M1(const uint32_t *bits, size_t count, int16_t *doubled);

/// One element: `rule.group` products in groups of `rule.scaledGroup`, one pair
/// of scales per group; `scaleFraction` are the mantissa bits of the scales'
/// format, `c` and the result bits of f32.
uint32_t groupedDotAddDecoded(const DotRule &rule, const int16_t *a,
                              const int16_t *b, const GroupScale *scaleA,
                              const GroupScale *scaleB, int scaleFraction,
                              uint32_t c);

/// Rows of A or columns of B: twice the values, `rule.group` of each, and
/// `rule.group / rule.scaledGroup` scales.
struct GroupedOperand {
  std::vector<int16_t> doubled;
  std::vector<GroupScale> scales;
};

struct MmaKernels;

/// The same for a whole tile: `rows` are those of D as mmaStep has them
/// (MmaBlock.h), one for each row of A.
void groupedStep(const DotRule &rule, const GroupedOperand &a,
                 const GroupedOperand &b, int scaleFraction,
                 const std::vector<uint32_t *> &rows, bool accumulate,
                 const MmaKernels *kernels = nullptr);

} // namespace tc::emu

#endif // TC_EMULATOR_NUMERICS_GROUPEDDOT_H
