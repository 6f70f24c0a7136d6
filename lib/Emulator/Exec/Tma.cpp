//===- Tma.cpp - tensor copies between global and shared memory -----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async.bulk.tensor and cp.async.bulk.prefetch.tensor (PTX ISA 9.0, "Data
// Movement and Conversion Instructions: Tensor copy", 9.7.9.27). The
// instruction checks its operands and leaves an asynchronous operation; data
// moves when the schedule steps that. A load takes two steps per destination
// CTA (bytes, then complete_tx), a store two in all (read shared, write
// global).
//
//===----------------------------------------------------------------------===//

#include "Exec/AtomicOps.h"
#include "Exec/InstructionTable.h"
#include "Exec/Tcgen05Ops.h"
#include "Exec/TmaBox.h"
#include "State/Machine.h"

namespace tc::emu {

namespace {

struct TensorCopy : Payload {
  bool load = true, prefetch = false, fourRows = false;
  bool sharedCta = false; ///< destination named as shared::cta
  unsigned rank = 0;      ///< coordinates of the tensor: 1 to 5
  unsigned ctaGroup = 1;
  bool multicast = false;
  MemRef map, shared, barrier;
  bool im2col = false;
  std::vector<Src> coords, offsets;
  Src mask;
  /// cp.reduce.async.bulk.tensor.
  bool reduces = false;
  AtomicOp op = AtomicOp::Add;
};

/// The element type that a reduction works on; None if it has none.
Type reductionType(TensorMapType type, AtomicOp op) {
  bool logic = op == AtomicOp::And || op == AtomicOp::Or || op == AtomicOp::Xor;
  switch (type) {
  case TensorMapType::U32:
  case TensorMapType::S32:
    return logic                        ? Type::B32
           : type == TensorMapType::U32 ? Type::U32
                                        : Type::S32;
  case TensorMapType::U64:
  case TensorMapType::S64:
    return logic                                               ? Type::B64
           : type == TensorMapType::U64 || op == AtomicOp::Add ? Type::U64
                                                               : Type::S64;
  case TensorMapType::F16:
    return Type::F16;
  case TensorMapType::BF16:
    return Type::BF16;
  case TensorMapType::F32:
  case TensorMapType::F32FTZ:
    return Type::F32;
  case TensorMapType::F64:
    return Type::F64;
  default:
    return Type::None;
  }
}

/// The part of a tensor copy that loads and stores share.
class TensorOp : public AsyncOp {
public:
  TensorOp(AsyncClass asyncClass, const Warp &warp, unsigned lane,
           const DecodedInst &inst, const TensorMapDesc &map,
           const BoxPosition &position, uint32_t shared)
      : AsyncOp(asyncClass, warp, lane, inst.line), map(map),
        position(position), shape(boxShape(map, position.fourRows)),
        shared(shared) {
    what = std::string(inst.text.substr(0, inst.text.find_first_of(" \t\n[")));
  }

protected:
  /// Calls visit(offset, bytes) for the shared memory that the box covers.
  template <class Visit>
  void forEachRange(const Visit &visit) const {
    forEachSharedRange(map.swizzle, shape, smemOffset(shared), visit);
  }
  bool covers(uint32_t offset, uint32_t bytes) const {
    uint32_t begin = smemOffset(shared);
    if (offset >= begin + shape.sharedBytes || begin >= offset + bytes)
      return false;
    bool found = false;
    forEachRange([&](uint32_t from, uint32_t size) {
      found |= offset < from + size && from < offset + bytes;
    });
    return found;
  }

  Error globalFault(const Machine &machine, const BoxFault &fault,
                    bool write) const {
    return Error{describe() +
                 ": global memory of the tensor map is not accessible: " +
                 machine.explain(fault.address, fault.bytes, write)};
  }

  const TensorMapDesc map;
  const BoxPosition position;
  const BoxShape shape;
  const uint32_t shared; ///< plain shared address of the box
};

class TensorLoad final : public TensorOp {
public:
  /// One destination CTA: where the box goes and which barrier hears of it.
  struct Target {
    unsigned rank;
    uint32_t barrier;
    bool written = false;
  };

  TensorLoad(const Warp &warp, unsigned lane, const DecodedInst &inst,
             const TensorMapDesc &map, const BoxPosition &position,
             uint32_t shared, std::vector<Target> targets)
      : TensorOp(AsyncClass::BulkLoad, warp, lane, inst, map, position, shared),
        targets(std::move(targets)) {
    for (size_t i = 0; i < this->targets.size(); ++i)
      open.push_back(i);
  }

  void onIssue(Cluster &cluster) override {
    if (!cluster.engine.poisons())
      return;
    for (const Target &target : targets) {
      SharedMemory &smem = cluster.cta(target.rank)->smem;
      forEachRange([&](uint32_t offset, uint32_t bytes) {
        smem.mark(offset, bytes, SharedMemory::Limbo);
      });
    }
  }

  /// Destinations get their bytes and hear of them one by one, in any order
  /// (PTX ISA 9.0, "cp.async.bulk.tensor", .multicast::cluster).
  Expected<bool> step(Cluster &cluster) override {
    size_t chosen = cluster.policy.chooseTarget(open.size());
    Target &target = targets[open[chosen]];
    if (!target.written) {
      if (Status status = writeBox(cluster, target.rank); !status)
        return status.takeError();
      target.written = true;
      return false;
    }
    if (cluster.events)
      cluster.events->sync({SyncEvent::CompleteTx, nullptr, 0, this,
                            target.barrier, open[chosen], MemoryOrder::AcqRel,
                            Scope::Cluster, line});
    if (Status status = cluster.mbarrierCompleteTx(
            target.barrier, shape.transaction, asArrival());
        !status) {
      Error error = status.takeError();
      error.message = describe() + ": " + error.message;
      return error;
    }
    open.erase(open.begin() + static_cast<ptrdiff_t>(chosen));
    return open.empty();
  }

  void announce(Cluster &, EventSink &events) const override {
    for (const BoxRow &row : boxRows(map, position, BoxAccess::Load))
      if (row.bytes)
        events.asyncGlobal(row.global, row.bytes, false);
    for (const Target &target : targets) {
      events.completesOn(target.barrier);
      forEachRange([&](uint32_t offset, uint32_t bytes) {
        events.asyncShared(smemAddress(target.rank, offset), bytes, true);
      });
    }
  }

  bool touchesCta(unsigned rank) const override {
    for (size_t i : open)
      if (targets[i].rank == rank || smemRank(targets[i].barrier) == rank)
        return true;
    return false;
  }

  bool writesShared(unsigned rank, uint32_t offset,
                    uint32_t bytes) const override {
    if (!covers(offset, bytes))
      return false;
    for (size_t i : open)
      if (targets[i].rank == rank && !targets[i].written)
        return true;
    return false;
  }

private:
  Status writeBox(Cluster &cluster, unsigned rank) {
    Machine &machine = cluster.machine;
    if (!sourcesRead) {
      auto read = [&](uint64_t address, uint64_t bytes) {
        return machine.readable(address, bytes);
      };
      BoxFault fault = loadBox(map, position, read, dense);
      if (fault.faulted)
        return globalFault(machine, fault, false);
      sourcesRead = true;
    }
    SharedMemory &smem = cluster.cta(rank)->smem;
    uint32_t offset = smemOffset(shared);
    scatterBox(map.swizzle, shape, offset, dense, smem.data(offset));
    forEachRange([&](uint32_t at, uint32_t bytes) {
      smem.mark(at, bytes, SharedMemory::Init);
    });
    return {};
  }

  std::vector<Target> targets;
  std::vector<size_t> open; ///< targets whose barrier has not heard yet
  std::vector<uint8_t> dense;
};

class TensorStore final : public TensorOp {
public:
  TensorStore(const Warp &warp, unsigned lane, const DecodedInst &inst,
              const TensorMapDesc &map, const BoxPosition &position,
              uint32_t shared, AtomicOp op, Type reduction)
      : TensorOp(AsyncClass::BulkStore, warp, lane, inst, map, position,
                 shared),
        op(op), reduction(reduction) {}

  void onIssue(Cluster &cluster) override {
    if (!cluster.engine.poisons() || reduction != Type::None)
      return;
    for (const BoxRow &row : boxRows(map, position, BoxAccess::Store))
      if (row.bytes)
        if (uint8_t *to = cluster.machine.writable(row.global, row.bytes))
          poisonBytes(to, row.bytes);
  }

  Expected<bool> step(Cluster &cluster) override {
    Machine &machine = cluster.machine;
    if (!sourcesRead) {
      SharedMemory &smem = cluster.cta(smemRank(shared))->smem;
      std::string why;
      forEachRange([&](uint32_t at, uint32_t bytes) {
        if (why.empty() && !smem.isReadable(at, bytes))
          why = smem.explain(at, bytes, false);
      });
      if (!why.empty())
        return Error{describe() + ": the source is not readable: " + why};
      const uint32_t offset = smemOffset(shared);
      dense.resize(shape.denseBytes);
      gatherBox(map.swizzle, shape, offset, smem.data(offset), dense);
      sourcesRead = true;
      return false;
    }
    auto write = [&](uint64_t address, uint64_t bytes) {
      return machine.writable(address, bytes);
    };
    StoreBytes store;
    if (reduction != Type::None)
      store = [this](uint8_t *to, const uint8_t *from, uint32_t bytes) {
        reduceRange(op, reduction, to, from, bytes);
      };
    BoxFault fault = storeBox(map, position, write, dense, store);
    if (fault.faulted)
      return globalFault(machine, fault, true);
    return true;
  }

  void announce(Cluster &, EventSink &events) const override {
    forEachRange([&](uint32_t offset, uint32_t bytes) {
      events.asyncShared(smemAddress(smemRank(shared), offset), bytes, false);
    });
    for (const BoxRow &row : boxRows(map, position, BoxAccess::Store))
      if (row.bytes)
        events.asyncGlobal(row.global, row.bytes, true);
  }

  bool touchesCta(unsigned rank) const override {
    return !sourcesRead && smemRank(shared) == rank;
  }

  bool readsShared(unsigned rank, uint32_t offset,
                   uint32_t bytes) const override {
    return touchesCta(rank) && covers(offset, bytes);
  }

private:
  const AtomicOp op;
  const Type reduction; ///< None: a plain store
  std::vector<uint8_t> dense;
};

} // namespace

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// The tensor map at `address`, checked against the instruction.
static Expected<TensorMapDesc> readMap(const Machine &machine, uint64_t address,
                                       const TensorCopy &copy) {
  if (address % 64)
    return Error{
        "tensor map: expected an address that is a multiple of 64, got " +
        std::to_string(address)};
  const uint8_t *image = machine.readable(address, 128);
  if (!image)
    return Error{"tensor map: " + machine.explain(address, 128, false)};
  Expected<TensorMapDesc> map = decodeTensorMap(image);
  if (map && map->rank != copy.rank)
    return Error{"tensor map: expected rank " + std::to_string(copy.rank) +
                 " as the instruction says, got " + std::to_string(map->rank)};
  if (map && map->im2col != copy.im2col)
    return Error{std::string("tensor map: expected one for ") +
                 (copy.im2col ? "im2col" : "tiles") +
                 " as the instruction says"};
  return map;
}

/// Why the box may not lie at `shared` in the CTA of that rank; empty if it
/// may.
static std::string checkShared(Cluster &cluster, unsigned rank, uint32_t shared,
                               const BoxShape &shape, TensorMapSwizzle swizzle,
                               bool write) {
  uint32_t offset = smemOffset(shared);
  Cta *cta = cluster.cta(rank);
  if (!cta)
    return "expected a CTA of the cluster, got rank " + std::to_string(rank);
  if (cta->exited)
    return "CTA rank " + std::to_string(rank) + " has exited";
  if (offset % boxAlignment)
    return "expected a shared memory address that is a multiple of " +
           std::to_string(boxAlignment) + ", got offset " +
           std::to_string(offset) + " (nearest: " +
           std::to_string(offset / boxAlignment * boxAlignment) + ")";
  if (!cta->smem.inBounds(offset, shape.sharedBytes))
    return cta->smem.explain(offset, shape.sharedBytes, write);
  if (!write)
    return "";
  std::string why;
  forEachSharedRange(swizzle, shape, offset, [&](uint32_t at, uint32_t bytes) {
    if (!why.empty())
      return;
    if (!cta->smem.isWritable(at, bytes)) {
      why = cta->smem.explain(at, bytes, true);
      if (const AsyncOp *op = cluster.engine.findIf([&](const AsyncOp &op) {
            return op.writesShared(rank, at, bytes);
          }))
        why += " (" + op->describe() + ")";
    } else if (const AsyncOp *reader =
                   findSharedReader(cluster, rank, at, bytes)) {
      why = "pending work still reads the bytes and has not been waited for: " +
            reader->describe();
    }
  });
  return why;
}

/// Destinations and barriers of a load (9.7.9.27: .multicast::cluster and
/// .cta_group). Empty with `why` set if an operand is wrong.
static std::vector<TensorLoad::Target>
loadTargets(Warp &warp, const TensorCopy &copy, uint32_t shared,
            uint32_t barrier, unsigned mask, std::string &why) {
  std::vector<TensorLoad::Target> targets;
  unsigned owner = smemRank(barrier);
  if (!copy.multicast) {
    unsigned rank = smemRank(shared);
    bool pair = (rank ^ owner) == 1 && copy.ctaGroup == 2;
    if (rank != owner && !pair) {
      why =
          "mbarrier: expected an object in the CTA of the destination (rank " +
          std::to_string(rank) + ")" +
          (copy.ctaGroup == 2 ? " or of its pair" : "") + ", got rank " +
          std::to_string(owner);
      return {};
    }
    return {{rank, barrier}};
  }
  if (!mask || mask >> warp.cluster.ctas.size()) {
    why = "ctaMask: expected a nonempty set of ranks below " +
          std::to_string(warp.cluster.ctas.size()) + ", got mask " +
          std::to_string(mask);
    return {};
  }
  for (unsigned rank = 0; rank < 16; ++rank)
    if (mask >> rank & 1) {
      // cta_group::2: the member of the destination's pair whose parity is that
      // of the CTA that holds the barrier operand.
      unsigned signalled =
          copy.ctaGroup == 2 ? (rank & ~1u) | (owner & 1) : rank;
      targets.push_back({rank, smemAddress(signalled, smemOffset(barrier))});
    }
  return targets;
}

/// Whether two lanes have the same operands.
static bool repeatsLane(const Warp &warp, const TensorCopy &copy, unsigned lane,
                        unsigned other) {
  bool same =
      warp.address(copy.map, lane) == warp.address(copy.map, other) &&
      warp.address(copy.shared, lane) == warp.address(copy.shared, other);
  for (const std::vector<Src> *list : {&copy.coords, &copy.offsets})
    for (const Src &operand : *list)
      same = same && warp.r32(operand)[lane] == warp.r32(operand)[other];
  return same;
}

static Step execTensorCopy(Warp &warp, const DecodedInst &inst,
                           uint32_t active) {
  const TensorCopy &copy = inst.as<TensorCopy>();
  Cluster &cluster = warp.cluster;
  const unsigned first = unsigned(__builtin_ctz(active));
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    Expected<TensorMapDesc> map =
        readMap(warp.machine, warp.address(copy.map, lane), copy);
    if (!map)
      return warp.fail(ReportKind::Trap, inst, map.error().message);
    BoxPosition position;
    position.fourRows = copy.fourRows;
    for (unsigned i = 0; i < copy.coords.size(); ++i) {
      int32_t value = static_cast<int32_t>(warp.r32(copy.coords[i])[lane]);
      if (copy.fourRows && i)
        position.rows[i - 1] = value;
      else
        position.coords[i] = value;
    }
    for (unsigned i = 0; i < copy.offsets.size(); ++i)
      position.offsets[i] = warp.r32(copy.offsets[i])[lane] & 0xffff;
    if (std::string why =
            checkPosition(*map, position, copy.load || copy.prefetch);
        !why.empty())
      return warp.fail(ReportKind::Trap, inst, why);
    if (copy.prefetch)
      continue;

    BoxShape shape = boxShape(*map, copy.fourRows);
    uint32_t shared;
    if (!warp.toShared(warp.address(copy.shared, lane), copy.shared.space,
                       shared))
      return warp.fail(ReportKind::Memory, inst,
                       "expected a shared memory address for the box");
    if (!copy.load) {
      if (map->dtype == TensorMapType::B4x16P64 ||
          map->dtype == TensorMapType::B6x16P32)
        return warp.fail(
            ReportKind::Unsupported, inst,
            "stores of padded packed types are not supported by the emulator");
      if (smemRank(shared) != warp.cta.rank)
        return warp.fail(
            ReportKind::Memory, inst,
            "expected a source in shared memory of the executing CTA");
      if (std::string why = checkShared(cluster, smemRank(shared), shared,
                                        shape, map->swizzle, false);
          !why.empty())
        return warp.fail(ReportKind::Memory, inst, "source: " + why);
      Type reduction = Type::None;
      if (copy.reduces) {
        reduction = reductionType(map->dtype, copy.op);
        if (reduction == Type::None ||
            !isBulkReduction(copy.op, reduction, true))
          return warp.fail(
              ReportKind::Trap, inst,
              "the reduction does not exist for a tensor of type " +
                  std::string(toString(map->dtype)));
      }
      auto store = std::make_unique<TensorStore>(
          warp, lane, inst, *map, position, shared, copy.op, reduction);
      store->repeats = lane != first && !copy.reduces &&
                       repeatsLane(warp, copy, lane, first);
      AsyncOp &op = cluster.engine.issue(cluster, std::move(store));
      warp.bulkGroup(lane).open.push_back(op.id);
      continue;
    }

    if (copy.sharedCta && smemRank(shared) != warp.cta.rank)
      return warp.fail(ReportKind::Memory, inst,
                       "destination: expected the executing CTA's shared "
                       "memory for .shared::cta");
    uint32_t barrier;
    if (!warp.toShared(warp.address(copy.barrier, lane), copy.barrier.space,
                       barrier))
      return warp.fail(ReportKind::Memory, inst,
                       "expected a shared memory address for the mbarrier");
    std::string why;
    unsigned mask = copy.multicast ? warp.r32(copy.mask)[lane] & 0xffff : 0;
    std::vector<TensorLoad::Target> targets =
        loadTargets(warp, copy, shared, barrier, mask, why);
    if (!why.empty())
      return warp.fail(ReportKind::Sync, inst, why);
    for (const TensorLoad::Target &target : targets) {
      why =
          checkShared(cluster, target.rank, shared, shape, map->swizzle, true);
      if (!why.empty())
        return warp.fail(ReportKind::Memory, inst, "destination: " + why);
      if (!cluster.mbarrier(target.barrier, why))
        return warp.fail(ReportKind::Sync, inst, "mbarrier: " + why);
    }
    cluster.engine.issue(
        cluster, std::make_unique<TensorLoad>(warp, lane, inst, *map, position,
                                              shared, std::move(targets)));
  }
  return Step::Yield;
}

//===----------------------------------------------------------------------===//
// Decoding
//===----------------------------------------------------------------------===//

/// ".2d" and the load mode; refuses .im2col::w by name.
static void decodeModes(DecodeContext &context, TensorCopy &copy) {
  std::string_view rank = context.takeOneOf({"1d", "2d", "3d", "4d", "5d"});
  if (rank.empty())
    return context.fail("expected a dimension from .1d to .5d");
  copy.rank = static_cast<unsigned>(rank[0] - '0');
  for (std::string_view mode : {"im2col::w", "im2col::w::128"})
    if (context.take(mode))
      return context.fail(
          "mode ." + std::string(mode) +
          " is not supported by the emulator, expected .tile or .im2col");
  copy.im2col = context.take(copy.load ? "im2col" : "im2col_no_offs");
  if (copy.im2col) {
    if (copy.rank < 3)
      context.fail("im2col: expected .3d, .4d or .5d, got ." +
                   std::string(rank));
    return;
  }
  if (context.take("tile::gather4") || context.take("tile::scatter4"))
    copy.fourRows = true;
  else
    context.take("tile");
}

/// [map, {coords}].
static void decodeMap(DecodeContext &context, TensorCopy &copy,
                      unsigned index) {
  const ast::Operand &operand = context.operand(index);
  if (operand.kind != ast::Operand::Kind::Address || operand.elems.size() != 2)
    return context.fail("operand " + std::to_string(index) +
                        ": expected [tensorMap, {coordinates}]");
  copy.map = context.memRef(operand, Space::Generic);
  copy.coords = context.srcVector(operand.elems[1], Type::S32);
  unsigned expected = copy.fourRows ? 5 : copy.rank;
  if (copy.fourRows && copy.rank != 2)
    return context.fail("gather4 and scatter4: expected .2d, got ." +
                        std::to_string(copy.rank) + "d");
  if (!context.failed() && copy.coords.size() != expected)
    context.fail("expected " + std::to_string(expected) + " coordinates, got " +
                 std::to_string(copy.coords.size()));
}

/// {offsets} of im2col, unsigned and of 16 bits.
static void decodeOffsets(DecodeContext &context, TensorCopy &copy,
                          unsigned index) {
  copy.offsets = context.srcVector(context.operand(index), Type::B16);
  if (!context.failed() && copy.offsets.size() != copy.rank - 2)
    context.fail("expected " + std::to_string(copy.rank - 2) +
                 " im2col offsets, got " + std::to_string(copy.offsets.size()));
}

static void finish(DecodeContext &context, std::shared_ptr<TensorCopy> copy) {
  context.inst.payload = std::move(copy);
  context.inst.fn = execTensorCopy;
}

static void decodeTensorCopy(DecodeContext &context) {
  auto copy = std::make_shared<TensorCopy>();
  // The state spaces stand in the order destination, source.
  std::string_view opcode = context.source.opcode;
  size_t global = opcode.find(".global"), shared = opcode.find(".shared::");
  if (global == opcode.npos || shared == opcode.npos)
    return context.fail("expected .shared::cluster.global, .shared::cta.global "
                        "or .global.shared::cta");
  copy->load = shared < global;
  decodeModes(context, *copy);
  copy->reduces = context.base == "cp.reduce.async.bulk.tensor";
  if (copy->reduces && (copy->load || !takeAtomicOp(context, copy->op)))
    return context.fail("expected .global.shared::cta and an operation");
  context.take("global");
  bool hint = context.take("L2::cache_hint");
  if (copy->load) {
    copy->sharedCta = context.take("shared::cta");
    if (!copy->sharedCta && !context.take("shared::cluster"))
      return context.fail("expected .shared::cluster or .shared::cta as the "
                          "destination of a load");
    if (!context.take("mbarrier::complete_tx::bytes"))
      return context.fail("expected .mbarrier::complete_tx::bytes for a load");
    copy->multicast = context.take("multicast::cluster");
    if (copy->multicast && copy->sharedCta)
      return context.fail(".multicast::cluster: expected .shared::cluster as "
                          "destination, got .shared::cta");
    if (context.take("cta_group::2"))
      copy->ctaGroup = 2;
    else
      context.take("cta_group::1");
    unsigned operands = 3 + copy->im2col + copy->multicast + hint;
    if (!context.expectOperands(operands, operands))
      return;
    copy->shared = context.memRef(0, copy->sharedCta ? Space::SharedCta
                                                     : Space::SharedCluster);
    decodeMap(context, *copy, 1);
    copy->barrier = context.memRef(2, copy->sharedCta ? Space::SharedCta
                                                      : Space::SharedCluster);
    if (copy->im2col)
      decodeOffsets(context, *copy, 3);
    if (copy->multicast)
      copy->mask = context.src(3 + copy->im2col, Type::B16);
  } else {
    if (!context.take("shared::cta"))
      return context.fail("expected .shared::cta as the source of a store");
    if (!context.take("bulk_group"))
      return context.fail("expected .bulk_group for a store");
    unsigned operands = 2 + hint;
    if (!context.expectOperands(operands, operands))
      return;
    decodeMap(context, *copy, 0);
    copy->shared = context.memRef(1, Space::SharedCta);
  }
  if (hint)
    context.src(context.numOperands() - 1, Type::B64);
  finish(context, std::move(copy));
}

static void decodeTensorPrefetch(DecodeContext &context) {
  auto copy = std::make_shared<TensorCopy>();
  copy->prefetch = true;
  decodeModes(context, *copy);
  if (!context.take("L2") || !context.take("global"))
    return context.fail("expected .L2.global");
  bool hint = context.take("L2::cache_hint");
  unsigned operands = 1 + copy->im2col + hint;
  if (!context.expectOperands(operands, operands))
    return;
  decodeMap(context, *copy, 0);
  if (copy->im2col)
    decodeOffsets(context, *copy, 1);
  if (hint)
    context.src(operands - 1, Type::B64);
  finish(context, std::move(copy));
}

void registerTmaInstructions(InstructionTable &table) {
  table.add("cp.async.bulk.tensor", decodeTensorCopy);
  table.add("cp.reduce.async.bulk.tensor", decodeTensorCopy);
  table.add("cp.async.bulk.prefetch.tensor", decodeTensorPrefetch);
}

} // namespace tc::emu
