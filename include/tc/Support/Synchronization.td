//===- Synchronization.td - who waits for what -------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What an analysis of one dialect may know of the synchronisation that another
// dialect's operations make.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_SYNCHRONIZATION_TD
#define TC_SUPPORT_SYNCHRONIZATION_TD

include "mlir/IR/OpBase.td"

def TC_SynchronizationOpInterface : OpInterface<"SynchronizationOpInterface"> {
  let cppNamespace = "::tc";
  let description = [{
    An operation that waits for an mbarrier, or takes part in the barrier of the
    cluster. What one implements says only what is certain.
  }];
  let methods = [
    InterfaceMethod<"The mbarrier that the operation waits for; null where it "
                    "waits for none.", "::mlir::Value", "getAwaited", (ins), "",
                    "return ::mlir::Value();">,
    InterfaceMethod<"Whether the executing thread arrives at the barrier of the "
                    "cluster, and what it did before is visible after it.",
                    "bool", "arrivesAtCluster", (ins), "", "return false;">,
    InterfaceMethod<"Whether the executing thread waits until all threads of "
                    "the cluster have arrived.", "bool", "waitsForCluster",
                    (ins), "", "return false;">
  ];
}

#endif // TC_SUPPORT_SYNCHRONIZATION_TD
