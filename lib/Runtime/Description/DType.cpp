//===- DType.cpp - Element types of buffers ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One table of formats and one conversion in each direction that is driven by
// it. Rounding scales the value so that one unit is one unit in the last place
// and rounds that to an integer: both steps are exact but for the one rounding.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/DType.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace tc;
using namespace tc::runtime;

static const DTypeInfo infos[] = {
    {DType::F64, "f64", 64, true, true, 11, 52, 1023, true},
    {DType::F32, "f32", 32, true, true, 8, 23, 127, true},
    {DType::TF32, "tf32", 32, true, true, 8, 10, 127, true},
    {DType::F16, "f16", 16, true, true, 5, 10, 15, true},
    {DType::BF16, "bf16", 16, true, true, 8, 7, 127, true},
    {DType::E5M2, "e5m2", 8, true, true, 5, 2, 15, true},
    {DType::E4M3, "e4m3", 8, true, true, 4, 3, 7, false},
    {DType::E3M2, "e3m2", 6, true, true, 3, 2, 3, false},
    {DType::E2M3, "e2m3", 6, true, true, 2, 3, 1, false},
    {DType::E2M1, "e2m1", 4, true, true, 2, 1, 1, false},
    {DType::UE8M0, "ue8m0", 8, true, false, 8, 0, 127, false},
    {DType::UE4M3, "ue4m3", 8, true, false, 4, 3, 7, false},
    {DType::I8, "i8", 8, false, true, 0, 0, 0, false},
    {DType::U8, "u8", 8, false, false, 0, 0, 0, false},
    {DType::I16, "i16", 16, false, true, 0, 0, 0, false},
    {DType::U16, "u16", 16, false, false, 0, 0, 0, false},
    {DType::I32, "i32", 32, false, true, 0, 0, 0, false},
    {DType::U32, "u32", 32, false, false, 0, 0, 0, false},
    {DType::I64, "i64", 64, false, true, 0, 0, 0, false},
    {DType::U64, "u64", 64, false, false, 0, 0, 0, false},
};

const DTypeInfo &runtime::getInfo(DType type) {
  return infos[static_cast<unsigned>(type)];
}

std::optional<DType> runtime::findDType(std::string_view name) {
  for (const DTypeInfo &info : infos)
    if (name == info.name)
      return info.type;
  return std::nullopt;
}

std::string runtime::listDTypes() {
  std::string names;
  for (const DTypeInfo &info : infos)
    names += (names.empty() ? "" : " ") + std::string(info.name);
  return names;
}

/// Bits of a float below the ones that count: tf32 is kept in 32-bit cells.
static unsigned unusedLowBits(const DTypeInfo &info) {
  return info.type == DType::TF32 ? 13 : 0;
}

/// e4m3 and ue4m3 spend only the all-ones code on NaN (OCP FP8 1.0, 5.2).
static bool hasSingleNaN(DType type) {
  return type == DType::E4M3 || type == DType::UE4M3;
}

static double decodeFloat(const DTypeInfo &info, uint64_t bits) {
  if (info.type == DType::UE8M0)
    return bits == 0xff ? std::numeric_limits<double>::quiet_NaN()
                        : std::ldexp(1.0, static_cast<int>(bits) - info.bias);
  bits >>= unusedLowBits(info);
  const uint64_t mantissaMask = (uint64_t(1) << info.mantissaBits) - 1;
  const uint64_t exponentMask = (uint64_t(1) << info.exponentBits) - 1;
  uint64_t mantissa = bits & mantissaMask;
  uint64_t exponent = (bits >> info.mantissaBits) & exponentMask;
  bool negative =
      info.isSigned && (bits >> (info.mantissaBits + info.exponentBits) & 1);
  double magnitude;
  if (exponent == exponentMask &&
      (info.hasInfinity ||
       (hasSingleNaN(info.type) && mantissa == mantissaMask))) {
    magnitude = info.hasInfinity && mantissa == 0
                    ? std::numeric_limits<double>::infinity()
                    : std::numeric_limits<double>::quiet_NaN();
  } else if (exponent == 0) {
    magnitude = std::ldexp(static_cast<double>(mantissa),
                           1 - info.bias - static_cast<int>(info.mantissaBits));
  } else {
    magnitude = std::ldexp(static_cast<double>(mantissa + mantissaMask + 1),
                           static_cast<int>(exponent) - info.bias -
                               static_cast<int>(info.mantissaBits));
  }
  return negative ? -magnitude : magnitude;
}

static int64_t signExtend(uint64_t bits, unsigned width) {
  unsigned shift = 64 - width;
  return static_cast<int64_t>(bits << shift) >> shift;
}

double runtime::decode(DType type, uint64_t bits) {
  const DTypeInfo &info = getInfo(type);
  if (type == DType::F64) {
    double value;
    std::memcpy(&value, &bits, sizeof(value));
    return value;
  }
  if (info.isFloat)
    return decodeFloat(info, bits);
  if (info.isSigned)
    return static_cast<double>(signExtend(bits, info.bits));
  return static_cast<double>(bits);
}

static uint64_t encodeInteger(const DTypeInfo &info, double value) {
  if (std::isnan(value))
    return 0;
  value = std::nearbyint(value);
  uint64_t mask =
      info.bits == 64 ? ~uint64_t(0) : (uint64_t(1) << info.bits) - 1;
  if (!info.isSigned) {
    if (value <= 0)
      return 0;
    return value >= std::ldexp(1.0, info.bits) ? mask
                                               : static_cast<uint64_t>(value);
  }
  double limit = std::ldexp(1.0, info.bits - 1);
  if (value >= limit)
    return mask >> 1;
  if (value < -limit)
    return (mask >> 1) + 1;
  return static_cast<uint64_t>(static_cast<int64_t>(value)) & mask;
}

/// The largest code of a finite value, without sign.
static uint64_t maxFiniteCode(const DTypeInfo &info) {
  uint64_t all = (uint64_t(1) << (info.exponentBits + info.mantissaBits)) - 1;
  if (info.hasInfinity)
    return all - (uint64_t(1) << info.mantissaBits);
  return hasSingleNaN(info.type) || info.type == DType::UE8M0 ? all - 1 : all;
}

/// The least exponent of a normal value.
static int minExponent(const DTypeInfo &info) { return 1 - info.bias; }

/// The exponent of the unit in the last place of `magnitude`.
static int ulpExponent(const DTypeInfo &info, double magnitude) {
  int exponent = magnitude > 0 ? std::ilogb(magnitude) : minExponent(info);
  if (exponent < minExponent(info))
    exponent = minExponent(info);
  return exponent - static_cast<int>(info.mantissaBits);
}

static uint64_t nanCode(const DTypeInfo &info) {
  uint64_t all = (uint64_t(1) << (info.exponentBits + info.mantissaBits)) - 1;
  if (info.hasInfinity)
    // The canonical NaN of the conversions is the all-ones one.
    return all;
  return hasSingleNaN(info.type) || info.type == DType::UE8M0
             ? all
             : maxFiniteCode(info);
}

static uint64_t encodePowerOfTwo(const DTypeInfo &info, double value) {
  if (std::isnan(value))
    return nanCode(info);
  if (!(value > 0))
    return 0;
  if (std::isinf(value))
    return maxFiniteCode(info);
  int exponent = std::ilogb(value);
  double low = std::ldexp(1.0, exponent);
  // Nearest in value; a tie (1.5) goes up, as in ml_dtypes.
  bool up = value >= low * 1.5;
  int code = exponent + info.bias + (up ? 1 : 0);
  if (code < 0)
    return 0;
  return code > 254 ? 254 : static_cast<uint64_t>(code);
}

Encoder::Encoder(DType type)
    : info(getInfo(type)), minExponent(::minExponent(info)),
      largest(maxFiniteCode(info)),
      // Narrow floats saturate (hasInfinity of e5m2 notwithstanding).
      tooLarge(info.hasInfinity && info.bits > 8 ? largest + 1 : largest),
      shift(unusedLowBits(info)) {}

/// Floats other than f64 and ue8m0. Rounds to nearest even on the bits, as
/// buffers have millions of elements.
inline uint64_t Encoder::encodeFloat(double value) const {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const int field = static_cast<int>(bits >> 52 & 2047);
  const bool isNegative = bits >> 63;
  if (field == 2047 && bits << 12)
    return nanCode(info) << shift;
  if (isNegative && !info.isSigned)
    return 0;
  const uint64_t sign = uint64_t(isNegative)
                        << (info.exponentBits + info.mantissaBits);
  if (field == 2047)
    return (sign | tooLarge) << shift;
  // The magnitude is significand * 2^(exponent - 52).
  const uint64_t significand =
      (bits & ((uint64_t(1) << 52) - 1)) | uint64_t(field != 0) << 52;
  const int exponent = std::max(field, 1) - 1023;
  const int ofBinade = std::max(exponent, minExponent);
  const int dropped =
      52 - static_cast<int>(info.mantissaBits) + ofBinade - exponent;
  // At most 2^(mantissaBits + 1). Adding it to the code of the binade below
  // lets a carry run into the exponent.
  uint64_t units = 0;
  if (dropped < 54) {
    const uint64_t half = uint64_t(1) << (dropped - 1);
    units = (significand + half - 1 + (significand >> dropped & 1)) >> dropped;
  }
  const auto binade = static_cast<uint64_t>(ofBinade - minExponent);
  const uint64_t code = (binade << info.mantissaBits) + units;
  return (sign | (code > largest ? tooLarge : code)) << shift;
}

uint64_t Encoder::operator()(double value) const {
  if (info.type == DType::F64) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  if (!info.isFloat)
    return encodeInteger(info, value);
  if (info.type == DType::UE8M0)
    return encodePowerOfTwo(info, value);
  return encodeFloat(value);
}

/// Where the values are exact in f32, its bits say the rest, without a branch
/// per element.
static bool writeThroughFloat(DType type, const double *values, size_t count,
                              uint8_t *data) {
  bool isExact = true;
  for (size_t i = 0; i < count; ++i)
    isExact &= static_cast<double>(static_cast<float>(values[i])) == values[i];
  if (!isExact)
    return false;
  for (size_t i = 0; i < count; ++i) {
    const auto value = static_cast<float>(values[i]);
    uint32_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    if (type == DType::F32) {
      std::memcpy(data + 4 * i, &bits, sizeof(bits));
      continue;
    }
    const auto code =
        static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
    std::memcpy(data + 2 * i, &code, sizeof(code));
  }
  return true;
}

void Encoder::write(const double *values, size_t count, uint8_t *data,
                    size_t first, size_t stride) const {
  if ((info.type == DType::F32 || info.type == DType::BF16) && stride == 1 &&
      writeThroughFloat(info.type, values, count,
                        data + first * (info.bits / 8)))
    return;
  const bool isPlain =
      info.isFloat && info.type != DType::F64 && info.type != DType::UE8M0;
  if (isPlain && info.bits == 16)
    for (size_t i = 0; i < count; ++i)
      writeElement(data, first + i * stride, 16, encodeFloat(values[i]));
  else if (isPlain && info.bits == 32)
    for (size_t i = 0; i < count; ++i)
      writeElement(data, first + i * stride, 32, encodeFloat(values[i]));
  else
    for (size_t i = 0; i < count; ++i)
      writeElement(data, first + i * stride, info.bits, (*this)(values[i]));
}

uint64_t runtime::encode(DType type, double value) {
  return Encoder(type)(value);
}

double runtime::maxFinite(DType type) {
  const DTypeInfo &info = getInfo(type);
  if (type == DType::F64)
    return std::numeric_limits<double>::max();
  if (info.isFloat)
    return decodeFloat(info, maxFiniteCode(info) << unusedLowBits(info));
  return std::ldexp(1.0, info.bits - (info.isSigned ? 1 : 0)) - 1;
}

double runtime::halfUlp(DType type, double magnitude) {
  const DTypeInfo &info = getInfo(type);
  if (!info.isFloat)
    return 0;
  if (type == DType::UE8M0)
    return magnitude / 2;
  double limit = maxFinite(type);
  return std::ldexp(0.5,
                    ulpExponent(info, magnitude < limit ? magnitude : limit));
}

double runtime::minNormal(DType type) {
  const DTypeInfo &info = getInfo(type);
  return info.isFloat ? std::ldexp(1.0, minExponent(info)) : 0;
}

double runtime::overflowThreshold(DType type) {
  const DTypeInfo &info = getInfo(type);
  if (!info.hasInfinity || info.bits <= 8 || type == DType::F64)
    return std::numeric_limits<double>::infinity();
  double limit = maxFinite(type);
  return limit + halfUlp(type, limit);
}

uint64_t runtime::readElement(const uint8_t *data, size_t index,
                              unsigned bits) {
  if (bits >= 8) {
    uint64_t value = 0;
    // Little-endian host: launch files are raw little-endian as well.
    std::memcpy(&value, data + index * (bits / 8), bits / 8);
    return value;
  }
  size_t bit = index * bits;
  unsigned value = data[bit / 8] >> (bit % 8);
  if (bit % 8 + bits > 8)
    value |= static_cast<unsigned>(data[bit / 8 + 1]) << (8 - bit % 8);
  return value & ((1u << bits) - 1);
}

void runtime::writeElement(uint8_t *data, size_t index, unsigned bits,
                           uint64_t value) {
  if (bits >= 8) {
    std::memcpy(data + index * (bits / 8), &value, bits / 8);
    return;
  }
  size_t bit = index * bits;
  unsigned mask = ((1u << bits) - 1) << (bit % 8);
  unsigned shifted = static_cast<unsigned>(value) << (bit % 8) & mask;
  data[bit / 8] = static_cast<uint8_t>((data[bit / 8] & ~mask) | shifted);
  if (bit % 8 + bits > 8)
    data[bit / 8 + 1] =
        static_cast<uint8_t>((data[bit / 8 + 1] & ~(mask >> 8)) | shifted >> 8);
}
