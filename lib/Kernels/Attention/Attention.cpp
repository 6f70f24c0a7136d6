//===- Attention.cpp - kernels of attention ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's side: sizes, what they must be, and the grid.
//
//===----------------------------------------------------------------------===//

#include "tc/Kernels/Attention.h"

#include "AttentionProgram.h"
#include "ExplainAttention.h"
#include "PackHeads.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/TMMDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <limits>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// Coordinates have 32 bits, and sums of two of them, too.
static constexpr int64_t kMaxSize = std::numeric_limits<int32_t>::max() / 4;

namespace {

class AttentionKernel : public TileKernel {
public:
  AttentionKernel(OpBuilder &host, AttentionOp op, AttentionShape shape);

  StringRef getName() const override { return "attention"; }
  int64_t getThreads() const override { return form.shape.scores.threads; }
  unsigned getPTXVersion() const override {
    return form.shape.scores.ptxVersion;
  }
  SmallVector<Type> getArgumentTypes() const override;
  void emitProgram(OpBuilder &b, gpu::GPUFuncOp kernel) override {
    emitAttentionProgram(b, op, form, kernel);
  }
  Value emitWork(OpBuilder &host) override;
  LogicalResult emitChecks(OpBuilder &host) override;
  SmallVector<Value> emitOperands(OpBuilder &host, gpu::GPUFuncOp) override;
  SmallVector<Value> emitGrid(OpBuilder &host) override;

private:
  LogicalResult require(OpBuilder &host, Value condition, const Twine &what);
  Value constant(OpBuilder &host, int64_t value) {
    return arith::ConstantIndexOp::create(host, op.getLoc(), value);
  }
  /// The size of dimension `at` of the formula.
  Value dim(OpBuilder &host, unsigned operand, unsigned at) {
    return host.createOrFold<memref::DimOp>(op.getLoc(), op.getOperand(operand),
                                            op.getDimOf(operand, at));
  }
  Value equal(OpBuilder &host, Value a, Value b) {
    return host.createOrFold<arith::CmpIOp>(op.getLoc(),
                                            arith::CmpIPredicate::eq, a, b);
  }

  mutable AttentionOp op;
  AttentionForm form;
  /// Index, on the host.
  Value queries, keys;
  SmallVector<Value> batch, shared, shares;
  /// The operands with the dimensions of the formula, lse as a matrix of one
  /// column, which tiles are stored to.
  SmallVector<Value> views;
  /// The sizes that are not constants.
  SmallVector<Value> dynamic;
};

} // namespace

static int64_t getStatic(Value size) {
  return getConstantIntValue(size).value_or(ShapedType::kDynamic);
}

/// `memref` with a last dimension of 1 element.
static Value addColumn(OpBuilder &host, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> shape = memref::getMixedSizes(host, loc, memref);
  shape.push_back(host.getIndexAttr(1));
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    groups.push_back({dim});
  groups.back().push_back(type.getRank());
  SmallVector<int64_t> statics(type.getShape());
  statics.push_back(1);
  FailureOr<MemRefType> result =
      memref::ExpandShapeOp::computeExpandedType(type, statics, groups);
  assert(succeeded(result) && "a dimension of 1 element fits any layout");
  return memref::ExpandShapeOp::create(host, loc, *result, memref, groups,
                                       shape);
}

AttentionKernel::AttentionKernel(OpBuilder &host, AttentionOp op,
                                 AttentionShape shape)
    : op(op) {
  form.shape = std::move(shape);
  unsigned rank = op.getBatchRank();
  auto add = [&](Value size) {
    if (ShapedType::isDynamic(getStatic(size)))
      dynamic.push_back(size);
    return getStatic(size);
  };
  if (std::optional<int64_t> diagonal = op.getDiagonal()) {
    auto clamp = [](int64_t place) {
      return std::clamp(place, -kMaxSize, kMaxSize);
    };
    form.diagonal = clamp(*diagonal);
    int64_t after;
    // What is hidden before all keys hides none.
    if (std::optional<int64_t> window = op.getWindow();
        window && !llvm::SubOverflow(*diagonal, *window, after) &&
        after > -kMaxSize)
      form.after = clamp(after);
  }
  queries = dim(host, 0, rank);
  keys = dim(host, 1, rank);
  form.queries = add(queries);
  form.keys = add(keys);
  for (unsigned at = 0; at < rank; ++at) {
    batch.push_back(dim(host, 0, at));
    shared.push_back(dim(host, 1, at));
    form.batch.push_back(add(batch.back()));
  }
  for (auto [size, part] : llvm::zip_equal(batch, shared)) {
    // Without elements nothing is divided.
    Value most =
        host.createOrFold<arith::MaxUIOp>(op.getLoc(), part, constant(host, 1));
    shares.push_back(
        host.createOrFold<arith::DivUIOp>(op.getLoc(), size, most));
    form.shares.push_back(add(shares.back()));
  }
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    SmallVector<unsigned> order;
    for (unsigned at = 0; at < op.getTypeOf(number).getRank(); ++at)
      order.push_back(op.getDimOf(number, at));
    Value view = operand.get();
    if (!llvm::is_sorted(order))
      view = memref::TransposeOp::create(
          host, op.getLoc(), view,
          AffineMapAttr::get(
              AffineMap::getPermutationMap(order, host.getContext())));
    if (number == 4)
      view = addColumn(host, op.getLoc(), view);
    views.push_back(view);
  }
}

SmallVector<Type> AttentionKernel::getArgumentTypes() const {
  SmallVector<Type> types(ValueRange(views).getTypes());
  types.append(dynamic.size(), IntegerType::get(op.getContext(), 32));
  if (form.shape.counts)
    types.push_back(getWorkCounterType(op.getContext()));
  return types;
}

Value AttentionKernel::emitWork(OpBuilder &host) {
  Value work = queries;
  for (Value size : batch)
    work = host.createOrFold<arith::MulIOp>(op.getLoc(), work, size);
  return work;
}

LogicalResult AttentionKernel::require(OpBuilder &host, Value condition,
                                       const Twine &what) {
  if (std::optional<int64_t> known = getConstantIntValue(condition)) {
    if (*known == 0)
      return op.emitOpError() << what;
    return success();
  }
  cf::AssertOp::create(host, op.getLoc(), condition, what.str());
  return success();
}

LogicalResult AttentionKernel::emitChecks(OpBuilder &host) {
  unsigned rank = op.getBatchRank();
  auto agree = [&](unsigned a, unsigned dimOfA, unsigned b, unsigned dimOfB,
                   StringRef what) {
    return require(
        host, equal(host, dim(host, a, dimOfA), dim(host, b, dimOfB)), what);
  };
  if (failed(agree(2, rank, 1, rank, "k and v must have as many rows")) ||
      failed(agree(3, rank, 0, rank, "q and o must have as many rows")) ||
      failed(agree(1, rank + 1, 0, rank + 1,
                   "q and k must have as many columns")) ||
      failed(
          agree(3, rank + 1, 2, rank + 1, "v and o must have as many columns")))
    return failure();
  for (unsigned at = 0; at < rank; ++at) {
    Value whole =
        host.createOrFold<arith::MulIOp>(op.getLoc(), shared[at], shares[at]);
    if (failed(agree(2, at, 1, at, "k and v must have the same batch")) ||
        failed(agree(3, at, 0, at, "q and o must have the same batch")) ||
        failed(require(host, equal(host, whole, batch[at]),
                       "the batch of k must divide that of q")))
      return failure();
  }
  for (unsigned at = 0; op.getLse() && at <= rank; ++at)
    if (failed(agree(4, at, 0, at, "q and lse must have the same rows")))
      return failure();
  for (Value size : {queries, keys})
    if (failed(require(
            host,
            host.createOrFold<arith::CmpIOp>(op.getLoc(),
                                             arith::CmpIPredicate::ule, size,
                                             constant(host, kMaxSize)),
            "q and k must have at most " + Twine(kMaxSize) + " rows")))
      return failure();
  return success();
}

SmallVector<Value> AttentionKernel::emitOperands(OpBuilder &host,
                                                 gpu::GPUFuncOp kernel) {
  SmallVector<Value> operands(views);
  for (Value size : dynamic)
    operands.push_back(
        arith::IndexCastOp::create(host, op.getLoc(), host.getI32Type(), size));
  if (form.shape.counts)
    operands.push_back(emitWorkCounter(host, op.getLoc(), kernel));
  return operands;
}

SmallVector<Value> AttentionKernel::emitGrid(OpBuilder &host) {
  Location loc = op.getLoc();
  Value tiles = host.createOrFold<arith::CeilDivUIOp>(
      loc, queries, constant(host, form.shape.getRows()));
  for (Value size : batch)
    tiles = host.createOrFold<arith::MulIOp>(loc, tiles, size);
  if (form.shape.ctas)
    tiles = host.createOrFold<arith::MinUIOp>(loc, tiles,
                                              constant(host, form.shape.ctas));
  return {tiles};
}

namespace {

struct AttentionFamily
    : KernelFamilyOpInterface::ExternalModel<AttentionFamily, AttentionOp> {
  static LogicalResult packOperands(ArrayRef<Operation *> ops,
                                    const ConfigRequest &request,
                                    bool remarks) {
    for (Operation *op : ops)
      packHeads(cast<AttentionOp>(op));
    return success();
  }

  static FailureOr<ConfigExplanations>
  explainConfigs(ArrayRef<Operation *> ops, const ConfigRequest &request) {
    ConfigExplanations explanations;
    for (Operation *op : ops) {
      FailureOr<AttentionShape> shape =
          chooseAttentionShape(cast<AttentionOp>(op), request.chip);
      if (failed(shape))
        return failure();
      explanations.push_back(explainAttention(*shape));
    }
    return explanations;
  }

  FailureOr<std::unique_ptr<TileKernel>>
  getKernel(Operation *op, OpBuilder &host, StringRef chip) const {
    if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
      return op->emitOpError()
             << "expected memrefs, as kernels have, got tensors: "
                "one-shot-bufferize makes these";
    auto attention = cast<AttentionOp>(op);
    // Coordinates of tensor maps.
    constexpr unsigned kMaxBatchRank = 3;
    if (attention.getBatchRank() > kMaxBatchRank)
      return op->emitOpError()
             << "expected at most " << kMaxBatchRank
             << " dimensions of batches, got " << attention.getBatchRank();
    if (attention.getSizeOf(1, attention.getBatchRank()) == 0)
      return op->emitOpError() << "expected k of at least 1 row, got none";
    FailureOr<AttentionShape> shape = chooseAttentionShape(attention, chip);
    if (failed(shape))
      return failure();
    // Without rows there is nothing to write.
    if (llvm::is_contained(attention.getTypeOf(0).getShape(), 0))
      return std::unique_ptr<TileKernel>();
    auto kernel =
        std::make_unique<AttentionKernel>(host, attention, std::move(*shape));
    return std::unique_ptr<TileKernel>(std::move(kernel));
  }
};

} // namespace

void tc::tmm::registerAttentionKernels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TMMDialect *) {
    AttentionOp::attachInterface<AttentionFamily>(*context);
  });
}
