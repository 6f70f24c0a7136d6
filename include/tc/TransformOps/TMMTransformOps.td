//===- TMMTransformOps.td - schedules for tmm by hand ------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operations of the transform dialect for the decisions of the compiler that
// people take by hand. Each calls what a pass calls.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMOPS_TMMTRANSFORMOPS_TD
#define TC_TRANSFORMOPS_TMMTRANSFORMOPS_TD

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class TMM_TransformOp<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "tmm." # mnemonic, !listconcat([
        TransformOpInterface, ReportTrackingListenerFailuresOpTrait,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)> {
  let cppNamespace = "::tc::tmm";
}

/// Has `apply`, because it takes or makes several handles.
class TMM_TransformAllOp<string mnemonic>
    : TMM_TransformOp<mnemonic> {
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure
    apply(::mlir::transform::TransformRewriter &rewriter,
          ::mlir::transform::TransformResults &results,
          ::mlir::transform::TransformState &state);
  }];
}

/// Has `applyToOne`, and no results.
class TMM_TransformEachOp<string mnemonic>
    : TMM_TransformOp<mnemonic, [TransformEachOpTrait]> {
  let extraClassDeclaration = [{
    ::mlir::DiagnosedSilenceableFailure
    applyToOne(::mlir::transform::TransformRewriter &rewriter,
               ::mlir::Operation *target,
               ::mlir::transform::ApplyToEachResultList &results,
               ::mlir::transform::TransformState &state);
  }];
}

//===----------------------------------------------------------------------===//
// ConfigureOp
//===----------------------------------------------------------------------===//

def TMM_ConfigureOp : TMM_TransformEachOp<"configure"> {
  let summary = "set or check fields of the configuration of tmm.matmul";
  let description = [{
    Sets the fields that `config` names, as the option `config` of `tmm-choose-config` and `tc-compile --config` have
    them, in each `tmm.matmul` of the handle. Other fields are kept.

    With `for` and a chip, the configuration is then completed as `tmm-choose-config` does it: each field that is not
    set is chosen by the model. `tuned` names a table of measured configurations, which come before that choice. An
    empty `config` completes what the operation has.

    With `check` nothing changes: it fails where a field has another value, or none. So a schedule can say which
    configuration it was written for, or choose by it (`transform.alternatives`).

    Failures are silenceable and leave the operation as it was: a payload that is no `tmm.matmul`, fields that do not go
    together, with a chip all that `tmm-choose-config` refuses. A `config` that cannot be read is an error of the
    schedule. The handle stays valid.

    Example:

    ```mlir
    transform.tmm.configure %matmul "tile=128x128x64 stages=4" : !transform.any_op
    transform.tmm.configure %matmul "epilogue=direct" for "sm_90a" : !transform.any_op
    transform.tmm.configure %matmul "" for "sm_100a" tuned "measured.tsv" : !transform.any_op
    transform.tmm.configure %matmul check "stages=4" : !transform.any_op
    ```
  }];
  let arguments = (ins
    Arg<TransformHandleTypeInterface, "handle of tmm.matmul">:$target,
    UnitAttr:$check,
    StrAttr:$config,
    OptionalAttr<StrAttr>:$chip,
    OptionalAttr<StrAttr>:$tuned);
  let assemblyFormat = [{
    $target (`check` $check^)? $config (`for` $chip^)? (`tuned` $tuned^)? attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// FuseEpilogueOp
//===----------------------------------------------------------------------===//

def TMM_FuseEpilogueOp : TMM_TransformAllOp<"fuse_epilogue"> {
  let summary = "fuse elementwise operations on the result of tmm.matmul into its epilogue";
  let description = [{
    Moves elementwise operations of linalg on the result of a `tmm.matmul` into its epilogue, as `convert-linalg-to-tmm`
    does: on tensors its only user, on memrefs the next operation, in place; then what follows that. Several consumers
    that all read the product become one first, where nothing is computed twice by that. Bias, activation, residual and
    conversion are fused, in f32. Reductions to the largest element and block scaling are left to the pass.

    With `with` exactly the operations of that handle are fused, in their order, into the one `tmm.matmul` of the first
    handle. Without it, all that can be; a consumer that cannot be fused stays, and ends the search.

    The result is the handle of the products with their epilogues. Both operands are consumed, and other handles of what
    was fused must not be used afterwards.

    Silenceable failures: a payload that is no `tmm.matmul`, a product of which nothing could be fused, an operation of
    `with` that cannot be; the reason is that of the remark of `convert-linalg-to-tmm`. What was fused before stays so.

    Example:

    ```mlir
    %fused = transform.tmm.fuse_epilogue %matmul : (!transform.any_op) -> !transform.any_op
    %one = transform.tmm.fuse_epilogue %other with %relu : (!transform.any_op, !transform.any_op) -> !transform.any_op
    ```
  }];
  let arguments = (ins
    Arg<TransformHandleTypeInterface, "handle of tmm.matmul">:$target,
    Arg<Optional<TransformHandleTypeInterface>, "what is fused; all that can be without it">:$consumers);
  let results = (outs TransformHandleTypeInterface:$fused);
  let assemblyFormat = [{
    $target (`with` $consumers^)? attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// TileOp
//===----------------------------------------------------------------------===//

def TMM_TileOp : TMM_TransformAllOp<"tile"> {
  let summary = "outline operations into kernels that loop over tiles";
  let description = [{
    Does what `tmm-tile` does, to the operations of the handle: each becomes the launch of a kernel. They may be all that
    have kernels: `tmm.matmul` on memrefs with a complete configuration (`transform.tmm.configure` with a chip),
    `tmm.rows`, `tmm.attention`. A configuration with parts of K is refused: `tmm-split-k` comes before.

    Tiling cannot act on an operation alone: it adds a kernel to a `gpu.module` of the module around the operation. That
    is the one that has kernels for the same chip already, else a new one named `kernels`. So one handle of all products,
    one after the other, and some by hand and the rest by `tmm-tile` give one module.

    The results are the kernels (`gpu.func`) and their launches (`gpu.launch_func`), one for each operation that has
    any: a product without elements has none. The handle is consumed.

    A payload that becomes no kernel, and a schedule of less than the module, which gets the kernels, are silenceable
    failures and nothing changes. What the family of kernels refuses (tensors, an incomplete configuration, another chip)
    and an operation in device code are definite failures, reported at the operation: those before it are tiled.

    Example:

    ```mlir
    %kernels, %launches = transform.tmm.tile %matmul for "sm_90a"
        : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    ```
  }];
  let arguments = (ins
    Arg<TransformHandleTypeInterface, "handle of operations that become kernels">:$target,
    DefaultValuedAttr<StrAttr, "\"sm_100a\"">:$chip,
    DefaultValuedAttr<StrAttr, "\"\"">:$features);
  let results = (outs TransformHandleTypeInterface:$kernels, TransformHandleTypeInterface:$launches);
  let assemblyFormat = [{
    $target (`for` $chip^)? (`features` $features^)? attr-dict `:` functional-type(operands, results)
  }];
}

//===----------------------------------------------------------------------===//
// AssignRolesOp
//===----------------------------------------------------------------------===//

def TMM_AssignRolesOp : TMM_TransformEachOp<"assign_roles"> {
  let summary = "give operations on tiles their roles";
  let description = [{
    Does what `tmm-assign-roles` does, to what the handle holds: an operation on tiles, a kernel, or all kernels of a
    module. Each operation on tiles in it that has no role gets the one that drives its engine. Kernels that declare
    no roles stay as they are.

    With `role` the operations of the handle, which are on tiles, get that role, whatever they had: so the loads of A
    and of B may belong to two roles. The pass and a second `transform.tmm.assign_roles` keep it.

    Silenceable failures: a payload that is neither a kernel, nor a module, nor on tiles; with `role` an operation that
    is not on tiles or that every role executes, a role that the kernel does not declare. Definite ones, reported at the operation: no role, or several, drive its engine. The handle
    stays valid.

    Example:

    ```mlir
    transform.tmm.assign_roles %loads role("load A") : !transform.any_op
    transform.tmm.assign_roles %kernels : !transform.any_op
    ```
  }];
  let arguments = (ins
    Arg<TransformHandleTypeInterface, "handle of kernels or operations on tiles">:$target,
    OptionalAttr<StrAttr>:$role);
  let assemblyFormat = [{
    $target (`role` `(` $role^ `)`)? attr-dict `:` type($target)
  }];
}

#endif // TC_TRANSFORMOPS_TMMTRANSFORMOPS_TD
