// REQUIRES: test-lib
// RUN: %python %S/Inputs/run.py %tc_build %s shared %t
// RUN: tc-opt %s --mlir-print-local-scope -tmm-assign-roles -tmm-materialize-pipelines | tc-opt --mlir-print-local-scope -tmm-pipeline -tmm-warp-specialize -canonicalize -cse -tmm-await-work -convert-tmm-pipelines-to-sm90 | tc-opt | FileCheck %s

// Two buffers in the same memory. A slot goes from `first` to `second`, which has
// stored it before it fills it anew, and from there to `third`, whose release is what
// `first` waits for.

!s = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>
!p = !tmm.buffer<2x64xf32, #sm90.smem<plain, none>>

// CHECK-LABEL: gpu.func @k
// CHECK: %[[S:.*]] = tmm.storage
// CHECK: tmm.storage over %[[S]]

module attributes {gpu.container_module} {
  func.func @main(%x: memref<768xf32>, %z: memref<768xf32>, %y: memref<768xf32>, %w: memref<768xf32>) {
    %c1 = arith.constant 1 : index
    %threads = arith.constant 96 : index
    %xs, %xo, %xn, %xt = memref.extract_strided_metadata %x : memref<768xf32> -> memref<f32>, index, index, index
    %zs, %zo, %zn, %zt = memref.extract_strided_metadata %z : memref<768xf32> -> memref<f32>, index, index, index
    %ys, %yo, %yn, %yt = memref.extract_strided_metadata %y : memref<768xf32> -> memref<f32>, index, index, index
    %ws, %wo, %wn, %wt = memref.extract_strided_metadata %w : memref<768xf32> -> memref<f32>, index, index, index
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%xs : memref<f32>, %zs : memref<f32>, %ys : memref<f32>, %ws : memref<f32>)
    return
  }
  gpu.module @kernels [#nvvm.target<chip = "sm_90a">] {
    gpu.func @k(%x: memref<f32>, %z: memref<f32>, %y: memref<f32>, %w: memref<f32>) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
      tmm.role "first" warps(1) drives [#test_unit.worker<0>]
      tmm.role "second" warps(1) drives [#test_unit.worker<1>]
      tmm.role "third" warps(1) drives [#test_unit.worker<2>]
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c6 = arith.constant 6 : i32
      scf.for %i = %c0 to %c6 step %c1 : i32 {
        %s = tmm.alloc stages(2) : !s
        %p = tmm.alloc stages(2) over %s : !p on !s
        test_unit.fill %s, %x[%i] by(#test_unit.worker<0>) : !s, memref<f32>
        test_unit.drain %s, %y[%i] by(#test_unit.worker<1>) : !s, memref<f32>
        test_unit.fill %p, %z[%i] by(#test_unit.worker<1>) : !p, memref<f32>
        test_unit.drain %p, %w[%i] by(#test_unit.worker<2>) : !p, memref<f32>
      }
      gpu.return
    }
  }
}
