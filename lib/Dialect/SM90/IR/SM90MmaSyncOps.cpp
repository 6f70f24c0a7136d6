//===- SM90MmaSyncOps.cpp - warp matrix multiplication ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of the operations of SM90MmaSyncOps.td.
//
//===----------------------------------------------------------------------===//

#include "WarpTiles.h"

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/ISA.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

int64_t MmaSyncOp::getK() {
  return kMmaSyncKBytes * 8 / getA().getType().getElementTypeBitWidth();
}

LogicalResult MmaSyncOp::verify() {
  auto emit = [&] { return emitOpError(); };
  // sm90_mma_sync_c1
  if (failed(verifyWarpTypes(emit, getA().getType().getElementType(),
                             getB().getType().getElementType(),
                             getD().getType().getElementType(),
                             ISASection::MmaSync)))
    return failure();
  // sm90_mma_sync_c2
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
  // sm90_mma_sync_c3
  if (int64_t rows = getA().getType().getDimSize(0); rows < getRows())
    return emitOpError() << "expected a to have at least " << getRows()
                         << " rows, those of d, got " << rows << " "
                         << cite(ISASection::MmaSyncFragments);
  // sm90_mma_sync_c4, sm90_mma_sync_c5
  const WarpTileSections sections{ISASection::MmaSyncFragments,
                                  ISASection::LdMatrix, ISASection::LdMatrix};
  if (failed(verifyWarpTile(emit, "a", getA().getType(), getAK(), getK(),
                            sections)))
    return failure();
  return verifyWarpTile(emit, "b", getB().getType(), getBK(), getK(), sections);
}
