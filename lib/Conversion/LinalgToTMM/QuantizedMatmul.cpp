//===- QuantizedMatmul.cpp - quantised products of linalg -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matrix unit multiplies elements as they are: with a zero point that is
// not 0 the product would be another one, of which rows and columns are
// subtracted.
//
//===----------------------------------------------------------------------===//

#include "QuantizedMatmul.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;

/// The first zero point of `op` that is not known to be 0; null: none.
static Value findZeroPoint(linalg::LinalgOp op) {
  for (OpOperand *operand : op.getDpsInputOperands())
    if (operand->getOperandNumber() >= 2 &&
        !matchPattern(operand->get(), m_Zero()))
      return operand->get();
  return {};
}

namespace {

/// Before:
///   linalg.quantized_matmul ins(%a, %b, %zero, %zero : ..., i32, i32) outs(%d)
/// After:
///   linalg.matmul ins(%a, %b) outs(%d)
template <typename Quantized, typename Plain>
struct DropZeroPoints : OpRewritePattern<Quantized> {
  using OpRewritePattern<Quantized>::OpRewritePattern;

  LogicalResult matchAndRewrite(Quantized op,
                                PatternRewriter &rewriter) const override {
    if (findZeroPoint(op))
      return rewriter.notifyMatchFailure(op, "expected zero points of 0");
    rewriter.replaceOpWithNewOp<Plain>(op, op->getResultTypes(),
                                       op.getInputs().take_front(2),
                                       op.getOutputs());
    return success();
  }
};

} // namespace

void tc::populateQuantizedMatmulPatterns(RewritePatternSet &patterns) {
  patterns.add<
      DropZeroPoints<linalg::QuantizedMatmulOp, linalg::MatmulOp>,
      DropZeroPoints<linalg::QuantizedBatchMatmulOp, linalg::BatchMatmulOp>>(
      patterns.getContext());
}

bool tc::refuseQuantizedMatmul(Operation *op) {
  if (!isa<linalg::QuantizedMatmulOp, linalg::QuantizedBatchMatmulOp>(op))
    return false;
  Value point = findZeroPoint(cast<linalg::LinalgOp>(op));
  InFlightDiagnostic diag = op->emitOpError()
                            << "cannot become tmm.matmul: expected zero points "
                               "that are the constant 0, which the matrix unit "
                               "does not subtract";
  diag.attachNote(point.getLoc()) << "got this one";
  return true;
}
