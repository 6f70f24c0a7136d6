//===- TestUnit.td - a back end of tests only --------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A memory space, engines, an agent set and a scheduler that no chip has. What
// passes do with them they do because the interfaces say so.
//
//===----------------------------------------------------------------------===//

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMAgents.td"
include "tc/Dialect/TMM/IR/TMMAttrInterfaces.td"
include "tc/Dialect/TMM/IR/TMMInterfaces.td"
include "tc/Dialect/TMM/IR/TMMTypes.td"
include "tc/Support/Pipelining.td"

def TestUnit_Dialect : Dialect {
  let name = "test_unit";
  let cppNamespace = "::tc::test_unit";
  let summary = "a back end of tests only";
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect", "::tc::tmm::TMMDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
}

class TestUnit_Attr<string name, string attrMnemonic, list<Trait> traits>
    : AttrDef<TestUnit_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

class TestUnit_Op<string mnemonic, list<Trait> traits = []>
    : Op<TestUnit_Dialect, mnemonic, traits>;

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

def TestUnit_BankAttr : TestUnit_Attr<"Bank", "bank", [
    DeclareAttrInterfaceMethods<TC_MemorySpaceAttrInterface,
        ["verifyTile", "getRingName", "emitFenceBefore", "emitFenceAfter",
         "isOrderedByFences"]>]> {
  let summary = "a memory space: banks of a number of rows, ordered by fences";
  let parameters = (ins "int64_t":$rows);
  let assemblyFormat = "`<` $rows `>`";
}

def TestUnit_CountedAttr : TestUnit_Attr<"Counted", "counted", [
    DeclareAttrInterfaceMethods<TC_CompletionAttrInterface,
        ["getArrivals", "isOfThreads", "countsBytes", "emitArrive"]>]> {
  let summary = "a completion by bytes that one thread expects";
}

def TestUnit_CommittedAttr : TestUnit_Attr<"Committed", "committed", [
    DeclareAttrInterfaceMethods<TC_CompletionAttrInterface,
        ["isOfThreads", "emitArrive"]>]> {
  let summary = "a completion by commits";
}

def TestUnit_ArrivedAttr : TestUnit_Attr<"Arrived", "arrived", [
    DeclareAttrInterfaceMethods<TC_CompletionAttrInterface>]> {
  let summary = "a completion by threads";
}

// Threads that arrive on counters in global memory, which CTAs of the grid see.

def TestUnit_CounterAttr : TestUnit_Attr<"Counter", "counter", [
    DeclareAttrInterfaceMethods<TC_SignalAttrInterface>]> {
  let summary = "counters in global memory as signals";
  let description = [{
    An i32 for each slot of each CTA of the grid, 0 before and after an even number
    of phases, from kernel argument `argument` on. An arrival adds 1 modulo twice as many
    as complete a phase, with release at the scope of the GPU; who waits reads it with acquire.
  }];
  let parameters = (ins "unsigned":$argument);
  let assemblyFormat = "`<` $argument `>`";
}

def TestUnit_PostedAttr : TestUnit_Attr<"Posted", "posted", [
    DeclareAttrInterfaceMethods<TC_CompletionAttrInterface, ["getSignal"]>]> {
  let summary = "a completion by threads on counters in global memory";
  let parameters = (ins "unsigned":$argument);
  let assemblyFormat = "`<` $argument `>`";
}

def TestUnit_PosterAttr : TestUnit_Attr<"Poster", "poster", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let summary = "threads that complete on the counters from an argument on";
  let parameters = (ins "unsigned":$argument);
  let assemblyFormat = "`<` $argument `>`";
}

def TestUnit_WorkerAttr : TestUnit_Attr<"Worker", "worker", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let summary = "threads that complete as threads do";
  let parameters = (ins "unsigned":$number);
  let assemblyFormat = "`<` $number `>`";
}

def TestUnit_BoardAttr : TestUnit_Attr<"Board", "board", [
    DeclareAttrInterfaceMethods<TC_MemorySpaceAttrInterface>]> {
  let summary = "global memory: slots of each CTA from a kernel argument on";
  let parameters = (ins "unsigned":$argument);
  let assemblyFormat = "`<` $argument `>`";
}

def TestUnit_EveryoneAttr : TestUnit_Attr<"Everyone", "everyone", [
    DeclareAttrInterfaceMethods<TC_AgentSetAttrInterface, ["getScope"]>]> {
  let summary = "all CTAs of a grid";
  let parameters = (ins "int64_t":$numCtas);
  let assemblyFormat = "`<` $numCtas `>`";
}

def TestUnit_MoverAttr : TestUnit_Attr<"Mover", "mover", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let summary = "an engine of one thread that counts bytes";
}

def TestUnit_ScannerAttr : TestUnit_Attr<"Scanner", "scanner", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let summary = "an engine of one thread that completes with commits";
}

def TestUnit_SystolicAttr : TestUnit_Attr<"Systolic", "systolic", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface,
        ["getMaxLag", "isPendingAtReturn"]>]> {
  let summary = "an engine of a warpgroup whose work is pending at return";
}

def TestUnit_DealerAttr : TestUnit_Attr<"Dealer", "dealer", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let summary = "an engine of one thread that answers requests for work";
}

def TestUnit_NeighboursAttr : TestUnit_Attr<"Neighbours", "neighbours", [
    DeclareAttrInterfaceMethods<TC_AgentSetAttrInterface, ["getScope"]>]> {
  let summary = "a CTA and the next one, in a cluster or grid that is a circle";
  let parameters = (ins "int64_t":$ctas, DefaultValuedParameter<"bool", "false">:$ofGrid);
  let assemblyFormat = "`<` $ctas (`,` `grid` `=` $ofGrid^)? `>`";
}

def TestUnit_CountdownAttr : TestUnit_Attr<"Countdown", "countdown", [
    DeclareAttrInterfaceMethods<TMM_SchedulerAttrInterface>]> {
  let summary = "tiles of one row, dealt as numbers that an answer holds";
  let description = "With other `bits` than 32 its work items cannot be lowered.";
  let parameters = (ins DefaultValuedParameter<"unsigned", "32">:$bits);
  let assemblyFormat = "(`<` $bits^ `>`)?";
}

//===----------------------------------------------------------------------===//
// Ops on tiles
//===----------------------------------------------------------------------===//

def TestUnit_MoveOp : TestUnit_Op<"move", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getTargets", "setSignal"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "fill a buffer";
  let arguments = (ins TMM_BufferType:$buffer, OptionalAttr<TMM_AgentSetParameter>:$to,
                       OptionalAttr<StrAttr>:$role, Optional<AnyType>:$signal);
  let assemblyFormat = [{
    $buffer (`to` `(` $to^ `)`)? (`role` `(` $role^ `)`)? (`signal` $signal^ `:` type($signal))?
    attr-dict `:` type($buffer)
  }];
}

def TestUnit_ScanOp : TestUnit_Op<"scan", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "compute a buffer from others";
  let arguments = (ins Variadic<TMM_BufferType>:$ins, Variadic<TMM_BufferType>:$outs,
                       OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $ins `to` $outs (`role` `(` $role^ `)`)? attr-dict `:` type($ins) `to` type($outs)
  }];
}

def TestUnit_CombineOp : TestUnit_Op<"combine", [
    AllTypesMatch<["sum", "result"]>,
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "add a buffer to a value, which is pending";
  let arguments = (ins TMM_BufferType:$buffer, VectorOfRank<[2]>:$sum,
                       OptionalAttr<StrAttr>:$role);
  let results = (outs VectorOfRank<[2]>:$result);
  let assemblyFormat = [{
    $buffer `,` $sum (`role` `(` $role^ `)`)? attr-dict `:` type($buffer) `,` type($sum)
  }];
}

// Ops of threads on tiles of f32, row by row, which TestLower.cpp makes code of.

def TestUnit_FillOp : TestUnit_Op<"fill", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface, ["getTargets"]>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "buffer = part of x, or where `add` is given and true, += it";
  let description = [{
    Part `index` of `x` has as many elements as the tile; with `to` as a row of it:
    the executing CTA writes the row of its rank in the tile of each of these, which is
    part `index` times CTAs plus rank.
  }];
  let arguments = (ins TMM_BufferType:$buffer, AnyMemRef:$x, I32:$index, Optional<I1>:$add,
                       OptionalAttr<TMM_AgentSetParameter>:$to, TMM_EngineParameter:$by,
                       OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $buffer `,` $x `[` $index `]` (`add` `(` $add^ `)`)? (`to` `(` $to^ `)`)?
    `by` `` `(` $by `)` (`role` `(` $role^ `)`)? attr-dict `:` type($buffer) `,` type($x)
  }];
}

def TestUnit_ScaleOp : TestUnit_Op<"scale", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "buffer = 2 buffer, in place";
  let arguments = (ins TMM_BufferType:$buffer, TMM_EngineParameter:$by,
                       OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $buffer `by` `` `(` $by `)` (`role` `(` $role^ `)`)? attr-dict `:` type($buffer)
  }];
}

def TestUnit_DrainOp : TestUnit_Op<"drain", [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "part of y = buffer";
  let arguments = (ins TMM_BufferType:$buffer, AnyMemRef:$y, I32:$index,
                       TMM_EngineParameter:$by, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $buffer `,` $y `[` $index `]` `by` `` `(` $by `)` (`role` `(` $role^ `)`)? attr-dict
    `:` type($buffer) `,` type($y)
  }];
}

//===----------------------------------------------------------------------===//
// What the lowering of pipelines asks for
//===----------------------------------------------------------------------===//

def TestUnit_ExpectOp : TestUnit_Op<"expect"> {
  let summary = "arrive at a barrier that counts bytes";
  let arguments = (ins AnyType:$barrier, I64Attr:$bytes);
  let assemblyFormat = "$barrier `,` $bytes attr-dict `:` type($barrier)";
}

def TestUnit_CommitOp : TestUnit_Op<"commit"> {
  let summary = "make a barrier see an arrival when work is done";
  let arguments = (ins AnyType:$barrier, Optional<I16>:$mask, I64Attr:$ctas);
  let assemblyFormat = [{
    $barrier (`mask` $mask^)? `ctas` $ctas attr-dict `:` type($barrier)
  }];
}

def TestUnit_FenceOp : TestUnit_Op<"fence"> {
  let summary = "order accesses before or after those of a proxy";
  let arguments = (ins UnitAttr:$before, UnitAttr:$async, UnitAttr:$crosses);
  let assemblyFormat = "(`before` $before^)? (`async` $async^)? (`crosses` $crosses^)? attr-dict";
}
