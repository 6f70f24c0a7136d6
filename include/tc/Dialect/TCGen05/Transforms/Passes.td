//===- Passes.td - passes on the tcgen05 dialect -----------*- tablegen -*-===//
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

#ifndef TC_DIALECT_TCGEN05_TRANSFORMS_PASSES_TD
#define TC_DIALECT_TCGEN05_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def AllocateTmemPass : Pass<"tcgen05-allocate-tmem"> {
  let summary = "Allocate Tensor Memory for the reserved regions of a kernel";
  let description = [{
    Packs all `tcgen05.reserve` of a kernel (`gpu.func`) into columns, widest
    first, and replaces each by a slice of one allocation. Warp
    0 allocates at the start of the kernel, the smallest power of two of columns
    that holds them; the address passes through a word of workgroup memory. At
    the end of the kernel, after a barrier, warp 0 frees the allocation.

    Regions that are not in use at the same time share columns. A region is in use
    from its first access until all threads of the CTA, or of the cluster for a
    pair, meet after its last one (`tcgen05.fence before`, a barrier,
    `tcgen05.fence after`, in the kernel's entry block), its asynchronous accesses
    being complete by then: loads and stores by a `tcgen05.wait`, the others by a
    wait for the mbarrier of the one commit to it that follows them. What is not
    seen to end, as in a loop or through a pipeline, is in use until the kernel
    ends. Two sums of 64 rows (layout F) have the lower and the upper half of the
    same columns where all their loads and stores are of 16 lanes, and neither A
    in Tensor Memory nor metadata has to be in their lanes.

    Where the columns of the target are too few, the error names the regions that are in use
    where most columns are. Metadata of a sparse A starts at a multiple of 4
    columns.

    With a layout of a CTA pair (A, B, C) the allocation is for the pair, and
    the barriers are those of the cluster.

    Before:

    ```mlir
    gpu.func @kernel() kernel {
      %acc = tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
      ...
      gpu.return
    }
    ```

    After:

    ```mlir
    gpu.func @kernel() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
      ...
      scf.if %is_warp_0 {
        tcgen05.alloc %slot, 128 : memref<1xi32, #gpu.address_space<workgroup>>
        tcgen05.relinquish_alloc_permit
      }
      tcgen05.fence before
      gpu.barrier
      tcgen05.fence after
      %tmem = tcgen05.address %slot
          : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x128xi32, raw>
      %acc = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x128xi32, raw> to !tcgen05.tmem<128x128xf32, D>
      ...
      tcgen05.fence before
      gpu.barrier
      scf.if %is_warp_0 {
        tcgen05.dealloc %tmem : !tcgen05.tmem<128x128xi32, raw>
      }
      gpu.return
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::gpu::GPUDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::scf::SCFDialect"];
  let statistics = [
    Statistic<"numReserved", "reserved-regions", "regions reserved">,
    Statistic<"numColumns", "allocated-columns", "columns allocated">
  ];
}

def VerifyKernelsPass : Pass<"tcgen05-verify-kernels"> {
  let summary = "Check the rules of tcgen05 that span the operations of a kernel";
  let description = [{
    What no verifier of one operation can see in a kernel (`gpu.func kernel`), after
    `tcgen05-allocate-tmem`. The module is not changed.

    C2 to C6, C8, C12, C16 and C17 are about paths: branches of operations and of blocks,
    and turns of loops. Operations such as `scf.for` are executed once at least; a loop of
    blocks that tests its condition first may be left at once. A path that breaks a rule is an
    error. Of what a branch of a turn allocates and the next turn frees nothing is known
    after the last one. Where two branches depend on conditions that are not the same value, nothing is
    known of a path through both: what one warp allocates another one may free, also in
    the other branch of one condition, unless all threads of the CTA are known to have the
    same value of it (arithmetic on parameters, constants and indices of the CTA). After a
    call of a function that has tcgen05 operations, or that is elsewhere, nothing is known.

    * C1: all operations, also of functions that the kernel calls, have the same
      cta_group (PTX ISA, "CTA Pair").
    * C2: every allocation is freed before its slot is written again and before the
      kernel ends (PTX ISA, "Tensor Memory Allocation and Management Instructions",
      as C3, C4 and C12).
    * C3: `tcgen05.dealloc` frees what `tcgen05.alloc` allocated on all paths to it, whole
      and once; the slot of `tcgen05.address` says which.
    * C4: nothing is allocated after `tcgen05.relinquish_alloc_permit`.
    * C5: no more columns than the target has, 512 or 576, are allocated at a time
      (PTX ISA, "Tensor Memory Allocation", as C6).
    * C6: an allocation has no more columns than the one before it.
    * C7: loads and stores reach the lanes of the executing warp: their region does
      not come from outside of the kernel (PTX ISA, "Access restrictions").
    * C8: columns that are being stored are not accessed, and columns that are being
      loaded not written, before the `tcgen05.wait` (PTX ISA, "Memory Consistency
      Model for 5th generation of TensorCore operations"). That nothing reads a
      result before it is a rule of `tcgen05.ld`.
    * C9: what an operation reads in Tensor Memory and what it writes there do not
      overlap: D on one side, A, metadata, scale factors and tables on the other (PTX
      ISA, "tcgen05.mma").
    * C10: metadata of kinds f16 and tf32 starts at a multiple of 4 columns of its
      allocation, of 2 where it has no more: the selector counts from there (PTX ISA,
      "Sparse Matrices").
    * C11: what `collector use` or `lastuse` takes from a collector buffer, an
      operation of the kernel has filled in (PTX ISA, "tcgen05.mma", for buffers of B
      "tcgen05.mma.ws", as C13 and C14).
    * C12: an access is to an allocation that is not freed.
    * C13: the fill comes before the `use` or `lastuse`, with neither `lastuse` nor
      `discard`, which is the default, between them. Where that depends on the path,
      nothing is checked: a loop may fill in its first iteration.
    * C14: the operand is the one that was filled in: an A, or B, at another place,
      or from another `a_k` or `b_k` on, is refused where the places are known; so is
      another K, or another table of a B of indices.
    * C15: a slice whose column is a constant value is within its source (PTX ISA,
      "Tensor Memory").
    * C16: `tcgen05.address` gives no more columns than are allocated (PTX ISA, "Tensor
      Memory Allocation").
    * C17: an exclusive allocation is the only one while it lives, and is freed as
      one (PTX ISA, "tcgen05.alloc").
    * C18: a table of `lookup` starts at an even column of its allocation, since its
      rows are two cells.

    Before:

    ```mlir
    gpu.func @kernel() workgroup(%slot : memref<1xi32, #gpu.address_space<workgroup>>) kernel {
      tcgen05.alloc %slot, 128 : memref<1xi32, #gpu.address_space<workgroup>>
      gpu.return
    }
    ```

    After: the pass fails.

    ```
    expected every allocation of Tensor Memory to be freed before the kernel ends, got 1 that is not
    ```
  }];
}

def VerifyLoweredPass : Pass<"tcgen05-verify-lowered"> {
  let summary = "Fail if anything of the dialect is left";
  let description = [{
    Closes the level: after `convert-tcgen05-to-nvvm` no operation, type or
    attribute of the dialect may be left in a GPU module. The module is not changed.

    Before:

    ```mlir
    gpu.module @kernels {
      llvm.func @kernel() {
        nvvm.tcgen05.wait <load>
        llvm.return
      }
    }
    ```

    After: the same. With `tcgen05.wait ld` in the place of the nvvm op the pass
    fails:

    ```
    expected nothing of dialect tcgen05 after convert-tcgen05-to-nvvm, got operation tcgen05.wait
    ```
  }];
}

#endif // TC_DIALECT_TCGEN05_TRANSFORMS_PASSES_TD
