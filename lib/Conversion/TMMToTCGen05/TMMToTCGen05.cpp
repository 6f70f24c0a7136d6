//===- TMMToTCGen05.cpp - from tile programs to tcgen05 ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass and its conversion target; patterns live in the other files. For
// each kernel: the interface is rewritten, pipelines are laid out, then every
// tmm op is converted in one go.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMToTCGen05/TMMToTCGen05.h"

#include "Lowering.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/Transforms/Patterns.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/SymbolTable.h"

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
  /// `ctas`: those that a matrix instruction of the kernel spans.
  explicit TileTypeConverter(int64_t ctas) {
    addConversion([](Type type) { return type; });
    addConversion([=](tmm::BufferType type) -> std::optional<Type> {
      if (type.getSpace() == tmm::MemorySpace::smem)
        return getSmemTileType(type);
      return getAccumulatorType(type, ctas);
    });
    auto numbers = [](Type type, unsigned count, SmallVectorImpl<Type> &out) {
      out.append(count, IntegerType::get(type.getContext(), 32));
      return success();
    };
    // Slot and lap mod 2.
    addConversion(
        [=](tmm::PipelineStateType type,
            SmallVectorImpl<Type> &out) -> std::optional<LogicalResult> {
          return numbers(type, 2, out);
        });
    // The number of the tile.
    addConversion(
        [=](tmm::WorkType type,
            SmallVectorImpl<Type> &out) -> std::optional<LogicalResult> {
          return numbers(type, 1, out);
        });
    // Tiles along M, tiles of one problem, tiles of all, K-blocks.
    addConversion(
        [=](tmm::SchedulerType type,
            SmallVectorImpl<Type> &out) -> std::optional<LogicalResult> {
          return numbers(type, 4, out);
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

/// The launch of each kernel of the module.
static FailureOr<DenseMap<Operation *, gpu::LaunchFuncOp>>
collectLaunches(ModuleOp module) {
  DenseMap<Operation *, gpu::LaunchFuncOp> launches;
  SymbolTableCollection symbols;
  WalkResult result = module.walk([&](gpu::LaunchFuncOp launch) {
    Operation *kernel =
        symbols.lookupNearestSymbolFrom(launch, launch.getKernel());
    gpu::LaunchFuncOp &known = launches[kernel];
    if (known) {
      InFlightDiagnostic diag = launch.emitOpError()
                                << "expected one launch of a kernel, got two";
      diag.attachNote(known.getLoc()) << "first launch here";
      return WalkResult::interrupt();
    }
    known = launch;
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return launches;
}

static LogicalResult convertKernel(gpu::GPUFuncOp kernel,
                                   gpu::LaunchFuncOp launch) {
  MLIRContext *context = kernel.getContext();
  KernelLowering lowering;
  std::optional<ArrayRef<int32_t>> block = kernel.getKnownBlockSize();
  if (!block)
    return kernel.emitOpError() << "expected known_block_size, got none";
  lowering.threads = int64_t((*block)[0]) * (*block)[1] * (*block)[2];
  if (failed(checkRoles(kernel, lowering)) ||
      failed(rewriteInterface(kernel, launch, lowering)) ||
      failed(layOutPipelines(kernel, launch, lowering)))
    return failure();

  TileTypeConverter converter(lowering.ctas);
  RewritePatternSet patterns(context);
  populatePipelinePatterns(converter, patterns, lowering);
  populateSchedulerPatterns(converter, patterns);
  populateTilePatterns(converter, patterns, lowering);
  populateEpiloguePatterns(converter, patterns, lowering);

  ConversionTarget target(*context);
  // The patterns find a pipeline by its op, which goes last.
  target.addIllegalDialect<tmm::TMMDialect>();
  target.addLegalOp<tmm::PipelineOp>();
  // Patterns ask which role they are in, so roles go after their bodies.
  target.addLegalOp<tmm::WarpSpecializeOp>();
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
  if (failed(applyPartialConversion(body, target, std::move(patterns))))
    return failure();

  expandRoles(kernel, lowering);
  for (auto op : llvm::make_early_inc_range(
           kernel.getBody().front().getOps<tmm::PipelineOp>()))
    op.erase();
  kernel.getBody().front().eraseArguments(0, lowering.replacedArguments);
  kernel->removeAttr("tmm.config");
  return success();
}

void ConvertTMMToTCGen05Pass::runOnOperation() {
  ModuleOp module = getOperation();
  auto launches = collectLaunches(module);
  if (failed(launches))
    return signalPassFailure();
  SmallVector<gpu::GPUFuncOp> kernels;
  module.walk([&](gpu::GPUFuncOp kernel) {
    auto isTile = [](Operation *op) {
      return isa_and_nonnull<tmm::TMMDialect>(op->getDialect())
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    };
    if (kernel.isKernel() && kernel.walk(isTile).wasInterrupted())
      kernels.push_back(kernel);
  });
  for (gpu::GPUFuncOp kernel : kernels) {
    gpu::LaunchFuncOp launch = launches->lookup(kernel);
    if (!launch) {
      kernel.emitOpError() << "expected a gpu.launch_func of the kernel in the "
                              "module, got none";
      return signalPassFailure();
    }
    if (failed(convertKernel(kernel, launch)))
      return signalPassFailure();
  }
}
