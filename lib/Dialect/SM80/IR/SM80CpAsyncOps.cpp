//===- SM80CpAsyncOps.cpp - asynchronous copies of threads ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of the operations of SM80CpAsyncOps.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM80/IR/SM80.h"
#include "tc/Support/ISA.h"
#include "tc/Support/SmemTiles.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm80;

/// Whether `memref` is in global memory by its memory space.
static bool isGlobalMatrix(MemRefType memref) {
  auto space = dyn_cast_or_null<gpu::AddressSpaceAttr>(memref.getMemorySpace());
  return space && space.getValue() == gpu::AddressSpace::Global;
}

/// Checks that what `op` copies of its source is contiguous and aligned.
static LogicalResult verifySource(CpAsyncOp op, MemRefType source) {
  SmallVector<int64_t> strides;
  int64_t offset;
  // sm80_cp_async_c5
  if (failed(source.getStridesAndOffset(strides, offset)))
    return op.emitOpError() << "expected a strided source, got " << source;
  if (strides.back() != 1) {
    InFlightDiagnostic diag =
        op.emitOpError() << "expected a source with a last stride of 1, whose "
                            "elements are copied together, got ";
    if (ShapedType::isDynamic(strides.back()))
      return diag << "a dynamic one";
    return diag << strides.back();
  }
  int64_t step = op.getBytes() * 8 / source.getElementTypeBitWidth();
  auto verifyStep = [&](StringRef what, int64_t elements) -> LogicalResult {
    if (ShapedType::isDynamic(elements) || elements % step == 0)
      return success();
    return op.emitOpError()
           << "expected a source with " << what << " of a multiple of " << step
           << " elements, which are " << op.getBytes() << " bytes, got "
           << elements << " " << cite(ISASection::CpAsync);
  };
  if (failed(verifyStep("an offset", offset)))
    return failure();
  for (auto [size, stride] :
       llvm::zip_equal(source.getShape().drop_back(),
                       ArrayRef<int64_t>(strides).drop_back()))
    if (size != 1 && failed(verifyStep("a stride", stride)))
      return failure();
  return success();
}

LogicalResult CpAsyncOp::verify() {
  auto tile = cast<MemRefType>(getTile().getType());
  auto source = cast<MemRefType>(getSource().getType());
  // sm80_cp_async_c4
  if (!isGlobalMatrix(source) ||
      source.getElementType() != tile.getElementType() ||
      source.getRank() != int64_t(getIndices().size()) || source.getRank() == 0)
    return emitOpError() << "expected a source of " << tile.getElementType()
                         << " in global memory, of at least one dimension, "
                            "with an index for each dimension, got "
                         << source << " with " << getIndices().size();
  // sm80_cp_async_c2
  Type element = tile.getElementType();
  int64_t bytes = getBytes();
  int64_t bits = element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 0;
  if ((bytes != 4 && bytes != 8 && bytes != 16) || bits % 8 != 0 || bits == 0 ||
      bytes * 8 % bits != 0)
    return emitOpError() << "expected 4, 8 or 16 bytes of whole elements of "
                         << element << ", got " << bytes << " "
                         << cite(ISASection::CpAsync);
  if (failed(verifySource(*this, source)))
    return failure();
  return verifyRowStore(*this, tile, getColumn(), bytes * 8 / bits);
}
