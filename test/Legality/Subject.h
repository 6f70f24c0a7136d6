//===- Subject.h - operations that are verified -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One operation of each form of tcgen05.mma in a module of its own, whose types
// and attributes are changed in place: the verifier is asked again and again.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_LEGALITY_SUBJECT_H
#define TC_TEST_LEGALITY_SUBJECT_H

#include "Oracle.h"

#include "tc/Dialect/TCGen05/IR/TCGen05.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <optional>

namespace tc::legality {

class Subject {
public:
  explicit Subject(mlir::MLIRContext &context);
  ~Subject();

  /// The operation as `c` says; null where a layout in shared memory cannot say
  /// it, whose rules are those of the operands' layouts. Modifiers stay as they
  /// are.
  mlir::Operation *set(const Combination &c);
  /// The operation that `set` gave for `c` with a K of 64 bytes of a row, or as
  /// before.
  void setWide(mlir::Operation *op, const Combination &c, bool wide);
  /// The same with B as indices into a table, or as before; false where no
  /// layout says it.
  bool setLookup(mlir::Operation *op, const Combination &c, bool lookup);
  /// The factors of A of `op` in 128 lanes, or as they were.
  void setLaneScales(tcgen05::MmaBlockScaleOp op, const Combination &c,
                     bool inLanes);
  /// Asks the verifier; the rule that it reports, or nothing.
  std::optional<Rule> verify(mlir::Operation *op);
  /// What it said.
  const std::string &getMessage() const { return message; }

  mlir::MLIRContext &context;

private:
  mlir::Operation *create(Form op, bool sparse);
  mlir::Type getElement(Element element);
  mlir::Type getTile(mlir::Type type, unsigned bits, Tile tile, int64_t rows);
  tcgen05::TmemType getD(const Combination &c);

  mlir::OwningOpRef<mlir::ModuleOp> module;
  mlir::Block *block;
  llvm::DenseMap<std::pair<mlir::Type, uint64_t>, mlir::Type> tiles;
  /// What operations have that multiply indices, or factors that are replaced.
  mlir::Value table;
  mlir::Type scalesA;
  std::string message;
  /// By form and whether A is sparse.
  mlir::Operation *operations[3][2] = {};
};

} // namespace tc::legality

#endif // TC_TEST_LEGALITY_SUBJECT_H
