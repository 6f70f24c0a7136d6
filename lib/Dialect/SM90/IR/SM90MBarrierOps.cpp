//===- SM90MBarrierOps.cpp - mbarriers --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers and folds of the operations of SM90MBarrierOps.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/ISA.h"
#include "tc/Support/StaticIndex.h"
#include "tc/Support/Target.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

/// Checks that `count` is an arrival count or a transaction count.
static LogicalResult verifyCount(Operation *op, StringRef what, int64_t count) {
  if (count >= 1 && count <= kMBarrierMaxCount)
    return success();
  return op->emitOpError() << "expected " << what << " from 1 to "
                           << kMBarrierMaxCount << ", got " << count << " "
                           << cite(ISASection::MBarrierObject);
}

LogicalResult MBarrierViewOp::verify() {
  MemRefType source = getSource().getType();
  int64_t offset = getOffset();
  int64_t count = getResult().getType().getCount();
  // sm90_mbarrier_view_c1
  if (source.hasStaticShape() &&
      (count > source.getDimSize(0) / kMBarrierBytes ||
       offset > source.getDimSize(0) - count * kMBarrierBytes))
    return emitOpError() << "expected the mbarriers to lie within the source "
                            "of "
                         << source.getDimSize(0) << " bytes, got " << count
                         << " of " << kMBarrierBytes << " bytes from " << offset
                         << " on";
  // sm90_mbarrier_view_c2
  if (offset % kMBarrierBytes != 0)
    return emitOpError() << "expected the offset to be a multiple of "
                         << kMBarrierBytes << " bytes, got " << offset
                         << ", the nearest is "
                         << llvm::alignTo(offset, kMBarrierBytes) << " "
                         << cite(ISASection::MBarrierObject);
  return success();
}

OpFoldResult MBarrierViewOp::fold(FoldAdaptor adaptor) {
  // Bytes of a view are bytes of its source.
  auto view = getSource().getDefiningOp<SmemViewOp>();
  int64_t offset;
  if (!view || !view.getDynamicOffset().empty() ||
      llvm::AddOverflow<int64_t>(getOffset(), view.getStaticOffset()[0],
                                 offset))
    return {};
  setOffset(offset);
  getSourceMutable().assign(view.getSource());
  return getResult();
}

//===----------------------------------------------------------------------===//
// MBarrierGetOp
//===----------------------------------------------------------------------===//

void MBarrierGetOp::build(OpBuilder &builder, OperationState &state,
                          Value array, OpFoldResult index) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> fixed;
  dispatchIndexOpFoldResults({index}, dynamic, fixed);
  build(builder, state, array, dynamic, builder.getDenseI64ArrayAttr(fixed));
}

LogicalResult MBarrierGetOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              MBarrierGetOp::Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  types.push_back(isa<MBarrierArrayType>(adaptor.getArray().getType())
                      ? Type(MBarrierType::get(context))
                      : Type(ClusterMBarrierType::get(context)));
  return success();
}

OpFoldResult MBarrierGetOp::getIndex() {
  return getStaticOrDynamic(getStaticIndex(), getDynamicIndex(), getContext());
}

/// The barriers of an array, of this CTA or of others.
static int64_t countBarriers(Type array) {
  if (auto own = dyn_cast<MBarrierArrayType>(array))
    return own.getCount();
  return cast<ClusterMBarrierArrayType>(array).getCount();
}

LogicalResult MBarrierGetOp::verify() {
  if (failed(
          verifyOneIndex(*this, "index", getStaticIndex(), getDynamicIndex())))
    return failure();
  // sm90_mbarrier_get_c1
  int64_t count = countBarriers(getArray().getType());
  if (getDynamicIndex().empty() &&
      (getStaticIndex().front() < 0 || getStaticIndex().front() >= count))
    return emitOpError() << "expected an index from 0 to " << count - 1
                         << ", got " << getStaticIndex().front();
  return success();
}

OpFoldResult MBarrierGetOp::fold(FoldAdaptor adaptor) {
  if (foldIndexOperand(
          *this, adaptor.getDynamicIndex(), getDynamicIndexMutable(),
          [&](int64_t value) {
            return value >= 0 && value < countBarriers(getArray().getType());
          },
          [&](int64_t value) { setStaticIndex(ArrayRef<int64_t>{value}); }))
    return getResult();
  return {};
}

//===----------------------------------------------------------------------===//
// MBarrierMapOp
//===----------------------------------------------------------------------===//

LogicalResult MBarrierMapOp::inferReturnTypes(MLIRContext *context,
                                              std::optional<Location> location,
                                              MBarrierMapOp::Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  auto array = dyn_cast<MBarrierArrayType>(adaptor.getArray().getType());
  if (!array)
    return failure();
  types.push_back(ClusterMBarrierArrayType::get(context, array.getCount()));
  return success();
}

LogicalResult MBarrierMapOp::verify() {
  // sm90_mbarrier_map_c1
  constexpr int64_t kMaxClusterCtas = 16;
  std::optional<int64_t> rank = getConstantIntValue(getRank());
  if (rank && (*rank < 0 || *rank >= kMaxClusterCtas))
    return emitOpError() << "expected a rank from 0 to " << kMaxClusterCtas - 1
                         << ", got " << *rank;
  return success();
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

LogicalResult MBarrierInitOp::verify() {
  // sm90_mbarrier_init_c1
  constexpr int32_t kMaxReportingCount = 511;
  if (getReports() && static_cast<int32_t>(getCount()) > kMaxReportingCount)
    return emitOpError() << "expected count from 1 to " << kMaxReportingCount
                         << " with reports, got " << getCount() << " "
                         << cite(ISASection::MBarrierLayout);
  return verifyCount(*this, "count", static_cast<int32_t>(getCount()));
}

// sm90_mbarrier_arrive_c2, sm90_mbarrier_arrive_expect_tx_c2
static LogicalResult verifyMask(Operation *op, Value mask) {
  if (!mask || !matchPattern(mask, m_Zero()))
    return success();
  return op->emitOpError() << "expected multicast32 to name a CTA, got 0 "
                           << cite(ISASection::MBarrierMulticast);
}

LogicalResult MBarrierArriveOp::verify() {
  // sm90_mbarrier_arrive_c1
  if (failed(verifyCount(*this, "count", static_cast<int32_t>(getCount()))))
    return failure();
  return verifyMask(*this, getMulticast32());
}

LogicalResult MBarrierArriveExpectTxOp::verify() {
  // sm90_mbarrier_arrive_expect_tx_c1
  if (failed(verifyCount(*this, "bytes", static_cast<int32_t>(getBytes()))))
    return failure();
  return verifyMask(*this, getMulticast32());
}
