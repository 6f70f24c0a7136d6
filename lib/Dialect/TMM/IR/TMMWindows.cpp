//===- TMMWindows.cpp - windows of images as matrices -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule has a label tmm_windows_cN that its test repeats.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::bufferization;
using namespace tc;
using namespace tc::tmm;

//===----------------------------------------------------------------------===//
// WindowsAttr
//===----------------------------------------------------------------------===//

static int64_t product(ArrayRef<int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes)
    result *= size;
  return result;
}

int64_t WindowsAttr::getRowsOfImage() const { return product(getOutput()); }

int64_t WindowsAttr::getColumns() const {
  return product(getWindow()) * getChannels();
}

LogicalResult WindowsAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  ArrayRef<int64_t> output,
                                  ArrayRef<int64_t> window, int64_t channels,
                                  ArrayRef<int64_t> strides,
                                  ArrayRef<int64_t> dilations,
                                  ArrayRef<int64_t> padding) {
  // tmm_windows_c1 of the attribute
  constexpr size_t kMaxRank = 3;
  size_t rank = output.size();
  if (rank < 1 || rank > kMaxRank)
    return emitError() << "expected windows of 1 to " << kMaxRank
                       << " dimensions, got " << rank;
  std::tuple<StringRef, ArrayRef<int64_t>, int64_t> lists[] = {
      {"output", output, 1},
      {"window", window, 1},
      {"strides", strides, 1},
      {"dilations", dilations, 1},
      {"padding", padding, 0}};
  for (auto [name, list, least] : lists) {
    if (list.size() != rank)
      return emitError() << "expected " << rank << " entries of " << name
                         << ", as output has, got " << list.size();
    for (int64_t value : list)
      if (value < least)
        return emitError() << "expected entries of " << name << " of at least "
                           << least << ", got " << value;
  }
  if (channels < 1)
    return emitError() << "expected at least 1 channel, got " << channels;
  return success();
}

/// Images, which the map does not name, are no results: where an element is
/// outside of its image there is none.
AffineMap WindowsAttr::getAffineMap() const {
  MLIRContext *context = getContext();
  AffineExpr m = getAffineDimExpr(0, context), k = getAffineDimExpr(1, context);
  int64_t rank = getRank();
  SmallVector<AffineExpr> results(rank + 2);
  results[rank + 1] = k % getChannels();
  k = k.floorDiv(getChannels());
  for (int64_t dim = rank - 1; dim >= 0; --dim) {
    results[dim + 1] = m % getOutput()[dim] * getStrides()[dim] +
                       k % getWindow()[dim] * getDilations()[dim] -
                       getPadding()[dim];
    m = m.floorDiv(getOutput()[dim]);
    k = k.floorDiv(getWindow()[dim]);
  }
  results[0] = m;
  return AffineMap::get(2, 0, results, context);
}

bool WindowsAttr::isIdentity() const { return false; }

LogicalResult
WindowsAttr::getStridesAndOffset(ArrayRef<int64_t> shape,
                                 SmallVectorImpl<int64_t> &strides,
                                 int64_t &offset) const {
  return failure();
}

LogicalResult
WindowsAttr::verifyLayout(ArrayRef<int64_t> shape,
                          function_ref<InFlightDiagnostic()> emitError) const {
  // tmm_windows_c2 of the attribute
  if (shape.size() == 2 && shape[1] == getColumns())
    return success();
  return emitError() << "expected a matrix with " << getColumns()
                     << " columns for " << *this << ", got "
                     << (shape.size() == 2
                             ? std::to_string(shape[1])
                             : "rank " + std::to_string(shape.size()));
}

//===----------------------------------------------------------------------===//
// WindowsOp
//===----------------------------------------------------------------------===//

ShapedType WindowsOp::getMatrixType(ShapedType images, WindowsAttr windows) {
  int64_t number = images.getDimSize(0);
  int64_t shape[] = {ShapedType::isDynamic(number)
                         ? number
                         : number * windows.getRowsOfImage(),
                     windows.getColumns()};
  auto memref = dyn_cast<MemRefType>(images);
  if (!memref)
    return RankedTensorType::get(shape, images.getElementType());
  return MemRefType::get(shape, images.getElementType(), windows,
                         memref.getMemorySpace());
}

void WindowsOp::build(OpBuilder &builder, OperationState &state, Value images,
                      WindowsAttr windows) {
  build(builder, state,
        getMatrixType(cast<ShapedType>(images.getType()), windows), images,
        windows);
}

LogicalResult WindowsOp::verify() {
  auto images = cast<ShapedType>(getImages().getType());
  WindowsAttr windows = getWindows();
  // tmm_windows_c1
  if (images.getRank() != windows.getRank() + 2)
    return emitOpError() << "expected images of rank " << windows.getRank() + 2
                         << ", their number, the dimensions of the windows and "
                            "channels, got "
                         << images;
  if (images.getShape().back() != windows.getChannels())
    return emitOpError() << "expected " << windows.getChannels()
                         << " channels, the last dimension of the images, got "
                         << images;
  if (llvm::any_of(images.getShape().drop_front(), ShapedType::isDynamic))
    return emitOpError() << "expected images of static sizes, got " << images;
  // tmm_windows_c3
  if (auto memref = dyn_cast<MemRefType>(images)) {
    SmallVector<int64_t> strides;
    int64_t offset;
    if (failed(memref.getStridesAndOffset(strides, offset)) ||
        strides.back() != 1)
      return emitOpError() << "expected images with adjacent channels, "
                              "innermost stride 1, got "
                           << images;
  }
  // tmm_windows_c2, tmm_windows_c3
  ShapedType expected = getMatrixType(images, windows);
  if (expected != getResult().getType())
    return emitOpError() << "expected a result of type " << expected << ", got "
                         << getResult().getType();
  return success();
}

WindowsOp WindowsOp::getOf(Value value) {
  while (auto view = value.getDefiningOp<ReinterpretOp>())
    value = view.getSource();
  return value.getDefiningOp<WindowsOp>();
}

Value WindowsOp::getViewSource() { return getImages(); }

bool WindowsOp::bufferizesToMemoryRead(OpOperand &, const AnalysisState &) {
  return false;
}

bool WindowsOp::bufferizesToMemoryWrite(OpOperand &, const AnalysisState &) {
  return false;
}

AliasingValueList WindowsOp::getAliasingValues(OpOperand &,
                                               const AnalysisState &) {
  return {{getOperation()->getResult(0), BufferRelation::Unknown}};
}

/// The number of rows of the matrix, from the number of images.
static Value emitRows(OpBuilder &builder, Location loc, WindowsOp op) {
  Value number =
      memref::DimOp::create(builder, loc, op.getImages(), int64_t(0));
  return arith::MulIOp::create(
      builder, loc, number,
      arith::ConstantIndexOp::create(builder, loc,
                                     op.getWindows().getRowsOfImage()));
}

LogicalResult WindowsOp::bufferize(RewriterBase &rewriter,
                                   const BufferizationOptions &options,
                                   BufferizationState &state) {
  if (!isa<TensorType>(getImages().getType()))
    return success();
  FailureOr<Value> buffer = getBuffer(rewriter, getImages(), options, state);
  if (failed(buffer))
    return failure();
  replaceOpWithNewBufferizedOp<WindowsOp>(rewriter, getOperation(), *buffer,
                                          getWindows());
  return success();
}

namespace {

/// memref.dim of a matrix of windows follows from the number of images.
struct DimOfWindows : OpRewritePattern<WindowsOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(WindowsOp op,
                                PatternRewriter &rewriter) const override {
    SmallVector<memref::DimOp> dims;
    for (Operation *user : op->getUsers())
      if (auto dim = dyn_cast<memref::DimOp>(user);
          dim && dim.getConstantIndex() == 0)
        dims.push_back(dim);
    if (dims.empty())
      return rewriter.notifyMatchFailure(op, "no size is asked for");
    for (memref::DimOp dim : dims) {
      rewriter.setInsertionPoint(dim);
      rewriter.replaceOp(dim, emitRows(rewriter, dim.getLoc(), op));
    }
    return success();
  }
};

} // namespace

void WindowsOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add<DimOfWindows>(context);
}
