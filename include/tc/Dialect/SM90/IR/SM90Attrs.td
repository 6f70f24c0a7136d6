//===- SM90Attrs.td - attributes of the sm90 dialect -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory, the copy engines and wgmma as the middle of the compiler sees
// them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90ATTRS_TD
#define TC_DIALECT_SM90_IR_SM90ATTRS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "tc/Dialect/SM90/IR/SM90Dialect.td"
include "tc/Dialect/SM90/IR/SM90Enums.td"
include "tc/Support/Pipelining.td"
include "tc/Support/RegisterLayout.td"
include "tc/Support/Swizzle.td"

def SM90_SmemAttr : AttrDef<SM90_Dialect, "Smem", [
    DeclareAttrInterfaceMethods<TC_MemorySpaceAttrInterface,
        ["verifyTile", "verifyParts", "sharesWith", "emitFenceBefore", "emitFenceAfter",
         "emitRelease", "emitAcquire", "isOrderedByFences"]>]> {
  let mnemonic = "smem";
  let summary = "the shared memory of a CTA as the space of tiles";
  let description = [{
    A tile of rows x columns elements in shared memory. `order` says which
    dimension is contiguous, `swizzle` how wide the pattern is that spreads it
    over the banks (`none`, `b32`, `b64`, `b128`).

    Order `blocked` is for what comes in blocks of 128 x 4 elements, of 8 or 32 bits: scale
    factors and metadata of a sparse A.

    * C3: `k_unpacked` has elements of 4 or 6 bits in rows of a multiple of 128, and
      swizzle `b128`.

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

//===----------------------------------------------------------------------===//
// Signals and completions
//===----------------------------------------------------------------------===//

def SM90_MBarrierSignalAttr : AttrDef<SM90_Dialect, "MBarrierSignal", [
    DeclareAttrInterfaceMethods<TC_SignalAttrInterface,
        ["getSmemBytes", "getSmemAlignment", "emitInit", "emitInitFence"]>]> {
  let mnemonic = "mbarrier";
  let summary = "mbarriers as the signals of a pipeline";
  let description = [{
    One in shared memory for each slot. Threads of a cluster arrive on those of
    other CTAs, too (PTX ISA, "Parallel Synchronization and Communication
    Instructions: mbarrier").
  }];
}

def SM90_BytesAttr : AttrDef<SM90_Dialect, "Bytes", [
    DeclareAttrInterfaceMethods<TC_CompletionAttrInterface,
        ["getArrivals", "isOfThreads", "countsBytes", "emitArrive"]>]> {
  let mnemonic = "bytes";
  let summary = "bytes that copies count on an mbarrier";
  let description = [{
    One thread arrives and says how many are expected (PTX ISA,
    "mbarrier.arrive", `.expect_tx`).
  }];
}

def SM90_BulkGroupsAttr : AttrDef<SM90_Dialect, "BulkGroups", [
    DeclareAttrInterfaceMethods<TC_CompletionAttrInterface,
        ["getArrivals", "isOfThreads", "isOfIssuer", "emitArrive",
         "emitIssuerWait"]>]> {
  let mnemonic = "bulk_groups";
  let summary = "bulk groups, a transaction each";
  let description = [{
    Only the thread that committed a group can wait for it (PTX ISA,
    "cp.async.bulk.wait_group").
  }];
}

//===----------------------------------------------------------------------===//
// Engines
//===----------------------------------------------------------------------===//

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

def SM90_ThreadLoadAttr : AttrDef<SM90_Dialect, "ThreadLoad", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let mnemonic = "thread_load";
  let summary = "loads and stores of the threads of a role";
  let description = [{
    Each thread of a role loads elements of the matrix to registers and stores them
    to shared memory: rows may start anywhere. Each thread executes
    `fence.proxy.async` after its stores where the tile is read through the async
    proxy, and arrives.

    Example:

    ```mlir
    tmm.load %a[%row, %k], %tile by(#sm90.thread_load) : memref<?x21xbf16>, !tile
    ```
  }];
}

def SM90_TmaStoreAttr : AttrDef<SM90_Dialect, "TmaStore", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
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

def SM90_CounterAttr : AttrDef<SM90_Dialect, "Counter", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let mnemonic = "counter";
  let summary = "a counter of work in global memory";
  let description = [{
    Requests for the work that no CTA has yet. One thread counts each
    (`sm90.atom_inc`) and stores what follows from it in each CTA that gets the answer,
    where it completes with its 4 bytes (`sm90.st_async`). The stores belong to the
    generic proxy (PTX ISA, "st.async").

    Example:

    ```mlir
    %request = tmm.count_request %counter of %count by(#sm90.counter) : memref<i32>
    tmm.answer_request %request of %count, %answer by(#sm90.counter)
      : !tmm.buffer<1x1xi32, #sm90.smem<plain, none>>
    ```
  }];
}

def SM90_WgmmaAttr : AttrDef<SM90_Dialect, "Wgmma", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface,
        ["getMaxLag", "isPendingAtReturn"]>]> {
  let mnemonic = "wgmma";
  let summary = "the matrix unit of a warpgroup";
  let description = [{
    Instructions are issued by all threads of a warpgroup, read tiles in shared
    memory through the async proxy and write the registers of the warpgroup. They are
    pending at return: each warp waits for its own part, in order (PTX ISA,
    "wgmma.wait_group"). After that one of its threads arrives for it; the ISA does not
    say that the other warps are done by then, so one for the warpgroup is too few.

    Example:

    ```mlir
    %sum = tmm.mma %a, %b, %old accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : !a, !b, vector<128x256xf32> -> vector<128x256xf32>
    ```
  }];
}

def SM90_WgmmaLayoutAttr : AttrDef<SM90_Dialect, "WgmmaLayout", [
    DeclareAttrInterfaceMethods<TC_RegisterLayoutAttrInterface,
        ["emitColumn", "getMemoryLayout", "hasMatrices"]>]> {
  let mnemonic = "wgmma_layout";
  let summary = "register tiles as wgmma writes them";
  let description = [{
    Warpgroup g of a role holds `rows` rows from `rows` g on, a multiple of 64, as the
    accumulators of so many instructions, one after the other. Of 64 rows and N columns
    with thread t of the warpgroup, w = t / 32, l = t mod 32, register i < N / 2 is the
    element at

    row 16 * w + l / 4 + 8 * ((i / 2) mod 2), column 8 * (i / 4) + 2 * (l mod 4) + i mod 2

    (PTX ISA, "Register Fragments for wgmma.mma_async.m64nNk16", matrix D); the next N / 2
    registers are those of the next 64 rows. `rows` is left out where it is 64.

    * C1: the rows of a tile are a multiple of `rows`, the columns of 8.
    * C2: `rows` is a multiple of 64 from 64 to 256.

    Example:

    ```mlir
    tmm.store %r, %d[%row, %col] layout(#sm90.wgmma_layout)
      : vector<128x32xf32>, memref<?x256xf32>
    tmm.store %r, %d[%row, %col] layout(#sm90.wgmma_layout<128>)
      : vector<128x32xf32>, memref<?x256xf32>
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "64">:$rows);
  let builders = [AttrBuilder<(ins), [{ return Base::get($_ctxt, ::tc::kWgmmaM); }]>];
  let assemblyFormat = "(`<` $rows^ `>`)?";
  let genVerifyDecl = 1;
}

#endif // TC_DIALECT_SM90_IR_SM90ATTRS_TD
