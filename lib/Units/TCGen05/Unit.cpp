//===- Unit.cpp - tcgen05 as a matrix unit ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the tiles of a kernel for tcgen05 live and what works on them.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Units/TCGen05.h"

#include "Lowering.h"

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TCGen05/IR/TCGen05.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Support/MmaTypes.h"
#include "tc/Support/PtxVersion.h"
#include "tc/Support/Target.h"

using namespace mlir;
using namespace tc;

namespace {

struct TCGen05Unit : MatrixUnitModel {
  schedule::MatrixUnit getUnit() const override { return getTCGen05Model(); }
  bool readsResults() const override { return true; }
  FailureOr<TileParts>
  getParts(MLIRContext *context, const TileRequest &request,
           function_ref<InFlightDiagnostic()> emitError) const override;
  LogicalResult verifyTiles(gpu::GPUFuncOp kernel) const override {
    return verifyTilePreconditions(kernel);
  }
  void populateTilePatterns(TypeConverter &converter,
                            RewritePatternSet &patterns) const override {
    populateStoragePatterns(converter, patterns);
    populateMmaPatterns(converter, patterns);
    tc::populateTilePatterns(converter, patterns);
  }
};

} // namespace

FailureOr<TileParts>
TCGen05Unit::getParts(MLIRContext *context, const TileRequest &request,
                      function_ref<InFlightDiagnostic()> emitError) const {
  std::optional<MmaKindFacts> kind =
      findMmaKind(request.a, request.b, request.scale, request.scaleBlock);
  if (!kind)
    return emitError() << "expected element types that tcgen05.mma multiplies, "
                          "got "
                       << request.a << " and " << request.b;
  TileParts parts = getSmemParts(context, request);
  // The only swizzle in which it reads 32-bit elements along M or N.
  auto atoms32 = cast<MemorySpaceAttrInterface>(Attribute(
      sm90::SmemAttr::get(context, sm90::Order::MNMajor, Swizzle::B128Atom32)));
  bool is32Bits = *kind == MmaKindFacts::TF32;
  if (is32Bits && !request.aKMajor)
    parts.a = atoms32;
  if (is32Bits && !request.bKMajor)
    parts.b = atoms32;
  // Of fewer bits than they have in shared memory: TMA unpacks them.
  auto isUnpacked = [&](Type type) {
    return getMmaSmemBits(*kind, type) != type.getIntOrFloatBitWidth();
  };
  auto unpacked =
      getSmemSpace(context, sm90::Order::KUnpacked, request.swizzle);
  std::tuple<StringRef, Type, int64_t, MemorySpaceAttrInterface *> operands[] =
      {{"A", request.a, request.tileM, &parts.a},
       {"B", request.b, request.tileN, &parts.b}};
  for (auto [name, type, rows, space] : operands) {
    if (!isUnpacked(type))
      continue;
    auto refuse = [&, name = name] {
      return emitError() << "operand " << name << ": ";
    };
    if (failed(unpacked.verifyTile(refuse, {rows, request.tileK}, type)))
      return failure();
    *space = unpacked;
  }
  const int64_t rows = request.tileM / request.spanCtas;
  const bool isTall = rows > kTmemLanes;
  parts.multiply = tcgen05::MmaAttr::get(context, request.instructionK,
                                         isTall && request.keepsB);
  parts.workSource = sm90::ClcAttr::get(context);
  auto accumulator = tcgen05::TmemAttr::get(context, request.spanCtas);
  if (failed(accumulator.verifyTile(emitError, {rows, request.tileN},
                                    request.sum)))
    return failure();
  parts.accumulator = accumulator;
  parts.operand = tcgen05::OperandAttr::get(context, request.spanCtas);
  parts.registers = tcgen05::RowsAttr::get(context);
  // Factors of a kind without are no matter of the unit.
  if (isBlockScaled(*kind)) {
    parts.scales = getSmemSpace(context, sm90::Order::Blocked, /*swizzle=*/0);
    parts.scaleColumnsA =
        tcgen05::ScalesAttr::get(context, isTall ? kTmemLanes : 0);
    parts.scaleColumnsB = tcgen05::ScalesAttr::get(context, /*rows=*/0);
    parts.copy = tcgen05::CpAttr::get(context);
    parts.ptxVersion = getMmaPtxVersion(*kind);
  }
  if (request.isSparse) {
    parts.metadata = getSmemSpace(context, sm90::Order::Blocked, /*swizzle=*/0);
    parts.metadataColumns =
        tcgen05::MetadataAttr::get(context, getMmaSmemBits(*kind, request.a));
    parts.copy = tcgen05::CpAttr::get(context);
  }
  // For the matrix unit to read B only once, each CTA of a pair has half of it.
  parts.bRows = request.tileN / request.spanCtas;
  // The epilogue comes first: the warp that reads a window of accumulator lanes
  // is chosen by its number mod 4.
  const int64_t windows = std::max(rows, kTmemLanes) / kTmemWindowLanes;
  parts.roles = {
      {"epilogue",
       windows,
       {tmm::ThreadsAttr::get(context), Attribute(parts.store)},
       /*stores=*/true},
      {"load", 1, {Attribute(parts.load), Attribute(parts.workSource)}},
      {"mma", 1, {Attribute(parts.multiply), tcgen05::CpAttr::get(context)}},
      getGatherRole(parts),
  };
  parts.threads = std::max(rows, kTmemLanes);
  return parts;
}

namespace tc {
/// For TCUnits, which declares it.
void registerTCGen05Unit(DialectRegistry &registry) {
  registerMatrixUnit<TCGen05Unit, sm90::SM90Dialect, tcgen05::TCGen05Dialect>(
      registry);
}
} // namespace tc
