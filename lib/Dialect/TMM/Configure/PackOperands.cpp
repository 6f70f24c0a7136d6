//===- PackOperands.cpp - copies that TMA can address -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each family of kernels has its ops read copies where that pays. The windows
// of images, which threads cannot load, are gathered first where what reads
// them cannot have TMA load them.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/Passes.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/FormatVariadic.h"

namespace tc::tmm {
#define GEN_PASS_DEF_PACKOPERANDSPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

namespace {

struct PackOperandsPass
    : tc::tmm::impl::PackOperandsPassBase<PackOperandsPass> {
  using PackOperandsPassBase::PackOperandsPassBase;
  void runOnOperation() override;
};

} // namespace

/// The matrix of `op` with its elements next to each other.
static Value emitGather(OpBuilder &b, WindowsOp op) {
  Location loc = op.getLoc();
  WindowsAttr windows = op.getWindows();
  Value images = op.getImages();
  auto type = cast<MemRefType>(images.getType());
  int64_t rank = windows.getRank();
  Type element = type.getElementType();
  SmallVector<OpFoldResult> sizes = memref::getMixedSizes(b, loc, images);
  SmallVector<Value> number;
  if (type.isDynamicDim(0))
    number.push_back(cast<Value>(sizes.front()));

  // Outside of its image an element is 0.
  SmallVector<int64_t> padded(type.getShape());
  SmallVector<OpFoldResult> first(rank + 2, b.getIndexAttr(0));
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t low = windows.getPadding()[dim];
    int64_t high = windows.getUpperCorner(dim, type.getDimSize(dim + 1)) +
                   windows.getReach(dim);
    padded[dim + 1] += low + std::max<int64_t>(high, 0);
    first[dim + 1] = b.getIndexAttr(low);
  }
  if (ArrayRef(padded) != type.getShape()) {
    Value copy = memref::AllocOp::create(
        b, loc, MemRefType::get(padded, element), number);
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(element));
    linalg::FillOp::create(b, loc, zero, copy);
    Value inside = memref::SubViewOp::create(
        b, loc, copy, first, sizes,
        SmallVector<OpFoldResult>(rank + 2, b.getIndexAttr(1)));
    memref::CopyOp::create(b, loc, images, inside);
    images = copy;
  }

  // Loops: images, outputs, elements of a window, channels.
  unsigned loops = 2 * rank + 2;
  SmallVector<int64_t> shape = {type.getDimSize(0)};
  llvm::append_range(shape, windows.getOutput());
  llvm::append_range(shape, windows.getWindow());
  shape.push_back(windows.getChannels());
  SmallVector<AffineExpr> from = {b.getAffineDimExpr(0)};
  for (int64_t dim = 0; dim < rank; ++dim)
    from.push_back(b.getAffineDimExpr(1 + dim) * windows.getStrides()[dim] +
                   b.getAffineDimExpr(1 + rank + dim) *
                       windows.getDilations()[dim]);
  from.push_back(b.getAffineDimExpr(loops - 1));
  Value gathered =
      memref::AllocOp::create(b, loc, MemRefType::get(shape, element), number);
  SmallVector<utils::IteratorType> parallel(loops,
                                            utils::IteratorType::parallel);
  AffineMap maps[] = {AffineMap::get(loops, 0, from, b.getContext()),
                      b.getMultiDimIdentityMap(loops)};
  linalg::GenericOp::create(b, loc, ValueRange{images}, ValueRange{gathered},
                            maps, parallel,
                            [](OpBuilder &body, Location at, ValueRange args) {
                              linalg::YieldOp::create(body, at, args.front());
                            });
  SmallVector<ReassociationIndices> groups(2);
  for (int64_t loop = 0; loop < loops; ++loop)
    groups[loop > rank].push_back(loop);
  return memref::CollapseShapeOp::create(b, loc, gathered, groups);
}

/// The operands that are the windows of `op`, with or without another sign.
static SmallVector<OpOperand *> getUses(WindowsOp op) {
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : op->getUses()) {
    if (isa<ReinterpretOp>(use.getOwner()))
      for (OpOperand &next : use.getOwner()->getUses())
        uses.push_back(&next);
    else
      uses.push_back(&use);
  }
  return uses;
}

/// Why what reads the windows of `op` cannot have TMA load them; empty: it can.
static FailureOr<std::string> findObstacle(WindowsOp op,
                                           const ConfigRequest &request) {
  for (OpOperand *use : getUses(op)) {
    auto family = dyn_cast<KernelFamilyOpInterface>(use->getOwner());
    if (!family)
      return refuseWindows(use->getOwner());
    FailureOr<std::string> obstacle = family.findWindowsObstacle(*use, request);
    if (failed(obstacle) || !obstacle->empty())
      return obstacle;
  }
  return std::string();
}

/// Gathers the windows that TMA cannot load.
static LogicalResult placeWindows(WindowsOp op, const ConfigRequest &request,
                                  bool remarks) {
  // A kernel that exists takes them as they are.
  if (llvm::any_of(getUses(op), [](OpOperand *use) {
        return isa<ProblemOp, gpu::LaunchFuncOp>(use->getOwner());
      }))
    return success();
  FailureOr<std::string> found = findObstacle(op, request);
  if (failed(found))
    return failure();
  StringRef obstacle = *found;
  auto type = cast<MemRefType>(op.getResult().getType());
  if (remarks && !op->use_empty()) {
    InFlightDiagnostic remark = op.emitRemark();
    if (!obstacle.empty())
      remark << "gathered first, because TMA cannot load the windows from the "
                "images: "
             << obstacle;
    else if (type.hasStaticShape())
      remark << llvm::formatv(
                    "A is loaded as windows of the images (im2col); no matrix "
                    "of {0:N} bytes is written and read",
                    type.getNumElements() * type.getElementTypeBitWidth() / 8)
                    .str();
    else
      remark << "A is loaded as windows of the images (im2col)";
  }
  if (obstacle.empty())
    return success();
  OpBuilder b(op);
  Value matrix = emitGather(b, op);
  for (Operation *user : llvm::make_early_inc_range(op->getUsers())) {
    auto reinterpret = dyn_cast<ReinterpretOp>(user);
    if (!reinterpret)
      continue;
    b.setInsertionPoint(reinterpret);
    Type element = getElementTypeOrSelf(reinterpret.getResult().getType());
    reinterpret.replaceAllUsesWith(
        ReinterpretOp::create(b, reinterpret.getLoc(),
                              cast<MemRefType>(matrix.getType()).clone(element),
                              matrix)
            .getResult());
    reinterpret.erase();
  }
  op.replaceAllUsesWith(matrix);
  op.erase();
  return success();
}

void PackOperandsPass::runOnOperation() {
  FailureOr<schedule::MatmulConfig> option = parseConfig(&getContext(), config);
  if (failed(option) || failed(checkFamilies(getOperation())))
    return signalPassFailure();
  ConfigRequest request{getOperation(), chip, *option, /*tuned=*/""};
  SmallVector<WindowsOp> windows;
  getOperation()->walk([&](WindowsOp op) {
    if (isa<MemRefType>(op.getResult().getType()))
      windows.push_back(op);
  });
  for (WindowsOp op : windows)
    if (failed(placeWindows(op, request, remarks)))
      return signalPassFailure();
  for (auto &[name, ops] : collectFamilies(getOperation()))
    if (failed(cast<KernelFamilyOpInterface>(ops.front())
                   .packOperands(ops, request, remarks)))
      return signalPassFailure();
}
