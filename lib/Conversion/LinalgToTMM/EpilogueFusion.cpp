//===- EpilogueFusion.cpp - elementwise ops around a matmul -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Named and generic operations go the same way: by their indexing maps and
// body. The body becomes part of the region of the matmul, in f32: a tensor of
// f16 or bf16 between two fused operations is not rounded, an arith.truncf is.
//
//===----------------------------------------------------------------------===//

#include "EpilogueFusion.h"

#include "AmaxFusion.h"
#include "ContractionMatch.h"
#include "tc/Conversion/LinalgToTMM/LinalgToTMM.h"
#include "tc/Support/Message.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tc;

namespace {

/// What an operand of a fused operation is for the matmul.
struct Source {
  /// A matrix, a vector or a float; null: the accumulator.
  Value value;
  /// For a vector.
  std::optional<tmm::Along> along;
  /// What makes it a batch of matrices or vectors.
  OperandView view;
  /// A splat constant instead of a value.
  Attribute constant;
};

/// An elementwise operation that a matmul can take in.
struct Elementwise {
  linalg::LinalgOp op;
  /// One for each operand; only those that the body reads are resolved.
  SmallVector<Source> sources;
};

} // namespace

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

/// The block argument of `operand` if the body reads it.
static BlockArgument getReadArgument(linalg::LinalgOp op, OpOperand &operand) {
  Block *block = op.getBlock();
  unsigned number = operand.getOperandNumber();
  if (number >= block->getNumArguments() ||
      block->getArgument(number).use_empty())
    return {};
  return block->getArgument(number);
}

/// What reading `value` at `map` (of the dimensions of D) is: through the
/// operations that only broadcast or fill.
static FailureOr<Source> resolve(Value value, AffineMap map,
                                 std::string &reason) {
  auto refuse = [&](const auto &...parts) {
    reason = message(parts...);
    return failure();
  };
  auto isFloat = [](Type type) {
    return type.isF32() || type.isF16() || type.isBF16();
  };
  Source source;
  source.value = value;
  Type element = getElementTypeOrSelf(value.getType());
  if (!isFloat(element))
    return refuse("expected element type f32, f16 or bf16, got ", element);
  if (!isa<ShapedType>(value.getType()))
    return source;
  Attribute constant;
  if (matchPattern(value, m_Constant(&constant)))
    if (auto splat = dyn_cast<SplatElementsAttr>(constant)) {
      source.constant = splat.getSplatValue<Attribute>();
      return source;
    }
  if (isa<TensorType>(value.getType()))
    if (auto producer = value.getDefiningOp<linalg::LinalgOp>())
      if (OpOperand *copied = findCopied(producer))
        return resolve(copied->get(),
                       producer.getMatchingIndexingMap(copied).compose(map),
                       reason);
  if (map.isIdentity())
    return source;
  unsigned m = map.getNumDims() - 2, n = m + 1;
  FailureOr<OperandView> view = matchOperandView(
      cast<ShapedType>(value.getType()), map, /*batchRank=*/m, reason);
  if (failed(view))
    return failure();
  source.view = std::move(*view);
  ArrayRef<unsigned> matrix = source.view.matrix;
  if (matrix.empty())
    return refuse("expected a scalar as a float, got one in memory: ",
                  value.getType());
  if (matrix.size() == 1)
    source.along = static_cast<tmm::Along>(matrix[0] - m);
  else if (matrix != ArrayRef<unsigned>({m, n}))
    return refuse("expected a matrix, a row, a column or a scalar, got "
                  "indexing map ",
                  map);
  return source;
}

/// Checks that `op` is elementwise on a matrix or a batch of them, `rank`
/// dimensions in all, and resolves what its body reads; `carrier` is the result
/// of the matmul, or null.
static FailureOr<Elementwise> matchElementwise(linalg::LinalgOp op,
                                               unsigned rank, Value carrier,
                                               std::string &reason) {
  auto refuse = [&](const auto &...parts) {
    reason = message(parts...);
    return failure();
  };
  if (op.getNumReductionLoops() != 0)
    return refuse("expected an elementwise operation, got a reduction");
  if (op.getNumDpsInits() != 1)
    return refuse("expected one output, got ", op.getNumDpsInits());
  OpOperand *init = op.getDpsInitOperand(0);
  if (op.getNumLoops() != rank || !op.getMatchingIndexingMap(init).isIdentity())
    return refuse("expected an output of rank ", rank,
                  " with the identity map, got ",
                  op.getMatchingIndexingMap(init));
  Type out = getElementTypeOrSelf(init->get().getType());
  bool isNarrow = isa<Float8E4M3FNType, Float8E5M2Type>(out);
  if (!out.isF32() && !out.isF16() && !out.isBF16() && !isNarrow)
    return refuse("output: expected element type f32, f16, bf16, f8E4M3FN or "
                  "f8E5M2, got ",
                  out);
  // The operation itself converts to fewer bits, as the last step.
  Operation *yielded =
      op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  for (Operation &inner : op.getBlock()->without_terminator())
    if (!tmm::isEpilogueOp(&inner) &&
        !(isNarrow && &inner == yielded && isa<arith::TruncFOp>(inner) &&
          inner.getOperand(0).getType().isF32() && yielded->hasOneUse()))
      return refuse("'", inner.getName().getStringRef(),
                    "' cannot be computed in an epilogue");
  // A body may use floats of the function around it.
  for (Operation &inner : *op.getBlock())
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBlock() &&
          !isa<Float32Type, Float16Type, BFloat16Type>(operand.getType()))
        return refuse("'", inner.getName().getStringRef(),
                      "' uses a value of the function of type ",
                      operand.getType());
  Elementwise result{op, {}};
  for (OpOperand &operand : op->getOpOperands()) {
    Source &source = result.sources.emplace_back();
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (operand.get() == carrier) {
      if (getReadArgument(op, operand) && !map.isIdentity())
        return refuse("operand ", operand.getOperandNumber(),
                      ": expected the product to be read in place, got "
                      "indexing map ",
                      map);
      continue;
    }
    if (!getReadArgument(op, operand))
      continue;
    std::string inner;
    FailureOr<Source> resolved = resolve(operand.get(), map, inner);
    if (failed(resolved))
      return refuse("operand ", operand.getOperandNumber(), ": ", inner);
    source = *resolved;
  }
  return result;
}

/// The operation before `op` that touches memory.
static Operation *findPrevious(Operation *op) {
  Operation *previous = op->getPrevNode();
  while (previous && isMemoryEffectFree(previous))
    previous = previous->getPrevNode();
  return previous;
}

/// Whether `op` can be computed in the epilogue of `matmul`: on tensors as its
/// only user, on memrefs as the next operation, in place. What it reads beside
/// the product may be D, but no other part of it: then it would depend on the
/// order of its own iterations.
static FailureOr<Elementwise>
matchConsumer(linalg::LinalgOp op, tmm::MatmulOp matmul, std::string &reason) {
  Value product = matmul.getResult();
  if (matmul.isQuantized()) {
    reason = "the product is quantised";
    return failure();
  }
  if (isAmaxUsedBefore(matmul, op)) {
    reason = "amax of the product is used before it";
    return failure();
  }
  if (matmul.getSumType().isInteger() && matmul.getAccumulate()) {
    reason = "the product of integers is added to what its output held";
    return failure();
  }
  if (!product) {
    if (findPrevious(op) != matmul) {
      reason = "it does not follow the product directly";
      return failure();
    }
    if (op.getNumDpsInits() != 1 ||
        op.getDpsInitOperand(0)->get() != matmul.getD()) {
      reason = "it writes another memref than the product: expected an "
               "operation in place, or tensors";
      return failure();
    }
    return matchElementwise(op, matmul.getBatchRank() + 2, matmul.getD(),
                            reason);
  }
  for (Operation *user : product.getUsers())
    if (user != op) {
      reason = message("the product is also used by '",
                       user->getName().getStringRef(), "'");
      return failure();
    }
  return matchElementwise(op, matmul.getBatchRank() + 2, product, reason);
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

namespace {

/// Builds a matmul with an epilogue from an old one and what is fused.
class EpilogueBuilder {
public:
  EpilogueBuilder(RewriterBase &rewriter, tmm::MatmulOp matmul)
      : rewriter(rewriter), matmul(matmul) {
    for (auto [index, extra] : llvm::enumerate(matmul.getExtras())) {
      extras.push_back(extra);
      along.push_back(matmul.getAlongCodes()[index]);
    }
  }

  /// Starts the region: the accumulator, and the old initial value where that
  /// is no longer D.
  void start(Value d);
  /// The sum of the accumulator and what `producer` computes, or of a source.
  void addProducer(Elementwise &producer) { add(inlineBody(producer)); }
  void addSource(Source &source) { add(read(source)); }
  /// The old region.
  void inlineEpilogue();
  void addConsumer(Elementwise &consumer) { value = inlineBody(consumer); }
  /// The new matmul, before the insertion point.
  tmm::MatmulOp finish(Location loc, Value d);

private:
  void add(Value addend) {
    OpBuilder b = body();
    value = arith::AddFOp::create(b, loc(), value, addend);
  }
  OpBuilder body() {
    // The region has no parent from which to get a context.
    OpBuilder b(rewriter.getContext());
    b.setInsertionPointToEnd(&region.front());
    return b;
  }
  Location loc() { return matmul.getLoc(); }
  /// The block argument of an operand, added where it is new.
  Value addOperand(Value operand, std::optional<tmm::Along> dim);
  Value widen(Value narrow);
  Value read(Source &source);
  Value inlineBody(Elementwise &elementwise);

  RewriterBase &rewriter;
  tmm::MatmulOp matmul;
  SmallVector<Value> extras;
  SmallVector<int32_t> along;
  Region region;
  /// What has been computed so far: f32, or the sum of integers.
  Value value;
  /// What amax of the matmul is of; null without.
  Value amaxOf;
  bool keepsAccumulate = false;
};

} // namespace

Value EpilogueBuilder::widen(Value narrow) {
  if (narrow.getType().isF32() || narrow.getType().isInteger())
    return narrow;
  OpBuilder b = body();
  return arith::ExtFOp::create(b, loc(), b.getF32Type(), narrow);
}

Value EpilogueBuilder::addOperand(Value operand,
                                  std::optional<tmm::Along> dim) {
  int32_t code = dim ? static_cast<int32_t>(*dim) : -1;
  for (auto [index, known] : llvm::enumerate(extras))
    if (known == operand && along[index] == code)
      return region.front().getArgument(index + 1);
  extras.push_back(operand);
  along.push_back(code);
  return region.front().addArgument(getElementTypeOrSelf(operand.getType()),
                                    operand.getLoc());
}

Value EpilogueBuilder::read(Source &source) {
  OpBuilder b = body();
  auto asConstant = [&](Attribute constant) -> Value {
    APFloat number = cast<FloatAttr>(constant).getValue();
    bool losesInfo;
    number.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                   &losesInfo);
    return arith::ConstantOp::create(b, loc(),
                                     b.getFloatAttr(b.getF32Type(), number));
  };
  if (source.constant)
    return asConstant(source.constant);
  Attribute constant;
  if (!isa<ShapedType>(source.value.getType()) &&
      matchPattern(source.value, m_Constant(&constant)))
    return asConstant(constant);
  Value operand = source.value;
  if (isa<ShapedType>(operand.getType()))
    operand = applyOperandView(rewriter, loc(), operand, source.view);
  return widen(addOperand(operand, source.along));
}

void EpilogueBuilder::start(Value d) {
  Block &block = region.emplaceBlock();
  value = block.addArgument(matmul.getSumType(), loc());
  for (Value extra : extras)
    block.addArgument(getElementTypeOrSelf(extra.getType()), loc());
  keepsAccumulate = matmul.getAccumulate() && d == matmul.getD();
  if (matmul.getAccumulate() && d && !keepsAccumulate)
    add(widen(addOperand(matmul.getD(), std::nullopt)));
}

void EpilogueBuilder::inlineEpilogue() {
  amaxOf = matmul.getAmax() ? value : Value();
  if (!matmul.hasEpilogue())
    return;
  Block &old = matmul.getEpilogue()->front();
  IRMapping mapping;
  mapping.map(old.getArgument(0), value);
  for (unsigned i = 1; i < old.getNumArguments(); ++i)
    mapping.map(old.getArgument(i), region.front().getArgument(i));
  OpBuilder b = body();
  for (Operation &op : old.without_terminator())
    b.clone(op, mapping);
  auto yield = cast<tmm::YieldOp>(old.getTerminator());
  value = mapping.lookup(yield.getValue());
  if (matmul.getAmax())
    amaxOf = mapping.lookup(yield.getValues()[1]);
  // The rounding to the old D is no longer the last one.
  if (auto rounding = value.getDefiningOp<arith::TruncFOp>()) {
    value = rounding.getIn();
    rounding.erase();
  }
  value = widen(value);
}

Value EpilogueBuilder::inlineBody(Elementwise &elementwise) {
  linalg::LinalgOp op = elementwise.op;
  IRMapping mapping;
  for (OpOperand &operand : op->getOpOperands())
    if (BlockArgument argument = getReadArgument(op, operand)) {
      Source &source = elementwise.sources[operand.getOperandNumber()];
      bool isProduct = !source.value && !source.constant;
      mapping.map(argument, isProduct ? value : read(source));
    }
  for (Operation &inner : *op.getBlock())
    for (Value operand : inner.getOperands())
      if (operand.getParentBlock() != op.getBlock() &&
          !mapping.contains(operand)) {
        Source source;
        source.value = operand;
        mapping.map(operand, read(source));
      }
  OpBuilder b = body();
  Type f32 = b.getF32Type();
  Operation *yield = op.getBlock()->getTerminator();
  for (Operation &inner : op.getBlock()->without_terminator()) {
    Value result = inner.getResult(0);
    if (auto constant = dyn_cast<arith::ConstantOp>(inner)) {
      Source source;
      source.constant = constant.getValue();
      mapping.map(result, isa<FloatType>(result.getType())
                              ? read(source)
                              : b.clone(inner)->getResult(0));
      continue;
    }
    if (isa<arith::ExtFOp>(inner)) {
      mapping.map(result, mapping.lookup(inner.getOperand(0)));
      continue;
    }
    if (isa<arith::TruncFOp>(inner)) {
      Value wide = mapping.lookup(inner.getOperand(0));
      bool isLast = llvm::all_of(
          result.getUsers(), [&](Operation *user) { return user == yield; });
      if (!isLast)
        wide = widen(
            arith::TruncFOp::create(b, inner.getLoc(), result.getType(), wide));
      mapping.map(result, wide);
      continue;
    }
    Operation *clone = b.clone(inner, mapping);
    if (isa<FloatType>(result.getType()))
      clone->getResult(0).setType(f32);
  }
  return mapping.lookup(yield->getOperand(0));
}

tmm::MatmulOp EpilogueBuilder::finish(Location loc, Value d) {
  OpBuilder b = body();
  Type element = getElementTypeOrSelf(d.getType());
  if (element != value.getType() && !tmm::isQuantizedType(element))
    value = arith::TruncFOp::create(b, loc, element, value);
  SmallVector<Value, 2> values = {value};
  if (amaxOf)
    values.push_back(amaxOf);
  tmm::YieldOp::create(b, loc, values);
  auto fused = tmm::MatmulOp::create(
      rewriter, loc, matmul.getA(), matmul.getB(), d, extras, along, &region,
      keepsAccumulate, matmul.getTransposeA(), matmul.getTransposeB(),
      matmul.getConfigAttr(), matmul.getScales(), matmul.getAllowTf32(),
      matmul.getScaleBlocks(), matmul.getF16Sum(),
      tmm::OtherOutputs{Value(), matmul.getAmax()}, matmul.getMetadata());
  return fused;
}

//===----------------------------------------------------------------------===//
// Patterns
//===----------------------------------------------------------------------===//

namespace {

/// Before:
///   %p = tmm.matmul ins(%a, %b) outs(%d) -> tensor<?x?xf32>
///   %r = linalg.exp ins(%p) outs(%e) -> tensor<?x?xf32>
/// After:
///   %r = tmm.matmul ins(%a, %b) outs(%e) -> tensor<?x?xf32>
///          epilogue(%acc) { %0 = math.exp %acc; tmm.yield %0 }
struct FuseConsumer : OpInterfaceRewritePattern<linalg::LinalgOp> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override {
    std::string reason = "no operand is a product";
    for (tmm::MatmulOp matmul : findProducts(op))
      if (succeeded(fuseConsumer(rewriter, matmul, op, reason)))
        return success();
    return rewriter.notifyMatchFailure(op, reason);
  }

private:
  /// The products that `op` may be computed from.
  static SmallVector<tmm::MatmulOp> findProducts(linalg::LinalgOp op) {
    SmallVector<tmm::MatmulOp> products;
    if (op.hasPureBufferSemantics()) {
      auto matmul = dyn_cast_or_null<tmm::MatmulOp>(findPrevious(op));
      if (matmul && !matmul.getResult())
        products.push_back(matmul);
      return products;
    }
    for (Value operand : op->getOperands())
      if (auto matmul = operand.getDefiningOp<tmm::MatmulOp>())
        products.push_back(matmul);
    return products;
  }
};

/// Before:
///   %i = linalg.broadcast ins(%bias) outs(%e) dimensions = [0]
///   %r = tmm.matmul accumulate ins(%a, %b) outs(%i) -> tensor<?x?xf32>
/// After:
///   %r = tmm.matmul ins(%a, %b) outs(%e) -> tensor<?x?xf32>
///          epilogue(%acc, %x = %bias along n) { addf %acc, %x }
struct FuseProducer : OpRewritePattern<tmm::MatmulOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(tmm::MatmulOp op,
                                PatternRewriter &rewriter) const override {
    Value d = op.getD();
    if (!op.getAccumulate() || !isa<TensorType>(d.getType()))
      return rewriter.notifyMatchFailure(op, "no initial value as a tensor");
    if (op.getSumType().isInteger())
      return rewriter.notifyMatchFailure(op,
                                         "integers are added by the kernel");
    auto producer = d.getDefiningOp<linalg::LinalgOp>();
    std::string reason;
    FailureOr<Source> source = resolve(
        d, rewriter.getMultiDimIdentityMap(op.getBatchRank() + 2), reason);
    bool isSource =
        succeeded(source) && (source->value != d || source->constant);
    FailureOr<Elementwise> elementwise = failure();
    if (!isSource) {
      if (!producer || !d.hasOneUse())
        return rewriter.notifyMatchFailure(op, "D is not computed for it");
      elementwise = matchElementwise(producer, op.getBatchRank() + 2,
                                     /*carrier=*/{}, reason);
      if (failed(elementwise))
        return rewriter.notifyMatchFailure(op, reason);
    }
    // D is only written now: what the producer would have written to serves.
    Value target;
    if (producer)
      target = producer.getDpsInitOperand(0)->get();
    else
      target = tensor::EmptyOp::create(
          rewriter, op.getLoc(),
          tensor::getMixedSizes(rewriter, op.getLoc(), d),
          getElementTypeOrSelf(d.getType()));
    EpilogueBuilder epilogue(rewriter, op);
    epilogue.start(/*d=*/{});
    if (isSource)
      epilogue.addSource(*source);
    else
      epilogue.addProducer(*elementwise);
    epilogue.inlineEpilogue();
    tmm::MatmulOp fused = epilogue.finish(op.getLoc(), target);
    rewriter.replaceOp(op, fused.getResult());
    if (producer && producer->use_empty())
      rewriter.eraseOp(producer);
    return success();
  }
};

} // namespace

FailureOr<tmm::MatmulOp> tc::fuseConsumer(RewriterBase &rewriter,
                                          tmm::MatmulOp matmul,
                                          linalg::LinalgOp op,
                                          std::string &reason) {
  FailureOr<Elementwise> consumer = matchConsumer(op, matmul, reason);
  if (failed(consumer))
    return failure();
  Value d = matmul.getD();
  if (Value product = matmul.getResult())
    if (Value init = op.getDpsInitOperand(0)->get(); init != product)
      d = init;
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  EpilogueBuilder epilogue(rewriter, matmul);
  epilogue.start(d);
  epilogue.inlineEpilogue();
  epilogue.addConsumer(*consumer);
  tmm::MatmulOp fused =
      epilogue.finish(rewriter.getFusedLoc({matmul.getLoc(), op.getLoc()}), d);
  rewriter.replaceOp(op, fused->getResults().take_front(op->getNumResults()));
  if (matmul.getAmax() && matmul.getResult())
    rewriter.replaceAllUsesWith(matmul.getOutputs().back(),
                                fused.getOutputs().back());
  rewriter.eraseOp(matmul);
  return fused;
}

void tc::populateFuseProducerPatterns(RewritePatternSet &patterns) {
  patterns.add<FuseProducer>(patterns.getContext());
}

void tc::populateFuseConsumerPatterns(RewritePatternSet &patterns) {
  patterns.add<FuseConsumer>(patterns.getContext());
}

/// Whether the body of `op` reads elements of `value`.
static bool readsOperand(linalg::LinalgOp op, Value value) {
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return operand.get() == value && getReadArgument(op, operand);
  });
}

void tc::explainUnfused(tmm::MatmulOp matmul) {
  Value product = matmul.getResult() ? matmul.getResult() : matmul.getD();
  llvm::SmallPtrSet<Operation *, 4> seen;
  for (Operation *user : product.getUsers()) {
    auto op = dyn_cast<linalg::LinalgOp>(user);
    if (!op || isAnyContraction(op) || !seen.insert(user).second)
      continue;
    // On memrefs only the first operation after the product is a candidate.
    if (!matmul.getResult() &&
        (user->getBlock() != matmul->getBlock() ||
         !matmul->isBeforeInBlock(user) || !readsOperand(op, product)))
      continue;
    std::string reason;
    (void)matchConsumer(op, matmul, reason);
    InFlightDiagnostic diag = op->emitRemark()
                              << "stays outside the kernel: " << reason;
    diag.attachNote(matmul.getLoc()) << "of this product";
  }
}
