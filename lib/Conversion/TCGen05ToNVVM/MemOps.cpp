//===- MemOps.cpp - Tensor Memory allocation to NVVM ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// alloc, address, dealloc, relinquish_alloc_permit, slice, warp_window. A
// region is its address: lane << 16 | column.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"
#include "tc/Support/InlinePTX.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

Type tc::getTmemPointer(MLIRContext *context) {
  return LLVM::LLVMPointerType::get(
      context, static_cast<unsigned>(NVVM::NVVMMemorySpace::Tensor));
}

// A step of a pointer over i8 is a step of one in the address.
Value tc::offsetTmemColumns(OpBuilder &builder, Location loc, Value address,
                            int64_t columns) {
  if (columns == 0)
    return address;
  return LLVM::GEPOp::create(builder, loc, address.getType(),
                             builder.getI8Type(), address,
                             LLVM::GEPArg(static_cast<int32_t>(columns)));
}

Value tc::offsetTmem(OpBuilder &builder, Location loc, Value address,
                     int64_t lane) {
  return offsetTmemColumns(builder, loc, address, lane << kTmemLaneShift);
}

unsigned tc::getSmemAddressBits(OpBuilder &builder) {
  Operation *parent = builder.getInsertionBlock()->getParentOp();
  auto module = parent->getParentOfType<gpu::GPUModuleOp>();
  ArrayAttr targets = module ? module.getTargetsAttr() : ArrayAttr();
  if (targets)
    for (auto target : targets.getAsRange<Attribute>())
      if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
        if (const TargetFacts *facts = getTarget(nvvm.getChip()))
          return facts->getSmemAddressBits();
  // Without a target, as many as any has: the others are 0.
  return getTarget("sm_107a")->getSmemAddressBits();
}

namespace {

struct AllocLowering : ConvertOpToLLVMPattern<AllocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(AllocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value slot = getSmemAddress(rewriter, loc, op.getSlot().getType(),
                                adaptor.getSlot());
    if (op.getExclusive()) {
      // NVVM of LLVM 22 has no such modifier.
      InlinePTX ptx(rewriter, loc,
                    "tcgen05.alloc.exclusive.cta_group::" +
                        std::to_string(op.getCtaGroup()) +
                        ".sync.aligned.shared::cta.b32");
      ptx.addAddress(slot);
      ptx.addImmediate(op.getColumns());
      ptx.emit();
      rewriter.eraseOp(op);
      return success();
    }
    Value columns = LLVM::ConstantOp::create(
        rewriter, loc, rewriter.getI32IntegerAttr(op.getColumns()));
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05AllocOp>(
        op, slot, columns, getGroup(op.getCtaGroup()));
    return success();
  }
};

struct AddressLowering : ConvertOpToLLVMPattern<AddressOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(AddressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value slot = getSmemAddress(rewriter, loc, op.getSlot().getType(),
                                adaptor.getSlot());
    Value address =
        LLVM::LoadOp::create(rewriter, loc, rewriter.getI32Type(), slot);
    rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(
        op, getTmemPointer(getContext()), address);
    return success();
  }
};

struct DeallocLowering : ConvertOpToLLVMPattern<DeallocOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(DeallocOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    int64_t columns = cast<TmemType>(op.getAllocation().getType()).getColumns();
    if (op.getExclusive()) {
      // NVVM of LLVM 22 has no such modifier.
      InlinePTX ptx(rewriter, op.getLoc(),
                    "tcgen05.dealloc.exclusive.cta_group::" +
                        std::to_string(op.getCtaGroup()) + ".sync.aligned.b32");
      ptx.addPlainAddress(adaptor.getAllocation());
      ptx.addImmediate(columns);
      ptx.emit();
      rewriter.eraseOp(op);
      return success();
    }
    Value count = LLVM::ConstantOp::create(rewriter, op.getLoc(),
                                           rewriter.getI32IntegerAttr(columns));
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05DeallocOp>(
        op, adaptor.getAllocation(), count, getGroup(op.getCtaGroup()));
    return success();
  }
};

struct RelinquishLowering : ConvertOpToLLVMPattern<RelinquishAllocPermitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(RelinquishAllocPermitOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::Tcgen05RelinquishAllocPermitOp>(
        op, getGroup(op.getCtaGroup()));
    return success();
  }
};

/// A slice is an addition to the address: the pointer steps over i8, because a
/// step of one column is a step of one in the address.
struct SliceLowering : ConvertOpToLLVMPattern<SliceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(SliceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = offsetTmem(rewriter, loc, adaptor.getSource(), op.getLane());
    if (adaptor.getDynamicColumn().empty() &&
        op.getStaticColumn().front() == 0) {
      rewriter.replaceOp(op, source);
      return success();
    }
    LLVM::GEPArg column =
        adaptor.getDynamicColumn().empty()
            ? LLVM::GEPArg(static_cast<int32_t>(op.getStaticColumn().front()))
            : LLVM::GEPArg(
                  getAsI32(rewriter, loc, adaptor.getDynamicColumn().front()));
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(op, getTmemPointer(getContext()),
                                             rewriter.getI8Type(), source,
                                             ArrayRef<LLVM::GEPArg>{column});
    return success();
  }
};

/// Adds the first lane of the executing warp's window to the address. Threads
/// are numbered x first, as warps are formed.
struct WarpWindowLowering : ConvertOpToLLVMPattern<WarpWindowOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// Whether the kernel is known to have threads along x only.
  static bool isOneDimensional(Operation *op) {
    auto function = op->getParentOfType<FunctionOpInterface>();
    if (!function)
      return false;
    for (StringRef name :
         {"known_block_size", "gpu.known_block_size", "nvvm.reqntid"})
      if (auto size = function->getAttrOfType<DenseI32ArrayAttr>(name))
        return llvm::all_of(size.asArrayRef().drop_front(),
                            [](int32_t extent) { return extent == 1; });
    return false;
  }

  LogicalResult
  matchAndRewrite(WarpWindowOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Type i32 = rewriter.getI32Type();
    auto constant = [&](int32_t value) -> Value {
      return LLVM::ConstantOp::create(rewriter, loc,
                                      rewriter.getI32IntegerAttr(value));
    };
    Value thread = NVVM::ThreadIdXOp::create(rewriter, loc, i32);
    if (!isOneDimensional(op)) {
      Value y = NVVM::ThreadIdYOp::create(rewriter, loc, i32);
      Value z = NVVM::ThreadIdZOp::create(rewriter, loc, i32);
      Value sizeX = NVVM::BlockDimXOp::create(rewriter, loc, i32);
      Value sizeY = NVVM::BlockDimYOp::create(rewriter, loc, i32);
      Value row = LLVM::AddOp::create(
          rewriter, loc, y, LLVM::MulOp::create(rewriter, loc, z, sizeY));
      thread =
          LLVM::AddOp::create(rewriter, loc, thread,
                              LLVM::MulOp::create(rewriter, loc, row, sizeX));
    }
    // 32 * (thread / 32 mod 4) is the thread with its other bits cleared.
    constexpr int32_t kWindowMask =
        static_cast<int32_t>(kTmemLanes - kTmemWindowLanes);
    Value lane =
        LLVM::AndOp::create(rewriter, loc, thread, constant(kWindowMask));
    Value offset =
        LLVM::ShlOp::create(rewriter, loc, lane, constant(kTmemLaneShift));
    rewriter.replaceOpWithNewOp<LLVM::GEPOp>(
        op, getTmemPointer(getContext()), rewriter.getI8Type(),
        adaptor.getSource(), ArrayRef<LLVM::GEPArg>{offset});
    return success();
  }
};

} // namespace

void tc::populateMemPatterns(const LLVMTypeConverter &converter,
                             RewritePatternSet &patterns) {
  patterns.add<AllocLowering, AddressLowering, DeallocLowering,
               RelinquishLowering, SliceLowering, WarpWindowLowering>(
      converter);
}
