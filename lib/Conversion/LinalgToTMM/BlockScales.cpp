//===- BlockScales.cpp - elements and factors of blocks ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The matchers are structural: shapes, indexing maps and the bodies. Each
// reason names what was expected.
//
//===----------------------------------------------------------------------===//

#include "BlockScales.h"

#include "AmaxFusion.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/Message.h"
#include "tc/Support/MmaTypes.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tc;

/// Rows and columns in three parts each.
static constexpr unsigned kExpandedRank = 6;

static bool isExpansion(ArrayRef<ReassociationIndices> groups) {
  return groups.size() == 2 && groups[0] == ReassociationIndices({0, 1, 2}) &&
         groups[1] == ReassociationIndices({3, 4, 5});
}

/// Elements of K, and rows of B, that share a factor of f32.
static constexpr int64_t kLargeBlock = 128;

/// Rows that share a factor of f32 where rows and columns are expanded by
/// `groups`; nothing where these are of no such matrix.
static std::optional<int64_t>
findLargeRows(ArrayRef<ReassociationIndices> groups) {
  if (groups.size() != 2)
    return std::nullopt;
  if (groups[0] == ReassociationIndices({0}) &&
      groups[1] == ReassociationIndices({1, 2}))
    return 1;
  if (groups[0] == ReassociationIndices({0, 1}) &&
      groups[1] == ReassociationIndices({2, 3}))
    return kLargeBlock;
  return std::nullopt;
}

/// Where the factor of a block is, of the loops of the expanded matrix or of
/// its blocks.
static AffineMap getScaleMap(MLIRContext *context, unsigned loops) {
  SmallVector<AffineExpr> results;
  for (unsigned loop : {0, 3, 2, 1, 4})
    results.push_back(getAffineDimExpr(loop, context));
  return AffineMap::get(loops, 0, results, context);
}

/// Checks the parts of rows and columns in `type`; the columns of a block.
static FailureOr<int64_t> matchExpandedType(Type type, std::string &reason) {
  ArrayRef<int64_t> shape = cast<ShapedType>(type).getShape();
  int64_t block = shape.back();
  if (shape[1] == kScaleRows / kScaleTileShape[0] &&
      shape[2] == kScaleTileShape[0] && shape[4] == kScaleBlocks &&
      (block == 16 || block == 32))
    return block;
  reason =
      message("expected rows in ? x 4 x 32 and columns in ? x 4 x 16 or 32 "
              "parts, got ",
              type);
  return failure();
}

/// The matrix that `expanded` is, with rows and columns expanded.
static Value findMatrix(Value expanded) {
  auto expand = expanded.getDefiningOp<tensor::ExpandShapeOp>();
  return expand && isExpansion(expand.getReassociationIndices())
             ? expand.getSrc()
             : Value();
}

/// `value` without a widening.
static Value peel(Value value) {
  auto widen = value.getDefiningOp<arith::ExtFOp>();
  return widen ? widen.getIn() : value;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

bool tc::isExpandedArithmetic(Value matrix) {
  auto collapse = matrix.getDefiningOp<tensor::CollapseShapeOp>();
  if (!collapse || (!isExpansion(collapse.getReassociationIndices()) &&
                    !findLargeRows(collapse.getReassociationIndices())))
    return false;
  // An operation that only moves elements, such as the windows of a
  // convolution, does not count.
  auto op = collapse.getSrc().getDefiningOp<linalg::GenericOp>();
  return op &&
         !isa<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
}

/// Checks that `op` yields element times factor, its arguments.
static bool isProduct(linalg::GenericOp op) {
  Block *block = op.getBlock();
  Value element = block->getArgument(0), factor = block->getArgument(1);
  Value result = block->getTerminator()->getOperand(0);
  if (auto scale = result.getDefiningOp<arith::ScalingExtFOp>())
    return scale.getIn() == element && scale.getScale() == factor;
  auto mul = result.getDefiningOp<arith::MulFOp>();
  if (!mul)
    return false;
  Value lhs = peel(mul.getLhs()), rhs = peel(mul.getRhs());
  return (lhs == element && rhs == factor) || (lhs == factor && rhs == element);
}

/// The columns that share a factor where `expanded` has columns in two parts;
/// 0 where it has factors of f32 and no such blocks.
static int64_t getPlainBlock(ShapedType expanded, Type factor) {
  int64_t block = expanded.getShape().back();
  return !factor.isF32() && isMmaScale(factor) && (block == 16 || block == 32)
             ? block
             : 0;
}

/// The same with factors of f32, one for `rows` rows and kLargeBlock columns,
/// or with plain rows of factors of fewer bits.
static FailureOr<ScaledMatrix>
matchLargeBlocks(tensor::CollapseShapeOp collapse, int64_t rows,
                 std::string &reason) {
  auto refuse = [&](const auto &...parts) {
    reason = message("scale factors: ", parts...);
    return failure();
  };
  auto op = collapse.getSrc().getDefiningOp<linalg::GenericOp>();
  unsigned loops = rows == 1 ? 3 : 4;
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != loops || op.getNumReductionLoops() != 0)
    return refuse("expected an elementwise operation on elements and factors "
                  "in ",
                  loops, " dimensions, got ", op.getNumLoops(), " with ",
                  op.getNumDpsInputs(), " inputs");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[0].isIdentity() || !maps[2].isIdentity())
    return refuse("expected elements and products in the order of the loops, "
                  "got ",
                  maps[0], " and ", maps[2]);
  AffineMap all = AffineMap::getMultiDimIdentityMap(loops, op.getContext());
  AffineMap expected = all.getSubMap({0, loops - 2});
  auto type = cast<ShapedType>(op.getInputs()[0].getType());
  Type factor = getElementTypeOrSelf(op.getInputs()[1].getType());
  int64_t plain = rows == 1 ? getPlainBlock(type, factor) : 0;
  if (maps[1] != expected)
    return refuse("expected a factor for ", rows, " x ",
                  plain != 0 ? plain : kLargeBlock, " elements, indexing map ",
                  expected, ", got ", maps[1]);
  if (!isProduct(op))
    return refuse("expected the product of an element and a factor, "
                  "arith.mulf of both widened");
  ArrayRef<int64_t> shape = type.getShape();
  if (plain == 0 && rows == 1 && !factor.isF32() && isMmaScale(factor))
    return refuse("expected columns in ? x 16 or 32 parts, got ", type);
  if (plain == 0 &&
      (shape.back() != kLargeBlock || (rows != 1 && shape[1] != kLargeBlock)))
    return refuse("expected columns ", rows == 1 ? "" : "and rows ", "in ? x ",
                  kLargeBlock, " parts, got ", type);
  auto expand = op.getInputs()[0].getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand ||
      expand.getReassociationIndices() != collapse.getReassociationIndices())
    return refuse("expected elements that are an expanded matrix");
  if (plain != 0)
    return ScaledMatrix{expand.getSrc(), op.getInputs()[1], plain, /*rows=*/0,
                        /*isPlain=*/true};
  if (!factor.isF32())
    return refuse("expected factors of f32, got ", op.getInputs()[1].getType());
  return ScaledMatrix{expand.getSrc(), op.getInputs()[1], kLargeBlock, rows};
}

FailureOr<ScaledMatrix> tc::matchScaledMatrix(Value matrix,
                                              std::string &reason) {
  auto refuse = [&](const auto &...parts) {
    reason = message("scale factors: ", parts...);
    return failure();
  };
  auto collapse = matrix.getDefiningOp<tensor::CollapseShapeOp>();
  if (std::optional<int64_t> rows =
          findLargeRows(collapse.getReassociationIndices()))
    return matchLargeBlocks(collapse, *rows, reason);
  auto op = collapse.getSrc().getDefiningOp<linalg::GenericOp>();
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != kExpandedRank || op.getNumReductionLoops() != 0)
    return refuse("expected an elementwise operation on elements and factors "
                  "in 6 dimensions, got ",
                  op.getNumLoops(), " with ", op.getNumDpsInputs(), " inputs");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  if (!maps[0].isIdentity() || !maps[2].isIdentity())
    return refuse("expected elements and products in the order of the loops, "
                  "got ",
                  maps[0], " and ", maps[2]);
  AffineMap expected = getScaleMap(op.getContext(), kExpandedRank);
  if (maps[1] != expected)
    return refuse("expected factors in blocks of 128 rows and 4 columns, "
                  "indexing map ",
                  expected, ", got ", maps[1]);
  if (!isProduct(op))
    return refuse("expected the product of an element and a factor, "
                  "arith.scaling_extf, or arith.mulf of both widened");
  std::string inner;
  FailureOr<int64_t> block =
      matchExpandedType(op.getInputs()[0].getType(), inner);
  if (failed(block))
    return refuse(inner);
  Value elements = findMatrix(op.getInputs()[0]);
  if (!elements)
    return refuse("expected elements that are an expanded matrix");
  return ScaledMatrix{elements, op.getInputs()[1], *block};
}

RankedTensorType tc::getScaleBlocksType(Type plain) {
  auto type = cast<RankedTensorType>(plain);
  auto count = [](int64_t extent, int64_t step) -> int64_t {
    return ShapedType::isDynamic(extent) ? extent
                                         : llvm::divideCeil(extent, step);
  };
  return RankedTensorType::get({count(type.getDimSize(0), kScaleRows),
                                count(type.getDimSize(1), kScaleBlocks),
                                kScaleTileShape[0],
                                kScaleRows / kScaleTileShape[0], kScaleBlocks},
                               type.getElementType());
}

Value tc::emitScaleBlocks(OpBuilder &builder, Location loc, Value plain) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(builder, loc, plain);
  RankedTensorType type = getScaleBlocksType(plain.getType());
  AffineExpr size = builder.getAffineSymbolExpr(0);
  SmallVector<OpFoldResult> shape =
      getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  for (auto [dim, step] : {std::pair(0, kScaleRows), {1, kScaleBlocks}})
    shape[dim] = affine::makeComposedFoldedAffineApply(
        builder, loc, size.ceilDiv(step), sizes[dim]);
  const int64_t lanes = kScaleTileShape[0];
  Value last[2];
  for (unsigned i : {0, 1})
    last[i] =
        getValueOrCreateConstantIndexOp(builder, loc,
                                        affine::makeComposedFoldedAffineApply(
                                            builder, loc, size - 1, sizes[i]));
  Value blocks = tensor::EmptyOp::create(builder, loc, shape,
                                         getElementTypeOrSelf(plain.getType()));
  // Loops are those of the blocks: 128 rows, 4 columns, then within them.
  AffineExpr d0, d1, d2, d3, d4;
  bindDims(builder.getContext(), d0, d1, d2, d3, d4);
  auto at = [&](OpBuilder &nested, AffineExpr place, unsigned dim) -> Value {
    SmallVector<Value> loops;
    for (int64_t loop : llvm::seq<int64_t>(0, shape.size()))
      loops.push_back(linalg::IndexOp::create(nested, loc, loop));
    Value index = affine::AffineApplyOp::create(
        nested, loc, AffineMap::get(shape.size(), 0, place), loops);
    return arith::MinUIOp::create(nested, loc, index, last[dim]);
  };
  auto identity = builder.getMultiDimIdentityMap(shape.size());
  SmallVector<utils::IteratorType> loops(shape.size(),
                                         utils::IteratorType::parallel);
  auto op = linalg::GenericOp::create(
      builder, loc, blocks.getType(), /*inputs=*/ValueRange(), blocks, identity,
      loops, [&](OpBuilder &nested, Location, ValueRange) {
        Value row = at(nested, d0 * kScaleRows + d3 * lanes + d2, 0);
        Value column = at(nested, d1 * kScaleBlocks + d4, 1);
        Value factor = tensor::ExtractOp::create(nested, loc, plain,
                                                 ValueRange{row, column});
        linalg::YieldOp::create(nested, loc, factor);
      });
  return op.getResult(0);
}

//===----------------------------------------------------------------------===//
// Results
//===----------------------------------------------------------------------===//

namespace {

/// What divides a product by scale factors.
struct Quantization {
  tmm::MatmulOp matmul;
  /// Makes the elements, the factors, and the largest of each block.
  linalg::GenericOp divide, factors, largest;
  int64_t block;
};

} // namespace

static bool isConstant(Value value, float number) {
  FloatAttr constant;
  return matchPattern(value, m_Constant(&constant)) &&
         constant.getValue().convertToFloat() == number;
}

/// Whether `op` yields truncf(x / factor): arith.scaling_truncf, or for factors
/// with a significand a product with the reciprocal.
static bool isDivision(linalg::GenericOp op) {
  Block *block = op.getBlock();
  Value element = block->getArgument(0), factor = block->getArgument(1);
  Value result = block->getTerminator()->getOperand(0);
  if (auto scale = result.getDefiningOp<arith::ScalingTruncFOp>())
    return scale.getIn() == element && scale.getScale() == factor;
  auto narrow = result.getDefiningOp<arith::TruncFOp>();
  auto mul =
      narrow ? narrow.getIn().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!mul)
    return false;
  Value lhs = mul.getLhs(), rhs = mul.getRhs();
  if (lhs != element)
    std::swap(lhs, rhs);
  auto reciprocal = rhs.getDefiningOp<arith::DivFOp>();
  return lhs == element && reciprocal && isConstant(reciprocal.getLhs(), 1) &&
         peel(reciprocal.getRhs()) == factor;
}

/// Whether `op` makes the factor of a block of elements of type `element` of
/// its largest: truncf(largest * c), for powers of two toward zero.
static bool isFactor(linalg::GenericOp op, Type element) {
  Block *block = op.getBlock();
  Value result = block->getTerminator()->getOperand(0);
  auto narrow = result.getDefiningOp<arith::TruncFOp>();
  auto mul =
      narrow ? narrow.getIn().getDefiningOp<arith::MulFOp>() : arith::MulFOp();
  if (!mul)
    return false;
  Value lhs = mul.getLhs(), rhs = mul.getRhs();
  if (lhs != block->getArgument(0))
    std::swap(lhs, rhs);
  if (lhs != block->getArgument(0))
    return false;
  std::optional<arith::RoundingMode> mode = narrow.getRoundingmode();
  if (isa<Float8E8M0FNUType>(result.getType()))
    return mode == arith::RoundingMode::toward_zero &&
           isConstant(rhs, std::ldexp(1.0f, -tmm::getLargestExponent(element)));
  return (!mode || *mode == arith::RoundingMode::to_nearest_even) &&
         isConstant(rhs, 1.0f / 6.0f);
}

/// Reads `largest` as the reduction of the blocks of `matrix` to their largest
/// absolute values.
static LogicalResult matchLargest(linalg::GenericOp largest, Value matrix,
                                  std::string &reason) {
  auto refuse = [&](const auto &...parts) {
    reason = message("largest of a block: ", parts...);
    return failure();
  };
  if (!largest || largest.getNumDpsInputs() != 1 ||
      largest.getNumLoops() != kExpandedRank ||
      largest.getNumReductionLoops() != 1)
    return refuse("expected a reduction of the last of 6 dimensions");
  SmallVector<AffineMap> maps = largest.getIndexingMapsArray();
  AffineMap all =
      AffineMap::getMultiDimIdentityMap(kExpandedRank, largest.getContext());
  if (!maps[0].isIdentity() || maps[1] != all.dropResult(kExpandedRank - 1))
    return refuse("expected a reduction of the last dimension, got ", maps[1]);
  if (findMatrix(largest.getInputs()[0]) != matrix)
    return refuse("expected the elements that are divided");
  if (!isLargest(largest))
    return refuse("expected arith.maximumf of the output and math.absf");
  auto fill = largest.getOutputs()[0].getDefiningOp<linalg::FillOp>();
  if (!fill || !matchPattern(fill.getInputs()[0], m_AnyZeroFloat()))
    return refuse("expected it to start with 0");
  return success();
}

/// Reads `divide` as the quantisation of the blocks of a product.
static FailureOr<Quantization> matchQuantization(linalg::GenericOp divide,
                                                 std::string &reason) {
  auto refuse = [&](const auto &...parts) {
    reason = message(parts...);
    return failure();
  };
  Quantization found;
  found.divide = divide;
  SmallVector<AffineMap> maps = divide.getIndexingMapsArray();
  AffineMap expected = getScaleMap(divide.getContext(), kExpandedRank);
  if (!maps[0].isIdentity() || !maps[2].isIdentity() || maps[1] != expected)
    return refuse("expected factors in blocks of 128 rows and 4 columns, "
                  "indexing map ",
                  expected, ", got ", maps[1]);
  FailureOr<int64_t> block =
      matchExpandedType(divide.getInputs()[0].getType(), reason);
  if (failed(block))
    return failure();
  found.block = *block;
  if (!isDivision(divide))
    return refuse("expected arith.scaling_truncf, or arith.truncf of the "
                  "product with 1 / factor");
  found.factors = divide.getInputs()[1].getDefiningOp<linalg::GenericOp>();
  if (!found.factors || found.factors.getNumDpsInputs() != 1 ||
      found.factors.getNumReductionLoops() != 0)
    return refuse("expected factors that an elementwise operation makes of the "
                  "largest of each block");
  // The loops of the factors are those of their blocks.
  SmallVector<AffineMap> factorMaps = found.factors.getIndexingMapsArray();
  AffineMap blocks = getScaleMap(divide.getContext(), kExpandedRank - 1);
  if (!(factorMaps[0].isIdentity() && factorMaps[1] == blocks) &&
      !(factorMaps[1].isIdentity() &&
        factorMaps[0] == inversePermutation(blocks)))
    return refuse("expected each factor to be made of the largest of its "
                  "block, got indexing maps ",
                  factorMaps[0], " and ", factorMaps[1]);
  Type element = getElementTypeOrSelf(divide.getResult(0).getType());
  Type scale = getElementTypeOrSelf(divide.getInputs()[1].getType());
  if (!tmm::isQuantizedPair(element, scale) ||
      tmm::getQuantizedBlock(scale) != *block)
    return refuse("expected f8E4M3FN, f8E5M2 or f4E2M1FN with f8E8M0FNU for "
                  "32, or f4E2M1FN with f8E4M3FN for 16, got ",
                  element, " with ", scale, " for ", *block);
  if (!isFactor(found.factors, element))
    return refuse("expected the factor to be arith.truncf of the largest "
                  "times a constant: toward_zero of 2^-",
                  tmm::getLargestExponent(element),
                  " to f8E8M0FNU, or of 1 / 6 to f8E4M3FN");
  found.largest =
      found.factors.getInputs()[0].getDefiningOp<linalg::GenericOp>();
  for (Operation *user : found.factors->getUsers())
    if (user->getBlock() != divide->getBlock() || user->isBeforeInBlock(divide))
      return refuse("expected no use of the factors before elements are "
                    "divided by them");
  // There is one: see isCandidate().
  Value matrix = findMatrix(divide.getInputs()[0]);
  if (failed(matchLargest(found.largest, matrix, reason)))
    return failure();
  found.matmul = matrix.getDefiningOp<tmm::MatmulOp>();
  if (!found.matmul || !getElementTypeOrSelf(matrix.getType()).isF32() ||
      !found.matmul.getOtherOutputs().empty() || found.matmul.getAccumulate())
    return refuse("expected a product in f32 without other outputs, which adds "
                  "nothing to D");
  for (Operation *user : matrix.getUsers()) {
    auto expand = dyn_cast<tensor::ExpandShapeOp>(user);
    bool isKnown =
        expand && llvm::all_of(expand->getUsers(), [&](Operation *it) {
          return it == divide || it == found.largest;
        });
    if (!isKnown)
      return refuse("the product is also used by '",
                    user->getName().getStringRef(), "'");
  }
  return found;
}

/// Whether `op` may divide blocks of a product: what a remark is about.
static bool isCandidate(linalg::GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumLoops() != kExpandedRank ||
      !tmm::isQuantizedType(
          getElementTypeOrSelf(op.getDpsInits()[0].getType())))
    return false;
  Value matrix = findMatrix(op.getInputs()[0]);
  return matrix && matrix.getDefiningOp<tmm::MatmulOp>();
}

namespace {

/// Before:
///   %y = tmm.matmul ins(%a, %b) outs(%d) -> tensor<256x384xf32>
///   %x = tensor.expand_shape %y [[0, 1, 2], [3, 4, 5]]
///   %m = linalg.generic ... absf, maximumf ... ins(%x)
///   %s = linalg.generic ... truncf toward_zero ... ins(%m) outs(%e)
///   %q = linalg.generic ... scaling_truncf ... ins(%x, %s)
///   %r = tensor.collapse_shape %q [[0, 1, 2], [3, 4, 5]]
/// After:
///   %r, %s = tmm.matmul ins(%a, %b) outs(%f) scale_d(%e)
struct FuseQuantization : OpRewritePattern<linalg::GenericOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(linalg::GenericOp op,
                                PatternRewriter &rewriter) const override {
    if (!isCandidate(op))
      return rewriter.notifyMatchFailure(op, "not a division of a product");
    std::string reason;
    FailureOr<Quantization> found = matchQuantization(op, reason);
    if (failed(found))
      return rewriter.notifyMatchFailure(op, reason);
    tmm::MatmulOp matmul = found->matmul;
    Location loc = rewriter.getFusedLoc({matmul.getLoc(), op.getLoc()});
    auto type = cast<RankedTensorType>(matmul.getResult().getType())
                    .clone(getElementTypeOrSelf(op.getResult(0).getType()));
    // The elements of the new D are as many as those of the old one.
    Value d = tensor::EmptyOp::create(
        rewriter, loc, tensor::getMixedSizes(rewriter, loc, matmul.getD()),
        type.getElementType());
    Region epilogue;
    if (matmul.hasEpilogue())
      epilogue.takeBody(*matmul.getEpilogue());
    auto fused = tmm::MatmulOp::create(
        rewriter, loc, matmul.getA(), matmul.getB(), d, matmul.getExtras(),
        matmul.getAlongCodes(), matmul.hasEpilogue() ? &epilogue : nullptr,
        /*accumulate=*/false, matmul.getTransposeA(), matmul.getTransposeB(),
        matmul.getConfigAttr(), matmul.getScales(), matmul.getAllowTf32(),
        matmul.getScaleBlocks(), matmul.getF16Sum(),
        tmm::OtherOutputs{found->factors.getOutputs()[0], Value()},
        matmul.getMetadata());
    rewriter.replaceAllUsesWith(found->factors.getResult(0),
                                fused.getOutputs()[1]);
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(user))
        if (collapse.getType() == fused.getResult().getType())
          rewriter.replaceOp(collapse, fused.getResult());
    SmallVector<ReassociationIndices> groups = {{0, 1, 2}, {3, 4, 5}};
    SmallVector<Operation *> unused = {found->factors, found->largest};
    unused.push_back(found->largest.getOutputs()[0].getDefiningOp());
    for (linalg::GenericOp reader : {op, found->largest})
      unused.push_back(reader.getInputs()[0].getDefiningOp());
    unused.push_back(matmul);
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(
        op, op.getResult(0).getType(), fused.getResult(), groups);
    // Kernels would be made of them.
    llvm::SmallPtrSet<Operation *, 8> erased;
    for (Operation *dead : unused)
      if (!erased.contains(dead) && dead->use_empty()) {
        erased.insert(dead);
        rewriter.eraseOp(dead);
      }
    return success();
  }
};

} // namespace

void tc::populateFuseQuantizationPatterns(RewritePatternSet &patterns) {
  patterns.add<FuseQuantization>(patterns.getContext());
}

void tc::explainUnfusedQuantization(linalg::GenericOp op) {
  if (!isCandidate(op))
    return;
  std::string reason;
  (void)matchQuantization(op, reason);
  op->emitRemark() << "stays outside the kernel: " << reason;
}
