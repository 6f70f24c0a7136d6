//===- Unit.cpp - tile engine X as a matrix unit ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the tiles of a kernel live and what works on them.
//
//===----------------------------------------------------------------------===//

#include "TileX.h"

#include "tc/Conversion/TMMTiles/SmemTiles.h"
#include "tc/Dialect/SM80/IR/SM80.h"
#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/UnitModel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc;
using namespace tc::tile_x;

#include "TileXDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "TileXAttrs.cpp.inc"

void TileXDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "TileXAttrs.cpp.inc"
      >();
}

Proxy EngineAttr::getProxy() const { return Proxy::Generic; }
Issue EngineAttr::getIssue() const { return Issue::each(); }
CompletionAttrInterface EngineAttr::getCompletion() const {
  return sm80::ArrivalsAttr::get(getContext());
}

namespace {

struct TileXUnit : MatrixUnitModel {
  schedule::MatrixUnit getUnit() const override { return getModel(); }

  FailureOr<TileParts>
  getParts(MLIRContext *context, const TileRequest &request,
           function_ref<InFlightDiagnostic()> emitError) const override {
    auto layout = sm80::MmaLayoutAttr::get(context, kWarpRows);
    if (failed(layout.verifyTile(emitError, {request.tileM, request.tileN})))
      return failure();
    TileParts parts = getSmemParts(context, request);
    parts.multiply = EngineAttr::get(context);
    parts.alwaysAdds = true;
    parts.registers = layout;
    parts.bRows = request.tileN;
    setRegisterRoles(context, parts, /*warps=*/request.tileM / kWarpRows);
    return parts;
  }

  void populateTilePatterns(TypeConverter &converter,
                            RewritePatternSet &patterns) const override {
    populatePatterns(converter, patterns);
  }
};

} // namespace

namespace tc {
/// For TestLib.cpp, which declares it.
void registerTileX(DialectRegistry &registry) {
  registerMatrixUnit<TileXUnit, sm90::SM90Dialect, TileXDialect>(registry);
}
} // namespace tc
