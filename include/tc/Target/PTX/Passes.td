//===- Passes.td - passes of the PTX target ----------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TARGET_PTX_PASSES
#define TC_TARGET_PTX_PASSES

include "mlir/Pass/PassBase.td"

def SerializeGPUModulesPass : Pass<"tc-serialize-gpu-modules", "mlir::ModuleOp"> {
  let summary = "Replace each gpu.module by a gpu.binary with PTX or a cubin";
  let description = [{
    For stacks that stay in MLIR: compiles every `gpu.module` with an nvvm
    target, which holds llvm and nvvm ops only, and embeds the result as
    a `gpu.object`. Launches keep their symbols, a `gpu.binary` has the name of
    the module it replaces.

    Upstream's `gpu-module-to-binary` runs LLVM's whole optimiser, whose dead
    store elimination deletes one of two identical adjacent `tcgen05.mma`. This
    pass runs the passes of this project and then verifies that the PTX holds
    exactly the asynchronous instructions that the nvvm ops asked for.

    Before:
    ```mlir
    gpu.module @kernels [#nvvm.target<chip = "sm_100a">] {
      llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
        llvm.return
      }
    }
    ```
    After:
    ```mlir
    gpu.binary @kernels [#gpu.object<#nvvm.target<chip = "sm_100a">,
        assembly = "... .visible .entry k() ...">]
    ```
  }];
  let options = [
    Option<"format", "format", "std::string", /*default=*/"\"ptx\"",
           "What the objects hold: ptx or cubin">,
    Option<"ptxas", "ptxas", "std::string", /*default=*/"",
           "The assembler to run; the one on PATH where empty">
  ];
  let dependentDialects = ["mlir::gpu::GPUDialect"];
}

#endif // TC_TARGET_PTX_PASSES
