//===- GroupedDot.cpp - the 4-bit MMA step on decoded operands ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// At most 8 groups and C: each a magnitude below 2^24 with an exponent. All
// arithmetic is in 64-bit integers, rounding included.
//
//===----------------------------------------------------------------------===//

#include "Numerics/GroupedDot.h"

#include "Numerics/MmaBlock.h"
#include "Numerics/MmaKernels.h"

#include <algorithm>
#include <cstring>

namespace tc::emu {

GroupScale decodeGroupScale(NumberFormat format, uint32_t bits) {
  const Unpacked scale = unpack(format, bits);
  return {static_cast<int32_t>(scale.significand), scale.exponent,
          scale.kind == NumberClass::NaN};
}

void decodeDoubledE2M1(const uint32_t *bits, size_t count, int16_t *doubled) {
  static constexpr int16_t values[16] = {0, 1,  2,  3,  4,  6,  8,  12,
                                         0, -1, -2, -3, -4, -6, -8, -12};
  for (size_t i = 0; i < count; ++i)
    doubled[i] = values[bits[i] & 15];
}

namespace {
/// The largest number of groups of a step, and C.
constexpr unsigned mostTerms = 9;

struct GroupTerm {
  int64_t significand;
  int exponent, fraction;
};
} // namespace

/// sum * 2^unit in f32, cut toward zero; infinity from 2^128 on.
static uint32_t cutToFloat(int64_t sum, int unit) {
  const uint32_t sign = sum < 0 ? 0x80000000u : 0;
  const uint64_t magnitude = sum < 0 ? 0 - uint64_t(sum) : uint64_t(sum);
  const int top = 63 - __builtin_clzll(magnitude), exponent = top + unit;
  if (exponent >= 128)
    return sign | 0x7f800000u;
  if (exponent >= -126) {
    const uint64_t digits =
        top >= 23 ? magnitude >> (top - 23) : magnitude << (23 - top);
    return sign | uint32_t(exponent + 127) << 23 |
           (uint32_t(digits) & 0x7fffff);
  }
  const int shift = unit + 149; // a subnormal counts in 2^-149
  const uint64_t digits = shift >= 0    ? magnitude << shift
                          : shift > -64 ? magnitude >> -shift
                                        : 0;
  return sign | uint32_t(digits);
}

uint32_t groupedDotAddDecoded(const DotRule &rule, const int16_t *a,
                              const int16_t *b, const GroupScale *scaleA,
                              const GroupScale *scaleB, int scaleFraction,
                              uint32_t c) {
  GroupTerm terms[mostTerms];
  unsigned count = 0;
  int largest = rule.floorExponent;
  bool nan = false;
  const unsigned groups = rule.group / rule.scaledGroup;
  for (unsigned g = 0; g < groups; ++g) {
    // Products of doubled values count quarters; 16 of them stay below 2^12.
    int32_t sum = 0;
    const int16_t *x = a + g * rule.scaledGroup, *y = b + g * rule.scaledGroup;
    if (rule.scaledGroup == 16)
      for (unsigned i = 0; i < 16; ++i)
        sum += int32_t(x[i]) * y[i];
    else
      for (unsigned i = 0; i < rule.scaledGroup; ++i)
        sum += int32_t(x[i]) * y[i];
    nan |= scaleA[g].nan | scaleB[g].nan;
    const int64_t significand =
        int64_t(sum) * scaleA[g].significand * scaleB[g].significand;
    if (!significand)
      continue;
    const int exponent = scaleA[g].exponent + scaleB[g].exponent;
    terms[count++] = {significand, exponent, 2 + 2 * scaleFraction};
    largest = std::max(largest, exponent);
  }
  const uint32_t field = c >> 23 & 255, mantissa = c & 0x7fffff;
  if (nan || (field == 255 && mantissa))
    return 0x7fffffff;
  if (field == 255)
    return c;
  if (field || mantissa) {
    const int exponent = field ? int(field) - 127 : -126;
    const int64_t digits = field ? mantissa | 0x800000 : mantissa;
    terms[count++] = {c >> 31 ? -digits : digits, exponent, 23};
    largest = std::max(largest, exponent);
  }
  int64_t sum = 0;
  for (unsigned i = 0; i < count; ++i) {
    const GroupTerm &term = terms[i];
    const int right =
        largest - term.exponent - (rule.fractionBits - term.fraction);
    const int64_t magnitude =
        term.significand < 0 ? -term.significand : term.significand;
    const int64_t cut = right <= 0   ? magnitude << -right
                        : right < 63 ? magnitude >> right
                                     : 0;
    sum += term.significand < 0 ? -cut : cut;
  }
  return sum ? cutToFloat(sum, largest - rule.fractionBits) : 0;
}

namespace {
/// B as the kernels take it.
struct GroupedColumns {
  std::vector<int32_t> pairs, significand, exponent, special;

  GroupedColumns(const GroupedOperand &b, unsigned depth, unsigned groups,
                 unsigned columns, unsigned pitch)
      : pairs(size_t(depth / 2) * pitch), significand(size_t(groups) * pitch),
        exponent(size_t(groups) * pitch), special(pitch) {
    for (unsigned n = 0; n < columns; ++n) {
      for (unsigned i = 0; i < depth / 2; ++i)
        std::memcpy(&pairs[size_t(i) * pitch + n],
                    &b.doubled[size_t(n) * depth + 2 * i], 4);
      for (unsigned g = 0; g < groups; ++g) {
        const GroupScale &scale = b.scales[size_t(n) * groups + g];
        significand[size_t(g) * pitch + n] = scale.significand;
        exponent[size_t(g) * pitch + n] = scale.exponent;
        if (scale.nan)
          special[n] = -1;
      }
    }
  }
};
} // namespace

void groupedStep(const DotRule &rule, const GroupedOperand &a,
                 const GroupedOperand &b, int scaleFraction,
                 const std::vector<uint32_t *> &rows, bool accumulate,
                 const MmaKernels *chosen) {
  const MmaKernels &kernels = chosen ? *chosen : mmaKernels();
  const unsigned depth = rule.group, groups = depth / rule.scaledGroup;
  const auto columns = static_cast<unsigned>(b.doubled.size() / depth);
  const unsigned pitch = planePitch(columns);
  const GroupedColumns planes(b, depth, groups, columns, pitch);
  GroupedJob job;
  job.depth = depth;
  job.groups = groups;
  job.columns = columns;
  job.pitch = pitch;
  // A product of doubled values counts quarters.
  job.up = static_cast<unsigned>(rule.fractionBits - 2 - 2 * scaleFraction);
  job.upOfC = static_cast<unsigned>(rule.fractionBits - 23);
  job.fractionBits = rule.fractionBits;
  job.floorExponent = rule.floorExponent;
  job.accumulate = accumulate;
  job.pairs = planes.pairs.data();
  job.significand = planes.significand.data();
  job.exponent = planes.exponent.data();
  job.special = planes.special.data();
  std::vector<uint8_t> left(columns);
  for (size_t m = 0; m < rows.size(); ++m) {
    if (!rows[m])
      continue;
    const int16_t *values = &a.doubled[m * depth];
    const GroupScale *scales = &a.scales[m * groups];
    int32_t significand[GroupedJob::mostGroups];
    int32_t exponent[GroupedJob::mostGroups];
    bool nan = false;
    for (unsigned g = 0; g < groups; ++g) {
      significand[g] = scales[g].significand;
      exponent[g] = scales[g].exponent;
      nan |= scales[g].nan;
    }
    GroupedRow row = {values,  significand, exponent,
                      rows[m], false,       left.data()};
    if (!nan)
      kernels.grouped(job, row);
    for (unsigned n = 0; n < columns && (nan || row.anyLeft); ++n)
      if (nan || left[n])
        rows[m][n] =
            groupedDotAddDecoded(rule, values, &b.doubled[size_t(n) * depth],
                                 scales, &b.scales[size_t(n) * groups],
                                 scaleFraction, accumulate ? rows[m][n] : 0);
  }
}

} // namespace tc::emu
