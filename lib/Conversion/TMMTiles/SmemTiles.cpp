//===- SmemTiles.cpp - tiles in shared memory -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Dialect/SM80/IR/SM80.h"

#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace mlir;
using namespace tc;

MemorySpaceAttrInterface tc::getSmemSpace(MLIRContext *context,
                                          sm90::Order order, int64_t bytes) {
  return cast<MemorySpaceAttrInterface>(
      Attribute(sm90::SmemAttr::get(context, order, getSwizzleOfBytes(bytes))));
}

TileParts tc::getSmemParts(MLIRContext *context, const TileRequest &request) {
  auto operand = [&](bool kMajor) {
    return getSmemSpace(context,
                        kMajor ? sm90::Order::KMajor : sm90::Order::MNMajor,
                        request.swizzle);
  };
  TileParts parts;
  parts.load = sm90::TmaAttr::get(context);
  parts.loadCopies = sm80::CpAsyncAttr::get(context);
  parts.loadElements = sm90::ThreadLoadAttr::get(context);
  parts.store = sm90::TmaStoreAttr::get(context);
  parts.workCounter = sm90::CounterAttr::get(context);
  parts.answer = getSmemSpace(context, sm90::Order::Plain, /*bytes=*/0);
  parts.a = operand(request.aKMajor);
  parts.b = operand(request.bKMajor);
  parts.staging =
      getSmemSpace(context, sm90::Order::NMajor, request.storeSwizzle);
  return parts;
}

RoleRequest tc::getGatherRole(const TileParts &parts) {
  return {"gather",
          kGatherWarps,
          {Attribute(parts.loadCopies), Attribute(parts.loadElements)}};
}

TileRequest tc::readAlongK(TileRequest request, int64_t bits) {
  request.aKMajor |= request.a.getIntOrFloatBitWidth() != bits;
  request.bKMajor |= request.b.getIntOrFloatBitWidth() != bits;
  return request;
}

void tc::setRegisterRoles(MLIRContext *context, TileParts &parts, int64_t warps,
                          int64_t turns) {
  // The warps that multiply come first: warpgroups start at warps that are
  // multiples of four.
  parts.roles = {
      {"consumer",
       warps,
       {Attribute(parts.multiply), tmm::ThreadsAttr::get(context),
        Attribute(parts.store)},
       /*stores=*/true,
       turns},
      {"load", 1, {Attribute(parts.load)}},
      getGatherRole(parts),
  };
  parts.threads = warps * kWarpThreads;
}

SmallVector<int64_t> tc::getBlockedBox(tmm::BufferType buffer) {
  // A block has 512 elements, more than a dimension of a box.
  constexpr int64_t rows = kScaleTileBytes / kTmaMaxBox;
  return {buffer.getRows() / kScaleRows,
          buffer.getColumns() / kScaleBlocks * rows, kTmaMaxBox};
}

MemRefType tc::getSmemTileType(tmm::BufferType buffer) {
  auto space = dyn_cast<sm90::SmemAttr>(buffer.getSpace());
  if (!space)
    return {};
  MLIRContext *context = buffer.getContext();
  auto workgroup =
      gpu::AddressSpaceAttr::get(context, gpu::AddressSpace::Workgroup);
  if (space.getOrder() == sm90::Order::Plain)
    return MemRefType::get({buffer.getRows() * buffer.getColumns()},
                           buffer.getElementType(), MemRefLayoutAttrInterface(),
                           workgroup);
  if (space.getOrder() == sm90::Order::Blocked)
    return MemRefType::get(getBlockedBox(buffer), buffer.getElementType(),
                           MemRefLayoutAttrInterface(), workgroup);
  bool mnMajor = space.getOrder() == sm90::Order::MNMajor;
  unsigned bits = space.getOrder() == sm90::Order::KUnpacked
                      ? 8
                      : buffer.getElementType().getIntOrFloatBitWidth();
  auto layout = sm90::SmemLayoutAttr::getDense(
      context, mnMajor ? Major::MN : Major::K, space.getSwizzle(),
      buffer.getShape(), bits);
  return MemRefType::get(buffer.getShape(), buffer.getElementType(), layout,
                         workgroup);
}

Value tc::emitTileB(OpBuilder &builder, tmm::MmaOp op, Value tile) {
  if (!op.getTransposed())
    return tile;
  auto view = tile.getDefiningOp<sm90::SmemViewOp>();
  auto layout = view ? dyn_cast<sm90::SmemLayoutAttr>(
                           cast<MemRefType>(view.getType()).getLayout())
                     : sm90::SmemLayoutAttr();
  if (!layout)
    return {};
  // Slabs of [k / span][mn][k mod span] are those of [mn / span][k][mn mod
  // span] with both dimensions exchanged.
  Major major = layout.getTileMajor() == Major::K ? Major::MN : Major::K;
  tmm::BufferType read = op.getTileB();
  auto turned = sm90::SmemLayoutAttr::getDense(
      op.getContext(), major, layout.getTileSwizzle(), read.getShape(),
      layout.getElementBits());
  auto type =
      MemRefType::get(read.getShape(), read.getElementType(), turned,
                      cast<MemRefType>(view.getType()).getMemorySpace());
  return sm90::SmemViewOp::create(builder, op.getLoc(), type, view.getSource(),
                                  view.getOffset());
}

int64_t tc::getSlotAlignment(MemRefType tile) {
  if (auto layout = dyn_cast<sm90::SmemLayoutAttr>(tile.getLayout()))
    return layout.getAlignmentBytes();
  // Where TMA copies boxes to (getBlockedBox).
  if (tile.getRank() > 1)
    return kTmaSmemAlignment;
  // What is no operand: the widest access.
  return kTmaGranularity;
}

int64_t tc::getSlotStride(MemRefType tile) {
  int64_t bytes = tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
  if (auto layout = dyn_cast<sm90::SmemLayoutAttr>(tile.getLayout()))
    bytes = layout.getFootprintBytes(tile.getShape());
  return llvm::alignTo(bytes, getSlotAlignment(tile));
}

int64_t tc::getCopyParts(tmm::LoadOp op) {
  AgentSetAttrInterface to = op.getTargets();
  return to ? to.getMembers(0).size() : 1;
}
