//===- SM90SyncOps.td - barriers, fences, elections --------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What threads, CTAs and grids synchronise with besides mbarriers.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90SYNCOPS_TD
#define TC_DIALECT_SM90_IR_SM90SYNCOPS_TD

include "tc/Dialect/SM90/IR/SM90Dialect.td"
include "tc/Dialect/SM90/IR/SM90Enums.td"

//===----------------------------------------------------------------------===//
// GriddepcontrolOp
//===----------------------------------------------------------------------===//

def SM90_GriddepcontrolOp : SM90_Op<"griddepcontrol"> {
  let summary = "control the overlap with dependent grids";
  let description = [{
    `griddepcontrol`. `wait`: until all grids that this one was launched after
    have completed and their memory operations are visible. `launch_dependents`:
    grids after this one may start when each CTA has executed it or has ended.

    Example:

    ```mlir
    sm90.griddepcontrol wait
    ```
  }];
  let arguments = (ins SM90_GridDependency:$action);
  let assemblyFormat = "$action attr-dict";
}

//===----------------------------------------------------------------------===//
// SetMaxRegistersOp
//===----------------------------------------------------------------------===//

def SM90_SetMaxRegistersOp : SM90_Op<"set_max_registers"> {
  let summary = "change how many registers each thread of a warpgroup has";
  let description = [{
    `setmaxnreg.sync.aligned`: `decrease` gives registers back to the pool of the
    CTA, `increase` waits until it can have them. All warps of a warpgroup execute
    the same op; the kernel has `nvvm.maxnreg`, the registers of its launch.

    * C1: `count` is a multiple of 8 from 24 to 256.

    Example:

    ```mlir
    sm90.set_max_registers increase 168
    ```
  }];
  let arguments = (ins SM90_RegisterAction:$action, I32Attr:$count);
  let assemblyFormat = "$action $count attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// ClusterArriveOp, ClusterWaitOp
//===----------------------------------------------------------------------===//

def SM90_ClusterArriveOp : SM90_Op<"cluster_arrive"> {
  let summary = "arrive at the barrier of the cluster";
  let description = [{
    `barrier.cluster.arrive.release.aligned`: every thread of the cluster
    arrives once for each `sm90.cluster_wait`, warps converged.

    Example:

    ```mlir
    sm90.cluster_arrive
    sm90.cluster_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def SM90_ClusterWaitOp : SM90_Op<"cluster_wait"> {
  let summary = "wait until all threads of the cluster have arrived";
  let description = [{
    `barrier.cluster.wait.acquire.aligned`: returns when every thread of the
    cluster that has not exited has executed `sm90.cluster_arrive`. What they
    did before it is visible, to all CTAs of the cluster.

    Example:

    ```mlir
    sm90.cluster_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// NamedBarrierOp
//===----------------------------------------------------------------------===//

def SM90_NamedBarrierOp : SM90_Op<"named_barrier"> {
  let summary = "wait for some warps of the CTA";
  let description = [{
    `barrier.sync.aligned id, threads`: returns when `threads` threads, warps as a
    whole, have executed the op with the same number. What they did before it
    is visible after it. Barrier 0 is that of `gpu.barrier`.

    * C1: the number is from 1 to 15.
    * C2: `threads` is a positive multiple of 32, the warp, up to 1024.

    Example:

    ```mlir
    sm90.named_barrier 1 threads 128
    ```
  }];
  let arguments = (ins I32Attr:$id, I32Attr:$threads);
  let assemblyFormat = "$id `threads` $threads attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// FenceMBarrierInitOp
//===----------------------------------------------------------------------===//

def SM90_FenceMBarrierInitOp : SM90_Op<"fence_mbarrier_init"> {
  let summary = "make initialised mbarriers visible to engines and peers";
  let description = [{
    `fence.mbarrier_init.release.cluster`: orders earlier `sm90.mbarrier.init`
    of the thread before what follows, for the asynchronous proxy and the other
    CTAs of the cluster. A barrier comes after it.

    Example:

    ```mlir
    sm90.fence_mbarrier_init
    ```
  }];
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// FenceProxyAsyncOp
//===----------------------------------------------------------------------===//

def SM90_FenceProxyAsyncOp : SM90_Op<"fence_proxy_async"> {
  let summary = "order ordinary accesses against asynchronous ones";
  let description = [{
    `fence.proxy.async`: orders accesses of the thread through the generic proxy
    against accesses of TMA and tcgen05 (async proxy), in `space`.

    Example:

    ```mlir
    sm90.fence_proxy_async shared_cta
    ```
  }];
  let arguments = (ins SM90_FenceSpace:$space);
  let assemblyFormat = "$space attr-dict";
}

//===----------------------------------------------------------------------===//
// FenceSyncRestrictOp
//===----------------------------------------------------------------------===//

def SM90_FenceSyncRestrictOp : SM90_Op<"fence_sync_restrict"> {
  let summary = "release or acquire accesses of shared memory for a cluster";
  let description = [{
    `fence.release.sync_restrict::shared::cta.cluster` before a relaxed arrival on
    a barrier of another CTA, and `fence.acquire.sync_restrict::shared::cluster.cluster`
    after a relaxed wait for it: the two synchronise, at the scope of the cluster,
    as far as objects in shared memory are concerned. What is not in shared memory
    they do not order, which is why they need no fence of the GPU.

    Example:

    ```mlir
    sm90.fence_sync_restrict release
    sm90.mbarrier.arrive %peer relaxed : !sm90.cluster_mbarrier
    ```
  }];
  let arguments = (ins SM90_FenceOrder:$order);
  let assemblyFormat = "$order attr-dict";
}

//===----------------------------------------------------------------------===//
// ElectOp
//===----------------------------------------------------------------------===//

def SM90_ElectOp : SM90_Op<"elect"> {
  let summary = "elect one thread of the warp";
  let description = [{
    True in exactly one thread of the warp, the same whenever the same warp
    asks. A whole converged warp executes it.

    Example:

    ```mlir
    %leader = sm90.elect
    scf.if %leader {
      sm90.mbarrier.init %full, 1 : !sm90.mbarrier
    }
    ```
  }];
  let results = (outs I1:$leader);
  let assemblyFormat = "attr-dict";
}

#endif // TC_DIALECT_SM90_IR_SM90SYNCOPS_TD
