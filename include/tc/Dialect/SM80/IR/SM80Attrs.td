//===- SM80Attrs.td - attributes of the sm80 dialect -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cp.async and mma.sync as the middle of the compiler sees them, and register
// tiles as mma.sync and memory have them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM80_IR_SM80ATTRS_TD
#define TC_DIALECT_SM80_IR_SM80ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/SM80/IR/SM80Dialect.td"
include "tc/Support/Pipelining.td"
include "tc/Support/RegisterLayout.td"

//===----------------------------------------------------------------------===//
// Completions
//===----------------------------------------------------------------------===//

def SM80_ArrivalsAttr : AttrDef<SM80_Dialect, "Arrivals", [
    DeclareAttrInterfaceMethods<TC_CompletionAttrInterface>]> {
  let mnemonic = "arrivals";
  let summary = "arrivals of threads that have waited for their work";
}

def SM80_CopyArrivalsAttr : AttrDef<SM80_Dialect, "CopyArrivals", [
    DeclareAttrInterfaceMethods<TC_CompletionAttrInterface,
        ["getReach", "isOfThreads", "emitArrive"]>]> {
  let mnemonic = "copy_arrivals";
  let summary = "arrivals that the copies of threads make";
  let description = [{
    On a barrier of the CTA (PTX ISA, "cp.async.mbarrier.arrive").
  }];
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

def SM80_CpAsyncAttr : AttrDef<SM80_Dialect, "CpAsync", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let mnemonic = "cp_async";
  let summary = "asynchronous copies of the threads of a role";
  let description = [{
    Each thread of a role copies 4, 8 or 16 bytes at a time to shared memory, as the
    rows of the matrix are aligned, and zeros for what is outside. The copies are
    accesses of the generic proxy; their end is an arrival of each thread that the
    copies themselves make (PTX ISA, "cp.async.mbarrier.arrive"), on a barrier of the
    CTA. No thread waits for them, so what reads the tile through the async proxy
    executes the fence.

    Example:

    ```mlir
    tmm.load %a[%row, %k], %tile by(#sm80.cp_async) : memref<?x42xbf16>, !tile
    ```
  }];
}

def SM80_MmaSyncAttr : AttrDef<SM80_Dialect, "MmaSync", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let mnemonic = "mma_sync";
  let summary = "the matrix unit of a warp";
  let description = [{
    Each warp loads parts of tiles in shared memory to registers (`ldmatrix`) and
    multiplies them (`mma.sync`). Both are done when they return: what it has read may
    be overwritten once each thread has arrived.

    Example:

    ```mlir
    %sum = tmm.mma %a, %b, %old accumulate(%true) by(#sm80.mma_sync) layout(#sm80.mma_layout<32>)
      : !a, !b, vector<128x256xf32> -> vector<128x256xf32>
    ```
  }];
}

//===----------------------------------------------------------------------===//
// Register tiles
//===----------------------------------------------------------------------===//

def SM80_MmaLayoutAttr : AttrDef<SM80_Dialect, "MmaLayout", [
    DeclareAttrInterfaceMethods<TC_RegisterLayoutAttrInterface,
        ["emitColumn", "getMemoryLayout", "hasMatrices"]>]> {
  let mnemonic = "mma_layout";
  let summary = "register tiles as rows of mma.sync write them";
  let description = [{
    Warp w of a role holds `rows` rows from `rows` w on, a multiple of 16, as the
    accumulators of instructions m16n8: for lane l, with e = `rows` / 4, register i is the
    element at

    row `rows` * w + l / 4 + 8 * ((i mod e) / 2), column 8 * (i / e) + 2 * (l mod 4) + i mod 2

    (PTX ISA, "Matrix Fragments for mma.m16n8k16", matrix C). With 16 rows it is
    `#sm90.wgmma_layout`.

    * C1: `rows` is 16 or 32.
    * C2: the rows of a tile are a multiple of `rows`, the columns of 8.

    Example:

    ```mlir
    tmm.store %r, %d[%row, %col] layout(#sm80.mma_layout<32>)
      : vector<128x32xf32>, memref<?x256xf32>
    ```
  }];
  let parameters = (ins "int64_t":$rows);
  let assemblyFormat = "`<` $rows `>`";
  let genVerifyDecl = 1;
}

def SM80_RowLayoutAttr : AttrDef<SM80_Dialect, "RowLayout", [
    DeclareAttrInterfaceMethods<TC_RegisterLayoutAttrInterface,
        ["emitColumn"]>]> {
  let mnemonic = "row_layout";
  let summary = "register tiles as memory has them";
  let description = [{
    The rows of a warp are those of `#sm80.mma_layout<rows>`, and as there four threads hold
    a row, but each eight neighbouring elements of every 32: for lane l of warp w, with
    e = `rows` / 8, register i is the element at

    row `rows` * w + l / 4 + 8 * ((i / 8) mod e), column 32 * (i / (8 * e)) + 8 * (l mod 4) + i mod 8

    A warp reads 64 bytes of each of eight rows with one instruction, where the elements have
    16 bits; in the layout of an accumulator 16, so that the L1 cache looks up four times as
    many lines.

    * C1: `rows` is 16 or 32.
    * C2: the rows of a tile are a multiple of `rows`, the columns of 32.

    Example:

    ```mlir
    %c = tmm.fetch %d[%row, %col] layout(#sm80.row_layout<16>) : memref<?x256xbf16> -> vector<128x64xbf16>
    ```
  }];
  let parameters = (ins "int64_t":$rows);
  let assemblyFormat = "`<` $rows `>`";
  let genVerifyDecl = 1;
}

#endif // TC_DIALECT_SM80_IR_SM80ATTRS_TD
