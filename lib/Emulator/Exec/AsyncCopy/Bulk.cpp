//===- Bulk.cpp - bulk copies without tensors and bulk groups -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.0: cp.async.bulk (global to shared, shared to global, shared to
// shared of the cluster), cp.reduce.async.bulk, cp.async.bulk.prefetch,
// cp.async.bulk.commit_group and wait_group. Loads complete on an mbarrier,
// stores through the issuing thread's bulk groups.
//
//===----------------------------------------------------------------------===//

#include "Exec/AsyncCopy/BulkOps.h"
#include "Exec/Decode/Modifiers.h"
#include "Exec/Decode/Targets.h"
#include "State/AtomicOps.h"
#include "State/Machine.h"

#include <algorithm>
#include <cstring>

namespace tc::emu {

namespace {
struct BulkInfo : Payload {
  MemRef to, from, barrier;
  Src size, mask;
  Src ignored[2]; ///< .ignore_oob: bytes at the left and at the right
  Space toSpace = Space::SharedCluster, fromSpace = Space::Global;
  unsigned maskBits = 0; ///< of .multicast::cluster, 0 without it
  /// cp.reduce.async.bulk.
  bool reduces = false;
  AtomicOp op = AtomicOp::Add;
  Type type = Type::None;
  /// .relaxed: the bytes of each access, and the scope.
  uint8_t strongElement = 0;
  Scope strongScope = Scope::Cta;
  bool strongReads = false; ///< of copies, not of reductions
  std::string base;         ///< of its opcode, for reports

  bool multicast() const { return maskBits != 0; }
};

/// One copy of `size` bytes. Steps: read the source, write each destination,
/// announce completion.
class BulkCopy : public AsyncOp {
public:
  BulkCopy(AsyncClass asyncClass, const Warp &w, unsigned lane, int line)
      : AsyncOp(asyncClass, w, lane, line) {}

  uint64_t globalAddress = 0;
  bool fromGlobal = false, toGlobal = false;
  uint32_t sourceShared = 0;
  /// Shared destinations with the barrier that each completes on.
  struct Target {
    uint32_t address, barrier;
    bool written = false;
  };
  std::vector<Target> targets;
  bool completesOnBarrier = false;
  uint32_t size = 0;
  /// .ignore_oob: bytes that are not read, and what they are then.
  uint32_t left = 0, right = 0;
  OriginId ignoredOrigin = 0;
  bool reduces = false;
  AtomicOp op = AtomicOp::Add;
  Type type = Type::None;

  void onIssue(Cluster &cluster) override {
    // Reductions into the same bytes may be in flight together.
    if (!cluster.engine.poisons() || reduces)
      return;
    if (toGlobal)
      if (uint8_t *to = cluster.machine.writable(globalAddress, size))
        poisonBytes(to, size);
    for (const Target &t : targets)
      if (Cta *cta = cluster.cta(smemRank(t.address)))
        cta->smem.mark(smemOffset(t.address), size, SharedMemory::Limbo);
  }

  void announce(Cluster &, Observer &events) const override {
    if (toGlobal)
      events.asyncGlobal(globalAddress, size, true);
    for (const Target &t : targets) {
      events.completesOn(t.barrier);
      if (fromGlobal && &t == targets.data() && readSize())
        events.asyncGlobal(globalAddress + left, readSize(), false);
      events.asyncShared(t.address, size, true);
      if (!fromGlobal)
        events.asyncShared(sourceShared, size, false);
    }
    if (toGlobal)
      events.asyncShared(sourceShared, size, false);
  }

  Expected<bool> step(Cluster &cluster) override {
    if (!sourcesRead) {
      if (Status status = readSource(cluster); !status)
        return status.takeError();
      sourcesRead = true;
      return false;
    }
    if (toGlobal) {
      uint8_t *to = cluster.machine.writable(globalAddress, size);
      if (!to)
        return Error{what + ": " +
                     cluster.machine.explain(globalAddress, size, true)};
      put(to);
      return true;
    }
    std::vector<Target *> open;
    for (Target &t : targets)
      if (!t.written)
        open.push_back(&t);
    Target &t = *open[cluster.policy.chooseTarget(open.size())];
    if (Status status = serve(cluster, t); !status)
      return status.takeError();
    t.written = true;
    return open.size() == 1;
  }

  bool touchesCta(unsigned rank) const override {
    if (!sourcesRead && !fromGlobal && smemRank(sourceShared) == rank)
      return true;
    for (const Target &t : targets)
      if (!t.written && (smemRank(t.address) == rank ||
                         (completesOnBarrier && smemRank(t.barrier) == rank)))
        return true;
    return false;
  }

  bool writesShared(unsigned rank, uint32_t offset,
                    uint32_t bytes) const override {
    for (const Target &t : targets)
      if (!t.written && smemRank(t.address) == rank &&
          smemOffset(t.address) < offset + bytes &&
          offset < smemOffset(t.address) + size)
        return true;
    return false;
  }

  bool readsShared(unsigned rank, uint32_t offset,
                   uint32_t bytes) const override {
    return !sourcesRead && !fromGlobal && smemRank(sourceShared) == rank &&
           smemOffset(sourceShared) < offset + bytes &&
           offset < smemOffset(sourceShared) + size;
  }

  void retire() override {
    data = {};
    origins = {};
  }

private:
  uint32_t readSize() const { return size - left - right; }

  void put(uint8_t *to) const {
    if (reduces)
      reduceRange(op, type, to, data.data(), size);
    else
      memcpy(to, data.data(), size);
  }

  /// Writes one destination and tells its barrier.
  Status serve(Cluster &cluster, const Target &t) {
    Expected<uint8_t *> to = cluster.shared(t.address, size);
    if (!to)
      return to.takeError();
    SharedMemory &smem = cluster.cta(smemRank(t.address))->smem;
    const uint32_t offset = smemOffset(t.address);
    if (reduces && !smem.isWritable(offset, size))
      return Error{what + ": destination in shared memory: " +
                   smem.explain(offset, size, true)};
    std::vector<OriginId> before;
    if (reduces)
      before = cluster.sharedOrigins(*this, t.address, size);
    put(*to);
    smem.mark(offset, size, SharedMemory::Init);
    const uint32_t element = reduces ? sizeOf(type) : 1;
    smem.undefine(offset, before, element);
    smem.undefine(offset, origins, element);
    if (!completesOnBarrier)
      return {};
    if (cluster.events)
      cluster.events->sync({SyncEvent::CompleteTx, nullptr, 0, this, t.barrier,
                            uint64_t(&t - targets.data()), MemoryOrder::AcqRel,
                            Scope::Cluster, line});
    return cluster.mbarrierCompleteTx(t.barrier, size, asArrival());
  }

  Status readSource(Cluster &cluster) {
    data.resize(size);
    if (fromGlobal) {
      const uint64_t first = globalAddress + left;
      if (readSize()) {
        const uint8_t *from = cluster.machine.readable(first, readSize());
        if (!from)
          return Error{what + ": " +
                       cluster.machine.explain(first, readSize(), false)};
        memcpy(&data[left], from, readSize());
      }
      if (left || right) {
        origins.resize(size);
        std::fill_n(origins.begin(), left, ignoredOrigin);
        std::fill_n(origins.rbegin(), right, ignoredOrigin);
      }
      return {};
    }
    Expected<uint8_t *> from = cluster.shared(sourceShared, size);
    if (!from)
      return from.takeError();
    SharedMemory &smem = cluster.cta(smemRank(sourceShared))->smem;
    uint32_t offset = smemOffset(sourceShared);
    if (toGlobal ? !smem.isReadable(offset, size)
                 : !smem.isWritable(offset, size))
      return Error{what + ": source in shared memory: " +
                   cluster.explainStore(*this, sourceShared, size)};
    memcpy(data.data(), *from, size);
    origins = cluster.sharedOrigins(*this, sourceShared, size);
    return {};
  }
  std::vector<uint8_t> data;
  std::vector<OriginId> origins; ///< of bytes without a value
};

bool sharedOf(Warp &w, const DecodedInst &i, const MemRef &mem, unsigned lane,
              uint32_t &address) {
  if (w.toShared(w.address(mem, lane), mem.space, address))
    return true;
  w.fail(ReportKind::Memory, i,
         "expected an address in shared memory, lane " + std::to_string(lane));
  return false;
}

/// .ignore_oob: up to 15 bytes at either end may be outside of the buffer, and
/// have no value in shared memory.
bool takeIgnored(Warp &w, const DecodedInst &i, const BulkInfo &info,
                 unsigned lane, BulkCopy &op) {
  op.left = w.r32(info.ignored[0])[lane];
  op.right = w.r32(info.ignored[1])[lane];
  if (op.left > 15 || op.right > 15) {
    w.fail(ReportKind::Memory, i,
           "expected at most 15 bytes to ignore at either end, got " +
               std::to_string(op.left) + " and " + std::to_string(op.right));
    return false;
  }
  op.left = std::min(op.left, op.size);
  op.right = std::min(op.right, op.size - op.left);
  op.ignoredOrigin =
      w.cluster.undefined.note(i.line, i.text, UndefinedOrigin::Ignored);
  return true;
}

Step execBulk(Warp &w, const DecodedInst &i, uint32_t active) {
  const BulkInfo &info = i.as<BulkInfo>();
  Cluster &cluster = w.cluster;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    unsigned l = unsigned(__builtin_ctz(rest));
    bool toGlobal = info.toSpace == Space::Global;
    auto op = std::make_unique<BulkCopy>(
        toGlobal ? AsyncClass::BulkStore : AsyncClass::BulkLoad, w, l, i.line);
    op->what = info.base;
    op->reduces = info.reduces;
    op->op = info.op;
    op->type = info.type;
    op->strongElement = info.strongElement;
    op->strongScope = info.strongScope;
    op->strongReads = info.strongReads;
    op->size = w.r32(info.size)[l];
    if (info.ignored[0].valid && !takeIgnored(w, i, info, l, *op))
      return Step::Stop;
    op->toGlobal = toGlobal;
    op->fromGlobal = info.fromSpace == Space::Global;
    op->fromShared = !op->fromGlobal;
    if (op->size % 16)
      return w.fail(ReportKind::Memory, i,
                    "expected a size that is a multiple of 16, got " +
                        std::to_string(op->size));
    if (op->fromGlobal || toGlobal)
      op->globalAddress = w.address(op->fromGlobal ? info.from : info.to, l);
    if (op->globalAddress % 16)
      return w.fail(ReportKind::Memory, i,
                    "expected a global address that is a multiple of 16");
    if (!op->fromGlobal && !sharedOf(w, i, info.from, l, op->sourceShared))
      return Step::Stop;
    if (!toGlobal) {
      BulkCopy::Target target{0, 0};
      if (!sharedOf(w, i, info.to, l, target.address) ||
          !sharedOf(w, i, info.barrier, l, target.barrier))
        return Step::Stop;
      uint32_t ranks = 1u << smemRank(target.address);
      if (info.multicast())
        ranks = w.r32(info.mask)[l] & uint32_t(Warp::lowBits(info.maskBits));
      if (info.multicast() &&
          (!ranks || uint64_t(ranks) >> cluster.ctas.size()))
        return w.fail(ReportKind::Memory, i,
                      "ctaMask: expected a nonempty set of ranks below " +
                          std::to_string(cluster.ctas.size()) + ", got mask " +
                          std::to_string(ranks));
      for (unsigned rank = 0; rank < cluster.ctas.size(); ++rank) {
        if (!(ranks >> rank & 1))
          continue;
        BulkCopy::Target t = target;
        if (info.multicast()) {
          t.address = smemAddress(rank, smemOffset(target.address));
          t.barrier = smemAddress(rank, smemOffset(target.barrier));
        }
        if (Expected<uint8_t *> to = cluster.shared(t.address, op->size); !to)
          return w.fail(ReportKind::Memory, i, to.error().message);
        op->targets.push_back(t);
      }
      op->completesOnBarrier = true;
    }
    if (op->sourceShared % 16 ||
        (!op->targets.empty() && op->targets[0].address % 16))
      return w.fail(ReportKind::Memory, i,
                    "expected a shared address that is a multiple of 16");
    if (!toGlobal && op->targets.empty())
      continue;
    AsyncOp &issued = cluster.engine.issue(cluster, std::move(op));
    if (toGlobal)
      w.bulkGroup(l).add(issued.id);
  }
  return Step::Yield;
}

Step execCommit(Warp &w, const DecodedInst &i, uint32_t active) {
  for (uint32_t rest = active; rest; rest &= rest - 1)
    w.bulkGroup(unsigned(__builtin_ctz(rest))).commit();
  return Step::Next;
}

/// imm: groups that may stay pending. aux: 1 with .read, only sources matter; 2
/// where only the async proxy gets to know of what is complete.
Step execWaitGroup(Warp &w, const DecodedInst &i, uint32_t active) {
  const Engine &engine = w.cluster.engine;
  for (uint32_t rest = active; rest; rest &= rest - 1) {
    AsyncGroups &groups = w.bulkGroup(unsigned(__builtin_ctz(rest)));
    size_t n = groups.committed.size();
    for (size_t g = 0; g + i.imm < n; ++g)
      for (uint64_t id : groups.committed[g].ids)
        if (i.aux == 1 ? engine.readsPending(id) : engine.isPending(id))
          return w.block(WaitKind::BulkGroup, &w, i.imm);
    // Groups complete in order: the youngest one says it all.
    size_t covered = n > i.imm ? n - i.imm : 0;
    for (size_t g = w.cluster.events ? covered : 0; g-- > 0;)
      if (const uint64_t last = groups.committed[g].last) {
        w.cluster.events->sync({SyncEvent::BulkWait, &w, rest & -rest, nullptr,
                                last, i.aux, i.order, i.scope, i.line});
        break;
      }
    // Finished groups at the front are forgotten. A listener has to hear of
    // each in a wait that covers it.
    size_t keep = !w.cluster.events ? 0 : i.aux ? n : n - covered;
    auto done = [&](const AsyncGroups::Group &group) {
      for (uint64_t id : group.ids)
        if (engine.isPending(id))
          return false;
      return true;
    };
    while (groups.committed.size() > keep && done(groups.committed.front()))
      groups.committed.pop_front();
  }
  return Step::Next;
}

Step execNothing(Warp &w, const DecodedInst &i, uint32_t active) {
  return Step::Next;
}
} // namespace

/// .weak, or .relaxed and a scope: the accesses of such a copy are strong ones
/// of 16 bytes. Of multimem reductions, too.
static void takeOrder(DecodeContext &c, BulkInfo &info, bool &isRelaxed) {
  const std::string_view order = c.takeOneOf({"weak", "relaxed"});
  isRelaxed = order == "relaxed";
  if (order.empty())
    return;
  const bool toCluster =
      isRelaxed &&
      c.source.opcode.find(".shared::cluster.global") != std::string_view::npos;
  expectTarget(c, std::string(c.base) + "." + std::string(order),
               toCluster ? Targets::DataCenter : Targets::From90, {9, 3});
  if (!isRelaxed)
    return;
  const std::string_view scope = c.takeOneOf({"cta", "cluster", "gpu", "sys"});
  if (scope.empty())
    return c.fail("expected a scope");
  info.strongElement = 16;
  info.strongScope = scope == "cta"       ? Scope::Cta
                     : scope == "cluster" ? Scope::Cluster
                     : scope == "gpu"     ? Scope::Gpu
                                          : Scope::Sys;
}

/// PTX ISA 9.4, 9.7.10.28.4.2 and 5: sums of f16 and bf16 require .noftz, sums
/// of f32 may have it and keep subnormals without it, too.
static void checkNoFtz(DecodeContext &c, AtomicOp op, Type type, bool has) {
  const bool isSum = op == AtomicOp::Add;
  const bool isHalf = type == Type::F16 || type == Type::BF16;
  if (isSum && isHalf && !has)
    c.fail("expected .noftz with .add of f16 and bf16");
  else if (has && !(isSum && (isHalf || type == Type::F32)))
    c.fail("expected .noftz only with .add of f16, bf16 and f32");
  else if (has && type == Type::F32)
    expectTarget(c, std::string(c.base) + " with .noftz and .f32",
                 Targets::From90, {9, 4});
}

static void decodeBulk(DecodeContext &c) {
  auto info = std::make_shared<BulkInfo>();
  info->base = c.base;
  const bool isMultimem = c.base.substr(0, 8) == "multimem";
  if (isMultimem)
    expectTarget(c, c.base, Targets::From90, {9, 1});
  bool isRelaxed = false;
  takeOrder(c, *info, isRelaxed);
  if (c.take("prefetch")) {
    // cp.async.bulk.prefetch.L2.global [addr], size
    if (!c.take("L2") || !c.take("global"))
      return c.fail("expected .L2.global");
    if (c.take("L2::evict_last"))
      expectTarget(c, "cp.async.bulk.prefetch with .L2::evict_last",
                   Targets::Rubin, {9, 4});
    bool hint = c.take("L2::cache_hint");
    if (!c.expectOperands(hint ? 3 : 2, hint ? 3 : 2))
      return;
    c.memRef(0, Space::Global);
    c.src(1, Type::U32);
    if (hint)
      c.src(2, Type::B64);
    c.inst.fn = execNothing;
    return;
  }
  info->toSpace = c.takeSpace();
  info->fromSpace = c.takeSpace();
  // takeSpace looks for names in its own order: put destination first.
  std::string_view rest = c.source.opcode;
  bool globalFirst = rest.find(".global") < rest.find(".shared");
  if (info->toSpace == Space::Global && !globalFirst)
    std::swap(info->toSpace, info->fromSpace);
  bool clusterFirst = rest.find(".shared::cluster") < rest.find(".shared::cta");
  if (info->toSpace == Space::SharedCta &&
      info->fromSpace == Space::SharedCluster && clusterFirst)
    std::swap(info->toSpace, info->fromSpace);
  bool onBarrier = c.take("mbarrier::complete_tx::bytes");
  bool onGroup = c.take("bulk_group");
  info->maskBits = takeMulticast(c);
  bool hint = !isMultimem && c.take("L2::cache_hint");
  const bool ignores = c.take("ignore_oob");
  bool toGlobal = info->toSpace == Space::Global;
  if (ignores) {
    expectTarget(c, ".ignore_oob", Targets::From90, {9, 2});
    if (info->fromSpace != Space::Global || info->toSpace != Space::SharedCta)
      return c.fail("expected .shared::cta.global with .ignore_oob");
  }
  if (c.base == "cp.reduce.async.bulk" ||
      c.base == "multimem.cp.reduce.async.bulk") {
    info->reduces = takeAtomicOp(c, info->op);
    const bool hasNoFtz = c.take("noftz");
    info->type = c.takeType();
    checkNoFtz(c, info->op, info->type, hasNoFtz);
    info->strongElement = uint8_t(sizeOf(info->type));
    if (!isRelaxed)
      info->strongScope = isMultimem ? Scope::Sys : Scope::Gpu;
    if (!info->reduces || info->fromSpace != Space::SharedCta ||
        !isBulkReduction(info->op, info->type, toGlobal))
      return c.fail("expected a source in .shared::cta and an operation and "
                    "type of cp.reduce.async.bulk");
  } else if (isRelaxed) {
    info->strongReads = true;
    if (c.takeType() != Type::B128)
      return c.fail("expected .b128 with .relaxed");
  }
  if (isMultimem && !toGlobal)
    return c.fail("expected .global.shared::cta.bulk_group");
  bool legal =
      toGlobal
          ? info->fromSpace == Space::SharedCta && onGroup && !onBarrier &&
                !info->multicast()
          : onBarrier && !onGroup &&
                (info->fromSpace == Space::Global ||
                 (info->fromSpace == Space::SharedCta &&
                  info->toSpace == Space::SharedCluster && !info->multicast()));
  if (!legal)
    return c.fail("expected (global to shared, shared::cta to "
                  "shared::cluster).mbarrier::complete_tx::bytes or "
                  "global.shared::cta.bulk_group");
  unsigned n = 3 + (toGlobal ? 0 : 1) + (info->multicast() ? 1 : 0) +
               (hint ? 1 : 0) + (ignores ? 2 : 0);
  if (!c.expectOperands(n, n))
    return;
  info->to = c.memRef(0, info->toSpace);
  info->from = c.memRef(1, info->fromSpace);
  info->size = c.src(2, Type::U32);
  unsigned next = 3;
  if (ignores)
    for (Src &bytes : info->ignored)
      bytes = c.src(next++, Type::U32);
  if (!toGlobal)
    info->barrier = c.memRef(next++, info->fromSpace == Space::Global
                                         ? info->toSpace
                                         : Space::SharedCluster);
  if (info->multicast())
    info->mask = c.src(next++, info->maskBits == 32 ? Type::B32 : Type::B16);
  if (hint)
    c.src(next, Type::B64);
  c.inst.fn = execBulk;
  c.inst.payload = std::move(info);
}

/// applypriority.async.bulk.global.bulk_group.L2::evict_normal [a], size:
/// caches have no effect.
static void decodePriority(DecodeContext &c) {
  if (!c.take("global") || !c.take("bulk_group") || !c.take("L2::evict_normal"))
    return c.fail("expected .global.bulk_group.L2::evict_normal");
  expectTarget(c, c.base, Targets::Rubin, {9, 4});
  if (!c.expectOperands(2, 2))
    return;
  c.memRef(0, Space::Global);
  c.src(1, Type::U32);
  c.inst.fn = execNothing;
}

static void decodeCommit(DecodeContext &c) {
  if (c.expectOperands(0, 0))
    c.inst.fn = execCommit;
}

static void decodeWaitGroup(DecodeContext &c) {
  c.inst.aux = c.take("read") ? 1 : 0;
  if (!c.inst.aux && c.take("sync_restrict::proxy::async")) {
    expectTarget(c, ".sync_restrict::proxy::async", Targets::From90, {9, 5});
    c.inst.aux = 2;
  }
  if (!c.expectOperands(1, 1))
    return;
  c.inst.imm = uint64_t(c.immediate(c.operand(0)));
  c.inst.fn = execWaitGroup;
}

void registerBulkInstructions(InstructionTable &table) {
  table.add("cp.async.bulk", decodeBulk);
  table.add("cp.reduce.async.bulk", decodeBulk);
  // A multicast object of one device: its address is that of the memory.
  table.add("multimem.cp.async.bulk", decodeBulk);
  table.add("multimem.cp.reduce.async.bulk", decodeBulk);
  table.add("applypriority.async.bulk", decodePriority);
  table.add("cp.async.bulk.commit_group", decodeCommit);
  table.add("cp.async.bulk.wait_group", decodeWaitGroup);
  registerCpAsyncInstructions(table);
}

} // namespace tc::emu
