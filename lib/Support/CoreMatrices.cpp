//===- CoreMatrices.cpp - register tiles of 8 x 8 parts ---------*- C++ -*-===//
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

#include "tc/Support/CoreMatrices.h"

#include "tc/Support/EmitArith.h"
#include "tc/Support/Target.h"

using namespace mlir;

bool tc::isMultipleOf(ArrayRef<int64_t> shape, int64_t rows, int64_t columns) {
  return shape.size() == 2 && shape[0] % rows == 0 && shape[1] % columns == 0;
}

LogicalResult tc::verifyMultipleOf(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape, int64_t rows,
                                   int64_t columns,
                                   std::optional<ISASection> section) {
  if (isMultipleOf(shape, rows, columns))
    return success();
  InFlightDiagnostic diag =
      emitError() << "expected a register tile with a multiple of " << rows
                  << " rows and of " << columns << " columns, got " << shape;
  if (section)
    diag << " " << cite(*section);
  return diag;
}

Value tc::emitCoreRow(OpBuilder &b, Location loc, Value thread, int64_t rows) {
  Value warp =
      arith::DivUIOp::create(b, loc, thread, emitI32(b, loc, kWarpThreads));
  Value first = arith::MulIOp::create(b, loc, warp, emitI32(b, loc, rows));
  Value lane =
      arith::RemUIOp::create(b, loc, thread, emitI32(b, loc, kWarpThreads));
  Value inWarp =
      arith::DivUIOp::create(b, loc, lane, emitI32(b, loc, kCoreThreads));
  return arith::AddIOp::create(b, loc, first, inWarp);
}

Value tc::emitCoreColumn(OpBuilder &b, Location loc, Value thread) {
  Value inRow =
      arith::RemUIOp::create(b, loc, thread, emitI32(b, loc, kCoreThreads));
  return arith::MulIOp::create(b, loc, inRow, emitI32(b, loc, kCoreRun));
}
