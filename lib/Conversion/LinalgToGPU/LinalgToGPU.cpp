//===- LinalgToGPU.cpp - what is no product becomes kernels -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread for each point of an operation's parallel loops, which runs its
// reductions: upstream's loops in upstream's kernels. Of elementwise operations
// on rows that permit it a thread takes several points (WideAccess.cpp).
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/LinalgToGPU/LinalgToGPU.h"

#include "WideAccess.h"

#include "tc/Support/LaunchOrder.h"
#include "tc/Support/PTXName.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/GPU/Utils/GPUUtils.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTLINALGTOGPUPASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

/// Threads of a block: eight warps keep an SM busy without many registers.
static constexpr int64_t kBlockThreads = 256;

namespace {

struct ConvertLinalgToGPUPass
    : tc::impl::ConvertLinalgToGPUPassBase<ConvertLinalgToGPUPass> {
  using ConvertLinalgToGPUPassBase::ConvertLinalgToGPUPassBase;

  void runOnOperation() override;
};

} // namespace

/// Whether different points of the parallel loops of `op` write different
/// elements of every output, so that threads may run them.
static bool writesApart(linalg::GenericOp op) {
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  return llvm::all_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return map.isProjectedPermutation() &&
           llvm::all_of(parallel, [&](unsigned loop) {
             return map.isFunctionOfDim(loop);
           });
  });
}

/// `op` as a generic op whose parallel loops come first, or failure where it
/// works on tensors. Where points would write the same element, one thread
/// runs them in the order of the loops.
static FailureOr<linalg::GenericOp> toGeneric(RewriterBase &rewriter,
                                              linalg::LinalgOp op) {
  if (!op.hasPureBufferSemantics())
    return failure();
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic) {
    FailureOr<linalg::GenericOp> general =
        linalg::generalizeNamedOp(rewriter, op);
    if (failed(general))
      return failure();
    generic = *general;
  }
  if (!writesApart(generic)) {
    SmallVector<Attribute> inOrder(
        generic.getNumLoops(),
        linalg::IteratorTypeAttr::get(rewriter.getContext(),
                                      utils::IteratorType::reduction));
    generic.setIteratorTypesAttr(rewriter.getArrayAttr(inOrder));
    return generic;
  }
  SmallVector<unsigned> order;
  generic.getParallelDims(order);
  for (unsigned loop = 0; loop < generic.getNumLoops(); ++loop)
    if (!llvm::is_contained(order, loop))
      order.push_back(loop);
  if (llvm::is_sorted(order))
    return generic;
  rewriter.setInsertionPoint(generic);
  return linalg::interchangeGenericOp(rewriter, generic, order);
}

/// In `launch`, which takes nothing from outside yet: `memref` made of a
/// pointer and of the numbers that its type leaves open.
static Value passMemref(OpBuilder &host, OpBuilder &kernel, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Location loc = memref.getLoc();
  auto metadata = memref::ExtractStridedMetadataOp::create(host, loc, memref);
  return memref::ReinterpretCastOp::create(
      kernel, loc, type, metadata.getBaseBuffer(),
      metadata.getConstifiedMixedOffset(), metadata.getConstifiedMixedSizes(),
      metadata.getConstifiedMixedStrides());
}

/// Makes what is used in `launch` from outside its own: memrefs of pointers and
/// numbers, constants again.
static void captureValues(gpu::LaunchOp launch) {
  llvm::SetVector<Value> used;
  getUsedValuesDefinedAbove(launch.getBody(), used);
  OpBuilder host(launch);
  OpBuilder kernel = OpBuilder::atBlockBegin(&launch.getBody().front());
  for (Value value : used) {
    Value own;
    Operation *definition = value.getDefiningOp();
    if (isa<MemRefType>(value.getType()))
      own = passMemref(host, kernel, value);
    else if (definition && definition->hasTrait<OpTrait::ConstantLike>())
      own = kernel.clone(*definition)->getResult(0);
    else
      continue;
    replaceAllUsesInRegionWith(value, own, launch.getBody());
  }
}

/// Moves the body of `launch` into a kernel of `kernels` and launches that.
static void outline(RewriterBase &rewriter, gpu::LaunchOp launch,
                    StringRef name, SymbolTable &kernels) {
  SmallVector<Value> operands;
  gpu::GPUFuncOp kernel = outlineKernelFunc(launch, name, operands);
  kernel.setKnownBlockSizeAttr(
      rewriter.getDenseI32ArrayAttr({int32_t(kBlockThreads), 1, 1}));
  kernels.insert(kernel);
  rewriter.setInsertionPoint(launch);
  gpu::LaunchFuncOp::create(rewriter, launch.getLoc(), kernel,
                            launch.getGridSizeOperandValues(),
                            launch.getBlockSizeOperandValues(),
                            /*dynamicSharedMemorySize=*/Value(), operands);
  rewriter.eraseOp(launch);
}

/// The indices of point number `point` of loops of `sizes`.
static SmallVector<Value> getIndices(OpBuilder &b, Location loc, Value point,
                                     ArrayRef<OpFoldResult> sizes) {
  if (sizes.size() == 1)
    return {point};
  return llvm::to_vector_of<Value>(
      affine::AffineDelinearizeIndexOp::create(b, loc, point, sizes)
          .getResults());
}

/// The loops of `op`, in the kernel: `point` counts the points of the parallel
/// ones, whose sizes are `sizes`, `width` of the last one at a time, `repeats`
/// times.
static LogicalResult lowerToLoops(RewriterBase &rewriter, linalg::GenericOp op,
                                  Value point, ArrayRef<OpFoldResult> sizes,
                                  int64_t width, int64_t repeats) {
  Location loc = op.getLoc();
  if (width > 1) {
    SmallVector<SmallVector<Value>> places;
    for (int64_t i = 0; i < repeats; ++i) {
      Value at = point;
      if (i != 0)
        at = arith::AddIOp::create(
            rewriter, loc, point,
            arith::ConstantIndexOp::create(rewriter, loc, i * kBlockThreads));
      SmallVector<Value> indices = getIndices(rewriter, loc, at, sizes);
      indices.back() = arith::MulIOp::create(
          rewriter, loc, indices.back(),
          arith::ConstantIndexOp::create(rewriter, loc, width));
      places.push_back(indices);
    }
    lowerWide(rewriter, op, places, width);
    return success();
  }
  FailureOr<linalg::LinalgLoops> loops =
      linalg::linalgOpToParallelLoops(rewriter, op);
  if (failed(loops))
    return failure();
  rewriter.eraseOp(op);
  if (sizes.empty())
    return success();
  auto parallel = cast<scf::ParallelOp>(loops->front());
  rewriter.setInsertionPoint(parallel);
  SmallVector<Value> indices = getIndices(rewriter, loc, point, sizes);
  rewriter.eraseOp(parallel.getBody()->getTerminator());
  rewriter.inlineBlockBefore(parallel.getBody(), parallel, indices);
  rewriter.eraseOp(parallel);
  return success();
}

/// The last launch in `op`, or null.
static gpu::LaunchFuncOp findLast(Operation *op) {
  gpu::LaunchFuncOp last;
  op->walk([&](gpu::LaunchFuncOp launch) { last = launch; });
  return last;
}

/// Whether the kernel before `op` on the host lets those after it start before
/// it has ended.
static bool startsEarly(Operation *op) {
  for (; op && !isa<FunctionOpInterface>(op); op = op->getParentOp())
    for (Operation *at = op->getPrevNode(); at; at = at->getPrevNode()) {
      gpu::LaunchFuncOp before = findLast(at);
      if (!before)
        continue;
      Operation *kernel =
          SymbolTable::lookupNearestSymbolFrom(before, before.getKernelAttr());
      return kernel && kernel
                           ->walk([](Operation *inner) {
                             return inner->hasTrait<LetsDependentsStart>()
                                        ? WalkResult::interrupt()
                                        : WalkResult::advance();
                           })
                           .wasInterrupted();
    }
  return false;
}

/// Replaces `named` by a launch of a kernel that is called `name` unless
/// another one is, where there is anything to do.
static LogicalResult convert(RewriterBase &rewriter, linalg::LinalgOp named,
                             StringRef name, SymbolTable &kernels) {
  FailureOr<linalg::GenericOp> generic = toGeneric(rewriter, named);
  if (failed(generic))
    return failure();
  linalg::GenericOp op = *generic;
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes;
  for (Range range : cast<linalg::LinalgOp>(op.getOperation())
                         .createLoopRanges(rewriter, loc))
    sizes.push_back(range.size);
  sizes.truncate(op.getNumParallelLoops());
  const int64_t width = getWidth(op);
  const int64_t repeats = getRepeats(op, width, kBlockThreads);
  if (width > 1)
    sizes.back() =
        rewriter.getIndexAttr(op.getStaticLoopRanges().back() / width);
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  };
  Value points = constant(1);
  for (OpFoldResult size : sizes)
    points = rewriter.createOrFold<arith::MulIOp>(
        loc, points, getValueOrCreateConstantIndexOp(rewriter, loc, size));
  Value some = rewriter.createOrFold<arith::CmpIOp>(
      loc, arith::CmpIPredicate::ne, points, constant(0));
  auto guard = scf::IfOp::create(rewriter, loc, some);
  rewriter.setInsertionPointToStart(guard.thenBlock());
  Value one = constant(1), threads = constant(kBlockThreads);
  Value blocks = rewriter.createOrFold<arith::CeilDivUIOp>(
      loc, points, constant(kBlockThreads * repeats));
  auto launch =
      gpu::LaunchOp::create(rewriter, loc, blocks, one, one, threads, one, one);
  rewriter.setInsertionPointToStart(&launch.getBody().front());
  if (startsEarly(launch))
    NVVM::GriddepcontrolOp::create(rewriter, loc,
                                   NVVM::GridDepActionKind::wait);
  Value block = arith::MulIOp::create(rewriter, loc, launch.getBlockIds().x,
                                      constant(kBlockThreads * repeats));
  Value point =
      arith::AddIOp::create(rewriter, loc, block, launch.getThreadIds().x);
  Value inside = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::ult,
                                       point, points);
  auto body = scf::IfOp::create(rewriter, loc, inside);
  rewriter.setInsertionPointAfter(body);
  gpu::TerminatorOp::create(rewriter, loc);
  rewriter.moveOpBefore(op, body.thenBlock()->getTerminator());
  rewriter.setInsertionPoint(op);
  if (failed(lowerToLoops(rewriter, op, point, sizes, width, repeats)))
    return failure();
  captureValues(launch);
  outline(rewriter, launch, name, kernels);
  return success();
}

gpu::GPUModuleOp tc::addKernels(ModuleOp module, StringRef chip) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto target = NVVM::NVVMTargetAttr::get(
      module.getContext(), /*optLevel=*/2, "nvptx64-nvidia-cuda", chip,
      "+ptx" + std::to_string(getTarget(chip)->ptxVersion));
  auto kernels = gpu::GPUModuleOp::create(b, module.getLoc(), "kernels",
                                          b.getArrayAttr({target}));
  module->setAttr(gpu::GPUDialect::getContainerModuleAttrName(),
                  b.getUnitAttr());
  SymbolTable(module).insert(kernels);
  return kernels;
}

/// The module of a kernel that `function` launches, or null.
static gpu::GPUModuleOp findKernels(FunctionOpInterface function) {
  gpu::GPUModuleOp kernels;
  function->walk([&](gpu::LaunchFuncOp launch) {
    kernels = SymbolTable::lookupNearestSymbolFrom<gpu::GPUModuleOp>(
        launch, launch.getKernelModuleName());
    return WalkResult::interrupt();
  });
  return kernels;
}

/// The complex type of an element that `op`, of linalg, reads or writes; null
/// where there is none.
static Type findComplex(Operation *op) {
  if (isa<linalg::LinalgOp>(op))
    for (Value operand : op->getOperands())
      if (Type type = getElementTypeOrSelf(operand); isa<ComplexType>(type))
        return type;
  return {};
}

/// The float of fewer than 8 bits that `op` reads or writes; null where there
/// is none: several share a byte, and a thread has one element.
static Type findPacked(Operation *op) {
  if (isa<linalg::LinalgOp, memref::CopyOp>(op))
    for (Value operand : op->getOperands())
      if (auto type = dyn_cast<FloatType>(getElementTypeOrSelf(operand));
          type && type.getWidth() < 8)
        return type;
  return {};
}

/// Whether a kernel of its own may come of `op`.
static bool isPlainWork(Operation *op) {
  return isa<linalg::LinalgOp, memref::CopyOp, linalg::AggregatedOpInterface,
             linalg::PackOp, linalg::UnPackOp>(op);
}

void ConvertLinalgToGPUPass::runOnOperation() {
  ModuleOp module = getOperation();
  if (!chip.empty() && !getTarget(chip)) {
    emitError(module.getLoc()) << "chip: '" << chip << "' is not known";
    return signalPassFailure();
  }
  gpu::GPUModuleOp kernels;
  SmallVector<FunctionOpInterface> functions;
  for (auto function : module.getOps<FunctionOpInterface>()) {
    gpu::GPUModuleOp launched = findKernels(function);
    if (launched)
      kernels = launched;
    else if (chip.empty() || !function
                                  ->walk([](Operation *op) {
                                    return isPlainWork(op)
                                               ? WalkResult::interrupt()
                                               : WalkResult::advance();
                                  })
                                  .wasInterrupted())
      continue;
    functions.push_back(function);
  }
  if (functions.empty())
    return;
  if (!kernels)
    kernels = addKernels(module, chip);
  SymbolTable symbols(kernels);
  IRRewriter rewriter(&getContext());
  bool isRefused = false;
  for (FunctionOpInterface function : functions) {
    SmallVector<Operation *> ops;
    function->walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, memref::CopyOp>(op))
        ops.push_back(op);
      if (isa<linalg::AggregatedOpInterface, linalg::PackOp, linalg::UnPackOp>(
              op)) {
        op->emitOpError("on memrefs has no loops that a kernel could run: "
                        "expected tensors, on which tc-decompose-aggregates "
                        "takes it apart");
        isRefused = true;
      }
      if (Type type = findComplex(op)) {
        op->emitOpError("expected real numbers, whose types kernels have, got ")
            << type << ": expected real and imaginary parts apart";
        isRefused = true;
      }
      if (Type type = findPacked(op)) {
        op->emitOpError("expected elements of whole bytes, which threads read "
                        "and write alone, got ")
            << type << ": expected f8E4M3FN, or a product to read them";
        isRefused = true;
      }
    });
    if (isRefused)
      continue;
    for (Operation *op : ops) {
      std::string name = makePTXName(
          (function.getName() + "_" + op->getName().stripDialect()).str());
      auto named = dyn_cast<linalg::LinalgOp>(op);
      if (auto copy = dyn_cast<memref::CopyOp>(op)) {
        rewriter.setInsertionPoint(copy);
        named = linalg::makeMemRefCopyOp(rewriter, copy.getLoc(),
                                         copy.getSource(), copy.getTarget());
        rewriter.eraseOp(copy);
      }
      // Remaining operations are diagnosed when the function is described.
      (void)convert(rewriter, named, name, symbols);
    }
  }
  if (isRefused)
    signalPassFailure();
}
