//===- Passes.td - passes on the sm90 dialect --------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that stay within the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_TRANSFORMS_PASSES_TD
#define TC_DIALECT_SM90_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AllocateSmemPass : Pass<"sm90-allocate-smem", "::mlir::ModuleOp"> {
  let summary = "Place the shared memory of each kernel";
  let description = [{
    Gives each `sm90.smem_alloc` of a kernel its place in the dynamic shared memory
    of the CTA and the launch of the kernel the bytes that it has to ask for.
    The largest alignment comes first, the largest allocation among those of one
    alignment; each takes the first place that is free.

    Static shared memory (workgroup attributions of the kernel) counts towards what the
    target has, so this runs when all of it is known (`tcgen05-allocate-tmem`). A kernel
    that needs more is an error that lists them.

    Before:

    ```mlir
    %ring = sm90.smem_alloc align 1024 : memref<65536xi8, #gpu.address_space<workgroup>>
    %bars = sm90.smem_alloc align 8 : memref<64xi8, #gpu.address_space<workgroup>>
    %a = sm90.smem_view %ring[%slot] : memref<65536xi8, #gpu.address_space<workgroup>> to ...
    %full = sm90.mbarrier.view %bars[0] : memref<64xi8, #gpu.address_space<workgroup>> to ...
    ```

    After:

    ```mlir
    gpu.launch_func @m::@kernel ... dynamic_shared_memory_size %c66608_i32 ...

    %smem = sm90.dynamic_smem align 1024 : memref<65600xi8, #gpu.address_space<workgroup>>
    %ring = sm90.smem_view %smem[0] : memref<65600xi8, #gpu.address_space<workgroup>>
        to memref<65536xi8, #gpu.address_space<workgroup>>
    %a = sm90.smem_view %ring[%slot] : memref<65536xi8, #gpu.address_space<workgroup>> to ...
    %full = sm90.mbarrier.view %smem[65536] : memref<65600xi8, #gpu.address_space<workgroup>> to ...
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let statistics = [
    Statistic<"numAllocated", "allocations", "allocations placed">,
    Statistic<"numBytes", "bytes", "bytes of dynamic shared memory, without padding of the base">
  ];
}

def VerifyLoweredPass : Pass<"sm90-verify-lowered"> {
  let summary = "Fail if anything of the dialect is left in a GPU module";
  let description = [{
    Closes the level: after `convert-sm90-to-nvvm` and
    `convert-sm90-kernel-params` no operation, type or attribute of the dialect
    may be left in a GPU module. The host side keeps its tensor maps. The module
    is not changed.

    Before:

    ```mlir
    gpu.module @kernels {
      llvm.func @kernel() {
        nvvm.fence.mbarrier.init
        llvm.return
      }
    }
    ```

    After: the same. With `sm90.fence_mbarrier_init` in the place of the nvvm op
    the pass fails:

    ```
    expected nothing of dialect sm90 after convert-sm90-to-nvvm, got operation sm90.fence_mbarrier_init
    ```
  }];
}

#endif // TC_DIALECT_SM90_TRANSFORMS_PASSES_TD
