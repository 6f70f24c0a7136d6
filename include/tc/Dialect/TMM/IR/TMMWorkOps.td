//===- TMMWorkOps.td - work items of the TMM dialect -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which tiles a CTA computes: the scheduler, its work items, requests for the
// work of CTAs that have not started, and the order of kernels that overlap.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMWORKOPS_TD
#define TC_DIALECT_TMM_IR_TMMWORKOPS_TD

include "mlir/IR/OpAsmInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMAgents.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"
include "tc/Dialect/TMM/IR/TMMInterfaces.td"
include "tc/Dialect/TMM/IR/TMMSchedulerAttrs.td"
include "tc/Dialect/TMM/IR/TMMTypes.td"
include "tc/Support/Interfaces.td"

//===----------------------------------------------------------------------===//
// Scheduler
//===----------------------------------------------------------------------===//

def TMM_SchedulerOp : TMM_NamedOp<"scheduler", "sched", [Pure, AttrSizedOperandSegments]> {
  let summary = "describe how the output tiles are dealt to the CTAs";
  let description = [{
    Names the tile space of a problem: `ceildiv(M, tileM) * ceildiv(N, tileN)`
    output tiles, each summed over `ceildiv(K, tileK)` K-blocks. `rule` deals them
    (any attribute with `SchedulerAttrInterface`, as `#tmm.static`).

    With `ctas` C the CTAs Cp to Cp + C - 1 are a cluster that computes a tile
    together: the tiles are dealt to clusters, and all CTAs of a cluster see the
    same work.

    With `batch` there are that many problems of the same size.

    With `rows` memory tells which rows of its M each problem of the batch has, an i32 for each:

    ```
    end[p] = min(max(rows[p], begin[p]), M)       begin[p] = 0, or end[p - 1] with `stacked`, end[-1] = 0
    ```

    So any numbers there have a meaning, and no tile is outside of M. The kernel must not write them.

    Operands: the extents M, N and K in elements and the number of problems (`i32`,
    not negative), and `rows` in global memory.

    * C2: `rows` has `batch`, and `stacked` has `rows`.
    * C3: `rule` reads `rows` where there are some, and only there.

    Example:

    ```mlir
    %sched = tmm.scheduler #tmm.static<raster = 8>(%m, %n, %k) tile [128, 128, 64] : !tmm.scheduler
    %many = tmm.scheduler #tmm.static(%m, %n, %k) batch %count tile [128, 128, 64] : !tmm.scheduler
    %groups = tmm.scheduler #tmm.grouped(%m, %n, %k) batch %count rows(%ends : memref<?xi32>) stacked
      tile [128, 128, 64] : !tmm.scheduler
    ```
  }];
  let arguments = (ins TMM_SchedulerAttrInterface:$rule, I32:$m, I32:$n, I32:$k,
                       Optional<I32>:$batch, Optional<MemRefRankOf<[I32], [1]>>:$rows,
                       UnitAttr:$stacked, DenseI64ArrayAttr:$tile,
                       DefaultValuedAttr<ConfinedAttr<I64Attr,
                           [IntMinValue<1>, IntMaxValue<16>]>, "1">:$ctas);
  let results = (outs TMM_SchedulerType:$scheduler);
  let assemblyFormat = [{
    $rule `` `(` $m `,` $n `,` $k `)` (`batch` $batch^)? (`rows` `(` $rows^ `:` type($rows) `)`)?
    (`stacked` $stacked^)? `tile` $tile (`ctas` $ctas^)? attr-dict `:` type($scheduler)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The tiles that are dealt, as the rule sees them.
    TileSpace getTileSpace() {
      return {getM(), getN(), getK(), getBatch(), getTile(),
              static_cast<int64_t>(getCtas()), getRows(), getStacked()};
    }
  }];
  let builders = [
    // All problems have all rows.
    OpBuilder<(ins "::tc::tmm::SchedulerAttrInterface":$rule, "::mlir::Value":$m, "::mlir::Value":$n,
                   "::mlir::Value":$k, "::mlir::Value":$batch, "::llvm::ArrayRef<int64_t>":$tile,
                   CArg<"uint64_t", "1">:$ctas), [{
      build($_builder, $_state, rule, m, n, k, batch, /*rows=*/nullptr, /*stacked=*/false, tile, ctas);
    }]>];
}

def TMM_FirstWorkOp : TMM_NamedOp<"first_work", "first", [Pure]> {
  let summary = "the first work item of this CTA";
  let description = [{
    Example:

    ```mlir
    %work = tmm.first_work %sched : !tmm.work
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler);
  let results = (outs TMM_WorkType:$work);
  let assemblyFormat = "$scheduler attr-dict `:` type($work)";
}

def TMM_NextWorkOp : TMM_NamedOp<"next_work", "next", [Pure]> {
  let summary = "the work item after the given one";
  let description = [{
    Defined for every work item, also for an invalid one, whose successor is
    invalid too.

    Example:

    ```mlir
    %next = tmm.next_work %sched, %work : !tmm.work
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, TMM_WorkType:$work);
  let results = (outs TMM_WorkType:$next);
  let assemblyFormat = "$scheduler `,` $work attr-dict `:` type($next)";
}

def TMM_WorkAtOp : TMM_NamedOp<"work_at", "next", [Pure]> {
  let summary = "the work item of the CTAs with a number";
  let description = [{
    The first work item of the group of CTAs number `number` (`i32`, counted in
    groups that share their work), or the end of work where it is negative. A CTA
    that has taken over the work of another uses it.

    Example:

    ```mlir
    %work = tmm.work_at %sched, %number : !tmm.work
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, I32:$number);
  let results = (outs TMM_WorkType:$work);
  let assemblyFormat = "$scheduler `,` $number attr-dict `:` type($work)";
}

def TMM_WorkCountOp : TMM_NamedOp<"work_count", "count", [Pure]> {
  let summary = "how many groups of CTAs could have work";
  let description = [{
    The number of work items that have a number: `tmm.work_at` of it, or of a larger
    one, is the end of work (`i32`).

    Example:

    ```mlir
    %count = tmm.work_count %sched : i32
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler);
  let results = (outs I32:$count);
  let assemblyFormat = "$scheduler attr-dict `:` type($count)";
}

def TMM_WorkValidOp : TMM_NamedOp<"work_valid", "valid", [Pure]> {
  let summary = "whether a work item names a tile";
  let description = [{
    False ends the tile loop.

    Example:

    ```mlir
    %valid = tmm.work_valid %sched, %work : i1
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, TMM_WorkType:$work);
  let results = (outs I1:$valid);
  let assemblyFormat = "$scheduler `,` $work attr-dict `:` type($valid)";
}

def TMM_WorkTileOp : TMM_Op<"work_tile", [Pure]> {
  let summary = "the coordinates of a work item";
  let description = [{
    Results, all `i32`: the first row and the first column of the output tile
    in elements, the first K-block, and the number of K-blocks (`>= 0`, not
    the same for every tile: no pass may assume that it is positive). Only
    defined for a valid work item.

    Example:

    ```mlir
    %row, %col, %block, %count = tmm.work_tile %sched, %work : i32
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, TMM_WorkType:$work);
  let results = (outs I32:$row, I32:$col, I32:$firstBlock, I32:$blockCount);
  let assemblyFormat = "$scheduler `,` $work attr-dict `:` type($row)";
}

def TMM_WorkEndOp : TMM_NamedOp<"work_end", "end", [Pure]> {
  let summary = "where the rows of a work item's problem end";
  let description = [{
    The row after the last one that the problem of the work item has (`i32`): M, unless memory
    tells another (`tmm.scheduler`, `rows`). Rows of the tile from that one on belong to no tile of the
    problem, and with `stacked` to others. Only defined for a valid work item.

    Example:

    ```mlir
    %end = tmm.work_end %sched, %work : i32
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, TMM_WorkType:$work);
  let results = (outs I32:$end);
  let assemblyFormat = "$scheduler `,` $work attr-dict `:` type($end)";
}

def TMM_WorkBatchOp : TMM_NamedOp<"work_batch", "batch", [Pure]> {
  let summary = "the problem that a work item belongs to";
  let description = [{
    The number of the problem among those of `batch`, from 0 (`i32`); 0 without it.
    Only defined for a valid work item.

    Example:

    ```mlir
    %batch = tmm.work_batch %sched, %work : i32
    ```
  }];
  let arguments = (ins TMM_SchedulerType:$scheduler, TMM_WorkType:$work);
  let results = (outs I32:$batch);
  let assemblyFormat = "$scheduler `,` $work attr-dict `:` type($batch)";
}

//===----------------------------------------------------------------------===//
// Work as a payload
//===----------------------------------------------------------------------===//

def TMM_RequestWorkOp : TMM_Op<"request_work", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getSpan", "setSignal"]>]> {
  let summary = "ask for the work of CTAs that have not started";
  let description = [{
    Writes to `buffer` which CTAs the engine `by` has taken the work from, or that
    there are none left. With `over` the CTAs of a cluster ask as one and each gets
    the answer in its own buffer. A request follows only a valid work item.

    Example:

    ```mlir
    tmm.request_work %answer by(#sm90.clc) : !tmm.buffer<1x2xi64, #sm90.smem<plain, none>>
    ```
  }];
  let arguments = (ins Arg<TMM_BufferType, "", [MemWrite]>:$buffer,
                       OptionalAttr<TMM_AgentSetParameter>:$over,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role,
                       Optional<AnyType>:$signal);
  let assemblyFormat = [{
    $buffer (`over` $over^)? `by` `` `(` $by `)` (`role` `(` $role^ `)`)?
    (`signal` $signal^ `:` type($signal))? attr-dict `:` type($buffer)
  }];
}

def TMM_CountRequestOp : TMM_NamedOp<"count_request", "request", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getSpan"]>]> {
  let summary = "count a request for work that no CTA has";
  let description = [{
    The number of the request among those of the launch, from 0 (`i32`), which the
    engine `by` counts in `counter`. With `over` the CTAs of a cluster ask as one. A
    request follows only a valid work item: `count` of them (`tmm.work_count`) in a
    launch. The last one sets `counter` to 0, as it must be before the first.

    The result is there in the thread that issues `tmm.answer_request`, the only op
    that may use it. It may arrive after the op has returned: loads between the two
    hide the latency.

    Example:

    ```mlir
    %request = tmm.count_request %counter of %count by(#sm90.counter) : memref<i32>
    ```
  }];
  let arguments = (ins Arg<MemRefRankOf<[I32], [0]>, "", [MemRead, MemWrite]>:$counter,
                       I32:$count, OptionalAttr<TMM_AgentSetParameter>:$over,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role);
  let results = (outs I32:$request);
  let assemblyFormat = [{
    $counter `of` $count (`over` $over^)? `by` `` `(` $by `)`
    (`role` `(` $role^ `)`)? attr-dict `:` type($counter)
  }];
}

def TMM_AnswerRequestOp : TMM_Op<"answer_request", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getSpan", "setSignal"]>]> {
  let summary = "write the answer to a request for work";
  let description = [{
    With G groups of CTAs in the grid, request r gets the work of group G + r, which no
    CTA has from the start. Writes the number of the first CTA of that group to `buffer`,
    or -1 where it is not among the `count` groups with work. With `over` the CTAs of a
    cluster make one request, and each gets the answer in its own buffer.

    Example:

    ```mlir
    tmm.answer_request %request of %count, %answer by(#sm90.counter)
      : !tmm.buffer<1x1xi32, #sm90.smem<plain, none>>
    ```
  }];
  let arguments = (ins I32:$request, I32:$count,
                       Arg<TMM_BufferType, "", [MemWrite]>:$buffer,
                       OptionalAttr<TMM_AgentSetParameter>:$over,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role,
                       Optional<AnyType>:$signal);
  let assemblyFormat = [{
    $request `of` $count `,` $buffer (`over` $over^)? `by` `` `(` $by `)`
    (`role` `(` $role^ `)`)? (`signal` $signal^ `:` type($signal))? attr-dict
    `:` type($buffer)
  }];
}

def TMM_QueryWorkOp : TMM_Op<"query_work", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["isOfEveryRole"]>]> {
  let summary = "read the answer to a request for work";
  let description = [{
    The number of the first CTA whose work the request was given, or -1 if there is none
    (`i32`). Belongs to every role, because all of them process the same work.

    Example:

    ```mlir
    %cta = tmm.query_work %answer by(#sm90.clc) : !tmm.buffer<1x2xi64, #sm90.smem<plain, none>>
    ```
  }];
  let arguments = (ins Arg<TMM_BufferType, "", [MemRead]>:$buffer, TMM_EngineParameter:$by,
                       OptionalAttr<StrAttr>:$role);
  let results = (outs I32:$cta);
  let assemblyFormat = [{
    $buffer `by` `` `(` $by `)` (`role` `(` $role^ `)`)? attr-dict `:` type($buffer)
  }];
}

//===----------------------------------------------------------------------===//
// Programmatic dependent launch
//===----------------------------------------------------------------------===//

def TMM_WaitPrerequisitesOp : TMM_Op<"wait_prerequisites", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["isOfEveryRole"]>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "wait until the kernels before this one have ended";
  let description = [{
    Returns when the grids that this one was launched after have completed and
    what they wrote is visible. What comes before it may overlap with them: it must
    not touch memory that they use. Every role that reads or writes global memory
    executes it first.

    Example:

    ```mlir
    tmm.wait_prerequisites
    ```
  }];
  let arguments = (ins OptionalAttr<StrAttr>:$role);
  let assemblyFormat = "(`role` `(` $role^ `)`)? attr-dict";
}

/// Who makes kernels that follow one asks whether it has such an op.
def TC_LetsDependentsStart : NativeOpTrait<"LetsDependentsStart"> {
  let cppNamespace = "::tc";
}

def TMM_LaunchDependentsOp : TMM_Op<"launch_dependents", [
    TC_LetsDependentsStart, DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "let the kernels after this one start";
  let description = [{
    The grids that wait for this one may be launched when all of its CTAs have
    executed the op or have ended. It says nothing about memory: a dependent
    grid waits for that itself (`tmm.wait_prerequisites`). It comes after the last
    load, in the role of the engine `by` that loads, when every CTA has its
    memory.

    Example:

    ```mlir
    tmm.launch_dependents by(#sm90.tma)
    ```
  }];
  let arguments = (ins TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = "`by` `` `(` $by `)` (`role` `(` $role^ `)`)? attr-dict";
}

#endif // TC_DIALECT_TMM_IR_TMMWORKOPS_TD
