// REQUIRES: test-lib
// RUN: tc-opt %s -tmm-assign-roles -tmm-materialize-pipelines -tmm-pipeline -tmm-warp-specialize -canonicalize \
// RUN:   -convert-tmm-pipelines-to-sm90 | FileCheck %s

// The loop runs zero times: nothing is left of it, nor of its pipeline.

!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>

// CHECK-LABEL: gpu.func @k
// CHECK-NOT: pipeline
// CHECK-NOT: mbarrier
// CHECK: gpu.return
gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
  gpu.func @k(%x: memref<f32>, %y: memref<f32>) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
    tmm.role "put" warps(1) drives [#test_unit.worker<0>]
    tmm.role "take" warps(1) drives [#test_unit.worker<1>]
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %c6 = arith.constant 6 : i32
    scf.for %i = %c6 to %c0 step %c1 : i32 {
      %tile = tmm.alloc stages(2) : !tile
      test_unit.fill %tile, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
      test_unit.drain %tile, %y[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
    }
    gpu.return
  }
}
