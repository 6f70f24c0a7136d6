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
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tc::tmm::TMMDialect"];
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

def TestUnit_MoverAttr : TestUnit_Attr<"Mover", "mover", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let summary = "an engine of one thread that counts bytes";
}

def TestUnit_ScannerAttr : TestUnit_Attr<"Scanner", "scanner", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface, ["emitCommit"]>]> {
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
    DeclareAttrInterfaceMethods<TC_AgentSetAttrInterface>]> {
  let summary = "a CTA and the next one, in a cluster that is a circle";
  let parameters = (ins "int64_t":$ctas);
  let assemblyFormat = "`<` $ctas `>`";
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

//===----------------------------------------------------------------------===//
// What the lowering of pipelines asks for
//===----------------------------------------------------------------------===//

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
