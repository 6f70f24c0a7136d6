//===- MBarrierOps.cpp - mbarriers to NVVM ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An mbarrier is its address in shared memory, of the CTA or of the cluster.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"
#include "tc/Support/InlinePTX.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

namespace {

struct ViewLowering : ConvertOpToLLVMPattern<MBarrierViewOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MBarrierViewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value base = getSmemAddress(rewriter, loc, op.getSource().getType(),
                                adaptor.getSource());
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(
        op, base.getType(), rewriter.getI8Type(), base,
        ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(op.getOffset())});
    return success();
  }
};

struct GetLowering : ConvertOpToLLVMPattern<MBarrierGetOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MBarrierGetOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    if (adaptor.getDynamicIndex().empty()) {
      rewriter.replaceOpWithNewOp<LLVM::GEPOp>(
          op, adaptor.getArray().getType(), rewriter.getI64Type(),
          adaptor.getArray(),
          LLVM::GEPArg(static_cast<int32_t>(op.getStaticIndex().front())));
      return success();
    }
    // In bytes, so that barriers of several arrays share the product.
    Type i64 = rewriter.getI64Type();
    Value index = LLVM::ZExtOp::create(
        rewriter, loc, i64,
        getAsI32(rewriter, loc, adaptor.getDynamicIndex().front()));
    Value bytes = LLVM::ConstantOp::create(
        rewriter, loc, rewriter.getI64IntegerAttr(kMBarrierBytes));
    Value offset = LLVM::MulOp::create(rewriter, loc, index, bytes,
                                       LLVM::IntegerOverflowFlags::nuw);
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(
        op, adaptor.getArray().getType(), rewriter.getI8Type(),
        adaptor.getArray(), LLVM::GEPArg(offset));
    return success();
  }
};

struct MapLowering : ConvertOpToLLVMPattern<MBarrierMapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MBarrierMapOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::MapaOp>(
        op, getTypeConverter()->convertType(op.getResult().getType()),
        adaptor.getArray(), adaptor.getRank());
    return success();
  }
};

struct InitLowering : ConvertOpToLLVMPattern<MBarrierInitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MBarrierInitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value count = getI32(rewriter, loc, op.getCount());
    auto array = dyn_cast<MBarrierArrayType>(op.getMbarrier().getType());
    int64_t barriers = array ? array.getCount() : 1;
    Value base = adaptor.getMbarrier();
    for (int64_t index = 0; index < barriers; ++index) {
      Value barrier = base;
      if (index > 0)
        barrier = LLVM::GEPOp::create(
            rewriter, loc, base.getType(), rewriter.getI64Type(), base,
            ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(index)});
      if (op.getReports()) {
        // NVVM of LLVM 22 has no layouts.
        InlinePTX ptx(rewriter, loc,
                      "mbarrier.init.layout::v1.shared::cta.b64");
        ptx.addAddress(barrier);
        ptx.addRegister(count);
        ptx.emit();
        continue;
      }
      NVVM::MBarrierInitOp::create(rewriter, loc, barrier, count,
                                   /*predicate=*/Value());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// An arrival on the barrier of each CTA in `mask`, which NVVM of LLVM 22 does
/// not have: `count` arrivals, or one and `bytes`.
static void emitMulticast(OpBuilder &builder, Location loc, Value barrier,
                          Value mask, bool relaxed, Value count, Value bytes) {
  InlinePTX ptx(builder, loc,
                std::string("mbarrier.arrive") + (bytes ? ".expect_tx" : "") +
                    (relaxed ? ".relaxed" : ".release") +
                    ".cluster.shared::cluster.multicast::cluster::32b.b64");
  ptx.addSink();
  ptx.addAddress(barrier);
  ptx.addRegister(bytes ? bytes : count);
  ptx.addRegister(mask);
  ptx.emit();
}

struct ArriveLowering : ConvertOpToLLVMPattern<MBarrierArriveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MBarrierArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Before sm_90 arrivals have no count: it is 1.
    Value count;
    if (op.getCount() != 1 || hasSM90Instructions(op))
      count = getI32(rewriter, op.getLoc(), op.getCount());
    if (Value mask = adaptor.getMulticast32()) {
      emitMulticast(rewriter, op.getLoc(), adaptor.getMbarrier(), mask,
                    op.getRelaxed(), count, /*bytes=*/Value());
      rewriter.eraseOp(op);
      return success();
    }
    if (isa<ClusterMBarrierType>(op.getMbarrier().getType())) {
      NVVM::MBarrierArriveOp::create(
          rewriter, op.getLoc(), /*res=*/Type(), adaptor.getMbarrier(), count,
          NVVM::MemScopeKind::CLUSTER, op.getRelaxed());
      rewriter.eraseOp(op);
      return success();
    }
    // The token of the phase has no use here: waits name a parity.
    NVVM::MBarrierArriveOp::create(rewriter, op.getLoc(), rewriter.getI64Type(),
                                   adaptor.getMbarrier(), count,
                                   NVVM::MemScopeKind::CTA, op.getRelaxed());
    rewriter.eraseOp(op);
    return success();
  }
};

struct ArriveExpectTxLowering
    : ConvertOpToLLVMPattern<MBarrierArriveExpectTxOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MBarrierArriveExpectTxOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value bytes = getI32(rewriter, op.getLoc(), op.getBytes());
    if (Value mask = adaptor.getMulticast32()) {
      emitMulticast(rewriter, op.getLoc(), adaptor.getMbarrier(), mask,
                    op.getRelaxed(), /*count=*/Value(), bytes);
      rewriter.eraseOp(op);
      return success();
    }
    // A barrier of another CTA returns no token.
    bool ofCluster = isa<ClusterMBarrierType>(op.getMbarrier().getType());
    NVVM::MBarrierArriveExpectTxOp::create(
        rewriter, op.getLoc(), ofCluster ? Type() : rewriter.getI64Type(),
        adaptor.getMbarrier(), bytes,
        ofCluster ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA,
        op.getRelaxed(), /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

/// The predicate `p` that `test` sets, of a barrier and a parity; what NVVM of
/// LLVM 22 has no operation for.
static Value emitPredicate(OpBuilder &builder, Location loc, StringRef test,
                           Value barrier, Value parity) {
  Value address =
      LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), barrier);
  std::string text = ("{\n\t.reg .pred p, q;\n\t" + test +
                      ", [$1], $2;\n\tselp.u32 $0, 1, 0, p;\n\t}")
                         .str();
  Value word =
      LLVM::InlineAsmOp::create(
          builder, loc, builder.getI32Type(), ValueRange{address, parity}, text,
          /*constraints=*/"=r,r,r,~{memory}", /*has_side_effects=*/true,
          /*is_align_stack=*/false, LLVM::TailCallKind::None,
          /*asm_dialect=*/LLVM::AsmDialectAttr(),
          /*operand_attrs=*/ArrayAttr())
          .getResult(0);
  Value zero =
      LLVM::ConstantOp::create(builder, loc, builder.getI32IntegerAttr(0));
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ne, word,
                              zero);
}

struct ReportedLowering : ConvertOpToLLVMPattern<MBarrierReportedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MBarrierReportedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(
        op, emitPredicate(rewriter, op.getLoc(),
                          "mbarrier.test_wait.parity.phase_type::primary."
                          "acquire.cta.shared::cta.b64 q|p",
                          adaptor.getMbarrier(), adaptor.getParity()));
    return success();
  }
};

/// Before sm_90 it is test_wait, which returns at once. try_wait may return
/// false although the phase completes later, so it is in a loop.
/// (nvvm.mbarrier.try_wait.parity has a loop of its own, in inline assembly
/// with fixed labels.)
///
///   scf.while : () -> () {
///     %done = nvvm.mbarrier.try_wait %bar, %parity
///     scf.condition(not %done)
///   } do { scf.yield }
struct WaitParityLowering : ConvertOpToLLVMPattern<MBarrierWaitParityOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MBarrierWaitParityOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    NVVM::MemScopeKind scope =
        op.getCluster() ? NVVM::MemScopeKind::CLUSTER : NVVM::MemScopeKind::CTA;
    bool hasTryWait = hasSM90Instructions(op);
    auto before = [&](OpBuilder &builder, Location loc, ValueRange) {
      Type i1 = builder.getI1Type();
      Value done =
          op.getConditional()
              ? emitPredicate(builder, loc,
                              std::string("mbarrier.try_wait.parity.phase_type"
                                          "::conditional.") +
                                  (op.getRelaxed() ? "relaxed" : "acquire") +
                                  (op.getCluster() ? ".cluster" : ".cta") +
                                  ".shared::cta.b64 p",
                              adaptor.getMbarrier(), adaptor.getParity())
          : hasTryWait ? Value(NVVM::MBarrierTryWaitOp::create(
                             builder, loc, i1, adaptor.getMbarrier(),
                             adaptor.getParity(), /*ticks=*/Value(), scope,
                             op.getRelaxed()))
                       : Value(NVVM::MBarrierTestWaitOp::create(
                             builder, loc, i1, adaptor.getMbarrier(),
                             adaptor.getParity(), scope, op.getRelaxed()));
      Value one =
          arith::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
      Value again = arith::XOrIOp::create(builder, loc, done, one);
      scf::ConditionOp::create(builder, loc, again, ValueRange{});
    };
    auto after = [](OpBuilder &builder, Location loc, ValueRange) {
      scf::YieldOp::create(builder, loc);
    };
    scf::WhileOp::create(rewriter, op.getLoc(), TypeRange{}, ValueRange{},
                         before, after);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void tc::populateMBarrierPatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns
      .add<ViewLowering, GetLowering, MapLowering, InitLowering, ArriveLowering,
           ArriveExpectTxLowering, ReportedLowering, WaitParityLowering>(
          converter);
}
