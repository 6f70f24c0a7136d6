//===- ThreadQuantize.cpp - a thread's part of quantised rows ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header. A thread holds whole blocks, so that their largest elements
// need no other thread.
//
//===----------------------------------------------------------------------===//

#include "ThreadQuantize.h"

#include "GlobalMatrix.h"

#include "tc/Support/EmitArith.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

/// Emits arithmetic on vectors with one element for each block.
class BlockMath {
public:
  BlockMath(OpBuilder &b, Location loc, int64_t blocks)
      : b(b), loc(loc), blocks(blocks) {}

  VectorType typeOf(Type element) { return VectorType::get(blocks, element); }
  Value constant(int32_t value) {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(typeOf(b.getI32Type()),
                               b.getI32IntegerAttr(value)));
  }
  Value constant(float value) {
    return arith::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(typeOf(b.getF32Type()),
                               b.getF32FloatAttr(value)));
  }
  Value asBits(Value value) {
    return arith::BitcastOp::create(b, loc, typeOf(b.getI32Type()), value);
  }
  Value asFloats(Value value) {
    return arith::BitcastOp::create(b, loc, typeOf(b.getF32Type()), value);
  }
  template <typename Op>
  Value apply(Value lhs, Value rhs) {
    return Op::create(b, loc, lhs, rhs);
  }
  Value compareBits(arith::CmpIPredicate predicate, Value lhs, Value rhs) {
    return arith::CmpIOp::create(b, loc, predicate, lhs, rhs);
  }

  OpBuilder &b;
  Location loc;
  int64_t blocks;
};

/// Factors, as elements of their type, and their reciprocals in f32.
struct Factors {
  Value codes, reciprocals;
};

} // namespace

/// The largest absolute value of each block; NaN where there is one.
static Value emitBlockMaxima(BlockMath &m, Value tile) {
  OpBuilder &b = m.b;
  int64_t block = cast<VectorType>(tile.getType()).getDimSize(0) / m.blocks;
  Value absolute = math::AbsFOp::create(b, m.loc, tile);
  SmallVector<Value> maxima;
  for (int64_t i = 0; i < m.blocks; ++i) {
    // A tree: a chain of that many dependent steps would be waited for.
    SmallVector<Value> rest;
    for (int64_t n = 0; n < block; ++n)
      rest.push_back(
          vector::ExtractOp::create(b, m.loc, absolute, i * block + n));
    while (rest.size() > 1) {
      SmallVector<Value> half;
      for (size_t n = 0; n < rest.size(); n += 2)
        half.push_back(
            arith::MaximumFOp::create(b, m.loc, rest[n], rest[n + 1]));
      rest = std::move(half);
    }
    maxima.push_back(rest.front());
  }
  return vector::FromElementsOp::create(b, m.loc, m.typeOf(b.getF32Type()),
                                        maxima);
}

/// Powers of two: the exponent of the maximum, less the largest one of an
/// element.
static Factors emitPowers(BlockMath &m, Value maxima, Type element,
                          Type scale) {
  constexpr int32_t kNaN = 255;
  Value exponent = m.apply<arith::ShRUIOp>(m.asBits(maxima), m.constant(23));
  Value code = m.apply<arith::MaxSIOp>(
      m.apply<arith::SubIOp>(exponent,
                             m.constant(int32_t(getLargestExponent(element)))),
      m.constant(0));
  Value isSpecial =
      m.compareBits(arith::CmpIPredicate::eq, exponent, m.constant(kNaN));
  code = arith::SelectOp::create(m.b, m.loc, isSpecial, m.constant(kNaN), code);
  // 2^(127 - code), of which the exponent field has 254 - code. Of NaN it is
  // NaN, so that the elements are.
  constexpr int32_t kNaNBits = 0x7fc00000;
  Value power = m.apply<arith::ShLIOp>(
      m.apply<arith::SubIOp>(m.constant(254), code), m.constant(23));
  Value reciprocal = m.asFloats(arith::SelectOp::create(
      m.b, m.loc, isSpecial, m.constant(kNaNBits), power));
  Value bytes =
      arith::TruncIOp::create(m.b, m.loc, m.typeOf(m.b.getI8Type()), code);
  return {arith::BitcastOp::create(m.b, m.loc, m.typeOf(scale), bytes),
          reciprocal};
}

/// Numbers with a significand: the maximum becomes the largest element.
static Factors emitRatios(BlockMath &m, Value maxima, Type scale) {
  OpBuilder &b = m.b;
  Value ratio = m.apply<arith::MulFOp>(maxima, m.constant(1.0f / 6.0f));
  Value codes = arith::TruncFOp::create(b, m.loc, m.typeOf(scale), ratio);
  Value factor =
      arith::ExtFOp::create(b, m.loc, m.typeOf(b.getF32Type()), codes);
  // Division is off by some units in the last place: one step of Newton's
  // method rounds the reciprocal of every factor as IEEE 754 does.
  Value one = m.constant(1.0f);
  Value guess = m.apply<arith::DivFOp>(one, factor);
  Value rest = math::FmaOp::create(
      b, m.loc, arith::NegFOp::create(b, m.loc, factor), guess, one);
  Value reciprocal = math::FmaOp::create(b, m.loc, guess, rest, guess);
  Value isZero = arith::CmpFOp::create(b, m.loc, arith::CmpFPredicate::OEQ,
                                       factor, m.constant(0.0f));
  reciprocal =
      arith::SelectOp::create(b, m.loc, isZero, m.constant(0.0f), reciprocal);
  return {codes, reciprocal};
}

ThreadQuantized
tc::tmm::emitThreadQuantize(OpBuilder &b, QuantizeOp op,
                            ArrayRef<int64_t> shape,
                            RegisterLayoutAttrInterface layout) {
  Location loc = op.getLoc();
  auto held = cast<VectorType>(op.getTile().getType());
  auto result = cast<VectorType>(op.getResult().getType());
  auto scales = cast<VectorType>(op.getScales().getType());
  BlockMath m(b, loc, scales.getNumElements());
  Value maxima = emitBlockMaxima(m, op.getTile());
  // Registers of a thread without a part of the tile hold anything; what it
  // makes of them is not stored.
  Value thread = WarpSpecializeOp::emitThread(b, loc);
  if (Value holds = layout.emitHolds(b, loc, thread, shape))
    maxima = arith::SelectOp::create(b, loc, holds, maxima, m.constant(0.0f));
  Factors factors = isa<Float8E8M0FNUType>(scales.getElementType())
                        ? emitPowers(m, maxima, result.getElementType(),
                                     scales.getElementType())
                        : emitRatios(m, maxima, scales.getElementType());
  SmallVector<int64_t> blockOf;
  for (int64_t i = 0; i < held.getDimSize(0); ++i)
    blockOf.push_back(i * m.blocks / held.getDimSize(0));
  Value reciprocals = vector::ShuffleOp::create(b, loc, factors.reciprocals,
                                                factors.reciprocals, blockOf);
  Value scaled = arith::MulFOp::create(b, loc, op.getTile(), reciprocals);
  return {arith::TruncFOp::create(b, loc, result, scaled), factors.codes};
}

/// The index of a dimension of `type` known to be inside, or a check that it
/// is.
static void addInside(OpBuilder &b, Location loc, Value memref, unsigned dim,
                      Value index, SmallVectorImpl<Value> &checks) {
  Value size = b.createOrFold<memref::DimOp>(loc, memref, dim);
  size = b.createOrFold<arith::IndexCastOp>(loc, b.getI32Type(), size);
  checks.push_back(
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, index, size));
}

void tc::tmm::emitThreadScaleStore(OpBuilder &b, StoreOp op, Value value,
                                   ArrayRef<int64_t> shape,
                                   RegisterLayoutAttrInterface layout) {
  Location loc = op.getLoc();
  auto constant = [&](int64_t number) { return emitI32(b, loc, number); };
  auto divide = [&](Value number, int64_t by) -> Value {
    return arith::DivUIOp::create(b, loc, number, constant(by));
  };
  auto rest = [&](Value number, int64_t by) -> Value {
    return arith::RemUIOp::create(b, loc, number, constant(by));
  };
  Value thread = WarpSpecializeOp::emitThread(b, loc);
  Value row = arith::AddIOp::create(b, loc, op.getRow(),
                                    layout.emitRow(b, loc, thread, shape));
  Value inBlock = rest(row, kScaleRows);
  Value blockRow = divide(row, kScaleRows);
  unsigned first = op.getBatch().size();
  Value holds = layout.emitHolds(b, loc, thread, shape);
  int64_t chunk = std::gcd(shape[1], kScaleBlocks);
  for (int64_t at = 0; at < shape[1]; at += chunk) {
    OpBuilder::InsertionGuard guard(b);
    Value column = arith::AddIOp::create(b, loc, op.getCol(), constant(at));
    Value blockColumn = divide(column, kScaleBlocks);
    SmallVector<Value> checks;
    if (holds)
      checks.push_back(holds);
    if (!op.getInBounds()[0])
      addInside(b, loc, op.getTarget(), first, blockRow, checks);
    if (!op.getInBounds()[1])
      addInside(b, loc, op.getTarget(), first + 1, blockColumn, checks);
    if (!checks.empty()) {
      Value inside = checks.front();
      for (Value check : ArrayRef(checks).drop_front())
        inside = arith::AndIOp::create(b, loc, inside, check);
      auto branch = scf::IfOp::create(b, loc, inside);
      b.setInsertionPointToStart(branch.thenBlock());
    }
    SmallVector<Value> indices;
    auto add = [&](Value index) {
      indices.push_back(emitIndex(b, loc, index));
    };
    for (Value index : op.getBatch())
      add(index);
    add(blockRow);
    add(blockColumn);
    add(rest(inBlock, kScaleTileShape[0]));
    add(divide(inBlock, kScaleTileShape[0]));
    add(rest(column, kScaleBlocks));
    if (chunk == 1) {
      Value element = vector::ExtractOp::create(b, loc, value, at);
      memref::StoreOp::create(b, loc, element, op.getTarget(), indices);
      continue;
    }
    SmallVector<int64_t> elements(chunk);
    std::iota(elements.begin(), elements.end(), at);
    Value part = vector::ShuffleOp::create(b, loc, value, value, elements);
    vector::StoreOp::create(b, loc, part, op.getTarget(), indices,
                            /*nontemporal=*/false, llvm::Align(chunk));
  }
}

Value tc::tmm::emitThreadCrop(OpBuilder &b, CropOp op, ArrayRef<int64_t> shape,
                              RegisterLayoutAttrInterface layout) {
  Location loc = op.getLoc();
  Value thread = WarpSpecializeOp::emitThread(b, loc);
  Value row = arith::AddIOp::create(b, loc, op.getRow(),
                                    layout.emitRow(b, loc, thread, shape));
  Value col = op.getCol();
  if (Value own = layout.emitColumn(b, loc, thread, shape))
    col = arith::AddIOp::create(b, loc, col, own);
  Value columns = arith::SubIOp::create(b, loc, op.getCols(), col);
  Type element = cast<VectorType>(op.getTile().getType()).getElementType();
  TypedAttr fill = op.getFillAttr();
  Value zero =
      arith::ConstantOp::create(b, loc, fill ? fill : b.getZeroAttr(element));
  Value result = op.getTile();
  for (const RegisterRun &run : layout.getRuns(shape)) {
    Value at = arith::AddIOp::create(b, loc, row, emitI32(b, loc, run.row));
    Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, at,
                                         op.getRows());
    // How many elements of a row are inside; none of a row that is outside.
    Value room =
        arith::SelectOp::create(b, loc, inside, columns, emitI32(b, loc, 0));
    for (int64_t i = 0; i < run.length; ++i) {
      Value isInside =
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, room,
                                emitI32(b, loc, run.column + i));
      Value number = vector::ExtractOp::create(b, loc, result, run.first + i);
      number = arith::SelectOp::create(b, loc, isInside, number, zero);
      result = vector::InsertOp::create(b, loc, number, result, run.first + i);
    }
  }
  return result;
}

void tc::tmm::emitThreadAtomicMax(OpBuilder &b, AtomicMaxOp op,
                                  ArrayRef<int64_t> shape,
                                  RegisterLayoutAttrInterface layout) {
  Location loc = op.getLoc();
  Value largest = vector::ReductionOp::create(
      b, loc, vector::CombiningKind::MAXIMUMF, op.getTile());
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), largest);
  // Registers of a thread without a part of the tile hold anything.
  Value thread = WarpSpecializeOp::emitThread(b, loc);
  if (Value holds = layout.emitHolds(b, loc, thread, shape))
    bits = arith::SelectOp::create(b, loc, holds, bits, emitI32(b, loc, 0));
  bits = gpu::SubgroupReduceOp::create(
      b, loc, bits, gpu::AllReduceOperation::MAXSI, /*uniform=*/true,
      /*cluster_size=*/std::nullopt);
  Value lane = gpu::LaneIdOp::create(b, loc, /*upper_bound=*/nullptr);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value isFirst =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane, zero);
  auto branch = scf::IfOp::create(b, loc, isFirst);
  OpBuilder in = branch.getThenBodyBuilder();
  memref::AtomicRMWOp::create(in, loc, arith::AtomicRMWKind::maxs, bits,
                              op.getTarget(), ValueRange());
}
