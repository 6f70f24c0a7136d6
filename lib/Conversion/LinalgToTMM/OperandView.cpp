//===- OperandView.cpp - operands as batches of matrices --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dimensions of size 1 that the map does not read are collapsed away; a batch
// dimension that the operand does not have becomes one of size 1 where another
// one is before it, and is left out where none is.
//
//===----------------------------------------------------------------------===//

#include "OperandView.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace tc;

OpOperand *tc::findCopied(linalg::LinalgOp op, bool orWidened) {
  if (op.getNumDpsInits() != 1 || op.getNumReductionLoops() != 0 ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return nullptr;
  Value result = op.getBlock()->getTerminator()->getOperand(0);
  if (auto widened = result.getDefiningOp<arith::ExtFOp>();
      widened && orWidened)
    result = widened.getIn();
  auto yielded = dyn_cast<BlockArgument>(result);
  if (!yielded || yielded.getOwner() != op.getBlock())
    return nullptr;
  return &op->getOpOperand(yielded.getArgNumber());
}

/// Whether the dimensions of `type` can be collapsed into `groups` as a view.
static bool canCollapse(ShapedType type,
                        ArrayRef<ReassociationIndices> groups) {
  auto memref = dyn_cast<MemRefType>(type);
  return !memref ||
         memref::CollapseShapeOp::isGuaranteedCollapsible(memref, groups);
}

FailureOr<OperandView> tc::matchOperandView(ShapedType type, AffineMap map,
                                            unsigned batchRank,
                                            std::string &reason) {
  llvm::raw_string_ostream os(reason);
  OperandView view;
  // The loops of the dimensions that stay, and which dimensions of the type
  // each of them takes in.
  SmallVector<unsigned> loops;
  SmallVector<ReassociationIndices> groups;
  ReassociationIndices leading;
  bool dropsOnes = true;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr);
        constant && constant.getValue() == 0) {
      dropsOnes &= type.getDimSize(dim) == 1;
      (groups.empty() ? leading : groups.back()).push_back(dim);
      continue;
    }
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop || llvm::is_contained(loops, loop.getPosition())) {
      os << "expected each dimension to be read along a loop of its own, got "
            "indexing map "
         << map;
      return failure();
    }
    loops.push_back(loop.getPosition());
    ReassociationIndices &group = groups.emplace_back(std::move(leading));
    leading.clear();
    group.push_back(dim);
  }
  if (groups.size() != map.getNumResults() && !groups.empty()) {
    if (!dropsOnes || !canCollapse(type, groups)) {
      os << "expected dimensions of size 1 that can be dropped from " << type;
      return failure();
    }
    view.collapse = groups;
  }

  ArrayRef<unsigned> batch(loops);
  batch = batch.take_while([&](unsigned loop) { return loop < batchRank; });
  llvm::append_range(view.matrix, ArrayRef(loops).drop_front(batch.size()));
  bool isInOrder =
      llvm::is_sorted(batch) && llvm::all_of(view.matrix, [&](unsigned loop) {
        return loop >= batchRank;
      });
  if (!isInOrder) {
    os << "expected the batch dimensions first, in the order of the output, "
          "got indexing map "
       << map;
    return failure();
  }
  // A missing dimension after another one of the batch is one of size 1.
  int64_t next = 0;
  bool hasGap = false;
  for (auto [index, loop] : llvm::enumerate(loops)) {
    ReassociationIndices &group = view.expand.emplace_back();
    group.push_back(next++);
    if (index >= batch.size())
      continue;
    unsigned following =
        index + 1 < batch.size() ? batch[index + 1] : batchRank;
    for (unsigned missing = loop + 1; missing < following; ++missing) {
      hasGap = true;
      group.push_back(next++);
    }
  }
  if (!hasGap)
    view.expand.clear();
  return view;
}

/// The shape of `type` with the dimensions of each group of `groups` after the
/// first as ones.
static SmallVector<int64_t> expandShape(ShapedType type,
                                        ArrayRef<ReassociationIndices> groups) {
  SmallVector<int64_t> shape;
  for (auto [dim, group] : llvm::enumerate(groups)) {
    shape.push_back(type.getDimSize(dim));
    shape.append(group.size() - 1, 1);
  }
  return shape;
}

ShapedType tc::getViewType(ShapedType type, const OperandView &view) {
  auto memref = dyn_cast<MemRefType>(type);
  if (!view.collapse.empty() && memref)
    type = memref =
        memref::CollapseShapeOp::computeCollapsedType(memref, view.collapse);
  else if (!view.collapse.empty())
    type = tensor::CollapseShapeOp::inferCollapsedType(
        cast<RankedTensorType>(type), view.collapse);
  if (view.expand.empty())
    return type;
  SmallVector<int64_t> shape = expandShape(type, view.expand);
  if (!memref)
    return RankedTensorType::get(shape, type.getElementType());
  FailureOr<MemRefType> expanded =
      memref::ExpandShapeOp::computeExpandedType(memref, shape, view.expand);
  return succeeded(expanded) ? *expanded : MemRefType();
}

Value tc::applyOperandView(OpBuilder &builder, Location loc, Value operand,
                           const OperandView &view) {
  bool isTensor = isa<TensorType>(operand.getType());
  if (!view.collapse.empty()) {
    if (isTensor)
      operand =
          tensor::CollapseShapeOp::create(builder, loc, operand, view.collapse);
    else
      operand =
          memref::CollapseShapeOp::create(builder, loc, operand, view.collapse);
  }
  if (view.expand.empty())
    return operand;
  auto type = cast<ShapedType>(operand.getType());
  SmallVector<int64_t> shape = expandShape(type, view.expand);
  // The sizes of the groups are those of their first dimensions.
  SmallVector<OpFoldResult> sizes;
  for (auto [dim, group] : llvm::enumerate(view.expand)) {
    sizes.push_back(isTensor
                        ? tensor::getMixedSize(builder, loc, operand, dim)
                        : memref::getMixedSize(builder, loc, operand, dim));
    sizes.append(group.size() - 1, builder.getIndexAttr(1));
  }
  if (isTensor)
    return tensor::ExpandShapeOp::create(
        builder, loc, RankedTensorType::get(shape, type.getElementType()),
        operand, view.expand, sizes);
  return memref::ExpandShapeOp::create(builder, loc, shape, operand,
                                       view.expand, sizes);
}
