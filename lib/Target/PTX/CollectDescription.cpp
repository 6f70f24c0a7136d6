//===- CollectDescription.cpp - read a host function ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks a host function: problems first, because they name the buffers and the
// sizes that everything else mentions, then checks and launches in order.
//
//===----------------------------------------------------------------------===//

#include "Describer.h"

#include "tc/Support/MmaShapes.h"
#include "tc/Support/Units.h"

#include "tc/Target/PTX/KernelDescription.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace tc;
using Kind = SizeExpression::Kind;

FailureOr<HostOperand> Describer::collectOperand(tmm::ProblemOp problem,
                                                 StringRef name, Value memref) {
  HostOperand operand;
  operand.memref = memref;
  operand.root = HostReader::findRoot(memref);
  if (!operand.root || !reader.getBuffers().contains(operand.root))
    return problem.emitOpError()
           << "operand " << name
           << " of a matmul cannot be described: expected a view of an "
              "argument, of an allocation or of a constant";
  operand.isWhole = HostReader::isWholeBuffer(memref);
  operand.coversAll = HostReader::coversBuffer(memref);
  return operand;
}

/// The matrix, vector or scalar of each extra operand of an epilogue.
LogicalResult Describer::collectExtras(HostProblem &problem) {
  for (auto [index, value] : llvm::enumerate(problem.op.getExtras())) {
    std::optional<HostExtra> &extra = problem.extras.emplace_back();
    // A constant is part of the kernel.
    if (matchPattern(value, m_Constant()))
      continue;
    extra.emplace();
    if (std::optional<tmm::Along> along = problem.op.getAlongOf(index))
      extra->along = tmm::stringifyAlong(*along);
    if (!isa<BaseMemRefType>(value.getType())) {
      extra->scalar = value;
      continue;
    }
    FailureOr<HostOperand> found =
        collectOperand(problem.op, "X" + std::to_string(index), value);
    if (failed(found))
      return failure();
    extra->operand = *found;
  }
  return success();
}

/// Dimensions of arguments.
using ArgumentDims = SmallVector<std::pair<Value, unsigned>>;

/// What the operand is called that tells which rows problems have.
StringRef tc::nameOfRows(tmm::ProblemOp problem) {
  return problem.isStacked() ? "ends" : "counts";
}

/// The buffers of operands that are all of their buffers.
void Describer::nameBuffers(const HostProblem &problem) {
  const HostOperand &a = problem.a, &b = problem.b, &d = problem.d;
  if (a.coversAll && b.coversAll && d.coversAll) {
    reader.nameBuffer(a.root, "A");
    reader.nameBuffer(b.root, "B");
    reader.nameBuffer(d.root, "D");
  }
  for (auto [index, scales] : llvm::enumerate(problem.scales))
    if (scales.coversAll)
      reader.nameBuffer(scales.root, index == 0 ? "SFA" : "SFB");
  if (problem.metadata && problem.metadata->coversAll)
    reader.nameBuffer(problem.metadata->root, "metadata");
  if (problem.scaleD && problem.scaleD->coversAll)
    reader.nameBuffer(problem.scaleD->root, "SFD");
  if (problem.amax && problem.amax->coversAll)
    reader.nameBuffer(problem.amax->root, "amax");
  if (problem.rows && problem.rows->coversAll)
    reader.nameBuffer(problem.rows->root, nameOfRows(problem.op));
}

/// The dimensions of arguments along each loop: the batch, M, N and K. Those of
/// allocations are computed from them.
static SmallVector<ArgumentDims> findDimsAlongLoops(HostProblem &problem) {
  const HostOperand &a = problem.a, &b = problem.b, &d = problem.d;
  unsigned batchRank = problem.op.getBatchRank();
  SmallVector<ArgumentDims> along(batchRank + 3);
  auto add = [&](const HostOperand &operand, ArrayRef<unsigned> loops) {
    auto type = dyn_cast<MemRefType>(operand.root.getType());
    if (!operand.isWhole || !isa<BlockArgument>(operand.root) ||
        type.getRank() < int64_t(loops.size()))
      return;
    unsigned own = type.getRank() - loops.size();
    for (auto [i, loop] : llvm::enumerate(loops))
      if (loop < along.size())
        along[loop].push_back({operand.root, own + i});
    // Batch dimensions are matched from the last one; one of size 1 means
    // every index.
    for (unsigned dim = 0; dim < own; ++dim)
      if (batchRank + dim >= own && type.getDimSize(dim) != 1)
        along[batchRank + dim - own].push_back({operand.root, dim});
  };
  unsigned m = batchRank, n = m + 1, k = m + 2;
  add(d, {m, n});
  // A sparse A has half of K, which is along none of them.
  unsigned kOfA = problem.metadata ? along.size() : k;
  add(a, problem.op.getTransposeA() ? ArrayRef<unsigned>({kOfA, m})
                                    : ArrayRef<unsigned>({m, kOfA}));
  add(b, problem.op.getTransposeB() ? ArrayRef<unsigned>({n, k})
                                    : ArrayRef<unsigned>({k, n}));
  if (problem.rows && problem.rows->isWhole &&
      isa<BlockArgument>(problem.rows->root))
    along[0].push_back({problem.rows->root, 0});
  for (const std::optional<HostExtra> &extra : problem.extras) {
    if (!extra || !extra->operand.root)
      continue;
    if (extra->along.empty())
      add(extra->operand, {m, n});
    else
      add(extra->operand, {extra->along == "m" ? m : n});
  }
  return along;
}

/// Dimensions that follow from those of other operands: a sparse A has half of
/// K, and blocks of scale factors and metadata are as many as the other sizes
/// ask for.
void Describer::defineDims(HostProblem &problem) {
  const HostOperand &a = problem.a, &b = problem.b, &d = problem.d;
  unsigned batchRank = problem.op.getBatchRank();
  unsigned m = batchRank, n = m + 1;
  if (problem.metadata && a.isWhole && b.isWhole)
    reader.defineDim(a.root, problem.op.getKDimOfA(), b.root,
                     problem.op.getKDimOfB(), 2);
  auto define = [&](const HostOperand &blocked, const HostOperand &matrix,
                    unsigned dim, int64_t rows, const HostOperand &ofK,
                    unsigned dimK, int64_t blockK) {
    if (!blocked.isWhole || !matrix.isWhole || !ofK.isWhole)
      return;
    auto type = cast<MemRefType>(blocked.root.getType());
    bool isFactors = problem.op.getPromotedK() != 0;
    unsigned first =
        type.getRank() -
        (isFactors ? 2 : tmm::getBlockedRank(type.getElementType()));
    reader.defineDim(blocked.root, first, matrix.root, dim, rows);
    reader.defineDim(blocked.root, first + 1, ofK.root, dimK, blockK);
    for (unsigned batch = 0; batch < first; ++batch)
      if (type.getDimSize(batch) != 1 && d.isWhole)
        reader.defineDim(blocked.root, batch, d.root, batchRank + batch - first,
                         1);
  };
  MmaKindFacts kind = problem.op.getKind();
  if (!problem.scales.empty()) {
    // Of f32 factors there is one for each block, of others a block of them.
    bool isPromoted = problem.op.getPromotedK() != 0;
    int64_t blockK =
        (isPromoted ? 1 : kScaleBlocks) * problem.op.getBlockOfScales();
    unsigned dimK = problem.op.getKDimOfA();
    define(problem.scales[0], a, problem.op.getMDimOfA(),
           isPromoted ? 1 : kScaleRows, a, dimK, blockK);
    define(problem.scales[1], b, problem.op.getNDimOfB(),
           isPromoted ? problem.op.getColumnsOfScales() : kScaleRows, a, dimK,
           blockK);
  }
  if (problem.metadata)
    define(*problem.metadata, a, problem.op.getMDimOfA(), kMetadataTileShape[0],
           b, problem.op.getKDimOfB(), getMetadataTileK(kind));
  if (problem.scaleD && problem.scaleD->isWhole && d.isWhole) {
    Value root = problem.scaleD->root;
    for (unsigned batch = 0; batch < batchRank; ++batch)
      reader.defineDim(root, batch, d.root, batch, 1);
    reader.defineDim(root, m, d.root, m, kScaleRows);
    reader.defineDim(root, n, d.root, n,
                     kScaleBlocks * problem.op.getScaleBlockOfD());
  }
}

/// One problem names its buffers and their sizes, and every one says which
/// sizes of arguments are the same. A view has sizes of its own.
void Describer::nameSizes(HostProblem &problem, bool isNaming) {
  if (isNaming)
    nameBuffers(problem);
  SmallVector<ArgumentDims> along = findDimsAlongLoops(problem);
  unsigned batchRank = problem.op.getBatchRank();
  auto unify = [&](unsigned loop, const std::string &name) {
    for (auto [root, dim] : along[loop])
      reader.unifyDims(along[loop].front().first, along[loop].front().second,
                       root, dim, isNaming ? name : "");
  };
  unify(batchRank, "M");
  unify(batchRank + 1, "N");
  unify(batchRank + 2, "K");
  defineDims(problem);
  for (unsigned dim = 0; dim < batchRank; ++dim)
    unify(dim, problem.rows     ? "groups"
               : batchRank == 1 ? "batch"
                                : "batch" + std::to_string(dim));
}

LogicalResult Describer::collectProblem(tmm::ProblemOp op, bool isNaming) {
  if (!op.getLaunch() && !op.isEmpty())
    return op.emitOpError("expected a gpu.launch_func after it in its block");
  HostProblem problem;
  problem.op = op;
  std::tuple<StringRef, HostOperand *, Value> operands[] = {
      {"A", &problem.a, op.getA()},
      {"B", &problem.b, op.getB()},
      {"D", &problem.d, op.getD()}};
  for (auto [name, into, memref] : operands) {
    FailureOr<HostOperand> operand = collectOperand(op, name, memref);
    if (failed(operand))
      return failure();
    *into = *operand;
  }
  for (auto [index, value] : llvm::enumerate(op.getScales())) {
    FailureOr<HostOperand> operand =
        collectOperand(op, index == 0 ? "SFA" : "SFB", value);
    if (failed(operand))
      return failure();
    problem.scales.push_back(*operand);
  }
  std::tuple<StringRef, std::optional<HostOperand> *, Value> others[] = {
      {"metadata", &problem.metadata, op.getMetadata()},
      {"SFD", &problem.scaleD, op.getScaleD()},
      {"amax", &problem.amax, op.getAmax()},
      {nameOfRows(op), &problem.rows, op.getRows()}};
  for (auto [name, into, memref] : others) {
    if (!memref)
      continue;
    FailureOr<HostOperand> operand = collectOperand(op, name, memref);
    if (failed(operand))
      return failure();
    *into = *operand;
  }
  if (failed(collectExtras(problem)))
    return failure();
  nameSizes(problem, isNaming);
  problems.push_back(problem);
  return success();
}

/// The views of a problem's operands, once every size has its name.
LogicalResult Describer::readProblem(HostProblem &problem) {
  SmallVector<HostOperand *> operands = {&problem.a, &problem.b, &problem.d};
  for (HostOperand &scales : problem.scales)
    operands.push_back(&scales);
  for (std::optional<HostOperand> *other :
       {&problem.metadata, &problem.scaleD, &problem.amax, &problem.rows})
    if (*other)
      operands.push_back(&**other);
  for (std::optional<HostExtra> &extra : problem.extras)
    if (extra && extra->operand.root)
      operands.push_back(&extra->operand);
  for (HostOperand *operand : operands) {
    FailureOr<HostView> view = reader.readView(operand->memref);
    if (failed(view))
      return failure();
    operand->view = *view;
  }
  return success();
}

/// The conjunction of the conditions under which `op` runs: no other op with
/// regions is described.
FailureOr<SizeExpression> Describer::readCondition(Operation *op) {
  SizeExpression condition(1);
  for (Operation *child = op, *parent = op->getParentOp(); parent != function;
       child = parent, parent = parent->getParentOp()) {
    auto branch = cast<scf::IfOp>(parent);
    FailureOr<SizeExpression> taken = reader.read(branch.getCondition());
    if (failed(taken))
      return failure();
    bool isThen = child->getParentRegion() == &branch.getThenRegion();
    condition = SizeExpression::get(Kind::And, condition,
                                    isThen ? *taken : taken->logicalNot());
  }
  return condition;
}

FailureOr<SmallVector<SizeExpression>>
Describer::readAll(ArrayRef<Value> values) {
  SmallVector<SizeExpression> result;
  for (Value value : values) {
    FailureOr<SizeExpression> expression = reader.read(value);
    if (failed(expression))
      return failure();
    result.push_back(*expression);
  }
  return result;
}

/// The x and c of a condition `x mod c == 0`.
static std::optional<std::pair<Value, int64_t>> matchMultiple(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
      getConstantIntValue(compare.getRhs()) != 0)
    return std::nullopt;
  auto rest = compare.getLhs().getDefiningOp<arith::RemUIOp>();
  std::optional<int64_t> divisor =
      rest ? getConstantIntValue(rest.getRhs()) : std::nullopt;
  if (!divisor)
    return std::nullopt;
  return std::pair(rest.getLhs(), *divisor);
}

LogicalResult Describer::collectConstraint(cf::AssertOp op) {
  FailureOr<SizeExpression> check = reader.read(op.getArg());
  FailureOr<SizeExpression> when = readCondition(op);
  if (failed(check) || failed(when))
    return failure();
  SizeExpression either =
      SizeExpression::get(Kind::Or, when->logicalNot(), *check);
  std::optional<int64_t> known = either.constant();
  if (known && *known)
    return success();
  if (known)
    return emitError(op.getLoc()) << op.getMsg();
  HostConstraint constraint{either, op.getMsg().str(), std::nullopt};
  if (auto multiple = matchMultiple(op.getArg()))
    if (FailureOr<SizeExpression> value = reader.read(multiple->first);
        succeeded(value))
      constraint.multiple = {*value, multiple->second};
  constraints.push_back(std::move(constraint));
  return success();
}

FailureOr<unsigned> Describer::collectKernel(gpu::LaunchFuncOp launch) {
  HostKernel kernel;
  kernel.symbol = launch.getKernel();
  gpu::KernelDim3 block = launch.getBlockSizeOperandValues();
  FailureOr<SmallVector<SizeExpression>> threads =
      readAll({block.x, block.y, block.z});
  if (failed(threads))
    return failure();
  kernel.block = *threads;
  kernel.cluster.assign(3, SizeExpression(1));
  if (launch.hasClusterSize()) {
    gpu::KernelDim3 cluster = launch.getClusterSizeOperandValues();
    FailureOr<SmallVector<SizeExpression>> size =
        readAll({cluster.x, cluster.y, cluster.z});
    if (failed(size))
      return failure();
    kernel.cluster = *size;
  }
  if (Value bytes = launch.getDynamicSharedMemorySize()) {
    FailureOr<SizeExpression> size = reader.read(bytes);
    if (failed(size))
      return failure();
    kernel.dynamicSmem = *size;
  }
  if (Operation *code =
          SymbolTable::lookupNearestSymbolFrom(launch, launch.getKernel()))
    code->walk([&](NVVM::GriddepcontrolOp op) {
      kernel.programmaticLaunch |=
          op.getKind() == NVVM::GridDepActionKind::wait;
    });
  for (auto [number, known] : llvm::enumerate(kernels))
    if (known.symbol == kernel.symbol && known.block == kernel.block &&
        known.cluster == kernel.cluster &&
        known.dynamicSmem == kernel.dynamicSmem)
      return unsigned(number);
  kernels.push_back(kernel);
  return unsigned(kernels.size() - 1);
}

FailureOr<HostParameter> Describer::collectParameter(gpu::LaunchFuncOp launch,
                                                     unsigned number) {
  Value operand = launch.getKernelOperand(number);
  Type type = operand.getType();
  HostParameter parameter;
  if (isa<sm90::TensorMapType>(type)) {
    parameter.kind = HostParameter::TensorMap;
    parameter.map = operand.getDefiningOp<sm90::TensorMapEncodeOp>();
    if (!parameter.map)
      return launch.emitOpError("kernel operand ")
             << number
             << " cannot be described: expected a tensor map from "
                "sm90.tensor_map.encode";
    return parameter;
  }
  if (isa<BaseMemRefType>(type)) {
    parameter.kind = HostParameter::Pointer;
    FailureOr<HostView> view = reader.readView(operand);
    if (failed(view))
      return failure();
    parameter.view = *view;
    return parameter;
  }
  if (type.isIndex() || type.isInteger(32) || type.isInteger(64)) {
    parameter.kind = HostParameter::Integer;
    parameter.type = type.isInteger(32) ? "i32" : "i64";
    FailureOr<SizeExpression> value = reader.read(operand);
    if (failed(value))
      return failure();
    parameter.integer = *value;
    return parameter;
  }
  // A float argument of the function: the caller gives its value.
  auto argument = dyn_cast<BlockArgument>(operand);
  if (type.isF32() && argument && argument.getOwner() == &function.front()) {
    parameter.kind = HostParameter::Float;
    parameter.type = "f32";
    parameter.scalar = scalars[operand] = reader.argumentName(argument).str();
    return parameter;
  }
  APFloat constant(0.0);
  if (type.isF32() && matchPattern(operand, m_ConstantFloat(&constant))) {
    parameter.kind = HostParameter::Float;
    parameter.type = "f32";
    parameter.number = constant.convertToFloat();
    return parameter;
  }
  return launch.emitOpError("kernel operand ")
         << number
         << " cannot be described: expected a tensor map, a memref, an i32, "
            "i64 or index, or an f32 that is a constant or an argument, got "
         << type;
}

LogicalResult Describer::collectLaunch(gpu::LaunchFuncOp launch) {
  HostLaunch result;
  FailureOr<SizeExpression> when = readCondition(launch);
  FailureOr<unsigned> kernel = collectKernel(launch);
  gpu::KernelDim3 blocks = launch.getGridSizeOperandValues();
  FailureOr<SmallVector<SizeExpression>> grid =
      readAll({blocks.x, blocks.y, blocks.z});
  if (failed(when) || failed(kernel) || failed(grid))
    return failure();
  result.op = launch;
  result.when = *when;
  result.kernel = *kernel;
  result.grid = *grid;
  for (unsigned i = 0, e = launch.getNumKernelOperands(); i != e; ++i) {
    FailureOr<HostParameter> parameter = collectParameter(launch, i);
    if (failed(parameter))
      return failure();
    result.parameters.push_back(*parameter);
  }
  for (HostProblem &problem : problems)
    if (problem.op.getLaunch() == launch)
      problem.number = launches.size();
  for (HostRows &each : rows)
    if (each.op.getLaunch() == launch)
      each.number = launches.size();
  launches.push_back(std::move(result));
  return success();
}

/// What the function returns: memrefs, which a launcher reads after the
/// launches.
LogicalResult Describer::collectResults(func::ReturnOp op) {
  for (auto [number, value] : llvm::enumerate(op.getOperands())) {
    HostOperand result;
    result.memref = value;
    result.root = isa<BaseMemRefType>(value.getType())
                      ? HostReader::findRoot(value)
                      : Value();
    if (!result.root || !reader.getBuffers().contains(result.root))
      return op.emitOpError("operand ")
             << number
             << " cannot be described: expected a view of an argument, of an "
                "allocation or of a constant, got a value of type "
             << value.getType();
    result.isWhole = HostReader::isWholeBuffer(value);
    FailureOr<HostView> view = reader.readView(value);
    if (failed(view))
      return failure();
    result.view = *view;
    results.push_back(std::move(result));
  }
  return success();
}

LogicalResult Describer::collectOp(Operation *op) {
  if (auto end = dyn_cast<func::ReturnOp>(op))
    return collectResults(end);
  if (auto launch = dyn_cast<gpu::LaunchFuncOp>(op))
    return collectLaunch(launch);
  if (auto check = dyn_cast<cf::AssertOp>(op))
    return collectConstraint(check);
  // Launches are a list with conditions, in the order of the text.
  if (op->getNumSuccessors() != 0)
    return op->emitOpError("cannot be described: expected one block, and "
                           "scf.if where a condition decides, which upstream's "
                           "lift-cf-to-scf makes of branches");
  if (isa<memref::AllocOp, memref::DeallocOp, sm90::TensorMapEncodeOp,
          scf::IfOp, scf::YieldOp>(op) ||
      isMemoryEffectFree(op))
    return success();
  if (isa<LoopLikeOpInterface>(op))
    return emitLoopError(op);
  return op->emitOpError("cannot be described: expected launches, checks, "
                         "allocations and size computations on the host");
}

/// The problem of `ops` that names buffers: the first one, or where that is of
/// parts of K, the product of which they are parts.
static tmm::ProblemOp findNamingProblem(ArrayRef<tmm::ProblemOp> ops) {
  if (ops.size() < 2)
    return ops.empty() ? tmm::ProblemOp() : ops.front();
  auto root = [](Value memref) { return HostReader::findRoot(memref); };
  tmm::ProblemOp first = ops[0], second = ops[1];
  bool isOfParts =
      first.getBatchRank() == second.getBatchRank() + 1 &&
      isa_and_nonnull<memref::AllocOp>(first.getD().getDefiningOp()) &&
      root(first.getA()) == root(second.getA()) &&
      root(first.getB()) == root(second.getB());
  return isOfParts ? second : first;
}

LogicalResult Describer::collect() {
  // All problems first: they name the sizes that everything else mentions.
  SmallVector<tmm::ProblemOp> ops;
  function.walk([&](tmm::ProblemOp op) { ops.push_back(op); });
  for (tmm::ProblemOp op : ops)
    if (failed(collectProblem(op, op == findNamingProblem(ops))))
      return failure();
  function.walk([&](tmm::RowProblemOp op) { collectRows(op); });
  WalkResult result = WalkResult::advance();
  for (HostProblem &problem : problems)
    if (failed(readProblem(problem)))
      return failure();
  for (HostRows &each : rows)
    if (failed(readRows(each)))
      return failure();
  result = function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<tmm::ProblemOp, tmm::RowProblemOp>(op))
      return WalkResult::skip();
    return op == function ? WalkResult::advance() : WalkResult(collectOp(op));
  });
  return failure(result.wasInterrupted());
}
