//===- SM90CounterOps.td - work by a counter ---------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// atom.inc on a counter in global memory, and st.async, which hands the answer
// to the CTAs of a cluster. The latter needs sm_90 or later.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_IR_SM90COUNTEROPS_TD
#define TC_DIALECT_SM90_IR_SM90COUNTEROPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/SM90/IR/SM90SmemOps.td"
include "tc/Dialect/SM90/IR/SM90Types.td"

// A number in shared memory.
def SM90_SmemWord : Type<
    CPred<"::tc::sm90::isSmemWord($_self)">,
    "memref<1xi32> in workgroup memory", "::mlir::MemRefType">;

//===----------------------------------------------------------------------===//
// AtomIncOp
//===----------------------------------------------------------------------===//

def SM90_AtomIncOp : SM90_Op<"atom_inc"> {
  let summary = "count modulo a number";
  let description = [{
    `atom.global.inc.u32`, relaxed at the scope of the GPU: in one step

    `old = counter; counter = old >= last ? 0 : old + 1`

    with numbers without sign. So after `last + 1` executions the counter is what
    it was, 0.

    Example:

    ```mlir
    %old = sm90.atom_inc %counter, %last : memref<i32, #gpu.address_space<global>>
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[I32], [0]>, "the counter",
                           [MemRead, MemWrite]>:$counter,
                       I32:$last);
  let results = (outs I32:$old);
  let assemblyFormat = "$counter `,` $last attr-dict `:` type($counter)";
}

//===----------------------------------------------------------------------===//
// StAsyncOp
//===----------------------------------------------------------------------===//

def SM90_StAsyncOp : SM90_Op<"st_async"> {
  let summary = "store a number in a CTA of the cluster";
  let description = [{
    Writes `value` at the place of `target` in CTA `rank` of the cluster, or without
    `rank` in the executing CTA, and then counts its 4 bytes on the mbarrier at the
    place of `mbarrier` there. The write belongs to the generic proxy.

    With `rank` this is `st.async`, asynchronous: threads that have waited for the
    phase see the value. Without it, it is a store and `mbarrier.complete_tx`, which
    orders nothing. An arrival of the same thread, which expects the bytes, must
    follow; threads see the value after that phase.

    * C1: a static rank is from 0 to 15, the ranks of the largest cluster.

    Example:

    ```mlir
    sm90.st_async %number, %answer, %full : memref<1xi32, #gpu.address_space<workgroup>>, !sm90.mbarrier
    sm90.mbarrier.arrive_expect_tx %full, 4 : !sm90.mbarrier
    sm90.st_async %number, %answer, %full of %rank
        : memref<1xi32, #gpu.address_space<workgroup>>, !sm90.mbarrier
    ```
  }];
  let arguments = (ins I32:$value,
                       Arg<SM90_SmemWord, "where it is stored",
                           [MemWrite]>:$target,
                       SM90_MBarrierType:$mbarrier, Optional<I32>:$rank);
  let assemblyFormat = [{
    $value `,` $target `,` $mbarrier (`of` $rank^)? attr-dict
    `:` type($target) `,` qualified(type($mbarrier))
  }];
  let hasVerifier = 1;
}

#endif // TC_DIALECT_SM90_IR_SM90COUNTEROPS_TD
