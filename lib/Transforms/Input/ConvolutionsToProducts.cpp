//===- ConvolutionsToProducts.cpp - im2col ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A convolution is a product of the filter and of a matrix that has, for each
// element of the output image, a row with what its window covers. Where the
// channels are last that matrix is a view of the images (tmm.windows), else it
// is gathered by an operation before it, unless the window is one element.
//
//===----------------------------------------------------------------------===//

#include "ConvolutionForms.h"
#include "GatherWindows.h"

#include "tc/Transforms/Passes.h"

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/MmaTypes.h"
#include "tc/Support/PatternsAlone.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tc {
#define GEN_PASS_DEF_CONVOLUTIONSTOPRODUCTSPASS
#include "tc/Transforms/Passes.h.inc"
} // namespace tc

using namespace mlir;
using namespace tc;

namespace {

struct ConvolutionsToProductsPass
    : tc::impl::ConvolutionsToProductsPassBase<ConvolutionsToProductsPass> {
  using ConvolutionsToProductsPassBase::ConvolutionsToProductsPassBase;
  void runOnOperation() override;
};

/// The loops of a convolution by what they are in the product.
struct ProductLoops {
  /// Dimensions of the output: those before the channels where an image
  /// follows the channels, and the image.
  SmallVector<unsigned> batch, rows;
  unsigned channel;
  /// In the order of the filter.
  SmallVector<unsigned> k;
  bool isChannelFirst, isFilterChannelFirst;
  /// Where the output channels are between other dimensions of the filter:
  /// these first, then the others.
  SmallVector<int64_t> filterOrder;

  /// Those of the matrix of the windows.
  SmallVector<unsigned> inOrder() const {
    SmallVector<unsigned> all(batch);
    llvm::append_range(all, rows);
    llvm::append_range(all, k);
    return all;
  }
};

/// The images that a convolution reads, without what pads them, and what of
/// them its windows are.
struct ImageWindows {
  Value images;
  tmm::WindowsAttr windows;
};

struct ConvertConvolution : OpInterfaceRewritePattern<linalg::LinalgOp> {
  ConvertConvolution(MLIRContext *context, bool remarks)
      : OpInterfaceRewritePattern(context), remarks(remarks) {}

  LogicalResult matchAndRewrite(linalg::LinalgOp op,
                                PatternRewriter &rewriter) const override;

  /// Whether to say why windows are gathered.
  bool remarks;
};

} // namespace

/// The numbers of the loops that the results of `map` are.
static SmallVector<unsigned> getLoops(AffineMap map) {
  SmallVector<unsigned> loops;
  for (AffineExpr result : map.getResults())
    loops.push_back(cast<AffineDimExpr>(result).getPosition());
  return loops;
}

/// Whether the windows of `op` themselves are summed, for a zero point of the
/// filter that may be other than 0.
static bool needsSumsOfWindows(linalg::LinalgOp op) {
  Block &body = *op.getBlock();
  for (auto difference : body.getOps<arith::SubIOp>()) {
    Operation *extension = difference.getLhs().getDefiningOp();
    auto point = dyn_cast<BlockArgument>(difference.getRhs());
    bool isOfImages =
        extension && extension->getOperand(0) == body.getArgument(0);
    if (!isOfImages &&
        (!point ||
         !matchPattern(op->getOperand(point.getArgNumber()), m_Zero())))
      return true;
  }
  return false;
}

/// The dimensions of a convolution, which upstream infers of two inputs.
static FailureOr<linalg::ConvolutionDimensions> inferDims(linalg::LinalgOp op) {
  if (op.getNumDpsInputs() == 2)
    return linalg::inferConvolutionDims(op);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  OpBuilder detached(op->getContext());
  auto plain = linalg::GenericOp::create(
      detached, op.getLoc(), op->getResultTypes(),
      op->getOperands().take_front(2), op.getDpsInits(),
      ArrayRef<AffineMap>{maps[0], maps[1], maps.back()},
      op.getIteratorTypesArray(), [](OpBuilder &b, Location at, ValueRange in) {
        Type i32 = in[2].getType();
        Value image = arith::ExtSIOp::create(b, at, i32, in[0]);
        Value weight = arith::ExtSIOp::create(b, at, i32, in[1]);
        Value product = arith::MulIOp::create(b, at, image, weight);
        Value sum = arith::AddIOp::create(b, at, in[2], product);
        linalg::YieldOp::create(b, at, sum);
      });
  FailureOr<linalg::ConvolutionDimensions> dims =
      linalg::inferConvolutionDims(plain);
  plain.erase();
  return dims;
}

/// What keeps a convolution from being a product, or its loops.
static FailureOr<ProductLoops> matchLoops(linalg::LinalgOp op,
                                          std::string &reason) {
  reason = "it is no convolution with a filter";
  if (op.getNumDpsInits() != 1 || !linalg::isaConvolutionOpInterface(op) ||
      !isMultiplyAdd(op))
    return failure();
  FailureOr<linalg::ConvolutionDimensions> dims = inferDims(op);
  if (failed(dims))
    return failure();
  if (!dims->depth.empty() || dims->outputChannel.size() != 1) {
    reason = "each of its groups of channels has a filter of its own";
    return failure();
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<unsigned> filter = getLoops(maps[1]), out = getLoops(maps.back());
  ProductLoops loops;
  loops.channel = dims->outputChannel.front();
  size_t place = llvm::find(out, loops.channel) - out.begin();
  loops.isChannelFirst = place + 1 != out.size();
  if (loops.isChannelFirst) {
    loops.batch.assign(out.begin(), out.begin() + place);
    loops.rows.assign(out.begin() + place + 1, out.end());
  } else {
    loops.rows.assign(out.begin(), out.begin() + place);
  }
  loops.isFilterChannelFirst = filter.front() == loops.channel;
  int64_t placeInFilter = llvm::find(filter, loops.channel) - filter.begin();
  if (!loops.isFilterChannelFirst && filter.back() != loops.channel) {
    loops.isFilterChannelFirst = true;
    loops.filterOrder.push_back(placeInFilter);
  }
  for (auto [dim, loop] : llvm::enumerate(filter)) {
    if (loop == loops.channel)
      continue;
    loops.k.push_back(loop);
    if (!loops.filterOrder.empty())
      loops.filterOrder.push_back(dim);
  }
  return loops;
}

/// Groups of `sizes` dimensions that follow each other; none where one is
/// empty.
static SmallVector<ReassociationIndices> groupDims(ArrayRef<size_t> sizes) {
  SmallVector<ReassociationIndices> groups;
  int64_t next = 0;
  for (size_t size : sizes) {
    if (size == 0)
      continue;
    ReassociationIndices &group = groups.emplace_back();
    for (size_t i = 0; i < size; ++i)
      group.push_back(next++);
  }
  return groups;
}

/// Whether the strides of `value` let each of `groups` become one dimension.
static bool isCollapsible(Value value, ArrayRef<ReassociationIndices> groups) {
  auto type = dyn_cast<MemRefType>(value.getType());
  return !type || int64_t(groups.size()) == type.getRank() ||
         memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups);
}

/// `value` with a dimension for each of `groups`.
static Value collapse(OpBuilder &b, Location loc, Value value,
                      ArrayRef<ReassociationIndices> groups) {
  auto type = cast<ShapedType>(value.getType());
  if (int64_t(groups.size()) == type.getRank())
    return value;
  if (isa<TensorType>(type))
    return tensor::CollapseShapeOp::create(b, loc, value, groups);
  return memref::CollapseShapeOp::create(b, loc, value, groups);
}

/// Whether the windows are single elements that follow each other, and no
/// element of an image of `shape` is outside of them, so that the input is the
/// matrix: `map` takes the loops of a window as 0.
static bool isGathered(AffineMap map, ArrayRef<int64_t> shape,
                       const ProductLoops &loops, ArrayRef<int64_t> sizes,
                       ArrayRef<unsigned> filterLoops) {
  MLIRContext *context = map.getContext();
  DenseMap<AffineExpr, AffineExpr> zeros;
  for (unsigned loop : filterLoops) {
    if (sizes[loop] != 1)
      return false;
    zeros[getAffineDimExpr(loop, context)] = getAffineConstantExpr(0, context);
  }
  SmallVector<AffineExpr> expected;
  for (const SmallVector<unsigned> *group :
       {&loops.batch, &loops.rows, &loops.k})
    for (unsigned loop : *group)
      if (!llvm::is_contained(filterLoops, loop)) {
        // An image may be larger than what the windows cover of it.
        if (expected.size() >= shape.size() ||
            (shape[expected.size()] != sizes[loop] &&
             !ShapedType::isDynamic(shape[expected.size()])))
          return false;
        expected.push_back(getAffineDimExpr(loop, context));
      }
  SmallVector<AffineExpr> results;
  for (AffineExpr result : map.getResults())
    results.push_back(
        simplifyAffineExpr(result.replace(zeros), map.getNumDims(), 0));
  return results == expected;
}

/// What a `tensor.pad` with zeros pads, and by how much before it; `padding` is
/// left as it is where `value` is something else.
static Value getPadded(Value value, MutableArrayRef<int64_t> padding) {
  auto pad = value.getDefiningOp<tensor::PadOp>();
  if (!pad || !pad.getSource().getType().hasRank())
    return value;
  Value fill = pad.getConstantPaddingValue();
  bool isZero = fill && (matchPattern(fill, m_PosZeroFloat()) ||
                         matchPattern(fill, m_Zero()));
  ArrayRef<int64_t> low = pad.getStaticLow(), high = pad.getStaticHigh();
  bool isOfImages = low.front() == 0 && high.front() == 0 && low.back() == 0 &&
                    high.back() == 0;
  if (!isZero || !isOfImages ||
      llvm::any_of(low, [](int64_t size) { return size < 0; }) ||
      llvm::any_of(high, ShapedType::isDynamic))
    return value;
  llvm::copy(low.drop_front().drop_back(), padding.begin());
  return pad.getSource();
}

/// The windows of `op` as a view of its images, or why they are none.
static FailureOr<ImageWindows>
matchWindows(linalg::LinalgOp op, const ProductLoops &loops,
             const linalg::ConvolutionDimensions &dims, std::string &reason) {
  Value input = op.getDpsInputOperand(0)->get();
  auto type = cast<ShapedType>(input.getType());
  AffineMap map = op.getIndexingMapsArray()[0];
  reason = "the channels are not the last dimension of the images";
  if (loops.isChannelFirst ||
      map.getResults().back() !=
          getAffineDimExpr(loops.k.back(), map.getContext()))
    return failure();
  reason = "there is no dimension of images before one to three of an image";
  int64_t rank = int64_t(loops.rows.size()) - 1;
  if (rank < 1 || rank > 3 || type.getRank() != rank + 2 ||
      map.getResult(0) != getAffineDimExpr(loops.rows[0], map.getContext()))
    return failure();
  reason = "the filter has other dimensions than the image, in another order";
  if (int64_t(loops.k.size()) != rank + 1)
    return failure();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  SmallVector<int64_t> output, window, strides, dilations, padding(rank, 0);
  for (int64_t dim = 0; dim < rank; ++dim) {
    unsigned out = loops.rows[dim + 1], filter = loops.k[dim];
    size_t place = llvm::find(dims.outputImage, out) - dims.outputImage.begin();
    if (place == dims.outputImage.size() || dims.filterLoop[place] != filter)
      return failure();
    strides.push_back(dims.strides[place]);
    dilations.push_back(dims.dilations[place]);
    AffineExpr expected =
        getAffineDimExpr(out, map.getContext()) * strides.back() +
        getAffineDimExpr(filter, map.getContext()) * dilations.back();
    if (simplifyAffineExpr(map.getResult(dim + 1) - expected, map.getNumDims(),
                           0) != getAffineConstantExpr(0, map.getContext()))
      return failure();
    output.push_back(sizes[out]);
    window.push_back(sizes[filter]);
  }
  reason = "the zero point of its filter is not 0";
  if (needsSumsOfWindows(op))
    return failure();
  reason = "products of f32 are sums of products of parts of its elements";
  if (getElementTypeOrSelf(type).isF32())
    return failure();
  reason = "an image has sizes that are not static";
  Value images = getPadded(input, padding);
  auto imagesType = cast<ShapedType>(images.getType());
  auto isUnknown = [](int64_t size) { return size < 1; };
  if (llvm::any_of(imagesType.getShape().drop_front(), isUnknown) ||
      llvm::any_of(output, isUnknown) || llvm::any_of(window, isUnknown))
    return failure();
  if (auto memref = dyn_cast<MemRefType>(imagesType)) {
    SmallVector<int64_t> pitches;
    int64_t offset;
    reason = "the channels of an element are not next to each other";
    if (failed(memref.getStridesAndOffset(pitches, offset)) ||
        pitches.back() != 1)
      return failure();
  }
  return ImageWindows{images,
                      tmm::WindowsAttr::get(op.getContext(), output, window,
                                            imagesType.getShape().back(),
                                            strides, dilations, padding)};
}

/// `value` with zeros behind dimension `dim`, up to `size`.
static Value padBehind(OpBuilder &b, Location loc, Value value, int64_t dim,
                       int64_t size) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> low(type.getRank(), b.getIndexAttr(0)), high(low);
  high[dim] = b.getIndexAttr(size - shape[dim]);
  shape[dim] = size;
  Value zero =
      arith::ConstantOp::create(b, loc, b.getZeroAttr(type.getElementType()));
  return tensor::PadOp::create(
      b, loc, RankedTensorType::get(shape, type.getElementType()), value, low,
      high, zero);
}

/// The channels that `view` needs for TMA, which moves 16 bytes at least; as
/// many as there are where that would be more than eight times as many.
static int64_t getChannelsOfTma(const ImageWindows &view) {
  int64_t channels = view.windows.getChannels();
  int64_t unit =
      128 / getElementTypeOrSelf(view.images.getType()).getIntOrFloatBitWidth();
  int64_t padded = llvm::alignTo(channels, unit);
  constexpr int64_t kMost = 8;
  return padded <= kMost * channels ? padded : channels;
}

/// Pads the channels of `view` and of `weights`, along dimension `dim`, to
/// `channels`: what is added to a sum is 0.
static void padChannels(OpBuilder &b, Location loc, ImageWindows &view,
                        Value &weights, int64_t dim, int64_t channels) {
  tmm::WindowsAttr old = view.windows;
  int64_t last = cast<ShapedType>(view.images.getType()).getRank() - 1;
  view.images = padBehind(b, loc, view.images, last, channels);
  weights = padBehind(b, loc, weights, dim, channels);
  view.windows = tmm::WindowsAttr::get(
      b.getContext(), old.getOutput(), old.getWindow(), channels,
      old.getStrides(), old.getDilations(), old.getPadding());
}

/// The product of `windows` and `filter` that is added to `sum`, with the
/// arithmetic of the convolution `op`.
static linalg::GenericOp emitProduct(OpBuilder &b, linalg::LinalgOp op,
                                     const ProductLoops &loops, Value windows,
                                     Value filter, Value sum) {
  // Loops of the product: batch, rows, channels, k.
  bool hasBatch = !loops.batch.empty();
  unsigned next = hasBatch;
  AffineExpr batch = b.getAffineDimExpr(0), m = b.getAffineDimExpr(next),
             n = b.getAffineDimExpr(next + 1),
             kLoop = b.getAffineDimExpr(next + 2);
  auto map = [&](ArrayRef<AffineExpr> tail, bool ofBatch) {
    SmallVector<AffineExpr> results;
    if (ofBatch && hasBatch)
      results.push_back(batch);
    llvm::append_range(results, tail);
    return AffineMap::get(next + 3, 0, results, b.getContext());
  };
  AffineMap windowMap = map({m, kLoop}, true);
  AffineMap filterMap = loops.isFilterChannelFirst ? map({n, kLoop}, false)
                                                   : map({kLoop, n}, false);
  AffineMap sumMap =
      loops.isChannelFirst ? map({n, m}, true) : map({m, n}, true);
  bool isFilterLeft = loops.isChannelFirst;
  SmallVector<utils::IteratorType> iterators(next + 2,
                                             utils::IteratorType::parallel);
  iterators.push_back(utils::IteratorType::reduction);
  SmallVector<Value> inputs = {windows, filter};
  SmallVector<AffineMap> maps = {windowMap, filterMap};
  if (isFilterLeft) {
    std::swap(inputs[0], inputs[1]);
    std::swap(maps[0], maps[1]);
  }
  // Zero points.
  SmallVector<OpOperand *> operands = op.getDpsInputOperands();
  for (OpOperand *scalar : llvm::drop_begin(operands, 2)) {
    inputs.push_back(scalar->get());
    maps.push_back(AffineMap::get(next + 3, 0, b.getContext()));
  }
  maps.push_back(sumMap);
  // The arithmetic of the convolution as it is, its conversions included.
  Block *body = op.getBlock();
  return linalg::GenericOp::create(
      b, op.getLoc(),
      op.hasPureTensorSemantics() ? TypeRange{sum.getType()} : TypeRange{},
      inputs, ValueRange{sum}, maps, iterators,
      [&](OpBuilder &builder, Location, ValueRange arguments) {
        IRMapping mapping;
        mapping.map(body->getArguments(), arguments);
        mapping.map(body->getArgument(0), arguments[isFilterLeft]);
        mapping.map(body->getArgument(1), arguments[!isFilterLeft]);
        for (Operation &inner : *body)
          builder.clone(inner, mapping);
      });
}

LogicalResult
ConvertConvolution::matchAndRewrite(linalg::LinalgOp op,
                                    PatternRewriter &rewriter) const {
  if (llvm::any_of(op.getDpsInputOperands(), [&](OpOperand *input) {
        return !op.isScalar(input) &&
               isOfNoMmaKind(getElementTypeOrSelf(input->get()));
      }))
    return rewriter.notifyMatchFailure(op, "no matrix unit has the type");
  bool isTensor = op.hasPureTensorSemantics();
  if (!isTensor && !op.hasPureBufferSemantics())
    return rewriter.notifyMatchFailure(op, "on tensors and memrefs");
  std::string reason;
  FailureOr<ProductLoops> loops = matchLoops(op, reason);
  if (failed(loops))
    return rewriter.notifyMatchFailure(op, reason);

  Location loc = op.getLoc();
  FailureOr<linalg::ConvolutionDimensions> dims = inferDims(op);
  ArrayRef<unsigned> filterLoops = dims->filterLoop;
  Value input = op.getDpsInputOperand(0)->get(),
        weights = op.getDpsInputOperand(1)->get(),
        init = op.getDpsInitOperand(0)->get();
  size_t batch = loops->batch.size(), rows = loops->rows.size(),
         k = loops->k.size(), kOfWindows = k;
  bool hasMatrix = isGathered(op.getIndexingMapsArray()[0],
                              cast<ShapedType>(input.getType()).getShape(),
                              *loops, op.getStaticLoopRanges(), filterLoops);
  if (hasMatrix)
    kOfWindows -= filterLoops.size();
  // Without input channels, windows of one element leave no dimension for k.
  if (kOfWindows == 0)
    return rewriter.notifyMatchFailure(op, "nothing is summed");
  SmallVector<ReassociationIndices> windowGroups =
      groupDims({batch, rows, kOfWindows});
  SmallVector<ReassociationIndices> filterGroups =
      loops->isFilterChannelFirst ? groupDims({1, k}) : groupDims({k, 1});
  SmallVector<ReassociationIndices> groups = loops->isChannelFirst
                                                 ? groupDims({batch, 1, rows})
                                                 : groupDims({rows, 1});
  bool isFilterCopied = !loops->filterOrder.empty();
  if ((hasMatrix && !isCollapsible(input, windowGroups)) ||
      (!isFilterCopied && !isCollapsible(weights, filterGroups)) ||
      !isCollapsible(init, groups))
    return rewriter.notifyMatchFailure(op,
                                       "strides that keep dimensions apart");
  SmallVector<OpFoldResult> sizes;
  for (Range range : op.createLoopRanges(rewriter, loc))
    sizes.push_back(range.size);
  FailureOr<ImageWindows> view = failure();
  if (!hasMatrix)
    view = matchWindows(op, *loops, *dims, reason);
  bool isCopied = !hasMatrix && failed(view);
  if (isCopied && remarks)
    op->emitRemark() << "its windows are gathered first: " << reason;
  if (isFilterCopied && remarks)
    op->emitRemark() << "its filter is transposed first: the output channels "
                        "are neither its first nor its last dimension";
  if (isFilterCopied)
    weights = transposeFilter(rewriter, loc, weights, loops->filterOrder);
  if (succeeded(view) && isTensor) {
    int64_t channels = view->windows.getChannels(),
            padded = getChannelsOfTma(*view);
    if (padded != channels) {
      if (remarks)
        op->emitRemark() << "its channels are padded from " << channels
                         << " to " << padded << " first, which TMA can load";
      padChannels(rewriter, loc, *view, weights,
                  int64_t(k) - (loops->isFilterChannelFirst ? 0 : 1), padded);
    }
  }
  Value buffer =
      isCopied ? gatherWindows(rewriter, op, loops->inOrder(), sizes) : input;
  Value windows =
      succeeded(view)
          ? tmm::WindowsOp::create(rewriter, loc, view->images, view->windows)
                .getResult()
          : collapse(rewriter, loc, buffer, windowGroups);
  Value filter = collapse(rewriter, loc, weights, filterGroups);
  Value sum = collapse(rewriter, loc, init, groups);

  linalg::GenericOp product =
      emitProduct(rewriter, op, *loops, windows, filter, sum);
  product->setAttr(kOfConvolution, rewriter.getUnitAttr());
  if (!isTensor) {
    if (isCopied)
      memref::DeallocOp::create(rewriter, loc, buffer);
    if (isFilterCopied)
      memref::DeallocOp::create(rewriter, loc, weights);
    rewriter.eraseOp(op);
    return success();
  }
  Value result = product->getResult(0);
  if (sum.getType() != init.getType())
    result = tensor::ExpandShapeOp::create(
        rewriter, loc, init.getType(), result, groups,
        tensor::getMixedSizes(rewriter, loc, init));
  rewriter.replaceOp(op, result);
  return success();
}

void ConvolutionsToProductsPass::runOnOperation() {
  RewritePatternSet patterns(&getContext());
  patterns.add<ConvertConvolution>(&getContext(), remarks);
  // A fill of the output is one of the product's.
  linalg::FillOp::getCanonicalizationPatterns(patterns, &getContext());
  populateConvolutionFormPatterns(patterns);
  if (failed(applyPatternsGreedily(getOperation(), std::move(patterns),
                                   getConfigOfPatternsAlone())))
    return signalPassFailure();
  getOperation()->walk(
      [](linalg::GenericOp op) { op->removeAttr(kOfConvolution); });
  getOperation()->walk([](linalg::LinalgOp op) {
    std::string reason;
    if (linalg::isaConvolutionOpInterface(op) && isMultiplyAdd(op) &&
        failed(matchLoops(op, reason)))
      op->emitRemark() << "stays outside of products: " << reason;
  });
}
