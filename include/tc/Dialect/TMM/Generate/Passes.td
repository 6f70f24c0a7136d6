//===- Passes.td - from problems to tile programs ----------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that turn problems into kernels and their launches, and what is
// said of those.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_GENERATE_PASSES_TD
#define TC_DIALECT_TMM_GENERATE_PASSES_TD

include "mlir/Pass/PassBase.td"

def TilePass : Pass<"tmm-tile", "::mlir::ModuleOp"> {
  let summary = "Outline every tmm.matmul into a kernel that loops over tiles";
  let description = [{
    Replaces each matmul by the launch of a kernel in `gpu.module @kernels`, or in the
    one that has kernels for the same chip already (`transform.tmm.tile`). The kernel is the tile program: one thread of control, a loop over the tiles that
    its scheduler assigns and a loop over K-blocks. The host computes the grid
    (one CTA per tile, at most `sms` of the configuration) and launches nothing
    where the output is empty. With `cta_group = 2` a tile belongs to a pair of
    CTAs, launched as a cluster: each loads its rows of A and half of the columns
    of B, the pair multiplies, and each stores its rows of D. Sizes that are not static become `i32` arguments.
    The epilogue reads `epilogue_subtile` columns of the accumulator at a time and
    stores them from registers, or with `epilogue = tma_store` from a store buffer
    in shared memory, whose swizzle is as wide as its rows allow.
    The matmul's operands must be memrefs and its configuration complete. Where they
    are parts of one buffer that are known to have elements in common with D, it is refused.
    So is an epilogue that does not use the accumulator: nothing would read it.
    The host checks what is known only at run time (`cf.assert`): that sizes of the operands agree, that
    coordinates and work items fit into 32 bits, that rows of D do not overlap.

    Before:

    ```mlir
    tmm.matmul transpose_b config <tile = <shape = 128x64x64, ...>, ...> ins(%a, %b : ...) outs(%d : ...)
    ```

    After:

    ```mlir
    scf.if %some_tiles {
      cf.assert %same, "operand A: dimension 0 must have as many elements as dimension 0 of operand D"
      gpu.launch_func @kernels::@f_matmul blocks in (%grid, %c1, %c1)
        threads in (%c128, %c1, %c1) args(%a, %b, %d, %m, ...)
    }
    gpu.func @f_matmul(%a, %b, %d, %m, ...) kernel {
      %sched = tmm.scheduler static(%m, %n, %k) tile [128, 64, 64] : !tmm.scheduler
      scf.while (%work = %first) ... {
        %row, %col, %block, %count = tmm.work_tile %sched, %work : i32
        scf.for %i = 0 to %count { tmm.load; tmm.load; tmm.mma }
        scf.for %column = 0 to 64 step 32 { tmm.read; tmm.stage; tmm.unload }
      }
    }
    ```
  }];
  let options = [
    Option<"chip", "chip", "std::string", /*default=*/"\"sm_100a\"",
           "The target of the kernels">,
    Option<"features", "features", "std::string", /*default=*/"",
           "The PTX version of the kernels, as the NVPTX back end names it "
           "(+ptx88); the least one of the chip where empty">,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::tc::tmm::TMMDialect"];
}

def DropProblemsPass : Pass<"tmm-drop-problems"> {
  let summary = "Remove the statements of what launches compute";
  let description = [{
    The kernel description and diagnostics read `tmm.problem` and `tmm.row_problem`. Once host
    code goes on to upstream's lowerings, no pass reads them. `tmm.reinterpret` becomes a
    `builtin.unrealized_conversion_cast`: in LLVM both of its types are one.

    Before:

    ```mlir
    tmm.problem ins(%a, %b : ...) outs(%d : ...)
    gpu.launch_func @kernels::@host_matmul ...
    ```

    After:

    ```mlir
    gpu.launch_func @kernels::@host_matmul ...
    ```
  }];
}

#endif // TC_DIALECT_TMM_GENERATE_PASSES_TD
