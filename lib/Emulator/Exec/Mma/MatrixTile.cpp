//===- MatrixTile.cpp - register fragments and tile products --------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One formula serves all element sizes: a register holds 32 / bits neighbours
// along K, four lanes make one row of a core matrix.
//
//===----------------------------------------------------------------------===//

#include "Exec/Mma/MatrixTile.h"

#include "Numerics/MmaBlock.h"

#include <algorithm>

namespace tc::emu {

bool matrixOperandType(Type type, OperandType &out) {
  auto number = [&](NumberFormat format, unsigned bits, const char *name) {
    out.format = format;
    out.integer = false;
    out.bits = bits;
    out.name = name;
    return true;
  };
  switch (type) {
  case Type::F16:
    return number(NumberFormat::F16, 16, "f16");
  case Type::BF16:
    return number(NumberFormat::BF16, 16, "bf16");
  case Type::TF32:
    return number(NumberFormat::TF32, 32, "tf32");
  case Type::E4M3:
    return number(NumberFormat::E4M3, 8, "e4m3");
  case Type::E5M2:
    return number(NumberFormat::E5M2, 8, "e5m2");
  case Type::S8:
  case Type::U8:
    out.integer = true;
    out.isSigned = type == Type::S8;
    out.bits = 8;
    out.name = type == Type::S8 ? "s8" : "u8";
    return true;
  default:
    return false;
  }
}

unsigned fragmentRegistersA(const TileForm &form) {
  return form.m * form.k * form.a.bits / (32 * 32);
}

unsigned fragmentRegistersD(const TileForm &form) {
  const bool half = form.accumulator == NumberFormat::F16 && !form.integer;
  return form.m * form.n / (half ? 64 : 32);
}

void unpackA(const TileForm &form, const std::vector<const uint32_t *> &values,
             bool negate, std::vector<uint32_t> &bits) {
  const unsigned size = form.a.bits, per = 32 / size;
  const uint32_t mask = size == 32 ? ~0u : (1u << size) - 1;
  const uint32_t sign = negate ? 1u << (size - 1) : 0;
  const unsigned groups = form.m / 8; // of eight rows
  bits.resize(form.m * size_t(form.k));
  for (unsigned j = 0; j < values.size(); ++j)
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned e = 0; e < per; ++e) {
        unsigned row = l / 4 + 8 * (j % groups),
                 column = 4 * per * (j / groups) + per * (l % 4) + e;
        bits[row * form.k + column] =
            ((values[j][l] >> (size * e)) & mask) ^ sign;
      }
}

void unpackB(const TileForm &form, const std::vector<const uint32_t *> &values,
             std::vector<uint32_t> &bits) {
  const unsigned size = form.b.bits, per = 32 / size;
  const uint32_t mask = size == 32 ? ~0u : (1u << size) - 1;
  bits.resize(8 * size_t(form.k));
  for (unsigned j = 0; j < values.size(); ++j)
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned e = 0; e < per; ++e)
        bits[(l / 4) * form.k + 4 * per * j + per * (l % 4) + e] =
            (values[j][l] >> (size * e)) & mask;
}

/// Calls visit(lane, half, row, column) for the elements of register `index` of
/// D; one of 32 bits counts as the low half.
template <class Visit>
static void forEachOfRegister(const TileForm &form, unsigned index,
                              const Visit &visit) {
  const bool half = form.accumulator == NumberFormat::F16 && !form.integer;
  const unsigned groups = form.m / 8;
  for (unsigned l = 0; l < 32; ++l) {
    if (half) {
      for (unsigned e = 0; e < 2; ++e)
        visit(l, e, l / 4 + 8 * (index % groups),
              8 * (index / groups) + 2 * (l % 4) + e);
      continue;
    }
    visit(l, 0u, l / 4 + 8 * (index / 2 % groups),
          8 * (index / 2 / groups) + 2 * (l % 4) + index % 2);
  }
}

/// Calls visit(register, lane, shift, row, column) for every element of D.
template <class Visit>
static void forEachD(const TileForm &form, const Visit &visit) {
  const unsigned registers = fragmentRegistersD(form);
  for (unsigned j = 0; j < registers; ++j)
    forEachOfRegister(
        form, j, [&](unsigned l, unsigned half, unsigned row, unsigned column) {
          visit(j, l, 16 * half, row, column);
        });
}

void unpackD(const TileForm &form, const std::vector<const uint32_t *> &values,
             std::vector<uint32_t> &cells) {
  bool half = form.accumulator == NumberFormat::F16 && !form.integer;
  cells.resize(form.m * size_t(form.n));
  forEachD(form, [&](unsigned j, unsigned l, unsigned shift, unsigned row,
                     unsigned column) {
    uint32_t value = values[j][l] >> shift;
    cells[row * form.n + column] = half ? value & 0xffff : value;
  });
}

void packD(const TileForm &form, const std::vector<uint32_t> &cells,
           const std::vector<uint32_t *> &values) {
  bool half = form.accumulator == NumberFormat::F16 && !form.integer;
  forEachD(form, [&](unsigned j, unsigned l, unsigned shift, unsigned row,
                     unsigned column) {
    uint32_t cell = cells[row * form.n + column];
    if (!half)
      values[j][l] = cell;
    else if (shift == 0)
      values[j][l] = cell & 0xffff;
    else
      values[j][l] |= cell << 16;
  });
}

bool areAllDefined(const Warp &w, const std::vector<Src> &sources,
                   uint32_t lanes) {
  uint32_t defined = lanes;
  for (const Src &s : sources)
    defined &= w.definedMask(s);
  return defined == lanes;
}

void findUndefinedA(const Warp &w, const DecodedInst &i, const TileForm &form,
                    const std::vector<Src> &sources, UndefinedTile &tile) {
  const unsigned groups = form.m / 8;
  for (unsigned j = 0; j < sources.size(); ++j)
    for (uint32_t rest = w.liveMask() & ~w.definedMask(sources[j]); rest;
         rest &= rest - 1) {
      const auto l = unsigned(__builtin_ctz(rest));
      tile.note(tile.rows[l / 4 + 8 * (j % groups)],
                w.originAt(i, sources[j], l));
    }
}

void findUndefinedB(const Warp &w, const DecodedInst &i,
                    const std::vector<Src> &sources, UndefinedTile &tile) {
  for (const Src &source : sources)
    for (uint32_t rest = w.liveMask() & ~w.definedMask(source); rest;
         rest &= rest - 1) {
      const auto l = unsigned(__builtin_ctz(rest));
      tile.note(tile.columns[l / 4], w.originAt(i, source, l));
    }
}

void findUndefinedC(const Warp &w, const DecodedInst &i, const TileForm &form,
                    unsigned index, const Src &source, uint32_t low,
                    uint32_t high, UndefinedTile &tile) {
  const bool isHalf = form.accumulator == NumberFormat::F16 && !form.integer;
  const uint32_t halves[2] = {isHalf ? low : low | high, high};
  forEachOfRegister(
      form, index,
      [&](unsigned l, unsigned half, unsigned row, unsigned column) {
        if (halves[half] & w.liveMask() & 1u << l)
          tile.note(tile.cells[row * form.n + column],
                    w.originAt(i, source, l));
      });
}

UndefinedRegister undefinedOfD(const TileForm &form, const UndefinedTile &tile,
                               unsigned index) {
  const bool isHalf = form.accumulator == NumberFormat::F16 && !form.integer;
  UndefinedRegister d;
  forEachOfRegister(
      form, index,
      [&](unsigned l, unsigned half, unsigned row, unsigned column) {
        const OriginId origin = tile.rows[row] ? tile.rows[row]
                                : tile.columns[column]
                                    ? tile.columns[column]
                                    : tile.cells[row * form.n + column];
        if (!origin)
          return;
        d.origins[l] = origin;
        d.halves[half] |= 1u << l;
        if (!isHalf)
          d.halves[1] |= 1u << l;
      });
  return d;
}

static void multiplyIntegers(const TileForm &form,
                             const std::vector<uint32_t> &a,
                             const std::vector<uint32_t> &b, bool accumulate,
                             std::vector<uint32_t> &cells) {
  auto widen = [](const OperandType &type, uint32_t bits) {
    return type.isSigned ? int32_t(int8_t(bits)) : int32_t(bits & 0xff);
  };
  for (unsigned m = 0; m < form.m; ++m)
    for (unsigned n = 0; n < form.n; ++n) {
      uint32_t &cell = cells[m * form.n + n];
      int64_t sum = accumulate ? int32_t(cell) : 0;
      for (unsigned k = 0; k < form.k; ++k)
        sum += int64_t(widen(form.a, a[m * form.k + k])) *
               widen(form.b, b[size_t(n) * form.k + k]);
      if (form.saturate)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      cell = uint32_t(sum);
    }
}

/// The rounding rule of one K-group.
static DotRule ruleOf(const TileForm &form) {
  bool half = form.accumulator == NumberFormat::F16;
  bool eight = form.a.bits == 8;
  DotRule rule =
      dotRule(form.a.bits == 32 ? DotKind::TF32
              : eight ? (half ? DotKind::F8F6F4toF16 : DotKind::F8F6F4toF32)
              : half  ? DotKind::F16toF16
                      : DotKind::F16toF32);
  rule.group = std::min(rule.group, form.k);
  if (eight && form.hopper)
    rule.fractionBits = 13;
  return rule;
}

namespace {
/// What a thread of the host has multiplied last. The warps of a warpgroup have
/// one B, and so do rows of tiles that a warp multiplies one after the other.
struct Operands {
  OperandPlanes a, b;
  std::vector<uint32_t> ofA, ofB, next; ///< bits, k fastest
  std::vector<uint32_t *> rows;

  /// `count` x `group` of `bits`, from column `first` of `k` on.
  static void slice(const std::vector<uint32_t> &bits, unsigned count,
                    unsigned k, unsigned first, unsigned group,
                    std::vector<uint32_t> &part) {
    part.resize(size_t(count) * group);
    for (unsigned i = 0; i < count; ++i)
      std::copy_n(&bits[size_t(i) * k + first], group,
                  &part[size_t(i) * group]);
  }
  /// Decodes `next` unless it is what `b` was decoded from.
  void decodeB(NumberFormat format, unsigned count, unsigned group) {
    if (b.isB && b.format == format && b.count == count && b.k == group &&
        next == ofB)
      return;
    ofB.swap(next);
    decodeOperand(b, true, format, count, group, ofB.data());
  }
};
} // namespace

void multiplyTile(const TileForm &form, const std::vector<uint32_t> &a,
                  const std::vector<uint32_t> &b, bool accumulate,
                  std::vector<uint32_t> &cells) {
  cells.resize(form.m * size_t(form.n));
  if (form.integer)
    return multiplyIntegers(form, a, b, accumulate, cells);
  const DotRule rule = ruleOf(form);
  static thread_local Operands last;
  last.rows.clear();
  for (unsigned m = 0; m < form.m; ++m)
    last.rows.push_back(&cells[m * form.n]);
  const bool short13 = rule.fractionBits == 13;
  for (unsigned first = 0; first < form.k; first += rule.group) {
    Operands::slice(a, form.m, form.k, first, rule.group, last.ofA);
    decodeOperand(last.a, false, form.a.format, form.m, rule.group,
                  last.ofA.data());
    Operands::slice(b, form.n, form.k, first, rule.group, last.next);
    last.decodeB(form.b.format, form.n, rule.group);
    mmaStep(rule, last.a, last.b, last.rows.data(), accumulate || first,
            short13 ? MmaPath::Reference : MmaPath::Auto);
    if (short13 && form.accumulator == NumberFormat::F32)
      for (uint32_t &cell : cells) // cut to 13 bits of mantissa, NaN as it is
        if (cell != 0x7fffffffu)
          cell &= ~0x3ffu;
  }
}

} // namespace tc::emu
