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
// moves when the schedule steps that (TmaOps.h).
//
//===----------------------------------------------------------------------===//

#include "Engines/TMA/TmaOps.h"
#include "Exec/AsyncCopy/TmaOverrides.h"
#include "Exec/Decode/InstructionTable.h"
#include "Exec/Decode/Modifiers.h"
#include "Exec/Decode/Targets.h"
#include "State/Machine.h"

namespace tc::emu {

namespace {

struct TensorCopy : Payload {
  bool load = true, prefetch = false, fourRows = false;
  bool sharedCta = false; ///< destination named as shared::cta
  unsigned rank = 0;      ///< coordinates of the tensor: 1 to 5
  unsigned ctaGroup = 1;
  MemRef map, shared, barrier;
  bool im2col = false;
  std::vector<Src> coords, offsets;
  Src mask;
  unsigned maskBits = 0; ///< of .multicast::cluster, 0 without it
  MapOverrides overrides;
  ReportPattern report;
  /// cp.reduce.async.bulk.tensor.
  bool reduces = false;
  AtomicOp op = AtomicOp::Add;

  bool multicast() const { return maskBits != 0; }
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

/// Why the box may not be at `shared` in the CTA of that rank; empty if it
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
                   cluster.engine.findSharedReader(rank, at, bytes)) {
      why = "pending work still reads the bytes and has not been waited for: " +
            reader->describe();
    }
  });
  return why;
}

/// Destinations and barriers of a load (9.7.9.27: .multicast::cluster and
/// .cta_group). Empty with `why` set if an operand is wrong.
static std::vector<TensorLoadTarget>
loadTargets(Warp &warp, const TensorCopy &copy, uint32_t shared,
            uint32_t barrier, uint64_t mask, std::string &why) {
  std::vector<TensorLoadTarget> targets;
  unsigned owner = smemRank(barrier);
  if (!copy.multicast()) {
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
  for (unsigned rank = 0; rank < copy.maskBits; ++rank)
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

/// The copy of one lane: the tensor map and the box in global and shared
/// memory.
struct LaneCopy {
  unsigned lane;
  TensorMapDesc map;
  BoxPosition position;
  BoxShape shape;
  uint32_t shared;
};

static BoxPosition readPosition(const Warp &warp, const TensorCopy &copy,
                                unsigned lane) {
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
  return position;
}

/// Issues a store or a reduction; it repeats that of lane `first` if their
/// operands are equal.
static Step issueStore(Warp &warp, const DecodedInst &inst, const LaneCopy &box,
                       unsigned first) {
  const TensorCopy &copy = inst.as<TensorCopy>();
  const TensorMapDesc &map = box.map;
  const unsigned lane = box.lane;
  if (map.dtype == TensorMapType::B4x16P64 ||
      map.dtype == TensorMapType::B6x16P32)
    return warp.fail(
        ReportKind::Unsupported, inst,
        "stores of padded packed types are not supported by the emulator");
  if (smemRank(box.shared) != warp.cta.rank)
    return warp.fail(ReportKind::Memory, inst,
                     "expected a source in shared memory of the executing CTA");
  if (std::string why = checkShared(warp.cluster, smemRank(box.shared),
                                    box.shared, box.shape, map.swizzle, false);
      !why.empty())
    return warp.fail(ReportKind::Memory, inst, "source: " + why);
  Type reduction = Type::None;
  if (copy.reduces) {
    reduction = reductionType(map.dtype, copy.op);
    if (reduction == Type::None || !isBulkReduction(copy.op, reduction, true))
      return warp.fail(ReportKind::Trap, inst,
                       "the reduction does not exist for a tensor of type " +
                           std::string(toString(map.dtype)));
  }
  std::unique_ptr<AsyncOp> store = makeTensorStore(
      warp, lane, inst, map, box.position, box.shared, copy.op, reduction);
  if (copy.reduces) {
    store->strongElement = uint8_t(sizeOf(reduction));
    store->strongScope = Scope::Gpu;
  }
  store->repeats =
      lane != first && !copy.reduces && repeatsLane(warp, copy, lane, first);
  AsyncOp &op = warp.cluster.engine.issue(warp.cluster, std::move(store));
  warp.bulkGroup(lane).add(op.id);
  return Step::Yield;
}

static Step issueLoad(Warp &warp, const DecodedInst &inst,
                      const LaneCopy &box) {
  const TensorCopy &copy = inst.as<TensorCopy>();
  Cluster &cluster = warp.cluster;
  const unsigned lane = box.lane;
  if (copy.sharedCta && smemRank(box.shared) != warp.cta.rank)
    return warp.fail(ReportKind::Memory, inst,
                     "destination: expected the executing CTA's shared "
                     "memory for .shared::cta");
  uint32_t barrier;
  if (!warp.toShared(warp.address(copy.barrier, lane), copy.barrier.space,
                     barrier))
    return warp.fail(ReportKind::Memory, inst,
                     "expected a shared memory address for the mbarrier");
  std::string why;
  uint64_t mask = 0;
  if (copy.multicast())
    mask = warp.r32(copy.mask)[lane] & ((uint64_t(1) << copy.maskBits) - 1);
  std::vector<TensorLoadTarget> targets =
      loadTargets(warp, copy, box.shared, barrier, mask, why);
  if (!why.empty())
    return warp.fail(ReportKind::Sync, inst, why);
  for (const TensorLoadTarget &target : targets) {
    why = checkShared(cluster, target.rank, box.shared, box.shape,
                      box.map.swizzle, true);
    if (!why.empty())
      return warp.fail(ReportKind::Memory, inst, "destination: " + why);
    const Mbarrier *at = cluster.mbarrier(target.barrier, why);
    if (!at)
      return warp.fail(ReportKind::Sync, inst, "mbarrier: " + why);
    if (copy.report.bits && !at->reporting)
      return warp.fail(ReportKind::Sync, inst,
                       "mbarrier: expected one of .layout::v1 for "
                       ".mbarrier::report::validity (PTX ISA 9.4, \"Report "
                       "Mechanisms for Asynchronous Copy Operations\", "
                       "9.7.10.28.1.3)");
  }
  cluster.engine.issue(
      cluster, makeTensorLoad(warp, lane, inst, box.map, box.position,
                              box.shared, std::move(targets), copy.report));
  return Step::Yield;
}

static Step execTensorCopy(Warp &warp, const DecodedInst &inst,
                           uint32_t active) {
  const TensorCopy &copy = inst.as<TensorCopy>();
  const unsigned first = unsigned(__builtin_ctz(active));
  for (unsigned lane = 0; lane < 32; ++lane) {
    if (!(active >> lane & 1))
      continue;
    Expected<TensorMapDesc> map =
        readMap(warp.machine, warp.address(copy.map, lane), copy);
    if (!map)
      return warp.fail(ReportKind::Trap, inst, map.error().message);
    if (uint64_t address = warp.address(copy.map, lane);
        warp.cluster.events &&
        (isDeviceAddress(address) || inWindow(address, kModuleWindow)))
      warp.cluster.events->tensorMap(warp, lane, address, inst);
    if (std::string why =
            overrideMap(warp, copy.overrides, copy.coords, lane, *map);
        !why.empty())
      return warp.fail(ReportKind::Memory, inst, why);
    BoxPosition position = readPosition(warp, copy, lane);
    if (std::string why =
            checkPosition(*map, position, copy.load || copy.prefetch);
        !why.empty())
      return warp.fail(ReportKind::Trap, inst, why);
    if (copy.prefetch)
      continue;

    LaneCopy box{lane, *map, position, boxShape(*map, copy.fourRows), 0};
    if (!warp.toShared(warp.address(copy.shared, lane), copy.shared.space,
                       box.shared))
      return warp.fail(ReportKind::Memory, inst,
                       "expected a shared memory address for the box");
    Step step = copy.load ? issueLoad(warp, inst, box)
                          : issueStore(warp, inst, box, first);
    if (step != Step::Yield)
      return step;
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

/// [map, {coords}], with what overrides the map between them.
static void decodeMap(DecodeContext &context, TensorCopy &copy,
                      unsigned index) {
  const ast::Operand &operand = context.operand(index);
  const GivenOverrides given = takeOverrides(
      context, copy.rank, /*isTile=*/!copy.im2col && !copy.fourRows);
  if (context.failed())
    return;
  if (operand.kind != ast::Operand::Kind::Address ||
      operand.elems.size() != 2 + given.countOperands())
    return context.fail("operand " + std::to_string(index) +
                        ": expected [tensorMap, {coordinates}]" +
                        (given.address ? " with the overrides before the "
                                         "coordinates"
                                       : ""));
  ast::Operand map = operand;
  map.elems.resize(1);
  copy.map = context.memRef(map, Space::Generic);
  copy.overrides = decodeOverrides(context, operand, copy.rank, given);
  copy.coords = context.srcVector(operand.elems.back(), Type::S32);
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
  // The state spaces come in the order destination, source.
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
    copy->report = takeReport(context);
    copy->maskBits = takeMulticast(context);
    if (copy->multicast() && copy->sharedCta)
      return context.fail(".multicast::cluster: expected .shared::cluster as "
                          "destination, got .shared::cta");
    if (context.take("cta_group::2"))
      copy->ctaGroup = 2;
    else
      context.take("cta_group::1");
    unsigned operands = 3 + copy->im2col + copy->multicast() + hint;
    if (!context.expectOperands(operands, operands))
      return;
    copy->shared = context.memRef(0, copy->sharedCta ? Space::SharedCta
                                                     : Space::SharedCluster);
    decodeMap(context, *copy, 1);
    if (copy->multicast() && copy->maskBits == 16 &&
        !copy->overrides.extents.empty())
      return context.fail(".override::global_dim: expected "
                          ".multicast::cluster::32b");
    copy->barrier = context.memRef(2, copy->sharedCta ? Space::SharedCta
                                                      : Space::SharedCluster);
    if (copy->im2col)
      decodeOffsets(context, *copy, 3);
    if (copy->multicast())
      copy->mask = context.src(3 + copy->im2col,
                               copy->maskBits == 32 ? Type::B32 : Type::B16);
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
  if (context.take("L2::evict_last"))
    expectTarget(context, std::string(context.base) + " with .L2::evict_last",
                 Targets::Rubin, {9, 4});
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

/// applypriority.async.bulk.tensor.1d.global.tile.bulk_group.L2::evict_normal
/// [map, {coordinates}]: a prefetch that moves nothing, as caches have no
/// effect.
static void decodeTensorPriority(DecodeContext &context) {
  auto copy = std::make_shared<TensorCopy>();
  copy->prefetch = true;
  decodeModes(context, *copy);
  if (!context.take("global") || !context.take("bulk_group") ||
      !context.take("L2::evict_normal"))
    return context.fail("expected .global.bulk_group.L2::evict_normal");
  expectTarget(context, context.base, Targets::Rubin, {9, 4});
  const unsigned operands = 1 + copy->im2col;
  if (!context.expectOperands(operands, operands))
    return;
  decodeMap(context, *copy, 0);
  if (copy->im2col)
    decodeOffsets(context, *copy, 1);
  finish(context, std::move(copy));
}

void registerTmaInstructions(InstructionTable &table) {
  table.add("cp.async.bulk.tensor", decodeTensorCopy);
  table.add("cp.reduce.async.bulk.tensor", decodeTensorCopy);
  table.add("cp.async.bulk.prefetch.tensor", decodeTensorPrefetch);
  table.add("applypriority.async.bulk.tensor", decodeTensorPriority);
}

} // namespace tc::emu
