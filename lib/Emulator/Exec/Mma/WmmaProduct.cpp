//===- WmmaProduct.cpp - wmma.mma -----------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "wmma.mma", 9.7.14.4.5. Products of narrow floats follow the
// rule of mma.sync (Numerics/FusedDotAdd.h). Those of f64 are a chain of fused
// multiply-adds along K with the rounding of the instruction: the text leaves
// their order open.
//
//===----------------------------------------------------------------------===//

#include "Exec/Mma/MatrixTile.h"
#include "Exec/Mma/WmmaFragment.h"
#include "Numerics/BitCast.h"
#include "Numerics/Half.h"
#include "State/Machine.h"

#include <algorithm>
#include <cfenv>
#include <cmath>

namespace tc::emu {

namespace {
struct WmmaProduct : Payload {
  WmmaShape shape;
  WmmaFragment a, b, c, d;
  std::vector<Src> sources[3]; ///< by part
  std::vector<Dst> destinations;
  bool saturate = false;
  bool isAnd = false; ///< of bits: AND instead of XOR
  int rounding = FE_TONEAREST;
};

/// Rows and columns of D, and elements of it, that are made of what has no
/// value, with what brought it in.
struct Undefined {
  std::vector<OriginId> rows, columns, cells;
};
} // namespace

static bool isInteger(WmmaType type) {
  return type == WmmaType::S8 || type == WmmaType::U8 || type == WmmaType::S4 ||
         type == WmmaType::U4;
}

/// Notes the elements of one matrix that have no value.
static void noteUndefined(const Warp &w, const DecodedInst &i,
                          const WmmaFragment &f,
                          const std::vector<Src> &sources, unsigned columnsOfD,
                          Undefined &undefined) {
  for (unsigned j = 0; j < f.distinct; ++j)
    for (uint32_t rest = ~w.definedMask(sources[j]); rest; rest &= rest - 1) {
      const auto l = unsigned(__builtin_ctz(rest));
      const uint64_t marks = w.undefinedBits(sources[j], l);
      for (unsigned e = 0; e < f.perRegister(); ++e) {
        if (!(marks >> (f.bits * e) & Warp::lowBits(f.bits)))
          continue;
        const WmmaFragment::Place p = f.place(j, l, e);
        OriginId &place = f.part == WmmaFragment::A ? undefined.rows[p.row]
                          : f.part == WmmaFragment::B
                              ? undefined.columns[p.column]
                              : undefined.cells[p.row * columnsOfD + p.column];
        if (!place)
          place = w.originAt(i, sources[j], l);
      }
    }
}

/// Whether an operand has lanes without a value; then, what of D has none.
static bool findUndefined(const Warp &w, const DecodedInst &i,
                          const WmmaProduct &p, Undefined &undefined) {
  bool all = true;
  for (const std::vector<Src> &sources : p.sources)
    all &= areAllDefined(w, sources, ~0u);
  if (all)
    return false;
  undefined.rows.resize(p.shape.m);
  undefined.columns.resize(p.shape.n);
  undefined.cells.resize(size_t(p.shape.m) * p.shape.n);
  for (const WmmaFragment *f : {&p.a, &p.b, &p.c})
    noteUndefined(w, i, *f, p.sources[f->part], p.shape.n, undefined);
  return true;
}

static void undefineResult(Warp &w, const WmmaProduct &p,
                           const Undefined &undefined) {
  for (unsigned j = 0; j < p.d.registers; ++j) {
    LaneBits bits = {};
    for (unsigned l = 0; l < 32; ++l)
      for (unsigned e = 0; e < p.d.perRegister(); ++e) {
        const WmmaFragment::Place at = p.d.place(j, l, e);
        const OriginId cell = undefined.cells[at.row * p.shape.n + at.column];
        const OriginId origin = undefined.rows[at.row] ? undefined.rows[at.row]
                                : undefined.columns[at.column]
                                    ? undefined.columns[at.column]
                                    : cell;
        if (!origin)
          continue;
        bits[l] |= Warp::lowBits(p.d.bits) << (p.d.bits * e);
        w.setOrigin(p.destinations[j], l, origin);
      }
    for (uint64_t &marks : bits)
      if ((marks & 0xffffffff) == 0xffffffff)
        marks = ~0ull;
    w.setUndefinedBits(p.destinations[j], ~0u, bits);
  }
}

/// D of integers of 8 and 4 bits, and of bits.
static void multiplyIntegers(const WmmaProduct &p,
                             const std::vector<uint32_t> &a,
                             const std::vector<uint32_t> &b,
                             std::vector<uint32_t> &cells) {
  const auto [m, n, k] = p.shape;
  const unsigned bits = p.a.bits;
  const bool isSigned = p.a.type == WmmaType::S8 || p.a.type == WmmaType::S4;
  auto number = [&](uint32_t value) {
    return isSigned ? int32_t(value << (32 - bits)) >> (32 - bits)
                    : int32_t(value);
  };
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < n; ++column) {
      const uint32_t *x = &a[row * k], *y = &b[column * k];
      uint32_t &cell = cells[row * n + column];
      int64_t sum = int32_t(cell);
      for (unsigned e = 0; e < k; ++e)
        sum += p.a.type == WmmaType::B1
                   ? int64_t(p.isAnd ? x[e] & y[e] : x[e] ^ y[e])
                   : int64_t(number(x[e])) * number(y[e]);
      if (p.saturate)
        sum = std::clamp<int64_t>(sum, INT32_MIN, INT32_MAX);
      cell = uint32_t(sum);
    }
}

static double doubleOf(const std::vector<uint32_t> &words, size_t at) {
  return bitCast<double>(words[2 * at] | uint64_t(words[2 * at + 1]) << 32);
}

static void multiplyDoubles(const WmmaProduct &p,
                            const std::vector<uint32_t> &a,
                            const std::vector<uint32_t> &b,
                            std::vector<uint32_t> &cells) {
  const auto [m, n, k] = p.shape;
  const int old = fegetround();
  fesetround(p.rounding);
  for (unsigned row = 0; row < m; ++row)
    for (unsigned column = 0; column < n; ++column) {
      const size_t at = row * n + column;
      // volatile keeps the compiler from moving the chain out of the scope of
      // the rounding mode.
      volatile double sum = doubleOf(cells, at);
      for (unsigned e = 0; e < k; ++e)
        sum = std::fma(doubleOf(a, row * k + e), doubleOf(b, column * k + e),
                       sum);
      const auto bits = bitCast<uint64_t>(double(sum));
      cells[2 * at] = uint32_t(bits);
      cells[2 * at + 1] = uint32_t(bits >> 32);
    }
  fesetround(old);
}

static void multiplyNarrow(const WmmaProduct &p, const std::vector<uint32_t> &a,
                           const std::vector<uint32_t> &b,
                           std::vector<uint32_t> &cells) {
  TileForm form;
  form.m = p.shape.m;
  form.n = p.shape.n;
  form.k = p.shape.k;
  const Type type = p.a.type == WmmaType::F16    ? Type::F16
                    : p.a.type == WmmaType::BF16 ? Type::BF16
                                                 : Type::TF32;
  matrixOperandType(type, form.a);
  matrixOperandType(type, form.b);
  const bool halfC = p.c.type == WmmaType::F16,
             halfD = p.d.type == WmmaType::F16;
  if (halfC && halfD)
    form.accumulator = NumberFormat::F16;
  else if (halfC)
    for (uint32_t &cell : cells)
      cell = bitCast<uint32_t>(halfToFloat<F16>(uint16_t(cell)));
  multiplyTile(form, a, b, true, cells);
  if (halfD && !halfC)
    for (uint32_t &cell : cells)
      cell = encodeNumber(NumberFormat::F16, bitCast<float>(cell),
                          RoundingMode::NearestEven, false);
}

static void packResult(Warp &w, const WmmaProduct &p,
                       const std::vector<uint32_t> &cells) {
  const WmmaFragment &f = p.d;
  for (unsigned j = 0; j < f.registers; ++j) {
    uint32_t *to = w.w32(p.destinations[j]);
    for (unsigned l = 0; l < 32; ++l) {
      const WmmaFragment::Place first = f.place(j, l, 0);
      const size_t at = first.row * f.columns + first.column;
      if (f.bits == 64) {
        to[2 * l] = cells[2 * at];
        to[2 * l + 1] = cells[2 * at + 1];
      } else {
        to[l] = f.bits == 32 ? cells[at]
                             : (cells[at] & 0xffff) | cells[at + 1] << 16;
      }
    }
    w.define(p.destinations[j], ~0u);
  }
}

static Step execWmmaProduct(Warp &w, const DecodedInst &i, uint32_t active) {
  const auto &p = i.as<WmmaProduct>();
  if (active != ~0u)
    return w.fail(ReportKind::Sync, i,
                  "expected all 32 threads of the warp, lane " +
                      std::to_string(__builtin_ctz(~active)) +
                      " has exited or does not exist (PTX ISA 9.0, "
                      "\"wmma.mma\", 9.7.14.4.5)");
  Undefined undefined;
  const bool isUndefined = findUndefined(w, i, p, undefined);
  std::vector<uint32_t> a, b, cells;
  unpackFragment(w, p.a, p.sources[WmmaFragment::A], a);
  unpackFragment(w, p.b, p.sources[WmmaFragment::B], b);
  unpackFragment(w, p.c, p.sources[WmmaFragment::C], cells);
  if (p.a.type == WmmaType::F64)
    multiplyDoubles(p, a, b, cells);
  else if (p.c.type == WmmaType::S32)
    multiplyIntegers(p, a, b, cells);
  else
    multiplyNarrow(p, a, b, cells);
  packResult(w, p, cells);
  if (isUndefined)
    undefineResult(w, p, undefined);
  w.machine.mmaMacs.fetch_add(uint64_t(p.shape.m) * p.shape.n * p.shape.k,
                              std::memory_order_relaxed);
  return Step::Next;
}

/// The types of D, A, B and C: those of D and C alone stand for f16 operands.
static bool takeTypes(DecodeContext &c, WmmaType (&types)[4]) {
  unsigned count = 0;
  while (count < 4 && !c.peek().empty() && c.peek() != "satfinite" &&
         c.peek()[0] != 'r') {
    if (!takeWmmaType(c, types[count]))
      return false;
    ++count;
  }
  if (count == 2) {
    types[3] = types[1];
    types[1] = types[2] = WmmaType::F16;
    count = 4;
  }
  if (count == 4 && types[1] == types[2] &&
      (types[0] == types[3] || types[1] == WmmaType::F16))
    return true;
  c.fail("expected the types of D, A, B and C, the same for A and B, or those "
         "of D and C where A and B are f16");
  return false;
}

static void takeModifiers(DecodeContext &c, WmmaProduct &p) {
  const std::string_view op = c.takeOneOf({"xor", "and"});
  p.isAnd = op == "and";
  const bool counts = c.take("popc");
  const bool isSync = c.take("sync");
  c.inst.aligned = c.take("aligned");
  // B comes second; .col of A may be .row of B.
  const std::string_view layouts[2] = {c.takeNext(), c.takeNext()};
  for (std::string_view layout : layouts)
    if (!isSync || !c.inst.aligned || (layout != "row" && layout != "col"))
      return c.fail("expected .sync.aligned and .row or .col of A and of B");
  if (!takeWmmaShape(c, p.shape))
    return;
  const bool isOfBits = p.shape.k == 128;
  if (isOfBits != (counts && !op.empty()) || counts != isOfBits)
    return c.fail("expected .xor.popc or .and.popc with .m8n8k128 and nowhere "
                  "else");
  if (p.shape.k >= 32 && (layouts[0] != "row" || layouts[1] != "col"))
    return c.fail("expected .row.col with operands of less than a byte");
}

static void decodeWmmaProduct(DecodeContext &c) {
  auto p = std::make_shared<WmmaProduct>();
  takeModifiers(c, *p);
  if (c.failed())
    return;
  const std::string_view rounding = c.takeOneOf({"rn", "rz", "rm", "rp"});
  p->saturate = c.take("satfinite");
  WmmaType types[4];
  if (!takeTypes(c, types))
    return;
  std::string why;
  p->a = wmmaFragment(WmmaFragment::A, types[1], p->shape, why);
  p->b = wmmaFragment(WmmaFragment::B, types[2], p->shape, why);
  p->c = wmmaFragment(WmmaFragment::C, types[3], p->shape, why);
  p->d = wmmaFragment(WmmaFragment::C, types[0], p->shape, why);
  const bool isIntegral = isInteger(types[1]) || types[1] == WmmaType::B1;
  if (why.empty() && (isIntegral != (types[3] == WmmaType::S32) ||
                      isIntegral != (types[0] == WmmaType::S32)))
    why = std::string("an accumulator of type .") + toString(types[3]) +
          " does not go with operands of type ." + toString(types[1]);
  if (why.empty() && types[1] == WmmaType::BF16 && types[0] != WmmaType::F32)
    why = "expected .f32 as the accumulator of .bf16";
  if (why.empty() && p->saturate && !isInteger(types[1]))
    why = "expected .satfinite with integers alone";
  if (why.empty() && !rounding.empty() && types[1] != WmmaType::F64)
    why = "expected a rounding mode with .f64 alone";
  if (!why.empty())
    return c.fail(why);
  p->rounding = rounding == "rz"   ? FE_TOWARDZERO
                : rounding == "rm" ? FE_DOWNWARD
                : rounding == "rp" ? FE_UPWARD
                                   : FE_TONEAREST;
  if (!c.expectOperands(4, 4))
    return;
  p->destinations = c.dstVector(c.operand(0), p->d.slot());
  const WmmaFragment *fragments[] = {&p->a, &p->b, &p->c};
  for (unsigned k = 0; k < 3; ++k) {
    c.areData(p->sources[k] =
                  c.srcVector(c.operand(k + 1), fragments[k]->slot()));
    if (p->sources[k].size() != fragments[k]->registers)
      return c.fail(std::string("expected ") +
                    std::to_string(fragments[k]->registers) + " registers of " +
                    "ABC"[k] + ", got " + std::to_string(p->sources[k].size()));
  }
  if (p->destinations.size() != p->d.registers)
    return c.fail("expected " + std::to_string(p->d.registers) +
                  " registers of D, got " +
                  std::to_string(p->destinations.size()));
  for (const Dst &d : p->destinations)
    if (!d.valid)
      return c.fail("expected registers as destination, got '_'");
  c.inst.tracksUndefined = true;
  c.inst.fn = execWmmaProduct;
  c.inst.payload = std::move(p);
}

void registerWmmaProducts(InstructionTable &table) {
  table.add("wmma.mma", decodeWmmaProduct);
}

} // namespace tc::emu
