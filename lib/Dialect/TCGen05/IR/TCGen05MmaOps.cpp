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
#include "tc/Support/MmaTypes.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

bool tc::tcgen05::isSmemOperand(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 2 &&
         isa<SmemTileLayoutInterface>(memref.getLayout()) &&
         gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(memref);
}

int64_t MmaOp::getM() {
  return cast<TmemType>(getD().getType()).getInstructionM();
}

int64_t MmaOp::getN() {
  return cast<TmemType>(getD().getType()).getMatrixColumns();
}

int64_t MmaOp::getK() { return getMmaK(getFacts(getKind())); }

namespace {

/// What the forms of tcgen05.mma have in common, and the rules for it. Each
/// rule carries the labels of the operations that state it.
struct Multiplication {
  template <typename Op>
  explicit Multiplication(Op op)
      : op(op), kind(op.getKind()), facts(getFacts(kind)),
        group(op.getCtaGroup()), d(cast<TmemType>(op.getD().getType())),
        a(cast<MemRefType>(op.getA().getType())),
        b(cast<MemRefType>(op.getB().getType())), aK(op.getAK()),
        bK(op.getBK()) {}

  /// Checks everything but what only one form has.
  LogicalResult verify() const;

  InFlightDiagnostic error() const { return op->emitOpError(); }
  StringRef kindName() const { return stringifyMmaKind(kind); }
  int64_t getM() const { return d.getInstructionM(); }
  int64_t getN() const { return d.getMatrixColumns(); }
  /// Whether the sum may be f16.
  bool hasHalfSum() const {
    return hasMmaHalfSum(facts, a.getElementType(), b.getElementType());
  }

  Operation *op;
  MmaKind kind;
  MmaKindFacts facts;
  int group;
  TmemType d;
  MemRefType a, b;
  int64_t aK, bK;

private:
  LogicalResult verifyAccumulator() const;
  LogicalResult verifyColumns() const;
  LogicalResult verifyElementTypes() const;
  LogicalResult verifyExtents() const;
  LogicalResult verifySteps() const;
  LogicalResult verifyLayout(StringRef name, MemRefType type) const;
};

} // namespace

// tcgen05_mma_c2, tcgen05_mma_block_scale_c2. C, E and G are written by sparse
// and weight-stationary instructions only.
LogicalResult Multiplication::verifyAccumulator() const {
  bool dense = llvm::is_contained(
      {DataPath::A, DataPath::B, DataPath::D, DataPath::F}, d.getLayout());
  if (!dense || d.getCtaGroup() != group || !d.isWhole() || d.getPacked())
    return error() << "expected d to be a whole accumulator with layout "
                   << (group == 2 ? "A (M=256) or B (M=128)"
                                  : "D (M=128) or F (M=64)")
                   << " for cta_group " << group << ", got " << d << " "
                   << cite(ISASection::DataPath);
  int64_t m = getM();
  if (!llvm::is_contained(getMmaM(facts, group), m))
    return error() << "expected M of "
                   << llvm::join(llvm::map_range(getMmaM(facts, group),
                                                 [](int64_t value) {
                                                   return std::to_string(value);
                                                 }),
                                 " or ")
                   << " for kind " << kindName() << " with cta_group " << group
                   << ", got " << m << " " << cite(ISASection::MmaShape);
  return success();
}

// tcgen05_mma_c3, tcgen05_mma_block_scale_c3
LogicalResult Multiplication::verifyColumns() const {
  int64_t n = getN();
  auto fail = [&](ExtentRange range, StringRef what) -> LogicalResult {
    return error() << "expected N to be a multiple of " << range.step
                   << " from " << range.first << " to " << range.last
                   << " for kind " << kindName() << " with cta_group " << group
                   << what << ", got " << n << ", the nearest is "
                   << range.nearest(n) << " " << cite(ISASection::MmaShape);
  };
  if (!isLegalMmaN(facts, group, n))
    return fail(getMmaN(facts, group), "");
  // 8-bit B that is N-major comes in wider steps.
  if (cast<SmemTileLayoutInterface>(b.getLayout()).getTileMajor() ==
          Major::MN &&
      b.getElementTypeBitWidth() == 8) {
    ExtentRange wide{int64_t(16) * group, 256, int64_t(16) * group};
    if (!wide.contains(n))
      return fail(wide, " and mn_major 8-bit b");
  }
  return success();
}

// tcgen05_mma_c4, tcgen05_mma_block_scale_c4
LogicalResult Multiplication::verifyElementTypes() const {
  for (auto [name, type] : {std::pair<StringRef, MemRefType>("a", a), {"b", b}})
    if (!isMmaInput(facts, type.getElementType()))
      return error() << "expected " << name << " of " << getMmaInputNames(facts)
                     << " for kind " << kindName() << ", got "
                     << type.getElementType() << " "
                     << cite(ISASection::MmaKinds);
  if (!isMmaMix(facts) && a.getElementType() != b.getElementType())
    return error() << "expected b to have the element type of a, "
                   << a.getElementType() << ", for kind " << kindName()
                   << ", got " << b.getElementType() << " "
                   << cite(ISASection::MmaKinds);
  Type sum = d.getElementType();
  bool integer = kind == MmaKind::I8;
  if (integer ? !sum.isSignlessInteger(32)
              : !sum.isF32() && !(sum.isF16() && hasHalfSum()))
    return error() << "expected d of " << (integer ? "i32" : "f32")
                   << (hasHalfSum() ? " or f16" : "") << " for kind "
                   << kindName() << " with a of " << a.getElementType()
                   << ", got " << sum << " " << cite(ISASection::MmaKinds);
  return success();
}

// tcgen05_mma_c5, tcgen05_mma_block_scale_c5
LogicalResult Multiplication::verifyExtents() const {
  int64_t m = getM(), n = getN();
  if (a.getDimSize(0) != m / group)
    return error() << "expected a to have the " << m / group
                   << " rows of one CTA for M = " << m << " and cta_group "
                   << group << ", got " << a.getDimSize(0) << " "
                   << cite(ISASection::CtaGroup);
  if (b.getDimSize(0) != n / group)
    return error() << "expected b to have the " << n / group
                   << " columns of one CTA for N = " << n << " and cta_group "
                   << group << ", got " << b.getDimSize(0) << " "
                   << cite(ISASection::CtaGroup);
  return success();
}

// tcgen05_mma_c6, tcgen05_mma_block_scale_c6
LogicalResult Multiplication::verifySteps() const {
  int64_t k = getMmaK(facts);
  for (auto [name, offset, type] :
       {std::tuple<StringRef, int64_t, MemRefType>("a_k", aK, a),
        {"b_k", bK, b}})
    if (offset % k != 0 || offset + k > type.getDimSize(1))
      return error() << "expected " << name << " to be a multiple of K = " << k
                     << " up to " << type.getDimSize(1) / k * k - k << ", got "
                     << offset << " " << cite(ISASection::MmaShape);
  return success();
}

// tcgen05_mma_c7, tcgen05_mma_block_scale_c7
LogicalResult Multiplication::verifyLayout(StringRef name,
                                           MemRefType type) const {
  auto layout = cast<SmemTileLayoutInterface>(type.getLayout());
  unsigned bits = getMmaSmemBits(facts, type.getElementType());
  if (layout.getElementBits() != bits)
    return error() << "expected the layout of " << name
                   << " to have bits = " << bits << ", those of "
                   << type.getElementType() << " of kind " << kindName()
                   << ", got " << layout.getElementBits() << " "
                   << cite(ISASection::Canonical);
  bool atom32 = layout.getTileSwizzle() == Swizzle::B128Atom32;
  if (layout.getTileMajor() == Major::K) {
    if (atom32)
      return error() << "expected swizzle none, b32, b64 or b128 for k_major "
                     << name << ", got b128_atom32 "
                     << cite(ISASection::MmaTranspose);
    return success();
  }
  if (!hasMmaTranspose(facts, type.getElementType()))
    return error() << "expected k_major " << name << " of "
                   << type.getElementType() << " for kind " << kindName()
                   << ", got mn_major " << cite(ISASection::MmaTranspose);
  if (kind == MmaKind::TF32 && !atom32)
    return error() << "expected swizzle b128_atom32 for mn_major " << name
                   << " of kind tf32, got "
                   << stringifySwizzle(layout.getTileSwizzle()) << " "
                   << cite(ISASection::MmaTranspose);
  if (kind != MmaKind::TF32 && atom32)
    return error() << "expected swizzle none, b32, b64 or b128 for mn_major "
                   << name << " of kind " << kindName() << ", got b128_atom32 "
                   << cite(ISASection::MmaTranspose);
  return success();
}

LogicalResult Multiplication::verify() const {
  if (failed(verifyAccumulator()) || failed(verifyColumns()) ||
      failed(verifyElementTypes()) || failed(verifyExtents()) ||
      failed(verifySteps()) || failed(verifyLayout("a", a)) ||
      failed(verifyLayout("b", b)))
    return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// MmaOp
//===----------------------------------------------------------------------===//

LogicalResult MmaOp::verify() {
  MmaKind kind = getKind();
  // tcgen05_mma_c1
  if (isBlockScaled(getFacts(kind)))
    return emitOpError() << "expected a kind without scale factors (f16, tf32, "
                            "f8f6f4, i8), got "
                         << stringifyMmaKind(kind)
                         << ", whose scale factors this operation "
                            "has no operands for "
                         << cite(ISASection::Mma);
  if (failed(Multiplication(*this).verify()))
    return failure();

  // tcgen05_mma_c8
  if (std::optional<int32_t> scale = getScaleD()) {
    if (kind != MmaKind::F16 && kind != MmaKind::TF32)
      return emitOpError() << "expected no scale_d for kind "
                           << stringifyMmaKind(kind)
                           << ", only f16 and tf32 have it "
                           << cite(ISASection::Mma);
    if (*scale < 0 || *scale > 15)
      return emitOpError() << "expected scale_d from 0 to 15, got " << *scale
                           << " " << cite(ISASection::Mma);
  }
  if ((getNegateA() || getNegateB()) && !hasNegate(getFacts(kind)))
    return emitOpError() << "expected no negate_a or negate_b for kind "
                         << stringifyMmaKind(kind) << " "
                         << cite(ISASection::MmaTranspose);
  if (getSaturate() && kind != MmaKind::I8)
    return emitOpError() << "expected saturate only for kind i8, got kind "
                         << stringifyMmaKind(kind) << " "
                         << cite(ISASection::InstructionDescriptor);
  return success();
}

//===----------------------------------------------------------------------===//
// MmaBlockScaleOp
//===----------------------------------------------------------------------===//

LogicalResult MmaBlockScaleOp::verify() {
  // tcgen05_mma_block_scale_c1
  if (!isBlockScaled(getFacts(getKind())))
    return emitOpError() << "expected a kind with scale factors (mxf8f6f4, "
                            "mxf4, mxf4nvf4), got "
                         << stringifyMmaKind(getKind()) << " "
                         << cite(ISASection::BlockScaling);
  Multiplication multiplication(*this);
  if (failed(multiplication.verify()))
    return failure();
  int64_t m = multiplication.getM(), n = multiplication.getN();
  // tcgen05_mma_block_scale_c2
  if (multiplication.d.getLayout() == DataPath::B)
    return emitOpError() << "expected M of 256 for kind "
                         << multiplication.kindName()
                         << " with cta_group 2, got " << m
                         << ", for which scales_b would be split "
                         << cite(ISASection::ScaleFactorB);
  // tcgen05_mma_block_scale_c11
  auto scalesA = cast<TmemType>(getScalesA().getType());
  Type factor = Float8E8M0FNUType::get(getContext());
  if (scalesA.getLayout() == DataPath::Scales)
    factor = scalesA.getElementType();
  int64_t vector = getScaleBlock();
  if (!findMmaScales(multiplication.facts, factor, vector))
    return emitOpError() << "expected scale factors of "
                         << getMmaScaleNames(multiplication.facts)
                         << " for kind " << multiplication.kindName()
                         << ", got " << factor << " for " << vector << " "
                         << cite(ISASection::BlockScaling);
  // tcgen05_mma_block_scale_c9
  for (auto [name, value, rows, section] :
       {std::tuple<StringRef, Value, int64_t, ISASection>(
            "scales_a", getScalesA(), m / multiplication.group,
            ISASection::ScaleFactorA),
        {"scales_b", getScalesB(), n, ISASection::ScaleFactorB}}) {
    TmemType expected = TmemType::getScales(rows, factor);
    if (value.getType() != expected)
      return emitOpError() << "expected " << name << " of " << expected
                           << " for " << rows << " rows, got "
                           << value.getType() << " " << cite(section);
  }
  // tcgen05_mma_block_scale_c10. An instruction reads the factors of its K, at
  // a multiple of as many bytes of a cell.
  int64_t blocks = getMmaK(multiplication.facts) / vector;
  for (auto [name, block] :
       {std::pair<StringRef, int64_t>("a_block", getABlock()),
        {"b_block", getBBlock()}}) {
    if (block < kScaleBlocks && block % blocks == 0)
      continue;
    InFlightDiagnostic diagnostic = emitOpError() << "expected " << name << " ";
    if (blocks == 1)
      diagnostic << "from 0 to " << kScaleBlocks - 1;
    else
      diagnostic << "to be a multiple of the " << blocks
                 << " factors of an instruction, up to "
                 << kScaleBlocks - blocks;
    return diagnostic << ", got " << block << " "
                      << cite(ISASection::ScaleFactorA);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// CommitOp
//===----------------------------------------------------------------------===//

LogicalResult CommitOp::verify() {
  // tcgen05_commit_c1
  if (getMulticast() && matchPattern(getMulticast(), m_Zero()))
    return emitOpError() << "expected multicast to name a CTA, got 0 "
                         << cite(ISASection::Commit);
  return success();
}
