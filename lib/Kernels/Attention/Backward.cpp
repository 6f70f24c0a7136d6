//===- Backward.cpp - kernels of the gradients of attention -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's side: sizes, what they must be, and the grid. An op with all
// outputs becomes one for each kernel first.
//
//===----------------------------------------------------------------------===//

#include "AttentionHost.h"
#include "BackwardProgram.h"

#include "tc/Dialect/TMM/IR/TMMDialect.h"
#include "tc/Kernels/Attention.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

class BackwardKernel : public AttentionHost {
public:
  BackwardKernel(OpBuilder &host, AttentionBackwardOp op, BackwardShape shape);

  StringRef getName() const override {
    return op.getDk() ? "attention_dk_dv" : "attention_dq";
  }
  void emitProgram(OpBuilder &b, gpu::GPUFuncOp kernel) override {
    emitBackwardProgram(b, op, form, kernel);
  }
  LogicalResult emitChecks(OpBuilder &host) override;

protected:
  const GridShape &getGrid() const override { return form.shape; }

private:
  Value dim(OpBuilder &host, Value operand, unsigned at) {
    return host.createOrFold<memref::DimOp>(loc, operand, at);
  }

  mutable AttentionBackwardOp op;
  BackwardForm form;
};

} // namespace

BackwardKernel::BackwardKernel(OpBuilder &host, AttentionBackwardOp op,
                               BackwardShape shape)
    : AttentionHost(op), op(op) {
  form.shape = std::move(shape);
  unsigned rank = op.getBatchRank();
  AttentionSizes found = {
      dim(host, op.getQ(), rank), dim(host, op.getK(), rank), {}, {}};
  for (unsigned at = 0; at < rank; ++at) {
    found.batch.push_back(dim(host, op.getQ(), at));
    found.shared.push_back(dim(host, op.getK(), at));
  }
  setSizes(host, std::move(found), /*isOfKeys=*/bool(op.getDk()),
           op.getDiagonal(), op.getWindow(), form);
  views.assign(op->getOperands().begin(), op->getOperands().end());
}

LogicalResult BackwardKernel::emitChecks(OpBuilder &host) {
  unsigned rank = op.getBatchRank();
  auto agree = [&](Value a, Value b, unsigned at, const Twine &what) {
    return require(host, equal(host, dim(host, a, at), dim(host, b, at)), what);
  };
  std::pair<StringRef, Value> ofQueries[] = {{"grad", op.getGrad()},
                                             {"lse", op.getLse()},
                                             {"delta", op.getDelta()},
                                             {"dq", op.getDq()}},
                              ofKeys[] = {{"v", op.getV()},
                                          {"dk", op.getDk()},
                                          {"dv", op.getDv()}};
  for (unsigned at = 0; at <= rank; ++at) {
    StringRef what = at == rank ? "as many rows" : "the same batch";
    for (auto [name, operand] : ofQueries)
      if (operand && failed(agree(operand, op.getQ(), at,
                                  "q and " + name + " must have " + what)))
        return failure();
    for (auto [name, operand] : ofKeys)
      if (operand && failed(agree(operand, op.getK(), at,
                                  "k and " + name + " must have " + what)))
        return failure();
    if (at < rank && failed(requireBatch(host, at)))
      return failure();
  }
  std::pair<Value, Value> columns[] = {{op.getK(), op.getQ()},
                                       {op.getDq(), op.getQ()},
                                       {op.getDk(), op.getQ()},
                                       {op.getGrad(), op.getV()},
                                       {op.getDv(), op.getV()}};
  for (auto [a, b] : columns)
    if (a && failed(agree(a, b, rank + 1,
                          "operands must have as many columns as q or v")))
      return failure();
  return requireRows(host);
}

namespace {

struct BackwardFamily
    : KernelFamilyOpInterface::ExternalModel<BackwardFamily,
                                             AttentionBackwardOp> {
  FailureOr<bool> splitWork(Operation *op, StringRef) const {
    auto backward = cast<AttentionBackwardOp>(op);
    if (!backward.getDq() || !backward.getDk() || op->getNumResults() != 0)
      return false;
    OpBuilder b(op);
    auto clone = [&](bool isOfKeys) {
      auto part = cast<AttentionBackwardOp>(b.clone(*op));
      if (isOfKeys) {
        part.getDqMutable().clear();
      } else {
        part.getDkMutable().clear();
        part.getDvMutable().clear();
      }
    };
    clone(/*isOfKeys=*/true);
    clone(/*isOfKeys=*/false);
    op->erase();
    return true;
  }

  FailureOr<std::unique_ptr<TileKernel>>
  getKernel(Operation *op, OpBuilder &host, StringRef chip) const {
    auto backward = cast<AttentionBackwardOp>(op);
    if (failed(checkAttentionOperands(op, backward.getBatchRank())))
      return failure();
    if (backward.getDq() && backward.getDk())
      return op->emitOpError()
             << "expected the outputs of one kernel, dq or dk_dv, got all: "
                "tmm-split-k makes an op of each";
    // What blocks are made of.
    Value read = backward.getDk() ? backward.getQ() : backward.getK();
    if (AttentionBackwardOp::getTypeOf(read).getDimSize(
            backward.getBatchRank()) == 0)
      return op->emitOpError() << "expected " << (backward.getDk() ? "q" : "k")
                               << " of at least 1 row, got none";
    FailureOr<BackwardShape> shape = chooseBackwardShape(backward, chip);
    if (failed(shape))
      return failure();
    // Without elements there is nothing to write.
    Value output = backward.getDk() ? backward.getDk() : backward.getDq();
    if (llvm::is_contained(AttentionBackwardOp::getTypeOf(output).getShape(),
                           0))
      return std::unique_ptr<TileKernel>();
    auto kernel =
        std::make_unique<BackwardKernel>(host, backward, std::move(*shape));
    return std::unique_ptr<TileKernel>(std::move(kernel));
  }
};

} // namespace

void tc::tmm::registerAttentionBackwardKernels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, TMMDialect *) {
    AttentionBackwardOp::attachInterface<BackwardFamily>(*context);
  });
}
