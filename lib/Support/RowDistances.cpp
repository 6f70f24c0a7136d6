//===- RowDistances.cpp - where the rows of a matrix start ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Support/RowDistances.h"

#include "tc/Support/Target.h"

#include <numeric>

using namespace mlir;
using namespace tc;

SmallVector<RowDistance> tc::getRowDistances(MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return {};
  SmallVector<RowDistance> distances = {{std::nullopt, offset}};
  unsigned rowDim = type.getRank() - 2;
  for (unsigned dim = 0; dim <= rowDim; ++dim) {
    bool follows = dim != rowDim && type.getLayout().isIdentity();
    if (dim == rowDim || (type.getDimSize(dim) != 1 && !follows))
      distances.push_back({dim, strides[dim]});
  }
  return distances;
}

RowAlignment tc::getRowAlignment(MemRefType type) {
  RowAlignment result{kTmaGranularity, true};
  for (const RowDistance &distance : getRowDistances(type)) {
    if (ShapedType::isDynamic(distance.elements))
      result.isKnown = false;
    else
      result.bytes = std::gcd(
          result.bytes, distance.elements * type.getElementTypeBitWidth() / 8);
  }
  return result;
}
