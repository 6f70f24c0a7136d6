//===- ClusterLaunchControlOps.cpp - work stealing to NVVM ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clusterlaunchcontrol.try_cancel and query.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

namespace {

struct TryCancelLowering
    : ConvertOpToLLVMPattern<ClusterLaunchControlTryCancelOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ClusterLaunchControlTryCancelOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value response =
        getSmemAddress(rewriter, op.getLoc(), op.getResponse().getType(),
                       adaptor.getResponse());
    NVVM::ClusterLaunchControlTryCancelOp::create(
        rewriter, op.getLoc(), op.getMulticastAttr(), response,
        adaptor.getMbarrier());
    rewriter.eraseOp(op);
    return success();
  }
};

struct QueryLowering : ConvertOpToLLVMPattern<ClusterLaunchControlQueryOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(ClusterLaunchControlQueryOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = getSmemAddress(rewriter, loc, op.getResponse().getType(),
                                   adaptor.getResponse());
    Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
    auto words = VectorType::get({2}, i64);
    Value response = LLVM::LoadOp::create(rewriter, loc, words, address,
                                          /*alignment=*/kLaunchResponseBytes);
    SmallVector<Value> halves;
    for (int64_t half = 0; half < 2; ++half)
      halves.push_back(LLVM::ExtractElementOp::create(
          rewriter, loc, response,
          LLVM::ConstantOp::create(rewriter, loc, i32, half)));
    // The number of a CTA may be asked for only where one was cancelled (PTX
    // ISA, "clusterlaunchcontrol.query_cancel"). LLVM takes the NVVM op for one
    // that it may execute ahead of the branch that guards it.
    static constexpr StringLiteral text =
        "{\n"
        ".reg .pred %clc_canceled;\n"
        ".reg .b128 %clc_response;\n"
        "mov.b128 %clc_response, {$4, $5};\n"
        "clusterlaunchcontrol.query_cancel.is_canceled.pred.b128 "
        "%clc_canceled, %clc_response;\n"
        "selp.b32 $0, 1, 0, %clc_canceled;\n"
        "mov.b32 $1, 0;\n"
        "mov.b32 $2, 0;\n"
        "mov.b32 $3, 0;\n"
        "@%clc_canceled "
        "clusterlaunchcontrol.query_cancel.get_first_ctaid.v4.b32.b128 "
        "{$1, $2, $3, _}, %clc_response;\n"
        "}";
    auto type =
        LLVM::LLVMStructType::getLiteral(getContext(), {i32, i32, i32, i32});
    Value answer =
        LLVM::InlineAsmOp::create(
            rewriter, loc, type, halves, text, "=&r,=&r,=&r,=&r,l,l",
            /*has_side_effects=*/false, /*is_align_stack=*/false,
            LLVM::TailCallKind::None, LLVM::AsmDialectAttr(), ArrayAttr())
            .getResult(0);
    SmallVector<Value> results;
    for (int64_t index = 0; index < 4; ++index)
      results.push_back(
          LLVM::ExtractValueOp::create(rewriter, loc, answer, index));
    results[0] =
        LLVM::TruncOp::create(rewriter, loc, rewriter.getI1Type(), results[0]);
    rewriter.replaceOp(op, results);
    return success();
  }
};

} // namespace

void tc::populateClusterLaunchControlPatterns(
    const LLVMTypeConverter &converter, RewritePatternSet &patterns) {
  patterns.add<TryCancelLowering, QueryLowering>(converter);
}
