//===- HoistConversions.cpp - integers as operands of floats ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weights of 8 bits times activations of 16: the body of the contraction makes
// a float of each weight. No matrix unit multiplies both, so that an
// elementwise operation does it before.
//
//===----------------------------------------------------------------------===//

#include "ContractionMatch.h"
#include "OperandRewrites.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tc;

Value tc::makeOutput(OpBuilder &builder, Location loc,
                     ArrayRef<OpFoldResult> sizes, Type element,
                     bool isTensor) {
  if (isTensor)
    return tensor::EmptyOp::create(builder, loc, sizes, element);
  SmallVector<int64_t> shape;
  SmallVector<Value> dynamic;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return memref::AllocOp::create(builder, loc, MemRefType::get(shape, element),
                                 dynamic);
}

SmallVector<OpFoldResult> tc::getSizes(OpBuilder &builder, Location loc,
                                       Value value) {
  int64_t rank = cast<ShapedType>(value.getType()).getRank();
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim = 0; dim < rank; ++dim)
    sizes.push_back(linalg::createFoldedDimOp(builder, loc, value, dim));
  return sizes;
}

/// The conversion of the input `number` to a float, its only use in the body of
/// `op`; null where there is none.
static Operation *findConversion(linalg::LinalgOp op, unsigned number) {
  BlockArgument argument = op.getBlock()->getArgument(number);
  if (!argument.hasOneUse())
    return nullptr;
  Operation *user = *argument.user_begin();
  return isa<arith::SIToFPOp, arith::UIToFPOp>(user) ? user : nullptr;
}

/// What the integers of a conversion to `wide` become before a product with
/// `other`: every integer of 8 bits is a number of 16.
static Type getOperandType(Type integer, Type wide, Type other) {
  return integer.getIntOrFloatBitWidth() <= 8 &&
                 (other.isBF16() || other.isF16())
             ? other
             : wide;
}

/// `value` converted to `type` as `conversion` does.
static Value convert(RewriterBase &rewriter, Value value, Operation *conversion,
                     Type type) {
  Location loc = conversion->getLoc();
  bool isTensor = isa<TensorType>(value.getType());
  Value output =
      makeOutput(rewriter, loc, getSizes(rewriter, loc, value), type, isTensor);
  auto rank = cast<ShapedType>(value.getType()).getRank();
  AffineMap map = rewriter.getMultiDimIdentityMap(rank);
  SmallVector<utils::IteratorType> loops(rank, utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, isTensor ? TypeRange(output.getType()) : TypeRange(),
      value, output, ArrayRef{map, map}, loops,
      [&](OpBuilder &body, Location loc, ValueRange arguments) {
        Operation *own = body.create(loc, conversion->getName().getIdentifier(),
                                     arguments[0], type);
        linalg::YieldOp::create(body, loc, own->getResult(0));
      });
  return isTensor ? generic->getResult(0) : output;
}

/// Takes the conversions out of `op`.
static void hoist(RewriterBase &rewriter, linalg::LinalgOp op) {
  rewriter.setInsertionPoint(op);
  auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
  if (!generic)
    generic = *linalg::generalizeNamedOp(rewriter, op);
  Type types[2];
  for (unsigned number : {0, 1})
    types[number] = getElementTypeOrSelf(generic.getInputs()[number]);
  for (unsigned number : {0, 1}) {
    Operation *conversion = findConversion(generic, number);
    if (!conversion)
      continue;
    Type wide = conversion->getResult(0).getType();
    Type type = getOperandType(types[number], wide, types[1 - number]);
    rewriter.setInsertionPoint(generic);
    Value value =
        convert(rewriter, generic.getInputs()[number], conversion, type);
    generic.getInputsMutable()[number].set(value);
    BlockArgument argument = generic.getBody()->getArgument(number);
    argument.setType(type);
    Value factor = argument;
    if (type != wide) {
      rewriter.setInsertionPoint(conversion);
      factor =
          arith::ExtFOp::create(rewriter, conversion->getLoc(), wide, factor);
    }
    rewriter.replaceOp(conversion, factor);
  }
}

void tc::hoistIntegerConversions(Operation *root) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    if (isAnyContraction(op) && op.getNumDpsInputs() == 2 &&
        (findConversion(op, 0) || findConversion(op, 1)))
      ops.push_back(op);
  });
  IRRewriter rewriter(root->getContext());
  for (linalg::LinalgOp op : ops)
    hoist(rewriter, op);
}
