//===- TMMRoleOps.td - warp roles of the TMM dialect -------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Roles: what a kernel declares, and the specialised program, several threads of
// control that meet in pipelines only.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_IR_TMMROLEOPS_TD
#define TC_DIALECT_TMM_IR_TMMROLEOPS_TD

include "mlir/Interfaces/SideEffectInterfaces.td"
include "tc/Dialect/TMM/IR/TMMAgents.td"
include "tc/Dialect/TMM/IR/TMMDialect.td"
include "tc/Dialect/TMM/IR/TMMInterfaces.td"
include "tc/Dialect/TMM/IR/TMMTypes.td"

def TMM_RoleOp : TMM_Op<"role"> {
  let summary = "a role of a kernel: warps with a name";
  let description = [{
    Says that the kernel is cut into roles and that this is one of them: `warps`
    warps that execute the ops with this `role`. Roles have consecutive warps, in
    the order of their declarations. `tmm-assign-roles` gives the ops that have no
    role yet the one that `drives` their engine. `registers`, if not 0, is the
    number of registers of its threads (`setmaxnreg`); where other roles have some,
    a role without keeps what the launch gives each thread.

    With `turns` the role has that many instances, with `warps` warps each, that
    take turns: instance j executes the iterations n mod `turns` = j of the loop
    that `tmm.loop` names, and on the others only counts transactions. Where an
    iteration has a loop with transactions inside, the instances go through it in
    the order of their turns (`tmm.take_turn`): a slot is waited for by the parity
    of its lap, so its user must have observed the end of the lap before.

    * C1: `warps` and `turns` are positive; `turns` above 1 names a loop; their
      product is at most 32, the warps of a CTA.
    * C2: `registers` is 0 or a multiple of 8 from 24 to 256.
    * C3: it is in the body of a kernel, not in a loop or branch.

    Example:

    ```mlir
    tmm.role "epilogue" warps(4) drives [#tmm.threads, #sm90.tma_store]
    tmm.role "load" warps(1) drives [#sm90.tma]
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    ```
  }];
  let arguments = (ins StrAttr:$name, I64Attr:$warps,
                       DefaultValuedAttr<I64Attr, "1">:$turns,
                       OptionalAttr<StrAttr>:$loop,
                       DefaultValuedAttr<ConfinedAttr<I64Attr, [IntNonNegative]>,
                           "0">:$registers,
                       TypedArrayAttrBase<TMM_EngineParameter, "engines">:$drives);
  let assemblyFormat = [{
    $name `warps` `(` $warps `)` (`turns` `(` $turns^ `)`)? (`of` $loop^)?
    (`registers` `(` $registers^ `)`)? `drives` $drives attr-dict
  }];
  let hasVerifier = 1;
}

def TMM_LoopOp : TMM_Op<"loop"> {
  let summary = "the name of the loop around it";
  let description = [{
    Names the innermost loop that holds the op, for roles that take turns in it.

    Example:

    ```mlir
    scf.for %tile = %first to %end step %ctas {
      tmm.loop "tiles"
    }
    ```
  }];
  let arguments = (ins StrAttr:$name);
  let assemblyFormat = "$name attr-dict";
}

def TMM_DeferOp : TMM_Op<"defer"> {
  let summary = "the rest of the iteration may run in the next one";
  let description = [{
    What follows in the body of the loop may run in the next iteration, at its `tmm.resume`, and that of the
    last iteration after the loop: engines then have work of two iterations at a time. What is computed is
    the same. `tmm-overlap-iterations` does so in the roles with ops of an engine whose work is pending at return, or
    done in the order of issue.

    * C1: in the body of an `scf.for` `tmm.resume` is before the op, and each is there once; elsewhere they say nothing.
    * C2: between the start of the body and `tmm.resume` nothing uses what the deferred part of the
      iteration before computes.

    Example:

    ```mlir
    scf.for %i = %c0 to %blocks step %c1 : i32 {
      %s = tmm.mma %q, %k, %none accumulate(%false) by(#sm90.wgmma)
        : <128x64xbf16, #sm90.smem<k_major, b128>>, <256x64xbf16, #sm90.smem<k_major, b128>>, vector<128x256xf32>
        -> vector<128x256xf32>
      tmm.resume
      %p = arith.truncf %s : vector<128x256xf32> to vector<128x256xbf16>
      tmm.defer
      tmm.store %p, %d[%i, %col] : vector<128x256xbf16>, memref<?x?xbf16>
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def TMM_ResumeOp : TMM_Op<"resume"> {
  let summary = "where the deferred part of the iteration before may run";
  let description = [{
    See `tmm.defer`.

    Example:

    ```mlir
    tmm.resume
    ```
  }];
  let assemblyFormat = "attr-dict";
}

// Base of the ops at the ends of a pipeline of turns.
class TMM_TurnOp<string mnemonic> : TMM_Op<mnemonic, [
    DeclareOpInterfaceMethods<TMM_EngineOpInterface>,
    MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins TMM_BufferType:$turn, OptionalAttr<StrAttr>:$role);
  let assemblyFormat = "$turn (`role` `(` $role^ `)`)? attr-dict `:` type($turn)";
  let hasVerifier = 1;
}

def TMM_TakeTurnOp : TMM_TurnOp<"take_turn"> {
  let summary = "go on in the order of turns";
  let description = [{
    The consumer of a pipeline of turns: what the threads of the role issue from
    here to `tmm.pass_turn` comes after what the instance before issued between
    these two. `tmm-warp-specialize` puts both around what instances of a role
    (`tmm.role ... turns`) do one after the other; no code is left of the op.

    * C1: `turn` is in the space `#tmm.turn`.

    Example:

    ```mlir
    %turn = tmm.consumer_wait %turns[%n] : <(<1x1xi1, #tmm.turn>), depth = 2>
    tmm.take_turn %turn : !tmm.buffer<1x1xi1, #tmm.turn>
    %n1 = tmm.consumer_release %turns[%n] : <(<1x1xi1, #tmm.turn>), depth = 2>
    ```
  }];
}

def TMM_PassTurnOp : TMM_TurnOp<"pass_turn"> {
  let summary = "let the next instance go on";
  let description = [{
    The producer of a pipeline of turns: see `tmm.take_turn`. Slot j is the turn of
    instance j; the first of all turns is passed before the loop.

    * C1: `turn` is in the space `#tmm.turn`.

    Example:

    ```mlir
    %next = tmm.producer_acquire %turns[%n1] : <(<1x1xi1, #tmm.turn>), depth = 2>
    tmm.pass_turn %next : !tmm.buffer<1x1xi1, #tmm.turn>
    %n2 = tmm.producer_commit %turns[%n1] : <(<1x1xi1, #tmm.turn>), depth = 2>
    ```
  }];
}

def TMM_WarpSpecializeOp : TMM_Op<"warp_specialize", [
    NoRegionArguments, NoTerminator, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "run roles side by side, each in warps of its own";
  let description = [{
    Each region is a role, or one instance of a role that takes turns. Roles
    occupy consecutive warps of the CTA in the order in which they are written,
    run concurrently and communicate through pipelines alone. The op is done when
    all roles are.

    An `elected` role is one thread of control, executed by one thread of its
    warps; any other is executed by all of them. A role `over` several CTAs runs in
    the first of them only. `registers`, if not 0, is the number of registers of its
    threads. The instances of a role have its name and `turns`, their number: of each
    transaction that one makes the others only count it (`tmm.skip`).

    The op's location has that of each role under its name.

    * C1: one name, and one number of warps, turns and registers, flag and span,
      for each of one or more regions.
    * C2: each role has at least one warp.
    * C3: the roles have at most 32 warps, those of a CTA.
    * C4: `registers` is 0 or a multiple of 8 from 24 to 256.
    * C5: as many regions have the name of a role as it has `turns`, and all of them
      the same number.

    Example:

    ```mlir
    tmm.warp_specialize "epilogue" warps(4) {
      // consumer_wait, read, store, consumer_release
    } "load" warps(1) elected {
      // producer_acquire, load, producer_commit
    } "mma" warps(1) elected over #tmm.ctas<2, along = [0]> {
      // consumer_wait, mma, consumer_release, producer_commit
    }
    ```
  }];
  let arguments = (ins StrArrayAttr:$names, DenseI64ArrayAttr:$warps,
                       DenseI64ArrayAttr:$turns, DenseI64ArrayAttr:$registers,
                       DenseBoolArrayAttr:$elected, ArrayAttr:$spans);
  let regions = (region VariadicRegion<SizedRegion<1>>:$roles);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::StringRef getRoleName(unsigned index);
    /// Where role `index` was written or declared.
    ::mlir::Location getRoleLoc(unsigned index);
    /// Emits an error of the op at role `index`.
    ::mlir::InFlightDiagnostic emitRoleError(unsigned index);
    /// Notes to `diagnostic` where the roles are, how many warps they have, and
    /// how many registers, if `registers`.
    void noteRoles(::mlir::InFlightDiagnostic &diagnostic, bool registers = false);
    /// Whether role `index` is one thread of control.
    bool isElected(unsigned index) { return getElected()[index]; }
    /// The CTAs that role `index` acts for as one; null: each for itself.
    ::tc::AgentSetAttrInterface getSpan(unsigned index);
    /// The first warp of role `index`.
    int64_t getFirstWarp(unsigned index);
    /// Warps of all roles.
    int64_t getNumWarps() { return getFirstWarp(getRoles().size()); }
    /// The op and the number of the role that hold `block`, if roles do.
    static ::std::optional<::std::pair<WarpSpecializeOp, unsigned>>
    findRole(::mlir::Block *block);
    /// The number (i32) of the executing thread in the role that holds the
    /// builder's insertion point, or in the CTA.
    static ::mlir::Value emitThread(::mlir::OpBuilder &builder,
                                    ::mlir::Location loc);
  }];
}

#endif // TC_DIALECT_TMM_IR_TMMROLEOPS_TD
