//===- SmemOps.cpp - views of shared memory to LLVM -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dynamic_smem, smem_view, smem_store and stmatrix.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"

#include "mlir/Conversion/LLVMCommon/MemRefBuilder.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

/// The symbol of dynamic shared memory, one for each GPU module.
static constexpr llvm::StringLiteral kDynamicSmemName = "tc_dynamic_smem";

namespace {

/// All uses in a module name one external array without extent, which NVPTX
/// prints as `.extern .shared`. The base is aligned here: neither LLVM nor the
/// driver promises more than 16 bytes. The distance is added to the pointer,
/// not computed on an integer, so that it stays a pointer into the array.
struct DynamicSmemLowering : ConvertOpToLLVMPattern<DynamicSmemOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  static LLVM::GlobalOp getGlobal(gpu::GPUModuleOp module,
                                  ConversionPatternRewriter &rewriter) {
    if (auto global = module.lookupSymbol<LLVM::GlobalOp>(kDynamicSmemName))
      return global;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(module.getBody());
    auto type = LLVM::LLVMArrayType::get(rewriter.getI8Type(), 0);
    return LLVM::GlobalOp::create(
        rewriter, module.getLoc(), type, /*isConstant=*/false,
        LLVM::Linkage::External, kDynamicSmemName, /*value=*/Attribute(),
        /*alignment=*/kDynamicSmemAlignment,
        static_cast<unsigned>(NVVM::NVVMMemorySpace::Shared));
  }

  LogicalResult
  matchAndRewrite(DynamicSmemOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto module = op->getParentOfType<gpu::GPUModuleOp>();
    if (!module)
      return rewriter.notifyMatchFailure(op, "not in a GPU module");
    Location loc = op.getLoc();
    Value base =
        LLVM::AddressOfOp::create(rewriter, loc, getGlobal(module, rewriter));
    if (op.getAlignment() > kDynamicSmemAlignment) {
      Type i32 = rewriter.getI32Type();
      auto constant = [&](int64_t value) -> Value {
        return LLVM::ConstantOp::create(rewriter, loc,
                                        rewriter.getI32IntegerAttr(value));
      };
      Value address = LLVM::PtrToIntOp::create(rewriter, loc, i32, base);
      Value negative = LLVM::SubOp::create(rewriter, loc, constant(0), address);
      Value padding = LLVM::AndOp::create(rewriter, loc, negative,
                                          constant(op.getAlignment() - 1));
      base = LLVM::GEPOp::create(rewriter, loc, base.getType(),
                                 rewriter.getI8Type(), base,
                                 ArrayRef<LLVM::GEPArg>{padding});
    }
    rewriter.replaceOp(op, Value(MemRefDescriptor::fromStaticShape(
                               rewriter, loc, *getTypeConverter(),
                               op.getResult().getType(), base)));
    return success();
  }
};

struct SmemViewLowering : ConvertOpToLLVMPattern<SmemViewOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(SmemViewOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value base = getSmemAddress(rewriter, loc, op.getSource().getType(),
                                adaptor.getSource());
    bool isStatic = adaptor.getDynamicOffset().empty();
    if (!isStatic || op.getStaticOffset().front() != 0) {
      LLVM::GEPArg offset =
          isStatic
              ? LLVM::GEPArg(static_cast<int32_t>(op.getStaticOffset().front()))
              : LLVM::GEPArg(getAsI32(rewriter, loc,
                                      adaptor.getDynamicOffset().front()));
      base = LLVM::GEPOp::create(rewriter, loc, base.getType(),
                                 rewriter.getI8Type(), base,
                                 ArrayRef<LLVM::GEPArg>{offset});
    }
    MemRefType result = op.getResult().getType();
    if (!isa<SmemTileLayoutInterface>(result.getLayout()))
      base = MemRefDescriptor::fromStaticShape(
          rewriter, loc, *getTypeConverter(), result, base);
    rewriter.replaceOp(op, base);
    return success();
  }
};

struct SmemStoreLowering : ConvertOpToLLVMPattern<SmemStoreOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(SmemStoreOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = emitRowAddress(
        rewriter, loc, cast<MemRefType>(op.getTile().getType()),
        adaptor.getTile(), adaptor.getRow(), adaptor.getOwn(), op.getColumn());
    // As words: the back end has no vectors of eight-bit floats.
    auto type = cast<VectorType>(op.getValue().getType());
    int64_t bytes = type.getNumElements() * type.getElementTypeBitWidth() / 8;
    Type words = rewriter.getIntegerType(std::min<int64_t>(bytes, 4) * 8);
    if (bytes > 4)
      words = VectorType::get({bytes / 4}, words);
    Value value =
        LLVM::BitcastOp::create(rewriter, loc, words, adaptor.getValue());
    rewriter.replaceOpWithNewOp<LLVM::StoreOp>(op, value, address,
                                               /*alignment=*/bytes);
    return success();
  }
};

struct StMatrixLowering : ConvertOpToLLVMPattern<StMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(StMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = emitRowAddress(
        rewriter, loc, cast<MemRefType>(op.getTile().getType()),
        adaptor.getTile(), adaptor.getRow(), adaptor.getOwn(), op.getColumn());
    int64_t count = cast<VectorType>(op.getValue().getType()).getNumElements() *
                    kMatrixBits / 32;
    Type i32 = rewriter.getI32Type();
    Value words = LLVM::BitcastOp::create(
        rewriter, loc, VectorType::get({count}, i32), adaptor.getValue());
    SmallVector<Value> registers;
    for (int64_t i = 0; i < count; ++i)
      registers.push_back(LLVM::ExtractElementOp::create(
          rewriter, loc, words,
          LLVM::ConstantOp::create(rewriter, loc,
                                   rewriter.getI32IntegerAttr(i))));
    auto shape = NVVM::LdStMatrixShapeAttr::get(rewriter.getContext(),
                                                kMatrixRows, kMatrixRows);
    rewriter.replaceOpWithNewOp<NVVM::StMatrixOp>(op, address, registers,
                                                  NVVM::MMALayout::row, shape,
                                                  NVVM::LdStMatrixEltType::B16);
    return success();
  }
};

} // namespace

void tc::populateSmemPatterns(const LLVMTypeConverter &converter,
                              RewritePatternSet &patterns) {
  patterns.add<DynamicSmemLowering, SmemViewLowering, SmemStoreLowering,
               StMatrixLowering>(converter);
}
