//===- TCGen05MmaOps.cpp - matrix multiplication ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The verifier of tcgen05.mma: types, shapes for each kind and cta_group,
// operand layouts, modifiers. NVVM and ptxas check none of it.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Support/ISA.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

bool tc::tcgen05::isSmemOperand(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && isa<SmemLayoutAttr>(memref.getLayout()) &&
         gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref);
}

int64_t MmaOp::getM() {
  return cast<TmemType>(getD().getType()).getInstructionM();
}

int64_t MmaOp::getN() {
  return cast<TmemType>(getD().getType()).getMatrixColumns();
}

int64_t MmaOp::getK() { return getMmaK(getFacts(getKind())); }

/// The element types that `kind` multiplies, for a diagnostic.
static StringRef getInputNames(MmaKind kind) {
  switch (kind) {
  case MmaKind::F16:
    return "f16 or bf16";
  case MmaKind::TF32:
    return "f32";
  case MmaKind::F8F6F4:
    return "f8E4M3FN or f8E5M2";
  case MmaKind::I8:
    return "i8 or ui8";
  default:
    return "none";
  }
}

static bool isInput(MmaKind kind, Type type) {
  switch (kind) {
  case MmaKind::F16:
    return type.isF16() || type.isBF16();
  case MmaKind::TF32:
    return type.isF32();
  case MmaKind::F8F6F4:
    return isa<Float8E4M3FNType, Float8E5M2Type>(type);
  case MmaKind::I8:
    return type.isSignlessInteger(8) || type.isUnsignedInteger(8);
  default:
    return false;
  }
}

/// Checks the layout of one operand against what a descriptor and the kind can
/// express.
static LogicalResult verifyLayout(MmaOp op, StringRef name, MemRefType type) {
  auto layout = cast<SmemLayoutAttr>(type.getLayout());
  unsigned bits = type.getElementTypeBitWidth();
  if (layout.getBits() != bits)
    return op.emitOpError()
           << "expected the layout of " << name << " to have bits = " << bits
           << ", those of " << type.getElementType() << ", got "
           << layout.getBits() << " " << cite(ISASection::Canonical);
  bool atom32 = layout.getSwizzle() == Swizzle::B128Atom32;
  if (layout.getMajor() == Major::K) {
    if (atom32)
      return op.emitOpError()
             << "expected swizzle none, b32, b64 or b128 for k_major " << name
             << ", got b128_atom32 " << cite(ISASection::MmaTranspose);
    return success();
  }
  if (op.getKind() == MmaKind::TF32 && !atom32)
    return op.emitOpError()
           << "expected swizzle b128_atom32 for mn_major " << name
           << " of kind tf32, got " << stringifySwizzle(layout.getSwizzle())
           << " " << cite(ISASection::MmaTranspose);
  if (op.getKind() != MmaKind::TF32 && atom32)
    return op.emitOpError()
           << "expected swizzle none, b32, b64 or b128 for mn_major " << name
           << " of kind " << stringifyMmaKind(op.getKind())
           << ", got b128_atom32 " << cite(ISASection::MmaTranspose);
  return success();
}

LogicalResult MmaOp::verify() {
  MmaKind kind = getKind();
  MmaKindFacts facts = getFacts(kind);
  StringRef kindName = stringifyMmaKind(kind);
  int group = getCtaGroup();
  auto d = cast<TmemType>(getD().getType());
  auto a = cast<MemRefType>(getA().getType());
  auto b = cast<MemRefType>(getB().getType());

  // tcgen05_mma_c1
  if (isBlockScaled(facts))
    return emitOpError() << "expected a kind without scale factors (f16, tf32, "
                            "f8f6f4, i8), got "
                         << kindName
                         << ", whose scale factors this operation "
                            "has no operands for "
                         << cite(ISASection::Mma);

  // tcgen05_mma_c2. C, E and G are written by sparse and weight-stationary
  // instructions only.
  bool dense = llvm::is_contained(
      {DataPath::A, DataPath::B, DataPath::D, DataPath::F}, d.getLayout());
  if (!dense || d.getCtaGroup() != group || !d.isWhole() || d.getPacked())
    return emitOpError() << "expected d to be a whole accumulator with layout "
                         << (group == 2 ? "A (M=256) or B (M=128)"
                                        : "D (M=128) or F (M=64)")
                         << " for cta_group " << group << ", got " << d << " "
                         << cite(ISASection::DataPath);
  int64_t m = getM();
  if (!llvm::is_contained(getMmaM(facts, group), m))
    return emitOpError() << "expected M of "
                         << llvm::join(llvm::map_range(getMmaM(facts, group),
                                                       [](int64_t value) {
                                                         return std::to_string(
                                                             value);
                                                       }),
                                       " or ")
                         << " for kind " << kindName << " with cta_group "
                         << group << ", got " << m << " "
                         << cite(ISASection::MmaShape);

  // tcgen05_mma_c3
  int64_t n = getN();
  ExtentRange range = getMmaN(facts, group);
  auto verifyN = [&](ExtentRange range, StringRef what) -> LogicalResult {
    return emitOpError() << "expected N to be a multiple of " << range.step
                         << " from " << range.first << " to " << range.last
                         << " for kind " << kindName << " with cta_group "
                         << group << what << ", got " << n
                         << ", the nearest is " << range.nearest(n) << " "
                         << cite(ISASection::MmaShape);
  };
  if (!isLegalMmaN(facts, group, n))
    return verifyN(range, "");
  // 8-bit B that is N-major comes in wider steps.
  if (cast<SmemLayoutAttr>(b.getLayout()).getMajor() == Major::MN &&
      b.getElementTypeBitWidth() == 8) {
    ExtentRange wide{int64_t(16) * group, 256, int64_t(16) * group};
    if (!wide.contains(n))
      return verifyN(wide, " and mn_major 8-bit b");
  }

  // tcgen05_mma_c4
  for (auto [name, type] : {std::pair<StringRef, MemRefType>("a", a), {"b", b}})
    if (!isInput(kind, type.getElementType()))
      return emitOpError() << "expected " << name << " of "
                           << getInputNames(kind) << " for kind " << kindName
                           << ", got " << type.getElementType() << " "
                           << cite(ISASection::MmaKinds);
  if (kind == MmaKind::F16 && a.getElementType() != b.getElementType())
    return emitOpError() << "expected b to have the element type of a, "
                         << a.getElementType() << ", for kind f16, got "
                         << b.getElementType() << " "
                         << cite(ISASection::MmaKinds);
  Type sum = d.getElementType();
  bool halfSum =
      sum.isF16() && (kind == MmaKind::F8F6F4 ||
                      (kind == MmaKind::F16 && a.getElementType().isF16()));
  if (kind == MmaKind::I8 ? !sum.isSignlessInteger(32)
                          : !sum.isF32() && !halfSum)
    return emitOpError() << "expected d of "
                         << (kind == MmaKind::I8 ? "i32" : "f32")
                         << (kind == MmaKind::F8F6F4 ||
                                     (kind == MmaKind::F16 &&
                                      a.getElementType().isF16())
                                 ? " or f16"
                                 : "")
                         << " for kind " << kindName << " with a of "
                         << a.getElementType() << ", got " << sum << " "
                         << cite(ISASection::MmaKinds);

  // tcgen05_mma_c5
  if (a.getDimSize(0) != m / group)
    return emitOpError() << "expected a to have the " << m / group
                         << " rows of one CTA for M = " << m
                         << " and cta_group " << group << ", got "
                         << a.getDimSize(0) << " "
                         << cite(ISASection::CtaGroup);
  if (b.getDimSize(0) != n / group)
    return emitOpError() << "expected b to have the " << n / group
                         << " columns of one CTA for N = " << n
                         << " and cta_group " << group << ", got "
                         << b.getDimSize(0) << " "
                         << cite(ISASection::CtaGroup);

  // tcgen05_mma_c6
  int64_t k = getK();
  for (auto [name, offset, type] :
       {std::tuple<StringRef, int64_t, MemRefType>("a_k", getAK(), a),
        {"b_k", getBK(), b}})
    if (offset % k != 0 || offset + k > type.getDimSize(1))
      return emitOpError() << "expected " << name
                           << " to be a multiple of K = " << k << " up to "
                           << type.getDimSize(1) / k * k - k << ", got "
                           << offset << " " << cite(ISASection::MmaShape);

  // tcgen05_mma_c7
  if (failed(verifyLayout(*this, "a", a)) ||
      failed(verifyLayout(*this, "b", b)))
    return failure();

  // tcgen05_mma_c8
  if (std::optional<int32_t> scale = getScaleD()) {
    if (kind != MmaKind::F16 && kind != MmaKind::TF32)
      return emitOpError() << "expected no scale_d for kind " << kindName
                           << ", only f16 and tf32 have it "
                           << cite(ISASection::Mma);
    if (*scale < 0 || *scale > 15)
      return emitOpError() << "expected scale_d from 0 to 15, got " << *scale
                           << " " << cite(ISASection::Mma);
  }
  if ((getNegateA() || getNegateB()) && !hasNegate(facts))
    return emitOpError() << "expected no negate_a or negate_b for kind "
                         << kindName << " " << cite(ISASection::MmaTranspose);
  if (getSaturate() && kind != MmaKind::I8)
    return emitOpError() << "expected saturate only for kind i8, got kind "
                         << kindName << " "
                         << cite(ISASection::InstructionDescriptor);
  return success();
}
