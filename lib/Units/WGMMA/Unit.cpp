//===- Unit.cpp - wgmma as a matrix unit ------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the pass that cuts a problem into tiles asks: operands in shared memory,
// accumulators in the registers of the role that multiplies, which therefore
// stores them, too.
//
//===----------------------------------------------------------------------===//

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Units/WGMMA.h"

#include "../AccumulatorLayouts.h"
#include "Lowering.h"

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/UnitModel.h"
#include "tc/Support/ISA.h"
#include "tc/Support/Target.h"
#include "tc/Support/Units.h"

using namespace mlir;
using namespace tc;

namespace {

struct WGMMAUnit : MatrixUnitModel {
  schedule::MatrixUnit getUnit() const override { return getWGMMAModel(); }
  bool readsResults() const override { return true; }
  FailureOr<TileParts>
  getParts(MLIRContext *context, const TileRequest &request,
           function_ref<InFlightDiagnostic()> emitError) const override;
  LogicalResult verifyTiles(gpu::GPUFuncOp kernel) const override {
    return verifyAccumulatorLayouts<sm90::WgmmaAttr, sm90::WgmmaLayoutAttr>(
        kernel);
  }
  void populateTilePatterns(TypeConverter &converter,
                            RewritePatternSet &patterns) const override {
    populateWGMMAPatterns(converter, patterns);
  }
};

} // namespace

FailureOr<TileParts>
WGMMAUnit::getParts(MLIRContext *context, const TileRequest &request,
                    function_ref<InFlightDiagnostic()> emitError) const {
  if (request.spanCtas != 1)
    return emitError() << "expected cta_group 1, as wgmma is an instruction of "
                          "one CTA, got "
                       << request.spanCtas;
  // Of those that take turns each has the registers for a tile.
  int64_t rows = request.turns > 1 ? request.tileM : kWgmmaM;
  if (!isWgmmaRows(rows))
    return emitError() << "expected a tile M that is a multiple of " << kWgmmaM
                       << " up to " << kWgmmaMaxRows
                       << ", which a warpgroup holds in a turn, got " << rows;
  auto layout = sm90::WgmmaLayoutAttr::get(context, rows);
  if (failed(layout.verifyTile(emitError, {request.tileM, request.tileN})))
    return failure();
  ExtentRange range = request.sum.isInteger() ? kWgmmaIntegerN : kWgmmaN;
  if (!range.contains(request.tileN))
    return emitError() << "expected tile N to be a multiple of " << range.step
                       << " up to " << range.last << ", got " << request.tileN
                       << ", the nearest is " << range.nearest(request.tileN)
                       << " " << cite(ISASection::WgmmaShape);
  TileParts parts = getSmemParts(
      context, readAlongK(request, getUnit()->getFacts().transposedBits));
  parts.multiply = sm90::WgmmaAttr::get(context);
  parts.registers = layout;
  parts.readsRegisters = request.a.getIntOrFloatBitWidth() == 16;
  parts.bRows = request.tileN;
  constexpr int64_t kWarps = kWarpgroupThreads / kWarpThreads;
  int64_t warps = request.tileM / rows * kWarps;
  setRegisterRoles(context, parts, warps, request.turns);
  return parts;
}

namespace tc {
/// For TCUnits, which declares it.
void registerWGMMAUnit(DialectRegistry &registry) {
  registerMatrixUnit<WGMMAUnit, sm90::SM90Dialect>(registry);
}
} // namespace tc
