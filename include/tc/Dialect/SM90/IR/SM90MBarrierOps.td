//===- SM90MBarrierOps.td - mbarriers ----------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Synchronisation objects in shared memory.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90MBARRIEROPS_TD
#define TC_DIALECT_SM90_IR_SM90MBARRIEROPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/SM90/IR/SM90SmemOps.td"
include "tc/Dialect/SM90/IR/SM90Types.td"

//===----------------------------------------------------------------------===//
// MBarrierViewOp
//===----------------------------------------------------------------------===//

def SM90_MBarrierViewOp : SM90_Op<"mbarrier.view", [Pure]> {
  let summary = "bytes of shared memory as mbarriers";
  let description = [{
    The mbarriers that are `offset` bytes after the start of `source`.

    * C1: they are within the source.
    * C2: the offset is a multiple of 8.

    Example:

    ```mlir
    %full = sm90.mbarrier.view %smem[32768] : memref<33792xi8, #gpu.address_space<workgroup>>
        to !sm90.mbarrier_array<4>
    ```
  }];
  let arguments = (ins SM90_SmemBytes:$source,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$offset);
  let results = (outs SM90_MBarrierArrayType:$result);
  let assemblyFormat = [{
    $source `[` $offset `]` attr-dict `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// MBarrierGetOp
//===----------------------------------------------------------------------===//

def SM90_MBarrierGetOp
    : SM90_Op<"mbarrier.get", [Pure, InferTypeOpAdaptor]> {
  let summary = "one mbarrier of an array";
  let description = [{
    The result is a barrier of the CTA whose barriers the array names.

    * C1: a static index is within the array.

    Example:

    ```mlir
    %b = sm90.mbarrier.get %full[%slot] : !sm90.mbarrier_array<4>
    %r = sm90.mbarrier.get %leader_full[%slot] : !sm90.cluster_mbarrier_array<4>
    ```
  }];
  let arguments = (ins SM90_AnyMBarrierArray:$array,
                       Variadic<Index>:$dynamic_index,
                       DenseI64ArrayAttr:$static_index);
  let results = (outs SM90_AnyMBarrier:$result);
  let assemblyFormat = [{
    $array `` custom<DynamicIndexList>($dynamic_index, $static_index)
    attr-dict `:` qualified(type($array))
  }];
  let builders = [
    OpBuilder<(ins "::mlir::Value":$array, "::mlir::OpFoldResult":$index)>
  ];
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDeclaration = [{
    /// The index, an attribute where it is static.
    ::mlir::OpFoldResult getIndex();
  }];
}

//===----------------------------------------------------------------------===//
// MBarrierMapOp
//===----------------------------------------------------------------------===//

def SM90_MBarrierMapOp
    : SM90_Op<"mbarrier.map", [Pure, InferTypeOpAdaptor]> {
  let summary = "the same mbarriers of another CTA of the cluster";
  let description = [{
    The mbarriers at the same offset in the shared memory of CTA `rank`
    of the cluster (`mapa.shared::cluster`). The rank may be that of the
    executing CTA.

    * C1: a static rank is from 0 to 15, the ranks of the largest cluster.

    Example:

    ```mlir
    %leader_full = sm90.mbarrier.map %full, %rank : !sm90.mbarrier_array<4>
    // %leader_full : !sm90.cluster_mbarrier_array<4>
    ```
  }];
  let arguments = (ins SM90_MBarrierArrayType:$array, I32:$rank);
  let results = (outs SM90_ClusterMBarrierArrayType:$result);
  let assemblyFormat = "$array `,` $rank attr-dict `:` qualified(type($array))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// MBarrierInitOp
//===----------------------------------------------------------------------===//

def SM90_MBarrierInitOp : SM90_Op<"mbarrier.init"> {
  let summary = "initialise an mbarrier, or all of an array";
  let description = [{
    Phase 0, `count` arrivals expected in each phase, no bytes pending, for each
    of the barriers. One thread executes it; others use the barriers after
    `sm90.fence_mbarrier_init` and a barrier.

    With `reports` copies may report on it (`report` of `sm90.tma_load`, layout v1,
    PTX 9.3).

    * C1: the count is from 1 to 2^20 - 1, with `reports` to 511.

    Example:

    ```mlir
    sm90.mbarrier.init %b, 1 {reports} : !sm90.mbarrier
    sm90.mbarrier.init %b, 1 : !sm90.mbarrier
    sm90.mbarrier.init %full, 1 : !sm90.mbarrier_array<4>
    ```
  }];
  let arguments = (ins
      Arg<AnyTypeOf<[SM90_MBarrierType, SM90_MBarrierArrayType]>,
          "the barrier or barriers", [MemWrite]>:$mbarrier,
      I32Attr:$count, UnitAttr:$reports);
  let assemblyFormat = "$mbarrier `,` $count attr-dict `:` qualified(type($mbarrier))";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// MBarrierArriveOp
//===----------------------------------------------------------------------===//

def SM90_MBarrierArriveOp : SM90_Op<"mbarrier.arrive"> {
  let summary = "arrive on an mbarrier";
  let description = [{
    Counts `count` arrivals of the current phase: on a barrier of this CTA with
    release at the scope of the CTA, on one of the cluster with release at the
    scope of the cluster. Every thread that executes it arrives. With `relaxed`
    the arrival orders nothing by itself: enough where what is passed on is
    ordered by `tcgen05.fence` or `sm90.fence_sync_restrict`, and cheap (a release at
    the scope of the cluster waits for all stores of the thread).

    With `multicast32` it arrives on the barrier at the same offset in each CTA of the
    cluster whose bit is set, at the scope of the cluster (sm_107a, sm_107f).

    * C1: the count is from 1 to 2^20 - 1.
    * C2: a `multicast32` that is a constant names a CTA.

    Example:

    ```mlir
    sm90.mbarrier.arrive %b : !sm90.mbarrier
    sm90.mbarrier.arrive %leader_empty relaxed : !sm90.cluster_mbarrier
    sm90.mbarrier.arrive %b multicast32 %mask : !sm90.mbarrier
    ```
  }];
  let arguments = (ins SM90_AnyMBarrier:$mbarrier,
                       Optional<I32>:$multicast32,
                       DefaultValuedAttr<I32Attr, "1">:$count,
                       UnitAttr:$relaxed);
  let assemblyFormat = [{
    $mbarrier (`,` $count^)? (`multicast32` $multicast32^)?
    (`relaxed` $relaxed^)? attr-dict
    `:` qualified(type($mbarrier))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// MBarrierArriveExpectTxOp
//===----------------------------------------------------------------------===//

def SM90_MBarrierArriveExpectTxOp : SM90_Op<"mbarrier.arrive_expect_tx"> {
  let summary = "expect bytes in the current phase, then arrive once";
  let description = [{
    Adds `bytes` to the bytes that asynchronous copies must deliver before the
    current phase can complete, then arrives once (release, at the scope of the
    CTA, or of the cluster for one of its barriers; with `relaxed` the arrival
    orders nothing, enough where the bytes are all that is passed on). One
    thread executes it.

    With `multicast32`: as `sm90.mbarrier.arrive`.

    * C1: the number of bytes is from 1 to 2^20 - 1.
    * C2: as for `sm90.mbarrier.arrive`.

    Example:

    ```mlir
    sm90.mbarrier.arrive_expect_tx %b, 32768 : !sm90.mbarrier
    sm90.mbarrier.arrive_expect_tx %leader_full, 32768 relaxed : !sm90.cluster_mbarrier
    ```
  }];
  let arguments = (ins SM90_AnyMBarrier:$mbarrier,
                       Optional<I32>:$multicast32, I32Attr:$bytes,
                       UnitAttr:$relaxed);
  let assemblyFormat = [{
    $mbarrier `,` $bytes (`multicast32` $multicast32^)?
    (`relaxed` $relaxed^)? attr-dict
    `:` qualified(type($mbarrier))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// MBarrierWaitParityOp
//===----------------------------------------------------------------------===//

def SM90_MBarrierWaitParityOp : SM90_Op<"mbarrier.wait_parity"> {
  let summary = "wait until the phase of a parity is complete";
  let description = [{
    Returns when the phase with parity `parity` (0 or 1) is complete: on a fresh
    barrier parity 1 returns at once, parity 0 waits for the first phase
    (acquire, scope of the CTA; with `cluster`, of the cluster: needed where
    threads of other CTAs arrive; with `relaxed` the wait orders nothing by
    itself, as `sm90.mbarrier.arrive`). With `conditional` it waits for the phase
    that advances only without a report (PTX 9.3). Every thread that executes it waits. Lowers to
    a loop over `mbarrier.try_wait.parity`, which may give up early.

    Example:

    ```mlir
    sm90.mbarrier.wait_parity %b, %parity : !sm90.mbarrier
    sm90.mbarrier.wait_parity %empty, %parity relaxed cluster : !sm90.mbarrier
    ```
  }];
  let arguments = (ins SM90_MBarrierType:$mbarrier, I32:$parity,
                       UnitAttr:$relaxed, UnitAttr:$cluster,
                       UnitAttr:$conditional);
  let assemblyFormat = [{
    $mbarrier `,` $parity (`relaxed` $relaxed^)? (`cluster` $cluster^)? attr-dict
    `:` qualified(type($mbarrier))
  }];
}

//===----------------------------------------------------------------------===//
// MBarrierReportedOp
//===----------------------------------------------------------------------===//

def SM90_MBarrierReportedOp : SM90_Op<"mbarrier.reported"> {
  let summary = "whether a copy has reported in a complete phase";
  let description = [{
    After a wait for the phase with parity `parity`: whether a copy whose bytes
    counted in it has reported (`report` of `sm90.tma_load`; PTX 9.3). Of a barrier
    that was initialised without `reports` it is false.

    Example:

    ```mlir
    sm90.mbarrier.wait_parity %b, %parity : !sm90.mbarrier
    %invalid = sm90.mbarrier.reported %b, %parity : !sm90.mbarrier
    ```
  }];
  let arguments = (ins Arg<SM90_MBarrierType, "", [MemRead]>:$mbarrier,
                       I32:$parity);
  let results = (outs I1:$result);
  let assemblyFormat = [{
    $mbarrier `,` $parity attr-dict `:` qualified(type($mbarrier))
  }];
}

#endif // TC_DIALECT_SM90_IR_SM90MBARRIEROPS_TD
