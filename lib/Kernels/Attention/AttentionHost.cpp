//===- AttentionHost.cpp - hosts of kernels of attention --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "AttentionHost.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

static int64_t getStatic(Value size) {
  return getConstantIntValue(size).value_or(ShapedType::kDynamic);
}

Value tc::tmm::addColumn(OpBuilder &host, Location loc, Value memref) {
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

void AttentionHost::setSizes(OpBuilder &host, AttentionSizes given,
                             bool isOfKeys, std::optional<int64_t> diagonal,
                             std::optional<int64_t> window, GridForm &form) {
  sizes = std::move(given);
  if (diagonal) {
    auto clamp = [](int64_t place) {
      return std::clamp(place, -kMaxAttentionRows, kMaxAttentionRows);
    };
    form.diagonal = clamp(*diagonal);
    int64_t after;
    // What is hidden before all keys hides none.
    if (window && !llvm::SubOverflow(*diagonal, *window, after) &&
        after > -kMaxAttentionRows)
      form.after = clamp(after);
  }
  auto add = [&](Value size) {
    if (ShapedType::isDynamic(getStatic(size)))
      dynamic.push_back(size);
    return getStatic(size);
  };
  rows = isOfKeys ? sizes.keys : sizes.queries;
  rowBatch = isOfKeys ? sizes.shared : sizes.batch;
  form.queries = add(sizes.queries);
  form.keys = add(sizes.keys);
  for (Value size : rowBatch)
    form.batch.push_back(add(size));
  for (auto [size, part] : llvm::zip_equal(sizes.batch, sizes.shared)) {
    // Without elements nothing is divided.
    Value most =
        host.createOrFold<arith::MaxUIOp>(loc, part, constant(host, 1));
    shares.push_back(host.createOrFold<arith::DivUIOp>(loc, size, most));
    form.shares.push_back(add(shares.back()));
  }
}

SmallVector<Type> AttentionHost::getArgumentTypes() const {
  SmallVector<Type> types(ValueRange(views).getTypes());
  MLIRContext *context = root->getContext();
  types.append(dynamic.size(), IntegerType::get(context, 32));
  if (getGrid().counts)
    types.push_back(getWorkCounterType(context));
  return types;
}

Value AttentionHost::emitWork(OpBuilder &host) {
  Value work = rows;
  for (Value size : rowBatch)
    work = host.createOrFold<arith::MulIOp>(loc, work, size);
  return work;
}

LogicalResult AttentionHost::require(OpBuilder &host, Value condition,
                                     const Twine &what) {
  if (std::optional<int64_t> known = getConstantIntValue(condition)) {
    if (*known == 0)
      return root->emitOpError() << what;
    return success();
  }
  cf::AssertOp::create(host, loc, condition, what.str());
  return success();
}

LogicalResult AttentionHost::requireBatch(OpBuilder &host, unsigned dim) {
  Value whole =
      host.createOrFold<arith::MulIOp>(loc, sizes.shared[dim], shares[dim]);
  return require(host, equal(host, whole, sizes.batch[dim]),
                 "the batch of k must divide that of q");
}

LogicalResult AttentionHost::requireRows(OpBuilder &host) {
  for (Value size : {sizes.queries, sizes.keys})
    if (failed(require(
            host,
            host.createOrFold<arith::CmpIOp>(loc, arith::CmpIPredicate::ule,
                                             size,
                                             constant(host, kMaxAttentionRows)),
            "q and k must have at most " + Twine(kMaxAttentionRows) + " rows")))
      return failure();
  return success();
}

SmallVector<Value> AttentionHost::emitOperands(OpBuilder &host,
                                               gpu::GPUFuncOp kernel) {
  SmallVector<Value> operands(views);
  for (Value size : dynamic)
    operands.push_back(
        arith::IndexCastOp::create(host, loc, host.getI32Type(), size));
  if (getGrid().counts)
    operands.push_back(emitWorkCounter(host, loc, kernel));
  return operands;
}

SmallVector<Value> AttentionHost::emitGrid(OpBuilder &host) {
  Value tiles = host.createOrFold<arith::CeilDivUIOp>(
      loc, rows, constant(host, getGrid().getRows()));
  for (Value size : rowBatch)
    tiles = host.createOrFold<arith::MulIOp>(loc, tiles, size);
  if (getGrid().ctas)
    tiles = host.createOrFold<arith::MinUIOp>(loc, tiles,
                                              constant(host, getGrid().ctas));
  return {tiles};
}

LogicalResult tc::tmm::checkAttentionOperands(Operation *op,
                                              unsigned batchRank) {
  if (!llvm::all_of(op->getOperandTypes(), llvm::IsaPred<MemRefType>))
    return op->emitOpError()
           << "expected memrefs, as kernels have, got tensors: "
              "one-shot-bufferize makes these";
  if (batchRank > kMaxAttentionBatchRank)
    return op->emitOpError() << "expected at most " << kMaxAttentionBatchRank
                             << " dimensions of batches, got " << batchRank;
  return success();
}
