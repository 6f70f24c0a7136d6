//===- ConvertTiles.cpp - lower the ops on tiles ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every unit shares is lowered by the patterns of this folder, what it
// does not by those that each unit adds.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMTiles/TMMTiles.h"

#include "tc/Conversion/TMMTiles/TileOps.h"
#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/KernelForm.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTTMMTILESPASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

struct ConvertTMMTilesPass
    : tc::impl::ConvertTMMTilesPassBase<ConvertTMMTilesPass> {
  void runOnOperation() override;
};

} // namespace

/// Checks that no op of `kernel` is left that a pass of its own lowers.
static LogicalResult verifyLoweredBefore(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([](tmm::RegisterTileOpInterface op) {
    op->emitOpError() << "expected -" << op.getLoweringPass()
                      << " before convert-tmm-tiles, got none";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

static LogicalResult convertKernel(gpu::GPUFuncOp kernel) {
  if (failed(tmm::verifyStructured(kernel)) || failed(tmm::verifyCut(kernel)) ||
      failed(verifyLoweredBefore(kernel)))
    return failure();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  populateSmemTileConversions(converter);
  RewritePatternSet patterns(kernel.getContext());
  populateSmemTilePatterns(converter, patterns);
  for (const auto &unit : MatrixUnits::get(kernel.getContext()).getModels()) {
    if (failed(unit->verifyTiles(kernel)))
      return failure();
    unit->populateTilePatterns(converter, patterns);
  }
  return convertTileOps(kernel, std::move(patterns));
}

void ConvertTMMTilesPass::runOnOperation() {
  for (gpu::GPUFuncOp kernel : tmm::getTileKernels(getOperation()))
    if (failed(convertKernel(kernel)))
      return signalPassFailure();
}
