//===- Softmax.cpp - softmax in the body of tmm.rows ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads scalars from what is yielded to the accumulator of the product: the
// quotient, the exponential, the mask and the scale.
//
//===----------------------------------------------------------------------===//

#include "Softmax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

/// What hides a key: the exponential of a difference to a score is 0.
static constexpr double kHidden = -1e30;

namespace {

/// A place along a row or a column, or a number, plus an offset.
struct Place {
  enum { Number, Row, Column } of;
  int64_t offset;
};

class Reader {
public:
  Reader(RowsOp rows, unsigned number, MatmulOp scores)
      : rows(rows), number(number), scores(scores) {}

  bool read();
  Softmax softmax;
  std::string why = "its rows are no softmax";

private:
  bool refuse(const Twine &reason) {
    why = reason.str();
    return false;
  }
  Value skipEmptyRows(Value value);
  bool readScore(Value value);
  bool readSum(arith::AddFOp sum);
  bool readBias(BlockArgument bias);
  bool readExtra(unsigned number);
  bool readMasked(Value condition, Value seen, Value hidden, Value &rest);
  bool readMask(Value condition, bool isSeen);
  bool require(arith::CmpIPredicate predicate, Place left, Place right);
  std::optional<Place> readPlace(Value value);
  Value skipConversions(Value value);

  bool isScore(BlockArgument argument) {
    return argument.getArgNumber() ==
           (argument.getOwner() == &rows.getBody().front() ? number : 0);
  }

  RowsOp rows;
  unsigned number;
  MatmulOp scores;
  /// The scores whose rows are 0 where all of them are -infinity.
  Value emptyRow;
  /// Whether keys are hidden by a number: rows of them are not empty then.
  bool hidesFinitely = false;
};

} // namespace

static std::optional<double> getNumber(Value value) {
  FloatAttr attr;
  // Upstream does not fold what changes the number.
  if (auto cut = value.getDefiningOp<arith::TruncFOp>();
      cut && matchPattern(cut.getIn(), m_Constant(&attr)) &&
      isa<FloatType>(value.getType())) {
    APFloat number = attr.getValue();
    bool losesInfo;
    number.convert(cast<FloatType>(value.getType()).getFloatSemantics(),
                   APFloat::rmNearestTiesToEven, &losesInfo);
    return number.convertToDouble();
  }
  if (!matchPattern(value, m_Constant(&attr)))
    return std::nullopt;
  return attr.getValueAsDouble();
}

/// `value` before conversions between floats: what they round is not rounded in
/// the kernel.
Value Reader::skipConversions(Value value) {
  auto isWide = [](Value x) {
    return getElementTypeOrSelf(x).getIntOrFloatBitWidth() >= 16;
  };
  while (
      isa_and_nonnull<arith::ExtFOp, arith::TruncFOp>(value.getDefiningOp()) &&
      isWide(value) && isWide(value.getDefiningOp()->getOperand(0)))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

std::optional<Place> Reader::readPlace(Value value) {
  // Places and what is added to them fit into 32 bits: nothing wraps.
  if (!value.getType().isIndex() &&
      value.getType().getIntOrFloatBitWidth() < 32)
    return std::nullopt;
  APInt number;
  if (matchPattern(value, m_ConstantInt(&number))) {
    if (number.getSignificantBits() > 30)
      return std::nullopt;
    return Place{Place::Number, number.getSExtValue()};
  }
  Operation *op = value.getDefiningOp();
  if (auto index = dyn_cast_or_null<RowIndexOp>(op)) {
    unsigned last = rows.getNumDims() - 1;
    if (index.getDim() == last)
      return Place{Place::Column, 0};
    if (index.getDim() + 1 == last)
      return Place{Place::Row, 0};
    return std::nullopt;
  }
  if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                      arith::ExtUIOp, arith::TruncIOp>(op))
    return readPlace(op->getOperand(0));
  if (isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op)) {
    std::optional<Place> left = readPlace(op->getOperand(0)),
                         right = readPlace(op->getOperand(1));
    if (!left || !right)
      return std::nullopt;
    if (isa<arith::SubIOp>(op)) {
      if (right->of != Place::Number)
        return std::nullopt;
      right->offset = -right->offset;
    }
    if (left->of != Place::Number && right->of != Place::Number)
      return std::nullopt;
    int64_t offset = left->offset + right->offset;
    if (std::abs(offset) >= int64_t(1) << 29)
      return std::nullopt;
    return Place{left->of == Place::Number ? right->of : left->of, offset};
  }
  return std::nullopt;
}

/// Notes that a row sees the columns where `left` `predicate` `right`.
bool Reader::require(arith::CmpIPredicate predicate, Place left, Place right) {
  using enum arith::CmpIPredicate;
  if (left.of == Place::Row && right.of == Place::Column) {
    std::swap(left, right);
    switch (predicate) {
    case sle:
      predicate = sge;
      break;
    case slt:
      predicate = sgt;
      break;
    case sge:
      predicate = sle;
      break;
    case sgt:
      predicate = slt;
      break;
    default:
      return false;
    }
  }
  if (left.of != Place::Column || right.of != Place::Row)
    return false;
  // column + a <= row + b
  int64_t distance = right.offset - left.offset;
  bool isUpper = predicate == sle || predicate == slt;
  std::optional<int64_t> &bound = isUpper ? softmax.diagonal : softmax.after;
  if (bound)
    return false;
  switch (predicate) {
  case sle:
    bound = distance;
    return true;
  case slt:
    bound = distance - 1;
    return true;
  case sgt:
    bound = distance;
    return true;
  case sge:
    bound = distance - 1;
    return true;
  default:
    return false;
  }
}

/// Places are not negative, but with an offset below 0 they may be.
static std::optional<arith::CmpIPredicate>
getSigned(arith::CmpIPredicate predicate, Place left, Place right) {
  using enum arith::CmpIPredicate;
  bool mayBeNegative = left.offset < 0 || right.offset < 0;
  switch (predicate) {
  case ule:
    predicate = sle;
    break;
  case ult:
    predicate = slt;
    break;
  case uge:
    predicate = sge;
    break;
  case ugt:
    predicate = sgt;
    break;
  default:
    return predicate;
  }
  if (mayBeNegative)
    return std::nullopt;
  return predicate;
}

/// Reads a condition under which a row sees a column, or with `isSeen` false
/// does not.
bool Reader::readMask(Value condition, bool isSeen) {
  Operation *op = condition.getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op); both && isSeen)
    return readMask(both.getLhs(), true) && readMask(both.getRhs(), true);
  if (auto either = dyn_cast_or_null<arith::OrIOp>(op); either && !isSeen)
    return readMask(either.getLhs(), false) && readMask(either.getRhs(), false);
  if (auto negated = dyn_cast_or_null<arith::XOrIOp>(op)) {
    if (matchPattern(negated.getRhs(), m_One()))
      return readMask(negated.getLhs(), !isSeen);
    return false;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  if (!compare)
    return false;
  std::optional<Place> left, right;
  // The difference of a column and a row, and a number.
  auto difference = compare.getLhs().getDefiningOp<arith::SubIOp>();
  std::optional<Place> number = readPlace(compare.getRhs());
  if (difference && number && number->of == Place::Number) {
    // It may be negative.
    if (compare.getPredicate() > arith::CmpIPredicate::sge)
      return false;
    left = readPlace(difference.getLhs());
    right = readPlace(difference.getRhs());
    if (right && right->of != Place::Number)
      right->offset += number->offset;
    else
      left = right = std::nullopt;
  }
  if (!left || !right) {
    left = readPlace(compare.getLhs());
    right = number;
  }
  if (!left || !right)
    return false;
  std::optional<arith::CmpIPredicate> predicate =
      getSigned(compare.getPredicate(), *left, *right);
  if (!predicate)
    return false;
  return require(isSeen ? *predicate : arith::invertPredicate(*predicate),
                 *left, *right);
}

/// Reads a choice between `seen` and `hidden`, one of which hides keys; `rest`
/// is the other.
bool Reader::readMasked(Value condition, Value seen, Value hidden,
                        Value &rest) {
  for (bool isSeen : {true, false}) {
    std::optional<double> number = getNumber(isSeen ? hidden : seen);
    if (!number || !(*number * softmax.scale <= kHidden))
      continue;
    rest = isSeen ? seen : hidden;
    hidesFinitely |= !std::isinf(*number);
    return readMask(condition, isSeen) ||
           refuse("its mask is none of row and column");
  }
  return refuse("its mask hides with another number than one below -1e30");
}

/// Reads what becomes of the accumulator.
bool Reader::readScore(Value value) {
  value = skipConversions(value);
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (!isScore(argument))
      return refuse("its scores are those of another operand");
    if (argument.getOwner() != &rows.getBody().front() || !scores.hasEpilogue())
      return true;
    return readScore(
        scores.getEpilogue()->front().getTerminator()->getOperand(0));
  }
  Operation *op = value.getDefiningOp();
  if (auto product = dyn_cast<arith::MulFOp>(op)) {
    for (auto [x, factor] : {std::pair(product.getLhs(), product.getRhs()),
                             std::pair(product.getRhs(), product.getLhs())})
      if (std::optional<double> number = getNumber(factor)) {
        if (!(*number > 0))
          return refuse("its scale is not above 0");
        softmax.scale *= *number;
        return readScore(x);
      }
    return refuse("its scale is no constant");
  }
  if (auto quotient = dyn_cast<arith::DivFOp>(op)) {
    std::optional<double> number = getNumber(quotient.getRhs());
    if (!number)
      return refuse("its scale is no constant");
    if (!(*number > 0))
      return refuse("its scale is not above 0");
    softmax.scale /= *number;
    return readScore(quotient.getLhs());
  }
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    Value rest;
    return readMasked(select.getCondition(), select.getTrueValue(),
                      select.getFalseValue(), rest) &&
           readScore(rest);
  }
  if (auto sum = dyn_cast<arith::AddFOp>(op))
    return readSum(sum);
  return refuse("its scores go through '" + op->getName().getStringRef() + "'");
}

/// Scores and a mask, 0 for keys that are seen, or a bias.
bool Reader::readSum(arith::AddFOp sum) {
  for (auto [x, added] : {std::pair(sum.getLhs(), sum.getRhs()),
                          std::pair(sum.getRhs(), sum.getLhs())}) {
    added = skipConversions(added);
    auto argument = dyn_cast<BlockArgument>(added);
    if (argument && !isScore(argument))
      return readBias(argument) && readScore(x);
    auto select = added.getDefiningOp<arith::SelectOp>();
    if (!select)
      continue;
    Value rest;
    if (!readMasked(select.getCondition(), select.getTrueValue(),
                    select.getFalseValue(), rest))
      return false;
    std::optional<double> number = getNumber(rest);
    if (!number || *number != 0)
      return refuse("its mask adds to keys that are seen");
    return readScore(x);
  }
  return refuse("its scores are added to another operand");
}

/// The map of a bias that the epilogue of the product adds, extra operand
/// `number` of it: a matrix, or a vector along N.
bool Reader::readExtra(unsigned number) {
  auto type = dyn_cast<RankedTensorType>(softmax.bias.getType());
  auto whole = cast<ShapedType>(scores.getD().getType());
  unsigned dims = rows.getNumDims();
  MLIRContext *context = rows.getContext();
  if (!type)
    return false;
  if (scores.getAlongOf(number)) {
    softmax.mapOfBias =
        AffineMap::get(dims, 0, getAffineDimExpr(dims - 1, context));
    return *scores.getAlongOf(number) == Along::n && type.getRank() == 1;
  }
  softmax.mapOfBias = AffineMap::getMultiDimIdentityMap(dims, context);
  return type.getShape() == whole.getShape() &&
         whole.getRank() == int64_t(dims);
}

bool Reader::readBias(BlockArgument argument) {
  if (softmax.bias)
    return refuse("it has more than one bias");
  if (softmax.scale != 1)
    return refuse("its bias is scaled");
  unsigned number = argument.getArgNumber();
  if (argument.getOwner() == &rows.getBody().front()) {
    softmax.bias = rows.getIns()[number];
    softmax.mapOfBias = rows.getMapOf(number);
  } else {
    softmax.bias = scores.getExtras()[number - 1];
    if (!readExtra(number - 1))
      return refuse("its bias is no matrix, and no vector of a number for each "
                    "key");
  }
  Type element = getElementTypeOrSelf(softmax.bias);
  if (!element.isF32() && !element.isBF16() && !element.isF16())
    return refuse("its bias is not of bf16, f16 or f32");
  // A dimension of the rows each, in their order, or a single element.
  std::optional<unsigned> before;
  for (AffineExpr expr : softmax.mapOfBias.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      continue;
    if (before && dim.getPosition() <= *before)
      return refuse("its bias has its dimensions in another order");
    before = dim.getPosition();
  }
  if (before != rows.getNumDims() - 1)
    return refuse("its bias has no element for each key");
  return true;
}

/// The value that `value` is reduced from by one of `kinds`; null where it is
/// not.
static Value getReduced(Value value, ArrayRef<vector::CombiningKind> kinds) {
  // What a reduction starts from may follow it.
  if (isa_and_nonnull<arith::MaximumFOp, arith::MaxNumFOp>(
          value.getDefiningOp()))
    if (std::optional<double> number =
            getNumber(value.getDefiningOp()->getOperand(1));
        number && std::isinf(*number) && *number < 0)
      value = value.getDefiningOp()->getOperand(0);
  auto reduce = value.getDefiningOp<RowReduceOp>();
  return reduce && llvm::is_contained(kinds, reduce.getKind())
             ? reduce.getValue()
             : Value();
}

/// The scores of which `condition` says that the largest of a row is -infinity;
/// null where it says something else.
static Value matchEmptyRow(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpFOp>();
  if (!compare || compare.getPredicate() != arith::CmpFPredicate::OEQ)
    return {};
  std::optional<double> number = getNumber(compare.getRhs());
  if (!number || !std::isinf(*number) || *number > 0)
    return {};
  Value largest = compare.getLhs();
  while (auto wide = largest.getDefiningOp<arith::ExtFOp>())
    largest = wide.getIn();
  return getReduced(largest, {vector::CombiningKind::MAXIMUMF});
}

/// `value` before rows without keys are made 0, which attention does, too.
Value Reader::skipEmptyRows(Value value) {
  auto select = value.getDefiningOp<arith::SelectOp>();
  if (!select || getNumber(select.getTrueValue()) != 0.0)
    return value;
  emptyRow = matchEmptyRow(select.getCondition());
  return emptyRow ? skipConversions(select.getFalseValue()) : value;
}

bool Reader::read() {
  using vector::CombiningKind;
  if (rows.getPieces())
    return refuse("it reads parts of tensors");
  Value yielded = skipEmptyRows(
      skipConversions(rows.getBody().front().getTerminator()->getOperand(0)));
  Value weight, total;
  if (auto quotient = yielded.getDefiningOp<arith::DivFOp>()) {
    weight = quotient.getLhs();
    total = quotient.getRhs();
  } else if (auto product = yielded.getDefiningOp<arith::MulFOp>()) {
    for (auto [x, inverse] : {std::pair(product.getLhs(), product.getRhs()),
                              std::pair(product.getRhs(), product.getLhs())}) {
      auto one = inverse.getDefiningOp<arith::DivFOp>();
      if (one && getNumber(one.getLhs()) == 1.0) {
        weight = x;
        total = one.getRhs();
      }
    }
  }
  if (!weight)
    return false;
  weight = skipConversions(weight);
  Value summed = getReduced(skipConversions(total), {CombiningKind::ADD});
  auto exp = weight.getDefiningOp<math::ExpOp>();
  if (!exp || !summed || skipConversions(summed) != weight)
    return false;
  auto difference =
      skipConversions(exp.getOperand()).getDefiningOp<arith::SubFOp>();
  if (!difference)
    return false;
  Value score = skipConversions(difference.getLhs());
  Value largest = getReduced(skipConversions(difference.getRhs()),
                             {CombiningKind::MAXIMUMF, CombiningKind::MAXNUMF});
  if (!largest || skipConversions(largest) != score)
    return false;
  if (emptyRow && skipConversions(emptyRow) != score)
    return false;
  if (!readScore(score))
    return false;
  if (rows.getIns().size() > 1 && !softmax.bias)
    return refuse("it reads another operand");
  softmax.isZeroWithoutKeys = emptyRow && !hidesFinitely;
  if (!(float(softmax.scale) > 0) || !(softmax.scale < 1e38))
    return refuse("its scale is not above 0");
  if (softmax.after && !softmax.diagonal)
    return refuse("its mask has no last key of a row");
  if (softmax.after && *softmax.after >= *softmax.diagonal)
    return refuse("its rows see no key");
  return true;
}

std::optional<Softmax> tc::findSoftmax(RowsOp rows, unsigned number,
                                       MatmulOp scores, std::string &why) {
  Reader reader(rows, number, scores);
  if (reader.read())
    return reader.softmax;
  why = reader.why;
  return std::nullopt;
}
