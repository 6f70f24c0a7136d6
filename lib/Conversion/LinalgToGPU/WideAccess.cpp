//===- WideAccess.cpp - several elements for each thread --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread that moves an element of two bytes moves an eighth of what an access
// can have. Where the last loop runs along the rows of all operands, a thread
// loads vectors, computes each of their elements as one thread would, and
// stores vectors. All loads come before the stores: an output may be an input.
//
//===----------------------------------------------------------------------===//

#include "WideAccess.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tc;

/// Bytes of the widest access of a thread. Buffers start at multiples of it.
static constexpr int64_t kAccessBytes = 16;

/// Accesses that a thread needs on their way, so that those of all keep the
/// memory busy, and the points from which on a kernel has threads enough for
/// fewer.
static constexpr int64_t kReads = 4, kManyPoints = 1 << 17;

/// Whether `map` reads neighbours along its last loop, and nothing else of that
/// loop.
static bool isAlongLast(AffineMap map) {
  unsigned last = map.getNumDims() - 1;
  if (map.getNumResults() == 0)
    return false;
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  return dim && dim.getPosition() == last &&
         llvm::none_of(map.getResults().drop_back(), [&](AffineExpr expr) {
           return expr.isFunctionOfDim(last);
         });
}

/// Whether vectors of `width` elements that start at multiples of `width` of
/// the last dimension of `type` are aligned.
static bool isAligned(MemRefType type, int64_t width) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(type.getStridesAndOffset(strides, offset)) || strides.back() != 1)
    return false;
  auto divides = [&](int64_t distance) {
    return ShapedType::isStatic(distance) && distance % width == 0;
  };
  for (auto [size, stride] :
       llvm::zip(type.getShape().drop_back(), ArrayRef(strides).drop_back()))
    if (size != 1 && !divides(stride))
      return false;
  return divides(offset);
}

/// The values of the body of `op` that differ along its last loop.
static DenseSet<Value> getVarying(linalg::GenericOp op) {
  DenseSet<Value> varying;
  unsigned last = op.getNumLoops() - 1;
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(last))
      varying.insert(op.getMatchingBlockArgument(&operand));
  for (Operation &inner : *op.getBody()) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    if (index ? index.getDim() == last
              : llvm::any_of(inner.getOperands(), [&](Value operand) {
                  return varying.contains(operand);
                }))
      varying.insert(inner.result_begin(), inner.result_end());
  }
  return varying;
}

/// Whether `load`, in the body of `op`, reads neighbours along its last loop:
/// in a row that is the same for all.
static bool isGather(linalg::GenericOp op, memref::LoadOp load,
                     const DenseSet<Value> &varying) {
  if (load.getIndices().empty())
    return false;
  auto index = load.getIndices().back().getDefiningOp<linalg::IndexOp>();
  return index && index.getDim() + 1 == op.getNumLoops() &&
         llvm::none_of(load.getIndices().drop_back(),
                       [&](Value other) { return varying.contains(other); });
}

/// Whether several points can run the body of `op` in one thread; adds what
/// they read in it side by side to `rows`.
static bool canBeWide(linalg::GenericOp op, SmallVectorImpl<MemRefType> &rows) {
  DenseSet<Value> varying = getVarying(op);
  for (Operation &inner : op.getBody()->without_terminator()) {
    bool isVarying = llvm::any_of(inner.getOperands(), [&](Value operand) {
      return varying.contains(operand);
    });
    auto load = dyn_cast<memref::LoadOp>(inner);
    if (load && isGather(op, load, varying))
      rows.push_back(load.getMemRefType());
    else if ((load || isa<cf::AssertOp>(inner))
                 ? isVarying
                 : !isMemoryEffectFree(&inner) || inner.getNumRegions() != 0)
      return false;
  }
  return true;
}

int64_t tc::getWidth(linalg::GenericOp op) {
  const unsigned loops = op.getNumLoops();
  if (loops == 0 || op.getNumParallelLoops() != loops)
    return 1;
  int64_t bytes = 1;
  SmallVector<MemRefType> rows;
  if (!canBeWide(op, rows))
    return 1;
  auto noteBytes = [&](MemRefType type) {
    int64_t bits = type.getElementType().isIntOrFloat()
                       ? type.getElementTypeBitWidth()
                       : 0;
    bytes = std::max(bytes, bits / 8);
    return bits != 0 && bits % 8 == 0 && llvm::isPowerOf2_64(bits);
  };
  if (!llvm::all_of(rows, noteBytes))
    return 1;
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (type && isAlongLast(map)) {
      if (!noteBytes(type))
        return 1;
      rows.push_back(type);
    } else if (op.isDpsInit(&operand) || map.isFunctionOfDim(loops - 1)) {
      return 1;
    }
  }
  const int64_t size = op.getStaticLoopRanges().back();
  if (ShapedType::isDynamic(size))
    return 1;
  int64_t width = kAccessBytes / bytes;
  while (width > 1 &&
         (size % width != 0 || !llvm::all_of(rows, [&](MemRefType type) {
            return isAligned(type, width);
          })))
    width /= 2;
  return std::max<int64_t>(width, 1);
}

/// Where `map` is at `indices` of the loops of `op`.
static SmallVector<Value> emitPlace(OpBuilder &b, linalg::GenericOp op,
                                    AffineMap map, ArrayRef<Value> indices) {
  SmallVector<Value> at;
  for (AffineExpr expr : map.getResults())
    at.push_back(affine::AffineApplyOp::create(
        b, op.getLoc(),
        AffineMap::get(map.getNumDims(), 0, expr, op.getContext()), indices));
  return at;
}

/// The alignment of vectors of `width` elements of `type`.
static llvm::MaybeAlign getAlignment(MemRefType type, int64_t width) {
  return llvm::MaybeAlign(width * type.getElementTypeBitWidth() / 8);
}

/// Loads and computes the `width` points from `indices` on: the elements of
/// each output.
static SmallVector<SmallVector<Value>> computeWide(RewriterBase &rewriter,
                                                   linalg::GenericOp op,
                                                   ArrayRef<Value> indices,
                                                   int64_t width) {
  Location loc = op.getLoc();
  auto place = [&](AffineMap map) {
    return emitPlace(rewriter, op, map, indices);
  };
  auto alignment = [&](MemRefType type) { return getAlignment(type, width); };
  // What a block argument is for each point: an element of a vector, or the
  // same for all.
  Block &body = *op.getBody();
  SmallVector<Value> loaded;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto type = dyn_cast<MemRefType>(operand.get().getType());
    if (!type)
      loaded.push_back(operand.get());
    else if (op.getMatchingBlockArgument(&operand).use_empty())
      loaded.push_back(Value());
    else if (!isAlongLast(map))
      loaded.push_back(
          memref::LoadOp::create(rewriter, loc, operand.get(), place(map)));
    else
      loaded.push_back(vector::LoadOp::create(
          rewriter, loc, VectorType::get({width}, type.getElementType()),
          operand.get(), place(map), /*nontemporal=*/false, alignment(type)));
  }
  SmallVector<SmallVector<Value>> results(op.getNumDpsInits());
  const DenseSet<Value> varying = getVarying(op);
  // What is the same for all points is computed for the first.
  IRMapping same;
  DenseMap<Operation *, Value> gathered;
  auto compute = [&](Operation &inner, IRMapping &mapping, int64_t point) {
    auto index = dyn_cast<linalg::IndexOp>(inner);
    auto load = dyn_cast<memref::LoadOp>(inner);
    if (index) {
      Value place = indices[index.getDim()];
      if (index.getDim() + 1 == op.getNumLoops())
        place = arith::AddIOp::create(
            rewriter, loc, place,
            arith::ConstantIndexOp::create(rewriter, loc, point));
      mapping.map(index.getResult(), place);
    } else if (load && isGather(op, load, varying)) {
      Value &vector = gathered[load];
      if (!vector) {
        SmallVector<Value> at;
        for (Value place : load.getIndices())
          at.push_back(mapping.lookupOrDefault(place));
        MemRefType type = load.getMemRefType();
        vector = vector::LoadOp::create(
            rewriter, loc, VectorType::get({width}, type.getElementType()),
            mapping.lookupOrDefault(load.getMemRef()), at,
            /*nontemporal=*/false, alignment(type));
      }
      mapping.map(load.getResult(),
                  vector::ExtractOp::create(rewriter, loc, vector, point));
    } else {
      rewriter.clone(inner, mapping);
    }
  };
  for (int64_t point = 0; point < width; ++point) {
    IRMapping mapping(same);
    for (auto [argument, value] :
         llvm::zip_equal(body.getArguments(), loaded)) {
      if (value && isa<VectorType>(value.getType()) &&
          !isa<VectorType>(argument.getType()))
        mapping.map(argument,
                    vector::ExtractOp::create(rewriter, loc, value, point));
      else if (value)
        mapping.map(argument, value);
    }
    for (Operation &inner : body.without_terminator()) {
      bool isVarying = llvm::any_of(inner.getResults(), [&](Value value) {
        return varying.contains(value);
      });
      if (!isVarying && point != 0)
        continue;
      compute(inner, mapping, point);
      for (Value result : inner.getResults())
        if (!isVarying)
          same.map(result, mapping.lookup(result));
    }
    for (auto [result, yielded] :
         llvm::zip_equal(results, body.getTerminator()->getOperands()))
      result.push_back(mapping.lookupOrDefault(yielded));
  }
  return results;
}

void tc::lowerWide(RewriterBase &rewriter, linalg::GenericOp op,
                   ArrayRef<SmallVector<Value>> places, int64_t width) {
  SmallVector<SmallVector<SmallVector<Value>>> computed;
  for (ArrayRef<Value> indices : places)
    computed.push_back(computeWide(rewriter, op, indices, width));
  for (auto [indices, results] : llvm::zip_equal(places, computed))
    for (auto [init, result] :
         llvm::zip_equal(op.getDpsInitsMutable(), results)) {
      auto type = cast<MemRefType>(init.get().getType());
      Value vector = vector::FromElementsOp::create(
          rewriter, op.getLoc(),
          VectorType::get({width}, type.getElementType()), result);
      vector::StoreOp::create(
          rewriter, op.getLoc(), vector, init.get(),
          emitPlace(rewriter, op, op.getMatchingIndexingMap(&init), indices),
          /*nontemporal=*/false, getAlignment(type, width));
    }
  rewriter.eraseOp(op);
}

int64_t tc::getRepeats(linalg::GenericOp op, int64_t width, int64_t threads) {
  if (width == 1)
    return 1;
  int64_t points = 1, reads = 0;
  for (int64_t range : op.getStaticLoopRanges()) {
    if (ShapedType::isDynamic(range))
      return 1;
    points *= range;
  }
  points /= width;
  for (OpOperand *input : op.getDpsInputOperands())
    reads += isAlongLast(op.getMatchingIndexingMap(input));
  SmallVector<MemRefType> gathered;
  (void)canBeWide(op, gathered);
  reads += gathered.size();
  int64_t repeats = reads == 0 ? 1 : kReads / reads;
  while (repeats > 1 &&
         (points % (threads * repeats) != 0 || points < kManyPoints * repeats))
    repeats /= 2;
  return std::max<int64_t>(repeats, 1);
}
