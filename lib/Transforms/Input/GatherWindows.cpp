//===- GatherWindows.cpp - copies that convolutions need --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where no view of the images is the matrix of their windows, and no view of
// the filter the other one.
//
//===----------------------------------------------------------------------===//

#include "GatherWindows.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tc;

/// Where the elements of a new tensor or memref of `sizes` are.
static Value makeOutput(OpBuilder &b, Location loc,
                        ArrayRef<OpFoldResult> sizes, Type element,
                        bool isTensor) {
  if (isTensor)
    return tensor::EmptyOp::create(b, loc, sizes, element);
  auto [staticSizes, dynamicSizes] = decomposeMixedValues(sizes);
  return memref::AllocOp::create(b, loc, MemRefType::get(staticSizes, element),
                                 dynamicSizes);
}

/// The operation of `gatherWindows` where its images are padded: elements
/// outside of what is padded are the number that pads. Null where they may be
/// none.
static linalg::GenericOp gatherPadded(OpBuilder &b, linalg::LinalgOp op,
                                      AffineMap map, Value empty) {
  auto pad = op.getDpsInputOperand(0)->get().getDefiningOp<tensor::PadOp>();
  Value fill = pad ? pad.getConstantPaddingValue() : Value();
  auto isSize = [](int64_t size) { return size > 0; };
  auto isPadding = [](int64_t size) { return size >= 0; };
  if (!fill || !llvm::all_of(pad.getSourceType().getShape(), isSize) ||
      !llvm::all_of(pad.getStaticLow(), isPadding) ||
      !llvm::all_of(pad.getStaticHigh(), isPadding))
    return {};
  Location loc = op.getLoc();
  // Number and padding are outside of the body.
  SmallVector<utils::IteratorType> parallel(map.getNumDims(),
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      b, loc, TypeRange{empty.getType()}, ValueRange{}, ValueRange{empty},
      ArrayRef<AffineMap>{b.getMultiDimIdentityMap(map.getNumDims())}, parallel,
      [&](OpBuilder &body, Location at, ValueRange) {
        SmallVector<OpFoldResult> loops;
        for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
          loops.push_back(linalg::IndexOp::create(body, at, loop).getResult());
        Value zero = arith::ConstantIndexOp::create(body, at, 0), isInside;
        SmallVector<Value> place;
        for (auto [dim, size] :
             llvm::enumerate(pad.getSourceType().getShape())) {
          int64_t low = pad.getStaticLow()[dim],
                  high = pad.getStaticHigh()[dim];
          Value index = getValueOrCreateConstantIndexOp(
              body, at,
              affine::makeComposedFoldedAffineApply(
                  body, at,
                  AffineMap::get(map.getNumDims(), 0, map.getResult(dim) - low),
                  loops));
          if (low != 0 || high != 0) {
            // Below 0 it is large as an unsigned number.
            Value end = arith::ConstantIndexOp::create(body, at, size);
            Value fits = arith::CmpIOp::create(
                body, at, arith::CmpIPredicate::ult, index, end);
            index = arith::SelectOp::create(body, at, fits, index, zero);
            isInside = isInside
                           ? arith::AndIOp::create(body, at, isInside, fits)
                                 .getResult()
                           : fits;
          }
          place.push_back(index);
        }
        Value element =
            tensor::ExtractOp::create(body, at, pad.getSource(), place);
        if (isInside)
          element = arith::SelectOp::create(body, at, isInside, element, fill);
        linalg::YieldOp::create(body, at, element);
      });
}

Value tc::gatherWindows(OpBuilder &b, linalg::LinalgOp op,
                        ArrayRef<unsigned> loops,
                        ArrayRef<OpFoldResult> sizes) {
  Location loc = op.getLoc();
  Value input = op.getDpsInputOperand(0)->get();
  AffineMap map = op.getIndexingMapsArray()[0];
  SmallVector<AffineExpr> renumbered(map.getNumDims(),
                                     b.getAffineConstantExpr(0));
  SmallVector<OpFoldResult> shape;
  for (unsigned loop : loops) {
    renumbered[loop] = b.getAffineDimExpr(shape.size());
    shape.push_back(sizes[loop]);
  }
  unsigned rank = shape.size();
  map = map.replaceDimsAndSymbols(renumbered, {}, rank, 0);
  Type element = getElementTypeOrSelf(input.getType());
  bool isTensor = isa<TensorType>(input.getType());
  Value empty = makeOutput(b, loc, shape, element, isTensor);
  if (linalg::GenericOp padded = gatherPadded(b, op, map, empty))
    return padded.getResult(0);
  SmallVector<utils::IteratorType> parallel(rank,
                                            utils::IteratorType::parallel);
  auto copy = linalg::GenericOp::create(
      b, loc, isTensor ? TypeRange{empty.getType()} : TypeRange{},
      ValueRange{input}, ValueRange{empty},
      ArrayRef<AffineMap>{map, b.getMultiDimIdentityMap(rank)}, parallel,
      [](OpBuilder &body, Location at, ValueRange args) {
        linalg::YieldOp::create(body, at, args.front());
      });
  return isTensor ? copy.getResult(0) : empty;
}

Value tc::transposeFilter(OpBuilder &b, Location loc, Value filter,
                          ArrayRef<int64_t> order) {
  auto type = cast<ShapedType>(filter.getType());
  bool isTensor = isa<TensorType>(type);
  SmallVector<OpFoldResult> sizes =
      applyPermutation(isTensor ? tensor::getMixedSizes(b, loc, filter)
                                : memref::getMixedSizes(b, loc, filter),
                       order);
  Value empty = makeOutput(b, loc, sizes, type.getElementType(), isTensor);
  auto copy = linalg::TransposeOp::create(b, loc, filter, empty, order);
  return isTensor ? copy->getResult(0) : empty;
}
