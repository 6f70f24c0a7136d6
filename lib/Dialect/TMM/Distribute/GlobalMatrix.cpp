//===- GlobalMatrix.cpp - matrices that threads access ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "GlobalMatrix.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

#include <numeric>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// The largest power of two up to 16 that divides `value`; 1 where it is not
/// known. What is dynamic counts when the kernel runs.
static int64_t getKnownDivisor(int64_t value) {
  return ShapedType::isDynamic(value) ? 1 : std::gcd(value, int64_t(16));
}

/// `value`, an index or an attribute, as i32.
static Value asI32(OpBuilder &builder, Location loc, OpFoldResult value) {
  if (std::optional<int64_t> constant = getConstantIntValue(value))
    return arith::ConstantIntOp::create(builder, loc, builder.getI32Type(),
                                        *constant);
  Value index = cast<Value>(value);
  auto cast = index.getDefiningOp<arith::IndexCastOp>();
  if (cast && cast.getIn().getType() == builder.getI32Type())
    return cast.getIn();
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
}

GlobalMatrix tc::tmm::getGlobalMatrix(OpBuilder &builder, Value memref,
                                      bool isVector) {
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointAfterValue(memref);
  Location loc = memref.getLoc();
  auto type = cast<MemRefType>(memref.getType());
  auto [strides, offset] = type.getStridesAndOffset();

  SmallVector<OpFoldResult> sizes, steps;
  OpFoldResult first;
  if (auto cast = memref.getDefiningOp<memref::ReinterpretCastOp>()) {
    sizes = cast.getConstifiedMixedSizes();
    steps = cast.getConstifiedMixedStrides();
    first = cast.getConstifiedMixedOffset();
  } else {
    auto metadata =
        memref::ExtractStridedMetadataOp::create(builder, loc, memref);
    sizes = metadata.getConstifiedMixedSizes();
    steps = metadata.getConstifiedMixedStrides();
    first = metadata.getConstifiedMixedOffset();
  }

  GlobalMatrix result;
  result.memref = memref;
  result.isAdjacent = strides.back() == 1;
  int64_t colDim = type.getRank() - 1;
  if (!isVector)
    result.rows = asI32(builder, loc, sizes[colDim - 1]);
  result.cols = asI32(builder, loc, sizes[colDim]);
  result.divisor = std::gcd(getKnownDivisor(type.getDimSize(colDim)),
                            getKnownDivisor(offset));
  result.startDivisor = 16;
  auto addStart = [&](int64_t value, OpFoldResult dynamic) {
    if (!ShapedType::isDynamic(value)) {
      result.startDivisor =
          std::gcd(result.startDivisor, getKnownDivisor(value));
      return;
    }
    Value low = asI32(builder, loc, dynamic);
    result.starts =
        result.starts
            ? arith::OrIOp::create(builder, loc, result.starts, low).getResult()
            : low;
  };
  bool isFirst = true;
  for (int64_t dim = colDim - 1; dim >= 0; --dim) {
    // A dimension of size 1 has no stride.
    if (type.getDimSize(dim) == 1 && (isVector || dim + 1 != colDim))
      continue;
    int64_t stride = strides[dim];
    // Without a layout a stride is the product of the sizes after it: what
    // divides the first one, the number of columns, divides the others.
    if (ShapedType::isDynamic(stride) && type.getLayout().isIdentity())
      stride = isFirst ? type.getDimSize(colDim) : 0;
    isFirst = false;
    result.divisor = std::gcd(result.divisor, getKnownDivisor(stride));
    addStart(stride, steps[dim]);
  }
  addStart(offset, first);
  return result;
}
