//===- ContractionMatch.cpp - linalg ops that are a matmul ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The named operations (matmul, contract) and linalg.generic go the same way:
// by their indexing maps and their body. So transposition, permuted loops and a
// transposed result (D^T = B^T * A^T: the operands change places) need no case
// of their own.
//
//===----------------------------------------------------------------------===//

#include "ContractionMatch.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

using namespace mlir;
using namespace tc;

/// A message put together from anything that prints.
template <typename... Parts>
static std::string message(const Parts &...parts) {
  std::string text;
  llvm::raw_string_ostream os(text);
  (os << ... << parts);
  return text;
}

/// Names of the operands in messages.
static constexpr StringLiteral operandNames[] = {"input 0", "input 1",
                                                 "the output"};

bool tc::isAnyContraction(linalg::LinalgOp op) {
  if (isa<linalg::ContractionOpInterface>(op.getOperation()) ||
      linalg::isaContractionOpInterface(op))
    return true;
  // A generic operation with a body that upstream does not know, such as one
  // that rounds the sum.
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->k.empty() || dims->m.empty() || dims->n.empty())
    return false;
  return llvm::any_of(*op.getBlock(), [](Operation &inner) {
    return isa<arith::MulFOp, arith::MulIOp>(inner);
  });
}

//===----------------------------------------------------------------------===//
// Body
//===----------------------------------------------------------------------===//

/// The value that `value` widens, or `value` itself.
static Value peelExtension(Value value) {
  if (auto extension = value.getDefiningOp<arith::ExtFOp>())
    return extension.getIn();
  return value;
}

/// Checks that the body of `op` is
///   yield round(extend(d) + extend(a) * extend(b))
/// with a, b and d the block arguments, in any order of the commutative
/// operands. The sum and the product are of one type, that of A and B or f32;
/// rounding and extensions may be absent where the types agree.
static LogicalResult matchBody(linalg::LinalgOp op, std::string &reason) {
  Block *block = op.getBlock();
  auto reject = [&](const auto &...parts) {
    reason = message("body: ", parts...);
    return failure();
  };

  Value result = block->getTerminator()->getOperand(0);
  if (auto rounding = result.getDefiningOp<arith::TruncFOp>()) {
    std::optional<arith::RoundingMode> mode = rounding.getRoundingmode();
    if (mode && *mode != arith::RoundingMode::to_nearest_even)
      return reject("expected the sum to be rounded to nearest even, got ",
                    arith::stringifyRoundingMode(*mode));
    result = rounding.getIn();
  }
  auto add = result.getDefiningOp<arith::AddFOp>();
  if (!add)
    return reject("expected arith.addf of the product and the output");
  Type type = add.getType();

  // The product is the operand of the sum that is no block argument.
  Value product = add.getLhs(), sum = add.getRhs();
  if (!product.getDefiningOp<arith::MulFOp>())
    std::swap(product, sum);
  auto mul = product.getDefiningOp<arith::MulFOp>();
  if (!mul)
    return reject("expected arith.mulf of the inputs, without a conversion "
                  "between product and sum");
  if (peelExtension(sum) != block->getArgument(2))
    return reject("expected the product to be added to the output");

  Value a = peelExtension(mul.getLhs()), b = peelExtension(mul.getRhs());
  if (a != block->getArgument(0))
    std::swap(a, b);
  if (a != block->getArgument(0) || b != block->getArgument(1))
    return reject("expected a product of input 0 and input 1");
  if (!type.isF32() && type != a.getType())
    return reject("expected a sum in f32 or in the type of the inputs, ",
                  a.getType(), ", got ", type);
  return success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Checks iterators and maps: two parallel loops, one reduction, and matrices
/// addressed by two of the loops each. The maps of every contraction are
/// projected permutations.
static LogicalResult matchLoops(linalg::LinalgOp op, std::string &reason) {
  for (auto [name, map] :
       llvm::zip_equal(operandNames, op.getIndexingMapsArray())) {
    if (map.getNumResults() < 2) {
      reason = message(name,
                       ": expected a matrix, got a vector, scalar or "
                       "broadcast operand (indexing map ",
                       map, ")");
      return failure();
    }
  }
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims)) {
    reason = "expected a parallel dimension of each input and a reduction "
             "dimension of both";
    return failure();
  }
  if (!dims->batch.empty()) {
    reason = message("expected no batch dimension, got ", dims->batch.size());
    return failure();
  }
  if (op.getNumLoops() != 3 || dims->m.size() != 1 || dims->n.size() != 1 ||
      dims->k.size() != 1) {
    reason =
        message("expected one dimension each of M, N and K, got ",
                dims->m.size(), ", ", dims->n.size(), " and ", dims->k.size());
    return failure();
  }
  return success();
}

/// Element types, and what the named operations say about casts.
static LogicalResult matchTypes(linalg::LinalgOp op, std::string &reason) {
  if (auto cast = op->getAttrOfType<linalg::TypeFnAttr>("cast")) {
    if (cast.getValue() == linalg::TypeFn::cast_unsigned) {
      reason = "expected signed casts, got cast_unsigned";
      return failure();
    }
  }
  for (auto [index, operand] : llvm::enumerate(op->getOpOperands())) {
    Type type = getElementTypeOrSelf(operand.get().getType());
    bool isOutput = index == 2;
    if (type.isBF16() || type.isF16() || (isOutput && type.isF32()))
      continue;
    reason =
        message(operandNames[index], ": expected element type ",
                isOutput ? "f32, bf16 or f16" : "bf16 or f16", ", got ", type);
    return failure();
  }
  return success();
}

FailureOr<Contraction> tc::matchContraction(linalg::LinalgOp op,
                                            std::string &reason) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1) {
    reason = message("expected two inputs and one output, got ",
                     op.getNumDpsInputs(), " and ", op.getNumDpsInits());
    return failure();
  }
  if (failed(matchLoops(op, reason)) || failed(matchTypes(op, reason)) ||
      failed(matchBody(op, reason)))
    return failure();

  // The loop that walks the rows of D is M; A is the input with that loop.
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned m = maps[2].getDimPosition(0), n = maps[2].getDimPosition(1);
  unsigned ofA = maps[0].isFunctionOfDim(m) ? 0 : 1, ofB = 1 - ofA;
  Contraction contraction;
  contraction.a = op.getDpsInputOperand(ofA)->get();
  contraction.b = op.getDpsInputOperand(ofB)->get();
  contraction.d = op.getDpsInitOperand(0)->get();
  contraction.transposeA = maps[ofA].getDimPosition(1) == m;
  contraction.transposeB = maps[ofB].getDimPosition(0) == n;

  // What is left are rules of tmm.matmul that linalg does not have: memory
  // space, strides.
  if (std::optional<std::string> error = tmm::MatmulOp::findTypeError(
          contraction.a.getType(), contraction.b.getType(),
          contraction.d.getType(), contraction.transposeA,
          contraction.transposeB)) {
    reason = "as tmm.matmul, " + *error;
    return failure();
  }
  return contraction;
}
