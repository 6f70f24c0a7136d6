//===- Passes.td - pipelines and roles ---------------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that pipeline tile programs and cut them into roles. They know no
// family of kernels and no chip.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_PIPELINE_PASSES_TD
#define TC_DIALECT_TMM_PIPELINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def MaterializePipelinesPass : Pass<"tmm-materialize-pipelines"> {
  let summary = "Carry tiles between engines in pipelines of depth 1";
  let description = [{
    Replaces every `tmm.alloc` that one engine writes and another reads by a slot
    of a pipeline. Buffers of one block with the same engines and roles at both
    ends share a pipeline, whose slot is their tuple. Acquire and commit go around the first and last
    writer, wait and release around the first and last reader, in the block of the
    buffer; the state of each end is carried through every loop around it, and the
    producer's tail ends the kernel. Nothing is peeled or reordered: a deeper
    pipeline is a matter of its type alone (`tmm-pipeline`).

    A buffer outside of a loop in which one engine writes it and another one modifies it keeps its contents:
    an iteration is a transaction. What the writer reads after the loop it inspects (`tmm.producer_inspect`).

    Readers may be in branches and loops of that block, and so may writers of an
    engine that commits or of threads. An engine whose bytes are counted (a TMA load,
    a work request) writes its buffer once and in that block: the barrier of a slot
    expects its bytes once, whether a branch is taken or not.

    Before:

    ```mlir
    scf.for %i = %c0 to %count step %c1 : i32 {
      %a = tmm.alloc : <128x64xbf16, smem>
      tmm.load %source[%row, %k], %a : ...
      tmm.mma %a, %b, %acc accumulate(%more) : ...
    }
    ```

    After:

    ```mlir
    %ring = tmm.pipeline : !tmm.pipeline<(<128x64xbf16, smem>, ...), depth = 1>
    %s:2 = scf.for ... iter_args(%p = %start, %c = %start) {
      %a0, %b0 = tmm.producer_acquire %ring[%p] : ...
      tmm.load %source[%row, %k], %a0 : ...
      %p1 = tmm.producer_commit %ring[%p] : ...
      %a1, %b1 = tmm.consumer_wait %ring[%c] : ...
      tmm.mma %a1, %b1, %acc accumulate(%more) : ...
      %c1 = tmm.consumer_release %ring[%c] : ...
      scf.yield %p1, %c1
    }
    tmm.producer_tail %ring[%s#0] : ...
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::tc::tmm::TMMDialect"];
}

def ReleaseEarlyPass : Pass<"tmm-release-early"> {
  let summary = "Release a slot in the last iteration of the loop that reads it";
  let description = [{
    Where threads read a slot in a loop and release it after the loop, as the
    epilogue reads an accumulator, moves the release to the last iteration, after
    the last op that reads the slot there. What the iteration does with the data,
    the stores of the last columns, then does not keep the producer from the
    slot. The loop has constant bounds and at least one iteration; other loops are
    left alone, as are slots that another engine reads.

    Before:

    ```mlir
    %acc = tmm.consumer_wait %accs[%c] : ...
    scf.for %column = %c0 to %c256 step %c32 : i32 {
      %r = tmm.read %acc[%column] if %written : ...
      tmm.store %r, %d[%row, %col] : ...
    }
    %c1 = tmm.consumer_release %accs[%c] : ...
    ```

    After:

    ```mlir
    %acc = tmm.consumer_wait %accs[%c] : ...
    %c1 = scf.for %column = %c0 to %c256 step %c32 iter_args(%unread = %c) : i32 {
      %r = tmm.read %acc[%column] if %written : ...
      %last = arith.cmpi eq, %column, %c224 : i32
      %n = scf.if %last {
        %released = tmm.consumer_release %accs[%c] : ...
        scf.yield %released
      } else {
        scf.yield %c
      }
      tmm.store %r, %d[%row, %col] : ...
      scf.yield %n
    }
    ```
  }];
  let statistics = [
    Statistic<"numReleased", "released", "Number of slots that are released inside their loop">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::tc::tmm::TMMDialect"];
}

def PipelinePass : Pass<"tmm-pipeline"> {
  let summary = "Give every pipeline its depth";
  let description = [{
    Makes every pipeline of one slot as deep as its `stages` say; one that has more
    keeps them. Only types change: the number of transactions that an end carries
    selects slot and parity when the pipeline is lowered.

    Before:

    ```mlir
    %ring = tmm.pipeline stages(4) : !tmm.pipeline<(!tile), depth = 1>
    ```

    After:

    ```mlir
    %ring = tmm.pipeline stages(4) : !tmm.pipeline<(!tile), depth = 4>
    ```
  }];
  let dependentDialects = ["::tc::tmm::TMMDialect"];
}

def AssignRolesPass : Pass<"tmm-assign-roles"> {
  let summary = "Give every op on tiles a role";
  let description = [{
    In kernels that declare roles (`tmm.role`), gives each op on tiles that has no
    role the one that `drives` its engine. Any other assignment is a matter of
    writing `role(...)` on the ops, by hand or by another pass before this one.

    Before:

    ```mlir
    tmm.role "load" warps(1) drives [#sm90.tma]
    tmm.load %a[%row, %k], %tile by(#sm90.tma) : memref<?x?xbf16>, !tile
    ```

    After:

    ```mlir
    tmm.role "load" warps(1) drives [#sm90.tma]
    tmm.load %a[%row, %k], %tile by(#sm90.tma) role("load") : memref<?x?xbf16>, !tile
    ```
  }];
  let statistics = [
    Statistic<"numAssigned", "ops", "Number of ops that were given a role">,
  ];
  let dependentDialects = ["::tc::tmm::TMMDialect"];
}

def WarpSpecializePass : Pass<"tmm-warp-specialize", "::mlir::ModuleOp"> {
  let summary = "Cut a kernel into the roles that it declares";
  let description = [{
    Cuts the thread of control of each kernel that declares roles (`tmm.role`) at
    its pipelines. Each role keeps the loops and the ops that name it; the roles
    meet in pipelines alone. An op with effects that no role claims is refused.
    Loads run ahead by the depth of their pipeline, and with two accumulators the
    epilogue of a tile runs beside the main loop of the next.

    A role with `turns` becomes as many regions: each executes its iterations of the
    loop that the role names, and only counts the transactions of the others.

    Loops and branches that carry what another role computes carry it no longer
    in this role: what they carried is poison, and an op of this role that
    would read it is refused.

    Before:

    ```mlir
    tmm.role "load" warps(1) drives [#sm90.tma]
    tmm.role "mma" warps(1) drives [#tcgen05.mma]
    scf.for ... {
      producer_acquire %ring; tmm.load role("load"); producer_commit %ring
      consumer_wait %ring; tmm.mma role("mma"); consumer_release %ring
    }
    ```

    After:

    ```mlir
    tmm.warp_specialize "load" warps(1) elected {
      scf.for ... { producer_acquire %ring; tmm.load; producer_commit %ring }
    } "mma" warps(1) elected {
      scf.for ... { consumer_wait %ring; tmm.mma; consumer_release %ring }
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "::mlir::ub::UBDialect",
                           "::tc::tmm::TMMDialect"];
}

def SkewPipelinesPass : Pass<"tmm-skew-pipelines"> {
  let summary = "Load ahead in one thread of control";
  let description = [{
    The alternative to `tmm-warp-specialize`, for kernels without roles: a loop that fills, reads and releases one slot of a pipeline of depth D in
    each iteration reads slot i and then fills the one of iteration i + D - 1. The
    first D - 1 are filled before the loop. Nothing else changes: the ends
    make the same transactions in the same order, and each carries its state.

    Before:

    ```mlir
    scf.for %i = %c0 to %count step %c1 iter_args(%p = %start, %c = %start) {
      %a0 = tmm.producer_acquire %ring[%p]
      tmm.load %source[%row, %k(i)], %a0
      %p1 = tmm.producer_commit %ring[%p]
      %a1 = tmm.consumer_wait %ring[%c]
      tmm.mma %a1, ...
      %c1 = tmm.consumer_release %ring[%c]
      scf.yield %p1, %c1
    }
    ```

    After, with a depth of 4:

    ```mlir
    %ahead = scf.for %j = %c0 to min(3, %count) step %c1 iter_args(%p = %start) {
      acquire; load of block j; commit
    }
    scf.for %i = %c0 to %count step %c1 iter_args(%p = %ahead, %c = %start) {
      wait; mma; release
      %p1 = scf.if %i + 3 < %count { acquire; load of block i + 3; commit }
      scf.yield %p1, %c1
    }
    ```
  }];
  let statistics = [
    Statistic<"numSkewed", "pipelines", "Number of pipelines that are filled ahead">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tc::tmm::TMMDialect"];
}

def OverlapIterationsPass : Pass<"tmm-overlap-iterations"> {
  let summary = "Run the deferred part of an iteration in the next one";
  let description = [{
    In each loop that says where its rest may wait (`tmm.defer`) and where it may go on (`tmm.resume`), and
    that has ops of an engine whose work is pending at return (`wgmma`) or done in the order of issue
    (`tcgen05.mma`), runs the rest in the next iteration, that of the last one after the loop. Other loops stay as
    they are; the two ops go.

    Before:

    ```mlir
    %o = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) {
      %s = A(%i)
      tmm.resume
      %p = B(%s)
      tmm.defer
      %new = C(%p, %old)
      scf.yield %new
    }
    ```

    After, if %n is positive, else %zero:

    ```mlir
    %s0 = A(%c0); %p0 = B(%s0)
    %o1, %pl = scf.for %i = %c1 to %n step %c1 iter_args(%old = %zero, %p = %p0) {
      %s = A(%i)
      %new = C(%p, %old)
      %next = B(%s)
      scf.yield %new, %next
    }
    %o = C(%pl, %o1)
    ```
  }];
  let statistics = [
    Statistic<"numOverlapped", "loops", "Number of loops whose iterations overlap">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tc::tmm::TMMDialect"];
}

def AwaitWorkPass : Pass<"tmm-await-work"> {
  let summary = "Wait for work of engines that is pending at return";
  let description = [{
    Ops of some engines (`wgmma`) return before they have read their slot. Inserts
    `tmm.await` for them: before the slot is released, or before the first use of
    what they compute. Where the pipeline says `late_release`, has more than one
    slot, and one op of a loop makes all of its work, the slot of an iteration is
    held and released when the work of the next one is issued; that of the last one
    after the loop. Work whose results are used in the same iteration is awaited, and its slot released, before the
    first of these uses; work that the engine was given since then may still be pending. If an op is the only work
    of its engine in the loop and `late_release` allows it, the slot is held beyond that until the work of the
    next iteration is issued.

    `convert-tmm-pipelines-to-sm90` refuses work that nothing waits for.

    Before:

    ```mlir
    %sum, %e = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s) {
      %a, %b = tmm.consumer_wait %ring[%c]
      %new = tmm.mma %a, %b, %acc ... by(#sm90.wgmma)
      %next = tmm.consumer_release %ring[%c]
      scf.yield %new, %next
    }
    ```

    After, with `late_release`:

    ```mlir
    %none = tmm.hold %ring[%s]
    %sum, %e, %last = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %c = %s, %held = %none) {
      %a, %b = tmm.consumer_wait %ring[%c]
      %new = tmm.mma %a, %b, %acc ... by(#sm90.wgmma)
      %going = tmm.await %new by(#sm90.wgmma) pending 1
      scf.if %k != %c0 { tmm.release_held %ring[%held] }
      %this = tmm.hold %ring[%c]
      %next = tmm.skip %ring[%c]
      scf.yield %going, %next, %this
    }
    %done = tmm.await %sum by(#sm90.wgmma) pending 0
    scf.if %c0 < %n { tmm.release_held %ring[%last] }
    ```
  }];
  let statistics = [
    Statistic<"numLate", "slots", "Number of loops whose slots are released late">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect",
                           "::tc::tmm::TMMDialect"];
}

def LowerSchedulerPass : Pass<"tmm-lower-scheduler"> {
  let summary = "Make numbers of schedulers and work items";
  let description = [{
    Asks the rule of each scheduler (`SchedulerAttrInterface`) which numbers a work
    item consists of, and for the arithmetic on them. Work items that loops
    and branches carry become those numbers. Runs when roles are cut: every
    role computes its work for itself.

    Before:

    ```mlir
    %sched = tmm.scheduler #tmm.static(%m, %n, %k) tile [128, 64, 32] : !tmm.scheduler
    %first = tmm.first_work %sched : !tmm.work
    scf.while (%w = %first) : (!tmm.work) -> !tmm.work {
      %valid = tmm.work_valid %sched, %w : i1
      scf.condition(%valid) %w : !tmm.work
    } do {
    ^bb0(%w: !tmm.work):
      %row, %col, %block, %count = tmm.work_tile %sched, %w : i32
      ...
      %next = tmm.next_work %sched, %w : !tmm.work
      scf.yield %next : !tmm.work
    }
    ```

    After, with tilesM = ceildiv(%m, 128) and tiles = tilesM * ceildiv(%n, 64):

    ```mlir
    %cta = gpu.block_id x
    scf.while (%w = %cta) : (i32) -> i32 {
      %valid = arith.cmpi ult, %w, %tiles : i32
      scf.condition(%valid) %w : i32
    } do {
    ^bb0(%w: i32):
      %tm = arith.remui %w, %tilesM : i32
      %row = arith.muli %tm, %c128 : i32
      ...
      %next = arith.addi %w, %ctas : i32
      scf.yield %next : i32
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
}

#endif // TC_DIALECT_TMM_PIPELINE_PASSES_TD
