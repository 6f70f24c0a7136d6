//===- Wgmma.cpp - asynchronous warpgroup matrix instructions -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "Asynchronous Warpgroup Level Matrix Instructions", 9.7.15:
// wgmma.mma_async (dense), fence, commit_group and wait_group of sm_90a. Each
// of the four warps leaves an operation for its 16 rows. From issue to the
// wait_group that covers it an operation owns its registers: D may not be read,
// and neither D nor A may be written.
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Operand.h"
#include "Exec/Decode/FunctionDecoder.h"
#include "Exec/Mma/MatrixTile.h"
#include "State/Machine.h"
#include "State/WgmmaState.h"

namespace tc::emu {

namespace {

struct WgmmaInfo : Payload {
  TileForm form;
  std::vector<Dst> d;
  std::vector<Src> aRegisters; ///< empty: A in shared memory
  Src aDescriptor, bDescriptor, scaleD;
  bool scaleDIsImmediate = false, scaleDImmediate = false;
  bool negateA = false, negateB = false, transposeA = false, transposeB = false;
};

class WgmmaOp final : public AsyncOp {
public:
  WgmmaOp(Warp &warp, const DecodedInst &inst, bool accumulate)
      : AsyncOp(AsyncClass::Wgmma, warp, 0, inst.line), warp(warp), inst(inst),
        payload(inst.payload), undefined(info().form), accumulate(accumulate) {
    what = "wgmma.mma_async";
    findUndefinedA(warp, inst, info().form, info().aRegisters, undefined);
    for (const Src &s : info().aRegisters)
      aAtIssue.insert(aAtIssue.end(), warp.r32(s), warp.r32(s) + 32);
  }

  Expected<bool> step(Cluster &cluster) override {
    if (Status status = compute(cluster); !status) {
      Error error = status.takeError();
      error.message = describe() + ": " + error.message;
      return error;
    }
    sourcesRead = true;
    const TileForm &form = info().form;
    cluster.machine.mmaMacs.fetch_add(16ull * form.n * form.k,
                                      std::memory_order_relaxed);
    return true;
  }

  void announce(Cluster &, Observer &events) const override {
    if (info().aRegisters.empty())
      announceOperand(a, issuerRank, firstRow(), 16, info().form.k, events);
    announceOperand(b, issuerRank, 0, info().form.n, info().form.k, events);
  }

  bool touchesCta(unsigned rank) const override { return rank == issuerRank; }

  bool readsShared(unsigned rank, uint32_t offset,
                   uint32_t bytes) const override {
    if (rank != issuerRank)
      return false;
    return (info().aRegisters.empty() &&
            smemOperandTouches(a, firstRow(), 16, info().form.k, offset,
                               bytes)) ||
           smemOperandTouches(b, 0, info().form.n, info().form.k, offset,
                              bytes);
  }

  SmemOperand a, b;

private:
  const WgmmaInfo &info() const {
    return static_cast<const WgmmaInfo &>(*payload);
  }

  /// Of the 64, of this warp's part.
  unsigned firstRow() const { return 16 * (issuerWarp % 4); }

  Status compute(Cluster &cluster) {
    const WgmmaInfo &i = info();
    const SharedMemory &smem = cluster.cta(issuerRank)->smem;
    std::vector<uint32_t> aBits, bBits, cells, offsets;
    if (i.aRegisters.empty()) {
      if (Status status =
              gatherSmem(smem, a, firstRow(), 16, i.form.k, aBits, offsets);
          !status)
        return status;
      noteOperand(cluster, offsets, undefined.rows);
    } else {
      std::vector<const uint32_t *> values;
      for (size_t j = 0; j < i.aRegisters.size(); ++j) {
        const uint32_t *now = warp.r32(i.aRegisters[j]);
        if (memcmp(now, &aAtIssue[32 * j], 128))
          return Error{"register " + std::to_string(j) +
                       " of A was written before wgmma.wait_group"};
        values.push_back(now);
      }
      unpackA(i.form, values, i.negateA, aBits);
    }
    if (Status status =
            gatherSmem(smem, b, 0, i.form.n, i.form.k, bBits, offsets);
        !status)
      return status;
    noteOperand(cluster, offsets, undefined.columns);
    std::vector<uint32_t *> values;
    for (size_t j = 0; j < i.d.size(); ++j) {
      if (warp.defined[0][i.d[j].reg])
        return Error{"register " + std::to_string(j) +
                     " of D was written before wgmma.wait_group"};
      values.push_back(warp.w32(i.d[j]));
    }
    if (accumulate)
      unpackD(i.form, {values.begin(), values.end()}, cells);
    multiplyTile(i.form, aBits, bBits, accumulate, cells);
    noteAccumulators();
    packD(i.form, cells, values);
    for (unsigned j = 0; undefined.any && j < i.d.size(); ++j) {
      const UndefinedRegister of = undefinedOfD(i.form, undefined, j);
      warp.wgmma->undefined[i.d[j].reg] = {of.halves[0], of.halves[1]};
      for (unsigned l = 0; l < 32; ++l)
        warp.setOrigin(i.d[j], l, of.origins[l]);
    }
    return {};
  }

  /// Rows or columns of an operand in shared memory that have no value.
  void noteOperand(Cluster &cluster, const std::vector<uint32_t> &offsets,
                   std::vector<OriginId> &places) {
    for (size_t mn = 0; mn < offsets.size(); ++mn)
      if (offsets[mn])
        undefined.note(
            places[mn],
            cluster.sharedOrigin(*this, smemAddress(issuerRank, offsets[mn])));
  }

  /// What earlier work, or nothing, has left in D without a value.
  void noteAccumulators() {
    for (unsigned j = 0; j < info().d.size(); ++j) {
      const Dst &d = info().d[j];
      auto found = warp.wgmma->undefined.find(d.reg);
      if (found == warp.wgmma->undefined.end())
        continue;
      if (accumulate)
        findUndefinedC(warp, inst, info().form, j, valueOf(d), found->second[0],
                       found->second[1], undefined);
      warp.wgmma->undefined.erase(found);
    }
  }

  Warp &warp;
  const DecodedInst &inst;
  std::shared_ptr<const Payload> payload;
  std::vector<uint32_t> aAtIssue;
  UndefinedTile undefined;
  const bool accumulate;
};

WgmmaState &stateOf(Warp &w) {
  if (!w.wgmma)
    w.wgmma = std::make_shared<WgmmaState>();
  return *w.wgmma;
}

} // namespace

/// Matrix descriptor of sm_90 (9.7.15.5.1.2.2): swizzle in bits 62-63.
static Expected<SmemDescriptor> decodeDescriptor(uint64_t bits,
                                                 const char *operand) {
  if (uint64_t base = bits >> 49 & 7)
    return Error{std::string(operand) +
                 " descriptor, bits 49-51 (base offset): expected 0, the only "
                 "value that the emulator supports: swizzle patterns on their "
                 "natural boundary, got " +
                 std::to_string(base)};
  static constexpr SmemSwizzle kSwizzles[] = {
      SmemSwizzle::None, SmemSwizzle::B128, SmemSwizzle::B64, SmemSwizzle::B32};
  SmemDescriptor d;
  d.start = uint32_t(bits & 0x3fff) << 4;
  d.lbo = uint32_t(bits >> 16 & 0x3fff) << 4;
  d.sbo = uint32_t(bits >> 32 & 0x3fff) << 4;
  d.swizzle = kSwizzles[bits >> 62];
  return d;
}

static Expected<SmemOperand> operandOf(uint64_t bits, const OperandType &type,
                                       bool transpose, bool negate,
                                       const char *name) {
  Expected<SmemDescriptor> descriptor = decodeDescriptor(bits, name);
  if (!descriptor)
    return descriptor.takeError();
  SmemOperand operand;
  operand.descriptor = *descriptor;
  operand.type = type;
  operand.mnMajor = transpose;
  operand.negate = negate;
  operand.name = name;
  return operand;
}

/// The one value that all lanes have to agree on; false after a report.
static bool uniform(Warp &w, const DecodedInst &i, const Src &s,
                    const char *name, uint64_t &value) {
  const uint64_t *values = w.r64(s);
  value = values[0];
  for (unsigned l = 1; l < 32; ++l)
    if (values[l] != value) {
      w.fail(ReportKind::Trap, i,
             std::string(name) +
                 " descriptor: expected the same value in all "
                 "lanes, lane " +
                 std::to_string(l) + " differs");
      return false;
    }
  return true;
}

static Step execWgmma(Warp &w, const DecodedInst &i, uint32_t active) {
  const WgmmaInfo &info = i.as<WgmmaInfo>();
  WgmmaState &state = stateOf(w);
  if (w.machine.warpsPerCta / 4 * 4 <= w.index / 4 * 4)
    return w.fail(ReportKind::Sync, i,
                  "expected a whole warpgroup of four warps, the CTA has " +
                      std::to_string(w.machine.warpsPerCta) + " warps");
  if (!state.fenced)
    return w.fail(ReportKind::Sync, i,
                  "expected wgmma.fence before the first wgmma.mma_async (PTX "
                  "ISA 9.0, \"wgmma.fence\", 9.7.15.7.1)");
  for (const Src *s : {&info.aDescriptor, &info.bDescriptor, &info.scaleD})
    if (s->valid && !w.requireDefined(i, *s, active))
      return Step::Stop;
  uint32_t scale = info.scaleDIsImmediate ? (info.scaleDImmediate ? ~0u : 0)
                                          : w.predicate(info.scaleD);
  if (scale != 0 && scale != ~0u)
    return w.fail(ReportKind::Trap, i,
                  "scale-d: expected the same value in all lanes");
  auto op = std::make_unique<WgmmaOp>(w, i, scale != 0);
  uint64_t bits;
  if (info.aRegisters.empty()) {
    if (!uniform(w, i, info.aDescriptor, "a", bits))
      return Step::Stop;
    Expected<SmemOperand> a =
        operandOf(bits, info.form.a, info.transposeA, info.negateA, "a");
    if (!a)
      return w.fail(ReportKind::Trap, i, a.error().message);
    op->a = *a;
  }
  if (!uniform(w, i, info.bDescriptor, "b", bits))
    return Step::Stop;
  Expected<SmemOperand> b =
      operandOf(bits, info.form.b, info.transposeB, info.negateB, "b");
  if (!b)
    return w.fail(ReportKind::Trap, i, b.error().message);
  op->b = *b;

  // D: its own values, or those that earlier work leaves in the registers.
  std::vector<uint64_t> after;
  for (const Dst &d : info.d) {
    auto owner = state.owners.find(d.reg);
    if (owner != state.owners.end()) {
      after.push_back(owner->second.id);
      continue;
    }
    if (scale && w.defined[0][d.reg] != ~0u)
      state.undefined[d.reg] = {~w.definedHalf(valueOf(d), 0, 32),
                                ~w.definedHalf(valueOf(d), 1, 32)};
  }
  for (const Dst &d : info.d)
    w.undefine(d, ~0u);
  AsyncOp &issued = w.cluster.engine.issue(w.cluster, std::move(op), after);
  for (const Dst &d : info.d)
    state.owners[d.reg] = {issued.id, i.line};
  state.add(issued.id);
  return Step::Yield;
}

static Step execWgmmaFence(Warp &w, const DecodedInst &i, uint32_t) {
  stateOf(w).fenced = true;
  return Step::Next;
}

static Step execCommitGroup(Warp &w, const DecodedInst &i, uint32_t) {
  stateOf(w).commit();
  return Step::Next;
}

/// imm: groups that may stay pending. Registers of the others are given back.
static Step execWaitGroup(Warp &w, const DecodedInst &i, uint32_t) {
  WgmmaState &state = stateOf(w);
  if (state.groups.size() <= i.imm)
    return Step::Next;
  const size_t groups = state.groups.size() - i.imm;
  const auto [covered, last] = state.groups[groups - 1];
  // The warps that have still to issue what this one waits for, too.
  for (unsigned index = w.index / 4 * 4, end = index + 4; index < end;
       ++index) {
    Warp &member = *w.cta.warps[index];
    if (!stateOf(member).haveFinished(covered, [&](uint64_t id) {
          return w.cluster.engine.isPending(id);
        }))
      return w.block(WaitKind::WgmmaGroup, &member, i.imm);
  }
  state.groups.erase(state.groups.begin(), state.groups.begin() + groups);
  if (covered == 0)
    return Step::Next;
  if (w.cluster.events)
    w.cluster.events->sync({SyncEvent::WgmmaWait, &w, ~0u, nullptr, covered, 0,
                            i.order, i.scope, i.line});
  for (auto it = state.owners.begin(); it != state.owners.end();) {
    if (it->second.id > last) {
      ++it;
      continue;
    }
    w.defined[0][it->first] = ~0u;
    if (auto found = state.undefined.find(it->first);
        found != state.undefined.end()) {
      Dst d;
      d.reg = it->first;
      w.defineHalves(d, ~0u, ~found->second[0], ~found->second[1], 32);
      state.undefined.erase(found);
    }
    it = state.owners.erase(it);
  }
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool takeAligned(DecodeContext &c) {
  bool good = c.take("sync");
  good &= c.inst.aligned = c.take("aligned");
  if (!good)
    c.fail("expected .sync.aligned");
  return good;
}

static void decodeWgmmaFence(DecodeContext &c) {
  if (takeAligned(c) && c.expectOperands(0, 0))
    c.inst.fn = execWgmmaFence;
}

static void decodeCommitGroup(DecodeContext &c) {
  if (takeAligned(c) && c.expectOperands(0, 0))
    c.inst.fn = execCommitGroup;
}

static void decodeWaitGroup(DecodeContext &c) {
  if (!takeAligned(c) || !c.expectOperands(1, 1))
    return;
  c.inst.imm = uint64_t(c.immediate(c.operand(0)));
  c.inst.fn = execWaitGroup;
}

/// imm-scale-a and -b (1 or -1), imm-trans-a and -b (0 or 1).
static bool flag(DecodeContext &c, unsigned operand, int64_t one, int64_t two) {
  int64_t value = c.immediate(c.operand(operand));
  if (value != one && value != two)
    c.fail("operand " + std::to_string(operand) + ": expected " +
           std::to_string(one) + " or " + std::to_string(two) + ", got " +
           std::to_string(value));
  return value == two;
}

static void decodeWgmma(DecodeContext &c) {
  auto info = std::make_shared<WgmmaInfo>();
  TileForm &form = info->form;
  if (c.take("sp"))
    return c.fail(".sp (sparse A) is not supported by the emulator");
  if (!takeAligned(c))
    return;
  if (c.decoder.module.source->target != "sm_90a")
    return c.fail("expected .target sm_90a, got " +
                  std::string(c.decoder.module.source->target));
  std::string_view shape = c.takePrefix("m64n");
  form.saturate = c.take("satfinite");
  Type d = c.takeType(), a = c.takeType(), b = c.takeType();
  size_t kAt = shape.find('k');
  if (shape.empty() || kAt == shape.npos)
    return c.fail("expected a shape .m64nNkK");
  for (char digit : shape.substr(4, kAt - 4))
    form.n = 10 * form.n + unsigned(digit - '0');
  for (char digit : shape.substr(kAt + 1))
    form.k = 10 * form.k + unsigned(digit - '0');
  if (!matrixOperandType(a, form.a) || !matrixOperandType(b, form.b))
    return c.fail("expected operands of type f16, bf16, tf32, e4m3, e5m2, s8 "
                  "or u8");
  form.integer = form.a.integer;
  form.hopper = true;
  bool sameTypes = form.a.bits == 8 ? form.a.integer == form.b.integer : a == b;
  bool halfD = d == Type::F16 &&
               (a == Type::F16 || (form.a.bits == 8 && !form.a.integer));
  // Integers: n = 8, 16, 24 and the multiples of 16 from 32 on.
  bool legalN = form.n >= 8 && form.n <= 256 && form.n % 8 == 0 &&
                (!form.integer || form.n <= 24 || form.n % 16 == 0);
  if (!sameTypes || !legalN || form.k * form.a.bits != 256 ||
      (form.integer ? d != Type::S32 : d != Type::F32 && !halfD) ||
      (form.saturate && !form.integer))
    return c.fail("the types do not go with shape ." + std::string(shape));
  if (d == Type::F16)
    form.accumulator = NumberFormat::F16;

  bool inRegisters = c.operand(1).kind == ast::Operand::Kind::Vector;
  bool sixteen = form.a.bits == 16;
  // d, a, b, scale-d {, scale-a, scale-b {, trans-a}, trans-b}.
  unsigned n = form.integer ? 4 : sixteen ? (inRegisters ? 7 : 8) : 6;
  if (!c.expectOperands(n, n))
    return;
  info->d = c.dstVector(c.operand(0), d == Type::F32 ? d : Type::B32);
  if (inRegisters)
    c.areData(info->aRegisters = c.srcVector(c.operand(1), Type::B32));
  else
    info->aDescriptor = c.src(1, Type::B64);
  info->bDescriptor = c.src(2, Type::B64);
  if (c.isImmediate(c.operand(3))) {
    info->scaleDIsImmediate = true;
    info->scaleDImmediate = c.immediate(c.operand(3)) != 0;
  } else {
    info->scaleD = c.predicate(c.operand(3));
  }
  if (n > 4) {
    info->negateA = flag(c, 4, 1, -1);
    info->negateB = flag(c, 5, 1, -1);
  }
  if (sixteen) {
    info->transposeA = !inRegisters && flag(c, 6, 0, 1);
    info->transposeB = flag(c, n - 1, 0, 1);
  }
  size_t wantD = fragmentRegistersD(form);
  if (info->d.size() != wantD ||
      (inRegisters && info->aRegisters.size() != fragmentRegistersA(form)))
    return c.fail("expected " + std::to_string(wantD) +
                  " registers for D and " +
                  std::to_string(fragmentRegistersA(form)) + " for A");
  for (const Dst &dst : info->d)
    if (!dst.valid)
      return c.fail("expected registers as destination, got '_'");
  c.inst.tracksUndefined = true;
  c.inst.fn = execWgmma;
  c.inst.payload = std::move(info);
}

void registerWgmmaInstructions(InstructionTable &table) {
  table.add("wgmma.mma_async", decodeWgmma);
  table.add("wgmma.fence", decodeWgmmaFence);
  table.add("wgmma.commit_group", decodeCommitGroup);
  table.add("wgmma.wait_group", decodeWaitGroup);
}

} // namespace tc::emu
