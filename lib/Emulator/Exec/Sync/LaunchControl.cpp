//===- LaunchControl.cpp - clusterlaunchcontrol ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "clusterlaunchcontrol.try_cancel", 9.7.13.17, and
// "clusterlaunchcontrol.query_cancel", 9.7.13.18. A request is asynchronous: it
// writes an opaque answer of 16 bytes to shared memory and completes as many
// bytes on an mbarrier, in one CTA or in all of the cluster.
//
//===----------------------------------------------------------------------===//

#include "Exec/Sync/LaunchControl.h"

#include "Exec/Decode/InstructionTable.h"
#include "State/Machine.h"
#include "State/WorkStealing.h"

namespace tc::emu {

namespace {

/// The opaque answer, for this emulator alone.
struct Answer {
  uint32_t x = 0;
  uint16_t y = 0, z = 0;
  uint64_t tag = 0;
};
static_assert(sizeof(Answer) == 16);
constexpr uint64_t kDeclined = 0x0be5001a0be50010ull, kCanceled = kDeclined + 1;

class TryCancelOp final : public AsyncOp {
public:
  TryCancelOp(const Warp &w, unsigned lane, const DecodedInst &inst,
              std::vector<uint32_t> answers, std::vector<uint32_t> barriers)
      : AsyncOp(AsyncClass::BulkLoad, w, lane, inst.line),
        answers(std::move(answers)), barriers(std::move(barriers)) {
    what = "clusterlaunchcontrol.try_cancel";
    sourcesRead = true;
  }

  void onIssue(Cluster &cluster) override {
    if (cluster.engine.poisons())
      for (uint32_t to : answers)
        cluster.cta(smemRank(to))
            ->smem.mark(smemOffset(to), 16, SharedMemory::Limbo);
  }

  void announce(Cluster &, Observer &events) const override {
    for (size_t i = 0; i < answers.size(); ++i) {
      events.completesOn(barriers[i]);
      events.asyncShared(answers[i], 16, true);
    }
  }

  Expected<bool> step(Cluster &cluster) override {
    if (next == 0)
      decide(cluster);
    const size_t target = next / 2;
    if (next % 2 == 0) {
      SharedMemory &smem = cluster.cta(smemRank(answers[target]))->smem;
      memcpy(smem.data(smemOffset(answers[target])), &answer, 16);
      smem.mark(smemOffset(answers[target]), 16, SharedMemory::Init);
    } else {
      if (cluster.events)
        cluster.events->sync({SyncEvent::CompleteTx, nullptr, 0, this,
                              barriers[target], target, MemoryOrder::AcqRel,
                              Scope::Cluster, line});
      if (Status status =
              cluster.mbarrierCompleteTx(barriers[target], 16, asArrival());
          !status) {
        Error error = status.takeError();
        error.message = describe() + ": " + error.message;
        return error;
      }
    }
    return ++next == 2 * answers.size();
  }

  bool touchesCta(unsigned rank) const override {
    for (size_t i = next / 2; i < answers.size(); ++i)
      if (smemRank(answers[i]) == rank || smemRank(barriers[i]) == rank)
        return true;
    return false;
  }

  bool writesShared(unsigned rank, uint32_t offset,
                    uint32_t bytes) const override {
    for (size_t i = (next + 1) / 2; i < answers.size(); ++i)
      if (smemRank(answers[i]) == rank &&
          smemOffset(answers[i]) < offset + bytes &&
          offset < smemOffset(answers[i]) + 16)
        return true;
    return false;
  }

private:
  void decide(Cluster &cluster) {
    Machine &machine = cluster.machine;
    answer.tag = kDeclined;
    std::optional<uint64_t> index;
    if (machine.stealing)
      index = machine.stealing->cancel(cluster.index);
    if (!index)
      return;
    const auto &shape = machine.config.cluster;
    const auto &grid = machine.config.grid;
    uint64_t across = grid[0] / shape[0], down = grid[1] / shape[1];
    answer.x = uint32_t(*index % across * shape[0]);
    answer.y = uint16_t(*index / across % down * shape[1]);
    answer.z = uint16_t(*index / (across * down) * shape[2]);
    answer.tag = kCanceled;
    ++cluster.effects;
  }

  const std::vector<uint32_t> answers, barriers;
  size_t next = 0; ///< step: 2 * target, + 1 once the answer is there
  Answer answer;
};

struct TryCancel : Payload {
  MemRef barrier;
  bool multicast = false;
};

struct CtaidOut : Payload {
  Dst out[3]; ///< x, y, z
};

} // namespace

static Step execTryCancel(Warp &w, const DecodedInst &i, uint32_t active) {
  const TryCancel &info = i.as<TryCancel>();
  Cluster &cluster = w.cluster;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t to, barrier;
    if (!w.toShared(w.address(i.mem, l), i.mem.space, to) ||
        !w.toShared(w.address(info.barrier, l), info.barrier.space, barrier) ||
        smemRank(to) != w.cta.rank || smemRank(barrier) != w.cta.rank)
      return w.fail(ReportKind::Memory, i,
                    "expected addresses in the executing CTA's shared memory");
    if (to % 16)
      return w.fail(ReportKind::Memory, i,
                    "misaligned address: expected a multiple of 16, lane " +
                        std::to_string(l));
    std::vector<uint32_t> answers, barriers;
    for (unsigned rank = 0; rank < cluster.ctas.size(); ++rank) {
      if (!info.multicast && rank != w.cta.rank)
        continue;
      answers.push_back(smemAddress(rank, smemOffset(to)));
      barriers.push_back(smemAddress(rank, smemOffset(barrier)));
      SharedMemory &smem = cluster.cta(rank)->smem;
      if (!smem.inBounds(smemOffset(to), 16) ||
          !smem.isWritable(smemOffset(to), 16))
        return w.fail(ReportKind::Memory, i,
                      "answer: " + smem.explain(smemOffset(to), 16, true));
      std::string why;
      if (!cluster.mbarrier(barriers.back(), why))
        return w.fail(ReportKind::Sync, i, "mbarrier: " + why);
    }
    cluster.engine.issue(
        cluster, std::make_unique<TryCancelOp>(w, l, i, std::move(answers),
                                               std::move(barriers)));
  }
  return Step::Yield;
}

bool cancelsClusters(const KernelCode &kernel) {
  for (const DecodedInst &inst : kernel.code)
    if (inst.fn == execTryCancel)
      return true;
  return false;
}

/// The answer in lane `l` of a 128-bit register; false after a report.
static bool readAnswer(Warp &w, const DecodedInst &i, unsigned l,
                       Answer &answer) {
  memcpy(static_cast<void *>(&answer), w.r64(i.s[0]) + 2 * l, 16);
  if (answer.tag == kDeclined || answer.tag == kCanceled)
    return true;
  w.fail(ReportKind::Trap, i,
         "expected an answer of clusterlaunchcontrol.try_cancel, got other "
         "bytes");
  return false;
}

static Step execIsCanceled(Warp &w, const DecodedInst &i, uint32_t active) {
  uint32_t bits = 0;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    Answer answer;
    if (!readAnswer(w, i, l, answer))
      return Step::Stop;
    bits |= uint32_t(answer.tag == kCanceled) << l;
  }
  w.setPredicate(i.d[0], active, bits);
  return Step::Next;
}

static Step execFirstCtaid(Warp &w, const DecodedInst &i, uint32_t active) {
  const CtaidOut &info = i.as<CtaidOut>();
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    Answer answer;
    if (!readAnswer(w, i, l, answer))
      return Step::Stop;
    if (answer.tag != kCanceled)
      return w.fail(ReportKind::Trap, i,
                    "expected the answer to a request that succeeded: test it "
                    "with query_cancel.is_canceled first (PTX ISA 9.0, "
                    "\"clusterlaunchcontrol.query_cancel\", 9.7.13.18)");
    const uint32_t ctaid[3] = {answer.x, answer.y, answer.z};
    for (unsigned k = 0; k < 3; ++k)
      if (info.out[k].valid)
        w.w32(info.out[k])[l] = ctaid[k];
  }
  for (const Dst &d : info.out)
    if (d.valid)
      w.define(d, active);
  return Step::Next;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

static void decodeTryCancel(DecodeContext &c) {
  auto info = std::make_shared<TryCancel>();
  if (!c.take("async"))
    return c.fail("expected .async");
  Space space = c.takeSpace();
  bool good = c.take("mbarrier::complete_tx::bytes");
  info->multicast = c.take("multicast::cluster::all");
  if (!good || (space != Space::Generic && space != Space::SharedCta))
    return c.fail("expected .shared::cta or no state space, and "
                  ".mbarrier::complete_tx::bytes");
  if (!c.take("b128"))
    return c.fail("expected .b128");
  if (!c.expectOperands(2, 2))
    return;
  c.inst.mem = c.memRef(0, space);
  info->barrier = c.memRef(1, space);
  c.inst.choice = Choice::CancelAnswer;
  c.inst.fn = execTryCancel;
  c.inst.payload = std::move(info);
}

static void decodeQueryCancel(DecodeContext &c) {
  if (c.take("is_canceled")) {
    if (!c.take("pred") || !c.take("b128"))
      return c.fail("expected .pred.b128");
    if (!c.expectOperands(2, 2))
      return;
    c.inst.d[0] = c.predicateDst(c.operand(0));
    c.inst.s[0] = c.src(1, Type::B128);
    if (!c.inst.d[0].valid)
      return c.fail("expected a predicate as destination");
    c.inst.fn = execIsCanceled;
    c.inst.flow = Flow::Pure;
    return;
  }
  auto info = std::make_shared<CtaidOut>();
  std::string_view one = c.takeOneOf(
      {"get_first_ctaid::x", "get_first_ctaid::y", "get_first_ctaid::z"});
  bool all = one.empty() && c.take("get_first_ctaid");
  if (one.empty() && !all)
    return c.fail("expected .is_canceled or .get_first_ctaid");
  if (all && !c.take("v4"))
    return c.fail("expected .v4");
  if (!c.take("b32") || !c.take("b128"))
    return c.fail("expected .b32.b128");
  if (!c.expectOperands(2, 2))
    return;
  if (all) {
    std::vector<Dst> out = c.dstVector(c.operand(0), Type::B32);
    if (out.size() != 4)
      return c.fail("expected 4 elements, got " + std::to_string(out.size()));
    for (unsigned k = 0; k < 3; ++k)
      info->out[k] = out[k];
  } else {
    info->out[one.back() - 'x'] = c.dst(0, Type::B32);
  }
  c.inst.s[0] = c.src(1, Type::B128);
  c.inst.fn = execFirstCtaid;
  c.inst.flow = Flow::Pure;
  c.inst.payload = std::move(info);
}

void registerLaunchControlInstructions(InstructionTable &table) {
  table.add("clusterlaunchcontrol.try_cancel", decodeTryCancel);
  table.add("clusterlaunchcontrol.query_cancel", decodeQueryCancel);
}

} // namespace tc::emu
