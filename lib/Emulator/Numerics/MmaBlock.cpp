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

/// `columns` x `rows` words of `in`, rows fastest, to rows of `pitch` words.
static void transpose(const uint32_t *in, unsigned columns, unsigned rows,
                      uint32_t *out, unsigned pitch) {
  for (unsigned c0 = 0; c0 < columns; c0 += 16)
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned c = c0; c < std::min(c0 + 16, columns); ++c)
        out[size_t(r) * pitch + c] = in[size_t(c) * rows + r];
}

/// Adds the ue8m0 scales of each row (column) to the exponents.
static void applyScales(OperandPlanes &planes, const uint32_t *scaleBits) {
  planes.scaleExponent.resize(planes.count);
  int32_t minExponent = INT32_MAX, maxExponent = INT32_MIN, minUlp = INT32_MAX;
  for (unsigned i = 0; i < planes.count; ++i) {
    Unpacked scale = unpack(NumberFormat::UE8M0, scaleBits[i]);
    bool nan = scale.kind == NumberClass::NaN;
    if (nan) {
      planes.special[i] = -1;
      planes.anySpecial = true;
    }
    int32_t exponent = nan ? 0 : scale.exponent;
    planes.scaleExponent[i] = exponent;
    minExponent = std::min(minExponent, planes.minExponent + exponent);
    maxExponent = std::max(maxExponent, planes.maxExponent + exponent);
    minUlp = std::min(minUlp, planes.minUlp + exponent);
    for (unsigned kk = 0; kk < planes.k; ++kk) {
      size_t at = planes.isB ? size_t(kk) * planes.pitch + i
                             : size_t(i) * planes.k + kk;
      if (planes.exponent[at] != zeroExponent)
        planes.exponent[at] += exponent;
    }
  }
  planes.minExponent = minExponent;
  planes.maxExponent = maxExponent;
  planes.minUlp = minUlp;
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
  planes.scaleExponent.clear();

  std::vector<uint32_t> transposed;
  if (isB) {
    transposed.resize(cells);
    transpose(bits, count, k, transposed.data(), planes.pitch);
  }
  std::vector<int32_t> special(cells);
  DecodeJob job;
  job.storageShift = format == NumberFormat::TF32 ? 13 : 0;
  job.mantissaBits = info.mantissaBits;
  job.exponentBits = info.exponentBits;
  job.bias = info.bias;
  job.specials = info.specials == Specials::Ieee      ? 1
                 : info.specials == Specials::NanOnly ? 2
                                                      : 0;
  job.words = isB ? transposed.data() : bits;
  job.count = cells;
  job.value = planes.value.data();
  job.exponent = planes.exponent.data();
  job.special = special.data();
  job.minExponent = job.minUlp = INT32_MAX;
  job.maxExponent = INT32_MIN;
  mmaKernels().decode(job);

  planes.special.assign(isB ? planes.pitch : count, 0);
  int32_t any = 0;
  if (isB) {
    for (unsigned kk = 0; kk < k; ++kk)
      for (unsigned i = 0; i < planes.pitch; ++i)
        planes.special[i] |= special[size_t(kk) * planes.pitch + i];
  } else {
    for (unsigned i = 0; i < count; ++i)
      for (unsigned kk = 0; kk < k; ++kk)
        planes.special[i] |= special[size_t(i) * k + kk];
  }
  for (int32_t s : planes.special)
    any |= s;
  planes.anySpecial = any != 0;
  planes.allZero = job.maxExponent == INT32_MIN;
  planes.minExponent = planes.allZero ? 0 : job.minExponent;
  planes.maxExponent = planes.allZero ? 0 : job.maxExponent;
  planes.minUlp = planes.allZero ? 0 : job.minUlp;
  if (scaleBits)
    applyScales(planes, scaleBits);
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
  // The general kernels take eight products at a time.
  bool vector = path != MmaPath::Reference && rule.scaledGroup == 0 &&
                rule.fractionBits == 25 && a.k % 8 == 0;
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
