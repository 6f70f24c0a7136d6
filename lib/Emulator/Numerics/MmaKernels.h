//===- MmaKernels.h - Vector kernels of one MMA row -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of D against all columns of B. The kernels exist once per instruction
// set, chosen when the program starts; all compute the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_NUMERICS_MMAKERNELS_H
#define TC_EMULATOR_NUMERICS_MMAKERNELS_H

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tc::emu {

/// A drop (MmaRows.inc) of this or more is not told apart from that of a zero.
constexpr int32_t farDrop = 127;
/// Drops up to this, and sums of the tops of a row and a column within these
/// limits, are the usual case: the scales of all terms are normal numbers.
constexpr int32_t usualDrop = 40, usualLowestTop = -60, usualHighestTop = 100;

/// Products of a step for which there are chains (MmaChains.inc), each a
/// constant of general().
constexpr bool isChainDepth(unsigned k) { return k == 8 || k == 16 || k == 32; }

/// A row of A, k long, as it is and aligned, and what becomes of it.
struct KernelRow {
  /// Which one, for the caller.
  unsigned row;
  const float *value, *normal;
  /// For chains (MmaChains.inc), null without: as it is, in f64, and the signs.
  const double *chain = nullptr;
  uint32_t signs = 0;
  const uint8_t *drop;
  int32_t top;
  /// All columns are finite, and their tops with that of the row are usual.
  bool isUsual;
  /// The accumulator.
  uint32_t *cells;
  /// Whether the kernel left a column alone; then 1 for each that it did, or
  /// `again`.
  bool anyLeft = false, anyAgain = false;
  static constexpr uint8_t again = 2;
  uint8_t *left;
};

struct KernelJob {
  unsigned k, columns, pitch, dropPitch;
  bool accumulate;
  int32_t floorExponent;
  /// The exact kernel: all products are multiples of 2^quantum.
  int quantum;
  /// Where the smallest sum of drops is far, all products are zero.
  bool farIsZero;
  /// Planes of B, [k][pitch], as they are and aligned, [k][dropPitch].
  const float *value, *normal;
  const uint8_t *drop;
  /// For chains, null without: [k][pitch], and the signs of each column.
  const double *chain = nullptr;
  const uint32_t *signs = nullptr;
  const int32_t *top;
  /// Per column: -1 if the column holds a NaN or an infinity.
  const int32_t *special;
};

/// Rows of A or columns of B relative to their largest exponents.
struct AlignJob {
  bool isB;
  unsigned count, k, pitch, dropPitch;
  const float *value;
  const int32_t *exponent;
  int32_t *top;
  float *normal;
  uint8_t *drop;
  /// Not null: in place of `normal`, for chains.
  double *chain = nullptr;
  uint32_t *signs = nullptr;
  /// The largest drop of a number other than zero.
  int32_t spread;
};

/// Fields of a format, for decoding many numbers at once.
struct DecodeJob {
  unsigned storageShift, mantissaBits, exponentBits;
  int32_t bias;
  /// Patterns with the largest exponent field: 0 numbers, 1 special, 2 special
  /// if the mantissa is all ones too.
  unsigned specials;
  const uint32_t *words;
  size_t count;
  float *value;
  int32_t *exponent;
  bool anySpecial;
  /// Over the nonzero finite numbers; they start as the largest and the
  /// smallest integer.
  int32_t minExponent, maxExponent;
};

/// A step of the 4-bit kinds (GroupedDot.h): a row of A, `depth` numbers in
/// groups, and what becomes of it.
struct GroupedRow {
  const int16_t *values;
  const int32_t *significand, *exponent; ///< of the scales
  uint32_t *cells;
  bool anyLeft = false;
  uint8_t *left; ///< as in KernelRow
};

struct GroupedJob {
  static constexpr unsigned mostGroups = 4;
  unsigned depth, groups, columns, pitch;
  /// How far the magnitudes of the terms, and the digits of C, are shifted to
  /// the left before those of smaller exponents are shifted back.
  unsigned up, upOfC;
  int32_t fractionBits, floorExponent;
  bool accumulate;
  /// B: two numbers of a column side by side, [depth / 2][pitch].
  const int32_t *pairs;
  /// Its scales, [groups][pitch].
  const int32_t *significand, *exponent;
  /// Per column: -1 if a scale is NaN.
  const int32_t *special;
};

using AlignKernel = void (*)(AlignJob &);
using DecodeKernel = void (*)(DecodeJob &);
/// Of zeros only, the largest integer.
using UlpKernel = int32_t (*)(const float *, size_t);
/// Any number of rows.
using GeneralKernel = void (*)(const KernelJob &, KernelRow *, size_t);
using AgainKernel = void (*)(const KernelJob &, KernelRow &);
/// Returns false, with the row untouched, where C makes a sum inexact.
using ExactKernel = bool (*)(const KernelJob &, const KernelRow &);

/// Leaves columns alone like the general kernel.
using GroupedKernel = void (*)(const GroupedJob &, GroupedRow &);

struct MmaKernels {
  std::string_view name;
  /// Whether the general kernel wants planes for chains.
  bool hasChains;
  /// With C and D in f32.
  GeneralKernel general;
  /// What that has left of a row for want of aligned planes.
  AgainKernel again;
  /// With C and D in f16.
  GeneralKernel generalHalf;
  ExactKernel exact;
  AlignKernel align;
  DecodeKernel decode;
  UlpKernel leastUlp;
  GroupedKernel grouped;
};

/// The kernels of the best instruction set of this machine.
const MmaKernels &mmaKernels();

/// Every set that this machine can run, the best one first.
std::vector<const MmaKernels *> supportedMmaKernels();

} // namespace tc::emu

#endif // TC_EMULATOR_NUMERICS_MMAKERNELS_H
