//===- TestLower.cpp - code for the ops of threads of test_unit -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comes right after the lowering of pipelines: the threads of the role go over
// the elements of a tile. Slots in shared memory are lowered by the patterns of
// every kernel, what is in global memory becomes addresses.
//
//===----------------------------------------------------------------------===//

#include "TestUnit.h"

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Conversion/TMMTiles/TileOps.h"
#include "tc/Support/EmitArith.h"
#include "tc/Support/Target.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace tc;
using namespace tc::test_unit;

static constexpr int64_t kElementBytes = 4;

namespace {

/// The elements of one tile.
struct Tile {
  tmm::BufferType type;
  /// In shared memory; null in global memory.
  Value memref;
  /// In global memory: the slot of CTA 0 (i64), and the bytes from one CTA's to
  /// the next.
  Value address;
  int64_t distance = 0;

  int64_t size() const { return type.getRows() * type.getColumns(); }
  Value emitPlace(OpBuilder &b, Location loc, Value cta, Value element) const {
    Value slot = emitOffset(b, loc, address, cta, distance);
    return emitPointer(b, loc,
                       emitOffset(b, loc, slot, element, kElementBytes));
  }
  Value load(OpBuilder &b, Location loc, Value cta, Value element) const {
    if (memref)
      return memref::LoadOp::create(b, loc, memref, emitIndex(b, loc, element));
    return LLVM::LoadOp::create(b, loc, b.getF32Type(),
                                emitPlace(b, loc, cta, element));
  }
  void store(OpBuilder &b, Location loc, Value cta, Value element,
             Value value) const {
    if (memref)
      memref::StoreOp::create(b, loc, value, memref,
                              emitIndex(b, loc, element));
    else
      LLVM::StoreOp::create(b, loc, value, emitPlace(b, loc, cta, element));
  }
};

/// What ops on tiles took is there as a memref now.
struct CastPattern : OpConversionPattern<UnrealizedConversionCastOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(UnrealizedConversionCastOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, adaptor.getInputs());
    return success();
  }
};

struct TestLowerPass : PassWrapper<TestLowerPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestLowerPass)

  StringRef getArgument() const override { return "test-unit-lower"; }
  StringRef getDescription() const override {
    return "code for the ops of threads of test_unit";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<TestUnitDialect, sm90::SM90Dialect>();
  }
  void runOnOperation() override;
};

} // namespace

static Tile getTile(OpBuilder &b, Location loc, Value buffer) {
  Tile tile;
  tile.type = cast<tmm::BufferType>(buffer.getType());
  auto slot = buffer.getDefiningOp<tmm::TileSlotOp>();
  auto board = dyn_cast<BoardAttr>(tile.type.getSpace());
  if (!board) {
    tile.memref = UnrealizedConversionCastOp::create(
                      b, loc, getSmemTileType(tile.type), buffer)
                      .getResult(0);
    return tile;
  }
  auto kernel = slot->getParentOfType<gpu::GPUFuncOp>();
  int64_t bytes = tile.size() * kElementBytes;
  tile.distance = bytes * slot.getStorage().getType().getDepth();
  tile.address = emitOffset(
      b, loc, emitAddress(b, loc, kernel.getArgument(board.getArgument())),
      slot.getIndex(), bytes);
  return tile;
}

/// Emits `body` for each element, below `size`, of the executing thread.
static void
emitElements(OpBuilder &b, Operation *op, int64_t size,
             function_ref<void(OpBuilder &, Location, Value)> body) {
  Location loc = op->getLoc();
  auto [roles, number] = *tmm::WarpSpecializeOp::findRole(op->getBlock());
  int64_t threads = roles.getWarps()[number] * kWarpThreads;
  scf::ForOp::create(
      b, loc, tmm::WarpSpecializeOp::emitThread(b, loc), emitI32(b, loc, size),
      emitI32(b, loc, threads), ValueRange(),
      [&](OpBuilder &b, Location loc, Value element, ValueRange) {
        body(b, loc, element);
        scf::YieldOp::create(b, loc);
      });
}

/// The pointer to `element` of part `index` of a matrix in global memory.
static Value emitPart(OpBuilder &b, Location loc, Value matrix, Value index,
                      int64_t size, Value element) {
  Value part = emitOffset(b, loc, emitAddress(b, loc, matrix), index,
                          size * kElementBytes);
  return emitPointer(b, loc, emitOffset(b, loc, part, element, kElementBytes));
}

static void lower(FillOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Tile tile = getTile(b, loc, op.getBuffer());
  AgentSetAttrInterface to = op.getTargets();
  int64_t ctas = to ? to.getNumCtas() : 1;
  int64_t size = tile.size() / ctas;
  Value rank = emitRank(b, loc), index = op.getIndex();
  if (to)
    index = arith::AddIOp::create(
        b, loc, arith::MulIOp::create(b, loc, index, emitI32(b, loc, ctas)),
        rank);
  emitElements(b, op, size, [&](OpBuilder &b, Location loc, Value element) {
    Value value =
        LLVM::LoadOp::create(b, loc, b.getF32Type(),
                             emitPart(b, loc, op.getX(), index, size, element));
    if (!to) {
      if (Value add = op.getAdd()) {
        auto sum = scf::IfOp::create(
            b, loc, add,
            [&](OpBuilder &b, Location loc) {
              Value old = tile.load(b, loc, rank, element);
              scf::YieldOp::create(
                  b, loc,
                  arith::AddFOp::create(b, loc, old, value).getResult());
            },
            [&](OpBuilder &b, Location loc) {
              scf::YieldOp::create(b, loc, value);
            });
        value = sum.getResult(0);
      }
      return tile.store(b, loc, rank, element, value);
    }
    Value row = arith::MulIOp::create(b, loc, rank, emitI32(b, loc, size));
    Value place = arith::AddIOp::create(b, loc, row, element);
    for (int64_t cta = 0; cta < ctas; ++cta)
      tile.store(b, loc, emitI32(b, loc, cta), place, value);
  });
}

static void lower(ScaleOp op) {
  OpBuilder b(op);
  Tile tile = getTile(b, op.getLoc(), op.getBuffer());
  Value rank = emitRank(b, op.getLoc());
  emitElements(b, op, tile.size(), [&](OpBuilder &b, Location loc, Value at) {
    Value old = tile.load(b, loc, rank, at);
    tile.store(b, loc, rank, at, arith::AddFOp::create(b, loc, old, old));
  });
}

static void lower(DrainOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Tile tile = getTile(b, loc, op.getBuffer());
  Value rank = emitRank(b, loc);
  // Each CTA of the grid has parts of its own.
  Value ctas = gpu::GridDimOp::create(b, loc, gpu::Dimension::x);
  ctas = arith::IndexCastOp::create(b, loc, b.getI32Type(), ctas);
  Value index = arith::AddIOp::create(
      b, loc, arith::MulIOp::create(b, loc, op.getIndex(), ctas), rank);
  emitElements(b, op, tile.size(), [&](OpBuilder &b, Location loc, Value at) {
    LLVM::StoreOp::create(b, loc, tile.load(b, loc, rank, at),
                          emitPart(b, loc, op.getY(), index, tile.size(), at));
  });
}

void TestLowerPass::runOnOperation() {
  getOperation()->walk([](Operation *op) {
    auto replace = [](auto op) {
      lower(op);
      op.erase();
    };
    if (auto fill = dyn_cast<FillOp>(op))
      replace(fill);
    else if (auto scale = dyn_cast<ScaleOp>(op))
      replace(scale);
    else if (auto drain = dyn_cast<DrainOp>(op))
      replace(drain);
  });
  // Boards are arguments of the kernel.
  SmallVector<Operation *> dead;
  getOperation()->walk([&](Operation *op) {
    auto slot = dyn_cast<tmm::TileSlotOp>(op);
    auto storage = dyn_cast<tmm::StorageOp>(op);
    if ((slot && isa<BoardAttr>(slot.getBuffer().getType().getSpace())) ||
        (storage &&
         isa<BoardAttr>(storage.getStorage().getType().getBuffer().getSpace())))
      dead.push_back(op);
  });
  for (Operation *op : llvm::reverse(dead))
    op->erase();

  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  populateSmemTileConversions(converter);
  RewritePatternSet patterns(&getContext());
  populateSmemTilePatterns(converter, patterns);
  patterns.add<CastPattern>(converter, &getContext());
  ConversionTarget target(getContext());
  target.addIllegalOp<tmm::TileSlotOp, tmm::StorageOp>();
  target.addDynamicallyLegalOp<UnrealizedConversionCastOp>(
      [](UnrealizedConversionCastOp op) {
        return !isa<tmm::BufferType>(op.getOperandTypes().front());
      });
  target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
  if (failed(
          applyPartialConversion(getOperation(), target, std::move(patterns))))
    signalPassFailure();
}

namespace tc {
/// For registerTestUnit, which declares it.
void registerTestLower() { PassRegistration<TestLowerPass>(); }
} // namespace tc
