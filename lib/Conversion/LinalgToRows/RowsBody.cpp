//===- RowsBody.cpp - the body of tmm.rows ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bodies of linalg operations, one after the other. A reduction becomes
// tmm.row_reduce of what it adds, then what its output started from is added.
//
//===----------------------------------------------------------------------===//

#include "RowGroup.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;
using vector::CombiningKind;

//===----------------------------------------------------------------------===//
// What can be
//===----------------------------------------------------------------------===//

/// How output number `output` of `op` is reduced.
static std::optional<Reduction> matchKind(linalg::GenericOp op,
                                          unsigned output) {
  SmallVector<Operation *> combiners;
  Value value = matchReduction(op.getRegionOutputArgs(), output, combiners);
  if (!value || combiners.size() != 1)
    return std::nullopt;
  std::optional<CombiningKind> kind =
      linalg::getCombinerOpKind(combiners.front());
  if (!kind)
    return std::nullopt;
  return Reduction{*kind, combiners.front(), value};
}

namespace {
/// The largest or smallest value, as output `value`, and where it is first.
struct ArgReduction {
  unsigned value;
  Reduction reduction;
};
} // namespace

/// The values of two that `op` has, where one of them is `known`.
static Value getOther(Operation *op, unsigned first, Value known) {
  if (op->getOperand(first) == known)
    return op->getOperand(first + 1);
  return op->getOperand(first + 1) == known ? op->getOperand(first) : Value();
}

/// The kind of `predicate` where it is true of what comes first alone: larger
/// or smaller.
static bool isStrict(Operation *compare, bool &isLarger) {
  if (auto real = dyn_cast<arith::CmpFOp>(compare)) {
    isLarger = real.getPredicate() == arith::CmpFPredicate::OGT;
    return isLarger || real.getPredicate() == arith::CmpFPredicate::OLT;
  }
  auto integer = dyn_cast<arith::CmpIOp>(compare);
  if (!integer)
    return false;
  isLarger = integer.getPredicate() == arith::CmpIPredicate::sgt;
  return isLarger || integer.getPredicate() == arith::CmpIPredicate::slt;
}

/// Whether `op` finds the first of the largest or smallest elements: of two
/// outputs the other one is the place of what replaced the value.
static std::optional<ArgReduction> matchArg(linalg::GenericOp op) {
  if (op.getNumDpsInits() != 2 || op.getNumReductionLoops() != 1)
    return std::nullopt;
  Operation *yield = op.getBody()->getTerminator();
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  for (unsigned value : {0u, 1u}) {
    BlockArgument acc = op.getRegionOutputArgs()[value],
                  place = op.getRegionOutputArgs()[1 - value];
    Operation *combiner = yield->getOperand(value).getDefiningOp();
    std::optional<CombiningKind> kind =
        combiner ? linalg::getCombinerOpKind(combiner) : std::nullopt;
    if (!kind || combiner->getNumOperands() != 2)
      continue;
    bool isMax = llvm::is_contained(
        {CombiningKind::MAXIMUMF, CombiningKind::MAXNUMF, CombiningKind::MAXSI},
        *kind);
    bool isMin = llvm::is_contained(
        {CombiningKind::MINIMUMF, CombiningKind::MINNUMF, CombiningKind::MINSI},
        *kind);
    Value own = getOther(combiner, 0, acc);
    auto select = yield->getOperand(1 - value).getDefiningOp<arith::SelectOp>();
    if (!own || !(isMax || isMin) || !select || select.getFalseValue() != place)
      continue;
    // Which side of the comparison is the new one decides what it asks.
    Operation *compare = select.getCondition().getDefiningOp();
    bool isLarger = false;
    if (!compare || !isStrict(compare, isLarger) ||
        getOther(compare, 0, acc) != own)
      continue;
    if (compare->getOperand(0) == acc)
      isLarger = !isLarger;
    auto cast = select.getTrueValue().getDefiningOp<arith::IndexCastOp>();
    auto index = cast ? cast.getIn().getDefiningOp<linalg::IndexOp>()
                      : linalg::IndexOp();
    // What it starts from is a number, which NaN would hide.
    TypedAttr start = getSplat(op.getDpsInitOperand(value)->get());
    auto number = dyn_cast_if_present<FloatAttr>(start);
    bool isKnown = start && !(number && number.getValue().isNaN());
    if (isLarger == isMax && index && index.getDim() == loops.front() &&
        isKnown)
      return ArgReduction{value, {*kind, combiner, own}};
  }
  return std::nullopt;
}

/// The type in which values of `type` are reduced; null: none.
static Type getSumType(Type type, CombiningKind kind) {
  Builder b(type.getContext());
  if (isa<FloatType>(type))
    return type.getIntOrFloatBitWidth() <= 32 ? Type(b.getF32Type())
           : type.isF64()                     ? type
                                              : Type();
  if (!isa<IntegerType>(type))
    return {};
  return type.getIntOrFloatBitWidth() <= 32 ? b.getI32Type() : b.getI64Type();
}

/// Whether the body of tmm.rows can do what `inner` does in that of `op`.
static bool canBeInBody(Operation &inner, linalg::GenericOp op) {
  if (isa<arith::ConstantOp, linalg::IndexOp>(inner))
    return true;
  auto isKnown = [&](Value value) {
    return op->isProperAncestor(value.getParentBlock()->getParentOp()) ||
           value.getParentBlock() == op.getBody() ||
           isa_and_nonnull<arith::ConstantOp>(value.getDefiningOp());
  };
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
    return matchExtract(extract, op).has_value() &&
           llvm::all_of(extract.getIndices(), isKnown);
  if (auto branch = dyn_cast<scf::IfOp>(inner)) {
    // Both sides are computed.
    auto isFine = [&](Block *side) {
      return side &&
             llvm::all_of(*side,
                          [&](Operation &one) {
                            return isa<scf::YieldOp>(one) ||
                                   (canBeInBody(one, op) &&
                                    (isa<tensor::ExtractOp>(one) ||
                                     isSpeculatable(&one)));
                          }) &&
             llvm::all_of(side->getTerminator()->getOperands(), isKnown);
    };
    return branch.getNumResults() != 0 && isKnown(branch.getCondition()) &&
           isFine(branch.thenBlock()) && isFine(branch.elseBlock());
  }
  return OpTrait::hasElementwiseMappableTraits(&inner) &&
         inner.getNumRegions() == 0 && inner.getNumResults() == 1 &&
         llvm::all_of(inner.getOperands(), isKnown);
}

bool tc::canBeRows(linalg::GenericOp op) {
  for (OpOperand &operand : op->getOpOperands())
    if (!tmm::isRowElement(getElementTypeOrSelf(operand.get().getType())))
      return false;
  for (Operation &inner : op.getBody()->without_terminator())
    if (!canBeInBody(inner, op))
      return false;
  // What is yielded without being computed here.
  for (Value value : op.getBody()->getTerminator()->getOperands()) {
    Operation *definition = value.getDefiningOp();
    if (value.getParentBlock() != op.getBody() &&
        !isa_and_nonnull<arith::ConstantOp>(definition))
      return false;
  }
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  for (OpOperand &init : op.getDpsInitsMutable())
    for (unsigned loop : reductions)
      if (op.getMatchingIndexingMap(&init).isFunctionOfDim(loop))
        return false;
  if (reductions.empty() || matchArg(op))
    return true;
  for (unsigned output = 0; output < op.getNumDpsInits(); ++output) {
    std::optional<Reduction> reduction = matchKind(op, output);
    if (!reduction || !getSumType(reduction->value.getType(), reduction->kind))
      return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The body
//===----------------------------------------------------------------------===//

RowsBody::RowsBody(RewriterBase &rewriter, Block &body, ArrayRef<int64_t> sizes,
                   bool usesPieces)
    : rewriter(rewriter), body(body), sizes(sizes), usesPieces(usesPieces) {}

std::pair<unsigned, int64_t> RowsBody::getPlaceOf(unsigned number) const {
  return number < sizes.size() ? std::pair(number, int64_t(0))
                               : moved[number - sizes.size()];
}

AffineMap RowsBody::getMap(const TensorDims &tensor) const {
  MLIRContext *context = rewriter.getContext();
  SmallVector<AffineExpr> results;
  for (std::optional<unsigned> number : tensor) {
    if (!number) {
      results.push_back(getAffineConstantExpr(0, context));
      continue;
    }
    auto [dim, offset] = getPlaceOf(*number);
    results.push_back(getAffineDimExpr(dim, context) + offset);
  }
  return AffineMap::get(sizes.size(), 0, results, context);
}

ArrayAttr RowsBody::getPieces() const {
  if (llvm::all_of(pieces, [](auto &dims) { return dims.empty(); }))
    return {};
  SmallVector<Attribute> lists;
  for (ArrayRef<int64_t> dims : pieces)
    lists.push_back(rewriter.getDenseI64ArrayAttr(dims));
  return rewriter.getArrayAttr(lists);
}

Value RowsBody::get(Value value, const TensorDims &tensor) {
  auto [source, sourceDims] = traceUnits(value, tensor);
  auto isPlace = [&](std::optional<unsigned> number) {
    return !number || *number < sizes.size();
  };
  if (Value element = elements.lookup(source);
      element && llvm::all_of(sourceDims, isPlace))
    return element;
  if (Value element = getPiece(source, sourceDims))
    return element;
  // A view of an operand is as good as the operand.
  AffineMap map = getMap(sourceDims);
  SmallVector<int64_t> parts;
  for (std::optional<unsigned> number : sourceDims)
    if (number && *number >= sizes.size())
      parts.push_back(getPlaceOf(*number).first);
  for (auto [number, in] : llvm::enumerate(ins))
    if (in == source && maps[number] == map && pieces[number] == parts)
      return body.getArgument(number);
  ins.push_back(source);
  maps.push_back(map);
  pieces.push_back(parts);
  return body.addArgument(getElementTypeOrSelf(source.getType()),
                          source.getLoc());
}

/// `value` as a number of `type`, as `kind` sees it.
static Value convert(OpBuilder &b, Location loc, Value value, Type type,
                     CombiningKind kind) {
  Type from = value.getType();
  if (from == type)
    return value;
  bool isWider = type.getIntOrFloatBitWidth() > from.getIntOrFloatBitWidth();
  if (isa<FloatType>(type))
    return isWider ? arith::ExtFOp::create(b, loc, type, value).getResult()
                   : arith::TruncFOp::create(b, loc, type, value).getResult();
  if (!isWider)
    return arith::TruncIOp::create(b, loc, type, value);
  bool hasNoSign = kind == CombiningKind::MINUI || kind == CombiningKind::MAXUI;
  return hasNoSign ? arith::ExtUIOp::create(b, loc, type, value).getResult()
                   : arith::ExtSIOp::create(b, loc, type, value).getResult();
}

/// Whether `value` changes nothing that is combined with it by `kind`.
static bool isNeutral(Value value, CombiningKind kind) {
  APFloat real(0.0);
  APInt integer;
  if (matchPattern(value, m_ConstantFloat(&real))) {
    switch (kind) {
    case CombiningKind::ADD:
      return real.isZero();
    case CombiningKind::MUL:
      return real.isExactlyValue(1.0);
    case CombiningKind::MAXIMUMF:
      return real.isInfinity() && real.isNegative();
    case CombiningKind::MINIMUMF:
      return real.isInfinity() && !real.isNegative();
    case CombiningKind::MAXNUMF:
    case CombiningKind::MINNUMF:
      return real.isNaN();
    default:
      return false;
    }
  }
  if (!matchPattern(value, m_ConstantInt(&integer)))
    return false;
  switch (kind) {
  case CombiningKind::ADD:
  case CombiningKind::OR:
  case CombiningKind::XOR:
  case CombiningKind::MAXUI:
    return integer.isZero();
  case CombiningKind::MUL:
    return integer.isOne();
  case CombiningKind::AND:
  case CombiningKind::MINUI:
    return integer.isAllOnes();
  case CombiningKind::MAXSI:
    return integer.isMinSignedValue();
  case CombiningKind::MINSI:
    return integer.isMaxSignedValue();
  default:
    return false;
  }
}

/// Where the first of the largest or smallest of `value` is in its row, `start`
/// where none is beyond `from`. What comes after a NaN that `kind` keeps is not
/// compared.
Value RowsBody::emitPlace(Location loc, CombiningKind kind, Value value,
                          Value from, Value start) {
  // Rows have fewer columns than 2^31.
  Type type = value.getType(), placeType = rewriter.getI32Type();
  bool isMax = llvm::is_contained(
      {CombiningKind::MAXIMUMF, CombiningKind::MAXNUMF, CombiningKind::MAXSI},
      kind);
  Value column = tmm::RowIndexOp::create(rewriter, loc, rewriter.getIndexType(),
                                         uint64_t(sizes.size() - 1));
  column = arith::IndexCastOp::create(rewriter, loc, placeType, column);
  auto constant = [&](TypedAttr attr) -> Value {
    return arith::ConstantOp::create(rewriter, loc, attr);
  };
  Value none = constant(rewriter.getIntegerAttr(
      placeType, APInt::getSignedMaxValue(placeType.getIntOrFloatBitWidth())));
  auto firstOf = [&](Value isOne) -> Value {
    Value place = arith::SelectOp::create(rewriter, loc, isOne, column, none);
    return tmm::RowReduceOp::create(rewriter, loc, CombiningKind::MINSI, place);
  };
  auto real = dyn_cast<FloatType>(type);
  if (kind == CombiningKind::MAXIMUMF || kind == CombiningKind::MINIMUMF) {
    Value isNaN = arith::CmpFOp::create(
        rewriter, loc, arith::CmpFPredicate::UNO, value, value);
    Value isCompared = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::slt, column, firstOf(isNaN));
    Value worst = constant(rewriter.getFloatAttr(
        real, APFloat::getInf(real.getFloatSemantics(), /*Negative=*/isMax)));
    value = arith::SelectOp::create(rewriter, loc, isCompared, value, worst);
    kind = isMax ? CombiningKind::MAXNUMF : CombiningKind::MINNUMF;
  }
  Value best = tmm::RowReduceOp::create(rewriter, loc, kind, value);
  auto compare = [&](Value a, Value b, arith::CmpFPredicate floats,
                     arith::CmpIPredicate integers) -> Value {
    if (real)
      return arith::CmpFOp::create(rewriter, loc, floats, a, b);
    return arith::CmpIOp::create(rewriter, loc, integers, a, b);
  };
  // What is not compared is the worst, and that is beyond nothing.
  Value isBest =
      compare(value, best, arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq);
  Value place = convert(rewriter, loc, firstOf(isBest), start.getType(),
                        CombiningKind::MINSI);
  Value isBeyond = compare(
      best, from, isMax ? arith::CmpFPredicate::OGT : arith::CmpFPredicate::OLT,
      isMax ? arith::CmpIPredicate::sgt : arith::CmpIPredicate::slt);
  return arith::SelectOp::create(rewriter, loc, isBeyond, place, start);
}

/// What output `output` of a reduction starts from.
Value RowsBody::getStart(linalg::GenericOp op, unsigned output,
                         const TensorDims &initDims) {
  Value init = op.getDpsInitOperand(output)->get();
  if (TypedAttr number = getSplat(init))
    return arith::ConstantOp::create(rewriter, op.getLoc(), number);
  return get(init, initDims);
}

Value RowsBody::reduce(linalg::GenericOp op, const Reduction &reduction,
                       unsigned output, IRMapping &mapping,
                       const TensorDims &initDims) {
  Location loc = op.getLoc();
  Value value = mapping.lookupOrDefault(reduction.value);
  Type type = value.getType();
  Type sumType = getSumType(type, reduction.kind);
  value = convert(rewriter, loc, value, sumType, reduction.kind);
  Value result = tmm::RowReduceOp::create(rewriter, loc, reduction.kind, value);
  Value start = getStart(op, output, initDims);
  // The smallest of few bits is not that of 32, which a row without columns
  // has.
  bool isBounded = llvm::is_contained(
      {CombiningKind::MAXSI, CombiningKind::MINSI, CombiningKind::MINUI},
      reduction.kind);
  if (isNeutral(start, reduction.kind) && !(isBounded && type != sumType))
    return convert(rewriter, loc, result, type, reduction.kind);
  start = convert(rewriter, loc, start, sumType, reduction.kind);
  result =
      vector::makeArithReduction(rewriter, loc, reduction.kind, start, result);
  return convert(rewriter, loc, result, type, reduction.kind);
}

/// The place along dimension `number`; 0 where there is none.
Value RowsBody::getIndex(Location loc, std::optional<unsigned> number) {
  if (!number)
    return arith::ConstantIndexOp::create(rewriter, loc, 0);
  auto [dim, offset] = getPlaceOf(*number);
  Value place = tmm::RowIndexOp::create(rewriter, loc, rewriter.getIndexType(),
                                        uint64_t(dim));
  if (offset == 0)
    return place;
  Value by = arith::ConstantIndexOp::create(rewriter, loc, offset);
  return arith::AddIOp::create(rewriter, loc, place, by);
}

void RowsBody::add(linalg::GenericOp op, const TensorDims &loops,
                   ArrayRef<TensorDims> operandDims) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToEnd(&body);
  IRMapping mapping;
  bool isReduction = op.getNumReductionLoops() != 0;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    // Of a reduction the output is what it is combined with.
    if (argument.use_empty() || (isReduction && op.isDpsInit(&operand)))
      continue;
    mapping.map(argument,
                get(operand.get(), operandDims[operand.getOperandNumber()]));
  }
  SmallVector<Operation *> combiners;
  std::optional<ArgReduction> arg;
  if (isReduction)
    arg = matchArg(op);
  for (unsigned output = 0; isReduction && output < op.getNumDpsInits();
       ++output)
    combiners.push_back(
        arg ? op.getBody()->getTerminator()->getOperand(output).getDefiningOp()
            : matchKind(op, output)->combiner);
  // Compares with what the output is so far.
  if (arg)
    combiners.push_back(cast<arith::SelectOp>(op.getBody()
                                                  ->getTerminator()
                                                  ->getOperand(1 - arg->value)
                                                  .getDefiningOp())
                            .getCondition()
                            .getDefiningOp());
  emitBody(*op.getBody(), loops, mapping, combiners);
  for (OpOperand &init : op.getDpsInitsMutable()) {
    OpResult result = op.getTiedOpResult(&init);
    unsigned number = result.getResultNumber();
    const TensorDims &dims = operandDims[init.getOperandNumber()];
    Value element;
    if (arg && number != arg->value) {
      const TensorDims &valueDims =
          operandDims[op.getDpsInitOperand(arg->value)->getOperandNumber()];
      Value value = mapping.lookupOrDefault(arg->reduction.value);
      Type type = getSumType(value.getType(), arg->reduction.kind);
      auto widen = [&](Value some) {
        return convert(rewriter, op.getLoc(), some, type, arg->reduction.kind);
      };
      element = emitPlace(op.getLoc(), arg->reduction.kind, widen(value),
                          widen(getStart(op, arg->value, valueDims)),
                          getStart(op, number, dims));
    } else if (isReduction) {
      Reduction reduction = arg ? arg->reduction : *matchKind(op, number);
      own(reduction.value, mapping);
      element = reduce(op, reduction, number, mapping, dims);
    } else {
      Value yielded = op.getBody()->getTerminator()->getOperand(number);
      own(yielded, mapping);
      element = mapping.lookupOrDefault(yielded);
    }
    elements[result] = element;
  }
}
