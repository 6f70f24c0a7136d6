//===- LinalgToTMM.cpp - linalg contractions to tmm.matmul ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// linalg adds to its output, and a fill with zero before it makes that an
// assignment. tmm.matmul says which of the two it is, so the fill is folded
// where it is the last write before the contraction: for tensors by the SSA
// value, for memrefs by a walk back through the block.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/LinalgToTMM/LinalgToTMM.h"
#include "tc/Support/PatternsAlone.h"

#include "AmaxFusion.h"
#include "BlockScales.h"
#include "ContractionMatch.h"
#include "EpilogueFusion.h"
#include "NormalizeContractions.h"
#include "OperandRewrites.h"
#include "QuantizedMatmul.h"
#include "mlir/Analysis/AliasAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/Message.h"
#include "tc/Support/MmaTypes.h"

using namespace mlir;

namespace tc {
#define GEN_PASS_DEF_CONVERTLINALGTOTMMPASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace tc;

/// The memref that `value` is a view of, through any chain of views.
static Value getBuffer(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

/// Whether `fill` writes +0.0. Not -0.0: it is what an empty sum leaves.
static bool isZeroFill(linalg::FillOp fill) {
  return matchPattern(fill.getInputs()[0], m_PosZeroFloat()) ||
         matchPattern(fill.getInputs()[0], m_Zero());
}

/// Whether `op` may read or write the memory of `d`.
static bool mayTouch(Operation *op, Value d, AliasAnalysis &aliases) {
  std::optional<SmallVector<MemoryEffects::EffectInstance>> effects =
      getEffectsRecursively(op);
  if (!effects)
    return true;
  return llvm::any_of(*effects, [&](const MemoryEffects::EffectInstance &it) {
    return !it.getValue() || !aliases.alias(it.getValue(), d).isNo();
  });
}

/// The fill with zero of the memref `d` that `op` sees: same block, same SSA
/// value, and nothing in between that may read or write it. Null if there is
/// none.
static linalg::FillOp findZeroFill(linalg::LinalgOp op, Value d,
                                   AliasAnalysis &aliases) {
  for (Operation *previous = op->getPrevNode(); previous;
       previous = previous->getPrevNode()) {
    if (auto fill = dyn_cast<linalg::FillOp>(previous)) {
      if (fill.getOutputs()[0] == d)
        return isZeroFill(fill) ? fill : linalg::FillOp();
      // Zeros elsewhere leave zeros here even where the two overlap, and a fill
      // reads nothing.
      if (fill.hasPureBufferSemantics() && isZeroFill(fill))
        continue;
    }
    if (mayTouch(previous, d, aliases))
      return {};
  }
  return {};
}

namespace {

/// Why `op`, which sums products of two inputs, is no matrix multiplication;
/// empty where it does not.
static std::string explainNoProduct(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumReductionLoops() == 0 ||
      op->getNumRegions() != 1 ||
      llvm::none_of(*op.getBlock(),
                    llvm::IsaPred<arith::MulFOp, arith::MulIOp>))
    return "";
  for (AffineMap map : op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return message("expected operands that are indexed by different "
                     "dimensions each, got ",
                     map);
  return hasFactorOfSum(op) ? "an input is the same for all that is summed"
                            : "";
}

/// The element type of an input of `op` that no matrix unit takes, whatever the
/// rest is; null where there is none.
static Type findTypeOfNoUnit(linalg::LinalgOp op, F32Products products) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    Type type = getElementTypeOrSelf(input->get());
    if (isOfNoMmaKind(type) || (type.isF32() && products == F32Products::Fma))
      return type;
  }
  return {};
}

/// Before:
///   linalg.fill ins(%zero : f32) outs(%d : memref<?x?xf32>)
///   linalg.matmul ins(%a, %b : ...) outs(%d : memref<?x?xf32>)
/// After:
///   tmm.matmul ins(%a, %b : ...) outs(%d : memref<?x?xf32>)
struct ConvertContraction : OpInterfaceRewritePattern<linalg::LinalgOp> {
  ConvertContraction(MLIRContext *context, AliasAnalysis &aliases,
                     bool allowTf32)
      : OpInterfaceRewritePattern(context), aliases(aliases),
        allowTf32(allowTf32) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    if (!isAnyContraction(op))
      return rewriter.notifyMatchFailure(op, "not a contraction");
    std::string reason;
    FailureOr<Contraction> contraction =
        matchContraction(op, allowTf32, reason);
    if (failed(contraction))
      return rewriter.notifyMatchFailure(op, reason);

    bool accumulate = true;
    Value d = contraction->d;
    linalg::FillOp zeroFill;
    if (isa<RankedTensorType>(d.getType())) {
      if (auto fill = d.getDefiningOp<linalg::FillOp>();
          fill && isZeroFill(fill)) {
        zeroFill = fill;
        d = fill.getOutputs()[0];
      } else if (matchPattern(d, m_PosZeroFloat()) ||
                 matchPattern(d, m_Zero())) {
        // A splat of zeros: its values do not matter once it is only written.
        accumulate = false;
      }
    } else if (getBuffer(contraction->a.value) != getBuffer(d) &&
               getBuffer(contraction->b.value) != getBuffer(d)) {
      zeroFill = findZeroFill(op, d, aliases);
    }
    if (zeroFill)
      accumulate = false;
    else if (accumulate && d.getDefiningOp<tensor::EmptyOp>())
      op->emitRemark("the sums start from tensor.empty, whatever is there: did "
                     "you mean linalg.fill with zero?");

    auto see = [&](const ContractionOperand &operand) -> Value {
      Value value =
          applyOperandView(rewriter, op.getLoc(), operand.value, operand.view);
      if (!operand.isUnsigned)
        return value;
      return tmm::ReinterpretOp::create(
                 rewriter, op.getLoc(),
                 getUnsigned(cast<ShapedType>(value.getType())), value)
          .getResult();
    };
    Value a = see(contraction->a), b = see(contraction->b);
    SmallVector<Value, 2> scales;
    tmm::ScaleBlocks scaleBlocks;
    if (contraction->a.scales) {
      for (const ContractionOperand *operand :
           {&contraction->a, &contraction->b})
        scales.push_back(
            operand->hasPlainScales
                ? emitScaleBlocks(rewriter, op.getLoc(), operand->scales)
                : operand->scales);
      scaleBlocks.k = rewriter.getI64IntegerAttr(contraction->a.scaleBlock);
    }
    auto matmul = tmm::MatmulOp::create(
        rewriter, op.getLoc(), a, b, d, /*extras=*/ValueRange(),
        /*along=*/ArrayRef<int32_t>(), /*epilogue=*/nullptr, accumulate,
        contraction->a.isTransposed, contraction->b.isTransposed,
        tmm::ConfigAttr(), scales,
        /*allowTf32=*/getElementTypeOrSelf(a.getType()).isF32(), scaleBlocks);
    rewriter.replaceOp(op, matmul->getResults());
    if (zeroFill && zeroFill->use_empty())
      rewriter.eraseOp(zeroFill);
    return success();
  }

private:
  AliasAnalysis &aliases;
  bool allowTf32;
};

struct ConvertLinalgToTMMPass
    : tc::impl::ConvertLinalgToTMMPassBase<ConvertLinalgToTMMPass> {
  using ConvertLinalgToTMMPassBase::ConvertLinalgToTMMPassBase;

  void runOnOperation() override {
    if (std::string bad = explainBadF32(f32, allowTf32); !bad.empty()) {
      emitError(getOperation()->getLoc()) << "f32: " << bad;
      return signalPassFailure();
    }
    const F32Products products =
        allowTf32 ? F32Products::Tf32 : *symbolizeF32Products(f32);
    hoistIntegerConversions(getOperation());
    if (products >= F32Products::Tf32x3)
      splitF32Products(getOperation(), products, /*isChoice=*/f32.empty());
    // Of tf32x3 the parts are operands as they are.
    allowTf32 =
        products == F32Products::Tf32 || products == F32Products::Tf32x3;
    RewritePatternSet forms(&getContext());
    populateQuantizedMatmulPatterns(forms);
    populateNormalizeContractionPatterns(forms, allowTf32);
    if (failed(applyPatternsGreedily(getOperation(), std::move(forms),
                                     getConfigOfPatternsAlone())))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    populateLinalgToTMMPatterns(patterns, getAnalysis<AliasAnalysis>(),
                                allowTf32);
    GreedyRewriteConfig config = getConfigOfPatternsAlone();
    // Every rewrite takes one op away, however many follow each other.
    config.setMaxIterations(GreedyRewriteConfig::kNoLimit);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    RewritePatternSet amax(&getContext());
    populateFuseAmaxPatterns(amax);
    if (failed(applyPatternsGreedily(getOperation(), std::move(amax), config)))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    mergeConsumers(rewriter, getOperation());
    RewritePatternSet consumers(&getContext());
    populateFuseConsumerPatterns(consumers);
    populateFuseQuantizationPatterns(consumers);
    if (failed(applyPatternsGreedily(getOperation(), std::move(consumers),
                                     config)))
      return signalPassFailure();

    bool isRefused = false;
    getOperation()->walk([&](linalg::LinalgOp op) {
      if (!isAnyContraction(op)) {
        if (std::string why = explainNoProduct(op); !why.empty())
          op->emitRemark() << "is no product of a matrix unit, but a plain "
                              "kernel: "
                           << why;
        return;
      }
      std::string reason;
      if (Type type = findTypeOfNoUnit(op, products)) {
        op->emitRemark() << "stays outside the matrix units, none of which "
                            "multiplies "
                         << type
                         << ": a plain kernel, a thread for each element of "
                            "the output, which is slow";
        return;
      }
      // Every contraction that matches was rewritten.
      (void)matchContraction(op, allowTf32, reason);
      // Operands are those of a product, what is computed is none.
      if (StringRef(reason).starts_with("body: ")) {
        op->emitRemark() << "is no product of a matrix unit, but a kernel of "
                            "threads: "
                         << reason;
        return;
      }
      op->emitOpError() << "cannot become tmm.matmul: " << reason;
      isRefused = true;
    });
    if (isRefused)
      return signalPassFailure();
    getOperation()->walk([&](tmm::MatmulOp op) { explainUnfused(op); });
    getOperation()->walk(
        [&](linalg::GenericOp op) { explainUnfusedQuantization(op); });
  }
};

} // namespace

void tc::populateLinalgToTMMPatterns(RewritePatternSet &patterns,
                                     AliasAnalysis &aliases, bool allowTf32) {
  patterns.add<ConvertContraction>(patterns.getContext(), aliases, allowTf32);
  populateFuseProducerPatterns(patterns);
}
