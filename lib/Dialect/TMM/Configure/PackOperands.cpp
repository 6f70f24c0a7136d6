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
// once. Where the model says that it pays, the product reads such a copy. The
// windows of images, which threads cannot load, are gathered where TMA cannot.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/Configure/ConfigTranslation.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Dialect/TMM/Passes.h"
#include "tc/Schedule/MatmulModel.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

namespace tc::tmm {
#define GEN_PASS_DEF_PACKOPERANDSPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

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

struct PackOperandsPass
    : tc::tmm::impl::PackOperandsPassBase<PackOperandsPass> {
  using PackOperandsPassBase::PackOperandsPassBase;
  void runOnOperation() override;
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
static Packing choose(MatmulOp op, const schedule::MatmulConfig &given,
                      const schedule::Machine &machine) {
  schedule::MatmulProblem problem = getProblem(op, machine);
  schedule::MatmulConfig ofUnit = given;
  if (!ofUnit.unit)
    ofUnit.unit = machine.units.front();
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

/// The matrix of `op` with its elements next to each other.
static Value emitGather(OpBuilder &b, WindowsOp op) {
  Location loc = op.getLoc();
  WindowsAttr windows = op.getWindows();
  Value images = op.getImages();
  auto type = cast<MemRefType>(images.getType());
  int64_t rank = windows.getRank();
  Type element = type.getElementType();
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, images);
  SmallVector<Value> number;
  if (type.isDynamicDim(0))
    number.push_back(cast<Value>(sizes.front()));

  // Outside of its image an element is 0.
  SmallVector<int64_t> padded(type.getShape());
  SmallVector<OpFoldResult> first(rank + 2, b.getIndexAttr(0));
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t low = windows.getPadding()[dim];
    int64_t high = windows.getUpperCorner(dim, type.getDimSize(dim + 1)) +
                   windows.getReach(dim);
    padded[dim + 1] += low + std::max<int64_t>(high, 0);
    first[dim + 1] = b.getIndexAttr(low);
  }
  if (ArrayRef(padded) != type.getShape()) {
    Value copy = memref::AllocOp::create(
        b, loc, MemRefType::get(padded, element), number);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    linalg::FillOp::create(b, loc, zero, copy);
    Value inside = memref::SubViewOp::create(
        b, loc, copy, first, sizes,
        SmallVector<OpFoldResult>(rank + 2, b.getIndexAttr(1)));
    memref::CopyOp::create(b, loc, images, inside);
    images = copy;
  }

  // Loops: images, outputs, elements of a window, channels.
  unsigned loops = 2 * rank + 2;
  SmallVector<int64_t> shape = {type.getDimSize(0)};
  llvm::append_range(shape, windows.getOutput());
  llvm::append_range(shape, windows.getWindow());
  shape.push_back(windows.getChannels());
  SmallVector<AffineExpr> from = {b.getAffineDimExpr(0)};
  for (int64_t dim = 0; dim < rank; ++dim)
    from.push_back(b.getAffineDimExpr(1 + dim) * windows.getStrides()[dim] +
                   b.getAffineDimExpr(1 + rank + dim) *
                       windows.getDilations()[dim]);
  from.push_back(b.getAffineDimExpr(loops - 1));
  Value gathered =
      memref::AllocOp::create(b, loc, MemRefType::get(shape, element), number);
  SmallVector<utils::IteratorType> parallel(loops,
                                            utils::IteratorType::parallel);
  AffineMap maps[] = {AffineMap::get(loops, 0, from, b.getContext()),
                      b.getMultiDimIdentityMap(loops)};
  linalg::GenericOp::create(b, loc, ValueRange{images}, ValueRange{gathered},
                            maps, parallel,
                            [](OpBuilder &body, Location at, ValueRange args) {
                              linalg::YieldOp::create(body, at, args.front());
                            });
  SmallVector<ReassociationIndices> groups(2);
  for (int64_t loop = 0; loop < loops; ++loop)
    groups[loop > rank].push_back(loop);
  return memref::CollapseShapeOp::create(b, loc, gathered, groups);
}

/// The operands that are the windows of `op`, with or without another sign.
static SmallVector<OpOperand *> getUses(WindowsOp op) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : op->getUses()) {
    if (isa<ReinterpretOp>(use.getOwner()))
      for (OpOperand &next : use.getOwner()->getUses())
        uses.push_back(&next);
    else
      uses.push_back(&use);
  }
  return uses;
}

/// Why the products that read the windows of `op` cannot have TMA load them;
/// empty: they can.
static std::string findObstacle(WindowsOp op,
                                const schedule::MatmulConfig &option,
                                const schedule::Machine &machine) {
  for (OpOperand *use : getUses(op)) {
    auto matmul = dyn_cast<MatmulOp>(use->getOwner());
    if (!matmul || use->getOperandNumber() != 0)
      return ("what reads them is '" +
              use->getOwner()->getName().getStringRef() + "'")
          .str();
    schedule::MatmulProblem problem = getProblem(matmul, machine);
    schedule::MatmulConfig given = schedule::merge(getConfig(matmul), option);
    if (!problem.rowsA.tmaObstacle.empty())
      return problem.rowsA.tmaObstacle;
    if (std::optional<std::string> error =
            schedule::findConfigError(given, problem, machine))
      return *error;
  }
  return "";
}

/// Gathers the windows that TMA cannot load.
static void placeWindows(WindowsOp op, const schedule::MatmulConfig &option,
                         const schedule::Machine &machine, bool remarks) {
  // A kernel that exists takes them as they are.
  if (llvm::any_of(getUses(op), [](OpOperand *use) {
        return isa<ProblemOp, gpu::LaunchFuncOp>(use->getOwner());
      }))
    return;
  std::string obstacle = findObstacle(op, option, machine);
  auto type = cast<MemRefType>(op.getResult().getType());
  if (remarks && !op->use_empty()) {
    InFlightDiagnostic remark = op.emitRemark();
    if (!obstacle.empty())
      remark << "gathered first, because TMA cannot load the windows from the "
                "images: "
             << obstacle;
    else if (type.hasStaticShape())
      remark << llvm::formatv(
                    "A is loaded as windows of the images (im2col); no matrix "
                    "of {0:N} bytes is written and read",
                    type.getNumElements() * type.getElementTypeBitWidth() / 8)
                    .str();
    else
      remark << "A is loaded as windows of the images (im2col)";
  }
  if (obstacle.empty())
    return;
  OpBuilder b(op);
  Value matrix = emitGather(b, op);
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto reinterpret = dyn_cast<ReinterpretOp>(user);
    if (!reinterpret)
      continue;
    b.setInsertionPoint(reinterpret);
    Type element = getElementTypeOrSelf(reinterpret.getResult().getType());
    reinterpret.replaceAllUsesWith(
        ReinterpretOp::create(b, reinterpret.getLoc(),
                              cast<MemRefType>(matrix.getType()).clone(element),
                              matrix)
            .getResult());
    reinterpret.erase();
  }
  op.replaceAllUsesWith(matrix);
  op.erase();
}

/// Says at `op` what is copied and why.
static void explain(MatmulOp op, const Packing &packing) {
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

void PackOperandsPass::runOnOperation() {
  FailureOr<schedule::MatmulConfig> option = parseConfig(&getContext(), config);
  if (failed(option))
    return signalPassFailure();
  FailureOr<schedule::Machine> machine =
      getMachine(getOperation(), chip, *option, [&] {
        return getOperation()->emitError() << "chip option: ";
      });
  if (failed(machine))
    return signalPassFailure();
  SmallVector<WindowsOp> windows;
  getOperation()->walk([&](WindowsOp op) {
    if (isa<MemRefType>(op.getResult().getType()))
      windows.push_back(op);
  });
  for (WindowsOp op : windows)
    placeWindows(op, *option, *machine, remarks);
  getOperation()->walk([&](MatmulOp op) {
    if (!isa<MemRefType>(op.getD().getType()))
      return;
    schedule::MatmulConfig given = schedule::merge(getConfig(op), *option);
    Packing packing = choose(op, given, *machine);
    if (!packing.a && !packing.b)
      return;
    if (remarks)
      explain(op, packing);
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
  });
}
