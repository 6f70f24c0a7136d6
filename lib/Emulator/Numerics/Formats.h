//===- Formats.h - Number formats of the tensor core ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The floating-point formats that PTX names (OCP FP8 1.0, OCP MX 1.0, IEEE
// binary16 and binary32, bfloat16, tf32) as rows of one table: exact decoding
// to binary32 or to (exponent, significand), and correctly rounded encoding.
// Bits are passed in the low end of a uint32_t.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_NUMERICS_FORMATS_H
#define TC_EMULATOR_NUMERICS_FORMATS_H

#include <cstdint>
#include <cstring>
#include <string_view>

namespace tc::emu {

enum class NumberFormat : uint8_t {
  F32,
  TF32,
  F16,
  BF16,
  E5M2,
  E4M3,
  E3M2,
  E2M3,
  E2M1,
  UE8M0,
  UE4M3,
  UE5M3,
};

/// What the patterns with the largest exponent field mean.
enum class Specials : uint8_t {
  /// Infinity for a zero mantissa, NaN otherwise.
  Ieee,
  /// Only the pattern with all exponent and mantissa bits set is NaN.
  NanOnly,
  /// Every pattern is a finite number.
  None,
};

/// One row of the format table.
struct FormatInfo {
  std::string_view name;
  /// Bits of storage that carry the number (tf32: 32, of which the low 13 are
  /// ignored by the tensor core).
  uint8_t bits;
  uint8_t exponentBits;
  uint8_t mantissaBits;
  int16_t bias;
  bool isSigned;
  Specials specials;
};

/// The row of `format`. Never fails.
const FormatInfo &formatInfo(NumberFormat format);

enum class NumberClass : uint8_t { Zero, Finite, Infinity, NaN };

/// A decoded number: value = (-1)^negative * significand * 2^(exponent - p),
/// p being the mantissa bits of the format. Subnormals are not normalised:
/// they keep the smallest exponent of the format.
struct Unpacked {
  NumberClass kind;
  bool negative;
  int32_t exponent;
  uint32_t significand;
};

/// Splits `bits` into sign, exponent and significand.
Unpacked unpack(NumberFormat format, uint32_t bits);

/// The exact value of `bits`; every format fits into binary32 (2^-127 of ue8m0
/// as a subnormal). NaN patterns give a quiet NaN.
float decodeFloat(NumberFormat format, uint32_t bits);

enum class RoundingMode : uint8_t {
  NearestEven,
  /// Ties away from zero (`cvt.rna.tf32`).
  NearestAway,
  TowardZero,
  Up,
  Down,
};

/// Rounds `value` to `format`, subnormals kept. An overflow gives infinity
/// (or the largest finite number where the rounding direction says so), with
/// `satfinite` the largest finite number for infinities too. NaN gives the
/// canonical NaN of PTX ("Data Movement and Conversion Instructions: cvt",
/// 9.7.9.21): 0x7fffffff for f32, 0x7fff for f16 and bf16, 0x7f for the 8-bit
/// formats, 0xff for ue8m0; formats without NaN give their largest positive
/// number. ue8m0 and ue4m3 take the magnitude of a finite number.
uint32_t encodeNumber(NumberFormat format, double value, RoundingMode rounding,
                      bool satfinite);

inline float floatFromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

inline uint32_t bitsFromFloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

} // namespace tc::emu

#endif // TC_EMULATOR_NUMERICS_FORMATS_H
