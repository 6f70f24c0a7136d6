//===- SM90ClusterLaunchControlOps.td - work stealing ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// clusterlaunchcontrol: a running cluster takes the work of one that has not
// started. Needs sm_100 or later.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90CLUSTERLAUNCHCONTROLOPS_TD
#define TC_DIALECT_SM90_IR_SM90CLUSTERLAUNCHCONTROLOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/SM90/IR/SM90SmemOps.td"
include "tc/Dialect/SM90/IR/SM90Types.td"

// The 16 bytes in shared memory into which a response is written.
def SM90_LaunchResponse : Type<
    CPred<"::tc::sm90::isLaunchResponse($_self)">,
    "memref<2xi64> in workgroup memory", "::mlir::MemRefType">;

//===----------------------------------------------------------------------===//
// ClusterLaunchControlTryCancelOp
//===----------------------------------------------------------------------===//

def SM90_ClusterLaunchControlTryCancelOp
    : SM90_Op<"clusterlaunchcontrol.try_cancel"> {
  let summary = "ask for the work of a cluster that has not started";
  let description = [{
    `clusterlaunchcontrol.try_cancel`, asynchronous: tries to cancel the launch of
    one cluster of the grid that has not started, writes an opaque response of 16
    bytes to `response` (through the async proxy) and then counts the 16 bytes on
    `mbarrier`. With `multicast`, response and bytes go to the same offsets in
    every CTA of the cluster. One thread of the cluster executes it.

    Each CTA that receives the response expects 16 bytes in the phase
    (`sm90.mbarrier.arrive_expect_tx`). After a response that says that nothing
    was cancelled, no further request may follow.

    * C1: `response` is at a multiple of 16 bytes; checked where it is an
      `sm90.smem_view` with a static offset.

    Example:

    ```mlir
    sm90.mbarrier.arrive_expect_tx %full, 16 : !sm90.mbarrier
    sm90.clusterlaunchcontrol.try_cancel %response, %full multicast
        : memref<2xi64, #gpu.address_space<workgroup>>, !sm90.mbarrier
    ```
  }];
  let arguments = (ins Arg<SM90_LaunchResponse, "the response",
                           [MemWrite]>:$response,
                       SM90_MBarrierType:$mbarrier, UnitAttr:$multicast);
  let assemblyFormat = [{
    $response `,` $mbarrier (`multicast` $multicast^)? attr-dict
    `:` type($response) `,` qualified(type($mbarrier))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// ClusterLaunchControlQueryOp
//===----------------------------------------------------------------------===//

def SM90_ClusterLaunchControlQueryOp
    : SM90_Op<"clusterlaunchcontrol.query"> {
  let summary = "read what a request for work has brought";
  let description = [{
    Reads the response in shared memory and decodes it
    (`clusterlaunchcontrol.query_cancel`): `canceled` says whether a cluster was
    cancelled, whose work becomes the reader's; `x`, `y` and `z` are the number of
    its first CTA in the grid, unspecified where nothing was cancelled.

    Any thread may execute it after a wait for the phase of the mbarrier in which
    the response arrived. The read is an ordinary one: before the next request
    overwrites the response, the readers execute `sm90.fence_proxy_async` and
    arrive.

    Example:

    ```mlir
    %canceled, %x, %y, %z = sm90.clusterlaunchcontrol.query %response
        : memref<2xi64, #gpu.address_space<workgroup>>
    ```
  }];
  let arguments = (ins Arg<SM90_LaunchResponse, "the response",
                           [MemRead]>:$response);
  let results = (outs I1:$canceled, I32:$x, I32:$y, I32:$z);
  let assemblyFormat = "$response attr-dict `:` type($response)";
}

#endif // TC_DIALECT_SM90_IR_SM90CLUSTERLAUNCHCONTROLOPS_TD
