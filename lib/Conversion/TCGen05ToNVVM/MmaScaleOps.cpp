//===- MmaScaleOps.cpp - block-scaled mma to NVVM ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma_block_scale, and what all forms of mma share.
//
//===----------------------------------------------------------------------===//

#include "MmaOperands.h"
#include "Patterns.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

Value tc::getSmemOperand(OpBuilder &builder, Location loc, Value operand,
                         Value address, int64_t k) {
  auto layout = cast<SmemTileLayoutInterface>(
      cast<MemRefType>(operand.getType()).getLayout());
  return emitMatrixDescriptor(builder, loc, address,
                              getMatrixDescriptor(layout).encode(),
                              getDescriptorStep(layout, /*mn=*/0, k));
}

NVVM::Tcgen05MMACollectorOp tc::getCollector(Collector collector) {
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

/// The instruction with the modifier as PTX before 8.8 has it. NVVM has an
/// operation only for .block16 and .block32.
static void emitScaleVec(OpBuilder &builder, MmaBlockScaleOp op,
                         MmaBlockScaleOp::Adaptor adaptor,
                         const MmaOperands &operands) {
  Location loc = op.getLoc();
  auto address = [&](Value pointer) -> Value {
    return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(),
                                    pointer);
  };
  int64_t factors = getMmaK(getFacts(op.getKind())) / op.getScaleBlock();
  bool tmem = bool(op.getTmemA());
  SmallVector<Value> values{address(adaptor.getD()),
                            tmem ? address(operands.a) : operands.a,
                            operands.b};
  std::string constraints = tmem ? "r,r,l," : "r,l,l,";
  std::string text = "tcgen05.mma";
  if (op.getMetadata())
    text += ".sp";
  text += ".cta_group::" + std::to_string(op.getCtaGroup()) +
          ".kind::" + stringifyMmaKind(op.getKind()).str() +
          ".block_scale.scale_vec::" + std::to_string(factors) +
          "X.collector::a::" + stringifyCollector(op.getCollectorA()).str() +
          (tmem ? " [$0], [$1], $2, " : " [$0], $1, $2, ");
  unsigned next = 3;
  if (op.getMetadata()) {
    values.push_back(address(adaptor.getMetadata()));
    constraints += "r,";
    text += "[$" + std::to_string(next++) + "], ";
  }
  values.append({operands.descriptor, address(adaptor.getScalesA()),
                 address(adaptor.getScalesB()), adaptor.getAccumulate()});
  constraints += "r,r,r,b,~{memory}";
  text += "$" + std::to_string(next) + ", [$" + std::to_string(next + 1) +
          "], [$" + std::to_string(next + 2) + "], $" +
          std::to_string(next + 3) + ";";
  LLVM::InlineAsmOp::create(
      builder, loc, TypeRange(), values, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, /*asm_dialect=*/LLVM::AsmDialectAttr(),
      /*operand_attrs=*/ArrayAttr());
}

namespace {

struct MmaBlockScaleLowering : ConvertOpToLLVMPattern<MmaBlockScaleOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult
  matchAndRewrite(MmaBlockScaleOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    MmaOperands operands = getMmaOperands(rewriter, op, adaptor);
    if (op.getScaleVec()) {
      emitScaleVec(rewriter, op, adaptor, operands);
      rewriter.eraseOp(op);
      return success();
    }
    auto kind = getBlockScaleKind(op.getKind());
    auto block = getBlockScale(op.getKind(), op.getScaleBlock());
    auto collector = getCollector(op.getCollectorA());
    if (op.getMetadata())
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMASparseBlockScaleOp>(
          op, kind, getGroup(op.getCtaGroup()), block, collector,
          adaptor.getD(), operands.a, operands.b, operands.descriptor,
          adaptor.getAccumulate(), adaptor.getMetadata(), adaptor.getScalesA(),
          adaptor.getScalesB());
    else
      rewriter.replaceOpWithNewOp<NVVM::Tcgen05MMABlockScaleOp>(
          op, kind, getGroup(op.getCtaGroup()), block, collector,
          adaptor.getD(), operands.a, operands.b, operands.descriptor,
          adaptor.getAccumulate(), adaptor.getScalesA(), adaptor.getScalesB());
    return success();
  }
};

} // namespace

void tc::populateMmaScalePatterns(const LLVMTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<MmaBlockScaleLowering>(converter);
}
