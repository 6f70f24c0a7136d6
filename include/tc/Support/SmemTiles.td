//===- SmemTiles.td - tiles in shared memory as operands ---*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What operations of several dialects take of shared memory. The layout of a
// tile is an attribute with SmemTileLayoutInterface, whichever dialect has it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_SMEMTILES_TD
#define TC_SUPPORT_SMEMTILES_TD

include "mlir/IR/OpBase.td"

def TC_SmemMemRef : Type<CPred<"::tc::isSmemMemRef($_self)">,
    "memref in workgroup memory", "::mlir::MemRefType">;

// A tile that matrix instructions and matrix descriptors can name.
def TC_SmemTile : Type<CPred<"::tc::isSmemTile($_self)">,
    "memref of rank 2 in workgroup memory with the layout of a tile (#sm90.smem_layout)",
    "::mlir::MemRefType">;

#endif // TC_SUPPORT_SMEMTILES_TD
