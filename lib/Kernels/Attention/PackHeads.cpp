//===- PackHeads.cpp - heads that share keys as rows ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile of attention has many rows of Q, of one head. Where a head has few,
// those of the heads that read the same K and V fill the tile instead, and K
// and V are read once for all of them.
//
//===----------------------------------------------------------------------===//

#include "PackHeads.h"

#include "AttentionShape.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/MathExtras.h"

#include <optional>

using namespace mlir;
using namespace tc::tmm;

namespace {

/// What becomes of an op: `heads` of dimension `dim` of the batch become rows.
struct Packing {
  unsigned dim;
  int64_t parts, heads, rows;
};

} // namespace

/// Whether each row of `op` sees every key.
static bool seesAllKeys(AttentionOp op) {
  if (!op.getDiagonal())
    return true;
  int64_t keys = op.getSizeOf(1, op.getBatchRank());
  return !ShapedType::isDynamic(keys) && !op.getWindow() &&
         int64_t(*op.getDiagonal()) >= keys - 1;
}

/// What to do with `op`; nothing where tiles would not become fewer.
static std::optional<Packing> choosePacking(AttentionOp op) {
  unsigned rank = op.getBatchRank();
  int64_t rows = op.getSizeOf(0, rank);
  // A bias has heads of its own.
  if (ShapedType::isDynamic(rows) || rows == 0 || !seesAllKeys(op) ||
      op.getBias())
    return std::nullopt;
  for (unsigned dim = rank; dim-- > 0;) {
    int64_t size = op.getSizeOf(0, dim), parts = op.getSizeOf(1, dim);
    if (ShapedType::isDynamic(size) || ShapedType::isDynamic(parts) ||
        parts == 0 || size == parts)
      continue;
    int64_t heads = size / parts;
    if (llvm::divideCeil(rows * heads, kAttentionRows) <
        heads * llvm::divideCeil(rows, kAttentionRows))
      return Packing{dim, parts, heads, rows};
  }
  return std::nullopt;
}

/// The dimensions of the formula in the order of `operand`.
static SmallVector<unsigned> getOrder(AttentionOp op, unsigned operand) {
  unsigned rank = op.getTypeOf(operand).getRank();
  SmallVector<unsigned> order(rank);
  for (unsigned dim = 0; dim < rank; ++dim)
    order[op.getDimOf(operand, dim)] = dim;
  return order;
}

/// Whether a view of `type` without its dimension `unit`, of one element, could
/// be one without another such dimension, by shape and strides.
static bool isAmbiguous(MemRefType type, unsigned unit) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)))
    return true;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (dim != unit && type.getDimSize(dim) == 1 &&
        strides[dim] == strides[unit])
      return true;
  return false;
}

/// `source` with its heads cut in two; the second part of them joins the rows.
/// Null where no view has its elements so. `order` becomes that of the result.
static Value packOperand(OpBuilder &b, AttentionOp op, unsigned operand,
                         const Packing &packing,
                         SmallVectorImpl<unsigned> &order) {
  Location loc = op.getLoc();
  Value source = op->getOperand(operand);
  auto type = cast<MemRefType>(source.getType());
  unsigned rows = op.getBatchRank();
  unsigned at = op.getDimOf(operand, packing.dim),
           row = op.getDimOf(operand, rows);

  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> cut;
  for (auto [dim, size] :
       llvm::enumerate(memref::getMixedSizes(b, loc, source))) {
    ReassociationIndices &group = cut.emplace_back();
    auto add = [&](int64_t length, OpFoldResult value) {
      group.push_back(shape.size());
      shape.push_back(length);
      sizes.push_back(value);
    };
    if (dim == at) {
      add(packing.parts, b.getIndexAttr(packing.parts));
      add(packing.heads, b.getIndexAttr(packing.heads));
    } else {
      add(type.getDimSize(dim), size);
    }
  }
  FailureOr<MemRefType> expanded =
      memref::ExpandShapeOp::computeExpandedType(type, shape, cut);
  if (failed(expanded))
    return {};

  // Where each has one row, its dimension goes if it can be told from others;
  // else it has to follow the heads.
  unsigned rowAfter = row + (row > at);
  bool isOne = packing.rows == 1 && !isAmbiguous(*expanded, rowAfter);
  if (!isOne && row != at + 1)
    return {};
  SmallVector<ReassociationIndices> joined;
  for (unsigned dim = 0; !isOne && dim < shape.size(); ++dim)
    if (dim == rowAfter)
      joined.back().push_back(dim);
    else
      joined.push_back({dim});
  if (!isOne &&
      !memref::CollapseShapeOp::isGuaranteedCollapsible(*expanded, joined))
    return {};

  order.erase(llvm::find(order, rows));
  order.insert(llvm::find(order, packing.dim) + 1, rows);
  Value view =
      memref::ExpandShapeOp::create(b, loc, *expanded, source, cut, sizes);
  if (!isOne)
    return memref::CollapseShapeOp::create(b, loc, view, joined);
  SmallVector<int64_t> left(shape);
  left.erase(left.begin() + rowAfter);
  SmallVector<OpFoldResult> zeros(shape.size(), b.getIndexAttr(0)),
      ones(shape.size(), b.getIndexAttr(1));
  MemRefType reduced = memref::SubViewOp::inferRankReducedResultType(
      left, *expanded, zeros, sizes, ones);
  return memref::SubViewOp::create(b, loc, reduced, view, zeros, sizes, ones);
}

static void pack(AttentionOp op, const Packing &packing) {
  OpBuilder b(op);
  SmallVector<Value> operands(op->getOperands());
  SmallVector<SmallVector<unsigned>> orders;
  for (unsigned number = 0; number < op->getNumOperands(); ++number) {
    SmallVector<unsigned> &order = orders.emplace_back(getOrder(op, number));
    if (number == 1 || number == 2)
      continue;
    Value packed = packOperand(b, op, number, packing, order);
    if (!packed)
      return;
    operands[number] = packed;
  }
  op->setOperands(operands);
  op.removeDiagonalAttr();
  op.removeMapsAttr();
  if (llvm::all_of(orders, [](ArrayRef<unsigned> order) {
        return llvm::is_sorted(order);
      }))
    return;
  SmallVector<AffineMap> maps;
  for (ArrayRef<unsigned> order : orders)
    maps.push_back(AffineMap::getPermutationMap(order, op.getContext()));
  op.setMapsAttr(b.getAffineMapArrayAttr(maps));
}

void tc::tmm::packHeads(AttentionOp op) {
  // Of tensors it is not known whether a view has the elements.
  if (op->getNumResults() != 0)
    return;
  if (std::optional<Packing> packing = choosePacking(op))
    pack(op, *packing);
}
