//===- TCGen05CopyOps.cpp - copies within the tensor cores ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of tcgen05.cp and tcgen05.shift.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Support/ISA.h"
#include "tc/Support/Interfaces.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tc;
using namespace tc::tcgen05;

/// Whether `region` has all lanes of Tensor Memory and no gaps in its cells.
static bool isDense(TmemType region) {
  return region.isWhole() && region.getLanes() == kTmemLanes &&
         (region.getPacked() || region.getBytes() ||
          region.getElementType().getIntOrFloatBitWidth() == 32);
}

//===----------------------------------------------------------------------===//
// CpOp
//===----------------------------------------------------------------------===//

// tcgen05_cp_c1
static LogicalResult verifySource(CpOp op, MemRefType source) {
  const TmemCopyFacts &facts = getFacts(op.getShape());
  auto error = [&]() {
    return op.emitOpError()
           << "expected source to have " << facts.rows << " rows of at least "
           << facts.rowBytes << " bytes, as shape " << facts.name
           << " copies, in workgroup memory, got " << source << " "
           << cite(ISASection::TmemCopy);
  };
  if (source.getRank() != 2 || !source.hasStaticShape() ||
      !source.getElementType().isIntOrFloat() ||
      !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(source) ||
      source.getDimSize(0) < facts.rows)
    return error();
  int64_t bits = source.getElementTypeBitWidth();
  if (source.getDimSize(1) * bits < facts.rowBytes * 8)
    return error();
  if (auto layout = dyn_cast<SmemTileLayoutInterface>(source.getLayout())) {
    if (layout.getElementBits() != bits)
      return op.emitOpError()
             << "expected the layout of source to have bits = " << bits
             << ", those of " << source.getElementType() << ", got "
             << layout.getElementBits() << " " << cite(ISASection::Canonical);
    if (layout.getTileMajor() != Major::K ||
        layout.getTileSwizzle() == Swizzle::B128Atom32)
      return op.emitOpError()
             << "expected source to be k_major with swizzle none, b32, b64 or "
                "b128, got "
             << source.getLayout() << " " << cite(ISASection::TmemCopy);
    return success();
  }
  if (!source.getLayout().isIdentity() ||
      source.getDimSize(1) * bits != kTmemCopyUnit * 8)
    return op.emitOpError()
           << "expected source with the layout of a tile (#sm90.smem_layout), "
              "or dense with rows of "
           << kTmemCopyUnit << " bytes, got " << source << " "
           << cite(ISASection::TmemCopy);
  return success();
}

LogicalResult CpOp::verify() {
  auto source = cast<MemRefType>(getSource().getType());
  auto destination = cast<TmemType>(getDestination().getType());
  const TmemCopyFacts &facts = getFacts(getShape());
  if (failed(verifySource(*this, source)))
    return failure();
  // tcgen05_cp_c2
  if (!isDense(destination) ||
      destination.getCellColumns() != facts.getCellColumns())
    return emitOpError() << "expected destination to be whole, dense, with "
                         << kTmemLanes << " lanes and "
                         << facts.getCellColumns()
                         << " columns of 32-bit cells for shape " << facts.name
                         << ", got " << destination << " "
                         << cite(ISASection::TmemCopy);
  // tcgen05_cp_c3
  if (destination.getLayout() != DataPath::Raw &&
      destination.getElementType() != source.getElementType())
    return emitOpError() << "expected destination of "
                         << source.getElementType() << ", as source, got "
                         << destination.getElementType() << " "
                         << cite(ISASection::TmemCopy);
  // tcgen05_cp_c4
  if (getFormat() && !source.getElementType().isSignlessInteger(8))
    return emitOpError() << "expected source of i8 with format "
                         << stringifyCopyFormat(*getFormat()) << ", got "
                         << source.getElementType() << " "
                         << cite(ISASection::TmemCopy);
  // tcgen05_cp_c5
  int64_t row = facts.rowBytes * 8 / source.getElementTypeBitWidth();
  int64_t k = getK();
  if (k < 0 || k % row != 0 || k > source.getDimSize(1) - row)
    return emitOpError() << "expected k to be a multiple of " << row
                         << ", the elements of a row of shape " << facts.name
                         << ", up to " << (source.getDimSize(1) / row - 1) * row
                         << ", got " << k << " " << cite(ISASection::TmemCopy);
  // tcgen05_cp_c6
  bool windows = getShape() == CopyShape::R4x256b;
  int64_t lane = getLane();
  if (lane < 0 || lane >= (windows ? kTmemWindowLanes : 1))
    return emitOpError() << "expected lane " << (windows ? "from 0 to 31" : "0")
                         << " for shape " << facts.name << ", got " << lane
                         << " " << cite(ISASection::TmemCopy);
  return success();
}

//===----------------------------------------------------------------------===//
// ShiftOp
//===----------------------------------------------------------------------===//

LogicalResult ShiftOp::verify() {
  auto region = cast<TmemType>(getRegion().getType());
  // tcgen05_shift_c1
  if (!region.isWhole() || region.getLanes() != kTmemLanes ||
      region.getCellColumns() != kTmemShiftColumns)
    return emitOpError() << "expected a whole region of " << kTmemLanes
                         << " lanes and " << kTmemShiftColumns
                         << " columns of 32-bit cells, got " << region << " "
                         << cite(ISASection::TmemShift);
  // tcgen05_shift_c2
  constexpr int64_t kWindows = kTmemLanes / kTmemWindowLanes;
  int64_t window = getWindow();
  if (window < 0 || window >= kWindows)
    return emitOpError() << "expected window from 0 to " << kWindows - 1
                         << ", got " << window << " "
                         << cite(ISASection::TmemShift);
  return success();
}
