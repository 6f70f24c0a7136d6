//===- TMMAttentionBackwardOp.cpp - gradients of attention ------*- C++ -*-===//
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

namespace {

/// An operand and which sizes it has: rows of Q or of K, and columns of Q, of V
/// or none.
struct BackwardOperand {
  StringRef name;
  Value value;
  bool isOfQueries;
  enum { OfQ, OfV, None } columns;

  ShapedType getType() const { return cast<ShapedType>(value.getType()); }
};

} // namespace

/// The operands of `op` that are there, the outputs last.
static SmallVector<BackwardOperand> getAll(AttentionBackwardOp op) {
  using Operand = BackwardOperand;
  SmallVector<Operand> all = {
      {"q", op.getQ(), true, Operand::OfQ},
      {"k", op.getK(), false, Operand::OfQ},
      {"v", op.getV(), false, Operand::OfV},
      {"grad", op.getGrad(), true, Operand::OfV},
      {"lse", op.getLse(), true, Operand::None},
      {"delta", op.getDelta(), true, Operand::None},
      {"dq", op.getDq(), true, Operand::OfQ},
      {"dk", op.getDk(), false, Operand::OfQ},
      {"dv", op.getDv(), false, Operand::OfV},
  };
  llvm::erase_if(all, [](const Operand &operand) { return !operand.value; });
  return all;
}

/// Number of the first output.
static constexpr size_t kInputs = 6;

/// C1.
static LogicalResult verifyShapes(AttentionBackwardOp op) {
  SmallVector<BackwardOperand> all = getAll(op);
  int64_t rank = all.front().getType().getRank();
  for (const BackwardOperand &operand : all) {
    bool isColumn = operand.columns == BackwardOperand::None;
    int64_t least = isColumn ? 1 : 2, expected = rank - isColumn;
    if (rank < 2 || operand.getType().getRank() != expected)
      return op.emitOpError()
             << operand.name << ": expected rank " << std::max(expected, least)
             << ", got " << operand.getType().getRank();
  }
  unsigned batch = op.getBatchRank();
  auto require = [&](const BackwardOperand &operand, unsigned dim,
                     const BackwardOperand &other, unsigned otherDim) {
    int64_t own = operand.getType().getDimSize(dim),
            size = other.getType().getDimSize(otherDim);
    if (ShapedType::isDynamic(own) || ShapedType::isDynamic(size) ||
        own == size)
      return success();
    return LogicalResult(op.emitOpError()
                         << "expected " << operand.name << " of " << size
                         << " elements along dimension " << dim << ", as "
                         << other.name << " has, got " << own);
  };
  const BackwardOperand &q = all[0], &k = all[1], &v = all[2];
  for (const BackwardOperand &operand : all) {
    const BackwardOperand &rows = operand.isOfQueries ? q : k;
    for (unsigned dim = 0; dim <= batch; ++dim)
      if (failed(require(operand, dim, rows, dim)))
        return failure();
    if (operand.columns != BackwardOperand::None &&
        failed(require(operand, batch + 1,
                       operand.columns == BackwardOperand::OfQ ? q : v,
                       batch + 1)))
      return failure();
  }
  for (unsigned dim = 0; dim < batch; ++dim) {
    int64_t size = q.getType().getDimSize(dim),
            part = k.getType().getDimSize(dim);
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(part) &&
        (part == 0 ? size != 0 : size % part != 0))
      return op.emitOpError()
             << "expected k of a divisor of " << size
             << " elements along dimension " << dim << ", got " << part;
  }
  return success();
}

/// C2.
static LogicalResult verifyElements(AttentionBackwardOp op) {
  SmallVector<BackwardOperand> all = getAll(op);
  Type element = all.front().getType().getElementType();
  if (!element.isBF16() && !element.isF16())
    return op.emitOpError() << "expected q of bf16 or f16, got " << element;
  for (auto [number, operand] : llvm::enumerate(all)) {
    Type own = operand.getType().getElementType();
    if (operand.columns == BackwardOperand::None) {
      if (!own.isF32())
        return op.emitOpError()
               << "expected " << operand.name << " of f32, got " << own;
      continue;
    }
    if (own != element && (number < kInputs || !own.isF32()))
      return op.emitOpError()
             << "expected " << operand.name << " of " << element
             << (number < kInputs ? ", as q is, got " : " or f32, got ") << own;
  }
  if (op.getDk() &&
      AttentionBackwardOp::getTypeOf(op.getDk()).getElementType() !=
          AttentionBackwardOp::getTypeOf(op.getDv()).getElementType())
    return op.emitOpError()
           << "expected dv of "
           << AttentionBackwardOp::getTypeOf(op.getDk()).getElementType()
           << ", as dk is, got "
           << AttentionBackwardOp::getTypeOf(op.getDv()).getElementType();
  return success();
}

LogicalResult AttentionBackwardOp::verify() {
  // tmm_attention_backward_c5
  if (bool(getDk()) != bool(getDv()) || (!getDq() && !getDk()))
    return emitOpError() << "expected dq, or dk and dv, or all three as "
                            "outputs, got "
                         << (getDk()   ? "dk alone"
                             : getDv() ? "dv alone"
                                       : "none");
  // tmm_attention_backward_c1
  if (failed(verifyShapes(*this)))
    return failure();
  // tmm_attention_backward_c2
  if (failed(verifyElements(*this)))
    return failure();
  // tmm_attention_backward_c3
  if (failed(verifyAttentionScores(*this)))
    return failure();
  // tmm_attention_backward_c4
  SmallVector<Type> tensors;
  for (Value output : getDpsInits())
    if (isa<TensorType>(output.getType()))
      tensors.push_back(output.getType());
  if (!tensors.empty() && tensors.size() != getDpsInits().size())
    return emitOpError() << "expected outputs that are all tensors or all "
                            "memrefs, got "
                         << ValueRange(getDpsInits()).getTypes();
  if (!llvm::equal(getResultTypes(), tensors))
    return emitOpError() << "expected a result for each output that is a "
                            "tensor, of its type, got "
                         << getResultTypes();
  return success();
}

void AttentionBackwardOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addDestinationEffects(*this, effects);
}

bool AttentionBackwardOp::bufferizesToMemoryRead(OpOperand &operand,
                                                 const AnalysisState &) {
  return !isDpsInit(&operand);
}

bool AttentionBackwardOp::bufferizesToMemoryWrite(OpOperand &operand,
                                                  const AnalysisState &) {
  return isDpsInit(&operand);
}

AliasingValueList
AttentionBackwardOp::getAliasingValues(OpOperand &operand,
                                       const AnalysisState &) {
  return getDestinationAliases(*this, operand);
}

LogicalResult
AttentionBackwardOp::bufferize(RewriterBase &rewriter,
                               const BufferizationOptions &options,
                               BufferizationState &state) {
  if (getNumResults() == 0)
    return success();
  return bufferizeDestinations(
      rewriter, *this, options, state, [&](ValueRange buffers) {
        Value dq, dk, dv;
        ValueRange outputs = buffers.drop_front(kInputs);
        if (getDq()) {
          dq = outputs.front();
          outputs = outputs.drop_front();
        }
        if (getDk()) {
          dk = outputs[0];
          dv = outputs[1];
        }
        return AttentionBackwardOp::create(
            rewriter, getLoc(), TypeRange(), buffers[0], buffers[1], buffers[2],
            buffers[3], buffers[4], buffers[5], dq, dk, dv, getScaleAttr(),
            getDiagonalAttr(), getWindowAttr());
      });
}
