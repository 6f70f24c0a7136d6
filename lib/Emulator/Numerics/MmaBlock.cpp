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
#include <memory>

namespace tc::emu {

/// Drops of B are read up to 64 columns at a time.
static unsigned dropPitch(const OperandPlanes &planes) {
  return planes.isB ? (planes.pitch + 63) / 64 * 64 : planes.pitch;
}

/// `columns` x `rows` words of `in`, rows fastest, to rows of `pitch` words,
/// the rest of which are zeros.
static void transpose(const uint32_t *in, unsigned columns, unsigned rows,
                      uint32_t *out, unsigned pitch) {
  for (unsigned c0 = 0; c0 < columns; c0 += 16)
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned c = c0; c < std::min(c0 + 16, columns); ++c)
        out[size_t(r) * pitch + c] = in[size_t(c) * rows + r];
  for (unsigned r = 0; r < rows; ++r)
    std::fill(out + size_t(r) * pitch + columns, out + size_t(r + 1) * pitch,
              0);
}

/// Decodes the ue8m0 scales of each row (column).
static void decodeScales(OperandPlanes &planes, const uint32_t *scaleBits) {
  planes.scaleExponent.resize(planes.count);
  planes.isScaleNaN.resize(planes.count);
  for (unsigned i = 0; i < planes.count; ++i) {
    Unpacked scale = unpack(NumberFormat::UE8M0, scaleBits[i]);
    bool nan = scale.kind == NumberClass::NaN;
    if (nan) {
      planes.special[i] = -1;
      planes.anySpecial = true;
    }
    planes.scaleExponent[i] = nan ? 0 : scale.exponent;
    planes.isScaleNaN[i] = nan;
  }
}

/// -1 for each row (column) with a NaN or an infinity.
static void findSpecials(OperandPlanes &planes) {
  for (size_t i = 0; i < planes.exponent.size(); ++i)
    if (planes.exponent[i] == specialExponent)
      planes.special[planes.isB ? i % planes.pitch : i / planes.pitch] = -1;
}

void decodeOperand(OperandPlanes &planes, bool isB, NumberFormat format,
                   unsigned count, unsigned k, const uint32_t *bits,
                   const uint32_t *scaleBits, bool isTransposed) {
  const FormatInfo &info = formatInfo(format);
  planes.count = count;
  planes.k = k;
  planes.isB = isB;
  planes.format = format;
  planes.pitch = isB ? planePitch(count) : k;
  const size_t cells = size_t(isB ? k : count) * planes.pitch;
  planes.bits = bits;
  planes.perIndex = isTransposed ? 1 : k;
  planes.perK = isTransposed ? planes.pitch : 1;
  planes.value.resize(cells);
  planes.exponent.resize(cells);
  planes.isAligned = planes.hasChains = false;
  planes.scaleExponent.clear();

  DecodeJob job;
  job.words = bits;
  if (isB && !isTransposed) {
    planes.transposed.resize(cells);
    transpose(bits, count, k, planes.transposed.data(), planes.pitch);
    job.words = planes.transposed.data();
  }
  job.storageShift = format == NumberFormat::TF32 ? 13 : 0;
  job.mantissaBits = info.mantissaBits;
  job.exponentBits = info.exponentBits;
  job.bias = info.bias;
  job.specials = info.specials == Specials::Ieee      ? 1
                 : info.specials == Specials::NanOnly ? 2
                                                      : 0;
  job.count = cells;
  job.value = planes.value.data();
  job.exponent = planes.exponent.data();
  job.minExponent = INT32_MAX;
  job.maxExponent = INT32_MIN;
  mmaKernels().decode(job);

  planes.special.assign(isB ? planes.pitch : count, 0);
  planes.anySpecial = job.anySpecial;
  if (job.anySpecial)
    findSpecials(planes);
  planes.allZero = job.maxExponent == INT32_MIN;
  planes.minExponent = planes.allZero ? 0 : job.minExponent;
  planes.maxExponent = planes.allZero ? 0 : job.maxExponent;
  planes.hasMinUlp = false;
  if (scaleBits)
    decodeScales(planes, scaleBits);
}

static uint32_t bitsAt(const OperandPlanes &planes, unsigned index,
                       unsigned k) {
  return planes.bits[index * planes.perIndex + k * planes.perK];
}

static uint32_t referenceElement(const DotRule &rule, const OperandPlanes &a,
                                 const OperandPlanes &b, unsigned m, unsigned n,
                                 uint32_t c) {
  int scale = 0;
  bool nan = false;
  if (!a.scaleExponent.empty()) {
    scale = a.scaleExponent[m] + b.scaleExponent[n];
    nan = a.isScaleNaN[m] || b.isScaleNaN[n];
  }
  std::vector<uint32_t> ofA(a.k), ofB(a.k);
  for (unsigned kk = 0; kk < a.k; ++kk) {
    ofA[kk] = bitsAt(a, m, kk);
    ofB[kk] = bitsAt(b, n, kk);
  }
  return fusedDotAdd(rule, a.format, ofA.data(), b.format, ofB.data(), c, scale,
                     nan);
}

/// The scales of the rows (columns) for chains, which have the exponents of
/// f64.
static void scaleChains(OperandPlanes &planes) {
  for (size_t i = 0; i < planes.scaleExponent.size(); ++i) {
    const double scale = std::ldexp(1.0, planes.scaleExponent[i]);
    for (size_t k = 0; k < planes.k; ++k)
      planes.chain[planes.isB ? k * planes.pitch + i : i * planes.pitch + k] *=
          scale;
  }
}

static void alignOperand(OperandPlanes &planes, const MmaKernels &kernels,
                         bool forChains) {
  bool &isAligned = forChains ? planes.hasChains : planes.isAligned;
  if (isAligned)
    return;
  isAligned = true;
  AlignJob job;
  job.isB = planes.isB;
  job.count = planes.count;
  job.k = planes.k;
  job.pitch = planes.pitch;
  job.dropPitch = dropPitch(planes);
  planes.top.resize(planes.isB ? planes.pitch : planes.count);
  planes.drop.resize(size_t(planes.isB ? planes.k : planes.count) *
                     job.dropPitch);
  job.value = planes.value.data();
  job.exponent = planes.exponent.data();
  job.top = planes.top.data();
  job.drop = planes.drop.data();
  if (forChains) {
    planes.chain.resize(planes.value.size());
    planes.signs.resize(planes.top.size());
    job.chain = planes.chain.data();
    job.signs = planes.signs.data();
  } else {
    planes.normal.resize(planes.value.size());
    job.normal = planes.normal.data();
  }
  kernels.align(job);
  if (forChains)
    scaleChains(planes);
  planes.spread = job.spread;
  // Of columns that are not there, nothing is to be said of their drops.
  if (planes.isB)
    for (unsigned kk = 0; kk < planes.k; ++kk)
      std::fill_n(job.drop + size_t(kk) * job.dropPitch + planes.count,
                  job.dropPitch - planes.count, 0);
  for (size_t i = 0; i < planes.scaleExponent.size(); ++i)
    planes.top[i] += planes.scaleExponent[i];
  planes.lowestTop = INT32_MAX, planes.highestTop = INT32_MIN;
  for (const int32_t top : planes.top)
    if (top > zeroExponent / 2) {
      planes.lowestTop = std::min(planes.lowestTop, top);
      planes.highestTop = std::max(planes.highestTop, top);
    }
  // Where nothing is known of the tops, all are zeros.
  if (planes.lowestTop > planes.highestTop)
    planes.lowestTop = planes.highestTop = zeroExponent;
}

static int32_t minUlpOf(OperandPlanes &planes, const MmaKernels &kernels) {
  if (!planes.hasMinUlp)
    planes.minUlp = kernels.leastUlp(planes.value.data(), planes.value.size());
  planes.hasMinUlp = true;
  return planes.minUlp;
}

/// Whether plain f32 arithmetic is exact for every product and partial sum,
/// apart from C, which the kernel checks: all terms are multiples of 2^quantum
/// and their sum stays below 2^(quantum + 23).
static bool productsExact(const DotRule &rule, OperandPlanes &a,
                          OperandPlanes &b, const MmaKernels &kernels,
                          int &quantum) {
  if (a.anySpecial || b.anySpecial || rule.accumulator != NumberFormat::F32 ||
      rule.scaledGroup || !a.scaleExponent.empty())
    return false;
  if (a.allZero || b.allZero) {
    quantum = 0;
    return true;
  }
  int sumLog2 = a.maxExponent + b.maxExponent + 2;
  for (unsigned k = 1; k < a.k; k *= 2)
    ++sumLog2;
  // No number has a lowest bit above its exponent.
  if (sumLog2 > a.minExponent + b.minExponent + 23)
    return false;
  quantum = minUlpOf(a, kernels) + minUlpOf(b, kernels);
  return sumLog2 <= quantum + 23 && quantum >= -100 && quantum <= 60;
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
  job.special = b.special.data();

  int quantum = 0;
  bool exact =
      path == MmaPath::Auto && productsExact(rule, a, b, kernels, quantum);
  bool half = rule.accumulator == NumberFormat::F16;
  // The general kernels take eight products at a time.
  bool vector = path != MmaPath::Reference && rule.scaledGroup == 0 &&
                rule.fractionBits == 25 && a.k % 8 == 0;
  job.value = b.value.data();
  job.quantum = quantum;

  // Rows for the general kernel, and what it leaves of them.
  std::vector<KernelRow> general;
  general.reserve(a.count);
  for (unsigned m = 0; m < a.count; ++m) {
    if (!rows[m])
      continue;
    KernelRow &row = general.emplace_back();
    row.row = m;
    row.cells = rows[m];
    row.value = a.value.data() + size_t(m) * a.pitch;
    if (exact && kernels.exact(job, row)) {
      general.pop_back();
      continue;
    }
    if (vector && !a.special[m])
      continue;
    general.pop_back();
    for (unsigned n = 0; n < columns; ++n)
      rows[m][n] =
          referenceElement(rule, a, b, m, n, accumulate ? rows[m][n] : 0);
  }
  if (general.empty())
    return;

  const bool chains = kernels.hasChains && !half && isChainDepth(a.k);
  auto alignFor = [&](bool forChains) {
    alignOperand(a, kernels, forChains);
    alignOperand(b, kernels, forChains);
    job.farIsZero = a.spread + b.spread < farDrop;
    job.normal = b.normal.data();
    job.chain = forChains ? b.chain.data() : nullptr;
    job.signs = b.signs.data();
    job.drop = b.drop.data();
    job.top = b.top.data();
    for (KernelRow &row : general) {
      row.drop = a.drop.data() + size_t(row.row) * a.pitch;
      if (forChains) {
        row.chain = a.chain.data() + size_t(row.row) * a.pitch;
        row.signs = a.signs[row.row];
      } else {
        row.normal = a.normal.data() + size_t(row.row) * a.pitch;
      }
    }
  };
  alignFor(chains);
  job.dropPitch = dropPitch(b);
  // Not initialised: what a row does not need, it does not touch.
  const std::unique_ptr<uint8_t[]> left(
      new uint8_t[general.size() * size_t(columns)]);
  bool anyAgain = false;
  for (KernelRow &row : general) {
    row.top = a.top[row.row];
    row.isUsual = !b.anySpecial && row.top + b.lowestTop >= usualLowestTop &&
                  row.top + b.highestTop <= usualHighestTop;
    row.left = left.get() + (&row - general.data()) * columns;
  }
  (half ? kernels.generalHalf : kernels.general)(job, general.data(),
                                                 general.size());
  for (const KernelRow &row : general)
    anyAgain |= row.anyAgain;
  if (anyAgain) {
    alignFor(false);
    for (KernelRow &row : general)
      if (row.anyAgain)
        kernels.again(job, row);
  }
  // The kernel leaves the cells of elements it cannot do untouched.
  for (const KernelRow &row : general)
    for (unsigned n = 0; row.anyLeft && n < columns; ++n)
      if (row.left[n])
        row.cells[n] = referenceElement(rule, a, b, row.row, n,
                                        accumulate ? row.cells[n] : 0);
}

} // namespace tc::emu
