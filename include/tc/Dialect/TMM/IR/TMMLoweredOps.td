//===- TMMLoweredOps.td - what pipelines leave -------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ops between tile programs and instructions: slots in memory, code of one
// thread, and the end of work in flight. The lowering of pipelines makes them;
// engines and memory spaces are still attributes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMLOWEREDOPS_TD
#define TC_DIALECT_TMM_IR_TMMLOWEREDOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMAgents.td"
include "tc/Dialect/TMM/IR/TMMTypes.td"

def TMM_StorageOp : TMM_Op<"storage", [MemoryEffects<[MemAlloc]>]> {
  let summary = "memory for the slots of a pipeline";
  let description = [{
    As many tiles as the type says, in their memory space, for as long as the
    kernel runs. With `over` each starts where that of the same number of another
    storage does.

    * C1: with `over` both have as many slots, in memory spaces that share memory.

    Example:

    ```mlir
    %a = tmm.storage : !tmm.storage<!tile, depth = 4>
    ```
  }];
  let arguments = (ins Optional<TMM_StorageType>:$over);
  let results = (outs TMM_StorageType:$storage);
  let assemblyFormat = [{
    (`over` $over^)? attr-dict `:` type($storage) (`on` qualified(type($over))^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type), [{
    build($_builder, $_state, type, /*over=*/nullptr);
  }]>];
  let hasVerifier = 1;
}

def TMM_TileSlotOp : TMM_NamedOp<"slot", "tile", [Pure,
    DeclareOpInterfaceMethods<InferTypeOpInterface, ["inferReturnTypes"]>]> {
  let summary = "one tile of a storage";
  let description = [{
    Tile number `index` (`i32`) of `storage`.

    Example:

    ```mlir
    %tile = tmm.slot %a[%n] : !tmm.storage<!tile, depth = 4>
    ```
  }];
  let arguments = (ins TMM_StorageType:$storage, I32:$index);
  let results = (outs TMM_BufferType:$buffer);
  let assemblyFormat = "$storage `[` $index `]` attr-dict `:` type($storage)";
}

def TMM_IssueOp : TMM_Op<"issue", [NoRegionArguments, NoTerminator,
    RecursiveMemoryEffects, SingleBlock]> {
  let summary = "code of the one thread that issues";
  let description = [{
    Executes the region in one thread: of the CTA, of the role that holds the op,
    or with `over` of the first of the CTAs that act as one. It is the same thread
    each time. Only that thread has the values that the region yields, the others have
    zeros.

    * C1: the region yields values of the types of the results.

    Example:

    ```mlir
    tmm.issue {
      sm90.mbarrier.init %full, 1 : !sm90.mbarrier
    }
    tmm.issue over #tmm.ctas<2, along = [0]> {
      tcgen05.commit %done cta_group 2 : !sm90.mbarrier
    }
    %request = tmm.issue -> i32 {
      %old = sm90.atom_inc %counter, %last : memref<i32, #gpu.address_space<global>>
      tmm.yield %old : i32
    }
    ```
  }];
  let arguments = (ins OptionalAttr<TMM_AgentSetParameter>:$over);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "(`over` $over^)? (`->` type($results)^)? $body attr-dict";
  let builders = [
    OpBuilder<(ins "::tc::AgentSetAttrInterface":$over),
              [{ build($_builder, $_state, ::mlir::TypeRange(), over); }]>
  ];
  let hasVerifier = 1;
}

def TMM_AwaitOp : TMM_Op<"await", [InferTypeOpAdaptor]> {
  let summary = "wait for work in flight";
  let description = [{
    Returns when at most `pending` of the latest transactions that the executing
    threads issued to the engine are in flight. The values that the engine has
    been computing pass through the op: with `pending` 0 they can be used after
    it.

    results[i] = values[i]

    A value in flight is awaited once, and has no other use: its registers are not
    written yet.

    * C1: work of `by` is pending at return.
    * C2: `pending` is at most the transactions of `by` that can be pending.

    Example:

    ```mlir
    %sum = tmm.await %acc by(#sm90.wgmma) pending 0 : vector<128x256xf32>
    ```
  }];
  let arguments = (ins Variadic<VectorOfRank<[1, 2]>>:$values,
                       TMM_EngineParameter:$by,
                       ConfinedAttr<I64Attr, [IntNonNegative]>:$pending);
  let results = (outs Variadic<VectorOfRank<[1, 2]>>:$results);
  let assemblyFormat = [{
    ($values^)? `by` `` `(` $by `)` `pending` $pending attr-dict (`:` type($values)^)?
  }];
  let hasVerifier = 1;
}

#endif // TC_DIALECT_TMM_IR_TMMLOWEREDOPS_TD
