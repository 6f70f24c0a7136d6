//===- SplitK.cpp - K in parts that are summed afterwards -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where D has fewer tiles than there are multiprocessors, parts of K are
// problems of a batch, whose sums go to a buffer. Views of A and B are their
// operands. An operation of linalg adds the sums, always in the same order, and
// computes what the product did with its sum.
//
//===----------------------------------------------------------------------===//

#include "Configure.h"

#include "ConfigTranslation.h"
#include "ProblemChecks.h"

#include "tc/Dialect/TMM/Configure/Machine.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulConfig.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

/// `matrix`, an operand of `op` with K in dimension `dimK`, as the matrices of
/// `parts` parts of K, in a batch dimension before the others of D.
static Value emitPartsOf(OpBuilder &b, MatmulOp op, Value matrix, unsigned dimK,
                         int64_t parts) {
  Location loc = op.getLoc();
  auto type = cast<MemRefType>(matrix.getType());
  // The host checks that K is what the other operand says.
  if (type.isDynamicDim(dimK)) {
    SmallVector<int64_t> known(type.getShape());
    known[dimK] = op.getStaticK();
    type = MemRefType::Builder(type).setShape(known);
    matrix = memref::CastOp::create(b, loc, type, matrix);
  }
  SmallVector<int64_t> shape;
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> groups(type.getRank());
  unsigned partsAt = 0;
  auto add = [&](unsigned dim, int64_t size, OpFoldResult value) {
    groups[dim].push_back(shape.size());
    shape.push_back(size);
    sizes.push_back(value);
  };
  // Batch dimensions are matched from the last one on: those that the operand
  // does not have are between its own and the parts.
  for (unsigned own = type.getRank() - 2; own < op.getBatchRank(); ++own)
    add(0, 1, b.getIndexAttr(1));
  for (unsigned dim = 0; dim < type.getRank(); ++dim) {
    int64_t size = type.getDimSize(dim);
    if (dim == dimK) {
      partsAt = shape.size();
      add(dim, parts, b.getIndexAttr(parts));
      size /= parts;
    }
    add(dim, size,
        ShapedType::isDynamic(size) ? memref::getMixedSize(b, loc, matrix, dim)
                                    : OpFoldResult(b.getIndexAttr(size)));
  }
  Value expanded =
      memref::ExpandShapeOp::create(b, loc, shape, matrix, groups, sizes);
  if (partsAt == 0)
    return expanded;
  SmallVector<unsigned> order = {partsAt};
  for (unsigned dim = 0; dim < shape.size(); ++dim)
    if (dim != partsAt)
      order.push_back(dim);
  return memref::TransposeOp::create(
      b, loc, expanded,
      AffineMapAttr::get(AffineMap::getPermutationMap(order, b.getContext())));
}

/// A buffer for the sums of `parts` parts: as many matrices like D.
static Value emitBuffer(OpBuilder &b, MatmulOp op, int64_t parts) {
  auto type = cast<MemRefType>(op.getD().getType());
  SmallVector<int64_t> shape = {parts};
  SmallVector<Value> dynamic;
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    shape.push_back(type.getDimSize(dim));
    if (type.isDynamicDim(dim))
      dynamic.push_back(memref::DimOp::create(b, op.getLoc(), op.getD(), dim));
  }
  return memref::AllocOp::create(
      b, op.getLoc(), MemRefType::get(shape, op.getSumType()), dynamic);
}

/// Matrix `number` of `buffer`.
static Value emitPart(OpBuilder &b, Location loc, Value buffer,
                      int64_t number) {
  auto type = cast<MemRefType>(buffer.getType());
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, buffer);
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  offsets[0] = b.getIndexAttr(number);
  sizes[0] = b.getIndexAttr(1);
  MemRefType part = memref::SubViewOp::inferRankReducedResultType(
      type.getShape().drop_front(), type, offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, part, buffer, offsets, sizes,
                                   strides);
}

/// From the point of D to the element of extra operand `index`.
static AffineMap getExtraMap(OpBuilder &b, MatmulOp op, unsigned index) {
  const unsigned batchRank = op.getBatchRank(), loops = batchRank + 2;
  auto type = dyn_cast<ShapedType>(op.getExtras()[index].getType());
  if (!type)
    return AffineMap::get(loops, 0, b.getContext());
  const unsigned rank = op.getMatrixRankOf(index);
  SmallVector<AffineExpr> results;
  for (unsigned dim = batchRank + rank - type.getRank(); dim < batchRank; ++dim)
    results.push_back(op.getBatchDimOf(type, rank, dim)
                          ? b.getAffineDimExpr(dim)
                          : b.getAffineConstantExpr(0));
  if (std::optional<Along> along = op.getAlongOf(index))
    results.push_back(
        b.getAffineDimExpr(batchRank + (*along == Along::n ? 1 : 0)));
  else
    results.append(
        {b.getAffineDimExpr(batchRank), b.getAffineDimExpr(batchRank + 1)});
  return AffineMap::get(loops, 0, results, b.getContext());
}

/// `value` as `type`.
static Value emitConverted(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  if (value.getType().getIntOrFloatBitWidth() < type.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

/// An element of D: `args` are its sums, the elements of extra operands, and
/// what D has there.
static Value emitElement(OpBuilder &b, MatmulOp op, ValueRange args,
                         int64_t parts) {
  Location loc = op.getLoc();
  auto add = [&](Value x, Value y) -> Value {
    if (isa<FloatType>(x.getType()))
      return arith::AddFOp::create(b, loc, x, y);
    return arith::AddIOp::create(b, loc, x, y);
  };
  Value sum = args.front();
  for (Value part : args.take_front(parts).drop_front())
    sum = add(sum, part);
  if (op.getAccumulate())
    sum = add(sum, emitConverted(b, loc, args.back(), sum.getType()));
  if (!op.hasEpilogue())
    return emitConverted(b, loc, sum, args.back().getType());
  Block &block = op.getEpilogue()->front();
  IRMapping mapping;
  mapping.map(block.getArgument(0), sum);
  mapping.map(block.getArguments().drop_front(),
              args.drop_front(parts).drop_back());
  for (Operation &inner : block.without_terminator())
    b.clone(inner, mapping);
  return mapping.lookupOrDefault(block.getTerminator()->getOperand(0));
}

/// Makes D of the sums in `buffer`.
static Operation *emitSum(OpBuilder &b, MatmulOp op, Value buffer,
                          int64_t parts) {
  Location loc = op.getLoc();
  const unsigned loops = op.getBatchRank() + 2;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (int64_t number = 0; number < parts; ++number) {
    inputs.push_back(emitPart(b, loc, buffer, number));
    maps.push_back(b.getMultiDimIdentityMap(loops));
  }
  for (auto [index, extra] : llvm::enumerate(op.getExtras())) {
    inputs.push_back(extra);
    maps.push_back(getExtraMap(b, op, index));
  }
  maps.push_back(b.getMultiDimIdentityMap(loops));
  SmallVector<utils::IteratorType> parallel(loops,
                                            utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      b, loc, inputs, ValueRange{op.getD()}, maps, parallel,
      [&](OpBuilder &body, Location at, ValueRange args) {
        linalg::YieldOp::create(body, at, emitElement(body, op, args, parts));
      });
}

/// Replaces `op` by the product of `parts` parts and their sum.
static void split(MatmulOp op, int64_t parts) {
  OpBuilder b(op);
  schedule::MatmulConfig config = getConfig(op);
  config.splitK = 1;
  emitSizeChecks(b, op);
  Value a = emitPartsOf(b, op, op.getA(), op.getKDimOfA(), parts);
  Value other = emitPartsOf(b, op, op.getB(), op.getKDimOfB(), parts);
  Value buffer = emitBuffer(b, op, parts);
  MatmulOp::create(b, op.getLoc(), a, other, buffer, /*extras=*/ValueRange(),
                   /*along=*/ArrayRef<int32_t>(), /*epilogue=*/nullptr,
                   /*accumulate=*/false, op.getTransposeA(), op.getTransposeB(),
                   ConfigAttr::get(b.getContext(), config),
                   /*scales=*/ValueRange(), op.getAllowTf32(), ScaleBlocks(),
                   op.getF16Sum());
  // The epilogue moves to the statement, after it was copied.
  b.setInsertionPoint(emitSum(b, op, buffer, parts));
  emitStatement(b, op);
  op.erase();
}

FailureOr<bool> tc::tmm::splitMatmul(MatmulOp op, StringRef chip) {
  schedule::MatmulConfig config = getConfig(op);
  if (!isa<MemRefType>(op.getD().getType()) || config.splitK.value_or(1) == 1)
    return false;
  FailureOr<schedule::Machine> machine =
      getMachine(op.getContext(), chip, config,
                 [&] { return op.emitError("chip option: "); });
  if (failed(machine))
    return failure();
  if (std::optional<std::string> error =
          schedule::findConfigError(config, getProblem(op, *machine), *machine))
    return op.emitOpError() << "configuration: " << *error;
  if (failed(checkOverlap(op)))
    return failure();
  // An empty K has no parts.
  if (op.isEmpty()) {
    config.splitK = 1;
    op.setConfigAttr(ConfigAttr::get(op.getContext(), config));
    return false;
  }
  split(op, *config.splitK);
  return true;
}
