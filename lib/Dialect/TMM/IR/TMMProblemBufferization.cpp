//===- TMMProblemBufferization.cpp - tensors to memrefs ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one-shot bufferization needs to know of tmm.matmul: A and B are only
// read, D is written in place, and D is read only with `accumulate`, so that a
// fresh tensor needs no copy.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tc::tmm;

bool MatmulOp::bufferizesToMemoryRead(OpOperand &operand,
                                      const AnalysisState &state) {
  // What amax holds is raised.
  return !isDpsInit(&operand) || operand.get() == getAmax() ||
         (operand.get() == getD() && getAccumulate());
}

bool MatmulOp::bufferizesToMemoryWrite(OpOperand &operand,
                                       const AnalysisState &state) {
  return isDpsInit(&operand);
}

bool MatmulOp::bufferizesToElementwiseAccess(const AnalysisState &state,
                                             ArrayRef<OpOperand *> operands) {
  // The epilogue reads element (m, n) of a matrix before it writes that of D.
  return llvm::all_of(operands, [&](OpOperand *operand) {
    if (isDpsInit(operand))
      return true;
    auto type = dyn_cast<RankedTensorType>(operand->get().getType());
    // One that several matrices of a batch read would be overwritten by the
    // first of them.
    unsigned number = operand->getOperandNumber();
    unsigned first = getFirstExtra();
    return type && number >= first && number < first + getExtras().size() &&
           !getAlongOf(number - first) &&
           type.getShape() == cast<ShapedType>(getD().getType()).getShape();
  });
}

AliasingValueList MatmulOp::getAliasingValues(OpOperand &operand,
                                              const AnalysisState &state) {
  if (isDpsInit(&operand))
    return {{getTiedOpResult(&operand), BufferRelation::Equivalent}};
  return {};
}

/// A buffer with the elements of `buffer` one after the other, with its
/// contents where `isRead`.
static FailureOr<Value> makeDense(RewriterBase &rewriter, Location loc,
                                  Value buffer, bool isRead,
                                  const BufferizationOptions &options) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(rewriter, loc, buffer, dim));
  FailureOr<Value> dense = options.createAlloc(
      rewriter, loc, MemRefType::get(type.getShape(), type.getElementType()),
      sizes);
  if (succeeded(dense) && isRead &&
      failed(options.createMemCpy(rewriter, loc, buffer, *dense)))
    return failure();
  return dense;
}

FailureOr<Value>
tc::tmm::detail::makeAdjacent(RewriterBase &rewriter, Operation *op,
                              const Twine &operand, Value buffer, bool isRead,
                              const BufferizationOptions &options) {
  SmallVector<int64_t> strides;
  int64_t offset;
  auto type = dyn_cast<MemRefType>(buffer.getType());
  bool isStrided = type && succeeded(type.getStridesAndOffset(strides, offset));
  if (isStrided && (strides.empty() || strides.back() == 1))
    return buffer;
  if (isStrided && ShapedType::isStatic(strides.back()))
    return makeDense(rewriter, op->getLoc(), buffer, isRead, options);
  // Upstream's default for function arguments is a layout with every stride
  // dynamic. A cast to innermost stride 1 would be a guess about the caller.
  return op->emitOpError() << "operand " << operand
                           << ": expected a buffer with innermost stride 1, "
                              "got "
                           << buffer.getType()
                           << "; bufferize function boundaries with "
                              "function-boundary-type-conversion="
                              "identity-layout-map";
}

LogicalResult MatmulOp::bufferize(RewriterBase &rewriter,
                                  const BufferizationOptions &options,
                                  BufferizationState &state) {
  if (!getResult())
    return success();
  SmallVector<Value, 3> buffers;
  // Outputs whose elements are not next to each other, and what is written in
  // place of them.
  SmallVector<std::pair<Value, Value>, 1> copied;
  AnalysisState analysis(options);
  for (auto [index, operand] : llvm::enumerate(getOperands())) {
    if (!isa<TensorType>(operand.getType())) {
      buffers.push_back(operand);
      continue;
    }
    FailureOr<Value> buffer = getBuffer(rewriter, operand, options, state);
    if (failed(buffer))
      return failure();
    if (getWindowsLayout(buffer->getType())) {
      buffers.push_back(*buffer);
      continue;
    }
    OpOperand &use = getOperation()->getOpOperand(index);
    FailureOr<Value> adjacent =
        detail::makeAdjacent(rewriter, *this, getOperandName(index), *buffer,
                             bufferizesToMemoryRead(use, analysis), options);
    if (failed(adjacent))
      return failure();
    if (isDpsInit(&use) && *adjacent != *buffer)
      copied.push_back({*buffer, *adjacent});
    buffers.push_back(*adjacent);
  }
  unsigned firstExtra = getFirstExtra(), next = 3;
  OtherOutputs outputs;
  if (getScaleD())
    outputs.scaleD = buffers[next++];
  if (getAmax())
    outputs.amax = buffers[next];
  ArrayRef<Value> blocked =
      ArrayRef(buffers).drop_front(firstExtra + getExtras().size());
  auto op = MatmulOp::create(
      rewriter, getLoc(), buffers[0], buffers[1], buffers[2],
      ArrayRef(buffers).slice(firstExtra, getExtras().size()), getAlongCodes(),
      getEpilogue(), getAccumulate(), getTransposeA(), getTransposeB(),
      getConfigAttr(), blocked.take_front(getScales().size()), getAllowTf32(),
      getScaleBlocks(), getF16Sum(), outputs,
      isSparse() ? blocked.back() : Value(),
      {getEnds() ? blocked.back() : Value(),
       getCounts() ? blocked.back() : Value()});
  op->setDiscardableAttrs(getOperation()->getDiscardableAttrDictionary());
  for (auto [output, dense] : copied) {
    if (failed(options.createMemCpy(rewriter, getLoc(), dense, output)))
      return failure();
    llvm::replace(buffers, dense, output);
  }
  replaceOpWithBufferizedValues(rewriter, getOperation(),
                                ArrayRef(buffers).slice(2, firstExtra - 2));
  return success();
}
