//===- Sizes.cpp - dimensions without what computes them --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Through results that are as their outputs are, reshapes and slices.
//
//===----------------------------------------------------------------------===//

#include "Sizes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace tc;

OpFoldResult tc::findSize(OpBuilder &b, Location loc, Value value,
                          int64_t dim) {
  auto type = cast<ShapedType>(value.getType());
  if (!type.isDynamicDim(dim))
    return b.getIndexAttr(type.getDimSize(dim));
  Operation *definition = value.getDefiningOp();
  if (!definition || isa<memref::AllocOp, memref::SubViewOp>(definition)) {
    if (isa<RankedTensorType>(type))
      return tensor::DimOp::create(b, loc, value, dim).getResult();
    return memref::DimOp::create(b, loc, value, dim).getResult();
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(definition))
    return empty.getMixedSizes()[dim];
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(definition)) {
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (auto [place, size] : llvm::enumerate(sizes))
      if (!dropped[place] && dim-- == 0)
        return size;
    return {};
  }
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(definition))
    return getMixedValues(expand.getStaticOutputShape(),
                          expand.getOutputShape(), b)[dim];
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(definition)) {
    OpFoldResult size = b.getIndexAttr(1);
    SmallVector<ReassociationIndices> groups =
        collapse.getReassociationIndices();
    for (int64_t part : groups[dim]) {
      OpFoldResult factor = findSize(b, loc, collapse.getSrc(), part);
      if (!factor)
        return {};
      size = b.createOrFold<arith::MulIOp>(
          loc, getValueOrCreateConstantIndexOp(b, loc, size),
          getValueOrCreateConstantIndexOp(b, loc, factor));
    }
    return size;
  }
  if (auto cast = dyn_cast<tensor::CastOp>(definition))
    return isa<RankedTensorType>(cast.getSource().getType())
               ? findSize(b, loc, cast.getSource(), dim)
               : OpFoldResult();
  // Results are as their outputs are.
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(definition))
    if (OpOperand *init = destination.getTiedOpOperand(cast<OpResult>(value)))
      return findSize(b, loc, init->get(), dim);
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(definition))
    return findSize(b, loc, insert.getDest(), dim);
  return {};
}
