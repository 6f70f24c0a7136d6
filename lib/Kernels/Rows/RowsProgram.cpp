//===- RowsProgram.cpp - the kernel of rows ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA for each tile of rows. Scalars of the body become register tiles: of
// all columns, or of one value for each row. Where a row is one tile it is
// fetched once; a longer one is read tile by tile as often as reductions depend
// on each other, with what is elementwise computed again.
//
//===----------------------------------------------------------------------===//

#include "RowsEmitter.h"

#include "tc/Support/EmitArith.h"
#include "tc/Support/Quotients.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// What changes nothing that numbers of `type` are combined with by `kind`.
static TypedAttr getNeutral(vector::CombiningKind kind, Type type) {
  using vector::CombiningKind;
  Builder b(type.getContext());
  if (auto real = dyn_cast<FloatType>(type)) {
    const llvm::fltSemantics &semantics = real.getFloatSemantics();
    switch (kind) {
    case CombiningKind::MUL:
      return b.getFloatAttr(type, 1.0);
    // Numbers win against NaN there.
    case CombiningKind::MINNUMF:
    case CombiningKind::MAXNUMF:
      return b.getFloatAttr(type, APFloat::getNaN(semantics));
    case CombiningKind::MINIMUMF:
      return b.getFloatAttr(type, APFloat::getInf(semantics));
    case CombiningKind::MAXIMUMF:
      return b.getFloatAttr(type, APFloat::getInf(semantics, true));
    default:
      return b.getFloatAttr(type, 0.0);
    }
  }
  unsigned bits = type.getIntOrFloatBitWidth();
  switch (kind) {
  case CombiningKind::MUL:
    return b.getIntegerAttr(type, 1);
  case CombiningKind::MINUI:
  case CombiningKind::AND:
    return b.getIntegerAttr(type, APInt::getAllOnes(bits));
  case CombiningKind::MINSI:
    return b.getIntegerAttr(type, APInt::getSignedMaxValue(bits));
  case CombiningKind::MAXSI:
    return b.getIntegerAttr(type, APInt::getSignedMinValue(bits));
  default:
    return b.getIntegerAttr(type, 0);
  }
}

/// How many reductions one after the other `value` depends on.
unsigned RowsProgram::getLevel(Value value) {
  auto [known, isNew] = levels.try_emplace(value, 0);
  Operation *definition = value.getDefiningOp();
  if (!isNew || !definition)
    return known->second;
  unsigned level = 0;
  for (Value operand : definition->getOperands())
    level = std::max(level, getLevel(operand));
  if (isa<RowReduceOp>(definition))
    ++level;
  return levels[value] = level;
}

void RowsProgram::emitSizes() {
  unsigned next = form.operands.size();
  auto sizeOf = [&](int64_t size) -> Value {
    return ShapedType::isDynamic(size) ? kernel.getArgument(next++)
                                       : emitI32(b, loc, size);
  };
  for (int64_t size : form.batch)
    sizes.push_back(sizeOf(size));
  rows = sizeOf(form.rows);
  columns = sizeOf(form.columns);
}

/// Where tile number `tile` is.
RowsProgram::Place RowsProgram::emitPlace(Value tile) {
  Place place;
  place.col = emitI32(b, loc, 0);
  if (form.countsColumns) {
    Value tiles = arith::CeilDivUIOp::create(b, loc, columns,
                                             emitI32(b, loc, shape.columns));
    Value number = arith::RemUIOp::create(b, loc, tile, tiles);
    place.col =
        arith::MulIOp::create(b, loc, number, emitI32(b, loc, shape.columns));
    tile = arith::DivUIOp::create(b, loc, tile, tiles);
  }
  if (!sizes.empty()) {
    Value tiles =
        arith::CeilDivUIOp::create(b, loc, rows, emitI32(b, loc, shape.rows));
    Value number = arith::DivUIOp::create(b, loc, tile, tiles);
    tile = arith::RemUIOp::create(b, loc, tile, tiles);
    place.batch.resize(sizes.size());
    for (size_t dim = sizes.size(); dim-- > 0;) {
      if (dim == 0) {
        place.batch[dim] = number;
        break;
      }
      place.batch[dim] = arith::RemUIOp::create(b, loc, number, sizes[dim]);
      number = arith::DivUIOp::create(b, loc, number, sizes[dim]);
    }
  }
  place.row = arith::MulIOp::create(b, loc, tile, emitI32(b, loc, shape.rows));
  return place;
}

DenseBoolArrayAttr RowsProgram::getInBounds(const RowsOperand &operand,
                                            bool hasColumns,
                                            bool isTransposed) {
  auto divides = [](int64_t size, int64_t extent) {
    return !ShapedType::isDynamic(size) && size != 0 && size % extent == 0;
  };
  bool inColumns = (!hasColumns || divides(form.columns, form.shape.columns)) &&
                   !operand.column.isPiece;
  bool inRows = divides(form.rows, form.shape.rows) && !operand.row.isPiece;
  return isTransposed ? b.getDenseBoolArrayAttr({inColumns, inRows})
                      : b.getDenseBoolArrayAttr({inRows, inColumns});
}

Value RowsProgram::emitFetch(BlockArgument argument, TileShape as) {
  bool hasColumns = as != TileShape::Values;
  const RowsOperand &operand = form.operands[argument.getArgNumber()];
  SmallVector<Value> indices;
  for (unsigned dim : operand.batch)
    indices.push_back(batch[dim]);
  Value memref = kernel.getArgument(argument.getArgNumber());
  UnitAttr once;
  if (shape.readsNontemporal && operand.hasRow && operand.hasColumn &&
      isReadOnce() && operand.batch.size() == form.batch.size())
    once = b.getUnitAttr();
  DenseI64ArrayAttr shift;
  if (operand.row.isPiece || operand.column.isPiece) {
    std::array<int64_t, 2> by = {operand.row.offset, operand.column.offset};
    if (operand.isTransposed)
      std::swap(by[0], by[1]);
    shift = b.getDenseI64ArrayAttr(by);
  }
  if (operand.isTransposed) {
    Value tile = FetchOp::create(
        b, loc, getTileType(argument.getType(), TileShape::Turned), memref, col,
        row, indices, AlongAttr(),
        getInBounds(operand, hasColumns, /*isTransposed=*/true), shape.layout,
        /*role=*/StringAttr(), shift, once);
    if (as == TileShape::Turned)
      return tile;
    return TransposeOp::create(b, loc, getTileType(argument.getType(), as),
                               tile, shape.layout);
  }
  AlongAttr along;
  if (operand.hasRow && !operand.hasColumn)
    along = AlongAttr::get(b.getContext(), Along::m);
  else if (operand.hasColumn && !operand.hasRow)
    along = AlongAttr::get(b.getContext(), Along::n);
  return FetchOp::create(b, loc, getTileType(argument.getType(), as), memref,
                         row, col, indices, along,
                         getInBounds(operand, hasColumns), getLayout(as),
                         /*role=*/StringAttr(), shift, once);
}

Value RowsProgram::compute(Value value, TileShape as) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return emitFetch(argument, as);
  Operation *definition = value.getDefiningOp();
  VectorType type = getTileType(value.getType(), as);
  if (auto constant = dyn_cast<arith::ConstantOp>(definition))
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, Attribute(constant.getValue())));
  if (auto index = dyn_cast<RowIndexOp>(definition)) {
    unsigned place = form.places[index.getDim()];
    if (place < form.batch.size())
      return vector::BroadcastOp::create(b, loc, type,
                                         emitIndex(b, loc, batch[place]));
    bool isRow = place == form.batch.size();
    bool isAlongM = isRow != (as == TileShape::Turned);
    return PositionsOp::create(b, loc, type, isRow ? row : col,
                               isAlongM ? Along::m : Along::n, getLayout(as));
  }
  if (auto op = dyn_cast<RowPickOp>(definition))
    return pick(op, op.getValue());
  assert(!isa<RowReduceOp>(definition) && "is computed in the order of levels");
  if (auto quotient = dyn_cast<arith::DivFOp>(definition);
      quotient && as == TileShape::Columns && isByRowValue(quotient)) {
    auto [scale, inverse] = getInverse(quotient.getRhs());
    auto multiply = [&](Value tile, Value values) -> Value {
      values = BroadcastOp::create(b, loc, type, values, shape.layout);
      return arith::MulFOp::create(b, loc, tile, values);
    };
    return multiply(multiply(get(quotient.getLhs(), as), scale), inverse);
  }
  return computeFrom(cast<OpResult>(value), as,
                     [&](Value operand) { return get(operand, as); });
}

/// Whether `op` divides the elements of a row by one value, and may be off by
/// an ulp.
bool RowsProgram::isByRowValue(arith::DivFOp op) {
  auto [known, isNew] = byRowValue.try_emplace(op, false);
  if (isNew)
    known->second = op.getType().isF32() && isColumn(op.getLhs()) &&
                    !isColumn(op.getRhs()) &&
                    !op.getRhs().getDefiningOp<arith::ConstantOp>() &&
                    !mustBeExact(op.getResult());
  return known->second;
}

/// What to multiply with instead of dividing by `divisor`, f32: its inverse.
/// Where that would overflow or lose bits, both are scaled. With the rounding
/// of the product the relative error is at most 1.5 * 2^-23, less than that of
/// a division.
RowsProgram::Inverse RowsProgram::getInverse(Value divisor) {
  Inverse &known = inverses[divisor];
  if (known.inverse)
    return known;
  auto type = getTileType(b.getF32Type(), TileShape::Values);
  auto emitTile = [&](double value) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, b.getF32FloatAttr(value)));
  };
  Value values = get(divisor, TileShape::Values);
  Value size = math::AbsFOp::create(b, loc, values);
  auto choose = [&](arith::CmpFPredicate predicate, double limit, double scale,
                    Value otherwise) -> Value {
    Value is = arith::CmpFOp::create(b, loc, predicate, size, emitTile(limit));
    return arith::SelectOp::create(b, loc, is, emitTile(scale), otherwise);
  };
  Value scale =
      choose(arith::CmpFPredicate::OLT, 0x1p-100, 0x1p60, emitTile(1));
  scale = choose(arith::CmpFPredicate::OGT, 0x1p100, 0x1p-60, scale);
  Value scaled = arith::MulFOp::create(b, loc, values, scale);
  known = {scale, arith::DivFOp::create(b, loc, emitTile(1), scaled)};
  return known;
}

/// The tile of `value`, an elementwise operation on the tiles that `of` gives.
Value RowsProgram::computeFrom(OpResult value, TileShape as,
                               function_ref<Value(Value)> of) {
  Operation *definition = value.getOwner();
  SmallVector<Value> operands;
  for (Value operand : definition->getOperands())
    operands.push_back(of(operand));
  SmallVector<Type> types;
  for (Type result : definition->getResultTypes())
    types.push_back(getTileType(result, as));
  OperationState state(loc, definition->getName(), operands, types,
                       definition->getAttrs());
  state.propertiesAttr = definition->getPropertiesAsAttribute();
  return b.create(state)->getResult(value.getResultNumber());
}

Value RowsProgram::get(Value value, TileShape as) {
  if (as == TileShape::Columns && !isColumn(value)) {
    // A constant is the same anywhere.
    if (value.getDefiningOp<arith::ConstantOp>())
      return compute(value, as);
    if (Value known = broadcast.lookup(value))
      return known;
    Value values = get(value, TileShape::Values);
    Value all = BroadcastOp::create(b, loc, getTileType(value.getType(), as),
                                    values, shape.layout);
    if (!isLooped())
      broadcast[value] = all;
    return all;
  }
  DenseMap<Value, Value> &known = as == TileShape::Columns  ? varying
                                  : as == TileShape::Turned ? turned
                                                            : uniform;
  if (Value tile = known.lookup(value))
    return tile;
  Value tile = compute(value, as);
  known[value] = tile;
  return tile;
}

/// Whether the tile of `value` can be computed in the orientation of memory:
/// what it is computed from has that, or is the same for all rows.
bool RowsProgram::canTurn(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    const RowsOperand &operand = form.operands[argument.getArgNumber()];
    return operand.isTransposed || (!operand.hasRow && !operand.hasColumn);
  }
  Operation *definition = value.getDefiningOp();
  if (isa<RowReduceOp, RowPickOp>(definition))
    return false;
  return llvm::all_of(definition->getOperands(),
                      [&](Value operand) { return canTurn(operand); });
}

void RowsProgram::prepare(Value value) {
  if (!isColumn(value)) {
    if (!value.getDefiningOp<arith::ConstantOp>())
      get(value, TileShape::Values);
    return;
  }
  Operation *definition = value.getDefiningOp();
  if (!definition || !prepared.insert(value).second)
    return;
  for (Value operand : definition->getOperands())
    prepare(operand);
  if (auto quotient = dyn_cast<arith::DivFOp>(definition);
      quotient && isByRowValue(quotient))
    getInverse(quotient.getRhs());
}

/// Calls `body` for each tile of the row, with what the one before yielded.
void RowsProgram::forTiles(ValueRange start,
                           function_ref<SmallVector<Value>(ValueRange)> body,
                           SmallVectorImpl<Value> &results) {
  if (!isLooped()) {
    results = body(start);
    return;
  }
  OpBuilder::InsertionGuard guard(b);
  Value zero = emitI32(b, loc, 0), step = emitI32(b, loc, shape.columns);
  auto loop = scf::ForOp::create(b, loc, zero, columns, step, start);
  b.setInsertionPointToStart(loop.getBody());
  llvm::SaveAndRestore place(col, Value(loop.getInductionVar()));
  SmallVector<Value> next = body(loop.getRegionIterArgs());
  if (!start.empty())
    scf::YieldOp::create(b, loc, next);
  varying.clear();
  turned.clear();
  llvm::append_range(results, loop.getResults());
}

/// `tile` with `fill` in columns behind the last one.
Value RowsProgram::crop(Value tile, TypedAttr fill, TileShape as) {
  if (isWholeTiles())
    return tile;
  Value zero = emitI32(b, loc, 0), rows = emitI32(b, loc, shape.rows);
  if (as == TileShape::Turned)
    return CropOp::create(b, loc, tile.getType(), tile, col, zero, columns,
                          rows, fill);
  return CropOp::create(b, loc, tile.getType(), tile, zero, col, rows, columns,
                        fill);
}

/// What `reduction` combines. The largest or smallest of numbers that were
/// widened is that of the narrow ones, of which an instruction compares two.
static Value getReduced(RowReduceOp reduction) {
  using vector::CombiningKind;
  auto widened = reduction.getValue().getDefiningOp<arith::ExtFOp>();
  bool isOrder =
      llvm::is_contained({CombiningKind::MAXNUMF, CombiningKind::MINNUMF,
                          CombiningKind::MAXIMUMF, CombiningKind::MINIMUMF},
                         reduction.getKind());
  return isOrder && widened &&
                 isa<Float16Type, BFloat16Type>(widened.getIn().getType())
             ? widened.getIn()
             : reduction.getValue();
}

void RowsProgram::reduce(ArrayRef<RowReduceOp> reductions) {
  SmallVector<Value> start, all;
  // Sums of tiles are turned once, not each tile.
  bool isTurned = isLooped() && llvm::any_of(form.operands, [](auto &operand) {
                    return operand.isTransposed;
                  });
  for (RowReduceOp reduction : reductions)
    isTurned &= isColumn(reduction.getValue()) && canTurn(reduction.getValue());
  TileShape as = isTurned ? TileShape::Turned : TileShape::Columns;
  for (RowReduceOp reduction : reductions) {
    Value value = getReduced(reduction);
    if (!isTurned)
      prepare(value);
    TypedAttr neutral = getNeutral(reduction.getKind(), value.getType());
    if (isLooped())
      start.push_back(arith::ConstantOp::create(
          b, loc,
          DenseElementsAttr::get(getTileType(value.getType(), as),
                                 Attribute(neutral))));
  }
  auto body = [&](ValueRange old) {
    SmallVector<Value> next;
    for (auto [number, known] : llvm::enumerate(reductions)) {
      RowReduceOp reduction = known;
      Value value = getReduced(reduction);
      Value tile = crop(get(value, as),
                        getNeutral(reduction.getKind(), value.getType()), as);
      if (!old.empty())
        tile = vector::makeArithReduction(b, loc, reduction.getKind(),
                                          old[number], tile);
      next.push_back(tile);
    }
    return next;
  };
  forTiles(start, body, all);
  for (auto [known, sums] : llvm::zip_equal(reductions, all)) {
    RowReduceOp reduction = known;
    Type type = getReduced(reduction).getType();
    Value tile = sums;
    if (isTurned)
      tile = TransposeOp::create(b, loc, getTileType(type, TileShape::Columns),
                                 tile, shape.layout);
    Value values =
        ReduceOp::create(b, loc, getTileType(type, TileShape::Values),
                         reduction.getKind(), tile, shape.layout);
    if (type != reduction.getType())
      values = arith::ExtFOp::create(
          b, loc, getTileType(reduction.getType(), TileShape::Values), values);
    uniform[reduction.getResult()] = values;
  }
}

void RowsProgram::store() {
  auto yield = cast<YieldOp>(op.getBody().front().getTerminator());
  auto put = [&](unsigned output) {
    unsigned number = op.getIns().size() + output;
    const RowsOperand &operand = form.operands[number];
    SmallVector<Value> indices;
    for (unsigned dim : operand.batch)
      indices.push_back(batch[dim]);
    TileShape as = operand.hasColumn ? TileShape::Columns : TileShape::Values;
    Value tile = get(yield.getValues()[output], as);
    Value first = row, second = operand.hasColumn ? col : emitI32(b, loc, 0);
    if (operand.isTransposed) {
      std::swap(first, second);
      auto type = cast<VectorType>(tile.getType());
      tile = TransposeOp::create(
          b, loc, getTileType(type.getElementType(), TileShape::Turned), tile,
          shape.layout);
    }
    StoreOp::create(
        b, loc, tile, kernel.getArgument(number), first, second, indices,
        /*blocked=*/false,
        getInBounds(operand, operand.hasColumn, operand.isTransposed),
        getLayout(as), /*role=*/StringAttr());
  };
  SmallVector<unsigned> wide;
  for (unsigned output = 0; output < op.getOuts().size(); ++output) {
    if (form.operands[op.getIns().size() + output].hasColumn)
      wide.push_back(output);
    else
      put(output);
  }
  if (wide.empty())
    return;
  for (unsigned output : wide)
    prepare(yield.getValues()[output]);
  SmallVector<Value> none;
  forTiles(
      {},
      [&](ValueRange) {
        for (unsigned output : wide)
          put(output);
        return SmallVector<Value>();
      },
      none);
}

void RowsProgram::emit() {
  emitSizes();
  number = arith::IndexCastOp::create(
      b, loc, b.getI32Type(),
      gpu::BlockIdOp::create(b, loc, gpu::Dimension::x));
  Place place = emitPlace(number);
  batch = place.batch;
  row = place.row;
  col = place.col;
  for (auto reduction : op.getBody().front().getOps<RowReduceOp>()) {
    unsigned level = getLevel(reduction.getResult());
    byLevel.resize(std::max<size_t>(byLevel.size(), level));
    byLevel[level - 1].push_back(reduction);
  }
  fetchEarly();
  for (auto [level, reductions] : llvm::enumerate(byLevel)) {
    // Without a barrier the compiler would see one fetch, and keep what it
    // gives.
    if (level != 0 && shape.fetchesAgain) {
      gpu::BarrierOp::create(b, loc);
      varying.clear();
    }
    reduce(reductions);
  }
  store();
  gpu::ReturnOp::create(b, loc);
}

void tc::tmm::emitRowsProgram(OpBuilder &builder, RowsOp op,
                              const RowsKernelForm &form,
                              gpu::GPUFuncOp kernel) {
  RowsProgram(builder, op, form, kernel).emit();
}
