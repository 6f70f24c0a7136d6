//===- TileX.td - a made-up matrix unit --------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine of the unit. Its tiles are in shared memory, its accumulator is in
// registers, in layouts that exist.
//
//===----------------------------------------------------------------------===//

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "tc/Support/Pipelining.td"

def TileX_Dialect : Dialect {
  let name = "tile_x";
  let cppNamespace = "::tc::tile_x";
  let summary = "a made-up matrix unit";
  let useDefaultAttributePrinterParser = 1;
}

def TileX_EngineAttr : AttrDef<TileX_Dialect, "Engine", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let mnemonic = "engine";
  let summary = "tile engine X: warps that multiply K-blocks from their end";
}
