// REQUIRES: test-lib
// RUN: %python %S/Inputs/run.py %tc_build %s exchange %t
// RUN: tc-opt %s --mlir-print-local-scope -tmm-assign-roles -tmm-materialize-pipelines -tmm-pipeline -tmm-warp-specialize -canonicalize -cse \
// RUN:   -tmm-await-work -convert-tmm-pipelines-to-sm90 -canonicalize -cse | FileCheck %s

// Each of the 2 CTAs of a grid writes its row into the tile of every one, in
// global memory, and reads its own tile when all of them have. What passes a tile
// on is a counter in global memory for each slot and CTA: 2 * 32 threads release, as many
// acquire. Slots are used again when all CTAs that were filled have been read.

!tile = !tmm.buffer<2x64xf32, #test_unit.board<2>>

// CHECK-LABEL: gpu.func @exchange
// CHECK-NOT: mbarrier
// CHECK-NOT: cluster
// CHECK: tmm.warp_specialize "put" warps(1) {
// CHECK: llvm.load %{{.*}} atomic syncscope("device") acquire
// CHECK: test_unit.fill
// The full counters of both CTAs, modulo 2 * 64.
// CHECK: llvm.fence syncscope("device") release
// CHECK-NEXT: llvm.inttoptr
// CHECK-NEXT: llvm.atomicrmw uinc_wrap %{{.*}}, %c127_i32 syncscope("device") monotonic
// CHECK: llvm.atomicrmw uinc_wrap %{{.*}}, %c127_i32 syncscope("device") monotonic
// CHECK: } "take" warps(1) {
// CHECK: llvm.load %{{.*}} atomic syncscope("device") acquire
// CHECK: test_unit.drain
// CHECK: llvm.fence syncscope("device") release
// CHECK-NEXT: llvm.inttoptr
// CHECK-NEXT: llvm.atomicrmw uinc_wrap %{{.*}}, %c127_i32 syncscope("device") monotonic
// CHECK: llvm.atomicrmw uinc_wrap %{{.*}}, %c127_i32 syncscope("device") monotonic

module attributes {gpu.container_module} {
  func.func @main(%x: memref<768xf32>, %y: memref<1536xf32>, %board: memref<512xf32>, %full: memref<4xi32>, %empty: memref<4xi32>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c64 = arith.constant 64 : index
    %xs, %xo, %xn, %xt = memref.extract_strided_metadata %x : memref<768xf32> -> memref<f32>, index, index, index
    %ys, %yo, %yn, %yt = memref.extract_strided_metadata %y : memref<1536xf32> -> memref<f32>, index, index, index
    %bs, %bo, %bn, %bt = memref.extract_strided_metadata %board : memref<512xf32> -> memref<f32>, index, index, index
    %fs, %fo, %fn, %ft = memref.extract_strided_metadata %full : memref<4xi32> -> memref<i32>, index, index, index
    %es, %eo, %en, %et = memref.extract_strided_metadata %empty : memref<4xi32> -> memref<i32>, index, index, index
    gpu.launch_func @kernels::@exchange blocks in (%c2, %c1, %c1) threads in (%c64, %c1, %c1)
      args(%xs : memref<f32>, %ys : memref<f32>, %bs : memref<f32>, %fs : memref<i32>, %es : memref<i32>)
    return
  }
  gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
    gpu.func @exchange(%x: memref<f32>, %y: memref<f32>, %board: memref<f32>, %full: memref<i32>, %empty: memref<i32>) kernel
        attributes {known_block_size = array<i32: 64, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
      tmm.role "put" warps(1) drives [#test_unit.poster<3>]
      tmm.role "take" warps(1) drives [#test_unit.poster<4>]
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c6 = arith.constant 6 : i32
      scf.for %i = %c0 to %c6 step %c1 : i32 {
        %tile = tmm.alloc stages(2) : !tile
        test_unit.fill %tile, %x[%i] to(#test_unit.everyone<2>) by(#test_unit.poster<3>) : !tile, memref<f32>
        test_unit.drain %tile, %y[%i] by(#test_unit.poster<4>) : !tile, memref<f32>
      }
      gpu.return
    }
  }
}
