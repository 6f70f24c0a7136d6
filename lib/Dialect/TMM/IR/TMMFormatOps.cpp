//===- TMMFormatOps.cpp - formats of matrices in memory ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule has a label tmm_encode_cN or tmm_interleave_cN that its test
// repeats.
//
//===----------------------------------------------------------------------===//

#include "ProblemTypes.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/Message.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tc;
using namespace tc::tmm;

/// What is wrong with the rows of `matrix`, called `name`.
static Error findRowsError(StringRef name, MemRefType matrix) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(matrix.getStridesAndOffset(strides, offset)) ||
      strides.back() != 1)
    return message("operand ", name,
                   ": expected adjacent elements of a row, "
                   "innermost stride 1, got ",
                   matrix);
  if (Error error = findStridesError(name, strides))
    return error;
  return findGlobalMemoryError(name, matrix);
}

//===----------------------------------------------------------------------===//
// EncodeOp
//===----------------------------------------------------------------------===//

LogicalResult EncodeOp::verify() {
  MemRefType x = getX().getType(), d = getD().getType();
  // tmm_encode_c1, tmm_encode_c3
  if (Error error = findRowsError("X", x))
    return emitOpError() << *error;
  if (!d.getLayout().isIdentity())
    return emitOpError() << "operand D: expected no layout, rows next to each "
                            "other, got "
                         << d;
  if (Error error = findGlobalMemoryError("D", d))
    return emitOpError() << *error;
  // tmm_encode_c2
  constexpr StringLiteral names[] = {"M", "N"};
  for (auto [dim, name] : llvm::enumerate(names)) {
    int64_t expected = x.getDimSize(dim), got = d.getDimSize(dim);
    if (ShapedType::isStatic(expected) && ShapedType::isStatic(got) &&
        expected != got)
      return emitOpError() << "operand D: expected " << name << " = "
                           << expected << ", as X has it, got " << got;
  }
  return detail::verifyOutputs(*this);
}

//===----------------------------------------------------------------------===//
// InterleaveOp
//===----------------------------------------------------------------------===//

LogicalResult InterleaveOp::verify() {
  MemRefType factors = getFactors().getType();
  // tmm_interleave_c1
  if (Error error = findRowsError("factors", factors))
    return emitOpError() << *error;
  if (getBlocks().getType().getElementType() != factors.getElementType())
    return emitOpError() << "operand blocks: expected the element type of "
                            "factors, "
                         << factors.getElementType() << ", got "
                         << getBlocks().getType().getElementType();
  // tmm_interleave_c2
  if (Error error =
          findScalesError("blocks", getBlocks().getType(), "rows",
                          factors.getDimSize(0), factors.getDimSize(1), factors,
                          factors.getElementType(), /*scaleBlock=*/1))
    return emitOpError() << *error;
  return success();
}

//===----------------------------------------------------------------------===//
// ReinterpretOp
//===----------------------------------------------------------------------===//

LogicalResult ReinterpretOp::verify() {
  // tmm_reinterpret_c1
  auto source = cast<ShapedType>(getSource().getType());
  auto result = cast<ShapedType>(getResult().getType());
  Type element = result.getElementType();
  if (element.isInteger() && source.getElementType().isInteger() &&
      element.getIntOrFloatBitWidth() == source.getElementTypeBitWidth() &&
      source.clone(element) == result)
    return success();
  return emitOpError() << "expected a result like the source, of integers of "
                          "as many bits, got "
                       << source << " and " << result;
}

Value ReinterpretOp::getViewSource() { return getSource(); }

bool ReinterpretOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) {
  return false;
}

bool ReinterpretOp::bufferizesToMemoryWrite(OpOperand &,
                                            const AnalysisState &) {
  return false;
}

AliasingValueList ReinterpretOp::getAliasingValues(OpOperand &,
                                                   const AnalysisState &) {
  return {{getOperation()->getResult(0), BufferRelation::Equivalent}};
}

LogicalResult ReinterpretOp::bufferize(RewriterBase &rewriter,
                                       const BufferizationOptions &options,
                                       BufferizationState &state) {
  if (!isa<TensorType>(getSource().getType()))
    return success();
  FailureOr<Value> buffer = getBuffer(rewriter, getSource(), options, state);
  if (failed(buffer))
    return failure();
  Type element = getElementTypeOrSelf(getResult().getType());
  auto type = cast<MemRefType>(buffer->getType());
  replaceOpWithNewBufferizedOp<ReinterpretOp>(rewriter, getOperation(),
                                              type.clone(element), *buffer);
  return success();
}
