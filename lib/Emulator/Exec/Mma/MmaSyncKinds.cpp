//===- MmaSyncKinds.cpp - mma.sync with a kind ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Multiply-and-Accumulate Instruction: mma", 9.7.14.5.14, and
// "Block Scaling for mma.sync", 9.7.14.3: kind::f8f6f4, mxf8f6f4, mxf4 and
// mxf4nvf4, of the sm_120 family. The rule by which a product is rounded is
// that of the tcgen05.mma of the same kind, an inference.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/FunctionDecoder.h"
#include "Exec/Mma/MatrixTile.h"
#include "Exec/Mma/MmaSync.h"
#include "Numerics/GroupedDot.h"
#include "Numerics/MmaBlock.h"
#include "State/Machine.h"

namespace tc::emu {

namespace {

/// Where the scale factors of an operand are.
struct ScaleSource {
  Src data, byte, thread;
};

struct MmaSyncKind : Payload {
  TileForm form;
  DotKind kind;
  std::vector<Src> a, b, c;
  std::vector<Dst> d;
  /// Scale factors of a row of A and of a column of B, 0 without.
  unsigned scales = 0;
  NumberFormat scale = NumberFormat::UE8M0;
  ScaleSource scaleA, scaleB;
};

struct KindFacts {
  std::string_view name;
  DotKind kind;
  unsigned k;
  /// Of elements of 4 bits alone.
  bool packed;
  /// Scale factors of a row where no .scale_vec is written, 0 if it has to be.
  unsigned scales;
};

const KindFacts kKinds[] = {
    {"kind::f8f6f4", DotKind::F8F6F4toF32, 32, false, 0},
    {"kind::mxf8f6f4", DotKind::MXF8F6F4, 32, false, 1},
    {"kind::mxf4", DotKind::MXF4, 64, true, 2},
    {"kind::mxf4nvf4", DotKind::MXF4, 64, true, 0},
};

} // namespace

/// Elements out of their containers of 8 bits: e2m1 is in bits 2 to 5, those of
/// 6 bits in the low ones.
static void openContainers(const OperandType &type,
                           std::vector<uint32_t> &bits) {
  if (type.bits != 8)
    return;
  for (uint32_t &element : bits)
    if (type.format == NumberFormat::E2M1)
      element = element >> 2 & 0xf;
    else if (type.format == NumberFormat::E2M3 ||
             type.format == NumberFormat::E3M2)
      element &= 0x3f;
}

/// A selector, which all lanes have to give alike: a multiple of `step`, one of
/// `count`.
static Step readSelector(Warp &w, const DecodedInst &i, const Src &source,
                         std::string_view name, unsigned step, unsigned count,
                         unsigned &value) {
  const uint32_t *values = w.r32(source);
  value = values[0] & 0xffff;
  std::string expected;
  for (unsigned choice = 0; choice < count; ++choice)
    expected += (choice ? ", " : "") + std::to_string(choice * step);
  for (unsigned l = 0; l < 32; ++l) {
    if ((values[l] & 0xffff) != value)
      return w.fail(ReportKind::Undefined, i,
                    std::string(name) +
                        ": expected one value in all lanes, got " +
                        std::to_string(value) + " in lane 0 and " +
                        std::to_string(values[l] & 0xffff) + " in lane " +
                        std::to_string(l));
  }
  if (value % step == 0 && value / step < count)
    return Step::Next;
  return w.fail(ReportKind::Undefined, i,
                std::string(name) + ": expected " + expected + ", got " +
                    std::to_string(value));
}

/// The scale factors of `rows` rows of A, or columns of B: row r of A has those
/// of lane r % 8 * 4 + r / 8 of the pair of lanes, column n of B those of one
/// lane of four.
static Step readScales(Warp &w, const DecodedInst &i, bool ofB, unsigned rows,
                       std::vector<uint32_t> &scales,
                       std::optional<UndefinedTile> &undefined) {
  const MmaSyncKind &mma = i.as<MmaSyncKind>();
  const ScaleSource &source = ofB ? mma.scaleB : mma.scaleA;
  unsigned byte, thread;
  if (!w.requireDefined(i, source.byte, w.liveMask()) ||
      !w.requireDefined(i, source.thread, w.liveMask()))
    return Step::Stop;
  if (Step step =
          readSelector(w, i, source.byte, ofB ? "byte-id-b" : "byte-id-a",
                       mma.scales, 4 / mma.scales, byte);
      step != Step::Next)
    return step;
  if (Step step =
          readSelector(w, i, source.thread, ofB ? "thread-id-b" : "thread-id-a",
                       1, ofB ? 4 : 2, thread);
      step != Step::Next)
    return step;
  const uint32_t *data = w.r32(source.data);
  for (unsigned row = 0; row < rows; ++row) {
    unsigned lane = row % 8 * 4 + (ofB ? thread : 2 * thread + row / 8);
    for (unsigned j = 0; j < mma.scales; ++j)
      scales.push_back(data[lane] >> 8 * (byte + j) & 0xff);
    if (w.definedMask(source.data) >> lane & 1)
      continue;
    if (!undefined)
      undefined.emplace(mma.form);
    undefined->note(ofB ? undefined->columns[row] : undefined->rows[row],
                    w.originAt(i, source.data, lane));
  }
  return Step::Next;
}

/// D of the kinds of 4 bits: groups of products have scale factors.
static void multiplyGroups(const MmaSyncKind &mma,
                           const std::vector<uint32_t> &a,
                           const std::vector<uint32_t> &b,
                           const std::vector<uint32_t> &scalesA,
                           const std::vector<uint32_t> &scalesB,
                           const std::vector<uint32_t *> &rows) {
  const DotRule &rule = dotRule(mma.kind);
  const unsigned groups = rule.group / rule.scaledGroup;
  auto decode = [&](const std::vector<uint32_t> &bits,
                    const std::vector<uint32_t> &scales, unsigned count) {
    GroupedOperand operand;
    operand.doubled.resize(bits.size());
    decodeDoubledE2M1(bits.data(), bits.size(), operand.doubled.data());
    for (unsigned row = 0; row < count; ++row)
      for (unsigned g = 0; g < groups; ++g)
        operand.scales.push_back(decodeGroupScale(
            mma.scale, scales[row * mma.scales + g * mma.scales / groups]));
    return operand;
  };
  groupedStep(rule, decode(a, scalesA, mma.form.m),
              decode(b, scalesB, mma.form.n),
              formatInfo(mma.scale).mantissaBits, rows, /*accumulate=*/true);
}

static Step execMmaSyncKind(Warp &w, const DecodedInst &i, uint32_t active) {
  const MmaSyncKind &mma = i.as<MmaSyncKind>();
  const TileForm &form = mma.form;
  std::optional<UndefinedTile> undefined =
      findUndefined(w, i, form, mma.a, mma.b, mma.c, active);
  std::vector<uint32_t> a, b, cells, scalesA, scalesB;
  unpackA(form, lanes(w, mma.a), false, a);
  unpackB(form, lanes(w, mma.b), b);
  unpackD(form, lanes(w, mma.c), cells);
  openContainers(form.a, a);
  openContainers(form.b, b);
  if (mma.scales) {
    if (Step step = readScales(w, i, false, form.m, scalesA, undefined);
        step != Step::Next)
      return step;
    if (Step step = readScales(w, i, true, form.n, scalesB, undefined);
        step != Step::Next)
      return step;
  }
  std::vector<uint32_t *> rows;
  for (unsigned m = 0; m < form.m; ++m)
    rows.push_back(&cells[m * form.n]);
  if (mma.kind == DotKind::MXF4) {
    multiplyGroups(mma, a, b, scalesA, scalesB, rows);
  } else {
    OperandPlanes planesA, planesB;
    decodeOperand(planesA, false, form.a.format, form.m, form.k, a.data(),
                  mma.scales ? scalesA.data() : nullptr);
    decodeOperand(planesB, true, form.b.format, form.n, form.k, b.data(),
                  mma.scales ? scalesB.data() : nullptr);
    mmaStep(dotRule(mma.kind), planesA, planesB, rows.data(),
            /*accumulate=*/true);
  }
  std::vector<uint32_t *> results;
  for (const Dst &d : mma.d)
    results.push_back(w.w32(d));
  packD(form, cells, results);
  for (const Dst &d : mma.d)
    w.define(d, active);
  if (undefined)
    undefineD(w, form, *undefined, mma.d);
  w.machine.mmaMacs.fetch_add(uint64_t(form.m) * form.n * form.k,
                              std::memory_order_relaxed);
  return Step::Next;
}

/// e4m3 to e2m1 by name.
static bool takeElementType(DecodeContext &c, bool packed, OperandType &type) {
  static const std::pair<std::string_view, NumberFormat> kTypes[] = {
      {"e2m1", NumberFormat::E2M1}, {"e4m3", NumberFormat::E4M3},
      {"e5m2", NumberFormat::E5M2}, {"e2m3", NumberFormat::E2M3},
      {"e3m2", NumberFormat::E3M2},
  };
  std::string_view name = c.takeNext();
  for (const auto &[known, format] : kTypes)
    if (known == name && (!packed || format == NumberFormat::E2M1)) {
      type.format = format;
      type.integer = false;
      type.bits = packed ? 4 : 8;
      type.name = known;
      return true;
    }
  c.fail(std::string(packed ? "expected .e2m1"
                            : "expected .e4m3, .e5m2, .e3m2, .e2m3 or .e2m1") +
         (name.empty() ? "" : ", got ." + std::string(name)));
  return false;
}

/// What follows .block_scale, and the type of the scale factors.
static bool takeScales(DecodeContext &c, const KindFacts &facts,
                       std::string_view vector, MmaSyncKind &mma) {
  std::string_view type = c.takeNext();
  mma.scales = facts.scales;
  if (!vector.empty())
    mma.scales = vector == "scale_vec::1X"   ? 1
                 : vector == "scale_vec::2X" ? 2
                 : vector == "scale_vec::4X" ? 4
                                             : 0;
  mma.scale = type == "ue4m3" ? NumberFormat::UE4M3 : NumberFormat::UE8M0;
  bool isNv = facts.name == "kind::mxf4nvf4";
  bool good = type == "ue4m3" ? isNv && mma.scales == 4
                              : type == "ue8m0" &&
                                    (isNv ? mma.scales == 2 || mma.scales == 4
                                          : mma.scales == facts.scales);
  if (!good)
    c.fail("." + std::string(facts.name) + ": expected " +
           (isNv ? ".scale_vec::2X or .scale_vec::4X with .ue8m0, or "
                   ".scale_vec::4X with .ue4m3"
                 : ".scale_vec::" + std::to_string(facts.scales) +
                       "X with .ue8m0"));
  return good;
}

void decodeMmaSyncKind(DecodeContext &c, std::string_view kind) {
  const KindFacts *facts = nullptr;
  for (const KindFacts &known : kKinds)
    if (known.name == kind)
      facts = &known;
  if (!facts)
    return c.fail("." + std::string(kind) +
                  ": expected .kind::f8f6f4, "
                  ".kind::mxf8f6f4, .kind::mxf4 or "
                  ".kind::mxf4nvf4");
  if (c.target().substr(0, 5) != "sm_12")
    return c.fail("." + std::string(kind) +
                  ": expected a target of the sm_120 family, got " +
                  std::string(c.target()));
  auto mma = std::make_shared<MmaSyncKind>();
  TileForm &form = mma->form;
  mma->kind = facts->kind;
  form.n = 8;
  form.k = facts->k;
  const bool scaled = facts->kind != DotKind::F8F6F4toF32;
  std::string_view vector = c.takePrefix("scale_vec::");
  bool good = c.take("sync");
  good &= c.inst.aligned = c.take("aligned");
  std::string shape = "m16n8k" + std::to_string(facts->k);
  good &= c.take(shape);
  good &= c.take("row");
  good &= c.take("col");
  good &= c.take("block_scale") == scaled && (scaled || vector.empty());
  if (!good)
    return c.fail("expected .sync.aligned." + shape + ".row.col" +
                  (scaled ? " and .block_scale" : ""));
  Type d = c.takeType();
  if (!takeElementType(c, facts->packed, form.a) ||
      !takeElementType(c, facts->packed, form.b))
    return;
  Type e = c.takeType();
  if (d != e || (d != Type::F32 && (scaled || d != Type::F16)))
    return c.fail(scaled ? "expected D and C of type .f32"
                         : "expected D and C of type .f32 or .f16");
  if (d == Type::F16) {
    form.accumulator = NumberFormat::F16;
    mma->kind = DotKind::F8F6F4toF16;
  }
  if (scaled && !takeScales(c, *facts, vector, *mma))
    return;
  if (!c.expectOperands(scaled ? 8 : 4, scaled ? 8 : 4))
    return;
  Type slot = d == Type::F32 ? Type::F32 : Type::B32;
  mma->d = c.dstVector(c.operand(0), slot);
  mma->a = c.srcVector(c.operand(1), Type::B32);
  mma->b = c.srcVector(c.operand(2), Type::B32);
  mma->c = c.srcVector(c.operand(3), slot);
  for (const auto *sources : {&mma->a, &mma->b, &mma->c})
    c.areData(*sources);
  size_t wantD = fragmentRegistersD(form);
  if (mma->a.size() != 4 || mma->b.size() != 2 || mma->d.size() != wantD ||
      mma->c.size() != wantD)
    return c.fail("expected " + std::to_string(wantD) + ", 4, 2 and " +
                  std::to_string(wantD) + " registers");
  for (const Dst &dst : mma->d)
    if (!dst.valid)
      return c.fail("expected registers as destination, got '_'");
  for (bool ofB : {false, true}) {
    if (!scaled)
      break;
    std::vector<Src> data = c.srcVector(c.operand(ofB ? 6 : 4), Type::B32);
    std::vector<Src> ids = c.srcVector(c.operand(ofB ? 7 : 5), Type::U16);
    if (data.size() != 1 || ids.size() != 2)
      return c.fail(
          "expected scale factors in one register, and two selectors");
    (ofB ? mma->scaleB : mma->scaleA) = {data[0], ids[0], ids[1]};
  }
  c.inst.tracksUndefined = true;
  c.inst.fn = execMmaSyncKind;
  c.inst.payload = std::move(mma);
}

} // namespace tc::emu
