//===- UnitViews.cpp - dimensions of one element ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views that only add or drop dimensions of one element are in nobody's way.
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"

using namespace mlir;
using namespace tc;

Value tc::getUnitSource(Operation *op) {
  Value source;
  SmallVector<ReassociationIndices> groups;
  ArrayRef<int64_t> wide;
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op)) {
    source = expand.getSrc();
    groups = expand.getReassociationIndices();
    wide = expand.getResultType().getShape();
  } else if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    source = collapse.getSrc();
    groups = collapse.getReassociationIndices();
    wide = collapse.getSrcType().getShape();
  } else {
    return {};
  }
  for (const ReassociationIndices &group : groups)
    if (llvm::count_if(group, [&](int64_t dim) { return wide[dim] != 1; }) > 1)
      return {};
  return source;
}

TensorDims tc::convertDims(Operation *op, const TensorDims &dims,
                           bool toResult) {
  bool isExpand = isa<tensor::ExpandShapeOp>(op);
  SmallVector<ReassociationIndices> groups =
      isExpand ? cast<tensor::ExpandShapeOp>(op).getReassociationIndices()
               : cast<tensor::CollapseShapeOp>(op).getReassociationIndices();
  auto wide = cast<RankedTensorType>(
      (isExpand ? op->getResult(0) : op->getOperand(0)).getType());
  TensorDims result;
  if (isExpand == toResult) {
    // To more dimensions.
    result.resize(wide.getRank());
    for (auto [group, dim] : llvm::zip_equal(groups, dims))
      for (int64_t at : group)
        if (wide.getDimSize(at) != 1 || group.size() == 1)
          result[at] = dim;
    return result;
  }
  for (const ReassociationIndices &group : groups) {
    // The one that has the elements, or any of those that have one.
    std::optional<unsigned> dim;
    for (int64_t at : group)
      if (dims[at] && (!dim || wide.getDimSize(at) != 1))
        dim = dims[at];
    result.push_back(dim);
  }
  return result;
}

std::pair<Value, TensorDims> tc::traceUnits(Value value, TensorDims dims) {
  while (Value source = getUnitSource(value.getDefiningOp())) {
    dims = convertDims(value.getDefiningOp(), dims, /*toResult=*/false);
    value = source;
  }
  return {value, dims};
}
