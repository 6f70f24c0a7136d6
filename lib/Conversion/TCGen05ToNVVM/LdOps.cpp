//===- LdOps.cpp - Tensor Memory and registers to NVVM ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ld, ld_red, st, wait, fence.
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

#include "tc/Support/Conversion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

static NVVM::Tcgen05LdStShape getShape(AccessShape shape) {
  switch (shape) {
  case AccessShape::L32x32b:
    return NVVM::Tcgen05LdStShape::SHAPE_32X32B;
  case AccessShape::L16x64b:
    return NVVM::Tcgen05LdStShape::SHAPE_16X64B;
  case AccessShape::L16x128b:
    return NVVM::Tcgen05LdStShape::SHAPE_16X128B;
  case AccessShape::L16x256b:
    return NVVM::Tcgen05LdStShape::SHAPE_16X256B;
  case AccessShape::L16x32bx2:
    return NVVM::Tcgen05LdStShape::SHAPE_16X32BX2;
  }
  llvm_unreachable("unknown shape");
}

/// The immediate of 16x32bx2; null without.
static Value getOffset(OpBuilder &builder, Location loc,
                       std::optional<int64_t> offset) {
  if (!offset)
    return {};
  return LLVM::ConstantOp::create(builder, loc,
                                  builder.getI64IntegerAttr(*offset));
}

/// The registers of an access whose value has the converted type `type`: NVVM
/// gives and takes one as a plain i32.
static Type getRegisterType(VectorType type) {
  Type i32 = IntegerType::get(type.getContext(), 32);
  int64_t count = getRegisterCount(type);
  return count == 1 ? i32 : Type(VectorType::get(count, i32));
}

namespace {

struct LdLowering : ConvertOpToLLVMPattern<LdOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(LdOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto type = cast<VectorType>(
        getTypeConverter()->convertType(op.getResult().getType()));
    Value source = offsetTmem(rewriter, loc, adaptor.getSource(), op.getLane());
    Value loaded =
        NVVM::Tcgen05LdOp::create(rewriter, loc, getRegisterType(type),
                                  op.getPack(), getShape(op.getShape()), source,
                                  getOffset(rewriter, loc, op.getOffset()));
    if (loaded.getType() != type)
      loaded = LLVM::BitcastOp::create(rewriter, loc, type, loaded);
    rewriter.replaceOp(op, loaded);
    return success();
  }
};

/// `text`, which loads from `source` to `count` registers of 32 bits: a struct
/// of them. Inline PTX, as NVVM has no such loads.
static Value emitPTX(OpBuilder &b, Location loc, Value source,
                     const std::string &text, int64_t count) {
  Type i32 = b.getI32Type();
  SmallVector<Type> registers(count, i32);
  std::string constraints;
  for (int64_t i = 0; i < count; ++i)
    constraints += "=r,";
  Value address = LLVM::PtrToIntOp::create(b, loc, i32, source);
  return LLVM::InlineAsmOp::create(
             b, loc,
             LLVM::LLVMStructType::getLiteral(b.getContext(), registers),
             ValueRange{address}, text, constraints + "r,~{memory}",
             /*has_side_effects=*/true, /*is_align_stack=*/false,
             LLVM::TailCallKind::None, /*asm_dialect=*/LLVM::AsmDialectAttr(),
             /*operand_attrs=*/ArrayAttr())
      .getResult(0);
}

/// Registers `first` on of the struct `registers` as a vector of `type`.
static Value emitRegisters(OpBuilder &b, Location loc, Value registers,
                           int64_t first, VectorType type) {
  Value vector = LLVM::PoisonOp::create(b, loc, type);
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Value element = LLVM::ExtractValueOp::create(b, loc, registers, first + i);
    if (type.getElementType() != element.getType())
      element = LLVM::BitcastOp::create(b, loc, type.getElementType(), element);
    Value index =
        LLVM::ConstantOp::create(b, loc, b.getI32IntegerAttr(int32_t(i)));
    vector = LLVM::InsertElementOp::create(b, loc, vector, element, index);
  }
  return vector;
}

/// NVVM has no operation for tcgen05.ld.red.
struct LdRedLowering : ConvertOpToLLVMPattern<LdRedOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  static std::string getText(LdRedOp op, int64_t count) {
    Type element = op.getResult().getType().getElementType();
    Reduction reduction = op.getReduction();
    bool isUnsigned =
        reduction == Reduction::UMin || reduction == Reduction::UMax;
    bool isMin = reduction == Reduction::Min || reduction == Reduction::UMin;
    std::string text = "tcgen05.ld.red.sync.aligned." +
                       getFacts(op.getShape()).name.str() + ".x" +
                       std::to_string(count) + (isMin ? ".min" : ".max");
    text += op.getAbs() ? ".abs" : "";
    text += op.getNan() ? ".NaN" : "";
    text += element.isF32() ? ".f32 {" : isUnsigned ? ".u32 {" : ".s32 {";
    for (int64_t i = 0; i < count; ++i)
      text += (i == 0 ? "$" : ", $") + std::to_string(i);
    text += "}, $" + std::to_string(count) + ", [$" +
            std::to_string(count + 1) + "]";
    if (op.getOffset())
      text += ", " + std::to_string(*op.getOffset());
    return text + ";";
  }

  LogicalResult
  matchAndRewrite(LdRedOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    VectorType type = op.getResult().getType();
    int64_t count = type.getNumElements();
    Value all = emitPTX(rewriter, loc, adaptor.getSource(), getText(op, count),
                        count + 1);
    Value loaded = emitRegisters(rewriter, loc, all, 0, type);
    Value reduced = emitRegisters(rewriter, loc, all, count,
                                  cast<VectorType>(op.getReduced().getType()));
    rewriter.replaceOp(op, {loaded, reduced});
    return success();
  }
};

/// NVVM has no operation for tcgen05.ld.spcompress.
struct LdCompressLowering : ConvertOpToLLVMPattern<LdCompressOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  static std::string getText(LdCompressOp op) {
    int64_t number = 0;
    auto list = [&](Value value) {
      std::string text;
      for (int64_t i = 0; i < cast<VectorType>(value.getType()).getDimSize(0);
           ++i)
        text += (i == 0 ? "$" : ", $") + std::to_string(number++);
      return text;
    };
    std::string text = "tcgen05.ld";
    text += op.getReduced() ? ".red" : "";
    text += ".spcompress.sync.aligned.32x32b.x" +
            std::to_string(op.getSource().getType().getColumns());
    text += op.getReduction() == Reduction::Min ? ".min" : ".max";
    text += ".sp::2:4";
    text += op.getAbs() ? ".abs" : "";
    text += op.getNan() ? ".NaN" : "";
    text += ".f32.b2 {" + list(op.getIndices()) + "}, {";
    text += list(op.getKept()) + "}, ";
    if (op.getReduced())
      text += list(op.getReduced()) + ", ";
    return text + "[$" + std::to_string(number) + "];";
  }

  LogicalResult
  matchAndRewrite(LdCompressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    auto kept = cast<VectorType>(op.getKept().getType()),
         indices = cast<VectorType>(op.getIndices().getType());
    int64_t count = indices.getNumElements() + kept.getNumElements() +
                    (op.getReduced() ? 1 : 0);
    Value all = emitPTX(rewriter, loc, adaptor.getSource(), getText(op), count);
    SmallVector<Value> results = {
        emitRegisters(rewriter, loc, all, indices.getNumElements(), kept),
        emitRegisters(rewriter, loc, all, 0, indices)};
    if (op.getReduced())
      results.push_back(
          emitRegisters(rewriter, loc, all, count - 1,
                        cast<VectorType>(op.getReduced().getType())));
    rewriter.replaceOp(op, results);
    return success();
  }
};

struct StLowering : ConvertOpToLLVMPattern<StOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(StOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value registers = adaptor.getValue();
    Type type = getRegisterType(cast<VectorType>(registers.getType()));
    if (registers.getType() != type)
      registers = LLVM::BitcastOp::create(rewriter, loc, type, registers);
    Value destination =
        offsetTmem(rewriter, loc, adaptor.getDestination(), op.getLane());
    NVVM::Tcgen05StOp::create(rewriter, loc, op.getUnpack(),
                              getShape(op.getShape()), destination, registers,
                              getOffset(rewriter, loc, op.getOffset()));
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
  patterns.add<LdLowering, LdRedLowering, LdCompressLowering, StLowering,
               WaitLowering, FenceLowering>(converter);
}
