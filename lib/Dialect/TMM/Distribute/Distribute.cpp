//===- Distribute.cpp - distribute register tiles ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register tile of a CTA becomes what one thread holds of it. The layout of a
// tile is the one that the ops name which make or take it; ops that do not look
// at places (elementwise ops, control flow) have the same layout on both sides.
// So tiles fall into classes, and a class has one layout.
//
// Values keep their identity: their types change in place.
//
//===----------------------------------------------------------------------===//

#include "DistributeChecks.h"
#include "ThreadAccess.h"
#include "ThreadQuantize.h"
#include "ThreadReduce.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/KernelForm.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/EquivalenceClasses.h"

namespace tc::tmm {
#define GEN_PASS_DEF_DISTRIBUTEPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

struct DistributePass : tc::tmm::impl::DistributePassBase<DistributePass> {
  void runOnOperation() override;
};

/// A class of register tiles with one layout.
struct TileClass {
  RegisterLayoutAttrInterface layout;
  /// The first op that names it.
  Operation *namedBy = nullptr;
};

/// Distributes the register tiles of one kernel to its threads.
class Distribution {
public:
  Distribution(gpu::GPUFuncOp kernel) : kernel(kernel) {}

  LogicalResult run();

private:
  void splitConstants();
  LogicalResult collect(Operation *op);
  LogicalResult nameRows(Operation *op);
  std::optional<LogicalResult> nameLayouts(Operation *op);
  bool uniteTiles(Operation *op);
  LogicalResult name(Operation *op, Value tile,
                     RegisterLayoutAttrInterface layout);
  LogicalResult checkLayout(Operation *owner, Block *block,
                            RegisterLayoutAttrInterface layout,
                            VectorType type);
  LogicalResult check(Value tile);
  LogicalResult rewrite(Operation *op);
  void rewriteQuantize(OpBuilder &b, QuantizeOp quantize);
  LogicalResult rewriteSlice(OpBuilder &b, Operation *op);
  FailureOr<SmallVector<int64_t>> getSlice(Operation *op, Value whole,
                                           Value part, ArrayAttr offsets,
                                           ArrayAttr strides);
  void unite(Value a, Value b) {
    if (isTile(a) && isTile(b))
      classes.unionSets(a.getAsOpaquePointer(), b.getAsOpaquePointer());
  }
  TileClass &getClass(Value tile) {
    return byLeader[classes.getOrInsertLeaderValue(tile.getAsOpaquePointer())];
  }
  /// Puts `value`, what a thread holds, in the place of the result of `op`.
  void replace(Operation *op, Value value) {
    Value result = op->getResult(0);
    types[value] = types.lookup(result);
    layouts[value] = layouts.lookup(result);
    result.setType(value.getType());
    result.replaceAllUsesWith(value);
    op->erase();
  }
  static bool isTile(Value value) {
    auto type = dyn_cast<VectorType>(value.getType());
    return type && type.getRank() == 2;
  }

  gpu::GPUFuncOp kernel;
  llvm::EquivalenceClasses<void *> classes;
  DenseMap<void *, TileClass> byLeader;
  /// All tiles, and the types that they had, and their layouts.
  SmallVector<Value> tiles;
  DenseMap<Value, VectorType> types;
  DenseMap<Value, RegisterLayoutAttrInterface> layouts;
  /// What has no tile of its own, but a layout.
  SmallVector<PrefetchOp> prefetches;
  /// Whether the kernel is cut into roles.
  bool hasRoles = false;
};

} // namespace

/// Whether the op is the same for each element, wherever the element is: it has
/// no layout of its own and fits any.
static bool isSplat(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  auto broadcast = dyn_cast<vector::BroadcastOp>(op);
  return broadcast && !isa<VectorType>(broadcast.getSourceType());
}

/// Gives each use of a splat an op of its own: uses may have different layouts.
void Distribution::splitConstants() {
  SmallVector<Operation *> splats;
  kernel.walk([&](Operation *op) {
    if (op->getNumResults() == 1 && isTile(op->getResult(0)) && isSplat(op))
      splats.push_back(op);
  });
  for (Operation *op : splats) {
    OpBuilder b(op);
    b.setInsertionPointAfter(op);
    for (OpOperand &use : llvm::make_early_inc_range(op->getUses()))
      if (&use != &*op->getUses().begin())
        use.set(b.clone(*op)->getResult(0));
    if (op->use_empty())
      op->erase();
  }
}

/// The op says that `tile` has `layout`.
LogicalResult Distribution::name(Operation *op, Value tile,
                                 RegisterLayoutAttrInterface layout) {
  if (!isTile(tile))
    return success();
  if (!layout)
    return op->emitOpError("expected the layout of its register tile, got "
                           "none: only the matrix unit knows it");
  // Classes are complete when all ops are collected; until then each value has
  // one.
  TileClass &known = byLeader[tile.getAsOpaquePointer()];
  if (known.layout && known.layout != layout) {
    InFlightDiagnostic diag = op->emitOpError()
                              << "expected its register tile in layout "
                              << layout << ", got one in " << known.layout;
    diag.attachNote(known.namedBy->getLoc()) << "made or taken here";
    return diag;
  }
  if (!known.layout)
    known = {layout, op};
  return success();
}

/// Notes the layouts that `op`, along the rows of tiles, names.
LogicalResult Distribution::nameRows(Operation *op) {
  auto valuesOf = [&](RegisterLayoutAttrInterface layout, Value tile) {
    return RowValuesAttr::get(op->getContext(), layout,
                              cast<VectorType>(tile.getType()).getDimSize(1));
  };
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    if (std::string why = explainBadExchange(op, reduce.getLayout(), kernel);
        !why.empty())
      return op->emitOpError() << why;
    return failure(
        failed(name(op, reduce.getTile(), reduce.getLayout())) ||
        failed(name(op, reduce.getResult(),
                    valuesOf(reduce.getLayout(), reduce.getTile()))));
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op))
    return failure(
        failed(name(op, broadcast.getResult(), broadcast.getLayout())) ||
        failed(name(op, broadcast.getValues(),
                    valuesOf(broadcast.getLayout(), broadcast.getResult()))));
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    if (std::string why = explainBadExchange(op, transpose.getLayout(), kernel);
        !why.empty())
      return op->emitOpError() << why;
    return failure(
        failed(name(op, transpose.getTile(), transpose.getLayout())) ||
        failed(name(op, transpose.getResult(), transpose.getLayout())));
  }
  if (auto rescale = dyn_cast<RescaleOp>(op))
    return name(op, rescale.getFactors(),
                RowValuesAttr::get(op->getContext(), rescale.getLayout(),
                                   rescale.getAcc().getType().getColumns()));
  auto positions = cast<PositionsOp>(op);
  return name(op, positions.getResult(), positions.getLayout());
}

/// Notes the layouts that `op` names; nothing where it names none.
std::optional<LogicalResult> Distribution::nameLayouts(Operation *op) {
  if (auto mma = dyn_cast<MmaOp>(op)) {
    unite(mma.getAcc(), mma.getResult());
    return failure(failed(name(op, mma.getResult(), mma.getLayoutAttr())) ||
                   failed(name(op, mma.getA(), mma.getLayoutAttr())));
  }
  if (auto read = dyn_cast<ReadOp>(op))
    return name(op, read.getResult(), read.getLayoutAttr());
  if (auto fetch = dyn_cast<FetchOp>(op))
    return failure(failed(checkBytes(op, fetch.getType())) ||
                   failed(name(op, fetch.getResult(), fetch.getLayoutAttr())));
  if (auto gather = dyn_cast<GatherOp>(op))
    return failure(
        failed(checkBytes(op, gather.getType())) ||
        failed(name(op, gather.getPlaces(), gather.getLayoutAttr())) ||
        failed(name(op, gather.getResult(), gather.getLayoutAttr())));
  if (auto store = dyn_cast<StoreOp>(op))
    return failure(failed(checkBytes(op, store.getValue().getType())) ||
                   failed(name(op, store.getValue(), store.getLayoutAttr())));
  if (auto stage = dyn_cast<StageOp>(op))
    return name(op, stage.getValue(), stage.getLayoutAttr());
  if (auto write = dyn_cast<WriteOp>(op))
    return name(op, write.getValue(), write.getLayoutAttr());
  if (auto max = dyn_cast<AtomicMaxOp>(op)) {
    Type target = cast<MemRefType>(max.getTarget().getType()).getElementType();
    if (!target.isInteger())
      return op->emitOpError()
             << "expected a target of i32, the bits of its f32, got " << target
             << ": convert-tmm-kernel-interface-to-sm90 makes it one";
    return name(op, max.getTile(), max.getLayoutAttr());
  }
  if (auto convert = dyn_cast<ConvertLayoutOp>(op))
    return failure(failed(name(op, convert.getTile(), convert.getFromAttr())) ||
                   failed(name(op, convert.getResult(), convert.getToAttr())));
  if (isa<ReduceOp, BroadcastOp, RescaleOp, PositionsOp, TransposeOp>(op))
    return nameRows(op);
  if (auto holder = dyn_cast<RegisterTileOpInterface>(op)) {
    for (Value operand : op->getOperands())
      if (failed(name(op, operand, holder.getTileLayout())))
        return failure();
    for (Value result : op->getResults())
      if (failed(name(op, result, holder.getTileLayout())))
        return failure();
    return success();
  }
  return std::nullopt;
}

/// Unites the tiles of an op that has the same layout on both sides; false for
/// other ops.
bool Distribution::uniteTiles(Operation *op) {
  if (isa<CropOp, QuantizeOp>(op)) {
    for (Value result : op->getResults())
      unite(op->getOperand(0), result);
    return true;
  }
  if (auto await = dyn_cast<AwaitOp>(op)) {
    for (auto [value, result] :
         llvm::zip_equal(await.getValues(), await.getResults()))
      unite(value, result);
    return true;
  }
  if (isa<vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp>(op) ||
      OpTrait::hasElementwiseMappableTraits(op)) {
    SmallVector<Value> all(op->getOperands());
    llvm::append_range(all, op->getResults());
    llvm::erase_if(all, [](Value value) { return !isTile(value); });
    for (Value value : all)
      unite(all.front(), value);
    return true;
  }
  return false;
}

/// Unites the tiles of `op` that have one layout, and notes the layouts that it
/// names.
LogicalResult Distribution::collect(Operation *op) {
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Value argument : block.getArguments())
        if (isTile(argument))
          tiles.push_back(argument);
  for (Value result : op->getResults())
    if (isTile(result))
      tiles.push_back(result);
  if (auto prefetch = dyn_cast<PrefetchOp>(op))
    prefetches.push_back(prefetch);
  bool touches = llvm::any_of(op->getResults(), isTile) ||
                 llvm::any_of(op->getOperands(), isTile);
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    RegionBranchSuccessorMapping mapping;
    branch.getSuccessorOperandInputMapping(mapping);
    for (auto &[operand, inputs] : mapping)
      for (Value input : inputs)
        unite(operand->get(), input);
    return success();
  }
  if (!touches || isa<RegionBranchTerminatorOpInterface>(op) || isSplat(op))
    return success();
  if (std::optional<LogicalResult> named = nameLayouts(op))
    return *named;
  if (uniteTiles(op))
    return success();
  return isa<ExtractColumnsOp, InsertColumnsOp>(op) ? rejectColumns(op)
                                                    : rejectOp(op);
}

/// Whether a thread holds whole rows of `tile`, where blocks of them are
/// scaled, or stored in pairs.
static bool holdsWholeRows(Value tile, RegisterLayoutAttrInterface layout) {
  auto type = cast<VectorType>(tile.getType());
  bool isStored =
      isa<FloatType>(type.getElementType()) &&
      type.getElementTypeBitWidth() < 8 &&
      llvm::any_of(
          tile.getUsers(), [](Operation *user) { return isa<StoreOp>(user); });
  if (!isStored && !tile.getDefiningOp<QuantizeOp>())
    return true;
  SmallVector<RegisterRun> runs = layout.getRuns(type.getShape());
  return runs.size() == 1 && runs[0].length == type.getDimSize(1);
}

/// Checks that `layout` fits a tile of `type`, and the threads that run
/// `owner`, which is in `block` or has it.
LogicalResult Distribution::checkLayout(Operation *owner, Block *block,
                                        RegisterLayoutAttrInterface layout,
                                        VectorType type) {
  if (!layout)
    return owner->emitOpError()
           << "expected a register tile with a layout, got one that no op with "
              "a layout makes or takes";
  if (failed(layout.verifyTile([&] { return owner->emitOpError(); },
                               type.getShape())))
    return failure();
  int64_t threads = layout.getThreads(type.getShape());
  int64_t have = 1;
  if (auto role = WarpSpecializeOp::findRole(block)) {
    have = role->first.getWarps()[role->second] * kWarpThreads;
  } else if (hasRoles) {
    // A splat before the roles: which of them takes it is seen there.
    return success();
  } else if (auto size = kernel.getKnownBlockSize()) {
    for (int32_t extent : *size)
      have *= extent;
  } else {
    return kernel.emitOpError() << "expected known_block_size, got none";
  }
  if (threads != have)
    return owner->emitOpError()
           << "expected a register tile of " << type.getDimSize(0) << "x"
           << type.getDimSize(1) << " in layout " << layout << " to have "
           << threads << " threads, got " << have;
  return success();
}

/// Checks that the layout of `tile` fits it, and the threads that hold it.
LogicalResult Distribution::check(Value tile) {
  Operation *owner = tile.getDefiningOp();
  if (!owner)
    owner = tile.getParentBlock()->getParentOp();
  RegisterLayoutAttrInterface layout = getClass(tile).layout;
  auto type = cast<VectorType>(tile.getType());
  if (owner == kernel)
    return kernel.emitOpError() << "expected register tiles to be made in the "
                                   "kernel, got an argument of type "
                                << type;
  if (layout && layout.fits(type.getShape()) && !holdsWholeRows(tile, layout))
    return owner->emitOpError() << "expected a layout in which a thread holds "
                                   "whole rows, of which it makes scale "
                                   "factors, got "
                                << layout;
  return checkLayout(owner, tile.getParentBlock(), layout, type);
}

void Distribution::rewriteQuantize(OpBuilder &b, QuantizeOp quantize) {
  ThreadQuantized parts = emitThreadQuantize(
      b, quantize, types.lookup(quantize.getTile()).getShape(),
      layouts.lookup(quantize.getTile()));
  quantize->getResult(0).replaceAllUsesWith(parts.elements);
  quantize->getResult(1).replaceAllUsesWith(parts.scales);
  for (auto [result, part] :
       {std::pair(quantize->getResult(0), parts.elements),
        std::pair(quantize->getResult(1), parts.scales)}) {
    types[part] = types.lookup(result);
    layouts[part] = layouts.lookup(result);
  }
  quantize->erase();
}

/// Slices of tiles; other ops stay as they are.
LogicalResult Distribution::rewriteSlice(OpBuilder &b, Operation *op) {
  Location loc = op->getLoc();
  if (auto slice = dyn_cast<vector::ExtractStridedSliceOp>(op)) {
    auto registers = getSlice(op, slice.getSource(), slice.getResult(),
                              slice.getOffsets(), slice.getStrides());
    if (failed(registers))
      return failure();
    replace(op, vector::ShuffleOp::create(b, loc, slice.getSource(),
                                          slice.getSource(), *registers));
  } else if (auto slice = dyn_cast<vector::InsertStridedSliceOp>(op)) {
    auto registers = getSlice(op, slice.getDest(), slice.getValueToStore(),
                              slice.getOffsets(), slice.getStrides());
    if (failed(registers))
      return failure();
    Value all = slice.getDest();
    for (auto [number, place] : llvm::enumerate(*registers)) {
      Value element = vector::ExtractOp::create(b, loc, slice.getValueToStore(),
                                                int64_t(number));
      all = vector::InsertOp::create(b, loc, element, all, place);
    }
    replace(op, all);
  }
  return success();
}

LogicalResult Distribution::rewrite(Operation *op) {
  OpBuilder b(op);
  auto shapeOf = [&](Value tile) { return types.lookup(tile).getShape(); };
  if (auto fetch = dyn_cast<FetchOp>(op)) {
    replace(op, emitThreadFetch(b, fetch, types.lookup(fetch.getResult()),
                                fetch.getLayoutAttr()));
    return success();
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    replace(op, emitThreadGather(b, gather, types.lookup(gather.getResult()),
                                 gather.getLayoutAttr()));
    return success();
  }
  if (auto convert = dyn_cast<ConvertLayoutOp>(op)) {
    replace(op, emitThreadConvert(b, convert, convert.getTile(),
                                  shapeOf(convert.getTile())));
    return success();
  }
  if (auto store = dyn_cast<StoreOp>(op); store && store.getBlocked()) {
    emitThreadScaleStore(b, store, store.getValue(), shapeOf(store.getValue()),
                         store.getLayoutAttr());
    op->erase();
    return success();
  }
  if (auto crop = dyn_cast<CropOp>(op)) {
    replace(op, emitThreadCrop(b, crop, shapeOf(crop.getTile()),
                               layouts.lookup(crop.getTile())));
    return success();
  }
  if (auto max = dyn_cast<AtomicMaxOp>(op)) {
    emitThreadAtomicMax(b, max, shapeOf(max.getTile()), max.getLayoutAttr());
    op->erase();
    return success();
  }
  if (auto quantize = dyn_cast<QuantizeOp>(op)) {
    rewriteQuantize(b, quantize);
    return success();
  }
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    replace(op, emitThreadReduce(b, reduce, shapeOf(reduce.getTile()), kernel));
    return success();
  }
  if (auto transpose = dyn_cast<TransposeOp>(op)) {
    replace(op, emitThreadTranspose(b, transpose,
                                    shapeOf(transpose.getResult()), kernel));
    return success();
  }
  if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    replace(op,
            emitThreadBroadcast(b, broadcast, shapeOf(broadcast.getResult())));
    return success();
  }
  if (auto positions = dyn_cast<PositionsOp>(op)) {
    replace(op,
            emitThreadPositions(b, positions, shapeOf(positions.getResult())));
    return success();
  }
  if (auto store = dyn_cast<StoreOp>(op)) {
    emitThreadStore(b, store, store.getValue(), shapeOf(store.getValue()),
                    store.getLayoutAttr());
    op->erase();
    return success();
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    auto type = cast<VectorType>(constant.getType());
    if (auto splat = dyn_cast<SplatElementsAttr>(constant.getValue()))
      constant.setValueAttr(
          DenseElementsAttr::get(type, splat.getSplatValue<Attribute>()));
    return success();
  }
  return rewriteSlice(b, op);
}

/// The registers of `whole` that a slice `part` of it is: its elements from
/// `offsets` on.
FailureOr<SmallVector<int64_t>> Distribution::getSlice(Operation *op,
                                                       Value whole, Value part,
                                                       ArrayAttr offsets,
                                                       ArrayAttr strides) {
  VectorType from = types.lookup(whole), type = types.lookup(part);
  auto offset = [&](unsigned dim) {
    return cast<IntegerAttr>(offsets[dim]).getInt();
  };
  auto isOne = [](Attribute stride) {
    return cast<IntegerAttr>(stride).getInt() == 1;
  };
  std::optional<SmallVector<int64_t>> registers;
  if (llvm::all_of(strides, isOne))
    registers = getRegistersOfPart(layouts.lookup(part), from.getShape(),
                                   type.getShape(), offset(0), offset(1));
  if (registers)
    return *registers;
  return op->emitOpError() << "expected a slice whose elements each thread "
                              "holds, in layout "
                           << layouts.lookup(part) << ", got " << type
                           << " from row " << offset(0) << " and column "
                           << offset(1) << " on of " << from;
}

LogicalResult Distribution::run() {
  // Vectors of other kernels are no register tiles.
  if (!hasTileOps(kernel))
    return success();
  auto isRoles = [](WarpSpecializeOp) { return WalkResult::interrupt(); };
  hasRoles = kernel.walk(isRoles).wasInterrupted();
  splitConstants();
  WalkResult collected = kernel.walk([&](Operation *op) {
    return failed(collect(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
  });
  if (collected.wasInterrupted())
    return failure();
  if (tiles.empty() && prefetches.empty())
    return success();
  for (PrefetchOp op : prefetches)
    if (failed(checkBytes(op, op.getTile())) ||
        failed(checkLayout(op, op->getBlock(), op.getLayoutAttr(),
                           cast<VectorType>(op.getTile()))))
      return failure();
  // What was named for single tiles holds for their classes.
  DenseMap<void *, TileClass> named = std::move(byLeader);
  byLeader.clear();
  for (Value tile : tiles) {
    auto found = named.find(tile.getAsOpaquePointer());
    if (found == named.end())
      continue;
    const TileClass &own = found->second;
    TileClass &known = getClass(tile);
    if (known.layout && known.layout != own.layout) {
      InFlightDiagnostic diag = own.namedBy->emitOpError()
                                << "expected its register tile in layout "
                                << own.layout << ", got one in "
                                << known.layout;
      diag.attachNote(known.namedBy->getLoc()) << "made or taken here";
      return diag;
    }
    if (!known.layout)
      known = own;
  }
  for (Value tile : tiles) {
    if (failed(check(tile)))
      return failure();
    types[tile] = cast<VectorType>(tile.getType());
    layouts[tile] = getClass(tile).layout;
  }
  for (Value tile : tiles)
    tile.setType(getThreadType(layouts.lookup(tile), types.lookup(tile)));
  SmallVector<Operation *> ops;
  kernel.walk([&](Operation *op) {
    if (isa<AtomicMaxOp, BroadcastOp, ConvertLayoutOp, CropOp, FetchOp,
            GatherOp, PositionsOp, QuantizeOp, ReduceOp, StoreOp, TransposeOp,
            arith::ConstantOp, vector::ExtractStridedSliceOp,
            vector::InsertStridedSliceOp>(op) &&
        (llvm::any_of(op->getOperands(),
                      [&](Value value) { return types.contains(value); }) ||
         llvm::any_of(op->getResults(),
                      [&](Value value) { return types.contains(value); })))
      ops.push_back(op);
  });
  for (Operation *op : ops)
    if (failed(rewrite(op)))
      return failure();
  for (PrefetchOp op : prefetches) {
    OpBuilder b(op);
    emitThreadPrefetch(b, op, op.getLayoutAttr());
    op.erase();
  }
  return success();
}

void DistributePass::runOnOperation() {
  WalkResult result = getOperation()->walk([&](gpu::GPUFuncOp kernel) {
    return failed(Distribution(kernel).run()) ? WalkResult::interrupt()
                                              : WalkResult::skip();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
