//===- MmaKernels.h - Vector kernels of one MMA row -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One row of D against all columns of B. The kernels exist once per
// instruction set, chosen when the program starts; all compute the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_NUMERICS_MMAKERNELS_H
#define TC_EMULATOR_NUMERICS_MMAKERNELS_H

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace tc::emu {

struct KernelJob {
  unsigned k, columns, pitch;
  bool accumulate;
  int32_t floorExponent;
  /// The exact kernel: all products are multiples of 2^quantum.
  int quantum;
  /// Row of A, k long.
  const float *valueA, *factorA;
  const int32_t *exponentA;
  /// Planes of B, [k][pitch].
  const float *valueB, *factorB;
  const int32_t *exponentB;
  /// Per column: -1 if the column holds a NaN or an infinity.
  const int32_t *specialB;
  /// The accumulator cells.
  uint32_t *row;
  /// Set to nonzero per column that the kernel left alone.
  uint8_t *left;
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
  /// Per number: -1 if it is a NaN or an infinity.
  int32_t *special;
  /// Over the nonzero finite numbers; the first and last start as the largest
  /// and smallest integers.
  int32_t minExponent, maxExponent, minUlp;
};

using DecodeKernel = void (*)(DecodeJob &);
/// Returns whether it left any column.
using GeneralKernel = bool (*)(const KernelJob &);
/// Returns false, with the row untouched, where C makes a sum inexact.
using ExactKernel = bool (*)(const KernelJob &);

struct MmaKernels {
  std::string_view name;
  GeneralKernel narrow, wide, narrowHalf, wideHalf;
  ExactKernel exact;
  DecodeKernel decode;
};

/// The kernels of the best instruction set of this machine.
const MmaKernels &mmaKernels();

/// Every set that this machine can run, the best one first.
std::vector<const MmaKernels *> supportedMmaKernels();

} // namespace tc::emu

#endif // TC_EMULATOR_NUMERICS_MMAKERNELS_H
