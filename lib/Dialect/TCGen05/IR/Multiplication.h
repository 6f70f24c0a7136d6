//===- Multiplication.h - what forms of mma share ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the forms of tcgen05.mma have in common, and the rules for it. Each rule
// carries the labels of the operations that state it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TCGEN05_IR_MULTIPLICATION_H
#define TC_LIB_DIALECT_TCGEN05_IR_MULTIPLICATION_H

#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Support/ISA.h"
#include "tc/Support/MmaTypes.h"

namespace tc::tcgen05 {

struct Multiplication {
  template <typename Op>
  explicit Multiplication(Op op)
      : op(op), form(op.getForm()),
        d(llvm::cast<TmemType>(op.getD().getType())), smemA(op.getSmemA()),
        tmemA(op.getTmemA()), elementA(op.getElementTypeA()),
        b(llvm::cast<mlir::MemRefType>(op.getB().getType())), aK(op.getAK()),
        bK(op.getBK()), negate(op.getNegateA() || op.getNegateB()) {
    if (mlir::Value value = op.getMetadata())
      metadata = llvm::cast<TmemType>(value.getType());
    if (mlir::Value value = op.getLookup())
      lookup = llvm::cast<TmemType>(value.getType());
  }

  /// Checks everything but what only one form has. `moreColumns` of B are read
  /// beyond N.
  mlir::LogicalResult verify(int64_t moreColumns = 0) const;
  /// What an instruction needs that reads 64 bytes of a row.
  mlir::LogicalResult verifyWide() const;
  /// Metadata and the column of it that is read.
  mlir::LogicalResult verifyMetadata(int64_t selector) const;
  /// Modifiers that fit some kinds only.
  mlir::LogicalResult verifyNegate(bool saturate) const;

  mlir::InFlightDiagnostic error() const { return op->emitOpError(); }
  int64_t getM() const { return d.getInstructionM(); }
  int64_t getN() const { return d.getMatrixColumns(); }
  /// K of the instruction.
  int64_t getK() const { return form.getK(); }
  /// Elements of a row of A that it reads.
  int64_t getKOfA() const { return form.sparse ? getK() / 2 : getK(); }
  /// Bits that an element of A takes where A is.
  unsigned getBitsOfA() const {
    return tmemA ? getMmaTmemBits(form.kind, elementA, form.wide)
                 : getMmaSmemBits(form.kind, elementA, form.wide);
  }
  /// Bits that an element of B takes.
  unsigned getBitsOfB() const {
    return lookup ? kLookupSmemBits
                  : getMmaSmemBits(form.kind, b.getElementType(), form.wide);
  }

  mlir::Operation *op;
  MmaForm form;
  TmemType d;
  /// One of the two.
  mlir::MemRefType smemA;
  TmemType tmemA;
  mlir::Type elementA;
  mlir::MemRefType b;
  TmemType metadata;
  /// The table of a B of indices, else null.
  TmemType lookup;
  int64_t aK, bK;
  bool negate;

private:
  bool hasHalfSum() const {
    return hasMmaHalfSum(form.kind, elementA, b.getElementType());
  }
  mlir::LogicalResult verifyAccumulator() const;
  mlir::LogicalResult verifyColumns() const;
  mlir::LogicalResult verifyElementTypes() const;
  mlir::LogicalResult verifyTmemA() const;
  mlir::LogicalResult verifyExtents(int64_t moreColumns) const;
  mlir::LogicalResult verifySteps() const;
  mlir::LogicalResult verifyIndices() const;
  mlir::LogicalResult verifyTable() const;
  mlir::LogicalResult verifyLayout(llvm::StringRef name, mlir::MemRefType type,
                                   unsigned bits) const;
  mlir::LogicalResult verifyLongRows() const;
  mlir::LogicalResult verifyLongRow(llvm::StringRef name, mlir::MemRefType type,
                                    llvm::StringRef what,
                                    int64_t bytes = 64) const;
};

} // namespace tc::tcgen05

#endif // TC_LIB_DIALECT_TCGEN05_IR_MULTIPLICATION_H
