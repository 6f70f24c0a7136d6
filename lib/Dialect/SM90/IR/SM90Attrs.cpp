//===- SM90Attrs.cpp - attributes of the sm90 dialect -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the middle of the compiler asks shared memory and the copy engines.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/SM90/IR/SM90.h"

#include "tc/Dialect/SM80/IR/SM80.h"
#include "tc/Support/CoreMatrices.h"
#include "tc/Support/EmitArith.h"
#include "tc/Support/ISA.h"
#include "tc/Support/Target.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;
using namespace tc::sm90;

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/SM90/IR/SM90Attrs.cpp.inc"

void SM90Dialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tc/Dialect/SM90/IR/SM90Attrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// SmemAttr
//===----------------------------------------------------------------------===//

LogicalResult SmemAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                                   ArrayRef<int64_t> shape,
                                   Type elementType) const {
  assert(shape.size() == 2 && "buffers have rows and columns");
  if (getOrder() == Order::Blocked &&
      (shape[0] % kScaleRows != 0 || shape[1] % kScaleBlocks != 0 ||
       (elementType.getIntOrFloatBitWidth() != 8 &&
        !elementType.isInteger(32)) ||
       getSwizzle() != Swizzle::None))
    return emitError() << "expected a multiple of " << kScaleRows << "x"
                       << kScaleBlocks
                       << " elements of 8 bits, or of i32, not swizzled, in "
                          "blocks, got "
                       << shape[0] << "x" << shape[1] << " of " << elementType
                       << " " << cite(ISASection::ScaleFactorA);
  unsigned bits = elementType.getIntOrFloatBitWidth();
  // sm90_smem_c3
  if (getOrder() == Order::KUnpacked) {
    if (!isa<Float4E2M1FNType, Float6E2M3FNType, Float6E3M2FNType>(
            elementType) ||
        getSwizzle() != Swizzle::B128 || shape[1] % kTmaUnpackedBox != 0)
      return emitError() << "expected f4E2M1FN, f6E2M3FN or f6E3M2FN in a "
                            "multiple of "
                         << kTmaUnpackedBox
                         << " columns with swizzle b128 for order k_unpacked, "
                            "as TMA unpacks them, got "
                         << shape[0] << "x" << shape[1] << " of " << elementType
                         << " with " << stringifySwizzle(getSwizzle()) << " "
                         << cite(ISASection::TensorMapLimits);
    bits = 8;
  }
  if (getOrder() == Order::Plain || getOrder() == Order::Blocked)
    return success();
  Major major = getOrder() == Order::MNMajor ? Major::MN : Major::K;
  // sm90_smem_c1
  return SmemLayoutAttr::verifyDense(emitError, getContext(), major,
                                     getSwizzle(), shape, bits);
}

LogicalResult
SmemAttr::verifyParts(function_ref<InFlightDiagnostic()> emitError,
                      ArrayRef<int64_t> shape, Type elementType,
                      int64_t parts) const {
  // sm90_smem_c2
  // A slab is cut along its rows, where the pattern of the swizzle starts anew.
  SwizzleFacts facts = getSwizzleFacts(getSwizzle());
  int64_t group = facts.patternBytes / facts.spanBytes;
  bool alongK = getOrder() == Order::MNMajor;
  int64_t rows = shape[alongK ? 1 : 0];
  if (rows % (parts * group) == 0)
    return success();
  return emitError() << "expected " << (alongK ? "columns" : "rows")
                     << " to be a multiple of " << parts * group << ", "
                     << group << " for each of the " << parts
                     << " CTAs that receive the tile, got " << rows
                     << ", the nearest is "
                     << llvm::alignTo(rows, parts * group) << " "
                     << cite(ISASection::SwizzlingModes);
}

bool SmemAttr::sharesWith(MemorySpaceAttrInterface other) const {
  return isa<SmemAttr>(other);
}

void SmemAttr::emitFenceBefore(OpBuilder &builder, Location loc, Proxy own,
                               Proxy other) const {
  if (own == Proxy::Generic && other == Proxy::Async)
    FenceProxyAsyncOp::create(builder, loc, FenceSpace::SharedCTA);
}

void SmemAttr::emitFenceAfter(OpBuilder &builder, Location loc, Proxy other,
                              Proxy own, bool crosses, bool fenced) const {
  // A fence in one CTA is about the accesses of that CTA.
  if (other == Proxy::Generic && own == Proxy::Async && (crosses || !fenced))
    FenceProxyAsyncOp::create(builder, loc,
                              crosses ? FenceSpace::SharedCluster
                                      : FenceSpace::SharedCTA);
}

// ptxas makes a release at the scope of the cluster a fence of the whole GPU.
// Restricted to shared memory it costs next to nothing.
void SmemAttr::emitRelease(OpBuilder &builder, Location loc) const {
  FenceSyncRestrictOp::create(builder, loc, FenceOrder::Release);
}

void SmemAttr::emitAcquire(OpBuilder &builder, Location loc) const {
  FenceSyncRestrictOp::create(builder, loc, FenceOrder::Acquire);
}

bool SmemAttr::isOrderedByFences() const { return true; }

//===----------------------------------------------------------------------===//
// Signals and completions
//===----------------------------------------------------------------------===//

Scope MBarrierSignalAttr::getReach() const { return Scope::Cluster; }

int64_t MBarrierSignalAttr::getSmemBytes(int64_t depth) const {
  return depth * kMBarrierBytes;
}

int64_t MBarrierSignalAttr::getSmemAlignment() const { return kMBarrierBytes; }

Value MBarrierSignalAttr::emitStorage(OpBuilder &builder, Location loc,
                                      const SignalRequest &request) const {
  auto type = MBarrierArrayType::get(getContext(), request.depth);
  return MBarrierViewOp::create(builder, loc, type, request.memory,
                                uint64_t(request.offset));
}

void MBarrierSignalAttr::emitInit(OpBuilder &builder, Location loc,
                                  Value storage, int64_t arrivals) const {
  MBarrierInitOp::create(builder, loc, storage, uint32_t(arrivals),
                         /*reports=*/false);
}

void MBarrierSignalAttr::emitInitFence(OpBuilder &builder, Location loc) const {
  FenceMBarrierInitOp::create(builder, loc);
}

Value MBarrierSignalAttr::emitRemote(OpBuilder &builder, Location loc,
                                     Value storage, Value cta, int64_t) const {
  return MBarrierMapOp::create(builder, loc, storage, cta);
}

Value MBarrierSignalAttr::emitSlot(OpBuilder &builder, Location loc,
                                   Value storage, OpFoldResult index) const {
  return MBarrierGetOp::create(builder, loc, storage, index);
}

void MBarrierSignalAttr::emitArrive(OpBuilder &builder, Location loc,
                                    const SignalUse &use) const {
  MBarrierArriveOp::create(builder, loc, use.signal,
                           /*multicast32=*/Value(), /*count=*/1, use.relaxed);
}

void MBarrierSignalAttr::emitWait(OpBuilder &builder, Location loc,
                                  const SignalUse &use, Value parity) const {
  MBarrierWaitParityOp::create(builder, loc, use.signal, parity, use.relaxed,
                               use.crosses, /*conditional=*/false);
}

// One thread expects the bytes of all copies into a slot.
int64_t BytesAttr::getArrivals(Issue, int64_t) const { return 1; }
bool BytesAttr::isOfThreads() const { return false; }
bool BytesAttr::countsBytes() const { return true; }

void BytesAttr::emitArrive(OpBuilder &builder, Location loc,
                           const Arrival &arrival) const {
  // The bytes order what is passed, the arrival need not.
  for (Value storage : arrival.targets)
    MBarrierArriveExpectTxOp::create(
        builder, loc, arrival.emitSlot(builder, loc, storage),
        /*multicast32=*/Value(), uint32_t(arrival.bytes),
        /*relaxed=*/arrival.crosses);
}

int64_t BulkGroupsAttr::getArrivals(Issue, int64_t) const { return 1; }
bool BulkGroupsAttr::isOfThreads() const { return false; }
bool BulkGroupsAttr::isOfIssuer() const { return true; }

void BulkGroupsAttr::emitArrive(OpBuilder &builder, Location loc,
                                const Arrival &) const {
  BulkCommitGroupOp::create(builder, loc);
}

void BulkGroupsAttr::emitIssuerWait(OpBuilder &builder, Location loc,
                                    int64_t pending, bool written) const {
  BulkWaitGroupOp::create(builder, loc, uint32_t(pending), /*read=*/!written);
}

//===----------------------------------------------------------------------===//
// Copy engines
//===----------------------------------------------------------------------===//

Proxy TmaAttr::getProxy() const { return Proxy::Async; }
Issue TmaAttr::getIssue() const { return Issue::oneThread(); }
CompletionAttrInterface TmaAttr::getCompletion() const {
  return BytesAttr::get(getContext());
}

Proxy ThreadLoadAttr::getProxy() const { return Proxy::Generic; }
Issue ThreadLoadAttr::getIssue() const { return Issue::each(); }
CompletionAttrInterface ThreadLoadAttr::getCompletion() const {
  return sm80::ArrivalsAttr::get(getContext());
}

Proxy ClcAttr::getProxy() const { return Proxy::Async; }
Issue ClcAttr::getIssue() const { return Issue::oneThread(); }
CompletionAttrInterface ClcAttr::getCompletion() const {
  return BytesAttr::get(getContext());
}

Proxy CounterAttr::getProxy() const { return Proxy::Generic; }
Issue CounterAttr::getIssue() const { return Issue::oneThread(); }
CompletionAttrInterface CounterAttr::getCompletion() const {
  return BytesAttr::get(getContext());
}

Proxy TmaStoreAttr::getProxy() const { return Proxy::Async; }
Issue TmaStoreAttr::getIssue() const { return Issue::oneThread(); }
CompletionAttrInterface TmaStoreAttr::getCompletion() const {
  return BulkGroupsAttr::get(getContext());
}

//===----------------------------------------------------------------------===//
// WgmmaAttr and WgmmaLayoutAttr
//===----------------------------------------------------------------------===//

Proxy WgmmaAttr::getProxy() const { return Proxy::Async; }
// A warp waits for its own part of the work alone: the others of its warpgroup
// may not have read their rows of A and all of B yet.
Issue WgmmaAttr::getIssue() const { return Issue::each(kWarpThreads); }
CompletionAttrInterface WgmmaAttr::getCompletion() const {
  return sm80::ArrivalsAttr::get(getContext());
}
int64_t WgmmaAttr::getMaxLag() const { return kWgmmaMaxPending; }
bool WgmmaAttr::isPendingAtReturn() const { return true; }

LogicalResult
WgmmaLayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                        int64_t rows) {
  // sm90_wgmma_layout_c2
  if (isWgmmaRows(rows))
    return success();
  return emitError() << "expected a multiple of " << kWgmmaM << " from "
                     << kWgmmaM << " to " << kWgmmaMaxRows
                     << " rows for each warpgroup, got " << rows << " "
                     << cite(ISASection::WgmmaFragments);
}

bool WgmmaLayoutAttr::fits(ArrayRef<int64_t> shape) const {
  return isMultipleOf(shape, getRows(), kCoreColumns);
}

LogicalResult
WgmmaLayoutAttr::verifyTile(function_ref<InFlightDiagnostic()> emitError,
                            ArrayRef<int64_t> shape) const {
  // sm90_wgmma_layout_c1
  return verifyMultipleOf(emitError, shape, getRows(), kCoreColumns,
                          ISASection::WgmmaFragments);
}

int64_t WgmmaLayoutAttr::getThreads(ArrayRef<int64_t> shape) const {
  return shape[0] / getRows() * kWarpgroupThreads;
}

int64_t WgmmaLayoutAttr::getRowThreads() const { return kCoreThreads; }

SmallVector<RegisterRun>
WgmmaLayoutAttr::getRuns(ArrayRef<int64_t> shape) const {
  SmallVector<RegisterRun> runs;
  int64_t first = 0;
  // A warp holds 16 rows: two core matrices for each 8 columns.
  for (int64_t part = 0; part < getRows(); part += kWgmmaM)
    for (int64_t column = 0; column < shape[1]; column += kCoreColumns)
      for (int64_t row : {int64_t(0), kCoreRows}) {
        runs.push_back({first, kCoreRun, part + row, column});
        first += kCoreRun;
      }
  return runs;
}

bool WgmmaLayoutAttr::hasMatrices() const { return true; }

Attribute WgmmaLayoutAttr::getMemoryLayout() const {
  // The warps of several instructions have rows that are 64 apart.
  if (getRows() != kWgmmaM)
    return {};
  return sm80::RowLayoutAttr::get(getContext(), 2 * kCoreRows);
}

Value WgmmaLayoutAttr::emitRow(OpBuilder &b, Location loc, Value thread,
                               ArrayRef<int64_t>) const {
  // Warps of all warpgroups one below the other.
  Value row = emitCoreRow(b, loc, thread, 2 * kCoreRows);
  if (getRows() == kWgmmaM)
    return row;
  Value warpgroup = arith::DivUIOp::create(b, loc, thread,
                                           emitI32(b, loc, kWarpgroupThreads));
  Value others = arith::MulIOp::create(b, loc, warpgroup,
                                       emitI32(b, loc, getRows() - kWgmmaM));
  return arith::AddIOp::create(b, loc, row, others);
}

Value WgmmaLayoutAttr::emitColumn(OpBuilder &b, Location loc, Value thread,
                                  ArrayRef<int64_t>) const {
  return emitCoreColumn(b, loc, thread);
}
