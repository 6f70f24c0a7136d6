//===- TMMRoleOps.td - warp roles of the TMM dialect ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The specialised program: several threads of control, one for each engine,
// that meet in pipelines only.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMROLEOPS_TD
#define TC_DIALECT_TMM_IR_TMMROLEOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"

def TMM_WarpSpecializeOp : TMM_Op<"warp_specialize", [
    NoRegionArguments, NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "run roles side by side, each in warps of its own";
  let description = [{
    Each region is a role: the part of the program that drives one engine. Roles
    occupy consecutive warps of the CTA in the order in which they are written,
    run concurrently and communicate through pipelines alone. The op is done when
    all roles are.

    A role for `tma` or `tensor_core` is one thread of control, executed by one
    thread of its warps. A role for `threads` is executed by all threads of its
    warps.

    Example:

    ```mlir
    tmm.warp_specialize threads warps(4) {
      // consumer_wait, read, store, consumer_release
    } tma warps(1) {
      // producer_acquire, load, producer_commit
    } tensor_core warps(1) {
      // consumer_wait, mma, consumer_release, producer_commit
    }
    ```
  }];
  let arguments = (ins DenseI32ArrayAttr:$engines, DenseI64ArrayAttr:$warps);
  let regions = (region VariadicRegion<SizedRegion<1>>:$roles);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The engine that role `index` drives.
    Engine getEngine(unsigned index) {
      return static_cast<Engine>(getEngines()[index]);
    }
    /// The first warp of role `index`.
    int64_t getFirstWarp(unsigned index);
    /// Warps of all roles.
    int64_t getNumWarps() { return getFirstWarp(getRoles().size()); }
    /// The engine of the role that holds `block`, if one does.
    static ::std::optional<Engine> getRoleOf(::mlir::Block *block);
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMROLEOPS_TD
