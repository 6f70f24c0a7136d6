//===- CopyOps.cpp - copies within the tensor cores to NVVM -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp, shift.
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"
#include "Patterns.h"

#include "tc/Support/Conversion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

static std::pair<NVVM::Tcgen05CpShape, NVVM::Tcgen05CpMulticast>
getShape(CopyShape shape) {
  using Shape = NVVM::Tcgen05CpShape;
  using Multicast = NVVM::Tcgen05CpMulticast;
  switch (shape) {
  case CopyShape::R128x256b:
    return {Shape::SHAPE_128x256b, Multicast::NONE};
  case CopyShape::R4x256b:
    return {Shape::SHAPE_4x256b, Multicast::NONE};
  case CopyShape::R128x128b:
    return {Shape::SHAPE_128x128b, Multicast::NONE};
  case CopyShape::R64x128bWarps02And13:
    return {Shape::SHAPE_64x128b, Multicast::WARPX2_02_13};
  case CopyShape::R64x128bWarps01And23:
    return {Shape::SHAPE_64x128b, Multicast::WARPX2_01_23};
  case CopyShape::R32x128bWarpx4:
    return {Shape::SHAPE_32x128b, Multicast::WARPX4};
  }
  llvm_unreachable("unknown shape");
}

static NVVM::Tcgen05CpSrcFormatAttr
getFormat(MLIRContext *context, std::optional<CopyFormat> format) {
  if (!format)
    return {};
  return NVVM::Tcgen05CpSrcFormatAttr::get(
      context, *format == CopyFormat::B4x16P64
                   ? NVVM::Tcgen05CpSrcFormat::B4x16_P64
                   : NVVM::Tcgen05CpSrcFormat::B6x16_P32);
}

namespace {

struct CpLowering : ConvertOpToLLVMPattern<CpOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// The descriptor of the rows, from column `k` of the source on.
  static Value getDescriptor(OpBuilder &builder, CpOp op, Value source) {
    Location loc = op.getLoc();
    auto type = cast<MemRefType>(op.getSource().getType());
    auto layout = dyn_cast<SmemTileLayoutInterface>(type.getLayout());
    if (layout)
      return emitMatrixDescriptor(
          builder, loc, source, getMatrixDescriptor(layout).encode(),
          getDescriptorStep(layout, /*mn=*/0, op.getK()),
          getSmemAddressBits(builder));
    return emitMatrixDescriptor(builder, loc,
                                getSmemAddress(builder, loc, type, source),
                                getScaleTileDescriptor().encode(), /*step=*/0,
                                getSmemAddressBits(builder));
  }

  LogicalResult
  matchAndRewrite(CpOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value descriptor = getDescriptor(rewriter, op, adaptor.getSource());
    Value destination = offsetTmem(rewriter, op.getLoc(),
                                   adaptor.getDestination(), op.getLane());
    auto [shape, multicast] = getShape(op.getShape());
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05CpOp>(
        op, shape, getGroup(op.getCtaGroup()), multicast,
        getFormat(getContext(), op.getFormat()), destination, descriptor);
    return success();
  }
};

struct ShiftLowering : ConvertOpToLLVMPattern<ShiftOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ShiftOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value region = offsetTmem(rewriter, op.getLoc(), adaptor.getRegion(),
                              op.getWindow() * kTmemWindowLanes);
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05ShiftOp>(
        op, region, getGroup(op.getCtaGroup()));
    return success();
  }
};

} // namespace

void tc::populateCopyPatterns(const LLVMTypeConverter &converter,
                              RewritePatternSet &patterns) {
  patterns.add<CpLowering, ShiftLowering>(converter);
}
