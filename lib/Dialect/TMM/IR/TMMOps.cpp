//===- TMMOps.cpp - operations of the tmm dialect ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The generated classes. Verifiers and interfaces are in one file per form of
// the program: TMMProblemOps.cpp and its neighbours.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/IR/DialectImplementation.h"

using namespace mlir;

namespace tc::tmm {

// The custom directive of tmm.matmul, in TMMEpilogue.cpp.
ParseResult
parseEpilogue(OpAsmParser &parser,
              SmallVectorImpl<OpAsmParser::UnresolvedOperand> &extras,
              SmallVectorImpl<Type> &types, DenseI32ArrayAttr &along,
              SmallVectorImpl<std::unique_ptr<Region>> &epilogues);
void printEpilogue(OpAsmPrinter &p, Operation *op, OperandRange extras,
                   TypeRange types, DenseI32ArrayAttr along,
                   MutableArrayRef<Region> epilogues);
// That of tmm.mma, in TMMTileOps.cpp.
ParseResult parseOperandType(OpAsmParser &parser, Type &type);
void printOperandType(OpAsmPrinter &printer, Operation *, Type type);

} // namespace tc::tmm

#define GET_OP_CLASSES
#include "tc/Dialect/TMM/IR/TMMOps.cpp.inc"
