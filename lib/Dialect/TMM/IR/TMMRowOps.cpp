//===- TMMRowOps.cpp - rows and what is reduced along them ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See TMMRowOps.td.
//
//===----------------------------------------------------------------------===//

#include "Destinations.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// RowsOp
//===----------------------------------------------------------------------===//

std::optional<std::pair<unsigned, int64_t>> tc::tmm::getPlace(AffineExpr expr) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return std::pair(dim.getPosition(), int64_t(0));
  auto sum = dyn_cast<AffineBinaryOpExpr>(expr);
  if (!sum || sum.getKind() != AffineExprKind::Add)
    return std::nullopt;
  auto offset = dyn_cast<AffineConstantExpr>(sum.getRHS());
  auto dim = dyn_cast<AffineDimExpr>(sum.getLHS());
  if (!offset || !dim)
    return std::nullopt;
  return std::pair(dim.getPosition(), offset.getValue());
}

template <typename Op>
static SmallVector<std::pair<unsigned, unsigned>> findSizeSources(Op op) {
  constexpr unsigned kNone = ~0u;
  SmallVector<std::pair<unsigned, unsigned>> sources(op.getNumDims(),
                                                     {kNone, 0});
  auto isStatic = [&](std::pair<unsigned, unsigned> source) {
    return source.first != kNone &&
           !cast<ShapedType>(op.getOperand(source.first).getType())
                .isDynamicDim(source.second);
  };
  for (unsigned operand = 0; operand < op.getNumOperands(); ++operand)
    for (auto [dim, expr] :
         llvm::enumerate(op.getMapOf(operand).getResults())) {
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop || op.isPiece(operand, loop.getPosition()))
        continue;
      std::pair<unsigned, unsigned> &known = sources[loop.getPosition()];
      std::pair<unsigned, unsigned> own(operand, dim);
      if (known.first == kNone || (!isStatic(known) && isStatic(own)))
        known = own;
    }
  return sources;
}

template <typename Op>
static DenseSet<Value> findColumnValues(Op rows) {
  DenseSet<Value> columns;
  Block &block = rows.getBody().front();
  for (BlockArgument argument : block.getArguments())
    if (rows.hasColumn(rows.getMapOf(argument.getArgNumber())))
      columns.insert(argument);
  for (Operation &op : block) {
    if (isa<RowReduceOp, RowPickOp>(op))
      continue;
    auto index = dyn_cast<RowIndexOp>(op);
    if (index ? index.getDim() + 1 == rows.getNumDims()
              : llvm::any_of(op.getOperands(), [&](Value operand) {
                  return columns.contains(operand);
                }))
      columns.insert(op.result_begin(), op.result_end());
  }
  return columns;
}

SmallVector<std::pair<unsigned, unsigned>> RowsOp::getSizeSources() {
  return findSizeSources(*this);
}

SmallVector<std::pair<unsigned, unsigned>> RowProblemOp::getSizeSources() {
  return findSizeSources(*this);
}

DenseSet<Value> RowsOp::getColumnValues() { return findColumnValues(*this); }

DenseSet<Value> RowProblemOp::getColumnValues() {
  return findColumnValues(*this);
}

/// C7.
template <typename Op>
static LogicalResult verifyPieces(Op op) {
  if (!op.getPieces())
    return success();
  if (op.getPieces()->size() != op.getIns().size())
    return op.emitOpError() << "expected " << op.getIns().size()
                            << " lists of pieces, one for each of ins, got "
                            << op.getPieces()->size();
  for (auto [number, dims] : llvm::enumerate(*op.getPieces()))
    for (int64_t dim : cast<DenseI64ArrayAttr>(dims).asArrayRef())
      if (dim < 0 || dim >= op.getNumDims() ||
          !op.getMapOf(number).isFunctionOfDim(dim))
        return op.emitOpError()
               << "operand " << number
               << ": expected dimensions of its map as those of pieces, got "
               << dim;
  return success();
}

/// C1 to C3 for one operand; `sizes` are those that are known.
template <typename Op>
static LogicalResult verifyMap(Op op, unsigned number,
                               SmallVectorImpl<int64_t> &sizes) {
  AffineMap map = op.getMapOf(number);
  auto type = cast<ShapedType>(op.getOperand(number).getType());
  auto refuse = [&](const Twine &expected) {
    return op.emitOpError() << "operand " << number << ": expected " << expected
                            << ", got " << AffineMapAttr::get(map);
  };
  // tmm_rows_c1
  if (map.getNumDims() != sizes.size() || map.getNumSymbols() != 0)
    return refuse("a map of " + Twine(sizes.size()) + " dimensions");
  if (int64_t(map.getNumResults()) != type.getRank())
    return refuse("a map of " + Twine(type.getRank()) + " results");
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    int64_t size = type.getDimSize(dim);
    if (auto zero = dyn_cast<AffineConstantExpr>(expr);
        zero && zero.getValue() == 0) {
      // tmm_rows_c3
      if (size != 1 && !ShapedType::isDynamic(size))
        return refuse("a dimension of " + Twine(size) + " elements for " +
                      Twine(dim));
      continue;
    }
    auto place = getPlace(expr);
    auto isSame = [&](AffineExpr other) {
      auto known = getPlace(other);
      return known && known->first == place->first;
    };
    if (!place || llvm::count_if(map.getResults(), isSame) != 1)
      return refuse("dimensions, each at most once, or 0");
    if (op.isPiece(number, place->first)) {
      // tmm_rows_c3
      if (std::abs(place->second) >= kMostRowElements)
        return refuse("numbers of less than " + Twine(kMostRowElements));
      continue;
    }
    if (place->second != 0)
      return refuse("numbers to be added to dimensions of pieces alone");
    int64_t &known = sizes[place->first];
    if (!ShapedType::isDynamic(known) && !ShapedType::isDynamic(size) &&
        known != size)
      return refuse(Twine(known) + " elements along " + Twine(dim));
    if (ShapedType::isDynamic(known))
      known = size;
  }
  return success();
}

bool tc::tmm::isRowElement(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type))
    return integer.isSignless() &&
           llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  auto real = dyn_cast<FloatType>(type);
  return real && llvm::is_contained({8u, 16u, 32u, 64u}, real.getWidth());
}

/// C1 to C7.
template <typename Op>
static LogicalResult verifyRows(Op rows) {
  // tmm_rows_c1
  if (rows.getMaps().size() != rows.getNumOperands())
    return rows.emitOpError()
           << "expected " << rows.getNumOperands()
           << " maps, one for each operand, got " << rows.getMaps().size();
  if (rows.getNumOperands() == 0 || rows.getOuts().empty())
    return rows.emitOpError() << "expected an output, got none";
  if (rows.getNumDims() == 0)
    return rows.emitOpError() << "expected maps of at least 1 dimension, got 0";
  // tmm_rows_c7
  if (failed(verifyPieces(rows)))
    return failure();
  SmallVector<int64_t> sizes(rows.getNumDims(), ShapedType::kDynamic);
  for (unsigned number = 0; number < rows.getNumOperands(); ++number)
    if (failed(verifyMap(rows, number, sizes)))
      return failure();
  for (auto [dim, source] : llvm::enumerate(rows.getSizeSources()))
    if (source.first == ~0u)
      return rows.emitOpError()
             << "expected an operand along dimension " << dim << ", got none";
  Block &body = rows.getBody().front();
  auto yield = dyn_cast<YieldOp>(body.getTerminator());
  if (!yield)
    return rows.emitOpError() << "expected a body that ends in tmm.yield";
  // tmm_rows_c4
  for (auto [number, operand] : llvm::enumerate(rows.getOperands()))
    if (!isRowElement(getElementTypeOrSelf(operand.getType())))
      return rows.emitOpError()
             << "operand " << number
             << ": expected elements of 8, 16, 32 or 64 bits, or "
                "i1, got "
             << getElementTypeOrSelf(operand.getType());
  auto elementOf = [](Value value) {
    return getElementTypeOrSelf(value.getType());
  };
  if (!llvm::equal(llvm::map_range(rows.getIns(), elementOf),
                   body.getArgumentTypes()))
    return rows.emitOpError()
           << "expected the body to take the elements of ins, "
              "got "
           << body.getArgumentTypes();
  if (!llvm::equal(llvm::map_range(rows.getOuts(), elementOf),
                   yield.getOperandTypes()))
    return rows.emitOpError()
           << "expected the body to yield the elements of outs, "
              "got "
           << yield.getOperandTypes();
  for (Operation &op : body.without_terminator())
    // tmm_rows_c5
    if (!OpTrait::hasElementwiseMappableTraits(&op) &&
        !isa<arith::ConstantOp, RowReduceOp, RowPickOp, RowIndexOp>(op))
      return op.emitOpError() << "expected an elementwise operation, a "
                                 "constant, tmm.row_index, tmm.row_pick or "
                                 "tmm.row_reduce in the body";
  DenseSet<Value> columns = rows.getColumnValues();
  for (auto [number, value] : llvm::enumerate(yield.getOperands())) {
    unsigned operand = rows.getIns().size() + number;
    AffineMap map = rows.getMapOf(operand);
    for (unsigned dim = 0; dim < rows.getNumDims(); ++dim)
      // tmm_rows_c2
      if (!map.isFunctionOfDim(dim) && (dim + 1 < rows.getNumDims()))
        return rows.emitOpError() << "operand " << operand
                                  << ": expected an output along dimension "
                                  << dim << ", got " << AffineMapAttr::get(map);
    // tmm_rows_c6
    if (!rows.hasColumn(map) && columns.contains(value))
      return rows.emitOpError()
             << "operand " << operand
             << ": expected a value that is the same in the "
                "whole row, such as that of tmm.row_reduce, for "
                "an output without the column";
  }
  return success();
}

LogicalResult RowsOp::verify() {
  if (failed(verifyRows(*this)))
    return failure();
  if (getNumResults() != 0 && getNumResults() != getOuts().size())
    return emitOpError() << "expected " << getOuts().size()
                         << " results or none, got " << getNumResults();
  return success();
}

LogicalResult RowProblemOp::verify() { return verifyRows(*this); }

gpu::LaunchFuncOp RowProblemOp::getLaunch() { return findLaunchAfter(*this); }

void RowsOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  addDestinationEffects(*this, effects);
}

bool RowsOp::bufferizesToMemoryRead(OpOperand &operand, const AnalysisState &) {
  return !isDpsInit(&operand);
}

bool RowsOp::bufferizesToMemoryWrite(OpOperand &operand,
                                     const AnalysisState &) {
  return isDpsInit(&operand);
}

AliasingValueList RowsOp::getAliasingValues(OpOperand &operand,
                                            const AnalysisState &) {
  return getDestinationAliases(*this, operand);
}

LogicalResult RowsOp::bufferize(RewriterBase &rewriter,
                                const BufferizationOptions &options,
                                BufferizationState &state) {
  if (getNumResults() == 0)
    return success();
  return bufferizeDestinations(
      rewriter, *this, options, state, [&](ValueRange buffers) {
        size_t ins = getIns().size();
        auto op = RowsOp::create(
            rewriter, getLoc(), TypeRange(), buffers.take_front(ins),
            buffers.drop_front(ins), getMapsAttr(), getPiecesAttr());
        op.getBody().takeBody(getBody());
        return op;
      });
}

//===----------------------------------------------------------------------===//
// Operations of its body
//===----------------------------------------------------------------------===//

bool tc::tmm::detail::hasKind(vector::CombiningKind kind, Type type) {
  using vector::CombiningKind;
  switch (kind) {
  case CombiningKind::ADD:
  case CombiningKind::MUL:
    return true;
  case CombiningKind::MINNUMF:
  case CombiningKind::MAXNUMF:
  case CombiningKind::MINIMUMF:
  case CombiningKind::MAXIMUMF:
    return isa<FloatType>(type);
  default:
    return isa<IntegerType>(type);
  }
}

LogicalResult RowReduceOp::verify() {
  if (!detail::hasKind(getKind(), getType()))
    return emitOpError() << "expected a kind for " << getType() << ", got "
                         << vector::stringifyCombiningKind(getKind());
  return success();
}

LogicalResult RowPickOp::verify() {
  // tmm_row_pick_c1
  Operation *parent = (*this)->getParentOp();
  auto rows = dyn_cast<RowsOp>(parent);
  if ((rows ? rows.getColumnValues()
            : cast<RowProblemOp>(parent).getColumnValues())
          .contains(getIndex()))
    return emitOpError() << "expected an index that is the same in the whole "
                            "row";
  return success();
}

LogicalResult RowIndexOp::verify() {
  // tmm_row_index_c1
  Operation *parent = (*this)->getParentOp();
  auto rows = dyn_cast<RowsOp>(parent);
  unsigned dims =
      rows ? rows.getNumDims() : cast<RowProblemOp>(parent).getNumDims();
  if (getDim() >= dims)
    return emitOpError() << "expected a dimension below " << dims << ", got "
                         << getDim();
  return success();
}
