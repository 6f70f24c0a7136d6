//===- MmaSync.cpp - mma.sync ---------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Multiply-and-Accumulate Instruction: mma", 9.7.14.5.14: the
// dense m16n8 shapes and m8n8k16. The warp's product is computed at once, by
// the rule of the tensor core (Numerics/FusedDotAdd.h). Hopper has no such
// instruction for FP8: ptxas turns it into two products of f16 and an addition.
//
//===----------------------------------------------------------------------===//

#include "Exec/Mma/MmaSync.h"
#include "Exec/Decode/FunctionDecoder.h"
#include "Exec/Mma/MatrixTile.h"
#include "Numerics/Half.h"
#include "State/Machine.h"

namespace tc::emu {

namespace {
struct MmaSync : Payload {
  TileForm form;
  std::vector<Src> a, b, c;
  std::vector<Dst> d;
  bool asHalves = false; ///< FP8 on Hopper
};
} // namespace

/// FP8 as ptxas translates it for sm_90: the operands become f16, one product
/// takes the elements 4 i and 4 i + 1 along K, the next the others, both start
/// from zero, and C is added last, rounded to nearest even.
static void multiplyAsHalves(const TileForm &form,
                             const std::vector<uint32_t> &a,
                             const std::vector<uint32_t> &b,
                             std::vector<uint32_t> &cells) {
  TileForm halves = form;
  matrixOperandType(Type::F16, halves.a);
  matrixOperandType(Type::F16, halves.b);
  halves.k = form.k / 2;
  auto convert = [&](const std::vector<uint32_t> &from, NumberFormat format,
                     unsigned odd) {
    std::vector<uint32_t> to(from.size() / 2);
    for (size_t i = 0; i < to.size(); ++i)
      to[i] =
          encodeNumber(NumberFormat::F16,
                       decodeFloat(format, from[i / 2 * 4 + 2 * odd + i % 2]),
                       RoundingMode::NearestEven, false);
    return to;
  };
  std::vector<uint32_t> sums;
  for (unsigned odd : {0u, 1u})
    multiplyTile(halves, convert(a, form.a.format, odd),
                 convert(b, form.b.format, odd), odd, sums);
  for (size_t i = 0; i < cells.size(); ++i) {
    if (form.accumulator == NumberFormat::F16) {
      cells[i] = halfFma<F16>(uint16_t(sums[i]), F16::kOne, uint16_t(cells[i]));
      continue;
    }
    float sum = bitCast<float>(sums[i]) + bitCast<float>(cells[i]);
    cells[i] = sum != sum ? 0x7fffffffu : bitCast<uint32_t>(sum);
  }
}

std::vector<const uint32_t *> lanes(const Warp &w,
                                    const std::vector<Src> &sources) {
  std::vector<const uint32_t *> values;
  for (const Src &s : sources)
    values.push_back(w.r32(s));
  return values;
}

std::optional<UndefinedTile>
findUndefined(const Warp &w, const DecodedInst &i, const TileForm &form,
              const std::vector<Src> &a, const std::vector<Src> &b,
              const std::vector<Src> &c, uint32_t lanes) {
  if (areAllDefined(w, a, lanes) && areAllDefined(w, b, lanes) &&
      areAllDefined(w, c, lanes))
    return std::nullopt;
  UndefinedTile undefined(form);
  findUndefinedA(w, i, form, a, undefined);
  findUndefinedB(w, i, b, undefined);
  for (unsigned j = 0; j < c.size(); ++j)
    findUndefinedC(w, i, form, j, c[j], ~w.definedHalf(c[j], 0, 32),
                   ~w.definedHalf(c[j], 1, 32), undefined);
  return undefined;
}

void undefineD(Warp &w, const TileForm &form, const UndefinedTile &undefined,
               const std::vector<Dst> &d) {
  for (unsigned j = 0; j < d.size(); ++j) {
    const UndefinedRegister of = undefinedOfD(form, undefined, j);
    w.defineHalves(d[j], ~0u, ~of.halves[0], ~of.halves[1], 32);
    for (uint32_t rest = of.halves[0] | of.halves[1]; rest; rest &= rest - 1)
      w.setOrigin(d[j], unsigned(__builtin_ctz(rest)),
                  of.origins[__builtin_ctz(rest)]);
  }
}

static Step execMmaSync(Warp &w, const DecodedInst &i, uint32_t active) {
  const MmaSync &mma = i.as<MmaSync>();
  const std::optional<UndefinedTile> undefined =
      findUndefined(w, i, mma.form, mma.a, mma.b, mma.c, active);
  std::vector<uint32_t> a, b, cells;
  unpackA(mma.form, lanes(w, mma.a), false, a);
  unpackB(mma.form, lanes(w, mma.b), b);
  unpackD(mma.form, lanes(w, mma.c), cells);
  if (mma.asHalves)
    multiplyAsHalves(mma.form, a, b, cells);
  else
    multiplyTile(mma.form, a, b, true, cells);
  std::vector<uint32_t *> results;
  for (const Dst &d : mma.d)
    results.push_back(w.w32(d));
  packD(mma.form, cells, results);
  for (const Dst &d : mma.d)
    w.define(d, active);
  if (undefined)
    undefineD(w, mma.form, *undefined, mma.d);
  w.machine.mmaMacs.fetch_add(uint64_t(mma.form.m) * mma.form.n * mma.form.k,
                              std::memory_order_relaxed);
  return Step::Next;
}

static void decodeMmaSync(DecodeContext &c) {
  auto mma = std::make_shared<MmaSync>();
  TileForm &form = mma->form;
  if (c.take("sp") || !c.takePrefix("sp::").empty())
    return c.fail("sparse A (.sp) is not supported by the emulator");
  if (std::string_view kind = c.takePrefix("kind::"); !kind.empty())
    return decodeMmaSyncKind(c, kind);
  bool good = c.take("sync");
  good &= c.inst.aligned = c.take("aligned");
  std::string_view shape = c.takePrefix("m16n8k");
  if (shape.empty() && !(shape = c.takePrefix("m8n8k")).empty())
    form.m = 8;
  good &= c.take("row");
  good &= c.take("col");
  form.saturate = c.take("satfinite");
  if (!good || shape.empty())
    return c.fail("expected .sync.aligned, a shape .m16n8k4 to .m16n8k32 or "
                  ".m8n8k16 and .row.col");
  Type d = c.takeType(), a = c.takeType(), b = c.takeType(), e = c.takeType();
  form.n = 8;
  for (char digit : shape.substr(shape.find('k') + 1))
    form.k = 10 * form.k + unsigned(digit - '0');
  if (!matrixOperandType(a, form.a) || !matrixOperandType(b, form.b))
    return c.fail("expected operands of type f16, bf16, tf32, e4m3, e5m2, s8 "
                  "or u8");
  form.integer = form.a.integer;
  mma->asHalves = form.a.bits == 8 && !form.integer &&
                  c.decoder.module.source->target.substr(0, 5) == "sm_90";
  bool legalK = form.a.bits == 8    ? form.k == 16 || form.k == 32
                : form.a.bits == 16 ? form.k == 8 || form.k == 16
                                    : form.k == 4 || form.k == 8;
  if (form.m == 8 && (!form.integer || form.k != 16))
    return c.fail("." + std::string(shape) +
                  ": expected .m8n8k16 with .s8 or .u8, the only shape of 8 "
                  "rows that the emulator has");
  bool sameTypes = form.a.bits == 8 ? form.a.integer == form.b.integer : a == b;
  bool halfD = d == Type::F16 &&
               (a == Type::F16 || (form.a.bits == 8 && !form.a.integer));
  if (!legalK || !sameTypes || d != e ||
      (form.integer ? d != Type::S32 : d != Type::F32 && !halfD) ||
      (form.saturate && !form.integer))
    return c.fail("the types do not go with shape ." + std::string(shape));
  if (d == Type::F16)
    form.accumulator = NumberFormat::F16;
  if (!c.expectOperands(4, 4))
    return;
  Type slot = d == Type::F32 ? Type::F32 : Type::B32;
  mma->d = c.dstVector(c.operand(0), slot);
  mma->a = c.srcVector(c.operand(1), Type::B32);
  mma->b = c.srcVector(c.operand(2), Type::B32);
  mma->c = c.srcVector(c.operand(3), slot);
  for (const auto *sources : {&mma->a, &mma->b, &mma->c})
    c.areData(*sources);
  // B has eight columns, as many as a group of A's rows.
  size_t wantA = fragmentRegistersA(form), wantB = wantA / (form.m / 8),
         wantD = fragmentRegistersD(form);
  if (mma->a.size() != wantA || mma->b.size() != wantB ||
      mma->d.size() != wantD || mma->c.size() != wantD)
    return c.fail("expected " + std::to_string(wantD) + ", " +
                  std::to_string(wantA) + ", " + std::to_string(wantB) +
                  " and " + std::to_string(wantD) + " registers");
  for (const Dst &dst : mma->d)
    if (!dst.valid)
      return c.fail("expected registers as destination, got '_'");
  c.inst.tracksUndefined = true;
  c.inst.fn = execMmaSync;
  c.inst.payload = std::move(mma);
}

void registerMmaSyncInstructions(InstructionTable &table) {
  table.add("mma", decodeMmaSync);
}

} // namespace tc::emu
