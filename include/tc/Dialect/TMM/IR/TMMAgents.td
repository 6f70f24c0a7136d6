//===- TMMAgents.td - threads and CTAs that act ------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The engine and the agent sets that every chip has: the threads of a role, and
// the CTAs of a cluster. Other engines and memory spaces belong to back ends.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMAGENTS_TD
#define TC_DIALECT_TMM_IR_TMMAGENTS_TD

include "mlir/IR/AttrTypeBase.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"
include "tc/Support/Pipelining.td"

// Operand constraints on attributes of back ends.
def TMM_EngineParameter : Attr<
    CPred<"::llvm::isa<::tc::EngineAttrInterface>($_self)">, "engine"> {
  let storageType = "::tc::EngineAttrInterface";
  let returnType = "::tc::EngineAttrInterface";
  let convertFromStorage = "$_self";
}

// The layout of a register tile that an op makes or takes.
class TMM_RegisterLayoutBase : Attr<
    CPred<"::llvm::isa<::tc::RegisterLayoutAttrInterface>($_self)">,
    "register layout"> {
  let storageType = "::tc::RegisterLayoutAttrInterface";
  let returnType = "::tc::RegisterLayoutAttrInterface";
  let convertFromStorage = "$_self";
}
def TMM_RegisterLayout : TMM_RegisterLayoutBase;
// Null: not known yet.
def TMM_OptionalRegisterLayout : TMM_RegisterLayoutBase {
  let isOptional = 1;
}

// A register tile of the CTA, or, once it is dealt, what a thread holds of one.
def TMM_RegisterTile : VectorOfRankAndType<[1, 2], [AnyFloat, I32]>;
/// The same of any numbers that memory has.
def TMM_ElementTile : VectorOfRankAndType<[1, 2], [AnyFloat, I1, I8, I16, I32, I64]>;
/// A register tile that becomes an operand.
def TMM_OperandTile : VectorOfRankAndType<[1, 2], [AnyFloat, I32, I8]>;

def TMM_AgentSetParameter : Attr<
    CPred<"::llvm::isa<::tc::AgentSetAttrInterface>($_self)">, "agent set"> {
  let storageType = "::tc::AgentSetAttrInterface";
  let returnType = "::tc::AgentSetAttrInterface";
  let convertFromStorage = "$_self";
}

def TMM_ArrivalsAttr : AttrDef<TMM_Dialect, "Arrivals", [
    DeclareAttrInterfaceMethods<TC_CompletionAttrInterface>]> {
  let mnemonic = "arrivals";
  let summary = "arrivals of threads that have done their work";
}

def TMM_ThreadsAttr : AttrDef<TMM_Dialect, "Threads", [
    DeclareAttrInterfaceMethods<TC_EngineAttrInterface>]> {
  let mnemonic = "threads";
  let summary = "the threads of a role as an engine";
  let description = [{
    Ops that threads execute for themselves through the generic proxy: each
    thread of the role has a part of them, and each arrives when it is done.

    Example:

    ```mlir
    tmm.role "epilogue" warps(4) drives [#tmm.threads]
    ```
  }];
}

def TMM_TurnAttr : AttrDef<TMM_Dialect, "Turn", [
    DeclareAttrInterfaceMethods<TC_MemorySpaceAttrInterface,
        ["verifyTile", "getRingName"]>]> {
  let mnemonic = "turn";
  let summary = "the space of a payload without bytes";
  let description = [{
    What the slots of a pipeline hold that carries nothing but the order of its
    transactions: the right of an instance of a role to go on
    (`tmm.take_turn`, `tmm.pass_turn`). Such a tile occupies no memory.

    * C1: the tile is `1x1xi1`.

    Example:

    ```mlir
    %turns = tmm.pipeline stages(2) : <(<1x1xi1, #tmm.turn>), depth = 2>
    ```
  }];
}

def TMM_CtasAttr : AttrDef<TMM_Dialect, "Ctas", [
    DeclareAttrInterfaceMethods<TC_AgentSetAttrInterface>]> {
  let mnemonic = "ctas";
  let summary = "CTAs of a cluster that share a tile or execute an op as one";
  let description = [{
    The CTAs of a cluster of `shape`, dimension 0 fastest, that have the same
    coordinates in all dimensions but those of `along`. The CTA at (x0, x1, ...)
    has the rank x0 + shape[0] * (x1 + shape[1] * (x2 + ...)).

    * C1: `shape` has positive extents, at most 16 CTAs in all (PTX ISA, "Cluster
      of Cooperative Thread Arrays"; more than 8 are not portable).
    * C2: `along` names dimensions of `shape`, in ascending order.

    Example: in a cluster of 2 x 4 CTAs, those of one row, and those of one
    column; and the CTAs of each pair.

    ```mlir
    #tmm.ctas<2x4, along = [1]>
    #tmm.ctas<2x4, along = [0]>
    #tmm.ctas<2, along = [0]>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$shape,
                        ArrayRefParameter<"int64_t">:$along);
  let assemblyFormat = [{
    `<` custom<ClusterShape>($shape) `,` `along` `=` `[` $along `]` `>`
  }];
  let genVerifyDecl = 1;
}

#endif // TC_DIALECT_TMM_IR_TMMAGENTS_TD
