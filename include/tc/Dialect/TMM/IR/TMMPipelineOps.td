//===- TMMPipelineOps.td - pipeline ops of the TMM dialect -*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pipeline is a ring of slots that carries tiles from one engine to another.
// The ops are the protocol of CUTLASS pipelines. Barriers, phases,
// expected bytes and arrival counts do not exist at this level: they are
// derived when pipelines are lowered.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMPIPELINEOPS_TD
#define TC_DIALECT_TMM_IR_TMMPIPELINEOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"
include "tc/Dialect/TMM/IR/TMMTypes.td"

// The pipeline is the result of a tmm.pipeline, and not chosen between several.
def TMM_UsesPipeline : NativeOpTrait<"UsesPipeline"> {
  let cppNamespace = "::tc::tmm";
}

def TMM_PipelineOp : TMM_Op<"pipeline", [MemoryEffects<[MemAlloc]>,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "a ring of slots between engines";
  let description = [{
    A slot is a tuple of buffers that are filled and emptied together. The type
    gives the buffers of one slot and the number of slots; changing the depth
    changes the type and nothing else. `stages` is the depth that `tmm-pipeline`
    gives it.

    With `late_release` a role that makes a transaction in each iteration of a loop, with
    work that is pending at return, releases a slot when it has issued the work of the
    next transaction, so that its engine has work while one completes. The last slot is
    released after the loop, when what passes a turn on has been done. A ring of one slot is released
    at once: the next transaction waits for it. So is one that the role itself fills.

    With `release_on_read` a slot is free when the consumers have read it, although what they
    compute from it is not done: their engine has to say of the operand when it has.

    The n-th transaction of either end uses slot `n mod depth`. The producer may
    fill a slot once every consumer has released its transaction `n - depth`; a
    consumer may read it once every producer has committed transaction `n`.

    With `over` the slots are those of another pipeline, in which each transaction of this one
    follows that of the same number: a slot goes from the producers of the first to its
    consumers, which release it to the producers of the next. The consumers of the last
    release it to the producers of the first. So each role that has ends of both makes
    as many transactions at each, in this order.

    * C1: `over` is the result of another `tmm.pipeline` with as many slots, of one buffer; so
      is this one. At most one pipeline is `over` it.
    * C2: the memory spaces of both buffers share memory.

    Example:

    ```mlir
    %ring = tmm.pipeline stages(4) : !tmm.pipeline<(!tile, !tile), depth = 1>
    %s = tmm.pipeline stages(2) : <(!tile), depth = 1>
    %a = tmm.pipeline stages(4) release_on_read : <(!tile), depth = 1>
    %p = tmm.pipeline stages(2) over %s : <(!tile), depth = 1> on !tmm.pipeline<(!tile), depth = 1>
    ```
  }];
  let arguments = (ins Optional<TMM_PipelineType>:$over,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntPositive]>,
                           "1">:$stages,
                       UnitAttr:$late_release, UnitAttr:$release_on_read);
  let results = (outs TMM_PipelineType:$pipeline);
  let assemblyFormat = [{
    (`stages` `(` $stages^ `)`)? (`late_release` $late_release^)?
    (`release_on_read` $release_on_read^)? (`over` $over^)? attr-dict
    `:` type($pipeline) (`on` qualified(type($over))^)?
  }];
  let builders = [OpBuilder<(ins "::mlir::Type":$type, CArg<"int64_t", "1">:$stages,
                                CArg<"bool", "false">:$lateRelease,
                                CArg<"bool", "false">:$releaseOnRead), [{
    build($_builder, $_state, type, /*over=*/nullptr, stages, lateRelease, releaseOnRead);
  }]>];
  let extraClassDeclaration = [{
    /// The pipeline to whose producers the consumers of this one release slots:
    /// itself, or the next of those that share them.
    PipelineOp getNextOfSlots();
  }];
  let hasVerifier = 1;
}

def TMM_PipelineStartOp : TMM_NamedOp<"pipeline_start", "start", [Pure, TMM_UsesPipeline]> {
  let summary = "the state of one end before its first transaction";
  let description = [{
    A state is the number of transactions that an end has finished. It is an SSA
    value that loops and branches carry. Each end of each pipeline has its own:
    one that counts for two, or that another op uses, is refused by the passes
    that cut kernels and lower pipelines.

    Example:

    ```mlir
    %s0 = tmm.pipeline_start %ring : !ring
    ```
  }];
  let arguments = (ins TMM_PipelineType:$pipeline);
  let results = (outs TMM_PipelineStateType:$state);
  let assemblyFormat = "$pipeline attr-dict `:` type($pipeline)";
}

// Base of the ops that hand out the buffers of a slot.
class TMM_SlotOp<string mnemonic, string name> : TMM_NamedOp<mnemonic, name,
    [TMM_UsesPipeline,
     DeclareOpInterfaceMethods<InferTypeOpInterface, ["inferReturnTypes"]>]> {
  let arguments = (ins Arg<TMM_PipelineType, "", [MemRead, MemWrite]>:$pipeline,
                       TMM_PipelineStateType:$state);
  let results = (outs Variadic<TMM_BufferType>:$buffers);
  let assemblyFormat = "$pipeline `[` $state `]` attr-dict `:` type($pipeline)";
}

// Base of the ops that finish a transaction.
class TMM_AdvanceOp<string mnemonic, string name>
    : TMM_NamedOp<mnemonic, name, [TMM_UsesPipeline]> {
  let arguments = (ins Arg<TMM_PipelineType, "", [MemRead, MemWrite]>:$pipeline,
                       TMM_PipelineStateType:$state);
  let results = (outs TMM_PipelineStateType:$next);
  let assemblyFormat = "$pipeline `[` $state `]` attr-dict `:` type($pipeline)";
}

def TMM_ProducerAcquireOp : TMM_SlotOp<"producer_acquire", "free"> {
  let summary = "wait until a slot is free and take it for writing";
  let description = [{
    Returns the buffers of slot `state mod depth` once the consumer has released
    transaction `state - depth` (at once for the first `depth` transactions).

    Example:

    ```mlir
    %a, %b = tmm.producer_acquire %ring[%s] : !ring
    ```
  }];
}

def TMM_ProducerCommitOp : TMM_AdvanceOp<"producer_commit", "produced"> {
  let summary = "hand a filled slot to the consumer";
  let description = [{
    The consumer sees the slot when every op that wrote it since the acquire has
    completed. How that is observed (bytes that a copy engine counts, a commit of
    the matrix unit, the arrival of threads) follows from the engines of those ops.
    Threads that fill a slot for an engine with another proxy also order their
    writes for it.

    Example:

    ```mlir
    %s1 = tmm.producer_commit %ring[%s] : !ring
    ```
  }];
}

def TMM_ProducerInspectOp : TMM_SlotOp<"producer_inspect", "left"> {
  let summary = "wait until a slot is free and look at what is in it";
  let description = [{
    What `tmm.producer_acquire` waits for, without a transaction: the slot has what the
    consumer of transaction `state - depth` left in it, and the producer takes it later.
    So the producer of a tile that a consumer modifies reads it when all is done.

    Example:

    ```mlir
    %a, %b = tmm.producer_inspect %ring[%s] : !ring
    ```
  }];
}

def TMM_ConsumerWaitOp : TMM_SlotOp<"consumer_wait", "full"> {
  let summary = "wait until a slot is filled and take it for reading";
  let description = [{
    Returns the buffers of slot `state mod depth` once the producer's transaction
    `state` is complete.

    Example:

    ```mlir
    %a, %b = tmm.consumer_wait %ring[%s] : !ring
    ```
  }];
}

def TMM_ConsumerReleaseOp : TMM_AdvanceOp<"consumer_release", "consumed"> {
  let summary = "give a slot back to the producer";
  let description = [{
    The producer may overwrite the slot when every op that read it since the wait
    has completed: a commit of the matrix unit, the arrival of threads, or a group
    of copies, which the thread that issued them waits for.

    Example:

    ```mlir
    %s1 = tmm.consumer_release %ring[%s] : !ring
    ```
  }];
}

def TMM_SkipOp : TMM_Op<"skip", [Pure, TMM_UsesPipeline]> {
  let summary = "count transactions that another instance of the role makes";
  let description = [{
    The state after the next transaction of an end, or the next `count` of them
    (none if it is negative), without taking part in them (`tmm.role ... turns`).

    Example:

    ```mlir
    %s1 = tmm.skip %ring[%s] : !ring
    %s2 = tmm.skip %ring[%s1] by %blocks : !ring
    ```
  }];
  let arguments = (ins TMM_PipelineType:$pipeline,
                       TMM_PipelineStateType:$state, Optional<I32>:$count);
  let results = (outs TMM_PipelineStateType:$next);
  let assemblyFormat = [{
    $pipeline `[` $state `]` (`by` $count^)? attr-dict `:` type($pipeline)
  }];
  let builders = [OpBuilder<(ins "::mlir::Value":$pipeline, "::mlir::Value":$state), [{
    build($_builder, $_state, state.getType(), pipeline, state, /*count=*/nullptr);
  }]>];
}

def TMM_HoldOp : TMM_Op<"hold", [Pure, TMM_UsesPipeline]> {
  let summary = "the slot of a transaction, to be released later";
  let description = [{
    Slot `state mod depth`. `tmm.skip` counts the transaction in the same block, and one
    `tmm.release_held` ends it: in this block, or, where the loop around it carries the
    slot, in the next iteration or after the loop. What such a loop starts with is a
    `tmm.hold` that counts nothing and that branches leave out, as `tmm-await-work` makes
    them.

    Example:

    ```mlir
    %held = tmm.hold %ring[%s] : !ring
    %s1 = tmm.skip %ring[%s] : !ring
    ```
  }];
  let arguments = (ins TMM_PipelineType:$pipeline, TMM_PipelineStateType:$state);
  let results = (outs TMM_HeldSlotType:$held);
  let assemblyFormat = "$pipeline `[` $state `]` attr-dict `:` type($pipeline)";
}

def TMM_ReleaseHeldOp : TMM_Op<"release_held"> {
  let summary = "give a held slot back to the producer";
  let description = [{
    What `tmm.consumer_release` is, for a transaction that has been counted. The
    executing role releases the transactions of a pipeline in their order.

    Example:

    ```mlir
    tmm.release_held %ring[%held] : !ring
    ```
  }];
  let arguments = (ins Arg<TMM_PipelineType, "", [MemRead, MemWrite]>:$pipeline,
                       TMM_HeldSlotType:$held);
  let assemblyFormat = "$pipeline `[` $held `]` attr-dict `:` type($pipeline)";
  let hasVerifier = 1;
}

def TMM_ProducerTailOp : TMM_Op<"producer_tail", [TMM_UsesPipeline]> {
  let summary = "wait until the consumer has released every slot";
  let description = [{
    The last op of a pipeline's producer. No CTA exits or frees memory while the
    other end can still read its slots or arrive on its barriers.

    Example:

    ```mlir
    tmm.producer_tail %ring[%s] : !ring
    ```
  }];
  let arguments = (ins Arg<TMM_PipelineType, "", [MemRead, MemWrite]>:$pipeline,
                       TMM_PipelineStateType:$state);
  let assemblyFormat = "$pipeline `[` $state `]` attr-dict `:` type($pipeline)";
}

#endif // TC_DIALECT_TMM_IR_TMMPIPELINEOPS_TD
