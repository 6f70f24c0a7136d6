//===- SmemOps.cpp - views of shared memory to LLVM -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dynamic_smem, smem_view, smem_store, cp_async and stmatrix.
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

/// The address of what `op` stores, `row` and `own + column` of a swizzled
/// tile. The bytes of a column are exchanged for each other and never carry, so
/// they join the address of the row by an XOR; where the column is known when
/// compiling, nothing but the row is computed. `own` is null, or stays in the
/// slab of `column`.
template <typename OpT>
static Value emitAddress(ConversionPatternRewriter &rewriter, OpT op,
                         typename OpT::Adaptor adaptor) {
  Location loc = op.getLoc();
  auto tile = cast<MemRefType>(op.getTile().getType());
  Value row = adaptor.getRow(), own = adaptor.getOwn();
  auto layout = cast<SmemTileLayoutInterface>(tile.getLayout());
  SwizzleFacts facts = getSwizzleFacts(layout.getTileSwizzle());
  Type i32 = rewriter.getI32Type(), i64 = rewriter.getI64Type();
  auto constant = [&](Type type, int64_t value) -> Value {
    return LLVM::ConstantOp::create(rewriter, loc,
                                    rewriter.getIntegerAttr(type, value));
  };
  auto offsetBy = [&](Value pointer, LLVM::GEPArg bytes) -> Value {
    return LLVM::GEPOp::create(rewriter, loc, pointer.getType(),
                               rewriter.getI8Type(), pointer,
                               ArrayRef<LLVM::GEPArg>{bytes});
  };
  Value place =
      LLVM::MulOp::create(rewriter, loc, row, constant(i32, facts.spanBytes));
  if (facts.bits != 0) {
    Value line = LLVM::LShrOp::create(rewriter, loc, place, constant(i32, 7));
    line = LLVM::AndOp::create(rewriter, loc, line,
                               constant(i32, (1 << facts.bits) - 1));
    line = LLVM::ShlOp::create(rewriter, loc, line, constant(i32, facts.shift));
    place = LLVM::XOrOp::create(rewriter, loc, place, line);
  }
  Value address = offsetBy(adaptor.getTile(), place);
  int64_t elementBytes = tile.getElementTypeBitWidth() / 8;
  int64_t bytes = op.getColumn() * elementBytes;
  int64_t within = bytes % facts.spanBytes;
  Value exchanged;
  if (own) {
    exchanged =
        LLVM::MulOp::create(rewriter, loc, own, constant(i32, elementBytes));
    if (within)
      exchanged =
          LLVM::AddOp::create(rewriter, loc, exchanged, constant(i32, within));
    exchanged = LLVM::ZExtOp::create(rewriter, loc, i64, exchanged);
  } else if (within) {
    exchanged = constant(i64, within);
  }
  if (exchanged) {
    Value bits = LLVM::PtrToIntOp::create(rewriter, loc, i64, address);
    bits = LLVM::XOrOp::create(rewriter, loc, bits, exchanged);
    address = LLVM::IntToPtrOp::create(rewriter, loc, address.getType(), bits);
  }
  if (int64_t slab = bytes / facts.spanBytes)
    address =
        offsetBy(address, static_cast<int32_t>(slab * layout.getSlabBytes()));
  return address;
}

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
    Value address = emitAddress(rewriter, op, adaptor);
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

struct CpAsyncLowering : ConvertOpToLLVMPattern<CpAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(CpAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value source = getStridedElementPtr(
        rewriter, loc, cast<MemRefType>(op.getSource().getType()),
        adaptor.getSource(), adaptor.getIndices());
    Value target = emitAddress(rewriter, op, adaptor);
    auto bytes = static_cast<uint32_t>(op.getBytes());
    // Copies of 16 bytes alone may leave the L1 cache out: no other thread of
    // the multiprocessor reads them again.
    auto cache = bytes == 16 ? NVVM::LoadCacheModifierKind::CG
                             : NVVM::LoadCacheModifierKind::CA;
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncOp>(op, target, source, bytes,
                                                 cache, adaptor.getValid());
    return success();
  }
};

struct CpAsyncArriveLowering : ConvertOpToLLVMPattern<CpAsyncArriveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(CpAsyncArriveOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // The barrier counts these arrivals: they are not pending besides.
    rewriter.replaceOpWithNewOp<NVVM::CpAsyncMBarrierArriveOp>(
        op, adaptor.getMbarrier(), /*noinc=*/true);
    return success();
  }
};

struct StMatrixLowering : ConvertOpToLLVMPattern<StMatrixOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(StMatrixOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = emitAddress(rewriter, op, adaptor);
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
  patterns.add<CpAsyncArriveLowering, CpAsyncLowering, DynamicSmemLowering,
               SmemViewLowering, SmemStoreLowering, StMatrixLowering>(
      converter);
}
