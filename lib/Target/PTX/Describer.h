//===- Describer.h - what a host function does ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Target/PTX: the content of a kernel description, collected from a
// host function (CollectDescription.cpp) and written (KernelDescription.cpp and
// BufferDescription.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_PTX_DESCRIBER_H
#define TC_LIB_TARGET_PTX_DESCRIBER_H

#include "HostReader.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/JSON.h"

#include <vector>

namespace tc {

/// A float in a description: a number, or "inf", "-inf" or "nan".
llvm::json::Value describeFloat(double value);

/// A matrix or vector of a problem: a buffer or a view of one.
struct HostOperand {
  mlir::Value memref, root;
  HostView view;
  /// The buffer with its own dimensions; or at least all of its elements.
  bool isWhole = true, coversAll = true;
};

/// What an epilogue reads besides the accumulator.
struct HostExtra {
  /// A matrix or vector; its root is null for a scalar.
  HostOperand operand;
  /// Of a vector: "m" or "n".
  llvm::StringRef along;
  /// A float of the host function.
  mlir::Value scalar;
};

/// A tmm.problem with its operands resolved.
struct HostProblem {
  tmm::ProblemOp op;
  /// The number of its launch.
  int64_t number = 0;
  HostOperand a, b, d;
  /// The scale factors of A and of B, or none.
  llvm::SmallVector<HostOperand, 2> scales;
  /// Which elements a sparse A keeps.
  std::optional<HostOperand> metadata;
  /// What is written beside D.
  std::optional<HostOperand> scaleD, amax;
  /// Which rows the problems of the batch have.
  std::optional<HostOperand> rows;
  /// One for each extra operand of an epilogue; constants are part of the
  /// steps.
  std::vector<std::optional<HostExtra>> extras;
};

/// A tmm.row_problem with its operands resolved.
struct HostRows {
  tmm::RowProblemOp op;
  /// The number of its launch.
  int64_t number = 0;
  llvm::SmallVector<HostOperand> operands;
  /// Of the dimensions of the maps.
  llvm::SmallVector<SizeExpression> sizes;
};

/// The name of a step's operation.
std::string nameOfStep(mlir::Operation *op);
/// A constant as a number; every float of an epilogue is exact as a double.
llvm::json::Value describeConstant(mlir::Attribute constant);
/// Writes one step.
void writeStep(llvm::json::OStream &json, const llvm::json::Value &name,
               llvm::StringRef operation,
               llvm::ArrayRef<llvm::json::Value> args, mlir::Type type);
/// Writes the members `steps` and `result` of an epilogue: each operation of
/// the region of `problem` by its name, its arguments and its type.
void writeEpilogueSteps(llvm::json::OStream &json, tmm::ProblemOp problem);

/// "ends" or "counts", the operand that tells which rows problems have.
llvm::StringRef nameOfRows(tmm::ProblemOp problem);

/// What a kernel does with the memory that a pointer refers to.
struct PointerUses {
  bool isRead = false, isWritten = false;
};

/// What `kernel`, a function of LLVM, does with its parameter of that number:
/// both where it cannot be told.
PointerUses findPointerUses(mlir::Operation *kernel, unsigned parameter);

/// The contents of the global that `get` names: a constant, or a variable that
/// starts with them. An error where it has none, and where the variable may be
/// named elsewhere, as each buffer has memory of its own.
llvm::FailureOr<mlir::ElementsAttr> findContents(mlir::memref::GetGlobalOp get);
/// Writes the contents of a buffer: `bytes`, or `fill` where all elements are
/// equal.
void writeConstant(llvm::json::OStream &json, mlir::ElementsAttr value);

/// The name of an element type in launch files; empty where it has none.
llvm::StringRef nameOfElementType(mlir::Type type);

/// Writes the member `key`, a list of expressions.
void writeList(llvm::json::OStream &json, llvm::StringRef key,
               llvm::ArrayRef<SizeExpression> values);

/// A kernel parameter.
struct HostParameter {
  enum Kind { TensorMap, Pointer, Integer, Float } kind;
  sm90::TensorMapEncodeOp map;
  HostView view;
  SizeExpression integer;
  double number = 0;
  /// The name of a float argument of the host function; empty: `number`.
  std::string scalar;
  /// "i32" and so on for scalars.
  std::string type;
};

struct HostLaunch {
  mlir::gpu::LaunchFuncOp op;
  unsigned kernel;
  llvm::SmallVector<SizeExpression> grid;
  SizeExpression when{1};
  std::vector<HostParameter> parameters;
};

struct HostKernel {
  mlir::SymbolRefAttr symbol;
  llvm::SmallVector<SizeExpression> block, cluster;
  SizeExpression dynamicSmem;
  /// The kernel itself waits for the ones before it (griddepcontrol).
  bool programmaticLaunch = false;
};

struct HostConstraint {
  SizeExpression check;
  std::string message;
  /// Where the check is that a value is a multiple of a constant: both, so that
  /// a launcher that refuses can say what it got and the nearest legal value.
  std::optional<std::pair<SizeExpression, int64_t>> multiple;
};

/// Collects what the description says, then writes it.
class Describer {
public:
  Describer(mlir::func::FuncOp function, llvm::StringRef chip)
      : function(function), chip(chip), reader(function) {}

  llvm::LogicalResult collect();
  llvm::LogicalResult write(llvm::raw_ostream &os);

private:
  llvm::LogicalResult collectProblem(tmm::ProblemOp op, bool isNaming);
  llvm::LogicalResult collectExtras(HostProblem &problem);
  llvm::FailureOr<HostOperand> collectOperand(tmm::ProblemOp problem,
                                              mlir::StringRef name,
                                              mlir::Value memref);
  llvm::LogicalResult readProblem(HostProblem &problem);
  void collectRows(tmm::RowProblemOp op);
  llvm::LogicalResult readRows(HostRows &rows);
  void writeRows(llvm::json::OStream &json, HostRows &rows);
  void nameSizes(HostProblem &problem, bool isNaming);
  void nameBuffers(const HostProblem &problem);
  void defineDims(HostProblem &problem);
  llvm::LogicalResult collectOp(mlir::Operation *op);
  llvm::LogicalResult collectResults(mlir::func::ReturnOp op);
  llvm::LogicalResult collectConstraint(mlir::cf::AssertOp op);
  llvm::LogicalResult collectLaunch(mlir::gpu::LaunchFuncOp launch);
  llvm::FailureOr<unsigned> collectKernel(mlir::gpu::LaunchFuncOp launch);
  llvm::FailureOr<HostParameter>
  collectParameter(mlir::gpu::LaunchFuncOp launch, unsigned number);
  llvm::FailureOr<SizeExpression> readCondition(mlir::Operation *op);
  llvm::FailureOr<llvm::SmallVector<SizeExpression>>
  readAll(llvm::ArrayRef<mlir::Value> values);

  llvm::LogicalResult writeBuffer(llvm::json::OStream &json, mlir::Value root);
  llvm::LogicalResult writeParameter(llvm::json::OStream &json,
                                     HostParameter &parameter);
  llvm::LogicalResult writeTensorMap(llvm::json::OStream &json,
                                     sm90::TensorMapEncodeOp map);
  void writeOperand(llvm::json::OStream &json, const HostOperand &operand);
  llvm::LogicalResult writeEpilogue(llvm::json::OStream &json,
                                    HostProblem &problem);
  llvm::LogicalResult writeProblem(llvm::json::OStream &json,
                                   HostProblem &problem);
  llvm::StringRef nameOf(mlir::Value root) {
    return reader.getBuffers().find(root)->second.name;
  }
  std::string writeFormula(HostProblem &problem);
  llvm::StringRef roleOf(mlir::Value root);
  PointerUses usesOfProblems(mlir::Value root);
  bool isReturned(mlir::Value root);
  bool isLaunched(mlir::Value root);
  PointerUses usesOf(mlir::Value root);

  mlir::func::FuncOp function;
  llvm::StringRef chip;
  HostReader reader;
  std::vector<HostProblem> problems;
  std::vector<HostRows> rows;
  std::vector<HostOperand> results;
  std::vector<HostKernel> kernels;
  std::vector<HostLaunch> launches;
  std::vector<HostConstraint> constraints;
  /// Scalar arguments of the function that launches need, by their names.
  llvm::MapVector<mlir::Value, std::string> scalars;
};

} // namespace tc

#endif // TC_LIB_TARGET_PTX_DESCRIBER_H
