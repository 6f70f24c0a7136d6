//===- StoreAsync.cpp - st.async and red.async ----------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0, "st.async", 9.7.9.12, and "red.async", 9.7.13.7: stores and
// reductions into shared memory of the cluster that complete bytes of an
// mbarrier in the destination's CTA. Each lane's one is an operation of its
// own.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/Modifiers.h"
#include "Exec/Decode/Targets.h"
#include "State/AtomicOps.h"
#include "State/Machine.h"

#include <algorithm>

namespace tc::emu {

namespace {
struct AsyncStore : Payload {
  MemRef to, barrier;
  std::vector<Src> values;
  Type type = Type::B32;
  bool reduces = false;
  AtomicOp op = AtomicOp::Add;
};

class AsyncStoreOp final : public AsyncOp {
public:
  AsyncStoreOp(const Warp &w, unsigned lane, const DecodedInst &inst,
               uint32_t to, uint32_t barrier)
      : AsyncOp(AsyncClass::StoreAsync, w, lane, inst.line),
        payload(inst.payload), to(to), barrier(barrier) {
    const auto &info = static_cast<const AsyncStore &>(*payload);
    what = info.reduces ? "red.async" : "st.async";
    const unsigned bytes = sizeOf(info.type);
    data.resize(bytes * info.values.size());
    for (size_t i = 0; i < info.values.size(); ++i)
      if (bytes == 16)
        memcpy(&data[16 * i], &w.r64(info.values[i])[2 * lane], 16);
      else if (bytes == 8)
        memcpy(&data[8 * i], &w.r64(info.values[i])[lane], 8);
      else
        memcpy(&data[4 * i], &w.r32(info.values[i])[lane], 4);
    for (size_t i = 0; i < info.values.size(); ++i)
      for (unsigned b = 0; b < bytes; ++b)
        if (w.undefinedByte(info.values[i], lane, b)) {
          origins.resize(data.size());
          origins[bytes * i + b] = w.originAt(inst, info.values[i], lane);
        }
    sourcesRead = true;
    if (info.reduces) {
      strongElement = uint8_t(bytes);
      strongScope = Scope::Cluster;
    }
  }

  void onIssue(Cluster &cluster) override {
    // Reductions into the same bytes may be in flight together.
    if (cluster.engine.poisons() &&
        !static_cast<const AsyncStore &>(*payload).reduces)
      cluster.cta(smemRank(to))
          ->smem.mark(smemOffset(to), uint32_t(data.size()),
                      SharedMemory::Limbo);
  }

  void announce(Cluster &, Observer &events) const override {
    events.completesOn(barrier);
    events.asyncShared(to, uint32_t(data.size()), true);
  }

  Expected<bool> step(Cluster &cluster) override {
    const uint32_t bytes = uint32_t(data.size());
    if (written) {
      if (cluster.events)
        cluster.events->sync({SyncEvent::CompleteTx, nullptr, 0, this, barrier,
                              0, MemoryOrder::AcqRel, Scope::Cluster, line});
      if (Status status =
              cluster.mbarrierCompleteTx(barrier, bytes, asArrival());
          !status) {
        Error error = status.takeError();
        error.message = describe() + ": " + error.message;
        return error;
      }
      return true;
    }
    const auto &info = static_cast<const AsyncStore &>(*payload);
    SharedMemory &smem = cluster.cta(smemRank(to))->smem;
    if (info.reduces) {
      if (!smem.isWritable(smemOffset(to), bytes))
        return Error{describe() + ": destination: " +
                     smem.explain(smemOffset(to), bytes, true)};
      // Without a value before, it has none afterwards.
      reduceRange(info.op, info.type, smem.data(smemOffset(to)), data.data(),
                  bytes);
    } else {
      memcpy(smem.data(smemOffset(to)), data.data(), bytes);
      smem.mark(smemOffset(to), bytes, SharedMemory::Init);
    }
    smem.undefine(smemOffset(to), origins, info.reduces ? bytes : 1);
    written = true;
    return false;
  }

  bool touchesCta(unsigned rank) const override {
    return smemRank(to) == rank || smemRank(barrier) == rank;
  }

  bool writesShared(unsigned rank, uint32_t offset,
                    uint32_t bytes) const override {
    return !written && smemRank(to) == rank &&
           smemOffset(to) < offset + bytes &&
           offset < smemOffset(to) + data.size();
  }

private:
  std::shared_ptr<const Payload> payload;
  const uint32_t to, barrier;
  std::vector<uint8_t> data;
  std::vector<OriginId> origins; ///< of bytes without a value
  bool written = false;
};

Step execAsyncStore(Warp &w, const DecodedInst &i, uint32_t active) {
  const AsyncStore &info = i.as<AsyncStore>();
  Cluster &cluster = w.cluster;
  const uint32_t bytes = uint32_t(sizeOf(info.type) * info.values.size());
  for (const MemRef *mem : {&info.to, &info.barrier})
    if (!w.requireDefined(i, mem->base, active, "address: "))
      return Step::Stop;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    uint32_t to, barrier;
    if (!w.toShared(w.address(info.to, l), info.to.space, to) ||
        !w.toShared(w.address(info.barrier, l), info.barrier.space, barrier))
      return w.fail(ReportKind::Memory, i,
                    "expected addresses in shared memory, lane " +
                        std::to_string(l));
    if (to % bytes)
      return w.fail(ReportKind::Memory, i,
                    "misaligned address: expected a multiple of " +
                        std::to_string(bytes) + ", lane " + std::to_string(l));
    if (Expected<uint8_t *> at = cluster.shared(to, bytes); !at)
      return w.fail(ReportKind::Memory, i, at.error().message);
    if (smemRank(to) != smemRank(barrier))
      return w.fail(ReportKind::Sync, i,
                    "mbarrier: expected an object in the CTA of the "
                    "destination (rank " +
                        std::to_string(smemRank(to)) + "), got rank " +
                        std::to_string(smemRank(barrier)));
    std::string why;
    if (!cluster.mbarrier(barrier, why))
      return w.fail(ReportKind::Sync, i, "mbarrier: " + why);
    cluster.engine.issue(cluster,
                         std::make_unique<AsyncStoreOp>(w, l, i, to, barrier));
  }
  return Step::Yield;
}
} // namespace

static void finish(DecodeContext &c, std::shared_ptr<AsyncStore> info,
                   Space space) {
  if (!c.take("mbarrier::complete_tx::bytes"))
    return c.fail("expected .mbarrier::complete_tx::bytes");
  if (info->reduces && !takeAtomicOp(c, info->op))
    return c.fail("expected an operation");
  size_t count = c.take("v2") ? 2 : c.take("v4") ? 4 : 1;
  info->type = c.takeType();
  unsigned bytes = sizeOf(info->type);
  const bool isWide = info->type == Type::B128;
  if (isWide)
    expectTarget(c, "st.async.b128", Targets::From90, {9, 2});
  if ((bytes != 4 && bytes != 8 && !isWide) ||
      ((info->reduces || isWide) && count > 1) ||
      (info->reduces && !isBulkReduction(info->op, info->type, false)))
    return c.fail("the type does not exist for this operation");
  if (!c.expectOperands(3, 3))
    return;
  info->to = c.memRef(0, space);
  c.areData(info->values = c.srcVector(c.operand(1), info->type));
  info->barrier = c.memRef(2, space);
  if (!c.failed() && info->values.size() != count)
    return c.fail("expected " + std::to_string(count) + " elements, got " +
                  std::to_string(info->values.size()));
  c.inst.tracksUndefined = true;
  c.inst.fn = execAsyncStore;
  c.inst.payload = std::move(info);
}

/// st.async.release, and what writes to multimem addresses: nothing here tells
/// the checker of a release that comes after its instruction.
static bool refusesGlobal(DecodeContext &c) {
  if (!c.take("release") && c.base.substr(0, 8) != "multimem")
    return false;
  c.fail(std::string(c.base) + ".release is not supported by the emulator: " +
         "asynchronous writes to global memory that release are not "
         "modelled");
  return true;
}

static void decodeStoreAsync(DecodeContext &c) {
  auto info = std::make_shared<AsyncStore>();
  if (refusesGlobal(c))
    return;
  c.take("weak");
  // Without a space addresses are generic.
  finish(c, std::move(info),
         c.take("shared::cluster") ? Space::SharedCluster : Space::Generic);
}

static void decodeReduceAsync(DecodeContext &c) {
  auto info = std::make_shared<AsyncStore>();
  info->reduces = true;
  if (refusesGlobal(c))
    return;
  if (!c.take("relaxed") || !c.take("cluster"))
    return c.fail("expected .relaxed.cluster");
  if (!c.take("shared::cluster"))
    return c.fail("expected .shared::cluster");
  finish(c, std::move(info), Space::SharedCluster);
}

void registerStoreAsyncInstructions(InstructionTable &table) {
  table.add("st.async", decodeStoreAsync);
  table.add("red.async", decodeReduceAsync);
  table.add("multimem.st.async", decodeStoreAsync);
  table.add("multimem.red.async", decodeReduceAsync);
}

} // namespace tc::emu
