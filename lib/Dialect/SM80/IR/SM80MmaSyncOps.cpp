//===- SM80MmaSyncOps.cpp - warp matrix multiplication ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of the operations of SM80MmaSyncOps.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM80/IR/SM80.h"
#include "tc/Support/ISA.h"
#include "tc/Support/SmemTiles.h"
#include "tc/Support/Target.h"
#include "tc/Support/WarpTiles.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm80;

/// Bytes of a row of a block of scale factors as TMA copies it: half a block.
static constexpr int64_t kPartBytes = kScaleTileBytes / 2;

bool tc::sm80::isScaleTile(Type type) {
  auto tile = dyn_cast<MemRefType>(type);
  return tile && isSmemMemRef(tile) && tile.getRank() == 3 &&
         tile.hasStaticShape() && tile.getLayout().isIdentity() &&
         tile.getDimSize(1) % 2 == 0 && tile.getDimSize(2) == kPartBytes &&
         isa<Float8E8M0FNUType, Float8E4M3FNType>(tile.getElementType());
}

/// Factors of a row.
static int64_t getFactors(MemRefType scales) {
  return scales.getDimSize(1) / 2 * kScaleBlocks;
}

int64_t MmaSyncOp::getK() {
  return kMmaSyncKBytes * 8 / getA().getType().getElementTypeBitWidth();
}

int64_t MmaSyncOp::getScaleVector() {
  if (!getScaleA())
    return 0;
  return getA().getType().getDimSize(1) / getFactors(getScaleA().getType());
}

/// The types of A, B, D and factors, and how many elements share one.
static LogicalResult verifyScaledTypes(MmaSyncOp op) {
  MemRefType scaleA = op.getScaleA().getType();
  MemRefType scaleB = op.getScaleB().getType();
  Type a = op.getA().getType().getElementType();
  Type b = op.getB().getType().getElementType();
  Type d = op.getD().getType().getElementType();
  // sm80_mma_sync_c1
  bool isByte = isa<Float8E4M3FNType, Float8E5M2Type>(a);
  if (!isByte && !isa<Float4E2M1FNType>(a))
    return op.emitOpError()
           << "expected a of f8E4M3FN, f8E5M2 or f4E2M1FN with scale factors, "
              "got "
           << a << " " << cite(ISASection::MmaSyncBlockScaling);
  if (isByte ? !isa<Float8E4M3FNType, Float8E5M2Type>(b) : a != b)
    return op.emitOpError()
           << "expected b of " << (isByte ? "f8E4M3FN or f8E5M2" : "f4E2M1FN")
           << " with a of " << a << ", got " << b << " "
           << cite(ISASection::MmaSyncBlockScaling);
  if (!d.isF32())
    return op.emitOpError() << "expected d of f32 with scale factors, got " << d
                            << " " << cite(ISASection::MmaSync);
  // sm80_mma_sync_c6
  if (scaleA.getElementType() != scaleB.getElementType())
    return op.emitOpError() << "expected scale_b of " << scaleA.getElementType()
                            << ", as scale_a, got " << scaleB.getElementType()
                            << " " << cite(ISASection::MmaSyncBlockScaling);
  int64_t extents[] = {op.getA().getType().getDimSize(1),
                       op.getB().getType().getDimSize(1)};
  bool isE8M0 = isa<Float8E8M0FNUType>(scaleA.getElementType());
  int64_t vector = isE8M0 ? 32 : 16;
  if (isByte && !isE8M0)
    return op.emitOpError() << "expected scale_a of f8E8M0FNU with a of " << a
                            << ", got " << scaleA.getElementType() << " "
                            << cite(ISASection::MmaSyncBlockScaling);
  std::pair<StringRef, MemRefType> scales[] = {{"scale_a", scaleA},
                                               {"scale_b", scaleB}};
  for (auto [scale, extent] : llvm::zip_equal(scales, extents))
    if (getFactors(scale.second) * vector != extent)
      return op.emitOpError()
             << "expected " << scale.first << " to have "
             << llvm::divideCeil(extent, vector * kScaleBlocks) * 2
             << " parts, two for 4 factors, each of " << vector
             << " elements, got " << scale.second.getDimSize(1) << " "
             << cite(ISASection::MmaSyncBlockScaling);
  // sm80_mma_sync_c7
  int64_t rows[] = {op.getA().getType().getDimSize(0), op.getN()};
  for (auto [scale, count] : llvm::zip_equal(scales, rows))
    if (scale.second.getDimSize(0) * kScaleRows < count)
      return op.emitOpError()
             << "expected " << scale.first << " to have "
             << llvm::divideCeil(count, kScaleRows) << " blocks of "
             << kScaleRows << " rows, for " << count << " rows, got "
             << scale.second.getDimSize(0) << " "
             << cite(ISASection::MmaSyncBlockScaling);
  return success();
}

LogicalResult MmaSyncOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // sm80_mma_sync_c6
  if (bool(getScaleA()) != bool(getScaleB()))
    return emitOpError() << "expected scale factors of both a and b, got those "
                            "of one "
                         << cite(ISASection::MmaSyncBlockScaling);
  if (getScaleA() && failed(verifyScaledTypes(*this)))
    return failure();
  // sm80_mma_sync_c1
  if (!getScaleA() &&
      failed(verifyWarpTypes(emit, getA().getType().getElementType(),
                             getB().getType().getElementType(),
                             getD().getType().getElementType(),
                             ISASection::MmaSync)))
    return failure();
  // sm80_mma_sync_c2
  int64_t n = getN();
  if (!kWgmmaN.contains(n))
    return emitOpError() << "expected b to have a multiple of " << kMmaSyncN
                         << " columns from " << kWgmmaN.first << " to "
                         << kWgmmaN.last << ", got " << n << ", the nearest is "
                         << kWgmmaN.nearest(n) << " "
                         << cite(ISASection::MmaSyncFragments);
  int64_t elements = getD().getType().getNumElements();
  int64_t least = kMmaSyncM * n / kWarpThreads;
  if (elements != least && elements != 2 * least)
    return emitOpError() << "expected d to have " << least << " or "
                         << 2 * least << " elements with " << n
                         << " columns of b, got " << elements << " "
                         << cite(ISASection::MmaSyncFragments);
  // sm80_mma_sync_c3
  if (int64_t rows = getA().getType().getDimSize(0); rows < getRows())
    return emitOpError() << "expected a to have at least " << getRows()
                         << " rows, those of d, got " << rows << " "
                         << cite(ISASection::MmaSyncFragments);
  // sm80_mma_sync_c4, sm80_mma_sync_c5
  const WarpTileSections sections{ISASection::MmaSyncFragments,
                                  ISASection::LdMatrix, ISASection::LdMatrix};
  if (failed(verifyWarpTile(emit, "a", getA().getType(), getAK(), getK(),
                            sections)))
    return failure();
  return verifyWarpTile(emit, "b", getB().getType(), getBK(), getK(), sections);
}
