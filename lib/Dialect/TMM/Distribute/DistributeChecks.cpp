//===- DistributeChecks.cpp - what threads cannot hold ----------*- C++ -*-===//
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

#include "DistributeChecks.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

LogicalResult tc::tmm::checkBytes(Operation *op, Type tile) {
  unsigned bits = getElementTypeOrSelf(tile).getIntOrFloatBitWidth();
  if (bits % 8 == 0)
    return success();
  // A bit has a byte of its own.
  if (bits == 1) {
    auto fetch = dyn_cast<FetchOp>(op);
    // Of any op on a tile in memory one operand is the memory.
    Type memory;
    for (Type type : op->getOperandTypes())
      if (isa<MemRefType>(type))
        memory = getElementTypeOrSelf(type);
    // One number is loaded as a byte.
    if (memory.isInteger(8) || (fetch && fetch.isNumber()))
      return success();
    return op->emitOpError()
           << "expected bytes in global memory, each an element of 1 bit, got "
           << memory << ": convert-tmm-kernel-interface-to-sm90 makes them";
  }
  // Two of 4 bits are stored as a byte.
  if (auto store = dyn_cast<StoreOp>(op); store && bits == 4) {
    Type target =
        cast<MemRefType>(store.getTarget().getType()).getElementType();
    if (target.getIntOrFloatBitWidth() == 8)
      return success();
    return op->emitOpError()
           << "expected a target of bytes, each two elements of 4 bits, got "
           << target << ": convert-tmm-kernel-interface-to-sm90 makes it one";
  }
  return op->emitOpError() << "expected elements of whole bytes in global "
                              "memory, got "
                           << bits << " bits";
}

/// The tile and the part of an op on columns.
static std::pair<VectorType, VectorType> getColumnsOf(Operation *op) {
  if (auto extract = dyn_cast<ExtractColumnsOp>(op))
    return {cast<VectorType>(extract.getTile().getType()),
            cast<VectorType>(extract.getType())};
  auto insert = cast<InsertColumnsOp>(op);
  return {cast<VectorType>(insert.getTile().getType()),
          cast<VectorType>(insert.getPart().getType())};
}

LogicalResult tc::tmm::rejectColumns(Operation *op) {
  auto [tile, part] = getColumnsOf(op);
  Value place = op->getOperands().back();
  if (std::optional<int64_t> column = getConstantIntValue(place))
    return op->emitOpError()
           << "expected a column from 0 to "
           << tile.getDimSize(1) - part.getDimSize(1) << ", got " << *column;
  return op->emitOpError(
      "expected a column that is known when compiling, as registers have no "
      "addresses, got a value: tmm-unroll-columns makes it known where a "
      "loop with constant bounds counts it");
}

LogicalResult tc::tmm::rejectOp(Operation *op) {
  // A constant that folding made has no location; its user has.
  Location place = op->getLoc();
  if (isa<UnknownLoc>(place) && !op->use_empty())
    place = op->user_begin()->getLoc();
  return emitError(place)
         << '\'' << op->getName()
         << "' op cannot be computed by each thread on its part of a register "
            "tile: expected an elementwise op, a slice, a splat or control "
            "flow";
}
