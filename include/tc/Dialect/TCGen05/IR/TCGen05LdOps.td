//===- TCGen05LdOps.td - Tensor Memory loads and waits -----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads from Tensor Memory to registers, and the operations that order them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TCGEN05_IR_TCGEN05LDOPS_TD
#define TC_DIALECT_TCGEN05_IR_TCGEN05LDOPS_TD

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TCGen05/IR/TCGen05MemOps.td"

//===----------------------------------------------------------------------===//
// LdOp
//===----------------------------------------------------------------------===//

def TCGen05_LdOp : TCGen05_Op<"ld"> {
  let summary = "load columns of the warp's lanes into registers";
  let description = [{
    `tcgen05.ld.32x32b`, asynchronous: thread t of the warp gets the columns of
    lane t of the region,

    result[c] = source[lane t, column c]

    for c in [0, columns). A whole converged warp executes it. The registers
    hold the elements only after a `tcgen05.wait ld`, which takes the result and
    returns it: nothing else may read it.

    * C1: `source` is one warp's window (`tcgen05.warp_window`), not packed.
      Where it has 16 lanes (layouts C and F), threads 16 to 31 get unspecified
      values.
    * C2: the number of columns is a power of two up to 128, and the result has
      that many elements.
    * C3: the result's elements are those of the region where these have 32
      bits; else i32, the whole cell.
    * C4: the result is used once at most, by a `tcgen05.wait ld` in the same
      block.

    Example:

    ```mlir
    %pending = tcgen05.ld %mine : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
    %v = tcgen05.wait ld(%pending : vector<64xf32>)
    ```
  }];
  let arguments = (ins Arg<TCGen05_TmemType, "the warp's region",
                           [MemRead<TCGen05_TensorMemory>]>:$source);
  let results = (outs VectorOfRank<[1]>:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `to` qualified(type($result))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// StOp
//===----------------------------------------------------------------------===//

def TCGen05_StOp : TCGen05_Op<"st"> {
  let summary = "store registers to columns of the warp's lanes";
  let description = [{
    `tcgen05.st.32x32b`, asynchronous: thread t of the warp writes the columns of
    lane t of the region,

    destination[lane t, column c] = value[c]

    for c in [0, columns). A whole converged warp executes it. Others see the
    elements, `tcgen05.mma` and `tcgen05.ld` of the same warp included, only after a
    `tcgen05.wait st` of the threads that stored, and across threads what orders
    them (`tcgen05.fence`).

    * C1: `destination` is one warp's window (`tcgen05.warp_window`), not packed,
      of all 32 lanes: threads 16 to 31 would write lanes that layouts C and F do
      not have.
    * C2: the number of columns is a power of two up to 128, and `value` has that
      many elements.
    * C3: the elements of `value` are those of the region where these have 32
      bits; else i32, the whole cell.

    Example:

    ```mlir
    tcgen05.st %v, %mine : vector<64xf32> to !tcgen05.tmem<32x64xf32, D>
    tcgen05.wait st
    ```
  }];
  let arguments = (ins VectorOfRank<[1]>:$value,
                       Arg<TCGen05_TmemType, "the warp's region",
                           [MemWrite<TCGen05_TensorMemory>]>:$destination);
  let assemblyFormat = [{
    $value `,` $destination attr-dict `:` qualified(type($value)) `to`
    qualified(type($destination))
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// WaitOp
//===----------------------------------------------------------------------===//

def TCGen05_WaitOp : TCGen05_Op<"wait", [InferTypeOpAdaptor]> {
  let summary = "wait for the loads or stores of the executing threads";
  let description = [{
    Returns when all earlier `tcgen05.ld` (or `tcgen05.st`) of the executing
    threads are complete. A whole converged warp executes it.

    `wait ld` takes what earlier loads return and returns the same registers,
    now readable:

    results[i] = values[i]

    The values pass through the instruction, so that no pass can read them before
    it, and it lowers to `tcgen05.wait::ld` alone.

    * C1: `st` has no values.
    * C2: each value is the result of a `tcgen05.ld`.

    Example:

    ```mlir
    %a = tcgen05.ld %left : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    %b = tcgen05.ld %right : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
    %read:2 = tcgen05.wait ld(%a, %b : vector<32xf32>, vector<32xf32>)
    tcgen05.wait st
    ```
  }];
  let arguments = (ins TCGen05_WaitKind:$kind,
                       Variadic<VectorOfRank<[1]>>:$values);
  let results = (outs Variadic<VectorOfRank<[1]>>:$results);
  let assemblyFormat = "$kind (`` `(` $values^ `:` type($values) `)`)? attr-dict";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// FenceOp
//===----------------------------------------------------------------------===//

def TCGen05_FenceOp : TCGen05_Op<"fence"> {
  let summary = "order tcgen05 instructions against a thread synchronisation";
  let description = [{
    `before`: earlier tcgen05 instructions of the thread are ordered before the
    synchronisation that follows (barrier, mbarrier arrival). `after`: later
    tcgen05 instructions of the thread are ordered after the synchronisation
    that precedes (barrier, mbarrier wait).

    Example:

    ```mlir
    tcgen05.fence before
    gpu.barrier
    tcgen05.fence after
    ```
  }];
  let arguments = (ins TCGen05_FenceKind:$kind);
  let assemblyFormat = "$kind attr-dict";
}

#endif // TC_DIALECT_TCGEN05_IR_TCGEN05LDOPS_TD
