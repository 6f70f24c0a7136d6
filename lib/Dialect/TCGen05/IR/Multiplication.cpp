//===- Multiplication.cpp - rules that forms of mma share -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types, shapes for each form, operand layouts, metadata. NVVM and ptxas check
// none of it.
//
//===----------------------------------------------------------------------===//

#include "Multiplication.h"
#include "tc/Support/MmaShapeErrors.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
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

static Major getMajor(MemRefType type) {
  return cast<SmemTileLayoutInterface>(type.getLayout()).getTileMajor();
}

/// "D (M=128) or F (M=64)": the layouts of D that `form` writes.
static std::string getLayoutNames(const MmaForm &form, MLIRContext *context) {
  SmallVector<std::string> names;
  const MmaShapeFacts *shapes = findMmaShapes(form);
  for (int64_t m : llvm::reverse(shapes->m)) {
    TmemType type = TmemType::getAccumulator(
        m, shapes->getN(m).nearest(m), form.ctaGroup, Float32Type::get(context),
        form.sparse, form.weightStationary);
    names.push_back(
        (stringifyDataPath(type.getLayout()) + " (M=" + std::to_string(m) + ")")
            .str());
  }
  std::string last = names.pop_back_val();
  return names.empty() ? last : llvm::join(names, ", ") + " or " + last;
}

// tcgen05_mma_c2, tcgen05_mma_block_scale_c2, tcgen05_mma_ws_c2
LogicalResult Multiplication::verifyAccumulator() const {
  const MmaShapeFacts *shapes = findMmaShapes(form);
  if (!shapes)
    return error() << "expected cta_group 1, the only one of the "
                      "weight-stationary instruction, got "
                   << form.ctaGroup << " " << cite(ISASection::MmaWs);
  TmemType expected;
  if (d.isWhole() && !d.getPacked() && !d.getBytes() &&
      d.getInstructionM() != 0)
    expected = TmemType::getAccumulator(getM(), getN(), form.ctaGroup,
                                        d.getElementType(), form.sparse,
                                        form.weightStationary);
  if (d != expected)
    return error() << "expected d to be a whole accumulator with layout "
                   << getLayoutNames(form, d.getContext()) << " for "
                   << form.getName() << ", got " << d << " "
                   << cite(ISASection::DataPath);
  if (std::string reason = findMmaRowsError(form, getM()); !reason.empty())
    return error() << reason;
  return success();
}

// tcgen05_mma_c3, tcgen05_mma_block_scale_c3, tcgen05_mma_ws_c3
LogicalResult Multiplication::verifyColumns() const {
  int64_t n = getN();
  if (std::string reason = findMmaColumnsError(form, getM(), n);
      !reason.empty())
    return error() << reason;
  // 8-bit B that is N-major comes in wider steps.
  if (!form.weightStationary && getMajor(b) == Major::MN &&
      b.getElementType().isIntOrFloat() && b.getElementTypeBitWidth() == 8) {
    MmaExtents wide{getMmaTransposedByteN(form.ctaGroup), {}};
    if (!wide.contains(n))
      return error() << "expected N to be " << wide.getName() << " for "
                     << form.getName() << " and mn_major 8-bit b, got " << n
                     << ", the nearest is " << wide.nearest(n) << " "
                     << cite(ISASection::MmaShape);
  }
  return success();
}

// tcgen05_mma_c4, tcgen05_mma_block_scale_c4, tcgen05_mma_ws_c4
LogicalResult Multiplication::verifyElementTypes() const {
  StringRef kind = tc::getName(form.kind);
  for (auto [name, type] :
       {std::pair<StringRef, Type>("a", elementA), {"b", b.getElementType()}}) {
    if (lookup && name == "b")
      continue;
    if (!isMmaInput(form.kind, type))
      return error() << "expected " << name << " of "
                     << getMmaInputNames(form.kind) << " for kind " << kind
                     << ", got " << type << " " << cite(ISASection::MmaKinds);
  }
  if (!isMmaMix(form.kind) && elementA != b.getElementType())
    return error() << "expected b to have the element type of a, " << elementA
                   << ", for kind " << kind << ", got " << b.getElementType()
                   << " " << cite(ISASection::MmaKinds);
  Type sum = d.getElementType();
  bool integer = hasMmaIntegerSum(form.kind);
  if (integer ? !sum.isSignlessInteger(32)
              : !sum.isF32() && !(sum.isF16() && hasHalfSum()))
    return error() << "expected d of " << (integer ? "i32" : "f32")
                   << (hasHalfSum() ? " or f16" : "") << " for kind " << kind
                   << " with a of " << elementA << ", got " << sum << " "
                   << cite(ISASection::MmaKinds);
  return success();
}

// tcgen05_mma_c9, tcgen05_mma_block_scale_c12, tcgen05_mma_ws_c9
LogicalResult Multiplication::verifyTmemA() const {
  unsigned bits = getBitsOfA();
  if (!tmemA || (tmemA.isWhole() && tmemA.getLayout() == d.getLayout() &&
                 tmemA.getStorageBits() == bits))
    return success();
  return error() << "expected a to be whole, with layout "
                 << stringifyDataPath(d.getLayout())
                 << ", that of d, and elements of " << bits << " bits"
                 << (bits == 32                                 ? ""
                     : bits == elementA.getIntOrFloatBitWidth() ? " (packed)"
                                                                : " (bytes)")
                 << ", got " << tmemA << " " << cite(ISASection::DataPath);
}

// tcgen05_mma_c5, tcgen05_mma_block_scale_c5, tcgen05_mma_ws_c5
LogicalResult Multiplication::verifyExtents(int64_t moreColumns) const {
  int64_t m = getM(), n = getN(), group = form.ctaGroup;
  if (smemA && smemA.getDimSize(0) != m / group)
    return error() << "expected a to have the " << m / group
                   << " rows of one CTA for M = " << m << " and cta_group "
                   << group << ", got " << smemA.getDimSize(0) << " "
                   << cite(ISASection::CtaGroup);
  if (b.getDimSize(0) != n / group + moreColumns) {
    InFlightDiagnostic diagnostic = error()
                                    << "expected b to have the " << n / group
                                    << " columns of one CTA for N = " << n
                                    << " and cta_group " << group;
    if (moreColumns)
      diagnostic << ", and " << moreColumns << " for the shift";
    return diagnostic << ", got " << b.getDimSize(0) << " "
                      << cite(ISASection::CtaGroup);
  }
  return success();
}

// tcgen05_mma_c6, tcgen05_mma_block_scale_c6, tcgen05_mma_ws_c6
LogicalResult Multiplication::verifySteps() const {
  int64_t extentA = smemA ? smemA.getDimSize(1) : tmemA.getColumns();
  for (auto [name, offset, k, extent] :
       {std::tuple<StringRef, int64_t, int64_t, int64_t>("a_k", aK, getKOfA(),
                                                         extentA),
        {"b_k", bK, getK(), b.getDimSize(1)}}) {
    if (extent < k)
      return error() << "expected rows of " << name.take_front()
                     << " of at least " << k << " elements, which one "
                     << "instruction reads, got " << extent << " "
                     << cite(ISASection::MmaShape);
    if (offset % k != 0 || offset > extent - k)
      return error() << "expected " << name << " to be a multiple of "
                     << (k == getK() ? "K" : "K/2") << " = " << k << " up to "
                     << extent / k * k - k << ", got " << offset << " "
                     << cite(ISASection::MmaShape);
  }
  return success();
}

// tcgen05_mma_c7, tcgen05_mma_block_scale_c7, tcgen05_mma_ws_c7
LogicalResult Multiplication::verifyLayout(StringRef name, MemRefType type,
                                           unsigned bits) const {
  auto layout = cast<SmemTileLayoutInterface>(type.getLayout());
  StringRef kind = tc::getName(form.kind);
  if (layout.getElementBits() != bits)
    return error() << "expected the layout of " << name
                   << " to have bits = " << bits << ", those of "
                   << type.getElementType() << " of kind " << kind << ", got "
                   << layout.getElementBits() << " "
                   << cite(ISASection::Canonical);
  bool atom32 = layout.getTileSwizzle() == Swizzle::B128Atom32;
  if (layout.getTileMajor() == Major::K) {
    if (atom32)
      return error() << "expected swizzle none, b32, b64 or b128 for k_major "
                     << name << ", got b128_atom32 "
                     << cite(ISASection::MmaTranspose);
    return success();
  }
  if (isMmaIndex(type.getElementType()) ||
      !hasMmaTranspose(form.kind, type.getElementType()))
    return error() << "expected k_major " << name << " of "
                   << type.getElementType() << " for kind " << kind
                   << getMmaTransposeNote(form.kind) << ", got mn_major "
                   << cite(ISASection::MmaTranspose);
  bool tf32 = form.kind == MmaKindFacts::TF32;
  if (tf32 && !atom32)
    return error() << "expected swizzle b128_atom32 for mn_major " << name
                   << " of kind tf32, got "
                   << stringifySwizzle(layout.getTileSwizzle()) << " "
                   << cite(ISASection::MmaTranspose);
  if (!tf32 && atom32)
    return error() << "expected swizzle none, b32, b64 or b128 for mn_major "
                   << name << " of kind " << kind << ", got b128_atom32 "
                   << cite(ISASection::MmaTranspose);
  return success();
}

// tcgen05_mma_c7, tcgen05_mma_block_scale_c7, tcgen05_mma_ws_c7,
// tcgen05_mma_c13, tcgen05_mma_block_scale_c13. A row of a dense operand of one
// instruction has 32 bytes, of B of a sparse one 64, which are in one span of
// the swizzle: the descriptor has no stride to another.
LogicalResult Multiplication::verifyLongRow(StringRef name, MemRefType type,
                                            StringRef what,
                                            int64_t bytes) const {
  if (getMajor(type) != Major::K ||
      cast<SmemTileLayoutInterface>(type.getLayout()).getTileSwizzle() !=
          Swizzle::B32)
    return success();
  return error() << "expected swizzle none, b64 or b128 for k_major " << name
                 << " of " << what << ", which reads " << bytes
                 << " bytes of a row, got b32 " << cite(ISASection::Canonical);
}

// tcgen05_mma_c13, tcgen05_mma_block_scale_c13
LogicalResult Multiplication::verifyWide() const {
  if (!form.wide)
    return success();
  if (!getWideMmaK(form.kind))
    return error() << "expected no wide_k for kind " << tc::getName(form.kind)
                   << ", only f8f6f4, mxf8f6f4, mxf4 and mxf4nvf4 have it "
                   << cite(ISASection::WideMma);
  // The table of shapes has such a K, that of the descriptor no code for it.
  if (form.sparse)
    return error() << "expected no wide_k for a sparse a: sources disagree on "
                      "its instruction descriptor "
                   << cite(ISASection::WideMma);
  int64_t rows = getM() / form.ctaGroup;
  if (rows != kTmemLanes)
    return error() << "expected " << kTmemLanes
                   << " rows of a in a CTA with wide_k, got " << rows << " "
                   << cite(ISASection::WideMma);
  for (auto [name, type] :
       {std::pair<StringRef, Type>("a", elementA), {"b", b.getElementType()}})
    if (!isMmaIndex(type) && !getMmaSmemBits(form.kind, type, /*wide=*/true))
      return error() << "expected " << name
                     << " of f8E4M3FN or f8E5M2 for kind "
                     << tc::getName(form.kind) << " with wide_k, got " << type
                     << " " << cite(ISASection::WideMma);
  if (tmemA && !getBitsOfA())
    return error() << "expected a in shared memory with wide_k and elements of "
                   << elementA << ", of which no text says how they are in "
                   << "Tensor Memory, got " << tmemA << " "
                   << cite(ISASection::WideMma);
  return success();
}

LogicalResult Multiplication::verifyLongRows() const {
  constexpr StringLiteral what = "an instruction with wide_k";
  if (!form.wide)
    return success();
  auto verifyRow = [&](StringRef name, MemRefType type, int64_t bits) {
    int64_t bytes = getK() * bits / 8;
    return success(bytes <= 32 ||
                   succeeded(verifyLongRow(name, type, what, bytes)));
  };
  auto getWidth = [](Type type) -> int64_t {
    return type.getIntOrFloatBitWidth();
  };
  if (smemA && failed(verifyRow("a", smemA, getWidth(elementA))))
    return failure();
  if (lookup)
    return verifyLongRow("b", b, "an instruction with lookup",
                         kLookupRow * kLookupBits / 8);
  return verifyRow("b", b, getWidth(b.getElementType()));
}

// tcgen05_mma_c15, tcgen05_mma_block_scale_c14
LogicalResult Multiplication::verifyIndices() const {
  bool isIndex = isMmaIndex(b.getElementType());
  if (!lookup) {
    if (isIndex)
      return error() << "expected lookup with b of indices, "
                     << b.getElementType() << " " << cite(ISASection::LookupB);
    return success();
  }
  if (!isIndex)
    return error() << "expected b of i" << kLookupBits
                   << ", indices into the table, with lookup, got "
                   << b.getElementType() << " " << cite(ISASection::LookupB);
  if (form.kind != MmaKindFacts::F8F6F4 && form.kind != MmaKindFacts::MXF8F6F4)
    return error() << "expected no lookup for kind " << tc::getName(form.kind)
                   << ", only f8f6f4 and mxf8f6f4 have it "
                   << cite(ISASection::LookupB);
  if (!form.wide)
    return error() << "expected wide_k with lookup, whose K is "
                   << getWideMmaK(form.kind) << " "
                   << cite(ISASection::LookupB);
  if (b.getDimSize(1) % kLookupRow != 0)
    return error() << "expected rows of b to have a multiple of " << kLookupRow
                   << " indices, which share " << kLookupRow * kLookupBits / 8
                   << " bytes, got " << b.getDimSize(1) << " "
                   << cite(ISASection::LookupB);
  return success();
}

LogicalResult Multiplication::verifyTable() const {
  if (!lookup)
    return success();
  auto expected = TmemType::getMatrixA(
      kLookupEntries, Float8E4M3FNType::get(d.getContext()), 8, d.getLayout());
  if (lookup == expected || lookup == expected.getWindow())
    return success();
  return error() << "expected lookup of " << expected << " or of its window, "
                 << expected.getWindow() << ", got " << lookup << " "
                 << cite(ISASection::LookupB);
}

LogicalResult Multiplication::verify(int64_t moreColumns) const {
  if (failed(verifyAccumulator()) || failed(verifyColumns()) ||
      failed(verifyIndices()) || failed(verifyElementTypes()) ||
      failed(verifyWide()) || failed(verifyTmemA()) ||
      failed(verifyExtents(moreColumns)) || failed(verifySteps()) ||
      (smemA && failed(verifyLayout("a", smemA, getBitsOfA()))) ||
      failed(verifyLayout("b", b, getBitsOfB())) || failed(verifyTable()))
    return failure();
  if (form.sparse)
    return verifyLongRow("b", b, "a sparse instruction");
  return verifyLongRows();
}

// tcgen05_mma_c10, tcgen05_mma_block_scale_c8, tcgen05_mma_ws_c10
LogicalResult Multiplication::verifyMetadata(int64_t selector) const {
  unsigned bits = getBitsOfA();
  bool selects = form.sparse && bits >= 16;
  if (selector < 0 || selector > (selects ? 3 : 0))
    return error() << "expected selector "
                   << (selects ? "from 0 to 3"
                               : "0 but for a sparse a of kind "
                                 "f16, tf32 or ti16")
                   << ", got " << selector << " "
                   << cite(ISASection::SparseMatrices);
  if (!form.sparse)
    return success();
  int64_t columns = selects ? selector + 1 : 2;
  TmemType expected = TmemType::getMetadata(d.getContext(), bits, columns);
  if (metadata.isWhole() && metadata.getLayout() == expected.getLayout() &&
      (selects ? metadata.getColumns() >= columns
               : metadata.getColumns() == columns))
    return success();
  return error() << "expected metadata of layout "
                 << stringifyDataPath(expected.getLayout()) << " with "
                 << (selects ? "at least " : "") << columns << " columns for a "
                 << "of " << elementA << ", got " << metadata << " "
                 << cite(ISASection::SparseMatrices);
}

// tcgen05_mma_c8, tcgen05_mma_ws_c8
LogicalResult Multiplication::verifyNegate(bool saturate) const {
  StringRef kind = tc::getName(form.kind);
  if (negate && !hasNegate(form.kind))
    return error() << "expected no negate_a or negate_b for kind " << kind
                   << " " << cite(ISASection::MmaTranspose);
  if (saturate && form.kind != MmaKindFacts::I8)
    return error() << "expected saturate only for kind i8, got kind " << kind
                   << " " << cite(ISASection::InstructionDescriptor);
  return success();
}
