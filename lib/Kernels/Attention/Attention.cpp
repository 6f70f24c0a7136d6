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

#include "AttentionHost.h"
#include "AttentionProgram.h"
#include "ExplainAttention.h"
#include "PackHeads.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/TMMDialect.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

class AttentionKernel : public AttentionHost {
public:
  AttentionKernel(OpBuilder &host, AttentionOp op, AttentionShape shape);

  StringRef getName() const override { return "attention"; }
  void emitProgram(OpBuilder &b, gpu::GPUFuncOp kernel) override {
    emitAttentionProgram(b, op, form, kernel);
  }
  LogicalResult emitChecks(OpBuilder &host) override;

protected:
  const GridShape &getGrid() const override { return form.shape; }

private:
  LogicalResult requireBias(OpBuilder &host);
  /// The size of dimension `at` of the formula.
  Value dim(OpBuilder &host, unsigned operand, unsigned at) {
    return host.createOrFold<memref::DimOp>(loc, op.getOperand(operand),
                                            op.getDimOf(operand, at));
  }

  mutable AttentionOp op;
  AttentionForm form;
};

} // namespace

AttentionKernel::AttentionKernel(OpBuilder &host, AttentionOp op,
                                 AttentionShape shape)
    : AttentionHost(op), op(op) {
  form.shape = std::move(shape);
  unsigned rank = op.getBatchRank();
  AttentionSizes found = {dim(host, 0, rank), dim(host, 1, rank), {}, {}};
  for (unsigned at = 0; at < rank; ++at) {
    found.batch.push_back(dim(host, 0, at));
    found.shared.push_back(dim(host, 1, at));
  }
  setSizes(host, std::move(found), /*isOfKeys=*/false, op.getDiagonal(),
           op.getWindow(), form);
  // The operands with the dimensions of the formula, lse as a matrix of one
  // column, which tiles are stored to.
  for (OpOperand &operand : op->getOpOperands()) {
    unsigned number = operand.getOperandNumber();
    SmallVector<unsigned> order;
    for (unsigned at = 0; at < op.getTypeOf(number).getRank(); ++at)
      order.push_back(op.getDimOf(number, at));
    Value view = operand.get();
    if (!llvm::is_sorted(order))
      view = memref::TransposeOp::create(
          host, loc, view,
          AffineMapAttr::get(
              AffineMap::getPermutationMap(order, host.getContext())));
    if (op.isLse(number))
      view = addColumn(host, loc, view);
    views.push_back(view);
  }
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
    if (failed(agree(2, at, 1, at, "k and v must have the same batch")) ||
        failed(agree(3, at, 0, at, "q and o must have the same batch")) ||
        failed(requireBatch(host, at)))
      return failure();
  }
  for (unsigned at = 0; op.getLse() && at <= rank; ++at)
    if (failed(agree(4, at, 0, at, "q and lse must have the same rows")))
      return failure();
  if (op.getBias() && failed(requireBias(host)))
    return failure();
  return requireRows(host);
}

/// That dimensions of the bias which have more than one element are those of
/// the scores.
LogicalResult AttentionKernel::requireBias(OpBuilder &host) {
  const unsigned rank = op.getBatchRank(), bias = op.getNumberOfBias();
  for (unsigned at = 0; at <= rank + 1; ++at) {
    if (at <= rank && op.getSizeOf(bias, at) == 1)
      continue;
    Value size = at <= rank ? dim(host, 0, at) : dim(host, 1, rank);
    if (failed(require(host, equal(host, dim(host, bias, at), size),
                       at <= rank
                           ? "q and bias must have the same rows"
                           : "bias must have a column for each row of k")))
      return failure();
  }
  return success();
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
    auto attention = cast<AttentionOp>(op);
    if (failed(checkAttentionOperands(op, attention.getBatchRank())))
      return failure();
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
