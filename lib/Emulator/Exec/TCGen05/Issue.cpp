//===- Issue.cpp - tcgen05.mma, .commit and .fence ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decoding of the matrix instructions and of tcgen05.commit, and what their
// issue does: check the operands, find what they have to wait for, leave an
// operation with the engine (PTX ISA 9.0, "tcgen05.mma", 9.7.16.10.9,
// "tcgen05.commit", 9.7.16.12.1).
//
//===----------------------------------------------------------------------===//

#include "Engines/TCGen05/Mma.h"
#include "Exec/Decode/Modifiers.h"
#include "Exec/Decode/Targets.h"
#include "Exec/TCGen05/TCGen05.h"
#include "State/Machine.h"

namespace tc::emu {

namespace {

struct Mma : Payload {
  MmaForm form;
  unsigned scalesPerRow = 0;
  MemRef d, aTmem, tables, metadata, scaleA, scaleB;
  Src a, b, instruction, enable, columnMask;
  bool enableIsImmediate = false, enableImmediate = false;
  std::vector<Src> disabledLanes;
  unsigned scaleD = 0;
};

struct Commit : Payload {
  unsigned ctaGroup = 1;
  /// Of the mask.
  unsigned maskBits = 0; ///< of .multicast::cluster, 0 without it
  /// It waits for the reads of A in shared memory alone.
  bool readsOfA = false;
  MemRef barrier;
  Src mask;

  bool multicast() const { return maskBits != 0; }
};

/// Arrives on one barrier after another, one step each, in any order.
class CommitOp final : public AsyncOp {
public:
  CommitOp(const Warp &warp, unsigned lane, const DecodedInst &inst,
           const Commit &commit, std::vector<uint32_t> barriers)
      : AsyncOp(AsyncClass::Commit, warp, lane, inst.line),
        readsOfA(commit.readsOfA), barriers(std::move(barriers)) {
    what = "tcgen05.commit.cta_group::" + std::to_string(commit.ctaGroup);
    if (commit.readsOfA)
      what += ".sync_restrict::shared::read::mma::a";
    sourcesRead = true;
  }

  Expected<bool> step(Cluster &cluster) override {
    size_t chosen = cluster.policy.chooseTarget(barriers.size());
    uint32_t barrier = barriers[chosen];
    if (cluster.events)
      cluster.events->sync({SyncEvent::Arrive, nullptr, 0, this, barrier, 0,
                            MemoryOrder::AcqRel, Scope::Cluster, line});
    if (Status status = cluster.mbarrierArrive(barrier, 1, asArrival());
        !status) {
      Error error = status.takeError();
      error.message = describe() + ": " + error.message;
      return error;
    }
    barriers.erase(barriers.begin() + static_cast<ptrdiff_t>(chosen));
    return barriers.empty();
  }

  void announce(Cluster &, Observer &events) const override {
    for (uint32_t barrier : barriers)
      events.arrivesOn(barrier);
  }

  bool touchesCta(unsigned rank) const override {
    for (uint32_t barrier : barriers)
      if (smemRank(barrier) == rank)
        return true;
    return false;
  }

  const bool readsOfA;

private:
  std::vector<uint32_t> barriers; ///< that have not heard yet
};

} // namespace

static Step execMma(Warp &warp, const DecodedInst &inst, uint32_t active) {
  const Mma &mma = inst.as<Mma>();
  Cluster &cluster = warp.cluster;
  if (!checkCtaGroup(warp, inst, mma.form.ctaGroup))
    return Step::Stop;
  uint32_t enable = mma.enableIsImmediate ? (mma.enableImmediate ? ~0u : 0)
                                          : warp.predicate(mma.enable);
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    MmaValues values;
    values.form = mma.form;
    values.d = static_cast<uint32_t>(warp.address(mma.d, lane));
    values.a = mma.form.tmemA
                   ? static_cast<uint32_t>(warp.address(mma.aTmem, lane))
                   : warp.r64(mma.a)[lane];
    values.b = warp.r64(mma.b)[lane];
    values.instruction = warp.r32(mma.instruction)[lane];
    values.accumulate = enable >> lane & 1;
    values.scaleD = mma.scaleD;
    for (const Src &word : mma.disabledLanes)
      values.disabledLanes.push_back(warp.r32(word)[lane]);
    if (mma.columnMask.valid)
      values.columnMask = warp.r64(mma.columnMask)[lane];
    if (mma.form.lookupB)
      values.tables = static_cast<uint32_t>(warp.address(mma.tables, lane));
    if (mma.form.sparse)
      values.metadata = static_cast<uint32_t>(warp.address(mma.metadata, lane));
    if (mma.scalesPerRow) {
      values.scalesPerRow = mma.scalesPerRow;
      values.scaleA = static_cast<uint32_t>(warp.address(mma.scaleA, lane));
      values.scaleB = static_cast<uint32_t>(warp.address(mma.scaleB, lane));
    }
    Expected<std::unique_ptr<TmemOp>> op =
        makeMma(cluster, warp, lane, inst, values);
    if (!op)
      return warp.fail(ReportKind::Trap, inst, op.error().message);
    Expected<std::vector<uint64_t>> after = orderTmemOp(cluster, **op);
    if (!after)
      return warp.fail(ReportKind::Sync, inst, after.error().message);
    cluster.engine.issue(cluster, std::move(*op), *after);
  }
  return Step::Yield;
}

static Step execCommit(Warp &warp, const DecodedInst &inst, uint32_t active) {
  const Commit &commit = inst.as<Commit>();
  Cluster &cluster = warp.cluster;
  if (!checkCtaGroup(warp, inst, commit.ctaGroup))
    return Step::Stop;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    uint32_t barrier;
    uint64_t given = warp.address(commit.barrier, lane);
    if (!warp.toShared(given, commit.barrier.space, barrier)) {
      if (given >> 32 ||
          !warp.machine.assumes(Assumption::SharedAddressAsGeneric))
        return warp.fail(ReportKind::Memory, inst,
                         "expected a generic address in the shared window for "
                         "the mbarrier (PTX ISA 9.0, \"tcgen05.commit\", "
                         "9.7.16.12.1)");
      barrier = uint32_t(given);
      warp.machine.noteUse(Assumption::SharedAddressAsGeneric, inst.line,
                           inst.line);
    }
    std::vector<uint32_t> barriers;
    if (commit.multicast()) {
      const uint64_t mask =
          warp.r32(commit.mask)[lane] & ((uint64_t(1) << commit.maskBits) - 1);
      if (!mask || mask >> cluster.ctas.size())
        return warp.fail(ReportKind::Sync, inst,
                         "ctaMask: expected a nonempty set of ranks below " +
                             std::to_string(cluster.ctas.size()) +
                             ", got mask " + std::to_string(mask));
      for (unsigned rank = 0; rank < commit.maskBits; ++rank)
        if (mask >> rank & 1)
          barriers.push_back(smemAddress(rank, smemOffset(barrier)));
    } else {
      barriers.push_back(barrier);
    }
    for (uint32_t address : barriers) {
      std::string why;
      if (!cluster.mbarrier(address, why))
        return warp.fail(ReportKind::Sync, inst, "mbarrier: " + why);
    }
    // Everything that this thread issued before, of the same CTA group.
    std::vector<uint64_t> after, afterReads;
    cluster.engine.findIf([&](const AsyncOp &other) {
      if (other.issuerRank != warp.cta.rank || other.issuerWarp != warp.index ||
          other.issuerLane != lane)
        return false;
      bool pipe = other.asyncClass == AsyncClass::Mma ||
                  other.asyncClass == AsyncClass::TmemCopy ||
                  other.asyncClass == AsyncClass::TmemShift;
      const auto *op = pipe ? dynamic_cast<const TmemOp *>(&other) : nullptr;
      if (op && op->ctaGroup == commit.ctaGroup) {
        if (!commit.readsOfA)
          after.push_back(other.id);
        else if (op->hasFirstReads())
          afterReads.push_back(other.id);
      }
      if (const auto *earlier = dynamic_cast<const CommitOp *>(&other);
          earlier && earlier->readsOfA == commit.readsOfA &&
          warp.machine.assumes(Assumption::CommitsInOrder))
        after.push_back(other.id);
      return false;
    });
    cluster.engine.issue(cluster,
                         std::make_unique<CommitOp>(warp, lane, inst, commit,
                                                    std::move(barriers)),
                         after, afterReads);
  }
  return Step::Yield;
}

/// Orders this thread's tcgen05 work against its other synchronisation; the
/// engine needs nothing, a checker wants to know.
static Step execTcgen05Fence(Warp &warp, const DecodedInst &inst,
                             uint32_t active) {
  if (warp.cluster.events)
    warp.cluster.events->sync({SyncEvent::Fence, &warp, active, nullptr, 0,
                               inst.aux, MemoryOrder::AcqRel, Scope::Cta,
                               inst.line});
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static bool takeKind(DecodeContext &context, MmaKind &kind) {
  for (MmaKind k :
       {MmaKind::F16, MmaKind::TF32, MmaKind::F8F6F4, MmaKind::I8,
        MmaKind::MXF8F6F4, MmaKind::MXF4, MmaKind::MXF4NVF4, MmaKind::TI16})
    if (context.take("kind::" + std::string(toString(k)))) {
      kind = k;
      return true;
    }
  context.fail(
      "expected .kind::f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4 or "
      "ti16");
  return false;
}

/// Scale factors per row and instruction (tables "Scale vector size").
static void decodeScales(DecodeContext &context, Mma &mma) {
  bool needed = mma.form.kind == MmaKind::MXF8F6F4 ||
                mma.form.kind == MmaKind::MXF4 ||
                mma.form.kind == MmaKind::MXF4NVF4;
  bool given = context.take("block_scale");
  if (needed != given)
    return context.fail(
        needed ? "expected .block_scale for .kind::" +
                     std::string(toString(mma.form.kind))
               : ".block_scale: expected .kind::mxf8f6f4, mxf4 or mxf4nvf4");
  if (!needed)
    return;
  std::string_view size =
      context.takeOneOf({"scale_vec::1X", "scale_vec::2X", "scale_vec::4X",
                         "block16", "block32"});
  unsigned scales = 0;
  switch (mma.form.kind) {
  case MmaKind::MXF8F6F4:
    scales =
        size.empty() || size == "scale_vec::1X" || size == "block32" ? 1 : 0;
    break;
  case MmaKind::MXF4:
    scales =
        size.empty() || size == "scale_vec::2X" || size == "block32" ? 2 : 0;
    break;
  default:
    scales = size == "scale_vec::2X" || size == "block32"   ? 2
             : size == "scale_vec::4X" || size == "block16" ? 4
                                                            : 0;
    break;
  }
  if (!scales)
    return context.fail(
        "scale vector size '" + std::string(size) +
        "' does not exist for .kind::" + std::string(toString(mma.form.kind)));
  mma.scalesPerRow = scales;
  mma.form.scaleBlock = (mma.form.kind == MmaKind::MXF8F6F4 ? 32 : 64) / scales;
}

/// .collector::a::op, .collector::bN::op or, where there is one buffer of B,
/// .collector::b::op. It permits to keep an operand; rereading it is legal,
/// since the buffer has to be what memory was.
static bool checkCollector(DecodeContext &context, const MmaForm &form,
                           std::string_view given) {
  std::string_view rest = given.substr(std::string_view("collector::").size());
  size_t colons = rest.find("::");
  std::string_view buffer = rest.substr(0, colons),
                   op = colons == rest.npos ? "" : rest.substr(colons + 2);
  bool bufferFits = form.weightStationary
                        ? buffer.size() == 2 && buffer[0] == 'b' &&
                              buffer[1] >= '0' && buffer[1] <= '3'
                        : buffer == "a" || (buffer == "b" && form.hasWideK);
  const bool isOfB = buffer == "b";
  if (isOfB && form.kind == MmaKind::I8)
    bufferFits = false;
  if (!bufferFits ||
      (op != "fill" && op != "use" && op != "lastuse" && op != "discard")) {
    context.fail(std::string("expected .collector::") +
                 (form.weightStationary ? "b0 to b3"
                  : form.hasWideK       ? "a or b"
                                        : "a") +
                 "::fill, ::use, ::lastuse or ::discard, got ." +
                 std::string(given));
    return false;
  }
  if (form.shiftA && !isOfB && (op == "use" || op == "fill")) {
    context.fail(
        ".ashift: expected .collector::a::lastuse or ::discard, got ." +
        std::string(given));
    return false;
  }
  return true;
}

/// Both buffers may be named (PTX ISA 9.4, "tcgen05.mma", 9.7.18.10), and ptxas
/// takes them in any order.
static bool takeCollectors(DecodeContext &context, const MmaForm &form) {
  std::string_view first;
  for (;;) {
    std::string_view given = context.takePrefix("collector::");
    if (given.empty())
      return true;
    if (!checkCollector(context, form, given))
      return false;
    // Without .ws one of each buffer, with .ws one.
    std::string_view buffer = given.substr(0, given.rfind("::"));
    if (!first.empty() && (form.weightStationary || buffer == first)) {
      context.fail("expected one use of a collector buffer, got ." +
                   std::string(given) + ", too");
      return false;
    }
    first = buffer;
  }
}

/// What the target has of it.
static bool applyChip(DecodeContext &context, MmaForm &form) {
  form.hasWideK = chipFacts(context.target()).hasWideMma;
  if (form.kind == MmaKind::TI16)
    expectTarget(context, ".kind::ti16", Targets::Rubin, {9, 4});
  if (form.kind == MmaKind::I8)
    expectTarget(context, ".kind::i8", Targets::IntegerMma, {8, 6});
  return !context.failed();
}

/// .decompress::lut::b, which ptxas takes before and after the block size and
/// the collectors.
static bool takeLookup(DecodeContext &context, MmaForm &form) {
  form.lookupB = context.take("decompress::lut::b");
  if (!form.lookupB)
    return true;
  expectTarget(context, ".decompress::lut::b", Targets::Rubin, {9, 4});
  if (context.failed())
    return false;
  if (form.kind != MmaKind::F8F6F4 && form.kind != MmaKind::MXF8F6F4)
    context.fail(".decompress::lut::b: expected .kind::f8f6f4 or mxf8f6f4, "
                 "got .kind::" +
                 std::string(toString(form.kind)) +
                 " (PTX ISA 9.4, \"tcgen05.mma\", 9.7.18.10)");
  else if (form.weightStationary || form.sparse || form.shiftA)
    context.fail(".decompress::lut::b: expected none of .ws, .sp and .ashift "
                 "(PTX ISA 9.4, \"tcgen05.mma\", 9.7.18.10)");
  return !context.failed();
}

static void decodeMma(DecodeContext &context) {
  auto mma = std::make_shared<Mma>();
  mma->form.weightStationary = context.take("ws");
  mma->form.sparse = context.take("sp");
  mma->form.ctaGroup = takeCtaGroup(context);
  if (!takeKind(context, mma->form.kind) || !applyChip(context, mma->form))
    return;
  decodeScales(context, *mma);
  mma->form.shiftA = context.take("ashift");
  if (!takeLookup(context, mma->form))
    return;
  if (mma->form.shiftA && (mma->scalesPerRow || mma->form.weightStationary))
    return context.fail(".ashift: expected neither .ws nor .block_scale");
  if (!takeCollectors(context, mma->form))
    return;
  if (mma->form.weightStationary &&
      (mma->form.ctaGroup == 2 || mma->scalesPerRow))
    return context.fail(".ws: expected .cta_group::1 and no .block_scale");

  // [d], a, b, {[lut] or [sp-meta],} idesc, {[sfa], [sfb], | {mask},} enable {,
  // scale-d}.
  const unsigned least = 5 + mma->form.sparse + mma->form.lookupB;
  if (context.numOperands() < least)
    return context.fail("expected at least " + std::to_string(least) +
                        " operands, got " +
                        std::to_string(context.numOperands()));
  mma->d = context.memRef(0, Space::SharedCta);
  mma->form.tmemA = context.operand(1).kind == ast::Operand::Kind::Address;
  if (mma->form.tmemA)
    mma->aTmem = context.memRef(1, Space::SharedCta);
  else if (mma->form.shiftA)
    return context.fail(".ashift: expected A in Tensor Memory");
  else
    mma->a = context.src(1, Type::B64);
  mma->b = context.src(2, Type::B64);
  unsigned next = 3;
  if (mma->form.lookupB)
    mma->tables = context.memRef(next++, Space::SharedCta);
  if (mma->form.sparse)
    mma->metadata = context.memRef(next++, Space::SharedCta);
  mma->instruction = context.src(next++, Type::B32);
  if (mma->scalesPerRow) {
    mma->scaleA = context.memRef(next++, Space::SharedCta);
    mma->scaleB = context.memRef(next++, Space::SharedCta);
  } else if (context.operand(next).kind == ast::Operand::Kind::Vector) {
    mma->disabledLanes = context.srcVector(context.operand(next++), Type::B32);
    unsigned words = 4 * mma->form.ctaGroup;
    if (mma->form.weightStationary)
      return context.fail("disable-output-lane is not available with .ws");
    if (!context.failed() && mma->disabledLanes.size() != words)
      return context.fail("disable-output-lane: expected " +
                          std::to_string(words) + " words, got " +
                          std::to_string(mma->disabledLanes.size()));
  }
  if (next >= context.numOperands())
    return context.fail(
        "expected a predicate after the instruction descriptor");
  if (context.isImmediate(context.operand(next))) {
    mma->enableIsImmediate = true;
    mma->enableImmediate = context.immediate(context.operand(next)) != 0;
  } else {
    mma->enable = context.predicate(context.operand(next));
  }
  ++next;
  if (next < context.numOperands() && mma->form.weightStationary) {
    mma->columnMask = context.src(next++, Type::B64);
  } else if (next < context.numOperands()) {
    if (mma->form.kind != MmaKind::F16 && mma->form.kind != MmaKind::TF32)
      return context.fail("scale-input-d: expected .kind::f16 or .kind::tf32");
    int64_t scale = context.immediate(context.operand(next));
    if (scale < 0 || scale > 15)
      return context.fail("scale-input-d: expected 0 to 15, got " +
                          std::to_string(scale));
    mma->scaleD = static_cast<unsigned>(scale);
    ++next;
  }
  if (next != context.numOperands())
    return context.fail("expected " + std::to_string(next) + " operands, got " +
                        std::to_string(context.numOperands()));
  context.inst.payload = std::move(mma);
  context.inst.fn = execMma;
}

static void decodeCommit(DecodeContext &context) {
  auto commit = std::make_shared<Commit>();
  commit->ctaGroup = takeCtaGroup(context);
  if (!context.take("mbarrier::arrive::one"))
    return context.fail("expected .mbarrier::arrive::one");
  Space space = context.takeSpace();
  if (space != Space::Generic && space != Space::SharedCluster)
    return context.fail("expected .shared::cluster or no state space");
  commit->readsOfA = context.take("sync_restrict::shared::read::mma::a");
  if (commit->readsOfA)
    expectTarget(context, ".sync_restrict::shared::read::mma::a",
                 Targets::Rubin, {9, 4});
  commit->maskBits = takeMulticast(context);
  if (!context.take("b64"))
    return context.fail("expected .b64");
  if (!context.expectOperands(1 + commit->multicast(), 1 + commit->multicast()))
    return;
  commit->barrier = context.memRef(0, space);
  if (commit->multicast())
    commit->mask =
        context.src(1, commit->maskBits == 32 ? Type::B32 : Type::B16);
  context.inst.payload = std::move(commit);
  context.inst.fn = execCommit;
}

static void decodeTcgen05Fence(DecodeContext &context, bool after) {
  context.expectOperands(0, 0);
  context.inst.aux =
      uint32_t(after ? FenceKind::TensorAfter : FenceKind::TensorBefore);
  context.inst.fn = execTcgen05Fence;
}

void registerTcgen05Mma(InstructionTable &table) {
  table.add("tcgen05.mma", decodeMma);
  table.add("tcgen05.commit", decodeCommit);
  table.add("tcgen05.fence::before_thread_sync",
            [](DecodeContext &context) { decodeTcgen05Fence(context, false); });
  table.add("tcgen05.fence::after_thread_sync",
            [](DecodeContext &context) { decodeTcgen05Fence(context, true); });
}

} // namespace tc::emu
