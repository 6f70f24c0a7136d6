//===- TMMAttentionOp.cpp - softmax between two products --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TMMAttentionOp.td.
//
//===----------------------------------------------------------------------===//

#include "AttentionScores.h"
#include "Destinations.h"

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tc;
using namespace tc::tmm;

static bool mayBeEqual(int64_t a, int64_t b) {
  return ShapedType::isDynamic(a) || ShapedType::isDynamic(b) || a == b;
}

unsigned AttentionOp::getDimOf(unsigned operand, unsigned dim) {
  std::optional<ArrayAttr> maps = getMaps();
  if (!maps)
    return dim;
  AffineMap map = cast<AffineMapAttr>((*maps)[operand]).getValue();
  return *map.getResultPosition(getAffineDimExpr(dim, getContext()));
}

/// C5.
static LogicalResult verifyMaps(AttentionOp op, ArrayAttr maps) {
  if (maps.size() != op->getNumOperands())
    return op.emitOpError()
           << "expected " << op->getNumOperands()
           << " maps, one for each operand, got " << maps.size();
  for (auto [number, attr] : llvm::enumerate(maps)) {
    AffineMap map = cast<AffineMapAttr>(attr).getValue();
    unsigned rank = op.getTypeOf(number).getRank();
    bool keepsLast =
        op.isLse(number) || (map.getNumResults() != 0 &&
                             map.getResults().back() ==
                                 getAffineDimExpr(rank - 1, op.getContext()));
    if (map.getNumDims() != rank || !map.isPermutation() || !keepsLast)
      return op.emitOpError()
             << "operand " << number << ": expected a permutation of " << rank
             << " dimensions"
             << (op.isLse(number) ? "" : " with the last one in its place")
             << ", got " << attr;
  }
  return success();
}

/// C1 for the sizes.
static LogicalResult verifySizes(AttentionOp op) {
  unsigned batch = op.getBatchRank();
  StringRef names[] = {"q", "k", "v", "o", "lse"};
  auto require = [&](unsigned operand, unsigned dim, int64_t size) {
    int64_t own = op.getSizeOf(operand, dim);
    if (mayBeEqual(own, size))
      return success();
    return LogicalResult(op.emitOpError()
                         << "expected " << names[operand] << " of " << size
                         << " elements along dimension "
                         << op.getDimOf(operand, dim) << ", got " << own);
  };
  enum { Q, K, V, O, LSE };
  if (failed(require(K, batch + 1, op.getSizeOf(Q, batch + 1))) ||
      failed(require(V, batch, op.getSizeOf(K, batch))) ||
      failed(require(O, batch, op.getSizeOf(Q, batch))) ||
      failed(require(O, batch + 1, op.getSizeOf(V, batch + 1))))
    return failure();
  for (unsigned dim = 0; dim < batch; ++dim) {
    int64_t size = op.getSizeOf(Q, dim), part = op.getSizeOf(K, dim);
    if (failed(require(V, dim, part)) || failed(require(O, dim, size)))
      return failure();
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(part) &&
        (part == 0 ? size != 0 : size % part != 0))
      return op.emitOpError() << "expected k of a divisor of " << size
                              << " elements along dimension "
                              << op.getDimOf(K, dim) << ", got " << part;
  }
  for (unsigned dim = 0; op.getLse() && dim <= batch; ++dim)
    if (failed(require(LSE, dim, op.getSizeOf(Q, dim))))
      return failure();
  if (!op.getBias())
    return success();
  const unsigned bias = op.getNumberOfBias();
  for (unsigned dim = 0; dim <= batch + 1; ++dim) {
    int64_t own = op.getSizeOf(bias, dim);
    int64_t size =
        dim == batch + 1 ? op.getSizeOf(K, batch) : op.getSizeOf(Q, dim);
    if (mayBeEqual(own, size) || (own == 1 && dim <= batch))
      continue;
    return op.emitOpError()
           << "expected bias of " << size << " elements"
           << (dim <= batch ? ", or 1," : "") << " along dimension "
           << op.getDimOf(bias, dim) << ", got " << own;
  }
  return success();
}

LogicalResult AttentionOp::verify() {
  // tmm_attention_c1
  int64_t rank = getTypeOf(0).getRank();
  for (unsigned operand = 0; operand < getNumOperands(); ++operand) {
    int64_t expected = isLse(operand) ? rank - 1 : rank;
    if (rank < 2 || getTypeOf(operand).getRank() != expected)
      return emitOpError() << "operand " << operand << ": expected rank "
                           << std::max<int64_t>(expected,
                                                isLse(operand) ? 1 : 2)
                           << ", got " << getTypeOf(operand).getRank();
  }
  // tmm_attention_c5
  if (std::optional<ArrayAttr> maps = getMaps())
    if (failed(verifyMaps(*this, *maps)))
      return failure();
  if (failed(verifySizes(*this)))
    return failure();
  // tmm_attention_c2
  Type element = getTypeOf(0).getElementType();
  if (!element.isBF16() && !element.isF16())
    return emitOpError() << "expected q of bf16 or f16, got " << element;
  for (unsigned operand : {1, 2})
    if (getTypeOf(operand).getElementType() != element)
      return emitOpError() << "operand " << operand << ": expected elements of "
                           << element << " as those of q, got "
                           << getTypeOf(operand).getElementType();
  Type out = getTypeOf(3).getElementType();
  if (out != element && !out.isF32())
    return emitOpError() << "expected o of " << element << " or f32, got "
                         << out;
  if (getLse() && !getTypeOf(4).getElementType().isF32())
    return emitOpError() << "expected lse of f32, got "
                         << getTypeOf(4).getElementType();
  if (getBias()) {
    Type bias = getTypeOf(getNumberOfBias()).getElementType();
    if (!bias.isBF16() && !bias.isF16() && !bias.isF32())
      return emitOpError() << "expected bias of bf16, f16 or f32, got " << bias;
  }
  // tmm_attention_c3
  if (failed(verifyAttentionScores(*this)))
    return failure();
  // tmm_attention_c4
  auto isResult = [&](Value output, Value result) {
    bool isTensor = output && isa<TensorType>(output.getType());
    return isTensor == bool(result) &&
           (!result || result.getType() == output.getType());
  };
  if (!isResult(getO(), getResult()) || !isResult(getLse(), getResultLse()))
    return emitOpError() << "expected a result for each output that is a "
                            "tensor, of its type, got "
                         << getOperation()->getResultTypes();
  return success();
}

void AttentionOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addDestinationEffects(*this, effects);
}

bool AttentionOp::bufferizesToMemoryRead(OpOperand &operand,
                                         const AnalysisState &) {
  return !isDpsInit(&operand);
}

bool AttentionOp::bufferizesToMemoryWrite(OpOperand &operand,
                                          const AnalysisState &) {
  return isDpsInit(&operand);
}

AliasingValueList AttentionOp::getAliasingValues(OpOperand &operand,
                                                 const AnalysisState &) {
  return getDestinationAliases(*this, operand);
}

LogicalResult AttentionOp::bufferize(RewriterBase &rewriter,
                                     const BufferizationOptions &options,
                                     BufferizationState &state) {
  if (getNumResults() == 0)
    return success();
  return bufferizeDestinations(
      rewriter, *this, options, state, [&](ValueRange buffers) {
        return AttentionOp::create(
            rewriter, getLoc(), /*result=*/Type(), /*result_lse=*/Type(),
            buffers[0], buffers[1], buffers[2], buffers[3],
            getLse() ? buffers[4] : Value(),
            getBias() ? buffers.back() : Value(), getScaleAttr(),
            getDiagonalAttr(), getWindowAttr(), getMapsAttr(),
            getNanIfHiddenAttr());
      });
}
