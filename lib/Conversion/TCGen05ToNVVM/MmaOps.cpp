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

/// The descriptor of `operand`, converted to `address`, from column `k`.
static Value getDescriptor(OpBuilder &builder, Location loc, Value operand,
                           Value address, int64_t k) {
  auto layout = cast<SmemTileLayoutInterface>(
      cast<MemRefType>(operand.getType()).getLayout());
  return emitMatrixDescriptor(builder, loc, address,
                              getMatrixDescriptor(layout).encode(),
                              getDescriptorStep(layout, /*mn=*/0, k));
}

static Value getI32(OpBuilder &builder, Location loc, uint32_t value) {
  return LLVM::ConstantOp::create(
      builder, loc, builder.getI32IntegerAttr(static_cast<int32_t>(value)));
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

static NVVM::MMABlockScaleKind getBlockScaleKind(MmaKind kind) {
  switch (kind) {
  case MmaKind::MXF8F6F4:
    return NVVM::MMABlockScaleKind::MXF8F6F4;
  case MmaKind::MXF4:
    return NVVM::MMABlockScaleKind::MXF4;
  case MmaKind::MXF4NVF4:
    return NVVM::MMABlockScaleKind::MXF4NVF4;
  default:
    llvm_unreachable("the verifier refuses kinds without scale factors");
  }
}

/// The modifier for the elements that share a factor: where a kind has only one
/// number of them, it is left out.
static NVVM::Tcgen05MMABlockScale getBlockScale(MmaKind kind, int64_t block) {
  if (kind != MmaKind::MXF4NVF4)
    return NVVM::Tcgen05MMABlockScale::DEFAULT;
  return block == 16 ? NVVM::Tcgen05MMABlockScale::BLOCK16
                     : NVVM::Tcgen05MMABlockScale::BLOCK32;
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

namespace {

struct MmaLowering : ConvertOpToLLVMPattern<MmaOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MmaOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value a =
        getDescriptor(rewriter, loc, op.getA(), adaptor.getA(), op.getAK());
    Value b =
        getDescriptor(rewriter, loc, op.getB(), adaptor.getB(), op.getBK());
    Value idesc = getI32(rewriter, loc, getInstructionDescriptor(op).encode());
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

struct MmaBlockScaleLowering : ConvertOpToLLVMPattern<MmaBlockScaleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MmaBlockScaleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value a =
        getDescriptor(rewriter, loc, op.getA(), adaptor.getA(), op.getAK());
    Value b =
        getDescriptor(rewriter, loc, op.getB(), adaptor.getB(), op.getBK());
    Value idesc = getI32(rewriter, loc, getInstructionDescriptor(op).encode());
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMABlockScaleOp>(
        op, getBlockScaleKind(op.getKind()), getGroup(op.getCtaGroup()),
        getBlockScale(op.getKind(), op.getScaleBlock()),
        getCollector(op.getCollectorA()), adaptor.getD(), a, b, idesc,
        adaptor.getAccumulate(), adaptor.getScalesA(), adaptor.getScalesB());
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
  patterns.add<MmaLowering, MmaBlockScaleLowering, CommitLowering>(converter);
}
