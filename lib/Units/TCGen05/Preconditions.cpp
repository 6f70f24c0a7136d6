//===- Preconditions.cpp - what the lowering needs --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tile programs that verify, but that this chip cannot execute or this lowering
// does not know, are refused here by name: patterns never emit errors.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include "tc/Conversion/TMMTiles/TileOps.h"
#include "tc/Support/ISA.h"
#include "tc/Support/Target.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;

/// Checks that the threads that execute `op` are the warps whose windows are
/// all lanes of Tensor Memory, four for each of `tiles` accumulators: which
/// window a warp reads follows from its number mod 4.
static LogicalResult verifyThreads(Operation *op, int64_t tiles,
                                   gpu::GPUFuncOp kernel) {
  constexpr int64_t ofTile = kTmemLanes / kTmemWindowLanes;
  const int64_t windows = tiles * ofTile;
  if (auto role = tmm::WarpSpecializeOp::findRole(op->getBlock())) {
    auto [roles, number] = *role;
    int64_t first = roles.getFirstWarp(number);
    int64_t warps = roles.getWarps()[number];
    bool elected = roles.isElected(number);
    if (warps == windows && first % ofTile == 0 && !elected)
      return success();
    InFlightDiagnostic diag =
        op->emitOpError() << "expected a role of " << windows
                          << " warps that starts at a multiple of " << ofTile
                          << ", one for each window of lanes, got role "
                          << roles.getRoleName(number) << " of ";
    if (elected)
      diag << "one thread";
    else
      diag << warps << " from warp " << first;
    if (warps == windows && !elected)
      diag << ": declare it before roles of other sizes";
    diag << " " << cite(ISASection::TmemLoadAccess);
    diag.attachNote(roles.getRoleLoc(number)) << "role here";
    return diag;
  }
  int64_t threads = 1;
  for (int32_t size : kernel.getKnownBlockSize().value_or(ArrayRef<int32_t>()))
    threads *= size;
  if (threads == tiles * kTmemLanes)
    return success();
  InFlightDiagnostic diag = op->emitOpError()
                            << "expected a kernel of " << tiles * kTmemLanes
                            << " threads, one for each lane, got " << threads
                            << " " << cite(ISASection::TmemLoadAccess);
  diag.attachNote(kernel.getLoc()) << "kernel here";
  return diag;
}

/// Checks that the threads store whole cells, of which a column of an operand
/// of Tensor Memory is a part.
static LogicalResult verifyCells(tmm::WriteOp op) {
  auto type = dyn_cast<VectorType>(op.getValue().getType());
  if (!type || !isa<tcgen05::OperandAttr>(op.getBuffer().getType().getSpace()))
    return success();
  int64_t columns = type.getShape().back();
  int64_t cell = std::max<int64_t>(32 / type.getElementTypeBitWidth(), 1);
  if (columns % cell == 0)
    return success();
  return op.emitOpError() << "expected columns of a multiple of " << cell
                          << ", the elements of a cell of 32 bits, got "
                          << columns << ", the nearest is "
                          << llvm::alignTo(columns, cell) << " "
                          << cite(ISASection::TmemLoadAccess);
}

/// Checks that the slots of `op` fit those of the storage that they share.
static LogicalResult verifyStorage(tmm::StorageOp op) {
  tmm::StorageOp first = getFirstStorage(op);
  tcgen05::TmemType slot =
                        getTmemTileType(op.getStorage().getType().getBuffer()),
                    base = getTmemTileType(
                        first.getStorage().getType().getBuffer());
  if (op == first || !slot || !base ||
      slot.getCellColumns() <= base.getCellColumns())
    return success();
  InFlightDiagnostic diag =
      op.emitOpError() << "expected slots of at most " << base.getCellColumns()
                       << " columns of Tensor Memory, those of the slots that "
                          "they share, got "
                       << slot.getCellColumns();
  diag.attachNote(first.getLoc()) << "shared storage here";
  return diag;
}

/// Checks that a thread has the factor of the one row that it holds.
static LogicalResult verifyFactors(tmm::RescaleOp op) {
  auto type = cast<VectorType>(op.getFactors().getType());
  if (type.getRank() != 1 || (!type.isScalable() && type.getDimSize(0) == 1))
    return success();
  return op.emitOpError() << "expected the factor of the row that a thread "
                             "holds, got "
                          << type;
}

LogicalResult tc::verifyTilePreconditions(gpu::GPUFuncOp kernel) {
  WalkResult result = kernel.walk([&](Operation *op) {
    if (auto storage = dyn_cast<tmm::StorageOp>(op))
      return WalkResult(verifyStorage(storage));
    if (!isa<tmm::ReadOp, tmm::RescaleOp, tmm::WriteOp>(op))
      return WalkResult::advance();
    if (auto write = dyn_cast<tmm::WriteOp>(op);
        write && failed(verifyCells(write)))
      return WalkResult::interrupt();
    if (auto rescale = dyn_cast<tmm::RescaleOp>(op);
        rescale && failed(verifyFactors(rescale)))
      return WalkResult::interrupt();
    auto type = dyn_cast<tmm::BufferType>(
        TypeSwitch<Operation *, Type>(op)
            .Case([](tmm::WriteOp write) -> Type {
              return write.getBuffer().getType();
            })
            .Case<tmm::ReadOp, tmm::RescaleOp>(
                [](auto access) -> Type { return access.getAcc().getType(); })
            .Default(Type()));
    int64_t tiles = type ? getAccumulators(type) : 1;
    if (tiles > 1 && !isa<tmm::ReadOp>(op))
      return WalkResult(op->emitOpError()
                        << "expected a tile of " << kTmemLanes
                        << " rows, which a thread can write, got "
                        << type.getRows() << " "
                        << cite(ISASection::TmemLoadAccess));
    return WalkResult(verifyThreads(op, tiles, kernel));
  });
  return failure(result.wasInterrupted());
}
