//===- MmaBlock.cpp - A whole MMA step, blocked -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Choice of the path for one step. Every element that the vector kernels leave
// (special values, exponents outside the window in which f32 can carry the cut
// terms, sums near 2^31) is computed by the reference model.
//
//===----------------------------------------------------------------------===//

#include "Numerics/MmaBlock.h"

#include "Numerics/MmaKernels.h"

#include <algorithm>
#include <cmath>

namespace tc::emu {

static unsigned trailingZeros(uint32_t value) {
  return static_cast<unsigned>(__builtin_ctz(value));
}

void decodeOperand(OperandPlanes &planes, bool isB, NumberFormat format,
                   unsigned count, unsigned k, const uint32_t *bits,
                   const uint32_t *scaleBits) {
  const FormatInfo &info = formatInfo(format);
  planes.count = count;
  planes.k = k;
  planes.isB = isB;
  planes.format = format;
  planes.pitch = isB ? (count + 15) / 16 * 16 : k;
  size_t cells = isB ? size_t(planes.pitch) * k : size_t(count) * k;
  planes.bits.assign(bits, bits + size_t(count) * k);
  planes.value.resize(cells);
  planes.exponent.resize(cells);
  planes.significand.clear();
  planes.special.assign(isB ? planes.pitch : count, 0);
  planes.scaleExponent.clear();
  planes.allZero = true;
  planes.anySpecial = false;
  int32_t minExponent = 1 << 20, maxExponent = -(1 << 20), minUlp = 1 << 20;
  if (scaleBits)
    planes.scaleExponent.resize(count);

  // All formats but ue8m0 share one shape, so the fields come from shifts that
  // do not depend on the element.
  const unsigned storageShift = format == NumberFormat::TF32 ? 13 : 0;
  const unsigned mantissaBits = info.mantissaBits;
  const uint32_t mantissaMask = (1u << mantissaBits) - 1,
                 exponentMask = (1u << info.exponentBits) - 1;
  const unsigned signShift = mantissaBits + info.exponentBits;
  const int32_t bias = info.bias;
  for (unsigned i = 0; i < count; ++i) {
    int32_t scale = 0;
    if (scaleBits) {
      Unpacked s = unpack(NumberFormat::UE8M0, scaleBits[i]);
      scale = s.exponent;
      if (s.kind == NumberClass::NaN) {
        planes.special[i] = -1;
        planes.anySpecial = true;
        scale = 0;
      }
      planes.scaleExponent[i] = scale;
    }
    for (unsigned kk = 0; kk < k; ++kk) {
      uint32_t word = bits[size_t(i) * k + kk] >> storageShift;
      uint32_t mantissa = word & mantissaMask;
      uint32_t field = (word >> mantissaBits) & exponentMask;
      size_t at = isB ? size_t(kk) * planes.pitch + i : size_t(i) * k + kk;
      bool special =
          field == exponentMask &&
          (info.specials == Specials::Ieee ||
           (info.specials == Specials::NanOnly && mantissa == mantissaMask));
      uint32_t significand = field ? mantissa | (mantissaMask + 1) : mantissa;
      if (special || significand == 0) {
        planes.value[at] = 0;
        planes.exponent[at] = zeroExponent;
        if (special) {
          planes.special[i] = -1;
          planes.anySpecial = true;
        }
        continue;
      }
      int32_t exponent = static_cast<int32_t>(field ? field : 1) - bias;
      float value;
      if (field && mantissaBits < 23) {
        uint32_t pattern = static_cast<uint32_t>(exponent + 127) << 23 |
                           mantissa << (23 - mantissaBits);
        value = floatFromBits(pattern);
      } else {
        value = std::ldexp(static_cast<float>(significand),
                           exponent - static_cast<int>(mantissaBits));
      }
      planes.value[at] = (word >> signShift) & 1 ? -value : value;
      int32_t scaled = exponent + scale;
      planes.exponent[at] = scaled;
      planes.allZero = false;
      minExponent = std::min(minExponent, scaled);
      maxExponent = std::max(maxExponent, scaled);
      minUlp = std::min(minUlp,
                        scaled - static_cast<int32_t>(mantissaBits) +
                            static_cast<int32_t>(trailingZeros(significand)));
    }
  }
  if (isB) {
    for (unsigned kk = 0; kk < k; ++kk) {
      std::fill(planes.value.begin() + size_t(kk) * planes.pitch + count,
                planes.value.begin() + size_t(kk + 1) * planes.pitch, 0.0f);
      std::fill(planes.exponent.begin() + size_t(kk) * planes.pitch + count,
                planes.exponent.begin() + size_t(kk + 1) * planes.pitch,
                zeroExponent);
    }
  }
  planes.minExponent = planes.allZero ? 0 : minExponent;
  planes.maxExponent = planes.allZero ? 0 : maxExponent;
  planes.minUlp = planes.allZero ? 0 : minUlp;
}

static uint32_t referenceElement(const DotRule &rule, const OperandPlanes &a,
                                 const OperandPlanes &b, unsigned m, unsigned n,
                                 uint32_t c) {
  int scale = 0;
  bool nan = false;
  if (!a.scaleExponent.empty()) {
    scale = a.scaleExponent[m] + b.scaleExponent[n];
    // A NaN scale marks the row special; an element NaN is found again anyway.
    auto nanScale = [](const OperandPlanes &p, unsigned i) {
      if (!p.special[i])
        return false;
      for (unsigned kk = 0; kk < p.k; ++kk) {
        NumberClass kind = unpack(p.format, p.bits[size_t(i) * p.k + kk]).kind;
        if (kind == NumberClass::NaN || kind == NumberClass::Infinity)
          return false;
      }
      return true;
    };
    nan = nanScale(a, m) || nanScale(b, n);
  }
  return fusedDotAdd(rule, a.format, &a.bits[size_t(m) * a.k], b.format,
                     &b.bits[size_t(n) * b.k], c, scale, nan);
}

/// The wide kernel works on significands, so that products of any exponents
/// stay in range.
static void fillSignificands(OperandPlanes &planes) {
  if (!planes.significand.empty())
    return;
  planes.significand.resize(planes.value.size());
  for (size_t i = 0; i < planes.value.size(); ++i) {
    float value = planes.value[i];
    if (value == 0) {
      planes.significand[i] = 0;
      continue;
    }
    size_t index = planes.isB ? i % planes.pitch : i / planes.pitch;
    int scale = planes.scaleExponent.empty() ? 0 : planes.scaleExponent[index];
    planes.significand[i] = std::ldexp(value, -(planes.exponent[i] - scale));
  }
}

/// Whether plain f32 arithmetic is exact for every product and partial sum,
/// apart from C, which the kernel checks: all terms are multiples of 2^quantum
/// and their sum stays below 2^(quantum + 23).
static bool productsExact(const DotRule &rule, const OperandPlanes &a,
                          const OperandPlanes &b, int &quantum) {
  if (a.anySpecial || b.anySpecial || rule.accumulator != NumberFormat::F32 ||
      rule.scaledGroup || !a.scaleExponent.empty())
    return false;
  if (a.allZero || b.allZero) {
    quantum = 0;
    return true;
  }
  quantum = a.minUlp + b.minUlp;
  int sumLog2 = a.maxExponent + b.maxExponent + 2;
  for (unsigned k = 1; k < a.k; k *= 2)
    ++sumLog2;
  return sumLog2 <= quantum + 23 && quantum >= -100 && quantum <= 60;
}

static bool narrowRange(const OperandPlanes &p) {
  return p.scaleExponent.empty() &&
         (p.allZero || (p.minExponent >= -50 && p.maxExponent <= 50));
}

std::string_view mmaInstructionSet() { return mmaKernels().name; }

void mmaStep(const DotRule &rule, OperandPlanes &a, OperandPlanes &b,
             uint32_t *const *rows, bool accumulate, MmaPath path,
             const MmaKernels *chosen) {
  const unsigned columns = b.count;
  const MmaKernels &kernels = chosen ? *chosen : mmaKernels();
  KernelJob job;
  job.k = a.k;
  job.columns = columns;
  job.pitch = b.pitch;
  job.accumulate = accumulate;
  job.floorExponent = rule.floorExponent;
  job.exponentB = b.exponent.data();
  job.specialB = b.special.data();

  int quantum = 0;
  bool exact = path == MmaPath::Auto && productsExact(rule, a, b, quantum);
  bool wide = !narrowRange(a) || !narrowRange(b);
  bool half = rule.accumulator == NumberFormat::F16;
  bool vector = path != MmaPath::Reference && rule.scaledGroup == 0 &&
                rule.fractionBits == 25;
  if (vector && wide) {
    fillSignificands(a);
    fillSignificands(b);
  }
  job.valueB = b.value.data();
  job.factorB = wide ? b.significand.data() : b.value.data();
  job.quantum = quantum;
  const GeneralKernel general =
      half ? (wide ? kernels.wideHalf : kernels.narrowHalf)
           : (wide ? kernels.wide : kernels.narrow);

  std::vector<uint8_t> left(columns + 16);
  for (unsigned m = 0; m < a.count; ++m) {
    uint32_t *row = rows[m];
    if (!row)
      continue;
    job.row = row;
    job.valueA = a.value.data() + size_t(m) * a.pitch;
    if (exact && kernels.exact(job))
      continue;
    if (!vector || a.special[m]) {
      for (unsigned n = 0; n < columns; ++n)
        row[n] = referenceElement(rule, a, b, m, n, accumulate ? row[n] : 0);
      continue;
    }
    job.factorA =
        (wide ? a.significand.data() : a.value.data()) + size_t(m) * a.pitch;
    job.exponentA = a.exponent.data() + size_t(m) * a.pitch;
    job.left = left.data();
    // The kernel leaves the cells of elements it cannot do untouched.
    if (general(job))
      for (unsigned n = 0; n < columns; ++n)
        if (left[n])
          row[n] = referenceElement(rule, a, b, m, n, accumulate ? row[n] : 0);
  }
}

} // namespace tc::emu
