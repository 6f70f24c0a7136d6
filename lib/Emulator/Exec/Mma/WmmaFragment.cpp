//===- WmmaFragment.cpp - which lane has what of a matrix -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shapes and types are those of the tables of PTX ISA 9.0, "wmma.load",
// 9.7.14.4.3.
//
//===----------------------------------------------------------------------===//

#include "Exec/Mma/WmmaFragment.h"

#include <iterator>

namespace tc::emu {

namespace {
struct ShapeName {
  std::string_view name;
  WmmaShape shape;
};
constexpr ShapeName kShapes[] = {
    {"m16n16k16", {16, 16, 16}}, {"m8n32k16", {8, 32, 16}},
    {"m32n8k16", {32, 8, 16}},   {"m16n16k8", {16, 16, 8}},
    {"m8n8k4", {8, 8, 4}},       {"m8n8k32", {8, 8, 32}},
    {"m8n8k128", {8, 8, 128}},
};
struct TypeName {
  const char *name;
  unsigned bits;
};
/// In the order of WmmaType.
constexpr TypeName kTypes[] = {{"f16", 16}, {"bf16", 16}, {"tf32", 32},
                               {"f32", 32}, {"f64", 64},  {"s8", 8},
                               {"u8", 8},   {"s4", 4},    {"u4", 4},
                               {"b1", 1},   {"s32", 32}};
} // namespace

const char *toString(WmmaType type) { return kTypes[size_t(type)].name; }

bool takeWmmaType(DecodeContext &c, WmmaType &type) {
  for (size_t i = 0; i < std::size(kTypes); ++i)
    if (c.peek() == kTypes[i].name) {
      type = WmmaType(i);
      return c.take(kTypes[i].name);
    }
  c.fail("expected a type of wmma, got ." + std::string(c.peek()));
  return false;
}

bool takeWmmaShape(DecodeContext &c, WmmaShape &shape) {
  for (const ShapeName &row : kShapes)
    if (c.take(row.name)) {
      shape = row.shape;
      return true;
    }
  c.fail("expected a shape of wmma, .m16n16k16, .m8n32k16, .m32n8k16, "
         ".m16n16k8, .m8n8k4, .m8n8k32 or .m8n8k128");
  return false;
}

/// Whether matrices of the type have the shape; K says what A and B hold.
static bool goesWith(WmmaFragment::Part part, WmmaType type, unsigned m,
                     unsigned k) {
  const bool isC = part == WmmaFragment::C;
  switch (k) {
  case 16:
    return isC ? type == WmmaType::F16 || type == WmmaType::F32 ||
                     type == WmmaType::S32
               : type == WmmaType::F16 || type == WmmaType::BF16 ||
                     type == WmmaType::S8 || type == WmmaType::U8;
  case 8:
    return type == (isC ? WmmaType::F32 : WmmaType::TF32) && m == 16;
  case 4:
    return type == WmmaType::F64;
  case 32:
    return isC ? type == WmmaType::S32
               : type == WmmaType::S4 || type == WmmaType::U4;
  default:
    return type == (isC ? WmmaType::S32 : WmmaType::B1);
  }
}

/// Where mma.sync would have an element.
static WmmaFragment::Place placeOf(const WmmaFragment &f, unsigned j,
                                   unsigned lane, unsigned element) {
  const unsigned per = f.perRegister();
  auto at = [](unsigned row, unsigned column) {
    return WmmaFragment::Place{uint16_t(row), uint16_t(column)};
  };
  const unsigned outer = lane / 4, inner = per * (lane % 4) + element;
  if (f.part == WmmaFragment::A)
    return at(outer + 8 * (j % (f.rows / 8)),
              4 * per * (j / (f.rows / 8)) + inner);
  if (f.part == WmmaFragment::B) {
    const unsigned alongK = f.rows / (4 * per);
    return at(4 * per * (j % alongK) + inner, outer + 8 * (j / alongK));
  }
  // Two neighbours of a row are one register of halves, or two.
  const unsigned pair = per == 2 ? j : j / 2;
  return at(outer + 8 * (pair % (f.rows / 8)),
            8 * (pair / (f.rows / 8)) + 2 * (lane % 4) +
                (per == 2 ? element : j % 2));
}

WmmaFragment wmmaFragment(WmmaFragment::Part part, WmmaType type,
                          const WmmaShape &shape, std::string &why) {
  WmmaFragment f;
  f.part = part;
  f.type = type;
  f.rows = part == WmmaFragment::B ? shape.k : shape.m;
  f.columns = part == WmmaFragment::A ? shape.k : shape.n;
  f.bits = kTypes[size_t(type)].bits;
  if (!goesWith(part, type, shape.m, shape.k)) {
    why = std::string("type .") + toString(type) +
          " does not go with shape .m" + std::to_string(shape.m) + "n" +
          std::to_string(shape.n) + "k" + std::to_string(shape.k) + " of " +
          "abc"[part];
    return f;
  }
  f.distinct = f.rows * f.columns / (32 * f.perRegister());
  const bool hasCopies = type == WmmaType::F16 && part != WmmaFragment::C;
  f.registers = hasCopies ? 8 : f.distinct;
  for (unsigned j = 0; j < f.distinct; ++j)
    for (unsigned lane = 0; lane < 32; ++lane)
      for (unsigned e = 0; e < f.perRegister(); ++e)
        f.places.push_back(placeOf(f, j, lane, e));
  return f;
}

void unpackFragment(const Warp &w, const WmmaFragment &f,
                    const std::vector<Src> &sources,
                    std::vector<uint32_t> &elements) {
  const unsigned per = f.perRegister(), words = f.bits == 64 ? 2 : 1;
  const uint32_t mask = f.bits >= 32 ? ~0u : (1u << f.bits) - 1;
  elements.resize(size_t(f.rows) * f.columns * words);
  for (unsigned j = 0; j < f.distinct; ++j)
    for (unsigned l = 0; l < 32; ++l) {
      const uint64_t value =
          words == 2 ? w.r64(sources[j])[l] : uint64_t(w.r32(sources[j])[l]);
      for (unsigned e = 0; e < per; ++e) {
        const WmmaFragment::Place p = f.place(j, l, e);
        const size_t at = f.part == WmmaFragment::B
                              ? p.column * f.rows + p.row
                              : p.row * f.columns + p.column;
        elements[words * at] = uint32_t(value >> (f.bits * e)) & mask;
        if (words == 2)
          elements[2 * at + 1] = uint32_t(value >> 32);
      }
    }
}

} // namespace tc::emu
