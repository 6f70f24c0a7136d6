//===- Unit.cpp - mma.sync as a matrix unit ---------------------*- C++ -*-===//
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

#include "tc/Units/MMASync.h"

#include "../AccumulatorLayouts.h"
#include "Lowering.h"

#include "tc/Conversion/TMMTiles/SmemTiles.h"

#include "tc/Dialect/SM80/IR/SM80.h"
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

/// The PTX version whose mma.sync sums products of 8-bit floats in f16 (PTX
/// ISA, "mma", PTX ISA Notes); with sums in f32 it is older than each chip's.
constexpr unsigned kHalfSumsOfFloat8Ptx = 87;

struct MMASyncUnit : MatrixUnitModel {
  schedule::MatrixUnit getUnit() const override { return getMMASyncModel(); }
  FailureOr<TileParts>
  getParts(MLIRContext *context, const TileRequest &request,
           function_ref<InFlightDiagnostic()> emitError) const override;
  LogicalResult verifyTiles(gpu::GPUFuncOp kernel) const override {
    return verifyAccumulatorLayouts<sm80::MmaSyncAttr, sm80::MmaLayoutAttr>(
        kernel);
  }
  void populateTilePatterns(TypeConverter &converter,
                            RewritePatternSet &patterns) const override {
    populateMMASyncPatterns(converter, patterns);
  }
};

} // namespace

FailureOr<TileParts>
MMASyncUnit::getParts(MLIRContext *context, const TileRequest &request,
                      function_ref<InFlightDiagnostic()> emitError) const {
  if (request.spanCtas != 1)
    return emitError() << "expected cta_group 1, as mma.sync is an instruction "
                          "of one warp, got "
                       << request.spanCtas;
  int64_t rows = getUnit()->getWarpRows(request.tileM, request.tileN);
  auto layout = sm80::MmaLayoutAttr::get(context, rows);
  if (failed(layout.verifyTile(emitError, {request.tileM, request.tileN})))
    return failure();
  const ExtentRange range =
      getUnit()->getInstructionN(MmaKindFacts::F16, /*ctaGroup=*/1);
  if (!range.contains(request.tileN))
    return emitError() << "expected tile N to be a multiple of " << range.step
                       << " up to " << range.last << ", got " << request.tileN
                       << ", the nearest is " << range.nearest(request.tileN)
                       << " " << cite(ISASection::MmaSyncFragments);
  TileParts parts = getSmemParts(
      context, readAlongK(request, getUnit()->getFacts().transposedBits));
  // The warps read factors where they arrive.
  if (request.scale && !request.scale.isF32())
    parts.scales = getSmemSpace(context, sm90::Order::Blocked, /*swizzle=*/0);
  parts.multiply = sm80::MmaSyncAttr::get(context);
  parts.alwaysAdds = true;
  if (request.sum.isF16() && request.a.getIntOrFloatBitWidth() == 8)
    parts.ptxVersion = kHalfSumsOfFloat8Ptx;
  parts.registers = layout;
  parts.bRows = request.tileN;
  setRegisterRoles(context, parts, /*warps=*/request.tileM / rows);
  return parts;
}

namespace tc {
/// For TCUnits, which declares it.
void registerMMASyncUnit(DialectRegistry &registry) {
  registerMatrixUnit<MMASyncUnit, sm80::SM80Dialect, sm90::SM90Dialect>(
      registry);
}
} // namespace tc
