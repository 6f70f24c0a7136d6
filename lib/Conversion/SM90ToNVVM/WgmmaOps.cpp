//===- WgmmaOps.cpp - warpgroup matrix multiplication to NVVM ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// wgmma.fence, mma_async, commit_group, wait_group. Where registers are passed
// over, the nvvm ops do not serve: nvvm.wgmma.fence and wait.group have no
// operands, so that LLVM may move accesses to the registers across them, and
// nvvm.wgmma.mma_async has neither A in registers nor an accumulate flag that
// is a value. Those become inline PTX with the registers as operands and
// results.
//
//===----------------------------------------------------------------------===//

#include "Descriptors.h"
#include "Patterns.h"

#include "tc/Support/Conversion.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

namespace {

struct FenceLowering : ConvertOpToLLVMPattern<WgmmaFenceOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(WgmmaFenceOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getValues().empty()) {
      rewriter.replaceOpWithNewOp<NVVM::WgmmaFenceAlignedOp>(op);
      return success();
    }
    rewriter.replaceOp(op, emitInPlacePTX(rewriter, op.getLoc(),
                                          "wgmma.fence.sync.aligned;",
                                          adaptor.getValues()));
    return success();
  }
};

struct WgmmaCommitGroupLowering : ConvertOpToLLVMPattern<WgmmaCommitGroupOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(WgmmaCommitGroupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<NVVM::WgmmaGroupSyncAlignedOp>(op);
    return success();
  }
};

struct WgmmaWaitGroupLowering : ConvertOpToLLVMPattern<WgmmaWaitGroupOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(WgmmaWaitGroupOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getValues().empty()) {
      rewriter.replaceOpWithNewOp<NVVM::WgmmaWaitGroupSyncOp>(
          op, uint64_t(op.getPending()));
      return success();
    }
    std::string text = "wgmma.wait_group.sync.aligned " +
                       std::to_string(op.getPending()) + ";";
    rewriter.replaceOp(
        op, emitInPlacePTX(rewriter, op.getLoc(), text, adaptor.getValues()));
    return success();
  }
};

struct MmaAsyncLowering : ConvertOpToLLVMPattern<WgmmaMmaAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  /// The name of an element type in the opcode.
  static StringRef getTypeName(Type type) {
    if (type.isF16())
      return "f16";
    if (type.isBF16())
      return "bf16";
    if (isa<Float8E4M3FNType>(type))
      return "e4m3";
    if (type.isInteger(8))
      return type.isUnsignedInteger() ? "u8" : "s8";
    return isa<Float8E5M2Type>(type) ? "e5m2" : "tf32";
  }

  /// The registers `first` to `first + count - 1` of the text.
  static std::string list(unsigned first, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
      text += (i == 0 ? "$" : ", $") + std::to_string(first + i);
    return text + "}";
  }

  /// The descriptor of `tile`, converted to `address`, from row `mn` and column
  /// `k` on.
  static Value getDescriptor(OpBuilder &builder, Location loc, Value tile,
                             Value address, int64_t mn, int64_t k) {
    auto layout = cast<SmemTileLayoutInterface>(
        cast<MemRefType>(tile.getType()).getLayout());
    return emitMatrixDescriptor(builder, loc, address,
                                getWgmmaDescriptorBits(layout),
                                getDescriptorStep(layout, mn, k));
  }

  /// Elements of `d` of an instruction, from `first` on.
  static Value getPart(OpBuilder &builder, Location loc, Value d, int64_t first,
                       int64_t count) {
    if (cast<VectorType>(d.getType()).getNumElements() == count)
      return d;
    auto elements = llvm::to_vector(
        llvm::seq<int32_t>(int32_t(first), int32_t(first + count)));
    return LLVM::ShuffleVectorOp::create(builder, loc, d, d, elements);
  }

  /// `d` with `part` in place of the elements from `first` on.
  static Value setPart(OpBuilder &builder, Location loc, Value d, Value part,
                       int64_t first) {
    int64_t all = cast<VectorType>(d.getType()).getNumElements();
    int64_t count = cast<VectorType>(part.getType()).getNumElements();
    if (all == count)
      return part;
    // A shuffle takes two vectors of the same type.
    SmallVector<int32_t> wide(all, -1), whole(all);
    std::iota(wide.begin(), wide.begin() + count, 0);
    std::iota(whole.begin(), whole.end(), 0);
    std::iota(whole.begin() + first, whole.begin() + first + count,
              int32_t(all));
    part = LLVM::ShuffleVectorOp::create(builder, loc, part, part, wide);
    return LLVM::ShuffleVectorOp::create(builder, loc, d, part, whole);
  }

  /// The instruction. Registers of D come first, twice (results, then
  /// operands), then A, B and the predicate.
  static std::string spell(WgmmaMmaAsyncOp op, unsigned registersOfD,
                           unsigned registersOfA) {
    Type sum = op.getD().getType().getElementType();
    Type a = op.getAElementType();
    Type b = op.getB().getType().getElementType();
    bool aInRegisters = isa<VectorType>(op.getA().getType());
    std::string text;
    llvm::raw_string_ostream os(text);
    unsigned next = 2 * registersOfD;
    os << "wgmma.mma_async.sync.aligned.m" << kWgmmaM << "n" << op.getN() << "k"
       << op.getK()
       << (sum.isF32()   ? ".f32."
           : sum.isF16() ? ".f16."
                         : ".s32.")
       << getTypeName(a) << "." << getTypeName(b) << " "
       << list(0, registersOfD) << ", ";
    if (aInRegisters)
      os << list(next, registersOfA);
    else
      os << "$" << next;
    next += registersOfA;
    os << ", $" << next << ", $" << next + 1;
    // Integers are not negated.
    if (!sum.isInteger())
      os << ", " << (op.getNegateA() ? -1 : 1) << ", "
         << (op.getNegateB() ? -1 : 1);
    // Only 16-bit types have the transposition; A in registers has none.
    auto isMNMajor = [](Value tile) {
      return cast<SmemTileLayoutInterface>(
                 cast<MemRefType>(tile.getType()).getLayout())
                 .getTileMajor() == Major::MN;
    };
    if (a.getIntOrFloatBitWidth() == 16) {
      if (!aInRegisters)
        os << ", " << int(isMNMajor(op.getA()));
      os << ", " << int(isMNMajor(op.getB()));
    }
    os << ";";
    return text;
  }

  LogicalResult
  matchAndRewrite(WgmmaMmaAsyncOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> inputs;
    SmallVector<StringRef> constraints;
    if (isa<VectorType>(op.getA().getType())) {
      auto words = VectorType::get(getRegisterCount(adaptor.getA().getType()),
                                   rewriter.getI32Type());
      Value a = LLVM::BitcastOp::create(rewriter, loc, words, adaptor.getA());
      inputs = getRegisters(rewriter, loc, a);
      constraints.assign(inputs.size(), "r");
    } else {
      inputs.push_back(getDescriptor(rewriter, loc, op.getA(), adaptor.getA(),
                                     op.getAM(), op.getAK()));
      constraints.push_back("l");
    }
    unsigned registersOfA = inputs.size();
    inputs.push_back(getDescriptor(rewriter, loc, op.getB(), adaptor.getB(),
                                   op.getBN(), op.getBK()));
    inputs.push_back(adaptor.getAccumulate());
    // b: a predicate register.
    llvm::append_range(constraints, ArrayRef<StringRef>{"l", "b"});
    int64_t elements = op.getElementsOfD();
    int64_t first = int64_t(op.getDM()) / kWgmmaM * elements;
    Value d = getPart(rewriter, loc, adaptor.getD(), first, elements);
    std::string text = spell(op, getRegisterCount(d.getType()), registersOfA);
    Value part =
        emitInPlacePTX(rewriter, loc, text, d, inputs, constraints).front();
    rewriter.replaceOp(op, setPart(rewriter, loc, adaptor.getD(), part, first));
    return success();
  }
};

} // namespace

void tc::populateWgmmaPatterns(const LLVMTypeConverter &converter,
                               RewritePatternSet &patterns) {
  patterns.add<FenceLowering, MmaAsyncLowering, WgmmaCommitGroupLowering,
               WgmmaWaitGroupLowering>(converter);
}
