// REQUIRES: test-lib
// RUN: tc-opt %s -canonicalize -tmm-assign-roles -tmm-materialize-pipelines | FileCheck %s

// The order of a list of uses is not that of the program: here folding a select makes the
// first op the last user. What fills the tile first is its producer all the same, as in
// in-place.mlir, which runs.

!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>

// CHECK-LABEL: gpu.func @k
// CHECK: scf.for
// CHECK: tmm.producer_acquire
// CHECK: test_unit.fill
// CHECK: tmm.producer_commit
// CHECK: tmm.consumer_wait
// CHECK: test_unit.scale
// CHECK: test_unit.drain
// CHECK: tmm.consumer_release

module attributes {gpu.container_module} {
  func.func @main(%x: memref<768xf32>, %y: memref<768xf32>) {
    %c1 = arith.constant 1 : index
    %threads = arith.constant 64 : index
    %xs, %xo, %xn, %xt = memref.extract_strided_metadata %x : memref<768xf32> -> memref<f32>, index, index, index
    %ys, %yo, %yn, %yt = memref.extract_strided_metadata %y : memref<768xf32> -> memref<f32>, index, index, index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%xs : memref<f32>, %ys : memref<f32>)
    return
  }
  gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
    gpu.func @k(%x: memref<f32>, %y: memref<f32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      tmm.role "add" warps(1) drives [#test_unit.worker<0>]
      tmm.role "double" warps(1) drives [#test_unit.worker<1>]
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c6 = arith.constant 6 : i32
      %tile = tmm.alloc : !tile
      %any = arith.cmpi ne, %c6, %c0 : i32
      scf.for %i = %c0 to %c6 step %c1 : i32 {
        %same = arith.select %any, %tile, %tile : !tile
        %more = arith.cmpi ne, %i, %c0 : i32
        test_unit.fill %same, %x[%i] add(%more) by(#test_unit.worker<0>) : !tile, memref<f32>
        test_unit.scale %tile by(#test_unit.worker<1>) : !tile
        test_unit.drain %tile, %y[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
      }
      gpu.return
    }
  }
}
