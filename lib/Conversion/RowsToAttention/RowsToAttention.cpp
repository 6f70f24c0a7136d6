//===- RowsToAttention.cpp - softmax between products -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products are tmm.matmul and softmax is tmm.rows here, so that what it is
// printed as no longer matters. Transpositions of heads and rows before and
// after become orders of dimensions.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/RowsToAttention/RowsToAttention.h"

#include "Softmax.h"

#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace tc {
#define GEN_PASS_DEF_CONVERTROWSTOATTENTIONPASS
#include "tc/Conversion/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;
using namespace tc::tmm;

namespace {

struct ConvertRowsToAttentionPass
    : tc::impl::ConvertRowsToAttentionPassBase<ConvertRowsToAttentionPass> {
  using ConvertRowsToAttentionPassBase::ConvertRowsToAttentionPassBase;
  void runOnOperation() override;
};

/// A product, rows and a product.
struct Chain {
  MatmulOp scores, values;
  RowsOp rows;
  /// Which operand of the rows the scores are.
  unsigned number;
};

/// A tensor in the order of its dimensions: numbers of those of a product.
struct Ordered {
  Value tensor;
  AffineMap map;
};

} // namespace

/// `value` before views that leave the last two dimensions alone.
static Value skipViews(Value value) {
  auto keepsMatrix = [](ArrayRef<ReassociationIndices> groups) {
    size_t count = groups.size();
    return count >= 2 && groups[count - 1].size() == 1 &&
           groups[count - 2].size() == 1;
  };
  while (Operation *op = value.getDefiningOp()) {
    auto expand = dyn_cast<tensor::ExpandShapeOp>(op);
    auto collapse = dyn_cast<tensor::CollapseShapeOp>(op);
    if (expand && expand->hasOneUse() &&
        keepsMatrix(expand.getReassociationIndices()))
      value = expand.getSrc();
    else if (collapse && collapse->hasOneUse() &&
             keepsMatrix(collapse.getReassociationIndices()))
      value = collapse.getSrc();
    else
      break;
  }
  return value;
}

/// Whether `op` has operands and results that a tile of attention has: a plain
/// product of bf16 or f16, for which nobody chose a configuration.
static bool isPlain(MatmulOp op) {
  Type element = getElementTypeOrSelf(op.getA());
  return op->getNumResults() == 1 && (element.isBF16() || element.isF16()) &&
         getElementTypeOrSelf(op.getB()) == element && !op.getAccumulate() &&
         !op.isScaled() && !op.isSparse() && !op.getF16Sum() &&
         !op.getConfigAttr() && op.getOtherOutputs().empty() &&
         !op.getTransposeA();
}

/// Whether `op` only rounds its sums to the type of its operands, as attention
/// does, or not at all.
static bool isRounding(MatmulOp op) {
  if (!op.hasEpilogue())
    return true;
  Block &body = op.getEpilogue()->front();
  auto rounded =
      body.getTerminator()->getOperand(0).getDefiningOp<arith::TruncFOp>();
  return rounded && rounded.getIn() == body.getArgument(0) &&
         rounded.getType() == getElementTypeOrSelf(op.getA());
}

static std::optional<Chain> findChain(MatmulOp values) {
  if (!isPlain(values) || values.getTransposeB() || !isRounding(values))
    return std::nullopt;
  auto rows = skipViews(values.getA()).getDefiningOp<RowsOp>();
  if (!rows || rows.getIns().empty() || rows.getIns().size() > 2 ||
      rows.getOuts().size() != 1 || !rows.getResult(0).hasOneUse() ||
      rows.getNumDims() < 2 ||
      !rows.getMapOf(rows.getIns().size()).isIdentity())
    return std::nullopt;
  for (auto [number, operand] : llvm::enumerate(rows.getIns())) {
    auto scores = skipViews(operand).getDefiningOp<MatmulOp>();
    if (!scores || !isPlain(scores) || !scores.getTransposeB() ||
        !rows.getMapOf(number).isIdentity() ||
        !scores->getResult(0).hasOneUse() ||
        getElementTypeOrSelf(scores.getA()) !=
            getElementTypeOrSelf(values.getA()))
      continue;
    return Chain{scores, values, rows, unsigned(number)};
  }
  return std::nullopt;
}

/// Why the sizes of `chain` are none of a kernel; empty: they are.
static std::string explainSizes(const Chain &chain) {
  MatmulOp scores = chain.scores, values = chain.values;
  auto shape = [](Value value) {
    return cast<ShapedType>(value.getType()).getShape();
  };
  ArrayRef<int64_t> q = shape(scores.getA()), k = shape(scores.getB()),
                    p = shape(values.getA()), v = shape(values.getB());
  if (q.size() != k.size() || q.size() != p.size() || q.size() != v.size())
    return "its operands have different batches";
  // Views between the products keep the order of batches, so equal sizes are
  // the same batches.
  for (size_t dim = 0; dim + 2 < q.size(); ++dim) {
    if (q[dim] != k[dim] || q[dim] != p[dim] || q[dim] != v[dim])
      return "its operands have different batches";
    if (ShapedType::isDynamic(q[dim]))
      return "its batches are known in the run alone, and may differ";
  }
  for (ArrayRef<int64_t> sizes : {q, k})
    if (llvm::is_contained(sizes, 0))
      return "its operands are empty";
  constexpr int64_t kMaxColumns = 256, kColumns = 8;
  for (int64_t columns : {q.back(), v.back()})
    if (ShapedType::isDynamic(columns) || columns > kMaxColumns ||
        columns % kColumns != 0)
      return "its heads are no multiple of 8 up to 256 that is known";
  return "";
}

/// Whether each row sees a key: one that sees none is NaN or the mean of all
/// where softmax is computed by itself.
static bool seesKeys(const Softmax &softmax, const Chain &chain) {
  if (!softmax.diagonal)
    return true;
  if (*softmax.diagonal < 0)
    return false;
  if (!softmax.after)
    return true;
  ArrayRef<int64_t> shape =
      cast<ShapedType>(const_cast<Chain &>(chain).values.getA().getType())
          .getShape();
  int64_t m = shape[shape.size() - 2], n = shape.back();
  return !ShapedType::isDynamic(m) && !ShapedType::isDynamic(n) &&
         m - 1 + *softmax.after < n - 1;
}

/// The one operation that yields its operand, maybe converted to another type
/// of floats, elsewhere; and the maps of input and output.
static std::optional<std::pair<AffineMap, AffineMap>> getMove(Operation *op) {
  if (auto generic = dyn_cast_or_null<linalg::GenericOp>(op)) {
    Block &body = generic.getRegion().front();
    Value yielded = body.getTerminator()->getOperand(0);
    if (isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(
            yielded.getDefiningOp()))
      yielded = yielded.getDefiningOp()->getOperand(0);
    if (generic.getNumDpsInputs() == 1 && generic.getNumDpsInits() == 1 &&
        generic.hasPureTensorSemantics() &&
        generic.getNumParallelLoops() == generic.getNumLoops() &&
        yielded == body.getArgument(0))
      return std::pair(generic.getIndexingMapsArray()[0],
                       generic.getIndexingMapsArray()[1]);
  }
  if (auto rows = dyn_cast_or_null<RowsOp>(op)) {
    Value yielded = rows.getBody().front().getTerminator()->getOperand(0);
    if (isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(
            yielded.getDefiningOp()))
      yielded = yielded.getDefiningOp()->getOperand(0);
    if (rows.getIns().size() == 1 && rows.getOuts().size() == 1 &&
        yielded == rows.getBody().front().getArgument(0))
      return std::pair(rows.getMapOf(0), rows.getMapOf(1));
  }
  return std::nullopt;
}

/// `value` before it was transposed, if its last dimension stayed.
static Ordered findOrder(Value value) {
  unsigned rank = cast<ShapedType>(value.getType()).getRank();
  Ordered own{value,
              AffineMap::getMultiDimIdentityMap(rank, value.getContext())};
  Operation *op = value.getDefiningOp();
  auto move = getMove(op);
  if (!move ||
      getElementTypeOrSelf(op->getOperand(0)) != getElementTypeOrSelf(value))
    return own;
  auto [from, to] = *move;
  if (!from.isPermutation() || !to.isPermutation())
    return own;
  // From dimensions of `value` to those of the source.
  AffineMap map = from.compose(inversePermutation(to));
  if (map.getResults().back() != getAffineDimExpr(rank - 1, value.getContext()))
    return own;
  return {op->getOperand(0), map};
}

namespace {

/// What the kernel writes: the value that it takes the place of, in its order.
struct Output {
  Value replaced;
  AffineMap map;
};

} // namespace

/// The result of `values`, or what it is transposed and rounded to.
static Output findOutput(MatmulOp values) {
  Value result = values->getResult(0);
  unsigned rank = cast<ShapedType>(result.getType()).getRank();
  AffineExpr last = getAffineDimExpr(rank - 1, result.getContext());
  Output output{result,
                AffineMap::getMultiDimIdentityMap(rank, result.getContext())};
  // What is rounded once is not rounded again.
  while (getElementTypeOrSelf(output.replaced).isF32() &&
         output.replaced.hasOneUse()) {
    Operation *user = *output.replaced.getUsers().begin();
    auto move = getMove(user);
    if (!move || user->getOperand(0) != output.replaced)
      break;
    Type element = getElementTypeOrSelf(user->getResult(0));
    auto [from, to] = *move;
    if (!from.isPermutation() || !to.isPermutation() ||
        (!element.isF32() && element != getElementTypeOrSelf(values.getA())))
      break;
    // From dimensions of what is replaced to those of the user's result.
    AffineMap map = to.compose(inversePermutation(from));
    if (map.getResults().back() != last)
      break;
    output = {user->getResult(0), map.compose(output.map)};
  }
  return output;
}

/// How the batch of the products becomes that of the rows between them; nothing
/// where it is the same, or where no single view does.
static std::optional<SmallVector<ReassociationIndices>>
getExpansion(const Chain &chain) {
  MatmulOp scores = chain.scores;
  Value operand = const_cast<Chain &>(chain).rows.getIns()[chain.number];
  auto expand = operand.getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand || expand.getSrc() != scores->getResult(0))
    return std::nullopt;
  return expand.getReassociationIndices();
}

/// Why a bias of the rows cannot be one of the products; empty if it can.
static std::string explainBias(const Chain &chain) {
  unsigned rank = const_cast<Chain &>(chain).rows.getNumDims();
  ArrayRef<int64_t> shape =
      cast<ShapedType>(const_cast<Chain &>(chain).scores.getD().getType())
          .getShape();
  if (rank == shape.size())
    return "";
  if (!getExpansion(chain))
    return "its bias has another batch than its products";
  return "";
}

/// `value` with the dimensions of `shape`, in `groups` for each of its own.
static Value expand(OpBuilder &b, Location loc, Value value,
                    ArrayRef<ReassociationIndices> groups,
                    ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  auto type = cast<RankedTensorType>(value.getType());
  if (type.getShape() == ArrayRef(shape))
    return value;
  return tensor::ExpandShapeOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), value,
      groups, sizes);
}

/// The bias with a dimension for each of the rows: one element where all have
/// the same.
static Value emitBias(OpBuilder &b, Location loc, const Softmax &softmax) {
  Value bias = softmax.bias;
  AffineMap map = softmax.mapOfBias;
  auto isDim = [](AffineExpr expr) { return isa<AffineDimExpr>(expr); };
  // Single elements go first, then come where they belong.
  if (!llvm::all_of(map.getResults(), isDim)) {
    SmallVector<ReassociationIndices> groups(1);
    bool hasDim = false;
    for (auto [at, expr] : llvm::enumerate(map.getResults())) {
      if (isDim(expr) && hasDim)
        groups.emplace_back();
      hasDim |= isDim(expr);
      groups.back().push_back(at);
    }
    bias = tensor::CollapseShapeOp::create(b, loc, bias, groups);
  }
  SmallVector<OpFoldResult> own = tensor::getMixedSizes(b, loc, bias), sizes;
  SmallVector<ReassociationIndices> groups;
  unsigned next = 0;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      continue;
    groups.emplace_back();
    for (; next <= dim.getPosition(); ++next) {
      groups.back().push_back(next);
      sizes.push_back(next == dim.getPosition() ? own[groups.size() - 1]
                                                : b.getIndexAttr(1));
    }
  }
  return expand(b, loc, bias, groups, sizes);
}

/// `value`, a factor of a product, with its batch as the rows have it, or what
/// it was made of.
static Value emitFactor(OpBuilder &b, Location loc, Value value,
                        ArrayRef<ReassociationIndices> groups,
                        ArrayRef<OpFoldResult> batch) {
  auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
  if (collapse && collapse.getReassociationIndices() == groups)
    return collapse.getSrc();
  SmallVector<OpFoldResult> sizes(batch),
      own = tensor::getMixedSizes(b, loc, value);
  sizes.append(own.end() - 2, own.end());
  return expand(b, loc, value, groups, sizes);
}

static void replace(const Chain &chain, const Softmax &softmax) {
  MatmulOp values = chain.values, scores = chain.scores;
  Output output = findOutput(values);
  Operation *last = output.replaced.getDefiningOp();
  OpBuilder b(last);
  Value init = cast<DestinationStyleOpInterface>(last).getDpsInits()[0];
  Value factors[] = {scores.getA(), scores.getB(), values.getB()}, bias;
  Location loc = scores.getLoc();
  std::optional<SmallVector<ReassociationIndices>> groups;
  if (softmax.bias) {
    bias = emitBias(b, loc, softmax);
    if (cast<ShapedType>(bias.getType()).getRank() !=
        cast<ShapedType>(init.getType()).getRank())
      groups = getExpansion(chain);
  }
  if (groups) {
    // The output in its own order: views that change ranks are between.
    output = {values->getResult(0),
              AffineMap::getMultiDimIdentityMap(groups->back().back() + 1,
                                                b.getContext())};
    last = values;
    b.setInsertionPoint(last);
    init = values.getD();
    SmallVector<OpFoldResult> batch = tensor::getMixedSizes(
        b, loc, const_cast<Chain &>(chain).rows.getIns()[chain.number]);
    batch.truncate(batch.size() - 2);
    for (Value &factor : factors)
      factor = emitFactor(b, loc, factor, *groups, batch);
    init = emitFactor(b, loc, init, *groups, batch);
  }
  Ordered q = findOrder(factors[0]), k = findOrder(factors[1]),
          v = findOrder(factors[2]);
  SmallVector<AffineMap> maps{q.map, k.map, v.map, output.map};
  if (bias)
    maps.push_back(AffineMap::getMultiDimIdentityMap(
        cast<ShapedType>(bias.getType()).getRank(), b.getContext()));
  bool isPlainOrder =
      llvm::all_of(maps, [](AffineMap map) { return map.isIdentity(); });
  IntegerAttr diagonal, window;
  if (softmax.diagonal)
    diagonal = b.getI64IntegerAttr(*softmax.diagonal);
  if (softmax.after)
    window = b.getI64IntegerAttr(*softmax.diagonal - *softmax.after);
  auto op = AttentionOp::create(
      b, loc, init.getType(), /*result_lse=*/Type(), q.tensor, k.tensor,
      v.tensor, init, /*lse=*/Value(), bias, b.getF32FloatAttr(softmax.scale),
      diagonal, window,
      isPlainOrder ? ArrayAttr() : b.getAffineMapArrayAttr(maps),
      // Which keys a bias hides is known in the run alone.
      bias && !softmax.isZeroWithoutKeys ? b.getUnitAttr() : UnitAttr());
  Value result = op.getResult();
  if (groups)
    result = tensor::CollapseShapeOp::create(b, loc, output.replaced.getType(),
                                             result, *groups);
  output.replaced.replaceAllUsesWith(result);
  // Its users are dead with it.
  while (last != values) {
    Operation *before = last->getOperand(0).getDefiningOp();
    last->erase();
    last = before;
  }
}

void ConvertRowsToAttentionPass::runOnOperation() {
  const TargetFacts *target = getTarget(chip);
  const MatrixUnits &known = MatrixUnits::get(&getContext());
  SmallVector<schedule::MatrixUnit, 2> units;
  if (target)
    units = known.getRegistry().getUnitsOf(*target);
  if (units.empty() || !known.getModel(units.front()).readsResults())
    return;
  SmallVector<MatmulOp> products;
  getOperation()->walk([&](MatmulOp op) { products.push_back(op); });
  SmallVector<Operation *> dead;
  for (MatmulOp values : products) {
    std::optional<Chain> chain = findChain(values);
    if (!chain)
      continue;
    std::string why;
    std::optional<Softmax> softmax =
        findSoftmax(chain->rows, chain->number, chain->scores, why);
    if (softmax && !softmax->isZeroWithoutKeys && !seesKeys(*softmax, *chain))
      why = "a row may see no key";
    if (softmax && why.empty())
      why = explainSizes(*chain);
    if (softmax && why.empty() && softmax->bias)
      why = explainBias(*chain);
    if (!why.empty()) {
      InFlightDiagnostic diag = values.emitRemark()
                                << "is no attention kernel with the product "
                                   "that its a is made of: "
                                << why;
      diag.attachNote(chain->scores.getLoc()) << "of this product";
      continue;
    }
    replace(*chain, *softmax);
    dead.append({values, chain->rows, chain->scores});
    ++numConverted;
  }
  // Users first, and what only they read.
  IRRewriter rewriter(&getContext());
  llvm::SmallSetVector<Operation *, 16> work(dead.begin(), dead.end());
  SmallVector<Operation *> left(work.getArrayRef());
  while (!left.empty()) {
    Operation *op = left.pop_back_val();
    if (!work.contains(op) || !op->use_empty())
      continue;
    SmallVector<Operation *> inputs;
    for (Value operand : op->getOperands())
      if (Operation *def = operand.getDefiningOp();
          def && isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                     linalg::GenericOp, RowsOp, MatmulOp>(def))
        inputs.push_back(def);
    work.remove(op);
    rewriter.eraseOp(op);
    for (Operation *def : inputs)
      if (def->use_empty()) {
        work.insert(def);
        left.push_back(def);
      }
  }
}
