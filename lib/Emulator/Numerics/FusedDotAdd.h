//===- FusedDotAdd.h - One step of the tensor core, bit by bit --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numeric model of one MMA K-group, one output element at a time. Terms
// (the products and C) keep their own exponents e_a + e_b, unnormalised. With E
// the largest exponent of a nonzero term, each term is cut toward zero to F
// fractional bits at 2^E, the cut terms are added exactly, and the sum is
// rounded once: to f32 toward zero, to f16 to nearest even. This is the
// reference that the blocked implementation (MmaBlock.h) must match bit for
// bit. PTX specifies none of this; the rows for f16, bf16 and tf32 reproduce
// results measured on a B200 (through wmma or mma.sync as far as is known, so
// that tcgen05 rounds alike is an inference), the others follow the published
// MMA-Sim model.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_NUMERICS_FUSEDDOTADD_H
#define TC_EMULATOR_NUMERICS_FUSEDDOTADD_H

#include "Numerics/Formats.h"

namespace tc::emu {

/// How one K-group is accumulated: a row of the table below.
struct DotRule {
  std::string_view name;
  /// Products added in one rounding step.
  unsigned group;
  /// Fractional bits kept at the exponent of the largest term (F).
  int fractionBits;
  /// F32 or F16: the format of C and D.
  NumberFormat accumulator;
  /// E is never below this exponent.
  int floorExponent;
  /// 0, or how many products are summed exactly before a scale applies.
  unsigned scaledGroup;
};

enum class DotKind : uint8_t {
  F16toF32,
  F16toF16,
  TF32,
  F8F6F4toF32,
  F8F6F4toF16,
  MXF8F6F4,
  /// mxf4 and mxf4nvf4.
  MXF4,
};

const DotRule &dotRule(DotKind kind);

/// C + sum of a[i] * b[i] for i < rule.group with one rounding. `scaleExponent`
/// is added to every product's exponent (ue8m0 scales of mxf8f6f4; else 0),
/// `nan` says that a scale is NaN. `c` and the result are bits of the
/// accumulator format. Values: NaN in, Inf times 0 or +Inf and -Inf give NaN
/// (0x7fffffff, 0x7fff); a one-sided infinity or an overflow gives infinity; a
/// zero sum is +0.
uint32_t fusedDotAdd(const DotRule &rule, NumberFormat formatA,
                     const uint32_t *a, NumberFormat formatB, const uint32_t *b,
                     uint32_t c, int scaleExponent = 0, bool nan = false);

/// The 4-bit kinds: `rule.group` e2m1 products in groups of `rule.scaledGroup`,
/// each group summed exactly and multiplied by the significands of its scales,
/// its exponent the sum of the scales' exponents. `scaleA` and `scaleB` hold
/// one scale of `scaleFormat` (UE8M0 or UE4M3) per group.
uint32_t groupedDotAdd(const DotRule &rule, const uint32_t *a,
                       const uint32_t *b, NumberFormat scaleFormat,
                       const uint32_t *scaleA, const uint32_t *scaleB,
                       uint32_t c);

} // namespace tc::emu

#endif // TC_EMULATOR_NUMERICS_FUSEDDOTADD_H
