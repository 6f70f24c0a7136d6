//===- WarpTiles.td - what wgmma and mma.sync multiply -----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers of both. Their tiles in shared memory are TC_SmemTile.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_WARPTILES_TD
#define TC_SUPPORT_WARPTILES_TD

include "mlir/IR/OpBase.td"

// The part of a matrix that one thread holds.
def TC_Fragment : FixedVectorOfRankAndType<[1], [AnyFloat, I8, UI8, I32]>;

#endif // TC_SUPPORT_WARPTILES_TD
