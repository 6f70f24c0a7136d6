//===- TmaOps.cpp - TMA copies to NVVM --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tma_load, tma_store with its groups, prefetch_tensor_map. No predicates: with
// LLVM 22 a predicate turns the operation into inline assembly that drops
// .cta_group::2. Single threads are chosen by branches.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"
#include "tc/Support/InlinePTX.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

//===----------------------------------------------------------------------===//
// Forms of sm_107, which NVVM of LLVM 22 does not have
//===----------------------------------------------------------------------===//

static StringRef getReportText(Report report) {
  switch (report) {
  case Report::NegZero32:
    return "per_16bytes::80000000";
  case Report::NegZero16:
    return "per_16bytes::8000";
  case Report::NegZero8:
    return "per_16bytes::80";
  case Report::NegZero4:
    return "per_16bytes::8";
  case Report::NaN8:
    return "per_element::ff";
  }
  llvm_unreachable("unknown report");
}

/// The modifiers of what `op` overrides.
template <typename Op>
static std::string getOverrideText(Op op) {
  std::string text;
  if (op.getAddress())
    text += ".override::global_address";
  if (!op.getExtents().empty())
    text += op.getExtents().size() == 1 ? ".override::global_dim"
                                        : ".override::global_dim_stride";
  return text;
}

/// [map, address, {extents}, {strides}, upper strides, {coordinates}]: strides
/// are in 16 bytes, 36 bits of each, and PTX counts from the fastest dimension.
template <typename Op>
static void addTensor(InlinePTX &ptx, OpBuilder &b, Op op,
                      typename Op::Adaptor adaptor, ValueRange coordinates) {
  Location loc = op.getLoc();
  auto constant = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
  };
  Type i16 = b.getI16Type(), i32 = b.getI32Type(), i64 = b.getI64Type();
  ptx.addList(adaptor.getTensorMap(), [&] {
    if (Value address = adaptor.getAddress())
      ptx.addRegister(address);
    SmallVector<Value> extents, lower;
    for (Value extent : llvm::reverse(adaptor.getExtents()))
      extents.push_back(
          LLVM::TruncOp::create(b, loc, i16, getAsI32(b, loc, extent)));
    Value upper;
    for (auto [i, pitch] :
         llvm::enumerate(llvm::reverse(adaptor.getPitches()))) {
      Value bytes = pitch;
      if (bytes.getType() != i64)
        bytes = LLVM::ZExtOp::create(b, loc, i64, bytes);
      Value units = LLVM::LShrOp::create(b, loc, bytes, constant(i64, 4));
      lower.push_back(LLVM::TruncOp::create(b, loc, i32, units));
      Value high = LLVM::ShlOp::create(
          b, loc, LLVM::LShrOp::create(b, loc, units, constant(i64, 32)),
          constant(i64, 4 * int64_t(i)));
      upper = upper ? LLVM::OrOp::create(b, loc, upper, high) : high;
    }
    if (!extents.empty())
      ptx.addVector(extents);
    if (upper) {
      ptx.addVector(lower);
      ptx.addRegister(LLVM::TruncOp::create(b, loc, i16, upper));
    }
    ptx.addVector(coordinates);
  });
}

static void emitInline(OpBuilder &b, TmaLoadOp op, TmaLoadOp::Adaptor adaptor,
                       Value destination, ValueRange coordinates,
                       ValueRange offsets) {
  bool isIm2col = op.getTensorMap().getType().isIm2col();
  Value mask =
      op.getMulticast32() ? adaptor.getMulticast32() : adaptor.getMulticast();
  std::string text =
      "cp.async.bulk.tensor." + std::to_string(coordinates.size()) +
      "d.shared::cluster.global." + (isIm2col ? "im2col" : "tile") +
      ".mbarrier::complete_tx::bytes";
  if (op.getReport())
    text += (".mbarrier::report::validity::" + getReportText(*op.getReport()))
                .str();
  if (mask)
    text += op.getMulticast32() ? ".multicast::cluster::32b"
                                : ".multicast::cluster";
  if (op.getCtaGroup() == 2)
    text += ".cta_group::2";
  if (op.getCachePolicy())
    text += ".L2::cache_hint";
  InlinePTX ptx(b, op.getLoc(), text + getOverrideText(op));
  ptx.addAddress(destination);
  addTensor(ptx, b, op, adaptor, coordinates);
  ptx.addAddress(adaptor.getMbarrier());
  if (isIm2col)
    ptx.addVector(offsets);
  if (mask)
    ptx.addRegister(mask);
  if (Value policy = adaptor.getCachePolicy())
    ptx.addRegister(policy);
  ptx.emit();
}

static void emitInline(OpBuilder &b, TmaStoreOp op, TmaStoreOp::Adaptor adaptor,
                       Value source, ValueRange coordinates) {
  std::string text = "cp.async.bulk.tensor." +
                     std::to_string(coordinates.size()) +
                     "d.global.shared::cta.tile.bulk_group";
  if (op.getCachePolicy())
    text += ".L2::cache_hint";
  InlinePTX ptx(b, op.getLoc(), text + getOverrideText(op));
  addTensor(ptx, b, op, adaptor, coordinates);
  ptx.addAddress(source);
  if (Value policy = adaptor.getCachePolicy())
    ptx.addRegister(policy);
  ptx.emit();
}

namespace {

struct TmaLoadLowering : ConvertOpToLLVMPattern<TmaLoadOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(TmaLoadOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    MLIRContext *context = getContext();
    Value destination = getSmemAddress(
        rewriter, loc, op.getDestination().getType(), adaptor.getDestination());
    // PTX counts coordinates from the fastest dimension.
    SmallVector<Value> coordinates;
    for (Value coordinate : llvm::reverse(adaptor.getCoordinates()))
      coordinates.push_back(getAsI32(rewriter, loc, coordinate));
    SmallVector<Value> offsets;
    for (Value offset : llvm::reverse(adaptor.getOffsets()))
      offsets.push_back(LLVM::TruncOp::create(rewriter, loc,
                                              rewriter.getI16Type(),
                                              getAsI32(rewriter, loc, offset)));
    if (op.getMulticast32() || op.getAddress() || op.getReport()) {
      emitInline(rewriter, op, adaptor, destination, coordinates, offsets);
      rewriter.eraseOp(op);
      return success();
    }
    NVVM::TMALoadMode mode = op.getTensorMap().getType().isIm2col()
                                 ? NVVM::TMALoadMode::IM2COL
                                 : NVVM::TMALoadMode::TILE;
    // The form for this CTA alone has neither multicast nor groups.
    bool single = !adaptor.getMulticast() && op.getCtaGroup() == 1;
    NVVM::CTAGroupKindAttr group;
    if (op.getCtaGroup() == 2)
      group = NVVM::CTAGroupKindAttr::get(context, NVVM::CTAGroupKind::CTA_2);
    // The window of the cluster holds the CTA's shared memory at the same
    // addresses, so both change their pointer type only. (addrspacecast would
    // go through a generic address.) LLVM's intrinsic gives the barrier's
    // pointer the type of the CTA's window, PTX takes either.
    auto repoint = [&](Value pointer, Type type) -> Value {
      Value address = LLVM::PtrToIntOp::create(rewriter, loc,
                                               rewriter.getI64Type(), pointer);
      return LLVM::IntToPtrOp::create(rewriter, loc, type, address);
    };
    if (!single)
      destination = repoint(
          destination, LLVM::LLVMPointerType::get(
                           context, static_cast<unsigned>(
                                        NVVM::NVVMMemorySpace::SharedCluster)));
    Value barrier = adaptor.getMbarrier();
    if (isa<ClusterMBarrierType>(op.getMbarrier().getType()))
      barrier = repoint(barrier, getSmemPointer(context));
    NVVM::CpAsyncBulkTensorGlobalToSharedClusterOp::create(
        rewriter, loc, destination, adaptor.getTensorMap(), coordinates,
        barrier, offsets, adaptor.getMulticast(), adaptor.getCachePolicy(),
        mode, /*isCTAOnly=*/single, group, /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

/// NVVM of LLVM 22 has no operation for createpolicy.
struct CachePolicyLowering : ConvertOpToLLVMPattern<CachePolicyOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(CachePolicyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::string text =
        ("createpolicy.fractional.L2::" +
         stringifyEvictionPriority(op.getPriority()) + ".b64 $0, 1.0;")
            .str();
    rewriter.replaceOpWithNewOp<LLVM::InlineAsmOp>(
        op, rewriter.getI64Type(), /*operands=*/ValueRange{}, text,
        /*constraints=*/"=l", /*has_side_effects=*/false,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        /*asm_dialect=*/LLVM::AsmDialectAttr(),
        /*operand_attrs=*/ArrayAttr());
    return success();
  }
};

struct TmaStoreLowering : ConvertOpToLLVMPattern<TmaStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(TmaStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getSmemAddress(rewriter, loc, op.getSource().getType(),
                                  adaptor.getSource());
    SmallVector<Value> coordinates;
    for (Value coordinate : llvm::reverse(adaptor.getCoordinates()))
      coordinates.push_back(getAsI32(rewriter, loc, coordinate));
    if (op.getAddress()) {
      emitInline(rewriter, op, adaptor, source, coordinates);
      rewriter.eraseOp(op);
      return success();
    }
    NVVM::CpAsyncBulkTensorSharedCTAToGlobalOp::create(
        rewriter, loc, adaptor.getTensorMap(), source, coordinates,
        adaptor.getCachePolicy(), NVVM::TMAStoreMode::TILE,
        /*predicate=*/Value());
    rewriter.eraseOp(op);
    return success();
  }
};

struct CommitGroupLowering : ConvertOpToLLVMPattern<BulkCommitGroupOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(BulkCommitGroupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkCommitGroupOp>(op);
    return success();
  }
};

struct WaitGroupLowering : ConvertOpToLLVMPattern<BulkWaitGroupOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(BulkWaitGroupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncBulkWaitGroupOp>(
        op, op.getPendingAttr(), op.getReadAttr());
    return success();
  }
};

struct PrefetchLowering : ConvertOpToLLVMPattern<PrefetchTensorMapOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(PrefetchTensorMapOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // For a kernel parameter the space is said: with the generic form LLVM 22
    // prints the instruction twice, once for each space.
    auto argument = dyn_cast<BlockArgument>(op.getTensorMap());
    bool isParam = argument && isa_and_nonnull<gpu::GPUFuncOp>(
                                   argument.getOwner()->getParentOp());
    rewriter.replaceOpWithNewOp<NVVM::PrefetchOp>(
        op, /*cacheLevel=*/NVVM::PrefetchCacheLevelAttr(),
        /*evictPriority=*/NVVM::CacheEvictionPriorityAttr(),
        adaptor.getTensorMap(), /*predicate=*/Value(),
        /*tensormap=*/rewriter.getUnitAttr(), /*uniform=*/UnitAttr(),
        /*in_param_space=*/isParam ? rewriter.getUnitAttr() : UnitAttr());
    return success();
  }
};

} // namespace

void tc::populateTmaPatterns(const LLVMTypeConverter &converter,
                             RewritePatternSet &patterns) {
  patterns.add<TmaLoadLowering, CachePolicyLowering, TmaStoreLowering,
               CommitGroupLowering, WaitGroupLowering, PrefetchLowering>(
      converter);
}
