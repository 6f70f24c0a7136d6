//===- SM90SmemLayout.cpp - layout of tiles in shared memory ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of an operand in shared memory: its affine map, spelled out bit by
// bit, and the byte offsets that copies and descriptors need (PTX ISA,
// "Swizzling-modes" and "Major-ness supported by Strides").
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/ISA.h"

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

/// More than shared memory has room for, and little enough to compute with.
constexpr int64_t kMostElements = 1 << 24;

/// The bits of the place of an element of `bits`: 64 elements of 6 bits begin
/// 64 bytes.
static unsigned getPlaceBits(unsigned bits) { return bits == 6 ? 8 : bits; }

LogicalResult
SmemLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       Major major, Swizzle swizzle, unsigned bits,
                       int64_t slab) {
  if (bits != 4 && bits != 6 && bits != 8 && bits != 16 && bits != 32)
    return emitError() << "expected elements of 4, 6, 8, 16 or 32 bits in "
                          "shared memory, got "
                       << bits << " " << cite(ISASection::Canonical);
  if (bits < 8 && major == Major::MN)
    return emitError() << "expected k_major elements of " << bits
                       << " bits, got mn_major "
                       << cite(ISASection::MmaTranspose);
  if (swizzle == Swizzle::B128Atom32Flip8 || swizzle == Swizzle::B128Atom64)
    return emitError() << "expected a swizzle with a matrix descriptor code "
                          "(none, b32, b64, b128, b128_atom32), got "
                       << stringifySwizzle(swizzle) << " "
                       << cite(ISASection::SmemDescriptor);
  // Every slab starts where the pattern starts, or the XOR of the hardware,
  // which looks at address bits, would not be the one of the map.
  int64_t pattern = getSwizzleFacts(swizzle).patternBytes;
  if (slab > kMostElements || slab < -kMostElements)
    return emitError() << "expected a slab of 1 to " << kMostElements
                       << " elements, got " << slab << " "
                       << cite(ISASection::SwizzlingModes);
  int64_t bytes = slab * getPlaceBits(bits) / 8;
  if (slab <= 0 || bytes % pattern != 0)
    return emitError()
           << "expected a slab of a positive multiple of " << pattern
           << " bytes for swizzle " << stringifySwizzle(swizzle) << ", got "
           << bytes << " bytes, the nearest is "
           << std::max<int64_t>(
                  llvm::divideCeil(std::max<int64_t>(bytes, 0), pattern), 1) *
                  pattern
           << " " << cite(ISASection::SwizzlingModes);
  return success();
}

/// Checks that offsets in a tile of `shape` can be computed.
static LogicalResult
verifyTileExtents(ArrayRef<int64_t> shape,
                  function_ref<InFlightDiagnostic()> emitError) {
  for (int64_t size : shape)
    if (size > kMostElements)
      return emitError() << "expected tiles of at most " << kMostElements
                         << " elements along MN and K, got " << size << " "
                         << cite(ISASection::Canonical);
  return success();
}

/// The elements of a slab of a tile of `shape` whose slabs follow each other.
static int64_t getDenseSlab(Major major, Swizzle swizzle,
                            ArrayRef<int64_t> shape, unsigned bits) {
  bits = getPlaceBits(bits);
  int64_t span = getSwizzleFacts(swizzle).spanBytes * 8 / bits;
  int64_t lines = shape[major == Major::K ? 0 : 1];
  int64_t pattern = getSwizzleFacts(swizzle).patternBytes * 8 / bits;
  return llvm::alignTo(lines * span, pattern);
}

SmemLayoutAttr SmemLayoutAttr::getDense(MLIRContext *context, Major major,
                                        Swizzle swizzle,
                                        ArrayRef<int64_t> shape,
                                        unsigned bits) {
  return get(context, major, swizzle, bits,
             getDenseSlab(major, swizzle, shape, bits));
}

LogicalResult
SmemLayoutAttr::verifyDense(function_ref<InFlightDiagnostic()> emitError,
                            MLIRContext *context, Major major, Swizzle swizzle,
                            ArrayRef<int64_t> shape, unsigned bits) {
  // The size of a slab means nothing where the kind of its elements is wrong.
  int64_t pattern =
      getSwizzleFacts(swizzle).patternBytes * 8 / getPlaceBits(bits);
  if (failed(verify(emitError, major, swizzle, bits, pattern)) ||
      failed(verifyTileExtents(shape, emitError)) ||
      failed(verify(emitError, major, swizzle, bits,
                    getDenseSlab(major, swizzle, shape, bits))))
    return failure();
  return getDense(context, major, swizzle, shape, bits)
      .verifyLayout(shape, emitError);
}

int64_t SmemLayoutAttr::getSpanElements() const {
  return getSwizzleFacts(getSwizzle()).spanBytes * 8 / getPlaceBits(getBits());
}

int64_t SmemLayoutAttr::getNumSlabs(ArrayRef<int64_t> shape) const {
  return llvm::divideCeil(shape[getMajor() == Major::K ? 1 : 0],
                          getSpanElements());
}

int64_t SmemLayoutAttr::getLinearByteOffset(int64_t mn, int64_t k) const {
  int64_t fast = getMajor() == Major::K ? k : mn;
  int64_t line = getMajor() == Major::K ? mn : k;
  int64_t span = getSpanElements();
  return (fast / span * getSlab() + line * span + fast % span) *
         getPlaceBits(getBits()) / 8;
}

int64_t SmemLayoutAttr::getByteOffset(int64_t mn, int64_t k) const {
  return applySwizzle(getSwizzle(), getLinearByteOffset(mn, k));
}

//===----------------------------------------------------------------------===//
// MemRefLayoutAttrInterface
//===----------------------------------------------------------------------===//

AffineMap SmemLayoutAttr::getAffineMap() const {
  SwizzleFacts facts = getSwizzleFacts(getSwizzle());
  MLIRContext *context = getContext();
  AffineExpr mn = getAffineDimExpr(0, context);
  AffineExpr k = getAffineDimExpr(1, context);
  AffineExpr fast = getMajor() == Major::K ? k : mn;
  AffineExpr line = getMajor() == Major::K ? mn : k;
  int64_t span = getSpanElements();
  // The chunk that moves as one: 16 bytes, or 32 with the wider atom.
  int64_t chunk = (int64_t(8) << facts.shift) / getPlaceBits(getBits());
  // Lines of the tile in one 128-byte line, whose number is the other side of
  // the XOR.
  AffineExpr address = line.floorDiv(128 / facts.spanBytes);
  AffineExpr within = fast % span;
  AffineExpr index = within.floorDiv(chunk);
  // Bits of the chunk's number that stay, then one sum modulo 2 per bit that
  // is exchanged.
  AffineExpr swizzled =
      index.floorDiv(int64_t(1) << facts.bits) * (int64_t(1) << facts.bits);
  for (unsigned bit = 0; bit < facts.bits; ++bit) {
    int64_t weight = int64_t(1) << bit;
    swizzled =
        swizzled +
        ((index.floorDiv(weight) + address.floorDiv(weight)) % 2) * weight;
  }
  AffineExpr result = fast.floorDiv(span) * getSlab() + line * span +
                      swizzled * chunk + fast % chunk;
  return AffineMap::get(2, 0, simplifyAffineExpr(result, 2, 0));
}

bool SmemLayoutAttr::isIdentity() const { return false; }

LogicalResult
SmemLayoutAttr::getStridesAndOffset(ArrayRef<int64_t> shape,
                                    SmallVectorImpl<int64_t> &strides,
                                    int64_t &offset) const {
  return failure();
}

LogicalResult SmemLayoutAttr::verifyLayout(
    ArrayRef<int64_t> shape,
    function_ref<InFlightDiagnostic()> emitError) const {
  if (shape.size() != 2)
    return emitError() << "expected a tile of rank 2 (MN, K) for "
                          "sm90.smem_layout, got rank "
                       << shape.size() << " " << cite(ISASection::Canonical);
  if (ShapedType::isDynamicShape(shape))
    return emitError() << "expected a static tile shape for "
                          "sm90.smem_layout "
                       << cite(ISASection::Canonical);
  if (failed(verifyTileExtents(shape, emitError)))
    return failure();
  // The core matrices are eight lines of the pattern, four with the wider atom.
  int64_t group = getSwizzle() == Swizzle::B128Atom32 ? 4 : 8;
  unsigned lineDim = getMajor() == Major::K ? 0 : 1;
  int64_t lines = shape[lineDim];
  StringRef name = lineDim == 0 ? "MN" : "K";
  if (lines % group != 0)
    return emitError() << "expected " << name << " to be a multiple of "
                       << group << " for " << stringifyMajor(getMajor())
                       << " tiles, got " << lines << ", the nearest is "
                       << llvm::alignTo(lines, group) << " "
                       << cite(ISASection::Canonical);
  int64_t fast = shape[1 - lineDim];
  int64_t chunk = 128 / getPlaceBits(getBits());
  if (fast % chunk != 0)
    return emitError() << "expected " << (lineDim == 0 ? "K" : "MN")
                       << " to fill rows of 16 bytes, a multiple of " << chunk
                       << " elements, got " << fast << ", the nearest is "
                       << llvm::alignTo(fast, chunk) << " "
                       << cite(ISASection::Canonical);
  if (getSlab() < lines * getSpanElements() && getNumSlabs(shape) > 1)
    return emitError() << "expected slabs that do not overlap, of at least "
                       << lines * getSpanElements() << " elements, got "
                       << getSlab() << " " << cite(ISASection::Canonical);
  return success();
}

//===----------------------------------------------------------------------===//
// SmemTileLayoutInterface
//===----------------------------------------------------------------------===//

Swizzle SmemLayoutAttr::getTileSwizzle() const { return getSwizzle(); }

Major SmemLayoutAttr::getTileMajor() const { return getMajor(); }

unsigned SmemLayoutAttr::getElementBits() const { return getBits(); }

int64_t SmemLayoutAttr::getFootprintBytes(ArrayRef<int64_t> shape) const {
  int64_t lines = shape[getMajor() == Major::K ? 0 : 1];
  return ((getNumSlabs(shape) - 1) * getSlab() + lines * getSpanElements()) *
         getPlaceBits(getBits()) / 8;
}

int64_t SmemLayoutAttr::getSlabBytes() const {
  return getSlab() * getPlaceBits(getBits()) / 8;
}

unsigned SmemLayoutAttr::getContiguousDim() const {
  return getMajor() == Major::K ? 1 : 0;
}

int64_t SmemLayoutAttr::getAlignmentBytes() const {
  return getSwizzleFacts(getSwizzle()).patternBytes;
}

SmallVector<int64_t> SmemLayoutAttr::getSlabBox(ArrayRef<int64_t> shape) const {
  int64_t lines = shape[getMajor() == Major::K ? 0 : 1];
  int64_t fast = shape[getMajor() == Major::K ? 1 : 0];
  return {lines, std::min(fast, getSpanElements())};
}
