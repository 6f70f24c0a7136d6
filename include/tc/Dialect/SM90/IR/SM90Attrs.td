//===- SM90Attrs.td - attributes of the sm90 dialect -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory and the copy engines as the middle of the compiler sees them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90ATTRS_TD
#define TC_DIALECT_SM90_IR_SM90ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "tc/Dialect/SM90/IR/SM90Dialect.td"
include "tc/Dialect/SM90/IR/SM90Enums.td"
include "tc/Support/Pipelining.td"
include "tc/Support/Swizzle.td"

def SM90_SmemAttr : AttrDef<SM90_Dialect, "Smem", [
    DeclareAttrInterfaceMethods<TC_MemorySpaceAttrInterface,
        ["verifyTile", "emitFenceBefore", "emitFenceAfter"]>]> {
  let mnemonic = "smem";
  let summary = "the shared memory of a CTA as the space of tiles";
  let description = [{
    A tile of rows x columns elements in shared memory. `order` says which
    dimension is contiguous, `swizzle` how wide the pattern is that spreads it
    over the banks (`none`, `b32`, `b64`, `b128`).

    Threads that wrote a tile order their writes before work of the async proxy
    with `fence.proxy.async` (PTX ISA, "Async proxy"). Where that work comes from
    another CTA of the cluster, the thread that issues it executes one too.

    Example:

    ```mlir
    !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
    ```
  }];
  let parameters = (ins EnumParameter<SM90_Order>:$order,
                        EnumParameter<TC_Swizzle>:$swizzle);
  let assemblyFormat = "`<` $order `,` $swizzle `>`";
}

def SM90_TmaAttr : AttrDef<SM90_Dialect, "Tma", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let mnemonic = "tma";
  let summary = "the bulk tensor copy engine on the way to shared memory";
  let description = [{
    Copies are issued by one thread, run in the async proxy and complete with the
    bytes that they count on an mbarrier (PTX ISA, "cp.async.bulk.tensor").

    Example:

    ```mlir
    tmm.load %a[%row, %k], %tile by(#sm90.tma) : memref<?x?xbf16>, !tile
    ```
  }];
}

def SM90_TmaStoreAttr : AttrDef<SM90_Dialect, "TmaStore", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface,
        ["emitGroupCommit", "emitGroupWait"]>]> {
  let mnemonic = "tma_store";
  let summary = "the bulk tensor copy engine on the way to global memory";
  let description = [{
    Copies are issued by one thread, run in the async proxy and complete as bulk
    groups, which only the thread that issued them can wait for (PTX ISA,
    "cp.async.bulk.wait_group").

    Example:

    ```mlir
    tmm.unload %tile, %d[%row, %col] by(#sm90.tma_store) : !tile, memref<?x?xbf16>
    ```
  }];
}

def SM90_ClcAttr : AttrDef<SM90_Dialect, "Clc", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let mnemonic = "clc";
  let summary = "cluster launch control";
  let description = [{
    Requests for the work of clusters that have not started. One thread issues
    them; the answer is written through the async proxy and completes with its 16
    bytes (PTX ISA, "clusterlaunchcontrol.try_cancel").

    Example:

    ```mlir
    tmm.request_work %answer by(#sm90.clc) : !tmm.buffer<1x2xi64, #sm90.smem<plain, none>>
    ```
  }];
}

#endif // TC_DIALECT_SM90_IR_SM90ATTRS_TD
