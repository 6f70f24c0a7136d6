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

#include "tc/Conversion/TMMToSM90/TileOps.h"
#include "tc/Dialect/TMM/IR/KernelForm.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
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

} // namespace

static LogicalResult convertKernel(gpu::GPUFuncOp kernel) {
  if (failed(verifyTilePreconditions(kernel)))
    return failure();
  TypeConverter converter;
  converter.addConversion([](Type type) { return type; });
  populateSmemTileConversions(converter);
  converter.addConversion([](tmm::BufferType type) -> std::optional<Type> {
    if (auto region = getTmemTileType(type))
      return region;
    return std::nullopt;
  });
  converter.addConversion([](tmm::StorageType type) -> std::optional<Type> {
    if (auto region = getTmemTileType(type.getBuffer()))
      return getTmemRingType(region, type.getDepth());
    return std::nullopt;
  });
  RewritePatternSet patterns(kernel.getContext());
  populateSmemTilePatterns(converter, patterns);
  populateStoragePatterns(converter, patterns);
  populateTilePatterns(converter, patterns);
  return convertTileOps(kernel, std::move(patterns));
}

void ConvertTMMToTCGen05Pass::runOnOperation() {
  for (gpu::GPUFuncOp kernel : tmm::getTileKernels(getOperation()))
    if (failed(convertKernel(kernel)))
      return signalPassFailure();
}
