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

#include "BlockScales.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/Message.h"

using namespace mlir;
using namespace tc;

/// Names of the operands in messages.
static constexpr StringLiteral operandNames[] = {"input 0", "input 1",
                                                 "the output"};

/// Whether each point of the output `op` has sums of its own elements of both
/// inputs, as the sums of squares of rows: there is no matrix in that.
static bool isBatchOfDots(linalg::LinalgOp op) {
  SmallVector<unsigned> parallel;
  op.getParallelDims(parallel);
  return !parallel.empty() && op.getNumDpsInputs() == 2 &&
         llvm::all_of(parallel, [&](unsigned loop) {
           return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
             return map.isFunctionOfDim(loop);
           });
         });
}

bool tc::hasFactorOfSum(linalg::LinalgOp op) {
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  return op.getNumDpsInputs() == 2 &&
         llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
           AffineMap map = op.getMatchingIndexingMap(input);
           return getElementTypeOrSelf(input->get()).isF32() &&
                  llvm::none_of(reductions, [&](unsigned loop) {
                    return map.isFunctionOfDim(loop);
                  });
         });
}

bool tc::isAnyContraction(linalg::LinalgOp op) {
  if (isBatchOfDots(op) || hasFactorOfSum(op))
    return false;
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
  if (Operation *op = value.getDefiningOp())
    if (isa<arith::ExtFOp, arith::ExtSIOp>(op))
      return op->getOperand(0);
  return value;
}

/// Checks that the body of `op` is
///   yield round(extend(d) + extend(a) * extend(b))
/// with a, b and d the block arguments, in any order of the commutative
/// operands. The sum and the product are of one type: of floats that of A and
/// B, that of D or f32, of integers i32. Rounding and extensions may be absent
/// where the types agree.
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
  bool isInteger = result.getType().isInteger();
  StringRef addName = isInteger ? "arith.addi" : "arith.addf";
  StringRef mulName = isInteger ? "arith.muli" : "arith.mulf";
  auto defines = [](Value value, StringRef name) {
    Operation *op = value.getDefiningOp();
    return op && op->getName().getStringRef() == name;
  };
  if (!defines(result, addName))
    return reject("expected ", addName, " of the product and the output");
  Operation *add = result.getDefiningOp();
  Type type = result.getType();

  // The product is the operand of the sum that is no block argument.
  Value product = add->getOperand(0), sum = add->getOperand(1);
  if (!defines(product, mulName))
    std::swap(product, sum);
  if (!defines(product, mulName))
    return reject("expected ", mulName,
                  " of the inputs, without a conversion between product and "
                  "sum");
  if (peelExtension(sum) != block->getArgument(2))
    return reject("expected the product to be added to the output");

  auto peelFactor = [](Value value) {
    auto extension = value.getDefiningOp<arith::ExtUIOp>();
    return extension ? extension.getIn() : peelExtension(value);
  };
  Operation *mul = product.getDefiningOp();
  Value a = peelFactor(mul->getOperand(0)), b = peelFactor(mul->getOperand(1));
  if (a != block->getArgument(0))
    std::swap(a, b);
  if (a != block->getArgument(0) || b != block->getArgument(1))
    return reject("expected a product of input 0 and input 1");
  if (isInteger ? !type.isInteger(32)
                : !type.isF32() && type != a.getType() &&
                      type != block->getArgument(2).getType())
    return reject("expected a sum in ",
                  isInteger ? "i32"
                            : "f32, in the type of the inputs or of the output",
                  ", got ", type);
  return success();
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

namespace {

/// One side of the product: what is read, and where.
struct Input {
  Value value;
  /// From the loops to the dimensions of `value`.
  AffineMap map;
};

/// The loops of a product, by number.
struct Loops {
  /// In the order of the output's leading dimensions.
  SmallVector<unsigned> batch;
  unsigned m, n, k;
};

} // namespace

/// Checks iterators and the map of the output: a batch, M and N in order, and
/// one reduction.
static FailureOr<Loops> matchLoops(linalg::LinalgOp op, std::string &reason) {
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
  SmallVector<unsigned> reductions;
  op.getReductionDims(reductions);
  AffineMap out = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  if (reductions.size() != 1) {
    // Several would be one, but for this.
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!maps[0].isFunctionOfDim(loop) && !maps[1].isFunctionOfDim(loop)) {
        reason =
            message("expected every dimension to be one of an input, got d",
                    loop, ", along which the output repeats the product (", out,
                    "); repeat the result after it");
        return failure();
      }
    reason = message("expected one reduction dimension, K, got ",
                     reductions.size(), "; collapse those that are adjacent");
    return failure();
  }
  if (!out.isProjectedPermutation() ||
      out.getNumResults() + 1 != op.getNumLoops()) {
    reason = message("expected an output along every loop but the reduction, "
                     "got indexing map ",
                     out);
    return failure();
  }
  Loops loops;
  unsigned batchRank = out.getNumResults() - 2;
  for (unsigned i = 0; i < batchRank; ++i)
    loops.batch.push_back(out.getDimPosition(i));
  loops.m = out.getDimPosition(batchRank);
  loops.n = out.getDimPosition(batchRank + 1);
  loops.k = reductions.front();
  return loops;
}

/// The input `operand` as it is, or the tensor of which operations that only
/// move elements (transpositions, broadcasts) or widen floats made it.
static SmallVector<Input> getReadings(linalg::LinalgOp op, OpOperand &operand) {
  SmallVector<Input> readings = {
      {operand.get(), op.getMatchingIndexingMap(&operand)}};
  while (isa<TensorType>(readings.back().value.getType())) {
    auto producer = readings.back().value.getDefiningOp<linalg::LinalgOp>();
    OpOperand *copied =
        producer ? findCopied(producer, /*orWidened=*/true) : nullptr;
    if (!copied || !isa<TensorType>(copied->get().getType()))
      break;
    AffineMap map =
        producer.getMatchingIndexingMap(copied).compose(readings.back().map);
    readings.push_back({copied->get(), map});
  }
  return readings;
}

/// Reads `input` as a batch of matrices with a row or column along each of
/// `outer` (M or N) and K; `stored` says which of the two comes first.
static FailureOr<ContractionOperand> matchInput(const Input &input,
                                                const Loops &loops,
                                                unsigned outer,
                                                std::string &reason) {
  // Batch loops get the numbers of their dimensions in D, then M, N and K.
  unsigned batchRank = loops.batch.size();
  SmallVector<AffineExpr> numbers(input.map.getNumDims());
  MLIRContext *context = input.map.getContext();
  auto setNumber = [&](unsigned loop, unsigned number) {
    numbers[loop] = getAffineDimExpr(number, context);
  };
  for (auto [number, loop] : llvm::enumerate(loops.batch))
    setNumber(loop, number);
  setNumber(loops.m, batchRank);
  setNumber(loops.n, batchRank + 1);
  setNumber(loops.k, batchRank + 2);
  AffineMap map =
      input.map.replaceDimsAndSymbols(numbers, {}, batchRank + 3, 0);
  FailureOr<OperandView> view = matchOperandView(
      cast<ShapedType>(input.value.getType()), map, batchRank, reason);
  if (failed(view))
    return failure();
  unsigned row = outer == loops.m ? batchRank : batchRank + 1;
  unsigned k = batchRank + 2;
  SmallVector<unsigned, 2> rowFirst = {row, k}, kFirst = {k, row};
  if (view->matrix != rowFirst && view->matrix != kFirst) {
    reason = message("expected a matrix along ", outer == loops.m ? "M" : "N",
                     " and K in the last two dimensions, got indexing map ",
                     input.map);
    return failure();
  }
  ContractionOperand result;
  result.value = input.value;
  result.isTransposed = view->matrix == (outer == loops.m ? kFirst : rowFirst);
  result.view = std::move(*view);
  return result;
}

ShapedType tc::getUnsigned(ShapedType type) {
  return type.clone(IntegerType::get(
      type.getContext(), type.getElementTypeBitWidth(), IntegerType::Unsigned));
}

LogicalResult tc::matchArithmetic(linalg::LinalgOp op, std::string &reason) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1) {
    reason = message("expected two inputs and one output, got ",
                     op.getNumDpsInputs(), " and ", op.getNumDpsInits());
    return failure();
  }
  return matchBody(op, reason);
}

namespace {

/// Reads one operation. Each step leaves why it failed in `reason`.
class ContractionMatcher {
public:
  ContractionMatcher(linalg::LinalgOp op, bool allowTf32, std::string &reason)
      : op(op), allowTf32(allowTf32), reason(reason) {}

  FailureOr<Contraction> match();

private:
  /// An input: what it is read into, its number, its loop that is not K.
  struct Operand {
    ContractionOperand *into;
    unsigned number, outer;
  };

  template <typename... Parts>
  LogicalResult reject(const Parts &...parts) {
    reason = message(parts...);
    return failure();
  }
  LogicalResult findOperands();
  /// Reads the oldest tensor that tmm.matmul can read, of element type `only`
  /// if that is given; those after it need not be made.
  LogicalResult read(const Operand &input, Type only = {});
  LogicalResult readMixedTypes();
  LogicalResult readScales(const Operand &input);
  LogicalResult verifyPrecision(const Operand &input);
  LogicalResult verifyScales();
  LogicalResult verifyTypes();

  linalg::LinalgOp op;
  bool allowTf32;
  std::string &reason;
  Loops loops;
  Contraction contraction;
  SmallVector<Operand, 2> inputs;
};

} // namespace

/// The loop that walks the rows of D is M; A is the input with that loop.
LogicalResult ContractionMatcher::findOperands() {
  FailureOr<Loops> found = matchLoops(op, reason);
  if (failed(found))
    return failure();
  loops = std::move(*found);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  unsigned ofA = maps[0].isFunctionOfDim(loops.m) ? 0 : 1, ofB = 1 - ofA;
  if (maps[ofB].isFunctionOfDim(loops.m) ||
      maps[ofA].isFunctionOfDim(loops.n) || !maps[ofB].isFunctionOfDim(loops.n))
    return reject("expected the last two dimensions of the output to be one of "
                  "each input, M and N, got ",
                  maps[2]);
  contraction.d = op.getDpsInitOperand(0)->get();
  inputs = {{&contraction.a, ofA, loops.m}, {&contraction.b, ofB, loops.n}};
  return success();
}

LogicalResult ContractionMatcher::read(const Operand &input, Type only) {
  SmallVector<Input> readings =
      getReadings(op, *op.getDpsInputOperand(input.number));
  FailureOr<ContractionOperand> matched = failure();
  std::string inner;
  for (const Input &reading : llvm::reverse(readings)) {
    if (only && getElementTypeOrSelf(reading.value) != only)
      continue;
    inner.clear();
    matched = matchInput(reading, loops, input.outer, inner);
    if (succeeded(matched))
      break;
  }
  if (failed(matched))
    return reject(operandNames[input.number], ": ", inner);
  *input.into = std::move(*matched);
  return success();
}

/// One of two types that no kind mixes is read where it has become the other
/// one (weights of 8 bits), or both are where they are f32: tf32 has every
/// number that has 16 bits.
LogicalResult ContractionMatcher::readMixedTypes() {
  Type elements[] = {getElementTypeOrSelf(contraction.a.value),
                     getElementTypeOrSelf(contraction.b.value)};
  bool areBytes = llvm::all_of(
      elements, [](Type type) { return type.getIntOrFloatBitWidth() <= 8; });
  bool isMixed = elements[0] != elements[1] && !areBytes;
  for (auto [index, input] : llvm::enumerate(inputs))
    if (isMixed && succeeded(read(input, elements[1 - index])))
      isMixed = false;
  if (allowTf32 && isMixed)
    for (const Operand &input : inputs) {
      Type type =
          getElementTypeOrSelf(op.getDpsInputOperand(input.number)->get());
      if (type.isF32() && failed(read(input, type)))
        return failure();
    }
  reason.clear();
  return success();
}

/// Takes the factors of a matrix that is an expansion of one with scales.
LogicalResult ContractionMatcher::readScales(const Operand &input) {
  ContractionOperand &operand = *input.into;
  if (!isa<TensorType>(operand.value.getType()) || !operand.view.isIdentity() ||
      !isExpandedArithmetic(operand.value))
    return success();
  std::string inner;
  FailureOr<ScaledMatrix> scaled = matchScaledMatrix(operand.value, inner);
  if (failed(scaled)) {
    // Other arithmetic on an expanded matrix stays outside, as long as what it
    // makes can be multiplied.
    if (getElementTypeOrSelf(operand.value).isF32() && !allowTf32)
      return reject(operandNames[input.number], ": ", inner);
    return success();
  }
  operand.value = scaled->elements;
  operand.scales = scaled->scales;
  operand.scaleBlock = scaled->block;
  operand.scaleRows = scaled->rows;
  operand.hasPlainScales = scaled->isPlain;
  return success();
}

/// f32 is multiplied with less than its precision, where that is allowed.
LogicalResult ContractionMatcher::verifyPrecision(const Operand &input) {
  Type type = getElementTypeOrSelf(input.into->value.getType());
  if (type.isF32() && !allowTf32)
    return reject(operandNames[input.number],
                  ": expected elements of 16 or 8 bits, or leave to multiply "
                  "f32 as tf32, without the low 13 bits (allow-tf32), or as "
                  "sums of products of parts (f32=bf16x3), got ",
                  type);
  return success();
}

LogicalResult ContractionMatcher::verifyScales() {
  const ContractionOperand &a = contraction.a, &b = contraction.b;
  if (bool(a.scales) != bool(b.scales) || a.scaleBlock != b.scaleBlock)
    return reject("expected scale factors of both inputs for as many elements, "
                  "got ",
                  a.scaleBlock, " and ", b.scaleBlock, " (0: none)");
  // Factors are for elements that are adjacent along the last dimension.
  if (a.scales && (a.isTransposed || !b.isTransposed))
    return reject("scale factors: expected both inputs with K as their last "
                  "dimension, of which a block shares a factor");
  // Of factors of f32 those of B are for 128 x 128: those of columns would have
  // to be adjacent along N, which a tensor does not say.
  if ((a.scaleRows != 0 || b.scaleRows != 0) &&
      (a.scaleRows != 1 || b.scaleRows != tmm::kPromotedColumns))
    return reject("scale factors of f32: expected one for 1 x 128 elements of "
                  "the first input and for 128 x 128 of the second, got ",
                  a.scaleRows, " and ", b.scaleRows,
                  " rows of them (0: other factors)");
  return success();
}

/// Checks the rules of tmm.matmul that linalg does not have: memory space,
/// strides, types.
LogicalResult ContractionMatcher::verifyTypes() {
  ShapedType types[2];
  for (auto [type, input] : llvm::zip_equal(types, inputs)) {
    Type of = input.into->value.getType();
    type = getViewType(cast<ShapedType>(of), input.into->view);
    if (!type)
      return reject(operandNames[input.number],
                    ": expected strides that allow a dimension of size 1, got ",
                    of);
    if (input.into->isUnsigned)
      type = getUnsigned(type);
  }
  if (failed(verifyScales()))
    return failure();
  const ContractionOperand &a = contraction.a, &b = contraction.b;
  auto typeOfScales = [](const ContractionOperand &operand) {
    if (!operand.scales)
      return Type();
    Type type = operand.scales.getType();
    return operand.hasPlainScales ? getScaleBlocksType(type) : type;
  };
  if (std::optional<std::string> error = tmm::MatmulOp::findTypeError(
          types[0], types[1], contraction.d.getType(), a.isTransposed,
          b.isTransposed, /*isTf32=*/types[0].getElementType().isF32(),
          typeOfScales(a), typeOfScales(b), a.scaleBlock))
    return reject("as tmm.matmul, ", *error);
  for (const ContractionOperand *operand : {&a, &b})
    if (isa<BaseMemRefType>(operand->value.getType()) &&
        operand->value == contraction.d)
      return reject(
          "its output is one of its inputs, which tiles of the output "
          "would overwrite while they are read");
  return success();
}

FailureOr<Contraction> ContractionMatcher::match() {
  if (failed(matchArithmetic(op, reason)) || failed(findOperands()))
    return failure();
  for (const Operand &input : inputs)
    if (failed(read(input)))
      return failure();
  if (failed(readMixedTypes()))
    return failure();
  for (const Operand &input : inputs)
    if (failed(readScales(input)) || failed(verifyPrecision(input)))
      return failure();
  for (const Operand &input : inputs) {
    Value factor = op.getBlock()->getArgument(input.number);
    input.into->isUnsigned =
        getElementTypeOrSelf(input.into->value).isSignlessInteger(8) &&
        llvm::any_of(factor.getUsers(), llvm::IsaPred<arith::ExtUIOp>);
  }
  if (failed(verifyTypes()))
    return failure();
  return std::move(contraction);
}

FailureOr<Contraction> tc::matchContraction(linalg::LinalgOp op, bool allowTf32,
                                            std::string &reason) {
  return ContractionMatcher(op, allowTf32, reason).match();
}
