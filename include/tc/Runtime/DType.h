//===- DType.h - Element types of buffers -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The element types that launch files name, with conversions to and from
// double. Every conversion rounds once, to nearest even; that to ue8m0, which
// has no fraction, rounds ties up. The formats are those of IEEE 754, OCP FP8
// 1.0 and OCP MX 1.0. Elements narrower than a byte are densely packed, the
// lowest bits of a byte first (tensor map types 16U4 and 16U6 in global
// memory).
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DTYPE_H
#define TC_RUNTIME_DTYPE_H

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tc::runtime {

enum class DType : uint8_t {
  F64,
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
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64
};

/// Facts of one element type.
struct DTypeInfo {
  DType type;
  const char *name;      ///< as launch files spell it
  unsigned bits;         ///< size in memory
  bool isFloat;          ///< false: two's complement or unsigned integer
  bool isSigned;         ///< has a sign bit
  unsigned exponentBits; ///< floats only
  unsigned mantissaBits; ///< explicit fraction bits, floats only
  int bias;              ///< floats only
  bool hasInfinity;      ///< all-ones exponent encodes infinity and NaN
};

/// The facts of `type`.
const DTypeInfo &getInfo(DType type);

/// The type called `name`, nothing where there is none.
std::optional<DType> findDType(std::string_view name);

/// All names, separated by spaces, for diagnostics.
std::string listDTypes();

/// The value of an element's bits. Exact for every type but i64 and u64, which
/// round to double. tf32 ignores the 13 bits that the MMA ignores.
double decode(DType type, uint64_t bits);

/// The bits of the element nearest to `value`, ties to even (ue8m0: up). f64,
/// f32, tf32, f16 and bf16 overflow to infinity; the narrower floats saturate,
/// as the cvt instructions with .satfinite do (PTX ISA "Data Movement and
/// Conversion Instructions: cvt", 9.7.9.21), and take a NaN to their NaN or,
/// where the format has none, to the largest finite value. Integers round and
/// saturate, NaN becomes 0. Unsigned floats clamp negative values to their
/// smallest.
uint64_t encode(DType type, double value);

/// encode() for many values of one type.
class Encoder {
public:
  explicit Encoder(DType type);
  uint64_t operator()(double value) const;
  /// Writes them to elements `first`, `first` + `stride` and so on of a densely
  /// packed array.
  void write(const double *values, size_t count, uint8_t *data, size_t first,
             size_t stride) const;

private:
  uint64_t encodeFloat(double value) const;

  const DTypeInfo &info;
  int minExponent;
  uint64_t largest, tooLarge; ///< codes of floats
  unsigned shift;
};

/// The largest finite value.
double maxFinite(DType type);

/// Half the distance between the neighbours of `magnitude` in a float format:
/// the largest error that rounding a value of this size to nearest can make.
/// 0 for integers.
double halfUlp(DType type, double magnitude);

/// The smallest normal value of a float type, 0 of others.
double minNormal(DType type);

/// The least magnitude that `encode` takes to infinity; infinity itself where
/// the format saturates.
double overflowThreshold(DType type);

/// The bits of element `index` of a densely packed array, and back.
uint64_t readElement(const uint8_t *data, size_t index, unsigned bits);
void writeElement(uint8_t *data, size_t index, unsigned bits, uint64_t value);

} // namespace tc::runtime

#endif // TC_RUNTIME_DTYPE_H
