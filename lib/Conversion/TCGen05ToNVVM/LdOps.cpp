//===- LdOps.cpp - loads from Tensor Memory to NVVM -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ld, wait, fence.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

namespace {

struct LdLowering : ConvertOpToLLVMPattern<LdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(LdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(op.getResult().getType());
    Type i32 = rewriter.getI32Type();
    // NVVM gives one column as a plain i32.
    bool scalar = type.getNumElements() == 1;
    Type registers = scalar ? i32 : Type(VectorType::get(type.getShape(), i32));
    Value loaded = NVVM::Tcgen05LdOp::create(
        rewriter, loc, registers, /*pack=*/false,
        NVVM::Tcgen05LdStShape::SHAPE_32X32B, adaptor.getSource(),
        /*offset=*/Value());
    if (scalar) {
      Value element = loaded;
      if (type.getElementType() != i32)
        element = LLVM::BitcastOp::create(rewriter, loc, type.getElementType(),
                                          loaded);
      Value poison = LLVM::PoisonOp::create(rewriter, loc, type);
      Value zero = LLVM::ConstantOp::create(rewriter, loc,
                                            rewriter.getI32IntegerAttr(0));
      rewriter.replaceOpWithNewOp<LLVM::InsertElementOp>(op, poison, element,
                                                         zero);
      return success();
    }
    if (type.getElementType() == i32)
      rewriter.replaceOp(op, loaded);
    else
      rewriter.replaceOpWithNewOp<LLVM::BitcastOp>(op, type, loaded);
    return success();
  }
};

struct StLowering : ConvertOpToLLVMPattern<StOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(StOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType type = op.getValue().getType();
    Type i32 = rewriter.getI32Type();
    Value registers = adaptor.getValue();
    if (type.getElementType() != i32)
      registers = LLVM::BitcastOp::create(
          rewriter, loc, VectorType::get(type.getShape(), i32), registers);
    // NVVM takes one column as a plain i32.
    if (type.getNumElements() == 1) {
      Value zero = LLVM::ConstantOp::create(rewriter, loc,
                                            rewriter.getI32IntegerAttr(0));
      registers =
          LLVM::ExtractElementOp::create(rewriter, loc, registers, zero);
    }
    NVVM::Tcgen05StOp::create(rewriter, loc, /*unpack=*/false,
                              NVVM::Tcgen05LdStShape::SHAPE_32X32B,
                              adaptor.getDestination(), registers,
                              /*offset=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct WaitLowering : ConvertOpToLLVMPattern<WaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(WaitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getValues().empty()) {
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05WaitOp>(
          op, op.getKind() == WaitKind::Ld ? NVVM::Tcgen05WaitKind::LOAD
                                           : NVVM::Tcgen05WaitKind::STORE);
      return success();
    }
    // nvvm.tcgen05.wait has no operands: nothing would keep LLVM from reading
    // the registers before it.
    rewriter.replaceOp(op, emitInPlacePTX(rewriter, op.getLoc(),
                                          "tcgen05.wait::ld.sync.aligned;",
                                          adaptor.getValues()));
    return success();
  }
};

struct FenceLowering : ConvertOpToLLVMPattern<FenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(FenceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05FenceOp>(
        op, op.getKind() == FenceKind::Before
                ? NVVM::Tcgen05FenceKind::BEFORE_THREAD_SYNC
                : NVVM::Tcgen05FenceKind::AFTER_THREAD_SYNC);
    return success();
  }
};

} // namespace

void tc::populateLdPatterns(const LLVMTypeConverter &converter,
                            RewritePatternSet &patterns) {
  patterns.add<LdLowering, StLowering, WaitLowering, FenceLowering>(converter);
}
