//===- MmaOps.cpp - matrix multiplication to NVVM ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma and commit. nvvm.tcgen05.mma_smem_desc is not used: it ORs its operands
// without shifting or masking them, and its constant part would be built anew
// at run time for each operand.
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"
#include "Patterns.h"

#include "tc/Support/Conversion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

namespace {

struct MmaLowering : ConvertOpToLLVMPattern<MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// The descriptor of `operand` from column `k`: the constant bits and the
  /// base address joined, the same for all instructions that read the operand
  /// (so that common subexpressions fold), then one addition for the column.
  /// The sum cannot carry out of the 14 address bits: shared memory ends below
  /// 2^18 bytes.
  static Value getDescriptor(OpBuilder &builder, Location loc, Value operand,
                             Value address, int64_t k) {
    auto layout =
        cast<SmemLayoutAttr>(cast<MemRefType>(operand.getType()).getLayout());
    Type i32 = builder.getI32Type();
    Type i64 = builder.getI64Type();
    auto constant = [&](IntegerAttr value) -> Value {
      return LLVM::ConstantOp::create(builder, loc, value);
    };
    Value bytes = LLVM::PtrToIntOp::create(builder, loc, i32, address);
    // In a cluster the address carries the CTA's rank above the 18 bits.
    Value masked = LLVM::AndOp::create(
        builder, loc, bytes, constant(builder.getI32IntegerAttr(0x3FFFF)));
    Value encoded = LLVM::LShrOp::create(
        builder, loc, masked, constant(builder.getI32IntegerAttr(4)));
    Value wide = LLVM::ZExtOp::create(builder, loc, i64, encoded);
    Value base = LLVM::OrOp::create(
        builder, loc, wide,
        constant(builder.getI64IntegerAttr(
            static_cast<int64_t>(getMatrixDescriptor(layout).encode()))));
    int64_t step = getDescriptorStep(layout, k);
    if (step == 0)
      return base;
    return LLVM::AddOp::create(builder, loc, base,
                               constant(builder.getI64IntegerAttr(step)));
  }

  static NVVM::Tcgen05MMAKind getKind(MmaKind kind) {
    switch (kind) {
    case MmaKind::F16:
      return NVVM::Tcgen05MMAKind::F16;
    case MmaKind::TF32:
      return NVVM::Tcgen05MMAKind::TF32;
    case MmaKind::F8F6F4:
      return NVVM::Tcgen05MMAKind::F8F6F4;
    case MmaKind::I8:
      return NVVM::Tcgen05MMAKind::I8;
    default:
      llvm_unreachable("the verifier refuses kinds with scale factors");
    }
  }

  static NVVM::Tcgen05MMACollectorOp getCollector(Collector collector) {
    switch (collector) {
    case Collector::Discard:
      return NVVM::Tcgen05MMACollectorOp::DISCARD;
    case Collector::LastUse:
      return NVVM::Tcgen05MMACollectorOp::LASTUSE;
    case Collector::Fill:
      return NVVM::Tcgen05MMACollectorOp::FILL;
    case Collector::Use:
      return NVVM::Tcgen05MMACollectorOp::USE;
    }
    llvm_unreachable("unknown collector use");
  }

  LogicalResult
  matchAndRewrite(MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value a =
        getDescriptor(rewriter, loc, op.getA(), adaptor.getA(), op.getAK());
    Value b =
        getDescriptor(rewriter, loc, op.getB(), adaptor.getB(), op.getBK());
    Value idesc = LLVM::ConstantOp::create(
        rewriter, loc,
        rewriter.getI32IntegerAttr(
            static_cast<int32_t>(getInstructionDescriptor(op).encode())));
    Value scale;
    if (std::optional<int32_t> value = op.getScaleD())
      scale = LLVM::ConstantOp::create(rewriter, loc,
                                       rewriter.getI64IntegerAttr(*value));
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMAOp>(
        op, getKind(op.getKind()), getGroup(op.getCtaGroup()),
        getCollector(op.getCollectorA()), /*aShift=*/false, adaptor.getD(), a,
        b, idesc, adaptor.getAccumulate(), scale,
        /*disableOutputLane=*/Value());
    return success();
  }
};

struct CommitLowering : ConvertOpToLLVMPattern<CommitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(CommitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05CommitOp>(
        op, adaptor.getMbarrier(), adaptor.getMulticast(),
        getGroup(op.getCtaGroup()));
    return success();
  }
};

} // namespace

void tc::populateMmaPatterns(const LLVMTypeConverter &converter,
                             RewritePatternSet &patterns) {
  patterns.add<MmaLowering, CommitLowering>(converter);
}
