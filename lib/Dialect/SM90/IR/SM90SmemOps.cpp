//===- SM90SmemOps.cpp - views of shared memory -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers and folds of the operations of SM90SmemOps.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/ISA.h"
#include "tc/Support/SmemTiles.h"
#include "tc/Support/StaticIndex.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

#define GET_OP_CLASSES
#include "tc/Dialect/SM90/IR/SM90Ops.cpp.inc"

bool tc::sm90::isSmemBytes(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getRank() == 1 &&
         memref.getElementType().isSignlessInteger(8) &&
         memref.getLayout().isIdentity() && isSmemMemRef(memref);
}

//===----------------------------------------------------------------------===//
// DynamicSmemOp
//===----------------------------------------------------------------------===//

int64_t DynamicSmemOp::getRequiredBytes() {
  return getDynamicSmemBytes(getResult().getType().getDimSize(0),
                             getAlignment());
}

LogicalResult DynamicSmemOp::verify() {
  if (!getResult().getType().hasStaticShape())
    return emitOpError() << "expected a static number of bytes, got "
                         << getResult().getType();
  // sm90_dynamic_smem_c1
  int64_t alignment = getAlignment();
  if (alignment < kDynamicSmemAlignment || !llvm::isPowerOf2_64(alignment))
    return emitOpError() << "expected align to be a power of two of at least "
                         << kDynamicSmemAlignment << ", got " << alignment;
  // sm90_dynamic_smem_c2. The largest of all targets: a smaller one is
  // checked where the target is known.
  int64_t available = 0;
  for (const TargetFacts &target : getTargets())
    available = std::max(available, target.maxDynamicSmem);
  if (getRequiredBytes() > available)
    return emitOpError() << "expected at most " << available
                         << " bytes of shared memory, got "
                         << getRequiredBytes() << " with the padding for align "
                         << alignment;
  return success();
}

//===----------------------------------------------------------------------===//
// SmemAllocOp
//===----------------------------------------------------------------------===//

LogicalResult SmemAllocOp::verify() {
  // sm90_smem_alloc_c1
  MemRefType type = getResult().getType();
  if (!type.hasStaticShape() || type.getDimSize(0) < 1)
    return emitOpError() << "expected a static number of bytes of at least 1, "
                            "got "
                         << type;
  // sm90_smem_alloc_c2
  int64_t alignment = getAlignment();
  if (alignment < 1 || !llvm::isPowerOf2_64(alignment))
    return emitOpError()
           << "expected align to be a power of two of at least 1, "
              "got "
           << alignment;
  return success();
}

//===----------------------------------------------------------------------===//
// SmemViewOp
//===----------------------------------------------------------------------===//

void SmemViewOp::build(OpBuilder &builder, OperationState &state,
                       MemRefType result, Value source, OpFoldResult offset) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults({offset}, dynamic, fixed);
  build(builder, state, result, source, dynamic,
        builder.getDenseI64ArrayAttr(fixed));
}

OpFoldResult SmemViewOp::getOffset() {
  return getStaticOrDynamic(getStaticOffset(), getDynamicOffset(),
                            getContext());
}

/// Bytes that a view of `type` covers, and of which its offset is a multiple.
static std::pair<int64_t, int64_t> getExtent(MemRefType type) {
  if (auto tile = dyn_cast<SmemTileLayoutInterface>(type.getLayout()))
    return {tile.getFootprintBytes(type.getShape()), tile.getAlignmentBytes()};
  int64_t bits = type.getElementTypeBitWidth();
  return {llvm::divideCeil(type.getNumElements() * bits, 8),
          std::max<int64_t>(bits / 8, 1)};
}

/// Whether `source`, as far as its size is known, has `bytes` from `offset` on.
static bool liesWithin(MemRefType source, int64_t bytes, int64_t offset) {
  return offset >= 0 &&
         (!source.hasStaticShape() || offset <= source.getDimSize(0) - bytes);
}

LogicalResult SmemViewOp::verify() {
  MemRefType result = getResult().getType();
  MemRefType source = getSource().getType();
  if (failed(verifyOneIndex(*this, "offset", getStaticOffset(),
                            getDynamicOffset())))
    return failure();
  if (!result.hasStaticShape())
    return emitOpError() << "expected a static result shape, got " << result;
  if (!result.getElementType().isIntOrFloat())
    return emitOpError() << "expected integer or float elements, got "
                         << result.getElementType();
  if (!isa<SmemTileLayoutInterface>(result.getLayout()) &&
      !result.getLayout().isIdentity())
    return emitOpError() << "expected a row-major result or a layout of a "
                            "tile in shared memory, got "
                         << result;
  auto [footprint, alignment] = getExtent(result);
  bool isStatic = getDynamicOffset().empty();
  int64_t offset = isStatic ? getStaticOffset().front() : 0;
  // sm90_smem_view_c1
  if (!liesWithin(source, footprint, offset)) {
    InFlightDiagnostic diagnostic =
        emitOpError() << "expected the tile to lie within the source";
    if (source.hasStaticShape())
      diagnostic << " of " << source.getDimSize(0) << " bytes";
    return diagnostic << ", got " << footprint << " from " << offset << " on";
  }
  // sm90_smem_view_c2
  if (offset % alignment != 0)
    return emitOpError() << "expected the offset to be a multiple of "
                         << alignment << " bytes, got " << offset
                         << ", the nearest is "
                         << llvm::alignTo(offset, alignment) << " "
                         << cite(ISASection::SwizzlingModes);
  return success();
}

OpFoldResult SmemViewOp::fold(FoldAdaptor adaptor) {
  if (foldIndexOperand(
          *this, adaptor.getDynamicOffset(), getDynamicOffsetMutable(),
          [&](int64_t value) {
            auto [footprint, alignment] = getExtent(getType());
            return liesWithin(getSource().getType(), footprint, value) &&
                   value % alignment == 0;
          },
          [&](int64_t value) { setStaticOffset(ArrayRef<int64_t>{value}); }))
    return getResult();
  if (getSource().getType() == getType() && getDynamicOffset().empty() &&
      getStaticOffset()[0] == 0)
    return getSource();
  // A view of a view.
  auto outer = getSource().getDefiningOp<SmemViewOp>();
  int64_t offset;
  if (outer && outer.getDynamicOffset().empty() && getDynamicOffset().empty() &&
      !llvm::AddOverflow(outer.getStaticOffset()[0], getStaticOffset()[0],
                         offset)) {
    setStaticOffset(ArrayRef<int64_t>{offset});
    getSourceMutable().assign(outer.getSource());
    return getResult();
  }
  return {};
}

//===----------------------------------------------------------------------===//
// SmemStoreOp and StMatrixOp
//===----------------------------------------------------------------------===//

LogicalResult SmemStoreOp::verify() {
  auto tile = cast<MemRefType>(getTile().getType());
  // sm90_smem_store_c2
  auto value = cast<VectorType>(getValue().getType());
  Type element = tile.getElementType();
  int64_t bytes = 0;
  if (element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0)
    bytes = value.getNumElements() * element.getIntOrFloatBitWidth() / 8;
  if (value.getElementType() != element || !llvm::isPowerOf2_64(bytes) ||
      bytes > kTmaGranularity)
    return emitOpError() << "expected a value of 1, 2, 4, 8 or "
                         << kTmaGranularity << " bytes of " << element
                         << ", got " << value;
  return verifyRowStore(*this, tile, getColumn(), value.getNumElements());
}

LogicalResult StMatrixOp::verify() {
  auto tile = cast<MemRefType>(getTile().getType());
  // sm90_stmatrix_c2
  auto value = cast<VectorType>(getValue().getType());
  Type element = tile.getElementType();
  bool hasBits = element.isIntOrFloat() &&
                 element.getIntOrFloatBitWidth() == unsigned(kMatrixBits);
  int64_t elements = value.getNumElements();
  if (value.getElementType() != element || !hasBits ||
      (elements != 2 && elements != 4 && elements != 8))
    return emitOpError() << "expected a value of 2, 4 or 8 elements of 16 bits "
                            "of a tile of them, got "
                         << value << " and " << tile << " "
                         << cite(ISASection::StMatrix);
  if (auto layout = dyn_cast<SmemTileLayoutInterface>(tile.getLayout());
      layout && layout.getContiguousDim() != 1)
    return emitOpError() << "expected a tile whose rows run along dimension 1, "
                            "got "
                         << tile;
  return verifyRowStore(*this, tile, getColumn(), kMatrixRows);
}
