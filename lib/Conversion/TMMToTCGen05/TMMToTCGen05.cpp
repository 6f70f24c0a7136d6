//===- TMMToTCGen05.cpp - from tile programs to tcgen05 ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass and its conversion target; patterns live in the other files.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMToTCGen05/TMMToTCGen05.h"

#include "Lowering.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTTMMTOTCGEN05PASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

struct ConvertTMMToTCGen05Pass
    : tc::impl::ConvertTMMToTCGen05PassBase<ConvertTMMToTCGen05Pass> {
  void runOnOperation() override;
};

/// Types of a tile program and what they become in one thread.
struct TileTypeConverter : TypeConverter {
  TileTypeConverter() {
    addConversion([](Type type) { return type; });
    addConversion([](tmm::BufferType type) -> std::optional<Type> {
      if (MemRefType tile = getSmemTileType(type))
        return tile;
      return getTmemTileType(type);
    });
    addConversion([](tmm::StorageType type) -> std::optional<Type> {
      if (auto region = getTmemTileType(type.getBuffer()))
        return getTmemRingType(region, type.getDepth());
      MemRefType tile = getSmemTileType(type.getBuffer());
      if (!tile)
        return std::nullopt;
      return MemRefType::get({getSlotStride(tile) * type.getDepth()},
                             IntegerType::get(type.getContext(), 8),
                             MemRefLayoutAttrInterface(),
                             tile.getMemorySpace());
    });
    // A register tile: the thread's row.
    addConversion([](VectorType type) -> std::optional<Type> {
      if (type.getRank() != 2)
        return std::nullopt;
      return VectorType::get({type.getDimSize(1)}, type.getElementType());
    });
  }
};

} // namespace

static LogicalResult convertKernel(gpu::GPUFuncOp kernel) {
  MLIRContext *context = kernel.getContext();
  TileTypeConverter converter;
  RewritePatternSet patterns(context);
  populateStoragePatterns(converter, patterns);
  populateTilePatterns(converter, patterns);
  populateEpiloguePatterns(converter, patterns);

  ConversionTarget target(*context);
  target.addIllegalDialect<tmm::TMMDialect>();
  // Roles and the issuing thread are lowered next.
  target.addLegalOp<tmm::WarpSpecializeOp, tmm::IssueOp>();
  // Register tiles and states may pass through any upstream op.
  target.markUnknownOpDynamicallyLegal([&](Operation *op) {
    return !OpTrait::hasElementwiseMappableTraits(op) || converter.isLegal(op);
  });
  target.addDynamicallyLegalOp<arith::ConstantOp>([&](arith::ConstantOp op) {
    return converter.isLegal(op.getOperation());
  });
  target.addDynamicallyLegalOp<vector::BroadcastOp>(
      [&](vector::BroadcastOp op) { return converter.isLegal(op.getType()); });
  scf::populateSCFStructuralTypeConversionsAndLegality(converter, patterns,
                                                       target);
  SmallVector<Operation *> body;
  for (Operation &op : kernel.getBody().front())
    body.push_back(&op);
  return applyPartialConversion(body, target, std::move(patterns));
}

void ConvertTMMToTCGen05Pass::runOnOperation() {
  SmallVector<gpu::GPUFuncOp> kernels;
  getOperation()->walk([&](gpu::GPUFuncOp kernel) {
    auto isTile = [](Operation *op) {
      return isa_and_nonnull<tmm::TMMDialect>(op->getDialect())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    };
    if (kernel.isKernel() && kernel.walk(isTile).wasInterrupted())
      kernels.push_back(kernel);
  });
  for (gpu::GPUFuncOp kernel : kernels)
    if (failed(convertKernel(kernel)))
      return signalPassFailure();
}
