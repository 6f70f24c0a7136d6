//===- SM90TmaOps.cpp - tensor maps and TMA copies --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of the operations of SM90TmaOps.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/ISA.h"
#include "tc/Support/Im2col.h"
#include "tc/Support/StaticIndex.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

//===----------------------------------------------------------------------===//
// TensorMapEncodeOp
//===----------------------------------------------------------------------===//

void TensorMapEncodeOp::build(OpBuilder &builder, OperationState &state,
                              TensorMapType result, Value buffer,
                              OpFoldResult offset, ArrayRef<OpFoldResult> dims,
                              ArrayRef<OpFoldResult> strides,
                              L2Promotion l2Promotion,
                              DenseI64ArrayAttr elementStrides,
                              DenseI64ArrayAttr lower,
                              DenseI64ArrayAttr upper) {
  SmallVector<Value> dynamicOffset, dynamicDims, dynamicStrides;
  SmallVector<int64_t> staticOffset, staticDims, staticStrides;
  dispatchIndexOpFoldResults({offset}, dynamicOffset, staticOffset);
  dispatchIndexOpFoldResults(dims, dynamicDims, staticDims);
  dispatchIndexOpFoldResults(strides, dynamicStrides, staticStrides);
  build(builder, state, result, buffer, dynamicOffset,
        builder.getDenseI64ArrayAttr(staticOffset), dynamicDims,
        builder.getDenseI64ArrayAttr(staticDims), dynamicStrides,
        builder.getDenseI64ArrayAttr(staticStrides), l2Promotion, OobFill::Zero,
        elementStrides, lower, upper);
}

OpFoldResult TensorMapEncodeOp::getMixedOffset() {
  return getStaticOrDynamic(getStaticOffset(), getDynamicOffset(),
                            getContext());
}

SmallVector<OpFoldResult> TensorMapEncodeOp::getMixedDims() {
  return getAllStaticOrDynamic(getStaticDims(), getDynamicDims(), getContext());
}

SmallVector<OpFoldResult> TensorMapEncodeOp::getMixedStrides() {
  return getAllStaticOrDynamic(getStaticStrides(), getDynamicStrides(),
                               getContext());
}

/// The corners of the box of positions of an im2col map, which no other has.
static LogicalResult verifyCorners(TensorMapEncodeOp op) {
  TensorMapType map = op.getResult().getType();
  // sm90_tensor_map_encode_c8
  if (!map.isIm2col()) {
    if (!op.getLower())
      return success();
    return op.emitOpError() << "expected no corners for a tensor map of boxes, "
                               "got im2col "
                            << cite(ISASection::TensorMapLimits);
  }
  if (!op.getLower())
    return op.emitOpError()
           << "expected im2col with the lower and upper "
              "corners of the positions for "
           << map << ", got none " << cite(ISASection::TensorMapLimits);
  size_t count = map.getRank() - 2;
  Im2colLimits limits = getIm2colLimits(map.getRank());
  std::pair<StringRef, ArrayRef<int64_t>> corners[] = {
      {"lower", *op.getLower()}, {"upper", *op.getUpper()}};
  for (auto [name, corner] : corners) {
    bool legal =
        corner.size() == count && llvm::all_of(corner, [&](int64_t value) {
          return limits.hasCorner(value);
        });
    if (!legal)
      return op.emitOpError()
             << "expected " << name << " of " << count
             << (count == 1 ? " entry" : " entries") << " from "
             << -limits.corner << " to " << limits.corner - 1 << ", got ["
             << corner << "] " << cite(ISASection::TensorMapLimits);
  }
  return success();
}

LogicalResult TensorMapEncodeOp::verify() {
  TensorMapType map = getResult().getType();
  size_t rank = map.getRank();
  if (failed(verifyOneIndex(*this, "offset", getStaticOffset(),
                            getDynamicOffset())))
    return failure();
  // sm90_tensor_map_encode_c1
  if (getStaticDims().size() != rank || getStaticStrides().size() + 1 != rank)
    return emitOpError() << "expected " << rank << " dims and " << rank - 1
                         << " strides for " << map << ", got "
                         << getStaticDims().size() << " dims and "
                         << getStaticStrides().size() << " strides "
                         << cite(ISASection::TensorMapLimits);
  // sm90_tensor_map_encode_c2
  constexpr int64_t kMaxStride = int64_t(1) << 40;
  int64_t granularity = map.getGranularity();
  for (auto [dim, stride] : llvm::enumerate(getStaticStrides())) {
    if (ShapedType::isDynamic(stride))
      continue;
    if (stride < 0 || stride >= kMaxStride || stride % granularity != 0)
      return emitOpError() << "expected the stride of dimension " << dim
                           << " to be a multiple of " << granularity
                           << " bytes from 0 to below 2^40, got " << stride
                           << ", the nearest is "
                           << llvm::alignTo(
                                  std::clamp<int64_t>(stride, 0,
                                                      kMaxStride - granularity),
                                  granularity)
                           << " " << cite(ISASection::TensorMapLimits);
  }
  // sm90_tensor_map_encode_c3
  constexpr int64_t kMaxDim = int64_t(1) << 32;
  for (auto [dim, extent] : llvm::enumerate(getStaticDims()))
    if (!ShapedType::isDynamic(extent) && (extent < 1 || extent > kMaxDim))
      return emitOpError() << "expected dimension " << dim
                           << " to have from 1 to 2^32 elements, got " << extent
                           << " " << cite(ISASection::TensorMapLimits);
  // sm90_tensor_map_encode_c7
  int64_t row = getStaticDims().back();
  if (map.getUnpacked() && ShapedType::isStatic(row) &&
      row % kTmaUnpackedBox != 0)
    return emitOpError() << "expected rows of a multiple of " << kTmaUnpackedBox
                         << " unpacked elements, got " << row
                         << ", the nearest is "
                         << llvm::alignTo(row, kTmaUnpackedBox) << " "
                         << cite(ISASection::TensorMapLimits);
  // sm90_tensor_map_encode_c4
  Type element = cast<BaseMemRefType>(getBuffer().getType()).getElementType();
  if (element != map.getElementType())
    return emitOpError() << "expected a buffer of " << map.getElementType()
                         << ", the elements of the tensor map, got " << element;
  // sm90_tensor_map_encode_c5
  if (std::optional<ArrayRef<int64_t>> strides = getElementStrides()) {
    bool legal =
        strides->size() == rank && llvm::all_of(*strides, [](int64_t stride) {
          return stride >= 1 && stride <= 8;
        });
    if (!legal)
      return emitOpError() << "expected " << rank
                           << " element strides from 1 to 8, got [" << *strides
                           << "] " << cite(ISASection::TensorMapLimits);
  }
  // sm90_tensor_map_encode_c6
  int64_t offset = getStaticOffset().front();
  if (!ShapedType::isDynamic(offset) &&
      (offset < 0 || offset % granularity != 0))
    return emitOpError() << "expected the offset to be a multiple of "
                         << granularity << " bytes, got " << offset << " "
                         << cite(ISASection::TensorMapLimits);
  return verifyCorners(*this);
}

//===----------------------------------------------------------------------===//
// TmaLoadOp
//===----------------------------------------------------------------------===//

/// The rules that hold for a copy between a box of `map` and `tile`, the copy's
/// `role` ("destination" or "source"). They are numbered alike for both ops.
static LogicalResult verifyBox(Operation *op, TensorMapType map,
                               size_t coordinates, MemRefType tile,
                               StringRef role) {
  // sm90_tma_load_c1, sm90_tma_store_c1
  if (coordinates != map.getRank())
    return op->emitOpError()
           << "expected " << map.getRank() << " coordinates, got "
           << coordinates << " " << cite(ISASection::TmaCopy);
  // sm90_tma_load_c2, sm90_tma_store_c2
  if (tile.getElementType() != map.getElementType())
    return op->emitOpError()
           << "expected a " << role << " of " << map.getElementType()
           << ", the elements of the tensor map, got " << tile.getElementType()
           << " " << cite(ISASection::TmaCopy);
  // sm90_tma_load_c3, sm90_tma_store_c3
  auto layout = dyn_cast<SmemTileLayoutInterface>(tile.getLayout());
  if (!layout && !tile.getLayout().isIdentity())
    return op->emitOpError()
           << "expected a row-major " << role
           << " or a layout of a tile in shared memory, got " << tile;
  SmallVector<int64_t> slab = layout ? layout.getSlabBox(tile.getShape())
                                     : SmallVector<int64_t>(tile.getShape());
  // Leading dimensions of extent 1 (a batch) do not show in the tile.
  ArrayRef<int64_t> box = map.getBox();
  while (box.size() > slab.size() && box.front() == 1)
    box = box.drop_front();
  if (box != ArrayRef<int64_t>(slab)) {
    InFlightDiagnostic diagnostic = op->emitOpError() << "expected a box of ";
    llvm::interleave(slab, diagnostic, "x");
    diagnostic << ", one slab of the " << role << ", got ";
    llvm::interleave(map.getBox(), diagnostic, "x");
    return diagnostic << " " << cite(ISASection::TmaCopy);
  }
  // A row that is narrower than the swizzle's span would not be where the
  // layout says: its pitch in shared memory is not documented.
  Swizzle swizzle = layout ? layout.getTileSwizzle() : Swizzle::None;
  // sm90_tma_load_c4, sm90_tma_store_c4
  if (map.getSwizzle() != swizzle)
    return op->emitOpError() << "expected swizzle " << stringifySwizzle(swizzle)
                             << ", that of the " << role << ", got "
                             << stringifySwizzle(map.getSwizzle()) << " "
                             << cite(ISASection::SwizzlingModes);
  int64_t span = getSwizzleFacts(swizzle).spanBytes;
  int64_t row = box.back() * map.getSmemBits() / 8;
  // sm90_tma_load_c7, sm90_tma_store_c7
  if (layout && layout.getElementBits() != map.getSmemBits())
    return op->emitOpError()
           << "expected a " << role << " with bits = " << map.getSmemBits()
           << " in shared memory, as the tensor map has them, got "
           << layout.getElementBits() << " " << cite(ISASection::TmaCopy);
  // sm90_tma_load_c5, sm90_tma_store_c5
  if (swizzle != Swizzle::None && row != span)
    return op->emitOpError()
           << "expected rows of " << span << " bytes, the span of swizzle "
           << stringifySwizzle(swizzle) << ", got " << row << " "
           << cite(ISASection::SwizzlingModes);
  return success();
}

/// Properties of the map that the copy overrides.
// sm90_tma_load_c10, sm90_tma_store_c10
static LogicalResult verifyOverrides(Operation *op, TensorMapType map,
                                     ValueRange coordinates, Value address,
                                     ValueRange extents, ValueRange pitches) {
  if (extents.empty() && pitches.empty())
    return success();
  auto error = [&](const Twine &expected) {
    return op->emitOpError() << "expected " << expected;
  };
  StringRef section = cite(ISASection::TmaOverride);
  size_t rank = map.getRank();
  if (extents.size() != rank || pitches.size() + 1 != rank)
    return error(Twine(rank) + " extents and " + Twine(rank - 1) + " pitches")
           << ", got " << extents.size() << " and " << pitches.size() << " "
           << section;
  if (!address)
    return error("address with extents") << " " << section;
  if (map.isIm2col())
    return error("no extents for a tensor map of im2col, got ")
           << map << " " << section;
  for (Value coordinate : coordinates)
    if (std::optional<int64_t> value = getConstantIntValue(coordinate);
        value && *value != 0)
      return error("coordinates of 0 with extents, got ")
             << *value << " " << section;
  for (Value extent : extents)
    if (std::optional<int64_t> value = getConstantIntValue(extent);
        value && (*value < 1 || *value > 255))
      return error("extents from 1 to 255, got ") << *value << " " << section;
  for (Value pitch : pitches)
    if (std::optional<int64_t> value = getConstantIntValue(pitch);
        value && (*value < 0 || *value >= int64_t(1) << 40 || *value % 16 != 0))
      return error("pitches that are multiples of 16 below 2^40, got ")
             << *value << " " << section;
  return success();
}

/// Bits of the elements in which a copy looks for the value of `report`.
static unsigned getReportBits(Report report) {
  switch (report) {
  case Report::NegZero32:
    return 32;
  case Report::NegZero16:
    return 16;
  case Report::NegZero4:
    return 4;
  case Report::NegZero8:
  case Report::NaN8:
    return 8;
  }
  llvm_unreachable("unknown report");
}

/// Masks and reports.
static LogicalResult verifyTargets(TmaLoadOp op) {
  // sm90_tma_load_c10
  if (op.getMulticast() && !op.getExtents().empty())
    return op.emitOpError() << "expected multicast32 with extents, got "
                               "multicast "
                            << cite(ISASection::TmaOverride);
  // sm90_tma_load_c11
  if (op.getMulticast() && op.getMulticast32())
    return op.emitOpError() << "expected multicast or multicast32, got both "
                            << cite(ISASection::TmaCopy);
  if (op.getMulticast32() && matchPattern(op.getMulticast32(), m_Zero()))
    return op.emitOpError() << "expected multicast32 to name a CTA, got 0 "
                            << cite(ISASection::TmaCopy);
  // sm90_tma_load_c12
  Type element = op.getTensorMap().getType().getElementType();
  if (std::optional<Report> report = op.getReport();
      report && getReportBits(*report) != element.getIntOrFloatBitWidth())
    return op.emitOpError()
           << "expected elements of " << getReportBits(*report)
           << " bits with report " << stringifyReport(*report) << ", got "
           << element << " " << cite(ISASection::TmaReport);
  return success();
}

LogicalResult TmaLoadOp::verify() {
  if (failed(verifyOverrides(*this, getTensorMap().getType(), getCoordinates(),
                             getAddress(), getExtents(), getPitches())) ||
      failed(verifyTargets(*this)))
    return failure();
  if (failed(verifyBox(*this, getTensorMap().getType(), getCoordinates().size(),
                       cast<MemRefType>(getDestination().getType()),
                       "destination")))
    return failure();
  // sm90_tma_load_c9
  TensorMapType map = getTensorMap().getType();
  size_t count = map.isIm2col() ? map.getRank() - 2 : 0;
  if (getOffsets().size() != count)
    return emitOpError() << "expected im2col with " << count << " offsets for "
                         << map << ", got " << getOffsets().size() << " "
                         << cite(ISASection::TmaCopy);
  int64_t most = getIm2colLimits(map.getRank()).offset - 1;
  for (Value offset : getOffsets())
    if (std::optional<int64_t> value = getConstantIntValue(offset);
        value && (*value < 0 || *value > most))
      return emitOpError() << "expected im2col offsets from 0 to " << most
                           << ", got " << *value << " "
                           << cite(ISASection::TmaCopy);
  // sm90_tma_load_c6
  if (isa<ClusterMBarrierType>(getMbarrier().getType()) && getCtaGroup() != 2)
    return emitOpError() << "expected cta_group 2 for an mbarrier of the "
                            "cluster, got cta_group "
                         << getCtaGroup() << " " << cite(ISASection::TmaCopy);
  return success();
}

//===----------------------------------------------------------------------===//
// TmaStoreOp
//===----------------------------------------------------------------------===//

LogicalResult TmaStoreOp::verify() {
  if (failed(verifyOverrides(*this, getTensorMap().getType(), getCoordinates(),
                             getAddress(), getExtents(), getPitches())))
    return failure();
  // sm90_tma_store_c8
  if (getTensorMap().getType().getUnpacked())
    return emitOpError() << "expected a tensor map of elements that are not "
                            "unpacked, which are loaded only, got "
                         << getTensorMap().getType() << " "
                         << cite(ISASection::TmaCopy);
  // sm90_tma_store_c9
  if (getTensorMap().getType().isIm2col())
    return emitOpError() << "expected a tensor map of boxes, got "
                         << getTensorMap().getType() << " "
                         << cite(ISASection::TmaCopy);
  return verifyBox(*this, getTensorMap().getType(), getCoordinates().size(),
                   cast<MemRefType>(getSource().getType()), "source");
}
