//===- ExpandMath.cpp - functions that kernels compute ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream turns math operations into calls of libdevice, a library that is not
// linked. Here they become the instructions that the hardware has for them and
// a little arithmetic; the error of each is in the description of the pass. f16
// and bf16 are computed in f32.
//
//===----------------------------------------------------------------------===//

#include "Statements.h"

#include "tc/Support/Quotients.h"
#include "tc/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

#include <cmath>

namespace tc {
#define GEN_PASS_DEF_EXPANDMATHPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

/// Emits functions of f32 scalars and vectors.
class FunctionBuilder {
public:
  FunctionBuilder(OpBuilder &b, Location loc, Type type)
      : b(b), loc(loc), type(type) {}

  Value constant(double value) {
    FloatAttr attr = b.getF32FloatAttr(static_cast<float>(value));
    if (auto vector = dyn_cast<VectorType>(type))
      return arith::ConstantOp::create(b, loc,
                                       DenseElementsAttr::get(vector, attr));
    return arith::ConstantOp::create(b, loc, attr);
  }
  Value mul(Value x, Value y) { return arith::MulFOp::create(b, loc, x, y); }
  Value add(Value x, Value y) { return arith::AddFOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) { return arith::SubFOp::create(b, loc, x, y); }
  Value fma(Value x, Value y, Value z) { return call("llvm.fma", {x, y, z}); }
  /// The polynomial with the coefficients `c`, the highest power first.
  Value polynomial(Value x, ArrayRef<double> c) {
    Value sum = constant(c.front());
    for (double coefficient : c.drop_front())
      sum = fma(sum, x, constant(coefficient));
    return sum;
  }

  /// An intrinsic that LLVM knows on vectors.
  Value call(StringRef name, ValueRange arguments,
             LLVM::FastmathFlags flags = LLVM::FastmathFlags::none) {
    auto op = LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                            arguments);
    op.setFastmathFlags(flags);
    return op.getResult(0);
  }
  /// An intrinsic on scalars, for each element.
  Value callEach(StringRef name, ValueRange arguments) {
    auto vector = dyn_cast<VectorType>(type);
    if (!vector)
      return call(name, arguments);
    Value result = constant(0);
    for (int64_t i = 0; i < vector.getNumElements(); ++i) {
      SmallVector<Value> elements;
      for (Value argument : arguments)
        elements.push_back(vector::ExtractOp::create(b, loc, argument, i));
      Value element =
          FunctionBuilder(b, loc, b.getF32Type()).call(name, elements);
      result = vector::InsertOp::create(b, loc, element, result, i);
    }
    return result;
  }

  Value div(Value x, Value y) { return callEach("llvm.nvvm.div.full", {x, y}); }
  /// rcp.approx, which LLVM makes of this.
  Value inverse(Value x) {
    auto flags =
        LLVM::FastmathFlagsAttr::get(b.getContext(), LLVM::FastmathFlags::afn);
    return LLVM::FDivOp::create(b, loc, type, constant(1), x, flags);
  }
  Value exp2(Value x) { return call("llvm.exp2", x); }
  /// One instruction, which has neither subnormal arguments nor results: those
  /// cost it three more.
  Value exp2Normal(Value x) {
    return callEach("llvm.nvvm.ex2.approx.ftz.f", x);
  }
  Value exp(Value x) {
    return exp2Normal(mul(x, constant(1.4426950408889634)));
  }
  Value log2(Value x) { return callEach("llvm.nvvm.lg2.approx.f", x); }
  Value pow(Value x, Value y);
  Value tanh(Value x, bool isApproximate);
  Value erf(Value x);

private:
  OpBuilder &b;
  Location loc;
  Type type;
};

struct ExpandMath : public tc::impl::ExpandMathPassBase<ExpandMath> {
  void runOnOperation() override;
};

} // namespace

Value FunctionBuilder::pow(Value x, Value y) {
  auto compare = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(this->b, loc, predicate, a, b);
  };
  auto select = [&](Value condition, Value a, Value b) -> Value {
    return arith::SelectOp::create(this->b, loc, condition, a, b);
  };
  using arith::CmpFPredicate;
  Value power = exp2(mul(y, log2(call("llvm.fabs", x))));
  // Of a negative number: real where the exponent is an integer.
  Value floor = call("llvm.floor", y), half = mul(y, constant(0.5));
  Value isInteger = compare(CmpFPredicate::OEQ, floor, y);
  Value isEven = compare(CmpFPredicate::OEQ, call("llvm.floor", half), half);
  Value ofNegative = select(isEven, power, sub(constant(-0.0), power));
  ofNegative = select(isInteger, ofNegative, constant(std::nan("")));
  Value isNegative = compare(CmpFPredicate::OLT, x, constant(0));
  power = select(isNegative, ofNegative, power);
  // That of 0, where the logarithm is infinite, too.
  Value isZero = compare(CmpFPredicate::OEQ, y, constant(0));
  return select(isZero, constant(1), power);
}

Value FunctionBuilder::tanh(Value x, bool isApproximate) {
  if (isApproximate)
    return call("llvm.tanh", x, LLVM::FastmathFlags::afn);
  // 1 - 2 / (1 + exp(2 x)): exp overflows to infinity and the result is 1.
  // Nothing subnormal is left of what 1 is added to or taken from.
  Value e = exp2Normal(mul(x, constant(2 * 1.4426950408889634)));
  Value inverse = callEach("llvm.nvvm.rcp.approx.ftz.f", add(e, constant(1)));
  return fma(constant(-2), inverse, constant(1));
}

Value FunctionBuilder::erf(Value x) {
  // x P(x^2) / Q(x^2), a minimax fit on [-4, 4]; erf is 1 in f32 beyond.
  Value bound = constant(4);
  Value low = call("llvm.maxnum", {x, constant(-4)});
  Value y = call("llvm.minnum", {low, bound});
  Value square = mul(y, y);
  Value p = polynomial(square, {-2.72614225801306e-10, 2.77068142495902e-08,
                                -2.10102402082508e-06, -5.69250639462346e-05,
                                -7.34990630326855e-04, -2.95459980854025e-03,
                                -1.60960333262415e-02});
  Value q = polynomial(square, {-1.45660718464996e-05, -2.13374055278905e-04,
                                -1.68282697438203e-03, -7.37332916720468e-03,
                                -1.42647390514189e-02});
  return div(mul(y, p), q);
}

/// `op` where its divisor is a power of 2, of which the inverse is exact.
static std::optional<double> findInverse(Operation *op) {
  auto quotient = dyn_cast<arith::DivFOp>(op);
  APFloat divisor(0.0);
  if (!quotient || !matchPattern(quotient.getRhs(), m_ConstantFloat(&divisor)))
    return std::nullopt;
  bool lost = false;
  divisor.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
  int exponent = 0;
  double mantissa = std::frexp(divisor.convertToDouble(), &exponent);
  if (std::abs(mantissa) != 0.5 || std::abs(exponent) > 100)
    return std::nullopt;
  return 1 / divisor.convertToDouble();
}

/// Whether `op` is one that expand() knows.
static bool isExpanded(Operation *op) {
  return isa<arith::DivFOp, math::FmaOp, arith::MaxNumFOp, arith::MinNumFOp,
             math::AbsFOp, math::CeilOp, math::CopySignOp, math::FloorOp,
             math::TruncOp, math::RoundEvenOp, math::SqrtOp, math::RsqrtOp,
             math::ExpOp, math::Exp2Op, math::PowFOp, math::LogOp,
             math::Log10Op, math::Log2Op, math::ErfOp, math::TanhOp,
             math::ClampFOp>(op);
}

/// The value of `op`, which isExpanded, with the f32 operands `x`.
static Value expand(FunctionBuilder &f, Operation *op, ValueRange x) {
  if (std::optional<double> inverse = findInverse(op))
    return f.mul(x[0], f.constant(*inverse));
  if (isa<arith::DivFOp>(op))
    return matchPattern(op->getOperand(0), m_OneFloat()) ? f.inverse(x[1])
                                                         : f.div(x[0], x[1]);
  if (isa<math::FmaOp>(op))
    return f.call("llvm.fma", x);
  if (isa<arith::MaxNumFOp>(op))
    return f.call("llvm.maxnum", x);
  if (isa<arith::MinNumFOp>(op))
    return f.call("llvm.minnum", x);
  if (isa<math::AbsFOp>(op))
    return f.call("llvm.fabs", x);
  if (isa<math::CeilOp>(op))
    return f.call("llvm.ceil", x);
  if (isa<math::CopySignOp>(op))
    return f.call("llvm.copysign", x);
  if (isa<math::FloorOp>(op))
    return f.call("llvm.floor", x);
  if (isa<math::TruncOp>(op))
    return f.call("llvm.trunc", x);
  if (isa<math::RoundEvenOp>(op))
    return f.call("llvm.roundeven", x);
  if (isa<math::SqrtOp>(op))
    return f.call("llvm.sqrt", x);
  if (isa<math::RsqrtOp>(op))
    return f.callEach("llvm.nvvm.rsqrt.approx.f", x);
  if (isa<math::ExpOp>(op))
    return f.exp(x[0]);
  if (auto exp2 = dyn_cast<math::Exp2Op>(op);
      exp2 && bitEnumContainsAny(exp2.getFastmath(), arith::FastMathFlags::afn))
    return f.exp2Normal(x[0]);
  if (isa<math::Exp2Op>(op))
    return f.exp2(x[0]);
  if (isa<math::PowFOp>(op))
    return f.pow(x[0], x[1]);
  if (isa<math::LogOp>(op))
    return f.mul(f.log2(x[0]), f.constant(0.6931471805599453));
  if (isa<math::Log10Op>(op))
    return f.mul(f.log2(x[0]), f.constant(0.3010299956639812));
  if (isa<math::Log2Op>(op))
    return f.log2(x[0]);
  if (isa<math::ErfOp>(op))
    return f.erf(x[0]);
  if (auto tanh = dyn_cast<math::TanhOp>(op))
    return f.tanh(x[0], bitEnumContainsAny(tanh.getFastmath(),
                                           arith::FastMathFlags::afn));
  assert(isa<math::ClampFOp>(op) && "every op of isExpanded is listed");
  return f.call("llvm.minimum", {f.call("llvm.maximum", {x[0], x[1]}), x[2]});
}

/// Whether LLVM has instructions for `op` of f64, too.
static bool isOfAnyFloat(Operation *op) {
  return isa<math::FmaOp, arith::MaxNumFOp, arith::MinNumFOp, math::AbsFOp,
             math::CeilOp, math::CopySignOp, math::FloorOp, math::TruncOp,
             math::RoundEvenOp, math::SqrtOp>(op);
}

/// Whether `op` is about scalars or fixed vectors of a type that it is computed
/// in, or in f32.
static bool isOfFloats(Operation *op) {
  if (op->getNumResults() != 1)
    return false;
  Type type = op->getResult(0).getType();
  auto vector = dyn_cast<VectorType>(type);
  if (isa<ShapedType>(type) && (!vector || vector.isScalable()))
    return false;
  Type element = getElementTypeOrSelf(type);
  return (element.isF32() || element.isF16() || element.isBF16() ||
          (element.isF64() && isOfAnyFloat(op))) &&
         llvm::all_equal(op->getOperandTypes()) &&
         op->getOperand(0).getType() == type;
}

/// `value` as a vector of rank 1 or a scalar, which intrinsics are about, or as
/// `type`.
static Value reshape(OpBuilder &b, Location loc, Value value, Type type) {
  if (value.getType() == type)
    return value;
  return vector::ShapeCastOp::create(b, loc, type, value);
}

static void expandOp(Operation *op) {
  Type type = op->getResult(0).getType(), flat = type;
  OpBuilder b(op);
  // What is chosen of two numbers is one of these.
  Type own = getElementTypeOrSelf(type);
  Type element = own.isF64() || isa<arith::MaxNumFOp, arith::MinNumFOp>(op)
                     ? own
                     : b.getF32Type();
  Type wide = element;
  if (auto vector = dyn_cast<VectorType>(type)) {
    flat = VectorType::get(vector.getNumElements(), vector.getElementType());
    wide = cast<VectorType>(flat).clone(element);
  }
  Location loc = op->getLoc();
  SmallVector<Value> operands;
  for (Value operand : op->getOperands()) {
    operand = reshape(b, loc, operand, flat);
    if (flat != wide)
      operand = arith::ExtFOp::create(b, loc, wide, operand);
    operands.push_back(operand);
  }
  FunctionBuilder f(b, loc, wide);
  Value result = expand(f, op, operands);
  if (flat != wide)
    result = arith::TruncFOp::create(b, loc, flat, result);
  op->replaceAllUsesWith(ValueRange{reshape(b, loc, result, type)});
  op->erase();
}

/// Functions that upstream expresses in those that isExpanded() lists: as
/// products where an exponent is a small constant, with exponentials and
/// logarithms ...
static bool isExpandedUpstream(StringRef name) {
  const StringRef names[] = {
      math::AcoshOp::getOperationName(), math::AsinhOp::getOperationName(),
      math::AtanhOp::getOperationName(), math::CoshOp::getOperationName(),
      math::RoundOp::getOperationName(), math::SinhOp::getOperationName(),
      math::TanOp::getOperationName()};
  return llvm::is_contained(names, name);
}

/// ... or as polynomials.
static bool isApproximatedUpstream(StringRef name) {
  const StringRef names[] = {
      math::AcosOp::getOperationName(),  math::AsinOp::getOperationName(),
      math::AtanOp::getOperationName(),  math::Atan2Op::getOperationName(),
      math::CbrtOp::getOperationName(),  math::CosOp::getOperationName(),
      math::ErfcOp::getOperationName(),  math::ExpM1Op::getOperationName(),
      math::Log1pOp::getOperationName(), math::SinOp::getOperationName()};
  return llvm::is_contained(names, name);
}

/// Rewrites `ops` with upstream's patterns.
static LogicalResult expandUpstream(ArrayRef<Operation *> ops,
                                    MLIRContext *context) {
  RewritePatternSet patterns(context);
  populateMathAlgebraicSimplificationPatterns(patterns);
  math::populateExpansionPatterns(patterns, {"acosh", "asinh", "atanh", "cosh",
                                             "fpowi", "round", "sinh", "tan"});
  populateMathPolynomialApproximationPatterns(patterns, isApproximatedUpstream);
  // First of all, so that no step is rounded to f16 or bf16.
  populateMathF32ExpansionPatterns(
      patterns,
      [](StringRef name) {
        return isExpandedUpstream(name) || isApproximatedUpstream(name);
      },
      /*benefit=*/10);
  GreedyRewriteConfig config;
  config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
  config.enableFolding(false).enableConstantCSE(false);
  return applyOpPatternsGreedily(ops, std::move(patterns), config);
}

void ExpandMath::runOnOperation() {
  // What a problem ends with belongs to it until it is tiled.
  auto find = [&](function_ref<bool(Operation *)> isFound) {
    SmallVector<Operation *> ops;
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (tc::isStatement(op))
        return WalkResult::skip();
      if (isFound(op))
        ops.push_back(op);
      return WalkResult::advance();
    });
    return ops;
  };
  SmallVector<Operation *> others = find([](Operation *op) {
    // Powers first: those with a small constant exponent are products.
    return isa<math::MathDialect>(op->getDialect()) &&
           (isa<math::PowFOp>(op) || !(isExpanded(op) && isOfFloats(op)));
  });
  if (!others.empty() && failed(expandUpstream(others, &getContext())))
    return signalPassFailure();
  auto isFound = [](Operation *op) {
    return isExpanded(op) && isOfFloats(op) &&
           // LLVM divides as IEEE 754 says.
           !(isa<arith::DivFOp>(op) && !findInverse(op) &&
             mustBeExact(op->getResult(0)));
  };
  for (Operation *op : find(isFound))
    expandOp(op);
}
