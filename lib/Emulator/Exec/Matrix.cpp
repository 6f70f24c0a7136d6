//===- Matrix.cpp - ldmatrix, stmatrix, movmatrix -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Warp Level Matrix Load/Store Instructions": 8x8 matrices of
// 16-bit elements. Lanes 8i to 8i+7 give the rows of matrix i; lane l holds
// elements 2(l mod 4) and the next of row l div 4.
//
//===----------------------------------------------------------------------===//

#include "Exec/Access.h"
#include "Exec/LoadStore.h"

#include <cstring>

namespace tc::emu {

namespace {
struct Fragments : Payload {
  std::vector<Dst> destinations;
  std::vector<Src> sources;
  bool transposed = false;
};

/// Place of the 16-bit element `e` (0 or 1) of lane `l`: row and column.
void place(bool transposed, unsigned l, unsigned e, unsigned &row,
           unsigned &column) {
  row = l / 4;
  column = 2 * (l % 4) + e;
  if (transposed)
    std::swap(row, column);
}

Step execLoadMatrix(Warp &w, const DecodedInst &i, uint32_t active) {
  const Fragments &f = i.as<Fragments>();
  Accessor accessor(w, i, AccessKind::Read);
  const unsigned n = unsigned(f.destinations.size());
  uint16_t rows[32][8];
  for (unsigned l = 0; l < 8 * n; ++l) {
    const uint8_t *from =
        accessor.resolve(w.address(i.mem, l), i.mem.space, l, 16);
    if (!from)
      return Step::Stop;
    memcpy(rows[l], from, 16);
  }
  for (unsigned m = 0; m < n; ++m) {
    if (!f.destinations[m].valid)
      continue;
    uint32_t *d = w.w32(f.destinations[m]);
    for (unsigned l = 0; l < 32; ++l) {
      uint32_t value = 0;
      for (unsigned e = 0; e < 2; ++e) {
        unsigned row, column;
        place(f.transposed, l, e, row, column);
        value |= uint32_t(rows[8 * m + row][column]) << (16 * e);
      }
      d[l] = value;
    }
    w.define(f.destinations[m], active);
  }
  return Step::Next;
}

Step execStoreMatrix(Warp &w, const DecodedInst &i, uint32_t active) {
  const Fragments &f = i.as<Fragments>();
  Accessor accessor(w, i, AccessKind::Write);
  const unsigned n = unsigned(f.sources.size());
  for (unsigned m = 0; m < n; ++m) {
    uint16_t rows[8][8];
    const uint32_t *s = w.r32(f.sources[m]);
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned e = 0; e < 2; ++e) {
        unsigned row, column;
        place(f.transposed, l, e, row, column);
        rows[row][column] = uint16_t(s[l] >> (16 * e));
      }
    for (unsigned r = 0; r < 8; ++r) {
      unsigned l = 8 * m + r;
      uint8_t *to = accessor.resolve(w.address(i.mem, l), i.mem.space, l, 16);
      if (!to)
        return Step::Stop;
      memcpy(to, rows[r], 16);
    }
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
  uint32_t *d = w.w32(i.d[0]);
  for (unsigned l = 0; l < 32; ++l)
    d[l] = rows[2 * (l % 4)][l / 4] | uint32_t(rows[2 * (l % 4) + 1][l / 4])
                                          << 16;
  w.define(i.d[0], active);
  return Step::Next;
}
} // namespace

static void decodeMatrix(DecodeContext &c) {
  bool load = c.base == "ldmatrix";
  bool good = c.take("sync");
  good &= c.inst.aligned = c.take("aligned");
  std::string_view shape = c.takePrefix("m");
  std::string_view count = c.takeOneOf({"x1", "x2", "x4"});
  auto fragments = std::make_shared<Fragments>();
  fragments->transposed = c.take("trans");
  Space space = c.takeSpace();
  if (!good || shape != "m8n8" || count.empty() || c.takeType() != Type::B16)
    return c.fail("expected .sync.aligned.m8n8, .x1, .x2 or .x4, and .b16");
  if (!c.expectOperands(2, 2))
    return;
  c.inst.mem = c.memRef(load ? 1 : 0, space);
  size_t have;
  if (load) {
    fragments->destinations = c.dstVector(c.operand(0), Type::B32);
    have = fragments->destinations.size();
  } else {
    fragments->sources = c.srcVector(c.operand(1), Type::B32);
    have = fragments->sources.size();
  }
  if (have != size_t(count[1] - '0'))
    return c.fail("expected " + std::string(count.substr(1)) +
                  " registers, got " + std::to_string(have));
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
  c.inst.s[0] = c.src(1, Type::B32);
  c.inst.fn = execMoveMatrix;
}

void registerMatrixInstructions(InstructionTable &table) {
  table.add("ldmatrix", decodeMatrix);
  table.add("stmatrix", decodeMatrix);
  table.add("movmatrix", decodeMoveMatrix);
}

} // namespace tc::emu
