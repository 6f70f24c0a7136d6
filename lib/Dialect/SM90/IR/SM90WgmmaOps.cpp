//===- SM90WgmmaOps.cpp - warpgroup matrix multiplication -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers of the operations of SM90WgmmaOps.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/ISA.h"
#include "tc/Support/WarpTiles.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

//===----------------------------------------------------------------------===//
// WgmmaFenceOp, WgmmaWaitGroupOp
//===----------------------------------------------------------------------===//

LogicalResult WgmmaFenceOp::inferReturnTypes(MLIRContext *context,
                                             std::optional<Location> location,
                                             WgmmaFenceOp::Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}

LogicalResult WgmmaWaitGroupOp::inferReturnTypes(
    MLIRContext *context, std::optional<Location> location,
    WgmmaWaitGroupOp::Adaptor adaptor, SmallVectorImpl<Type> &types) {
  llvm::append_range(types, adaptor.getValues().getTypes());
  return success();
}

LogicalResult WgmmaWaitGroupOp::verify() {
  // sm90_wgmma_wait_group_c1
  int64_t pending = static_cast<int32_t>(getPending());
  if (pending < 0 || pending > kWgmmaMaxPending)
    return emitOpError() << "expected from 0 to " << kWgmmaMaxPending
                         << " pending groups, got " << pending << " "
                         << cite(ISASection::WgmmaWaitGroup);
  return success();
}

//===----------------------------------------------------------------------===//
// WgmmaMmaAsyncOp
//===----------------------------------------------------------------------===//

int64_t WgmmaMmaAsyncOp::getK() {
  return kWgmmaKBytes * 8 / getAElementType().getIntOrFloatBitWidth();
}

/// Checks the layout and the K offset of one operand in shared memory.
static LogicalResult verifyTile(WgmmaMmaAsyncOp op, StringRef name,
                                MemRefType type, int64_t offset) {
  // sm90_wgmma_mma_async_c5, sm90_wgmma_mma_async_c6
  return verifyWarpTile(
      [&] { return op.emitOpError(); }, name, type, offset, op.getK(),
      {ISASection::WgmmaShape, ISASection::WgmmaDescriptor, ISASection::Wgmma});
}

/// Checks that A and B have the rows and columns of the instruction.
static LogicalResult verifyExtents(WgmmaMmaAsyncOp op) {
  // sm90_wgmma_mma_async_c3
  if (auto fragment = dyn_cast<VectorType>(op.getA().getType())) {
    int64_t elements = kWgmmaM * op.getK() / kWarpgroupThreads;
    if (fragment.getNumElements() != elements)
      return op.emitOpError()
             << "expected " << elements << " elements of a in each thread, got "
             << fragment.getNumElements() << " "
             << cite(ISASection::WgmmaFragments);
    if (op.getAM() != 0 || op.getAK() != 0)
      return op.emitOpError() << "expected no a_m and a_k with a in registers, "
                                 "got "
                              << op.getAM() << " and " << op.getAK() << " "
                              << cite(ISASection::Wgmma);
  } else {
    int64_t rows = cast<MemRefType>(op.getA().getType()).getDimSize(0);
    int64_t first = op.getAM();
    if (first % kWgmmaM != 0 || first + kWgmmaM > rows)
      return op.emitOpError()
             << "expected a_m to be a multiple of " << kWgmmaM << " with "
             << kWgmmaM << " rows of a from it, got " << first << " of " << rows
             << " rows " << cite(ISASection::WgmmaShape);
  }
  // sm90_wgmma_mma_async_c4
  MemRefType b = op.getB().getType();
  auto layout = cast<SmemTileLayoutInterface>(b.getLayout());
  int64_t step = kWgmmaN.step;
  if (layout.getTileMajor() == Major::MN)
    step = std::max<int64_t>(
        step, getSwizzleFacts(layout.getTileSwizzle()).spanBytes * 8 /
                  layout.getElementBits());
  int64_t first = op.getBN(), n = op.getN();
  if (first % step != 0 || first + n > b.getDimSize(0))
    return op.emitOpError()
           << "expected b_n to be a multiple of " << step << " with N = " << n
           << " columns of b from it, got " << first << " of "
           << b.getDimSize(0) << " columns " << cite(ISASection::WgmmaShape);
  return success();
}

/// Checks the rows of D, and which of them are those of the instruction.
static LogicalResult verifyRowsOfD(WgmmaMmaAsyncOp op) {
  // sm90_wgmma_mma_async_c9
  int64_t rows = op.getDRows(), first = op.getDM();
  if (!isWgmmaRows(rows))
    return op.emitOpError()
           << "expected d_rows to be a multiple of " << kWgmmaM << " from "
           << kWgmmaM << " to " << kWgmmaMaxRows << ", got " << rows << " "
           << cite(ISASection::WgmmaShape);
  if (op.getD().getType().getNumElements() * kWgmmaM % rows != 0)
    return op.emitOpError() << "expected a multiple of " << rows / kWgmmaM
                            << " elements of d for " << rows << " rows, got "
                            << op.getD().getType().getNumElements() << " "
                            << cite(ISASection::WgmmaFragments);
  if (first % kWgmmaM == 0 && first < rows)
    return success();
  return op.emitOpError() << "expected d_m to be a multiple of " << kWgmmaM
                          << " below the " << rows << " rows of d, got "
                          << first << " " << cite(ISASection::WgmmaShape);
}

LogicalResult WgmmaMmaAsyncOp::verify() {
  if (failed(verifyRowsOfD(*this)))
    return failure();
  // sm90_wgmma_mma_async_c1
  if (failed(verifyWarpTypes([&] { return emitOpError(); }, getAElementType(),
                             getB().getType().getElementType(),
                             getD().getType().getElementType(),
                             ISASection::WgmmaTypes)))
    return failure();
  // sm90_wgmma_mma_async_c2
  int64_t n = getN();
  bool isInteger = getD().getType().getElementType().isInteger();
  const ExtentRange &range = isInteger ? kWgmmaIntegerN : kWgmmaN;
  if (!range.contains(n) &&
      !(isInteger && llvm::is_contained(kWgmmaNarrowIntegerN, n)))
    return emitOpError() << "expected N, twice the elements of d for 64 rows, "
                            "to be "
                         << (isInteger ? "8, 24 or " : "") << "a multiple of "
                         << range.step << " from " << range.first << " to "
                         << range.last << ", got " << n << ", the nearest is "
                         << range.nearest(n) << " "
                         << cite(ISASection::WgmmaShape);
  // sm90_wgmma_mma_async_c8
  if (isInteger && (getNegateA() || getNegateB()))
    return emitOpError() << "expected integers not to be negated, got "
                         << (getNegateA() ? "negate_a" : "negate_b") << " "
                         << cite(ISASection::Wgmma);
  if (failed(verifyExtents(*this)))
    return failure();
  if (auto a = dyn_cast<MemRefType>(getA().getType()))
    if (failed(verifyTile(*this, "a", a, getAK())))
      return failure();
  if (failed(verifyTile(*this, "b", getB().getType(), getBK())))
    return failure();

  // sm90_wgmma_mma_async_c7. A second use would need a copy of registers that
  // are not written yet.
  if (getResult().use_empty())
    return success();
  OpOperand &use = *getResult().use_begin();
  Operation *user = use.getOwner();
  auto next = dyn_cast<WgmmaMmaAsyncOp>(user);
  bool inPlace = isa<WgmmaWaitGroupOp>(user) ||
                 (next && &next.getDMutable() == &use) ||
                 user->hasTrait<OpTrait::IsTerminator>();
  if (inPlace && getResult().hasOneUse())
    return success();
  InFlightDiagnostic diagnostic =
      emitOpError() << "expected the result to be used once, as d of "
                       "'sm90.wgmma.mma_async', by 'sm90.wgmma.wait_group' or "
                       "by a terminator, got ";
  if (getResult().hasOneUse())
    diagnostic << "one by '" << user->getName() << "'";
  else
    diagnostic << llvm::range_size(getResult().getUses()) << " uses";
  diagnostic << " " << cite(ISASection::WgmmaWaitGroup);
  diagnostic.attachNote(user->getLoc()) << "used here";
  return diagnostic;
}
