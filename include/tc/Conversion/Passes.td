//===- Passes.td - conversions between dialects ------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One pass per conversion, from the top level to the bottom.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_PASSES_TD
#define TC_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"
include "tc/Conversion/LinalgPasses.td"

//===----------------------------------------------------------------------===//
// TMMToSM90
//===----------------------------------------------------------------------===//

def ConvertTMMPipelinesToSM90Pass : Pass<"convert-tmm-pipelines-to-sm90"> {
  let summary = "Lower pipelines to storages, mbarriers and fences";
  let description = [{
    Each buffer of a slot gets a storage (`tmm.storage`), each pipeline the mbarriers
    that its ends need; one thread initialises them at the start of the kernel. The
    protocol ops become waits, arrivals, expected bytes, commits and fences, derived
    from the engines, memory spaces and agent sets of the ops that use the slots. A
    state becomes the number of its slot and the parity of its lap. What one thread
    executes is a `tmm.issue`.

    A transaction begins and ends in one block, once each, and nothing uses its slot
    after its end, which may be in a branch for the last iteration of a loop there
    (`tmm-release-early`). Pending work is awaited before its slot is released and before
    its results are used. Roles make as many rounds of slots that pipelines share, and
    their transactions in the order in which a slot goes round.

    Before:

    ```mlir
    %ring = tmm.pipeline stages(4) : !ring
    %a, %b = tmm.consumer_wait %ring[%s] : !ring
    tmm.mma %a, %b, %acc accumulate(%more) by(#tcgen05.mma) : !a, !b, !acc
    %s1 = tmm.consumer_release %ring[%s] : !ring
    ```

    After:

    ```mlir
    %as = tmm.storage : !tmm.storage<!a, depth = 4>
    tmm.issue {
      %bar = sm90.mbarrier.get %full[%slot] : !sm90.mbarrier_array<4>
      sm90.mbarrier.wait_parity %bar, %phase : !sm90.mbarrier
    }
    %a = tmm.slot %as[%slot] : !tmm.storage<!a, depth = 4>
    tmm.mma %a, %b, %acc accumulate(%more) by(#tcgen05.mma) : !a, !b, !acc
    tmm.issue {
      %bar = sm90.mbarrier.get %empty[%slot] : !sm90.mbarrier_array<4>
      tcgen05.commit %bar : !sm90.mbarrier
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect", "::tc::sm90::SM90Dialect",
    "::tc::tmm::TMMDialect"];
}

def ConvertTMMKernelInterfaceToSM90Pass
    : Pass<"convert-tmm-kernel-interface-to-sm90", "::mlir::ModuleOp"> {
  let summary = "Make tensor maps, pointers and sizes of a kernel's matrices";
  let description = [{
    Rewrites the parameters of each kernel of tile ops, and its launch. A matrix that TMA
    copies (`by(#sm90.tma)`, `by(#sm90.tma_store)`) becomes a tensor map for each shape of its
    tiles, whose box is a slab of the tile's memory space, encoded on the host; batch dimensions
    of size 1 are not part of it, and copies lose their indices. One thread fetches the
    descriptors at the start of the kernel. A matrix that threads access becomes a pointer
    and those sizes and strides that are not static; in the kernel
    `memref.reinterpret_cast` makes a memref in global memory of them. Each size is passed once.

    The requirements of TMA are checked: strides and offsets of a multiple of 16 bytes, 0
    included, and rows of such a length where TMA stores them, because it writes 16 bytes as
    a whole. Here where they are static, on the host (`cf.assert`) where they are not.

    No matrix unit is asked. Pipelines must be lowered (`convert-tmm-pipelines-to-sm90`); tile
    ops are still there.

    Before:

    ```mlir
    gpu.launch_func @kernels::@k blocks in (...) threads in (...)
        args(%a : memref<?x64xbf16>, %d : memref<?x136xf32>, %m : i32)

    gpu.func @k(%a: memref<?x64xbf16>, %d: memref<?x136xf32>, %m: i32) kernel {
      tmm.load %a[%row, %k], %tile by(#sm90.tma) signal %full : !sm90.mbarrier : memref<?x64xbf16>, !tile
      tmm.store %r, %d[%row, %col] : vector<128x32xf32>, memref<?x136xf32>
    }
    ```

    After:

    ```mlir
    %map = sm90.tensor_map.encode %a[0] dims [%rows, 64] strides [128]
        : memref<?x64xbf16> to !sm90.tensor_map<128x64xbf16, b128>
    gpu.launch_func @kernels::@k blocks in (...) threads in (...)
        args(%m : i32, %map : !sm90.tensor_map<128x64xbf16, b128>,
             %base : memref<f32, #gpu.address_space<global>>)

    gpu.func @k(%m: i32, %map: !sm90.tensor_map<128x64xbf16, b128>,
                %base: memref<f32, #gpu.address_space<global>>) kernel {
      %rows = arith.index_cast %m : i32 to index
      %d = memref.reinterpret_cast %base to offset: [0], sizes: [%rows, 136], strides: [136, 1]
          : memref<f32, #gpu.address_space<global>> to memref<?x136xf32, #gpu.address_space<global>>
      tmm.load %map[%row, %k], %tile by(#sm90.tma) signal %full : !sm90.mbarrier
          : !sm90.tensor_map<128x64xbf16, b128>, !tile
      tmm.store %r, %d[%row, %col] : vector<128x32xf32>, memref<?x136xf32, #gpu.address_space<global>>
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::cf::ControlFlowDialect",
    "::mlir::gpu::GPUDialect", "::mlir::memref::MemRefDialect",
    "::tc::sm90::SM90Dialect", "::tc::tmm::TMMDialect"];
}

def ConvertTMMRolesToSM90Pass : Pass<"convert-tmm-roles-to-sm90"> {
  let summary = "Lower roles and the issuing thread to branches";
  let description = [{
    A role becomes the branch of its warps, an elected one that of one of their
    threads, and one over several CTAs that of the first of them. `tmm.issue` becomes
    the branch of the thread that is elected in warp 0 of the CTA or of its role;
    in an elected role there is no other. Roles with registers of their own set them
    first (`setmaxnreg`): counts above that of the launch are taken from the pool,
    the others given back. The warps of a warpgroup have one count.

    Before:

    ```mlir
    tmm.warp_specialize "epilogue" warps(4) { ... } "load" warps(1) elected { ... }
    ```

    After:

    ```mlir
    %first = arith.cmpi ult, %warp, %c4 : i32
    scf.if %first { ... } else {
      %second = arith.cmpi ult, %warp, %c5 : i32
      scf.if %second {
        %one = sm90.elect : i1
        scf.if %one { ... }
      }
    }
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::scf::SCFDialect", "::tc::sm90::SM90Dialect"];
}

//===----------------------------------------------------------------------===//
// TMMTiles
//===----------------------------------------------------------------------===//

def ConvertTMMTilesPass : Pass<"convert-tmm-tiles"> {
  let summary = "Convert the ops on tiles to the instructions of their units";
  let description = [{
    Lowers what is left of tmm in a kernel when its scheduler, its pipelines and its
    interface are lowered and register tiles are dealt to threads. A storage becomes an
    allocation of shared memory, a slot a view of it, and a copy of TMA one for each slab of
    its tile. What else there is each matrix unit lowers whose engines and memory spaces the
    ops name (`MatrixUnitModel`).

    Roles and `tmm.issue` stay: `convert-tmm-roles-to-sm90` lowers them next.

    **tcgen05.** A storage in Tensor Memory becomes columns of it, a multiplication one
    `tcgen05.mma` for each step along K, each in a `tmm.issue`. Reads become loads from Tensor
    Memory.

    Before:

    ```mlir
    %a = tmm.slot %as[%slot] : !tmm.storage<!a, depth = 4>
    %b = tmm.slot %bs[%slot] : !tmm.storage<!b, depth = 4>
    tmm.mma %a, %b, %acc accumulate(%more) by(#tcgen05.mma) : !a, !b, !acc
    ```

    After:

    ```mlir
    %a = sm90.smem_view %as[%offset] : memref<65536xi8, #gpu.address_space<workgroup>> to memref<...>
    %b = sm90.smem_view %bs[%offset] : memref<65536xi8, #gpu.address_space<workgroup>> to memref<...>
    tmm.issue {
      tcgen05.mma f16 %acc, %a, %b accumulate(%more) : ...
      tcgen05.mma f16 %acc, %a, %b accumulate(%true) {a_k = 16 : i64, b_k = 16 : i64} : ...
    }
    ```

    **wgmma.** A multiplication becomes a group of `sm90.wgmma.mma_async`, one for each step
    along K; each warpgroup of the role has the 64 rows of A that belong to its registers.
    `tmm.await` becomes the wait for the group.

    Before:

    ```mlir
    %a = tmm.slot %as[%slot] : !tmm.storage<!a, depth = 4>
    %b = tmm.slot %bs[%slot] : !tmm.storage<!b, depth = 4>
    %new = tmm.mma %a, %b, %old accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : !a, !b, vector<64xf32> -> vector<64xf32>
    %sum = tmm.await %new by(#sm90.wgmma) pending 0 : vector<64xf32>
    ```

    After, with a K-block of two steps:

    ```mlir
    %a = sm90.smem_view %as[%offset] : memref<65536xi8, #gpu.address_space<workgroup>> to memref<...>
    %b = sm90.smem_view %bs[%offset] : memref<65536xi8, #gpu.address_space<workgroup>> to memref<...>
    %r = sm90.wgmma.fence(%old : vector<64xf32>)
    %d0 = sm90.wgmma.mma_async %r, %a, %b accumulate(%more) : ...
    %d1 = sm90.wgmma.mma_async %d0, %a, %b accumulate(%true) {a_k = 16 : i64, b_k = 16 : i64} : ...
    sm90.wgmma.commit_group
    %sum = sm90.wgmma.wait_group 0 (%d1 : vector<64xf32>)
    ```

    **mma.sync.** A multiplication becomes an `sm80.mma_sync` for each step along K; each warp
    of the role has the rows of A that belong to its registers.

    Before:

    ```mlir
    %a = tmm.slot %as[%slot] : !tmm.storage<!a, depth = 3>
    %b = tmm.slot %bs[%slot] : !tmm.storage<!b, depth = 3>
    %sum = tmm.mma %a, %b, %old accumulate(%true) by(#sm80.mma_sync) layout(#sm80.mma_layout<32>)
      : !a, !b, vector<128xf32> -> vector<128xf32>
    ```

    After, with a K-block of two steps:

    ```mlir
    %a = sm90.smem_view %as[%offset] : memref<49152xi8, #gpu.address_space<workgroup>> to memref<...>
    %b = sm90.smem_view %bs[%offset] : memref<49152xi8, #gpu.address_space<workgroup>> to memref<...>
    %d0 = sm80.mma_sync %old, %a, %b row(%row) : ...
    %sum = sm80.mma_sync %d0, %a, %b row(%row) {a_k = 16 : i64, b_k = 16 : i64} : ...
    ```
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect",
    "::mlir::vector::VectorDialect", "::tc::sm80::SM80Dialect",
    "::tc::sm90::SM90Dialect"];
}

//===----------------------------------------------------------------------===//
// TCGen05ToNVVM
//===----------------------------------------------------------------------===//

def ConvertTCGen05ToNVVMPass : Pass<"convert-tcgen05-to-nvvm"> {
  let summary = "Convert tcgen05 to NVVM";
  let description = [{
    Converts every `tcgen05` operation to the `nvvm.tcgen05` one. A Tensor Memory
    region becomes its address (`!llvm.ptr<6>`), a tile in shared memory its
    base (`!llvm.ptr<3>`); matrix descriptors and instruction descriptors are
    computed from the types. The constant part of a matrix descriptor and the
    base address are joined once per operand; each K step is one addition.

    Runs on the device code before `gpu`, `scf`, `vector`, `memref` and `arith`
    are converted, in any order with `convert-sm90-to-nvvm`; casts between the
    two are folded by `reconcile-unrealized-casts` in the end. Regions and
    operands that pass through `scf` operations are converted with them.
    `tcgen05.reserve` must be gone (`tcgen05-allocate-tmem`).

    Before:

    ```mlir
    tcgen05.commit %bar : !sm90.mbarrier
    ```

    After:

    ```mlir
    %ptr = builtin.unrealized_conversion_cast %bar : !sm90.mbarrier to !llvm.ptr<3>
    nvvm.tcgen05.commit %ptr : !llvm.ptr<3>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect"];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", /*default=*/"0",
           "Bits of an index, as convert-gpu-to-nvvm has it; 0: those of the data layout">
  ];
}

//===----------------------------------------------------------------------===//
// SM80ToNVVM
//===----------------------------------------------------------------------===//

def ConvertSM80ToNVVMPass : Pass<"convert-sm80-to-nvvm"> {
  let summary = "Convert sm80 to NVVM";
  let description = [{
    Converts `sm80` operations to NVVM operations. A multiplication by a warp becomes
    the `nvvm.ldmatrix` of its fragments and an `nvvm.mma.sync` for each 16 x 8 elements of
    its result, or the intrinsic or `nvvm.mma.block_scale` of its types. A tile in shared
    memory becomes its base, an mbarrier its address (`!llvm.ptr<3>`).

    Runs on the device code before `gpu`, `scf`, `vector`, `memref` and `arith` are
    converted, in any order with `convert-sm90-to-nvvm`.

    Before:

    ```mlir
    sm80.cp_async_arrive %bar : !sm90.mbarrier
    ```

    After:

    ```mlir
    %ptr = builtin.unrealized_conversion_cast %bar : !sm90.mbarrier to !llvm.ptr<3>
    nvvm.cp.async.mbarrier.arrive %ptr {noinc = true} : !llvm.ptr<3>
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect"];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", /*default=*/"0",
           "Bits of an index, as convert-gpu-to-nvvm has it; 0: those of the data layout">
  ];
}

//===----------------------------------------------------------------------===//
// SM90ToNVVM
//===----------------------------------------------------------------------===//

def ConvertSM90ToNVVMPass : Pass<"convert-sm90-to-nvvm"> {
  let summary = "Convert the device side of sm90 to NVVM";
  let description = [{
    Converts `sm90` operations in device code to NVVM operations. An mbarrier
    becomes its address, a tensor map a pointer to it. A wait becomes a
    `scf.while` loop over `nvvm.mbarrier.try_wait`, so this runs before
    `convert-scf-to-cf`. Dynamic shared memory becomes one external array of the
    module, whose base is aligned at run time.

    Kernel signatures stay: `convert-gpu-to-nvvm` converts them (the dialect
    tells it how: registerConvertSM90ToNVVMInterface), and
    `convert-sm90-kernel-params` gives the pointers their attributes. For it,
    this pass marks each kernel with the numbers of its tensor map arguments.

    Host operations (`sm90.tensor_map.encode`) are left alone.

    Before:

    ```mlir
    sm90.mbarrier.wait_parity %bar, %parity : !sm90.mbarrier
    ```

    After:

    ```mlir
    scf.while : () -> () {
      %done = nvvm.mbarrier.try_wait %ptr, %parity : !llvm.ptr<3>, i32 -> i1
      %again = arith.xori %done, %true : i1
      scf.condition(%again)
    } do {
      scf.yield
    }
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect",
                           "::mlir::NVVM::NVVMDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
  let options = [
    Option<"indexBitwidth", "index-bitwidth", "unsigned", /*default=*/"0",
           "Bits of an index, as convert-gpu-to-nvvm has it; 0: those of the data layout">
  ];
}

def ConvertSM90HostToLLVMPass : Pass<"convert-sm90-host-to-llvm", "::mlir::ModuleOp"> {
  let summary = "Convert the host side of sm90 to calls of the runtime library";
  let description = [{
    `sm90.tensor_map.encode` becomes a call of `tcTensorMapEncode`, or of `tcTensorMapEncodeIm2col`, of the runtime library
    (`libTCHostRuntime.so`), which has the CUDA driver encode 128 bytes; a launch takes these by value,
    and the bare pointers of its memrefs. What is left is upstream's: `gpu-to-llvm`, and the
    translation of `gpu.binary` and `gpu.launch_func`, whose functions (`mgpu*`) are in the same library
    (`docs/Tools.md` has the passes in order).

    A tensor map may be the operand of launches only.

    Before:

    ```mlir
    %map = sm90.tensor_map.encode %a[0] dims [64, 64] strides [128]
        : memref<64x64xbf16> to !sm90.tensor_map<64x64xbf16, b128>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c192, %c1, %c1)
        args(%map : !sm90.tensor_map<64x64xbf16, b128>, %d : memref<64x64xf32>)
    ```

    After:

    ```mlir
    llvm.call @tcTensorMapEncode(%memory, %type, %rank, %address, %dims, %strides, %box, %steps, %swizzle, %l2, %oob)
    %map = llvm.load %memory : !llvm.ptr -> !llvm.array<16 x i64>
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c192, %c1, %c1)
        args(%map : !llvm.array<16 x i64>, %pointer : !llvm.ptr)
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::arith::ArithDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ConvertSM90KernelParamsPass
    : Pass<"convert-sm90-kernel-params"> {
  let summary = "Pass tensor maps to kernels by value";
  let description = [{
    After `convert-gpu-to-nvvm`: marks the pointers that were tensor maps
    `llvm.byval = !llvm.array<16 x i64>`, `llvm.align = 64` and
    `nvvm.grid_constant`, so that the 128 bytes are a kernel parameter and TMA
    reads them in parameter space.

    Arguments must have been converted one to one: memrefs by the bare pointer
    convention (`use-bare-ptr-memref-call-conv`).

    Before:

    ```mlir
    llvm.func @kernel(%arg0: !llvm.ptr) attributes {gpu.kernel, nvvm.kernel, sm90.tensor_map_params = array<i64: 1, 0>}
    ```

    After:

    ```mlir
    llvm.func @kernel(%arg0: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<16 x i64>, nvvm.grid_constant})
        attributes {gpu.kernel, nvvm.kernel}
    ```
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // TC_CONVERSION_PASSES_TD
