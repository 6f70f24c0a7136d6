//===- Oracle.cpp - what the ISA's tables say -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Oracle.h"

#include <utility>

namespace tc::legality {

static bool isScaled(Kind kind) {
  return kind >= Kind::MXF8F6F4 && kind <= Kind::MXF4NVF4;
}

static bool isFloat8Or6Or4(Element e) {
  return e >= Element::E4M3 && e <= Element::E2M1;
}

static bool isByteFloat(Element e) {
  return e == Element::E4M3 || e == Element::E5M2;
}

static bool isInput(Kind kind, Element e) {
  switch (kind) {
  case Kind::F16:
    return e == Element::F16 || e == Element::BF16;
  case Kind::TF32:
    return e == Element::F32;
  case Kind::F8F6F4:
  case Kind::MXF8F6F4:
    return isFloat8Or6Or4(e);
  case Kind::I8:
    return e == Element::S8 || e == Element::U8;
  case Kind::MXF4:
  case Kind::MXF4NVF4:
    return e == Element::E2M1;
  case Kind::TI16:
    return e == Element::S16;
  }
  return false;
}

/// M of the layout, and whether such an instruction writes it.
static int getM(const Combination &c) {
  bool ws = c.op == Form::WeightStationary;
  switch (c.layout) {
  case 'A':
    return c.group == 2 && !ws ? 256 : 0;
  case 'B':
    return c.group == 2 && !ws && !c.sparse ? 128 : 0;
  case 'C':
    return c.group == 2 && !ws && c.sparse ? 128 : 0;
  case 'D':
    return c.group == 1 ? 128 : 0;
  case 'E':
    return c.group == 1 && ws ? 64 : 0;
  case 'F':
    return c.group == 1 && !ws ? 64 : 0;
  default:
    return c.group == 1 && ws ? 32 : 0;
  }
}

static bool isLegalM(const Combination &c) {
  int m = getM(c);
  if (m == 0)
    return false;
  // Block-scaled: 128 rows with one CTA; with a pair, where A is sparse, 256.
  if (isScaled(c.kind))
    return c.group == 1 ? m == 128 : m == 256 || !c.sparse;
  return true;
}

static bool isLegalN(const Combination &c) {
  int n = c.n;
  if (c.op == Form::WeightStationary)
    return n == 64 || n == 128 || (n == 256 && !c.sparse);
  if (n < 8 || n > 256)
    return false;
  if (c.group == 2 ? n % 16 != 0 : n % 8 != 0)
    return false;
  if (c.kind == Kind::I8 &&
      (c.group == 2 ? n % 32 != 0 : n > 32 && n % 16 != 0))
    return false;
  // PTX ISA 9.4, 9.7.18.2.1.
  if (c.kind == Kind::TI16 && n % (c.group == 2    ? 32
                                   : getM(c) == 64 ? 8
                                                   : 16) !=
                                  0)
    return false;
  // B of bytes that is N-major.
  bool byte = isByteFloat(c.b) || c.b == Element::S8 || c.b == Element::U8;
  return !c.tileB.mnMajor || !byte || n % (16 * c.group) == 0;
}

static bool areLegalTypes(const Combination &c) {
  if (!isInput(c.kind, c.a) || !isInput(c.kind, c.b))
    return false;
  if (c.kind == Kind::F16 && c.a != c.b)
    return false;
  if (c.kind == Kind::I8 || c.kind == Kind::TI16)
    return c.d == Element::I32;
  if (c.d == Element::F16)
    return c.kind == Kind::F8F6F4 ||
           (c.kind == Kind::F16 && c.a == Element::F16);
  return c.d == Element::F32;
}

static bool isLegalTile(const Combination &c, const Tile &tile, Element e) {
  bool atom32 = tile.swizzle == Swizzle::Atom32;
  if (!tile.mnMajor)
    return !atom32;
  if (c.kind == Kind::TF32)
    return atom32;
  // Elements of 4 and 6 bits are K-major; of ti16 the tables of the ISA
  // disagree.
  return !atom32 && c.kind != Kind::TI16 &&
         (!isFloat8Or6Or4(e) || isByteFloat(e));
}

static bool areLegalScales(const Combination &c) {
  if (c.kind != Kind::MXF4NVF4)
    return c.factor == Factor::UE8M0 && c.block == 32;
  // All three for both, some of them on sm_107 alone (PTX ISA 9.4,
  // 9.7.18.10.7.1).
  return true;
}

unsigned findBroken(const Combination &c) {
  unsigned broken = 0;
  if (isScaled(c.kind) != (c.op == Form::Scaled))
    broken |= KindOfOp;
  if (!isLegalM(c))
    broken |= Accumulator;
  if (!isLegalN(c))
    broken |= ColumnsN;
  if (!areLegalTypes(c))
    broken |= Types;
  if (!c.tmemA && !isLegalTile(c, c.tileA, c.a))
    broken |= Layouts;
  if (!isLegalTile(c, c.tileB, c.b))
    broken |= Layouts;
  // 64 bytes of a row of B do not fit into a span of 32.
  if (c.sparse && !c.tileB.mnMajor && c.tileB.swizzle == Swizzle::B32)
    broken |= Layouts;
  if (c.op == Form::Scaled && !areLegalScales(c))
    broken |= ScaleFactors;
  return broken;
}

/// Whether more than 32 bytes of a row of `tile`, which do not fit into a span
/// of 32, are read.
static bool isTooLong(const Combination &c, const Tile &tile, Element element) {
  // 64 numbers of 4 bits beside others have 32 bytes.
  return !tile.mnMajor && tile.swizzle == Swizzle::B32 &&
         (c.kind != Kind::MXF8F6F4 || element != Element::E2M1);
}

/// What a K of 64 bytes needs besides B.
static bool hasWideA(const Combination &c) {
  if (c.sparse || c.op == Form::WeightStationary ||
      (c.layout != 'A' && c.layout != 'D'))
    return false;
  bool four = c.kind == Kind::MXF4 || c.kind == Kind::MXF4NVF4;
  if (!four && c.kind != Kind::F8F6F4 && c.kind != Kind::MXF8F6F4)
    return false;
  // Of fewer bits than 8 with factors alone.
  if (c.kind == Kind::F8F6F4 && !isByteFloat(c.a))
    return false;
  if (c.tmemA)
    return four || c.a != Element::E2M1;
  return !isTooLong(c, c.tileA, c.a);
}

bool isWide(const Combination &c) {
  if (!hasWideA(c) || isTooLong(c, c.tileB, c.b) ||
      (c.kind == Kind::F8F6F4 && !isByteFloat(c.b)))
    return false;
  // The factors of B for fewer columns.
  return c.op != Form::Scaled || c.block != 16 || c.n % 128 == 0;
}

bool isLookup(const Combination &c) {
  return hasWideA(c) && (c.kind == Kind::F8F6F4 || c.kind == Kind::MXF8F6F4) &&
         !c.tileB.mnMajor && c.tileB.swizzle != Swizzle::B32;
}

Rule getRule(std::string_view message) {
  static constexpr std::pair<std::string_view, Rule> starts[] = {
      {"expected a kind with", KindOfOp},
      {"expected d to be a whole", Accumulator},
      {"expected M of", Accumulator},
      {"expected cta_group 1", Accumulator},
      {"expected N to be", ColumnsN},
      {"expected d of", Types},
      {"expected a of", Types},
      {"expected b of", Types},
      {"expected b to have the element type", Types},
      {"expected a to be whole", MatrixA},
      {"expected a to have the", Extents},
      {"expected b to have the", Extents},
      {"expected a_k", Steps},
      {"expected b_k", Steps},
      {"expected the layout of", Layouts},
      {"expected swizzle", Layouts},
      {"expected k_major", Layouts},
      {"expected metadata", Metadata},
      {"expected selector", Metadata},
      {"expected scale factors", ScaleFactors},
      {"expected no scale_d", Modifiers},
      {"expected a in Tensor Memory", Modifiers},
      {"expected 128 rows", Modifiers},
      {"expected collector", Modifiers},
      {"expected a vector of", Modifiers},
      {"expected no negate", Modifiers},
      {"expected saturate", Modifiers},
      {"expected buffer", Modifiers},
      {"expected max_shift", Modifiers},
  };
  for (auto [start, rule] : starts)
    if (message.substr(0, start.size()) == start)
      return rule;
  return Unknown;
}

const char *getName(Form op) {
  return op == Form::Mma      ? "tcgen05_mma"
         : op == Form::Scaled ? "tcgen05_mma_block_scale"
                              : "tcgen05_mma_ws";
}

std::string getLabel(Form op, Rule rule) {
  bool scaled = op == Form::Scaled;
  auto number = [&]() -> std::string {
    switch (rule) {
    case KindOfOp:
      return "1";
    case Accumulator:
      return "2";
    case ColumnsN:
      return "3";
    case Types:
      return "4";
    case Extents:
      return "5";
    case Steps:
      return "6";
    case Layouts:
      return "7";
    case MatrixA:
      return scaled ? "12" : "9";
    case Metadata:
      return scaled ? "8" : "10";
    case ScaleFactors:
      return "11";
    // The first of several.
    case Modifiers:
      return scaled ? "10" : "8";
    case Unknown:
      break;
    }
    return "?";
  };
  return getName(op) + std::string("_c") + number();
}

} // namespace tc::legality
