//===- SizeOrigin.cpp - where a size comes from -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SizeOrigin.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace tc;

SizeOrigin SizeOrigin::of(Value value, int64_t dim) {
  int64_t size = cast<RankedTensorType>(value.getType()).getDimSize(dim);
  if (!ShapedType::isDynamic(size))
    return {Value(), size};
  if (auto empty = value.getDefiningOp<tensor::EmptyOp>())
    return of(empty.getMixedSizes()[dim]);
  if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>())
    return of(insert.getDest(), dim);
  if (auto slice = value.getDefiningOp<tensor::ExtractSliceOp>();
      slice && slice.getDroppedDims().none())
    return of(slice.getMixedSizes()[dim]);
  if (auto op = value.getDefiningOp<linalg::LinalgOp>())
    return of(op.getDpsInits()[cast<OpResult>(value).getResultNumber()], dim);
  return {value, dim};
}

SizeOrigin SizeOrigin::of(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return {Value(), *number};
  auto value = cast<Value>(size);
  if (auto dim = value.getDefiningOp<tensor::DimOp>())
    if (std::optional<int64_t> at = dim.getConstantIndex();
        at && isa<RankedTensorType>(dim.getSource().getType()))
      return of(dim.getSource(), *at);
  return {value, -1};
}
