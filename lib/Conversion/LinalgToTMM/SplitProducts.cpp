//===- SplitProducts.cpp - f32 as parts that are multiplied -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of f32 is a sum of parts that the matrix unit multiplies exactly:
// two or three of bf16, two of tf32. The products of parts are one contraction
// with K several times as long: each operand gets a dimension of terms before
// its first one along K, so that both together are one dimension again, and the
// terms are added in one accumulator, the smallest ones first.
//
//===----------------------------------------------------------------------===//

#include "BlockScales.h"
#include "ContractionMatch.h"
#include "OperandRewrites.h"

#include "tc/Conversion/LinalgToTMM/LinalgToTMM.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace tc;

namespace {

/// A product of the part `a` of A and the part `b` of B, 0 the largest ones.
struct Term {
  unsigned a, b;
};

} // namespace

std::optional<F32Products> tc::symbolizeF32Products(StringRef name) {
  return llvm::StringSwitch<std::optional<F32Products>>(name)
      .Case("refuse", F32Products::Refused)
      .Case("fma", F32Products::Fma)
      .Case("tf32", F32Products::Tf32)
      .Case("tf32x3", F32Products::Tf32x3)
      .Case("bf16x3", F32Products::Bf16x3)
      .Cases({"", "bf16x9", "narrow"}, F32Products::Bf16x9)
      .Default(std::nullopt);
}

std::string tc::explainBadF32(StringRef f32, bool allowTf32) {
  std::optional<F32Products> products = symbolizeF32Products(f32);
  if (!products)
    return ("expected tf32, tf32x3, bf16x3, bf16x9, narrow, fma or refuse, got "
            "'" +
            f32 + "'")
        .str();
  if (allowTf32 && !f32.empty() && *products != F32Products::Tf32)
    return ("expected tf32 beside allow-tf32, got '" + f32 + "'").str();
  return "";
}

/// The terms of `kind`, the smallest ones first. Those of three parts are all
/// of them; of two parts the product of both low ones is less than what is left
/// of an element.
static ArrayRef<Term> getTerms(F32Products kind) {
  static constexpr Term three[] = {{1, 0}, {0, 1}, {0, 0}};
  static constexpr Term nine[] = {{2, 2}, {2, 1}, {1, 2}, {2, 0}, {1, 1},
                                  {0, 2}, {1, 0}, {0, 1}, {0, 0}};
  if (kind == F32Products::Bf16x9)
    return nine;
  return three;
}

/// How many parts the input `number` of `op` has at most, from what it was
/// before it was widened to f32: an f16 is two of bf16, or one of tf32.
static unsigned countParts(linalg::LinalgOp op, unsigned number,
                           F32Products kind) {
  Value value = op.getDpsInputOperand(number)->get();
  for (;;) {
    Type type = getElementTypeOrSelf(value);
    if (type.isBF16() || isa<Float8E4M3FNType, Float8E5M2Type>(type))
      return 1;
    if (type.isF16())
      return kind == F32Products::Tf32x3 ? 1 : 2;
    Operation *definition = value.getDefiningOp();
    if (isa_and_nonnull<tensor::CollapseShapeOp, tensor::ExpandShapeOp,
                        tensor::ExtractSliceOp, arith::ExtFOp>(definition)) {
      value = definition->getOperand(0);
      continue;
    }
    auto producer = value.getDefiningOp<linalg::LinalgOp>();
    OpOperand *copied =
        producer ? findCopied(producer, /*orWidened=*/true) : nullptr;
    if (!copied)
      return 3;
    value = copied->get();
  }
}

/// The terms of `kind` for the inputs of `op`.
static SmallVector<Term> getTermsOf(linalg::LinalgOp op, F32Products kind) {
  unsigned a = countParts(op, 0, kind), b = countParts(op, 1, kind);
  return llvm::filter_to_vector(
      getTerms(kind), [&](Term term) { return term.a < a && term.b < b; });
}

/// Whether the elements of the input `number` are f32, and not those of another
/// type with scale factors, which units multiply.
static bool isF32(linalg::LinalgOp op, unsigned number) {
  Value value = op.getDpsInputOperand(number)->get();
  if (!getElementTypeOrSelf(value).isF32())
    return false;
  std::string reason;
  return !isa<TensorType>(value.getType()) || !isExpandedArithmetic(value) ||
         failed(matchScaledMatrix(value, reason));
}

/// Why the input `number`, arithmetic on an expanded matrix, is not one with
/// scale factors; empty where it is none.
static std::string explainNoScales(linalg::LinalgOp op, unsigned number) {
  Value value = op.getDpsInputOperand(number)->get();
  std::string reason;
  if (isa<TensorType>(value.getType()) && isExpandedArithmetic(value))
    (void)matchScaledMatrix(value, reason);
  return reason;
}

/// The part `part` of the scalar `x`, as an operand of the matrix unit; of a
/// type other than f32 there is one part.
static Value makePart(OpBuilder &b, Location loc, Value x, unsigned part,
                      F32Products kind) {
  Type f32 = b.getF32Type(), bf16 = b.getBF16Type(), i32 = b.getI32Type();
  if (!x.getType().isF32())
    x = arith::ExtFOp::create(b, loc, f32, x);
  for (;; --part) {
    Value high;
    if (kind == F32Products::Tf32x3) {
      // To nearest: what is left has half the size then. The unit reads no more
      // than these bits.
      Value bits = arith::BitcastOp::create(b, loc, i32, x);
      auto constant = [&](int32_t value) -> Value {
        return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value));
      };
      bits = arith::AddIOp::create(b, loc, bits, constant(1 << 12));
      bits = arith::AndIOp::create(b, loc, bits, constant(-(1 << 13)));
      high = arith::BitcastOp::create(b, loc, f32, bits);
      if (part == 0)
        return high;
    } else {
      Value narrow = arith::TruncFOp::create(b, loc, bf16, x);
      if (part == 0)
        return narrow;
      high = arith::ExtFOp::create(b, loc, f32, narrow);
    }
    x = arith::SubFOp::create(b, loc, x, high);
  }
}

/// `value`, whose dimension `dim` is the first one along K, with a dimension of
/// terms before that: the part `parts[t]` for term t.
static Value split(RewriterBase &rewriter, Location loc, Value value,
                   unsigned dim, ArrayRef<unsigned> parts, F32Products kind) {
  bool isTensor = isa<TensorType>(value.getType());
  SmallVector<OpFoldResult> sizes = getSizes(rewriter, loc, value);
  sizes.insert(sizes.begin() + dim, rewriter.getIndexAttr(parts.size()));
  Type element = kind == F32Products::Tf32x3 ? Type(rewriter.getF32Type())
                                             : Type(rewriter.getBF16Type());
  Value output = makeOutput(rewriter, loc, sizes, element, isTensor);
  AffineMap all = rewriter.getMultiDimIdentityMap(sizes.size());
  AffineMap source = all.dropResult(dim);
  SmallVector<utils::IteratorType> loops(sizes.size(),
                                         utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      rewriter, loc, isTensor ? TypeRange(output.getType()) : TypeRange(),
      value, output, ArrayRef{source, all}, loops,
      [&](OpBuilder &b, Location loc, ValueRange arguments) {
        Value term = linalg::IndexOp::create(b, loc, dim);
        unsigned last = parts.size() - 1;
        Value result = makePart(b, loc, arguments[0], parts[last], kind);
        for (unsigned t = 0; t < last; ++t) {
          if (parts[t] == parts[last])
            continue;
          Value number = arith::ConstantIndexOp::create(b, loc, t);
          Value isThis = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                                               term, number);
          Value part = makePart(b, loc, arguments[0], parts[t], kind);
          result = arith::SelectOp::create(b, loc, isThis, part, result);
        }
        linalg::YieldOp::create(b, loc, result);
      });
  return isTensor ? generic->getResult(0) : output;
}

/// The number of the first result of `map` that is a reduction loop of `op`.
static unsigned findK(linalg::LinalgOp op, AffineMap map) {
  SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
  for (auto [dim, result] : llvm::enumerate(map.getResults()))
    if (linalg::isReductionIterator(
            loops[cast<AffineDimExpr>(result).getPosition()]))
      return dim;
  llvm_unreachable("inputs of a contraction are along K");
}

/// Replaces `op` by a contraction of the parts of its inputs.
static void splitInputs(RewriterBase &rewriter, linalg::LinalgOp op,
                        F32Products kind) {
  rewriter.setInsertionPoint(op);
  Location loc = op.getLoc();
  SmallVector<unsigned> parts[2];
  for (Term term : getTermsOf(op, kind)) {
    parts[0].push_back(term.a);
    parts[1].push_back(term.b);
  }
  // The loop over terms is the outermost one of those along K.
  unsigned terms = op.getNumLoops();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<utils::IteratorType> loops = op.getIteratorTypesArray();
  loops.push_back(utils::IteratorType::reduction);
  SmallVector<Value> inputs;
  for (unsigned number : {0, 1}) {
    unsigned dim = findK(op, maps[number]);
    inputs.push_back(split(rewriter, loc, op.getDpsInputOperand(number)->get(),
                           dim, parts[number], kind));
    maps[number] =
        AffineMap::get(terms + 1, 0, maps[number].getResults(), op.getContext())
            .insertResult(rewriter.getAffineDimExpr(terms), dim);
  }
  maps[2] = AffineMap::get(terms + 1, 0, maps[2].getResults(), op.getContext());
  auto generic = linalg::GenericOp::create(
      rewriter, loc, op->getResultTypes(), inputs, op.getDpsInits(), maps,
      loops, [&](OpBuilder &b, Location loc, ValueRange arguments) {
        Type f32 = b.getF32Type();
        SmallVector<Value> wide(arguments);
        for (Value &value : wide)
          if (!value.getType().isF32())
            value = arith::ExtFOp::create(b, loc, f32, value);
        Value product = arith::MulFOp::create(b, loc, wide[0], wide[1]);
        Value sum = arith::AddFOp::create(b, loc, wide[2], product);
        if (sum.getType() != arguments[2].getType())
          sum = arith::TruncFOp::create(b, loc, arguments[2].getType(), sum);
        linalg::YieldOp::create(b, loc, sum);
      });
  rewriter.replaceOp(op, generic);
}

void tc::splitF32Products(Operation *root, F32Products kind, bool isChoice) {
  SmallVector<linalg::LinalgOp> ops;
  root->walk([&](linalg::LinalgOp op) {
    std::string reason;
    if (!isAnyContraction(op) || failed(matchArithmetic(op, reason)))
      return;
    // With f32 on either side, of which the other one may be exact.
    bool isSplit[2];
    for (unsigned number : {0, 1})
      isSplit[number] = isF32(op, number) && countParts(op, number, kind) != 1;
    for (unsigned number : {0, 1})
      if (isSplit[number] &&
          (isSplit[1 - number] || countParts(op, 1 - number, kind) < 3))
        return ops.push_back(op);
  });
  if (isChoice && !ops.empty()) {
    static constexpr StringLiteral words[] = {"no",    "one",  "two", "three",
                                              "four",  "five", "six", "seven",
                                              "eight", "nine"};
    InFlightDiagnostic diag = ops.front().emitRemark("multiplies f32 as ");
    diag << words[getTermsOf(ops.front(), kind).size()]
         << " products of parts in bf16, each of which is exact (f32=bf16x9)";
    if (ops.size() > 1)
      diag << ", as " << ops.size() - 1 << " more"
           << (ops.size() > 2 ? " do" : " does");
    diag << "; f32=tf32x3, bf16x3 or tf32 are faster, f32=fma takes no matrix "
            "unit";
  }
  for (linalg::LinalgOp op : ops)
    for (unsigned number : {0, 1})
      if (std::string why = explainNoScales(op, number);
          isChoice && !why.empty())
        op.emitRemark("input ") << number << " is multiplied as f32: " << why;
  IRRewriter rewriter(root->getContext());
  for (linalg::LinalgOp op : ops)
    splitInputs(rewriter, op, kind);
}
