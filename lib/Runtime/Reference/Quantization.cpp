//===- Quantization.cpp - Quantised outputs as intervals --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formulas of docs/KernelDescription.md, "scale_d". All of them are
// monotone: the ends of an interval become its ends.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Reference/Quantization.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace tc;
using namespace tc::runtime;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();

void Amax::raise(const Interval &element) {
  double least = std::min(std::fabs(element.low), std::fabs(element.high));
  if (element.low <= 0 && element.high >= 0)
    least = 0;
  raise(Amax{least, std::fabs(element.value),
             std::max(std::fabs(element.low), std::fabs(element.high)),
             element.mayBeNan});
}

void Amax::raise(const Amax &other) {
  // NaN is larger than everything; ends that are NaN are those of no interval.
  auto larger = [](double a, double b) {
    return std::isnan(a) || std::isnan(b)
               ? std::numeric_limits<double>::quiet_NaN()
               : std::max(a, b);
  };
  low = larger(low, other.low);
  value = larger(value, other.value);
  high = larger(high, other.high);
  mayBeNan |= other.mayBeNan;
}

bool runtime::isQuantized(DType type) {
  return getInfo(type).isFloat && getInfo(type).bits <= 8;
}

/// `value` in `type`, to nearest even; infinity where `type` has one and is not
/// quantised.
static double convert(DType type, double value) {
  if (isQuantized(type) && !std::isnan(value))
    value = std::clamp(value, -maxFinite(type), maxFinite(type));
  return decode(type, encode(type, value));
}

Interval runtime::quantize(DType type, const Interval &value, double factor) {
  // Products with a reciprocal round twice in f32; powers of two do not.
  int exponent;
  const bool isPower = std::frexp(factor, &exponent) == 0.5;
  const double off = isPower ? 0 : std::ldexp(1.0, -22);
  auto scaled = [&](double end, double by) {
    if (factor == 0)
      return 0.0;
    const double ratio = end / factor;
    return std::isfinite(ratio) ? ratio + std::fabs(ratio) * by : ratio;
  };
  auto converted = [&](double end) {
    return type == DType::F32 ? end : convert(type, end);
  };
  return {converted(scaled(value.low, -off)), converted(scaled(value.value, 0)),
          converted(scaled(value.high, off)), value.mayBeNan};
}

/// 2 to the exponent of `largest` less that of the largest number of `type`.
static double powerFor(DType type, double largest) {
  if (!std::isfinite(largest))
    return std::numeric_limits<double>::quiet_NaN();
  constexpr int least = -127;
  if (largest == 0)
    return std::ldexp(1.0, least);
  return std::ldexp(
      1.0, std::max(std::ilogb(largest) - std::ilogb(maxFinite(type)), least));
}

Interval runtime::quantizeFactor(DType type, DType scale, const Amax &largest) {
  if (scale == DType::UE8M0) {
    Interval result = {powerFor(type, largest.low),
                       powerFor(type, largest.value),
                       powerFor(type, largest.high), largest.mayBeNan};
    // Of infinity it is NaN, of numbers next to it a number.
    if (!std::isnan(result.low) && std::isnan(result.high)) {
      result.high = powerFor(type, maxFinite(DType::F32));
      result.mayBeNan = true;
    }
    return result;
  }
  auto ratio = [&](double end, double by) {
    return convert(scale, std::min(end / 6 * (1 + by), maxFinite(scale)));
  };
  if (largest.get().isNan())
    return Interval::of(largest.value);
  const double off = std::ldexp(1.0, -22);
  return {ratio(largest.low, -off), ratio(largest.value, 0),
          largest.high == kInfinity ? maxFinite(scale)
                                    : ratio(largest.high, off),
          largest.mayBeNan};
}

double runtime::readFactor(const Slice &scales, int64_t row, int64_t block) {
  const std::vector<int64_t> &strides = scales.view->layout->strides;
  const int64_t *own = strides.data() + strides.size() - scalesRank;
  const int64_t in = row % scaleRows;
  return readElementAt(scales, row / scaleRows * own[0] +
                                   block / scaleColumns * own[1] +
                                   in % 32 * own[2] + in / 32 * own[3] +
                                   block % scaleColumns * own[4]);
}
