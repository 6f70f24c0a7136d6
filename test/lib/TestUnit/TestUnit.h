//===- TestUnit.h - a back end of tests only --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_LIB_TESTUNIT_TESTUNIT_H
#define TC_TEST_LIB_TESTUNIT_TESTUNIT_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include "TestUnitDialect.h.inc"
#define GET_ATTRDEF_CLASSES
#include "TestUnitAttrs.h.inc"
#define GET_OP_CLASSES
#include "TestUnitOps.h.inc"

namespace tc::test_unit {

/// The address (i64) of `memref`.
mlir::Value emitAddress(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value memref);

/// `base` (i64) and `bytes` after it for each of `count` (i32).
mlir::Value emitOffset(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value base, mlir::Value count, int64_t bytes);

/// The rank (i32) of the executing CTA in a grid of one dimension.
mlir::Value emitRank(mlir::OpBuilder &builder, mlir::Location loc);

/// The pointer to global memory at `address` (i64).
mlir::Value emitPointer(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value address);

} // namespace tc::test_unit

#endif // TC_TEST_LIB_TESTUNIT_TESTUNIT_H
