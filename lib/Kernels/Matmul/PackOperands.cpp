//===- PackOperands.cpp - copies that TMA can address -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What TMA cannot load as it is stored, threads can; but they do so for every
// tile, and slowly. A copy with padded rows, or in the other order, is made
// once. Where the model says that it pays, the product reads such a copy.
//
//===----------------------------------------------------------------------===//

#include "Configure.h"

#include "ConfigTranslation.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulModel.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

namespace {

/// Whether A and B are copied, and turned on the way.
struct Packing {
  bool a = false, b = false;
  bool turnsA = false, turnsB = false;
  /// Cycles with the copies, and without where that is legal.
  std::optional<double> cycles = {}, loaded = {};
};

} // namespace

/// Whether a copy of `matrix` can be made: its rows have a known length, or its
/// columns, which become rows where it is turned.
static bool canCopy(Value matrix, bool isTurned) {
  auto type = cast<MemRefType>(matrix.getType());
  return type.getElementTypeBitWidth() % 8 == 0 &&
         !type.isDynamicDim(type.getRank() - (isTurned ? 2 : 1));
}

/// Elements of `matrix`; an unknown size of a batch counts as 1.
static int64_t getElements(Value matrix) {
  auto type = cast<MemRefType>(matrix.getType());
  int64_t elements = 1;
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    if (!ShapedType::isDynamic(size))
      elements *= size;
    else if (int64_t(dim) + 2 >= type.getRank())
      elements *= schedule::kTypicalSize;
  }
  return elements;
}

/// Cycles of `op` with `packing`, copies and all; none where that is not legal.
static std::optional<double> getCycles(MatmulOp op, const Packing &packing,
                                       const schedule::MatmulConfig &given,
                                       const schedule::Machine &machine) {
  schedule::MatmulProblem problem = getProblem(op, machine);
  double cycles = 0;
  auto copy = [&](Value matrix, schedule::OperandRows &rows) {
    rows = {};
    cycles +=
        schedule::estimateCopy(getElements(matrix), problem.inputBits, machine);
  };
  if (packing.a)
    copy(op.getA(), problem.rowsA);
  if (packing.b)
    copy(op.getB(), problem.rowsB);
  schedule::limitToMachine(problem, machine);
  problem.transposeA ^= packing.turnsA;
  problem.transposeB ^= packing.turnsB;
  if (schedule::findConfigError(given, problem, machine))
    return std::nullopt;
  auto candidates = schedule::rankCandidates(given, problem, machine);
  if (candidates.empty())
    return std::nullopt;
  return cycles + candidates.front().estimate.cycles;
}

/// The packing of `op` that takes the fewest cycles.
static Packing choosePacking(MatmulOp op, const schedule::MatmulConfig &given,
                             const schedule::Machine &machine) {
  schedule::MatmulProblem problem = getProblem(op, machine);
  schedule::MatmulConfig ofUnit = given;
  if (!ofUnit.unit)
    ofUnit.unit = machine.getUnit(problem);
  Packing all;
  all.turnsA = schedule::turnsA(ofUnit, problem);
  all.turnsB = schedule::turnsB(ofUnit, problem);
  // What is asked for stays.
  all.a = !given.loadA && (all.turnsA || !problem.rowsA.tmaObstacle.empty()) &&
          canCopy(op.getA(), all.turnsA);
  all.b = !given.loadB && (all.turnsB || !problem.rowsB.tmaObstacle.empty()) &&
          canCopy(op.getB(), all.turnsB);
  Packing best;
  if (!all.a && !all.b)
    return best;
  best.cycles = best.loaded = getCycles(op, best, given, machine);
  for (unsigned parts = 1; parts < 4; ++parts) {
    Packing some;
    some.a = parts & 1;
    some.b = parts & 2;
    if ((some.a && !all.a) || (some.b && !all.b))
      continue;
    some.turnsA = some.a && all.turnsA;
    some.turnsB = some.b && all.turnsB;
    some.loaded = best.loaded;
    some.cycles = getCycles(op, some, given, machine);
    if (some.cycles && (!best.cycles || *some.cycles < *best.cycles))
      best = some;
  }
  return best;
}

/// A copy of `matrix` whose rows start at multiples of 16 bytes, with rows and
/// columns exchanged where `isTurned`.
static Value emitCopy(OpBuilder &b, Location loc, Value matrix, bool isTurned) {
  auto type = cast<MemRefType>(matrix.getType());
  unsigned rank = type.getRank();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(rank));
  if (isTurned)
    std::swap(order[rank - 1], order[rank - 2]);
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  SmallVector<Value> dynamic;
  for (int64_t dim : order) {
    shape.push_back(type.getDimSize(dim));
    sizes.push_back(memref::getMixedSize(b, loc, matrix, dim));
    if (type.isDynamicDim(dim))
      dynamic.push_back(cast<Value>(sizes.back()));
  }
  SmallVector<int64_t> padded = shape;
  padded.back() = llvm::alignTo(
      shape.back(), tc::kTmaGranularity * 8 / type.getElementTypeBitWidth());
  Value copy = memref::AllocOp::create(
      b, loc, MemRefType::get(padded, type.getElementType()), dynamic);
  if (padded != shape)
    copy = memref::SubViewOp::create(
        b, loc, copy, SmallVector<OpFoldResult>(rank, b.getIndexAttr(0)), sizes,
        SmallVector<OpFoldResult>(rank, b.getIndexAttr(1)));
  if (isTurned)
    linalg::TransposeOp::create(b, loc, matrix, copy, order);
  else
    memref::CopyOp::create(b, loc, matrix, copy);
  return copy;
}

/// Says at `op` what is copied and why.
static void explainPacking(MatmulOp op, const Packing &packing) {
  InFlightDiagnostic remark = op.emitRemark()
                              << "copied first, so that TMA can "
                                 "load it: ";
  remark << (packing.a && packing.b ? "A and B" : packing.a ? "A" : "B");
  remark << llvm::formatv("; {0:N} cycles predicted with the copies",
                          int64_t(*packing.cycles))
                .str();
  if (packing.loaded)
    remark << llvm::formatv(", {0:N} if threads loaded each tile",
                            int64_t(*packing.loaded))
                  .str();
}

/// The machine of `request`, as lookUp finds it.
static FailureOr<schedule::Machine> findMachine(const ConfigRequest &request) {
  return getMachine(request.root, request.chip, request.option, [&] {
    return request.root->emitError() << "chip option: ";
  });
}

FailureOr<std::string>
tc::tmm::findMatmulWindowsObstacle(MatmulOp op, OpOperand &operand,
                                   const ConfigRequest &request) {
  FailureOr<schedule::Machine> machine = findMachine(request);
  if (failed(machine))
    return failure();
  if (operand.getOperandNumber() != 0)
    return refuseWindows(op);
  schedule::MatmulProblem problem = getProblem(op, *machine);
  schedule::MatmulConfig given = schedule::merge(getConfig(op), request.option);
  if (!problem.rowsA.tmaObstacle.empty())
    return problem.rowsA.tmaObstacle;
  return schedule::findConfigError(given, problem, *machine).value_or("");
}

LogicalResult tc::tmm::packMatmuls(ArrayRef<Operation *> ops,
                                   const ConfigRequest &request, bool remarks) {
  FailureOr<schedule::Machine> machine = findMachine(request);
  if (failed(machine))
    return failure();
  for (Operation *operation : ops) {
    auto op = cast<MatmulOp>(operation);
    if (!isa<MemRefType>(op.getD().getType()))
      continue;
    schedule::MatmulConfig given =
        schedule::merge(getConfig(op), request.option);
    Packing packing = choosePacking(op, given, *machine);
    if (!packing.a && !packing.b)
      continue;
    if (remarks)
      explainPacking(op, packing);
    OpBuilder b(op);
    if (packing.a)
      op.getAMutable().assign(
          emitCopy(b, op.getLoc(), op.getA(), packing.turnsA));
    if (packing.b)
      op.getBMutable().assign(
          emitCopy(b, op.getLoc(), op.getB(), packing.turnsB));
    if (packing.turnsA)
      op.setTransposeA(!op.getTransposeA());
    if (packing.turnsB)
      op.setTransposeB(!op.getTransposeB());
  }
  return success();
}
