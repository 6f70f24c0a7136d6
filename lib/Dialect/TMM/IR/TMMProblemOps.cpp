//===- TMMProblemOps.cpp - problem form operations --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verification of tmm.matmul, its memory effects and its folds. Each rule of
// the verifier has a label tmm_matmul_cN that its test repeats.
//
//===----------------------------------------------------------------------===//

#include "ProblemTypes.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/Message.h"
#include "tc/Support/MmaShapes.h"
#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

void MatmulOp::build(OpBuilder &builder, OperationState &state, Value a,
                     Value b, Value d, bool accumulate, bool transposeA,
                     bool transposeB, ConfigAttr config) {
  build(builder, state, a, b, d, /*extras=*/{}, /*along=*/{},
        /*epilogue=*/nullptr, accumulate, transposeA, transposeB, config);
}

void MatmulOp::build(OpBuilder &builder, OperationState &state, Value a,
                     Value b, Value d, ValueRange extras,
                     ArrayRef<int32_t> along, Region *epilogue, bool accumulate,
                     bool transposeA, bool transposeB, ConfigAttr config,
                     ValueRange scales, bool allowTf32, ScaleBlocks scaleBlocks,
                     bool f16Sum, OtherOutputs outputs, Value metadata,
                     ProblemRows rows) {
  SmallVector<Type, 3> results;
  for (Value output : {d, outputs.scaleD, outputs.amax})
    if (output && isa<RankedTensorType>(output.getType()))
      results.push_back(output.getType());
  auto unit = [&](bool set) {
    return set ? builder.getUnitAttr() : UnitAttr();
  };
  DenseI32ArrayAttr codes;
  if (!along.empty())
    codes = builder.getDenseI32ArrayAttr(along);
  build(builder, state, TypeRange(results), a, b, d, outputs.scaleD,
        outputs.amax, extras, scales.empty() ? Value() : scales[0],
        scales.empty() ? Value() : scales[1], metadata, rows.ends, rows.counts,
        unit(accumulate), unit(transposeA), unit(transposeB), unit(allowTf32),
        unit(f16Sum), scaleBlocks.k, scaleBlocks.columns, codes, config,
        /*epiloguesCount=*/0);
  if (epilogue)
    state.addRegion()->takeBody(*epilogue);
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

ArrayRef<int64_t> tc::tmm::getBlockShape(Type element) {
  if (element.isInteger(32))
    return kMetadataTileShape;
  return kScaleTileShape;
}

int64_t tc::tmm::detail::getStaticSize(Value first, unsigned firstDim,
                                       Value second, unsigned secondDim) {
  int64_t size = cast<ShapedType>(first.getType()).getDimSize(firstDim);
  if (ShapedType::isStatic(size))
    return size;
  return cast<ShapedType>(second.getType()).getDimSize(secondDim);
}

std::optional<unsigned> tc::tmm::matchBatchDim(ShapedType type,
                                               unsigned matrixRank,
                                               unsigned dim,
                                               unsigned batchRank) {
  unsigned own = type.getRank() - matrixRank;
  if (dim + own < batchRank)
    return std::nullopt;
  return dim + own - batchRank;
}

std::optional<unsigned> tc::tmm::detail::getBatchDimOf(ShapedType type,
                                                       unsigned matrixRank,
                                                       unsigned dim,
                                                       unsigned batchRank) {
  std::optional<unsigned> found =
      matchBatchDim(type, matrixRank, dim, batchRank);
  if (found && type.getDimSize(*found) == 1)
    return std::nullopt;
  return found;
}

ShapedType tc::tmm::detail::addGroups(ShapedType type, ShapedType ends) {
  if (!type.hasRank())
    return type;
  SmallVector<int64_t> shape = {ends.getDimSize(0)};
  llvm::append_range(shape, type.getShape());
  auto memref = dyn_cast<MemRefType>(type);
  if (!memref || memref.getLayout().isIdentity())
    return type.clone(shape);
  // All groups are in the same memory: there is no stride to state.
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(memref.getStridesAndOffset(strides, offset)))
    return MemRefType::get(shape, type.getElementType(),
                           MemRefLayoutAttrInterface(),
                           memref.getMemorySpace());
  strides.insert(strides.begin(), ShapedType::kDynamic);
  return MemRefType::get(
      shape, type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), offset, strides),
      memref.getMemorySpace());
}

int64_t tc::tmm::detail::getStaticBatch(Value a, Value b, ShapedType dType,
                                        unsigned dim) {
  int64_t size = dType.getDimSize(dim);
  for (Value matrix : {a, b}) {
    auto type = cast<ShapedType>(matrix.getType());
    std::optional<unsigned> own =
        getBatchDimOf(type, /*matrixRank=*/2, dim, dType.getRank() - 2);
    if (ShapedType::isDynamic(size) && own)
      size = type.getDimSize(*own);
  }
  return size;
}

//===----------------------------------------------------------------------===//
// Verifier
//===----------------------------------------------------------------------===//

std::optional<MmaKindFacts>
tc::tmm::detail::getKind(Value a, Value b, Value scale, int64_t scaleBlock) {
  return findMmaKind(getElementTypeOrSelf(a), getElementTypeOrSelf(b),
                     scale ? getElementTypeOrSelf(scale) : Type(), scaleBlock);
}

Value tc::tmm::getWhole(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<memref::CastOp, memref::CollapseShapeOp, memref::ExpandShapeOp,
             memref::MemorySpaceCastOp, memref::TransposeOp, ReinterpretOp,
             WindowsOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// What holds of `ends` and `counts`, which come alone with batches that one
/// vector can tell of, and with outputs that are stored row by row.
template <typename Op>
static LogicalResult verifyRows(Op op) {
  if (!op.getRows())
    return success();
  StringRef name = op.isStacked() ? "ends" : "counts";
  auto refuse = [&](const Twine &expected, const Twine &got) {
    return op.emitOpError() << "operand " << name << ": expected " << expected
                            << ", got " << got;
  };
  auto typeOf = [](Value value) { return cast<ShapedType>(value.getType()); };
  // Other ranks are refused with the types.
  for (Value matrix : {op.getA(), op.getB(), op.getD()})
    if (!typeOf(matrix).hasRank() || typeOf(matrix).getRank() < 2)
      return success();
  // tmm_matmul_c36
  if (op.getEnds() && op.getCounts())
    return refuse("one of `ends` and `counts`", "both");
  // tmm_matmul_c37
  bool onTensors = isa<TensorType>(op.getD().getType());
  if (isa<TensorType>(op.getRows().getType()) != onTensors)
    return op.emitOpError() << "operand " << name << ": expected a "
                            << (onTensors ? "tensor" : "memref")
                            << " like D, got " << op.getRows().getType();
  if (auto memref = dyn_cast<MemRefType>(op.getRows().getType()))
    if (Error error = findGlobalMemoryError(name, memref))
      return op.emitOpError() << *error;
  // tmm_matmul_c38
  int64_t rankOfD = op.isStacked() ? 2 : 3;
  if (typeOf(op.getD()).getRank() != rankOfD)
    return refuse("D of rank " + Twine(rankOfD),
                  "rank " + Twine(typeOf(op.getD()).getRank()));
  if (op.isStacked() && typeOf(op.getA()).getRank() != 2)
    return refuse("A of rank 2, the rows of all groups",
                  "rank " + Twine(typeOf(op.getA()).getRank()));
  // tmm_matmul_c39
  int64_t groups = typeOf(op.getRows()).getDimSize(0);
  auto isGroups = [&](int64_t size) {
    return ShapedType::isDynamic(size) || ShapedType::isDynamic(groups) ||
           size == groups;
  };
  int64_t most = typeOf(op.getB()).getRank() == 3
                     ? typeOf(op.getB()).getDimSize(0)
                     : groups;
  if (!op.isStacked())
    most = typeOf(op.getD()).getDimSize(0);
  if (!isGroups(most))
    return refuse(
        "as many elements as " +
            Twine(op.isStacked() ? "B has matrices, " : "D has matrices, ") +
            Twine(most),
        Twine(groups));
  // tmm_matmul_c40
  const char *obstacle = op.getScaleD()       ? "scale_d"
                         : op.getAccumulate() ? "accumulate"
                         : op.isSparse()      ? "metadata"
                         : op.isScaled() && op.isStacked() && !op.getPromotedK()
                             ? "scale factors in blocks of 128 rows"
                             : nullptr;
  if (obstacle)
    return refuse("a product without " + Twine(obstacle), "one with it");
  // Copies begin at multiples of 16 bytes, groups at any row.
  if (op.isStacked() && op.getTransposeA())
    return refuse("A with elements of a row next to each other, no "
                  "transpose_a",
                  "transpose_a");
  if (llvm::is_contained(op.getExtras(), op.getD()))
    return refuse("an epilogue that does not read D", "one that does");
  if (getWindowsLayout(op.getA().getType()))
    return refuse("A in memory", "windows of images");
  return success();
}

/// What holds of the operands and the epilogue of every problem form.
template <typename Op>
static LogicalResult verifyProblem(Op op) {
  if (failed(verifyRows(op)))
    return failure();
  // tmm_matmul_c18
  if (bool(op.getScaleA()) != bool(op.getScaleB()))
    return op.emitOpError() << "expected scale factors of A and of B, or none, "
                               "got those of "
                            << (op.getScaleA() ? "A" : "B");
  // tmm_matmul_c32
  if (op.isSparse() && op.getScaleA())
    return op.emitOpError() << "metadata: expected a sparse A without scale "
                               "factors, got SFA";
  // tmm_matmul_c25
  if (op.getScaleBlock() && !op.getScaleA())
    return op.emitOpError() << "scale_block: expected operands with scale "
                               "factors, got none";
  auto typeOf = [](Value value) { return value ? value.getType() : Type(); };
  if (Error error = MatmulOp::findTypeError(
          op.getA().getType(), op.getB().getType(), op.getBatchedD(),
          op.getTransposeA(), op.getTransposeB(), op.getAllowTf32(),
          typeOf(op.getScaleA()), typeOf(op.getScaleB()),
          op.getScaleBlock().value_or(0), typeOf(op.getScaleD()),
          op.getColumnsOfScales(), typeOf(op.getMetadata())))
    return op.emitOpError() << *error;
  // tmm_matmul_c28
  if (op.getScaleColumns() && !op.getPromotedK()) {
    InFlightDiagnostic diag = op.emitOpError()
                              << "scale_columns: expected scale factors of "
                                 "f32, got ";
    if (!op.getScaleA())
      return diag << "none";
    return diag << getElementTypeOrSelf(op.getScaleA());
  }
  // tmm_matmul_c26
  Type a = getElementTypeOrSelf(op.getA()), b = getElementTypeOrSelf(op.getB());
  if (op.getF16Sum() && (op.getScaleA() || !hasMmaHalfSum(op.getKind(), a, b)))
    return op.emitOpError()
           << "f16_sum: expected operands of f16, or of floats of 8 bits or "
              "fewer without scale factors, got "
           << a << " and " << b << (op.getScaleA() ? " with them" : "");
  // tmm_matmul_c21
  Type d = getElementTypeOrSelf(op.getD());
  if (op.getSumType().isInteger() && !d.isInteger() &&
      (!op.hasEpilogue() || op.getAccumulate()))
    return op.emitOpError()
           << "operand D: expected element type i32 of a sum of integers "
           << (op.hasEpilogue() ? "with accumulate" : "without an epilogue")
           << ", got " << d;
  if (failed(tc::tmm::detail::verifyOutputs(op)))
    return failure();
  return tc::tmm::detail::verifyEpilogue(op);
}

LogicalResult MatmulOp::verify() {
  // tmm_matmul_c12
  SmallVector<std::pair<StringRef, Value>> inputs = {{"A", getA()},
                                                     {"B", getB()}};
  if (getScaleA())
    inputs.push_back({"SFA", getScaleA()});
  if (getScaleB())
    inputs.push_back({"SFB", getScaleB()});
  if (getMetadata())
    inputs.push_back({"metadata", getMetadata()});
  for (auto [name, input] : inputs)
    if (isa<BaseMemRefType>(input.getType()) &&
        getWhole(input) == getWhole(getD()))
      return emitOpError()
             << "operand D: expected memory of its own, got that of operand "
             << name << ": tiles of D would overwrite it while it is read";
  // tmm_outputs_c9
  for (unsigned output = 3; output < getFirstExtra(); ++output)
    for (auto [number, operand] : llvm::enumerate(getOperands()))
      if (number != output && isa<BaseMemRefType>(operand.getType()) &&
          getWhole(operand) == getWhole(getOperand(output)))
        return emitOpError()
               << "operand " << getOperandName(output)
               << ": expected memory of its own, got that of operand "
               << getOperandName(number);
  // Results are those of DestinationStyleOpInterface, which checks them.
  return verifyProblem(*this);
}

LogicalResult ProblemOp::verify() {
  // tmm_problem_c1
  if (!isa<MemRefType>(getD().getType()))
    return emitOpError() << "expected memref operands, as the launch takes, "
                            "got D of type "
                         << getD().getType();
  return verifyProblem(*this);
}

/// The first launch or problem in `op`, or null. Launches may have a condition.
static Operation *findFirst(Operation *op) {
  Operation *found = nullptr;
  op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (!isa<gpu::LaunchFuncOp, ProblemOp, RowProblemOp>(inner))
      return WalkResult::advance();
    found = inner;
    return WalkResult::interrupt();
  });
  return found;
}

gpu::LaunchFuncOp tc::tmm::findLaunchAfter(Operation *problem) {
  for (Operation *op = problem->getNextNode(); op; op = op->getNextNode())
    if (Operation *found = findFirst(op))
      return dyn_cast<gpu::LaunchFuncOp>(found);
  return nullptr;
}

gpu::LaunchFuncOp ProblemOp::getLaunch() {
  return isEmpty() ? nullptr : findLaunchAfter(*this);
}

ProblemOp ProblemOp::getOf(gpu::LaunchFuncOp launch) {
  Operation *at = launch;
  while (true) {
    for (Operation *op = at->getPrevNode(); op; op = op->getPrevNode()) {
      auto problem = dyn_cast<ProblemOp>(op);
      if (problem && !problem.isEmpty())
        return problem;
      if (!problem && findFirst(op))
        return nullptr;
    }
    at = at->getParentOp();
    if (!at || !isa<scf::IfOp>(at))
      return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Interfaces
//===----------------------------------------------------------------------===//

void MatmulOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (!isa<BaseMemRefType>(getD().getType()))
    return;
  effects.emplace_back(MemoryEffects::Read::get(), &getAMutable(),
                       SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Read::get(), &getBMutable(),
                       SideEffects::DefaultResource::get());
  if (getAccumulate())
    effects.emplace_back(MemoryEffects::Read::get(), &getDMutable(),
                         SideEffects::DefaultResource::get());
  for (MutableOperandRange blocked :
       {getScaleAMutable(), getScaleBMutable(), getMetadataMutable(),
        getEndsMutable(), getCountsMutable()})
    for (OpOperand &operand : blocked)
      effects.emplace_back(MemoryEffects::Read::get(), &operand,
                           SideEffects::DefaultResource::get());
  for (OpOperand &extra : getExtrasMutable())
    if (isa<BaseMemRefType>(extra.get().getType()))
      effects.emplace_back(MemoryEffects::Read::get(), &extra,
                           SideEffects::DefaultResource::get());
  effects.emplace_back(MemoryEffects::Write::get(), &getDMutable(),
                       SideEffects::DefaultResource::get());
  for (MutableOperandRange output : {getScaleDMutable(), getAmaxMutable()})
    for (OpOperand &operand : output)
      effects.emplace_back(MemoryEffects::Write::get(), &operand,
                           SideEffects::DefaultResource::get());
  for (OpOperand &operand : getAmaxMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &operand,
                         SideEffects::DefaultResource::get());
}

LogicalResult MatmulOp::reifyResultShapes(OpBuilder &builder,
                                          ReifiedRankedShapedTypeDims &shapes) {
  if (!getResult())
    return failure();
  for (OpOperand &init : getDpsInitsMutable())
    shapes.push_back(tensor::getMixedSizes(builder, getLoc(), init.get()));
  return success();
}

LogicalResult MatmulOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  // A cast that only forgets a static size or stride hides what the choice of
  // the configuration asks for. Tensor casts are folded by a pattern of the
  // tensor dialect for every destination style operation.
  return memref::foldMemRefCast(*this);
}
