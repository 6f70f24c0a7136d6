//===- Buffer.cpp - Arrays in raw memory ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Layouts, whose sizes come from files and are therefore computed with overflow
// checks, and the values that fill them.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Buffer.h"

#include "tc/Runtime/Sparse.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

using namespace tc;
using namespace tc::runtime;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

Expected<BufferLayout> BufferLayout::create(DType type,
                                            std::vector<int64_t> shape,
                                            std::vector<int64_t> strides) {
  const Error tooLarge = makeError("the size in bytes exceeds 2^62");
  BufferLayout layout;
  layout.type = type;
  bool isDense = strides.empty();
  if (isDense)
    strides.assign(shape.size(), 1);
  if (strides.size() != shape.size())
    return makeError("expected " + std::to_string(shape.size()) +
                     " strides, one per dimension, got " +
                     std::to_string(strides.size()));
  bool isEmpty = false;
  int64_t dense = 1, last = 0;
  for (size_t i = shape.size(); i-- > 0;) {
    const std::string dim = std::to_string(i);
    if (shape[i] < 0)
      return makeError("expected a size >= 0 of dimension " + dim + ", got " +
                       std::to_string(shape[i]));
    if (strides[i] < 0)
      return makeError("expected a stride >= 0 of dimension " + dim + ", got " +
                       std::to_string(strides[i]));
    if (isDense)
      strides[i] = dense;
    isEmpty |= shape[i] == 0;
    int64_t extent;
    if (__builtin_mul_overflow(dense, std::max<int64_t>(shape[i], 1), &dense) ||
        __builtin_mul_overflow(strides[i], std::max<int64_t>(shape[i] - 1, 0),
                               &extent) ||
        __builtin_add_overflow(last, extent, &last))
      return tooLarge;
  }
  int64_t bits;
  if (__builtin_add_overflow(last, int64_t(1), &last) ||
      __builtin_mul_overflow(last, int64_t(getInfo(type).bits), &bits))
    return tooLarge;
  layout.byteSize = isEmpty ? 0 : (static_cast<uint64_t>(bits) + 7) / 8;
  layout.shape = std::move(shape);
  layout.strides = std::move(strides);
  return layout;
}

uint64_t BufferLayout::elements() const {
  uint64_t count = 1;
  for (int64_t size : shape)
    count *= static_cast<uint64_t>(size);
  return count;
}

bool BufferLayout::hasGaps() const {
  return elements() * getInfo(type).bits < byteSize * 8;
}

/// Calls `visit(index, element)` for the first element of each line along the
/// last dimension; `visit` may change the last index.
template <class Visit>
static void forEachLine(const BufferLayout &layout, Visit visit) {
  if (layout.bytes() == 0)
    return;
  const std::vector<int64_t> &shape = layout.shape, &strides = layout.strides;
  std::vector<int64_t> index(shape.size(), 0);
  uint64_t element = 0;
  for (;;) {
    visit(index, element);
    size_t dim = shape.empty() ? 0 : shape.size() - 1;
    for (;;) {
      if (dim == 0)
        return;
      --dim;
      element += static_cast<uint64_t>(strides[dim]);
      if (++index[dim] < shape[dim])
        break;
      element -= static_cast<uint64_t>(strides[dim]) *
                 static_cast<uint64_t>(shape[dim]);
      index[dim] = 0;
    }
  }
}

/// Elements of a line, and the distance between them.
static uint64_t lineLength(const BufferLayout &layout) {
  return layout.shape.empty() ? 1 : static_cast<uint64_t>(layout.shape.back());
}
static uint64_t lineStride(const BufferLayout &layout) {
  return layout.strides.empty() ? 1
                                : static_cast<uint64_t>(layout.strides.back());
}

void BufferLayout::forEach(
    const std::function<void(const std::vector<int64_t> &, uint64_t)> &visit)
    const {
  const uint64_t length = lineLength(*this), stride = lineStride(*this);
  forEachLine(*this, [&](std::vector<int64_t> &index, uint64_t element) {
    for (uint64_t i = 0; i < length; ++i) {
      if (!index.empty())
        index.back() = static_cast<int64_t>(i);
      visit(index, element + i * stride);
    }
  });
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static constexpr struct {
  InitKind kind;
  const char *name;
} initKinds[] = {
    {InitKind::Zeros, "zeros"},
    {InitKind::Ones, "ones"},
    {InitKind::Normal, "normal"},
    {InitKind::Uniform, "uniform"},
    {InitKind::Integers, "integers"},
    {InitKind::Pattern, "pattern"},
    {InitKind::Sequence, "sequence"},
    {InitKind::Poison, "poison"},
    {InitKind::TwoOfFour, "two_of_four"},
    {InitKind::OneOfTwo, "one_of_two"},
    {InitKind::Ends, "ends"},
    {InitKind::Counts, "counts"},
};

std::optional<InitKind> runtime::findInitKind(std::string_view name) {
  for (const auto &entry : initKinds)
    if (name == entry.name)
      return entry.kind;
  return std::nullopt;
}

std::string runtime::listInitKinds() {
  std::string names;
  for (const auto &entry : initKinds)
    names += (names.empty() ? "" : " ") + std::string(entry.name);
  return names;
}

Expected<InitSpec> InitSpec::parse(std::string_view text, uint64_t seed) {
  size_t colon = text.find(':');
  std::optional<InitKind> kind = findInitKind(text.substr(0, colon));
  if (!kind)
    return makeError("expected one of " + listInitKinds() + ", got '" +
                     std::string(text.substr(0, colon)) + "'");
  if (colon == std::string_view::npos)
    return InitSpec{*kind, seed, 0};
  std::string_view digits = text.substr(colon + 1);
  seed = 0;
  bool isNumber = !digits.empty();
  for (char c : digits)
    isNumber &= c >= '0' && c <= '9' &&
                !__builtin_mul_overflow(seed, uint64_t(10), &seed) &&
                !__builtin_add_overflow(seed, uint64_t(c - '0'), &seed);
  if (!isNumber)
    return makeError("expected a seed of decimal digits below 2^64, got '" +
                     std::string(digits) + "'");
  return InitSpec{*kind, seed, 0};
}

/// splitmix64 of a counter: every element has its own draw, in any order.
__attribute__((always_inline)) static inline uint64_t hash(uint64_t seed,
                                                           uint64_t counter) {
  uint64_t z = seed * 0xd1342543de82ef95ull + counter * 0x9e3779b97f4a7c15ull +
               0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return z ^ (z >> 31);
}

__attribute__((always_inline)) static inline double
drawNormal(uint64_t seed, uint64_t counter) {
  // Twelve uniform values of variance 1/12 each, of 16 bits: the even and the
  // odd ones of each hash, then halves.
  constexpr uint64_t even = 0x0000ffff0000ffff;
  uint64_t sums = 0;
  for (uint64_t part = 0; part < 3; ++part) {
    const uint64_t bits = hash(seed, 3 * counter + part);
    sums += (bits & even) + ((bits >> 16) & even);
  }
  const auto sum = static_cast<double>((sums & 0xffffffff) + (sums >> 32));
  return (sum - 12 * 32767.5) / 65536;
}

/// `count` of them; their hashes want 64-bit multiplications on vectors.
__attribute__((always_inline)) static inline void
drawNormalsInline(uint64_t seed, uint64_t counter, size_t count,
                  double *values) {
  for (size_t i = 0; i < count; ++i)
    values[i] = drawNormal(seed, counter + i);
}
#if defined(__x86_64__)
__attribute__((target("avx512f,avx512dq,avx512vl"))) static void
drawNormalsAvx512(uint64_t seed, uint64_t counter, size_t count,
                  double *values) {
  drawNormalsInline(seed, counter, count, values);
}
#endif
static void drawNormals(uint64_t seed, uint64_t counter, size_t count,
                        double *values) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return drawNormalsAvx512(seed, counter, count, values);
#endif
  drawNormalsInline(seed, counter, count, values);
}

static double drawUniform(uint64_t seed, uint64_t counter) {
  return std::ldexp(static_cast<double>(hash(seed, counter) >> 11), -52) - 1;
}

/// The largest n such that all integers in [0, n] are exact, at most 2^31.
static int64_t maxExactInteger(const DTypeInfo &info) {
  double limit = std::min(maxFinite(info.type), std::ldexp(1.0, 31));
  if (info.isFloat)
    limit = std::min(limit, std::ldexp(1.0, info.mantissaBits + 1));
  return static_cast<int64_t>(limit);
}

/// Small integers that differ between neighbours in every dimension; 31 values
/// where the format has them.
static double patternValue(const DTypeInfo &info,
                           const std::vector<int64_t> &index) {
  static constexpr int64_t factors[] = {1, 5, 7, 11, 13};
  int64_t limit = std::min<int64_t>(15, maxExactInteger(info));
  int64_t modulus = 2 * limit + 1, sum = 0;
  for (size_t i = 0; i < index.size(); ++i) {
    int64_t position = index[index.size() - 1 - i];
    sum += factors[i % 5] * ((position + position / modulus) % modulus);
  }
  return static_cast<double>(sum % modulus - limit);
}

static double scaleFactorValue(InitKind kind, uint64_t draw) {
  return std::ldexp(1.0, kind == InitKind::Integers
                             ? static_cast<int>(draw % 3)
                             : static_cast<int>(draw % 4) - 2);
}

/// A word of metadata, as a number with a sign.
static double metadataValue(InitKind kind, uint64_t seed, uint64_t position) {
  const std::vector<unsigned> codes =
      sparseCodes(SparseForm::get(kind == InitKind::OneOfTwo ? 32 : 16));
  uint32_t word = 0;
  for (unsigned i = 0; i < 8; ++i)
    word |= codes[hash(seed, 8 * position + i) % codes.size()] << 4 * i;
  return static_cast<int32_t>(word);
}

/// Where group `index` of `size` ends: groups have 0 to 8 parts of the limit,
/// one in four of them none, and for one seed in four the last one ends before.
static double endsValue(const InitSpec &init, const std::vector<int64_t> &index,
                        int64_t size) {
  auto parts = [&](int64_t group) -> int64_t {
    const uint64_t draw = hash(init.seed, static_cast<uint64_t>(group));
    return draw % 4 == 0 ? 0 : 1 + static_cast<int64_t>(draw / 4 % 8);
  };
  int64_t before = 0, all = parts(-1);
  for (int64_t group = 0; group < size; ++group) {
    before += group <= index.back() ? parts(group) : 0;
    all += parts(group);
  }
  return all == 0 ? static_cast<double>(init.limit)
                  : std::floor(static_cast<double>(init.limit) *
                               static_cast<double>(before) /
                               static_cast<double>(all));
}

/// One in four is 0, and one in four the limit.
static double countsValue(const InitSpec &init, uint64_t position) {
  const uint64_t draw = hash(init.seed, position);
  if (draw % 4 < 2)
    return draw % 4 == 0 ? 0 : static_cast<double>(init.limit);
  return static_cast<double>(draw / 4 %
                             (static_cast<uint64_t>(init.limit) + 1));
}

static double initialValue(const DTypeInfo &info, const InitSpec &init,
                           const std::vector<int64_t> &index, int64_t size,
                           uint64_t position) {
  switch (init.kind) {
  case InitKind::Zeros:
  case InitKind::Poison:
    return 0;
  case InitKind::Ones:
    return 1;
  case InitKind::Pattern: {
    double value = patternValue(info, index);
    return info.isSigned ? value : std::fabs(value);
  }
  case InitKind::Sequence:
    return static_cast<double>(
        position % (static_cast<uint64_t>(maxExactInteger(info)) + 1));
  case InitKind::Ends:
    return endsValue(init, index, size);
  case InitKind::Counts:
    return countsValue(init, position);
  case InitKind::TwoOfFour:
  case InitKind::OneOfTwo:
    return metadataValue(init.kind, init.seed, position);
  case InitKind::Normal:
  case InitKind::Uniform:
  case InitKind::Integers:
    break;
  }
  if (info.type == DType::UE8M0)
    return scaleFactorValue(init.kind, hash(init.seed, position));
  double value;
  if (init.kind == InitKind::Integers || !info.isFloat)
    value = static_cast<double>(hash(init.seed, position) % 9) - 4;
  else
    value = init.kind == InitKind::Normal ? drawNormal(init.seed, position)
                                          : drawUniform(init.seed, position);
  return info.isSigned ? value : std::fabs(value);
}

void runtime::fill(const BufferLayout &layout, const InitSpec &init,
                   uint8_t *data) {
  if (layout.bytes() == 0)
    return;
  const DTypeInfo &info = getInfo(layout.type);
  if (init.kind == InitKind::Poison || layout.hasGaps() || info.bits < 8)
    std::memset(data, 0xff, layout.bytes());
  if (init.kind == InitKind::Poison)
    return;
  const Encoder encoder(info.type);
  const uint64_t length = lineLength(layout), stride = lineStride(layout);
  if (init.kind == InitKind::Zeros || init.kind == InitKind::Ones) {
    const uint64_t code = encoder(init.kind == InitKind::Ones ? 1 : 0);
    const bool isDense = code == 0 && stride == 1 && info.bits >= 8;
    forEachLine(layout, [&](std::vector<int64_t> &, uint64_t element) {
      if (isDense)
        std::memset(data + element * (info.bits / 8), 0,
                    length * (info.bits / 8));
      for (uint64_t i = 0; i < length && !isDense; ++i)
        writeElement(data, element + i * stride, info.bits, code);
    });
    return;
  }
  uint64_t position = 0;
  std::array<double, 256> values;
  const bool isNormal = init.kind == InitKind::Normal && info.isFloat &&
                        info.isSigned && info.type != DType::UE8M0;
  forEachLine(layout, [&](std::vector<int64_t> &index, uint64_t element) {
    for (uint64_t first = 0; first < length; first += values.size()) {
      const auto count = static_cast<size_t>(
          std::min<uint64_t>(values.size(), length - first));
      if (isNormal) {
        drawNormals(init.seed, position, count, values.data());
        position += count;
      }
      for (size_t i = 0; i < count && !isNormal; ++i) {
        if (!index.empty())
          index.back() = static_cast<int64_t>(first + i);
        values[i] = initialValue(info, init, index,
                                 static_cast<int64_t>(length), position++);
      }
      encoder.write(values.data(), count, data, element + first * stride,
                    stride);
    }
  });
}

std::optional<uint64_t>
runtime::findChangedGap(const BufferLayout &layout,
                        const std::vector<uint8_t> &before,
                        const std::vector<uint8_t> &after) {
  if (!layout.hasGaps())
    return std::nullopt;
  // Copy the new elements into the old storage: what still differs is a gap.
  const unsigned bits = getInfo(layout.type).bits;
  std::vector<uint8_t> merged = before;
  layout.forEach([&](const std::vector<int64_t> &, uint64_t element) {
    writeElement(merged.data(), element, bits,
                 readElement(after.data(), element, bits));
  });
  auto changed = std::mismatch(merged.begin(), merged.end(), after.begin());
  if (changed.first == merged.end())
    return std::nullopt;
  return static_cast<uint64_t>(changed.first - merged.begin()) * 8 / bits;
}
