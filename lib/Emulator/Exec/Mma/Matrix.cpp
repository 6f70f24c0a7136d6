//===- Matrix.cpp - ldmatrix, stmatrix, movmatrix -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Warp-level matrix load instruction: ldmatrix", 9.7.14.5.15,
// "... store instruction: stmatrix", 9.7.14.5.16, "... transpose instruction:
// movmatrix", 9.7.14.5.17. Every row in memory has 16 bytes, 8 with .s8.s4 of
// PTX ISA 9.4, and an address in the lane of its number, counted over the
// matrices of the instruction. The ISA gives the fragments as figures:
//
//   8x8, 16 bits    byte b of lane l: row l / 4, byte 4 (l mod 4) + b;
//                   transposed: row 2 (l mod 4) + b / 2, byte 2 (l / 4) + b mod
//                   2
//   8x16, 4/6 bits  row l / 4, element 4 (l mod 4) + b
//   16x16, 8 bits   register r, byte b: row 4 (l mod 4) + 2 r + b mod 2,
//                   column l / 4 + 8 (b / 2), always transposed
//   16x8, 8 bits    row 2 (l mod 4) + b mod 2, column l / 4 + 8 (b / 2), always
//                   transposed: the fragment of D of an mma
//
// The last two agree with the layouts of CUTLASS's copy traits.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/BitRules.h"
#include "Exec/Decode/Modifiers.h"
#include "Exec/Decode/Targets.h"
#include "State/Access.h"

#include <algorithm>
#include <cstring>

namespace tc::emu {

namespace {
enum class Shape : uint8_t { M8N8, M8N16, M16N16, M16N8 };
/// What a row in memory holds.
enum class Source : uint8_t { Bytes, B6x16P32, B4x16P64, S4 };

struct Fragments : Payload {
  std::vector<Dst> destinations;
  std::vector<Src> sources;
  Shape shape = Shape::M8N8;
  Source source = Source::Bytes;
  bool transposed = false;

  unsigned rowsPerMatrix() const { return shape == Shape::M16N16 ? 16 : 8; }
  unsigned rowBytes() const { return source == Source::S4 ? 8 : 16; }
  unsigned registersPerMatrix() const { return shape == Shape::M16N16 ? 2 : 1; }
};

struct Place {
  unsigned row, byte;
};

/// The place in a matrix of byte `b` of register `r` of lane `l`.
Place place(const Fragments &f, unsigned l, unsigned r, unsigned b) {
  switch (f.shape) {
  case Shape::M8N8:
    if (f.transposed)
      return {2 * (l % 4) + b / 2, 2 * (l / 4) + b % 2};
    return {l / 4, 4 * (l % 4) + b};
  case Shape::M8N16:
    return {l / 4, 4 * (l % 4) + b};
  case Shape::M16N16:
    return {4 * (l % 4) + 2 * r + b % 2, l / 4 + 8 * (b / 2)};
  case Shape::M16N8:
    return {2 * (l % 4) + b % 2, l / 4 + 8 * (b / 2)};
  }
  return {0, 0};
}

/// 16 packed elements to the low bits of a byte each.
void unpack(Source source, const uint8_t *in, uint8_t *out) {
  if (source == Source::Bytes) {
    memcpy(out, in, 16);
    return;
  }
  const unsigned bits = source == Source::B6x16P32 ? 6 : 4;
  for (unsigned i = 0; i < 16; ++i) {
    unsigned bit = bits * i, word = in[bit / 8];
    if (bit % 8 + bits > 8)
      word |= unsigned(in[bit / 8 + 1]) << 8;
    out[i] = uint8_t(word >> (bit % 8) & ((1u << bits) - 1));
    // Signed integers are extended.
    if (source == Source::S4)
      out[i] = uint8_t((out[i] ^ 8) - 8);
  }
}

/// Bytes of the unpacked row `out` whose packed bits have no value.
void unpackUndefined(Source source, const uint8_t *states, uint8_t *out) {
  const unsigned bits = source == Source::Bytes      ? 8
                        : source == Source::B6x16P32 ? 6
                                                     : 4;
  for (unsigned i = 0; i < 16; ++i)
    out[i] = !states[bits * i / 8] || !states[(bits * i + bits - 1) / 8];
}

/// The bytes of `d` that are made of bytes without a value have none.
/// `pointers` are the rows in memory.
void undefineFragment(Warp &w, const Fragments &f, unsigned r, const Dst &d,
                      const Accessor &accessor, uint8_t *const *pointers) {
  const unsigned perMatrix = f.registersPerMatrix(),
                 first = r / perMatrix * f.rowsPerMatrix();
  LaneBits bits = {};
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned b = 4; b-- > 0;) {
      const Place p = place(f, l, r % perMatrix, b);
      const uint8_t *from = pointers[first + p.row];
      uint8_t undefined[16];
      if (!(accessor.undefinedLanes >> (first + p.row) & 1))
        continue;
      unpackUndefined(f.source, accessor.statesOf(from), undefined);
      if (!undefined[p.byte])
        continue;
      bits[l] |= 255ull << (8 * b);
      const uint8_t *states = accessor.statesOf(from);
      w.setOrigin(
          d, l,
          accessor.originOf(
              from + (std::find(states, states + f.rowBytes(), 0) - states)));
    }
  for (uint64_t &marks : bits)
    marks = marksOf(marks, 32);
  w.setUndefinedBits(d, ~0u, bits);
}

/// The rows at the addresses of the first lanes, if all at once.
bool resolveRows(Accessor &accessor, Warp &w, const DecodedInst &i,
                 unsigned count, unsigned bytes, uint8_t **pointers) {
  uint64_t addresses[32];
  w.addresses(i.mem, addresses);
  return accessor.resolveAll(addresses, i.mem.space, bytes, pointers,
                             ~0u >> (32 - count));
}

Step execLoadMatrix(Warp &w, const DecodedInst &i, uint32_t active) {
  const Fragments &f = i.as<Fragments>();
  Accessor accessor(w, i, AccessKind::Read);
  accessor.mayBeUndefined = true;
  const unsigned registers = unsigned(f.destinations.size()),
                 perMatrix = f.registersPerMatrix();
  uint8_t rows[32][16], *pointers[32];
  const unsigned count = registers / perMatrix * f.rowsPerMatrix();
  const unsigned bytes = f.rowBytes();
  const bool together = resolveRows(accessor, w, i, count, bytes, pointers);
  for (unsigned l = 0; l < count; ++l) {
    if (!together)
      pointers[l] =
          accessor.resolve(w.address(i.mem, l), i.mem.space, l, bytes);
    if (!pointers[l])
      return Step::Stop;
    unpack(f.source, pointers[l], rows[l]);
  }
  for (unsigned r = 0; r < registers; ++r) {
    if (!f.destinations[r].valid)
      continue;
    const unsigned first = r / perMatrix * f.rowsPerMatrix();
    uint32_t *d = w.w32(f.destinations[r]);
    for (unsigned l = 0; l < 32; ++l) {
      uint32_t value = 0;
      for (unsigned b = 0; b < 4; ++b) {
        Place p = place(f, l, r % perMatrix, b);
        value |= uint32_t(rows[first + p.row][p.byte]) << (8 * b);
      }
      d[l] = value;
    }
    w.define(f.destinations[r], active);
    if (accessor.undefinedLanes)
      undefineFragment(w, f, r, f.destinations[r], accessor, pointers);
  }
  return Step::Next;
}

Step execStoreMatrix(Warp &w, const DecodedInst &i, uint32_t active) {
  const Fragments &f = i.as<Fragments>();
  Accessor accessor(w, i, AccessKind::Write);
  const unsigned n = unsigned(f.sources.size());
  if (!w.requireDefined(i, i.mem.base, active, "address: "))
    return Step::Stop;
  uint8_t *all[32];
  const bool together = resolveRows(accessor, w, i, 8 * n, 16, all);
  for (unsigned m = 0; m < n; ++m) {
    uint8_t rows[8][16], **pointers = all + 8 * m;
    const uint32_t *s = w.r32(f.sources[m]);
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned b = 0; b < 4; ++b) {
        Place p = place(f, l, 0, b);
        rows[p.row][p.byte] = uint8_t(s[l] >> (8 * b));
      }
    for (unsigned r = 0; r < 8; ++r) {
      const unsigned l = 8 * m + r;
      if (!together)
        pointers[r] = accessor.resolve(w.address(i.mem, l), i.mem.space, l, 16);
      if (!pointers[r])
        return Step::Stop;
      memcpy(pointers[r], rows[r], 16);
    }
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned b = 0; b < 4; ++b)
        if (const Place p = place(f, l, 0, b);
            !accessor.storeByte(f.sources[m], l, b, pointers[p.row] + p.byte))
          return Step::Stop;
  }
  ++w.cluster.effects;
  return Step::Next;
}

Step execMoveMatrix(Warp &w, const DecodedInst &i, uint32_t active) {
  const uint32_t *s = w.r32(i.s[0]);
  uint16_t rows[8][8];
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned e = 0; e < 2; ++e)
      rows[l / 4][2 * (l % 4) + e] = uint16_t(s[l] >> (16 * e));
  // Element e of lane l is half l / 4 % 2 of lane 8 (l % 4) + 4 e + l / 8.
  LaneBits bits = {};
  OriginId origins[32];
  for (unsigned l = 0; l < 32; ++l)
    for (unsigned e = 2; e-- > 0;) {
      const unsigned from = 8 * (l % 4) + 4 * e + l / 8;
      const uint64_t undefined =
          w.undefinedBits(i.s[0], from) >> (16 * (l / 4 % 2)) & 0xffff;
      bits[l] |= undefined << (16 * e);
      if (e || undefined)
        origins[l] = w.originOf(i.s[0], from);
    }
  uint32_t *d = w.w32(i.d[0]);
  for (unsigned l = 0; l < 32; ++l) {
    d[l] = rows[2 * (l % 4)][l / 4] | uint32_t(rows[2 * (l % 4) + 1][l / 4])
                                          << 16;
    w.setOrigin(i.d[0], l, origins[l]);
    bits[l] = marksOf(bits[l], 32);
  }
  w.setUndefinedBits(i.d[0], active, bits);
  return Step::Next;
}
} // namespace

/// Shape, transposition and element of the opcode; empty `why` if the ISA has
/// the combination.
static std::string checkForm(const Fragments &f, bool load,
                             std::string_view shape, Type type,
                             unsigned count) {
  if (shape == "m8n8")
    return type == Type::B16 ? "" : "expected .b16 with .m8n8";
  if (shape == "m16n8" && !load)
    return type == Type::B8 && f.transposed ? ""
                                            : "expected .trans.b8 with .m16n8";
  if (shape == "m16n16" && load) {
    if (count == 4)
      return "expected .x1 or .x2 with .m16n16";
    return f.transposed && (type == Type::B8 || f.source != Source::Bytes)
               ? ""
               : "expected .trans and .b8 or .b8x16 with .m16n16";
  }
  if (shape == "m8n16" && load)
    return !f.transposed && f.source != Source::Bytes
               ? ""
               : "expected .b8x16.b6x16_p32, .b8x16.b4x16_p64 or .s8.s4 "
                 "without .trans with .m8n16";
  return load ? "expected .m8n8, .m8n16 or .m16n16"
              : "expected .m8n8 or .m16n8";
}

static void decodeMatrix(DecodeContext &c) {
  bool load = c.base == "ldmatrix";
  bool good = c.take("sync");
  good &= c.inst.aligned = c.take("aligned");
  std::string_view shape = c.takePrefix("m");
  std::string_view count = c.takeOneOf({"x1", "x2", "x4"});
  if (!good || count.empty())
    return c.fail("expected .sync.aligned and .x1, .x2 or .x4");
  auto fragments = std::make_shared<Fragments>();
  fragments->shape = shape == "m8n16"    ? Shape::M8N16
                     : shape == "m16n16" ? Shape::M16N16
                     : shape == "m16n8"  ? Shape::M16N8
                                         : Shape::M8N8;
  fragments->transposed = c.take("trans");
  Space space = c.takeSpace();
  Type type = Type::None;
  if (load && c.take("b8x16")) {
    std::string_view format = c.takeOneOf({"b6x16_p32", "b4x16_p64"});
    if (format.empty())
      return c.fail("expected .b6x16_p32 or .b4x16_p64 after .b8x16");
    fragments->source =
        format == "b6x16_p32" ? Source::B6x16P32 : Source::B4x16P64;
  } else if (load && c.take("s8")) {
    if (!c.take("s4") || shape != "m8n16")
      return c.fail("expected .m8n16 and .s8.s4");
    expectTarget(c, "ldmatrix of .s8.s4", Targets::Specific, {9, 4});
    fragments->source = Source::S4;
  } else {
    type = c.takeType();
  }
  const unsigned matrices = unsigned(count[1] - '0');
  if (std::string why = checkForm(*fragments, load, shape, type, matrices);
      !why.empty())
    return c.fail(why);
  if (!c.expectOperands(2, 2))
    return;
  c.inst.mem = c.memRef(load ? 1 : 0, space);
  size_t have;
  if (load) {
    fragments->destinations = c.dstVector(c.operand(0), Type::B32);
    have = fragments->destinations.size();
  } else {
    c.areData(fragments->sources = c.srcVector(c.operand(1), Type::B32));
    have = fragments->sources.size();
  }
  const unsigned registers = matrices * fragments->registersPerMatrix();
  if (have != registers)
    return c.fail("expected " + std::to_string(registers) + " registers, got " +
                  std::to_string(have));
  c.inst.tracksUndefined = !load;
  c.inst.fn = load ? execLoadMatrix : execStoreMatrix;
  c.inst.payload = std::move(fragments);
}

static void decodeMoveMatrix(DecodeContext &c) {
  bool good = c.take("sync");
  good &= c.inst.aligned = c.take("aligned");
  good &= c.take("m8n8");
  good &= c.take("trans");
  if (!good || c.takeType() != Type::B16)
    return c.fail("expected .sync.aligned.m8n8.trans.b16");
  if (!c.expectOperands(2, 2))
    return;
  c.inst.d[0] = c.dst(0, Type::B32);
  c.isData(c.inst.s[0] = c.src(1, Type::B32));
  c.inst.tracksUndefined = true;
  c.inst.fn = execMoveMatrix;
}

void registerMatrixInstructions(InstructionTable &table) {
  table.add("ldmatrix", decodeMatrix);
  table.add("stmatrix", decodeMatrix);
  table.add("movmatrix", decodeMoveMatrix);
}

} // namespace tc::emu
