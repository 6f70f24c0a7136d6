// REQUIRES: test-lib
// RUN: %python %S/Inputs/run.py %tc_build %s branch %t
// RUN: tc-opt %s -tmm-assign-roles -tmm-materialize-pipelines | FileCheck %s

// A transaction that only some iterations make: the states go around the branch.

!tile = !tmm.buffer<4x32xf32, #sm90.smem<plain, none>>

// CHECK-LABEL: gpu.func @k
// CHECK: %{{.*}}:2 = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}})
// CHECK: %[[NEXT:.*]]:2 = scf.if
// CHECK: tmm.producer_acquire %{{.*}}[%[[P]]]
// CHECK: tmm.consumer_release %{{.*}}[%[[C]]]
// CHECK: else
// CHECK-NEXT: scf.yield %[[P]], %[[C]]
// CHECK: scf.yield %[[NEXT]]#0, %[[NEXT]]#1

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
      tmm.role "put" warps(1) drives [#test_unit.worker<0>]
      tmm.role "take" warps(1) drives [#test_unit.worker<1>]
      %c0 = arith.constant 0 : i32
      %c1 = arith.constant 1 : i32
      %c6 = arith.constant 6 : i32
      scf.for %i = %c0 to %c6 step %c1 : i32 {
        %bit = arith.andi %i, %c1 : i32
        %odd = arith.cmpi ne, %bit, %c0 : i32
        scf.if %odd {
          %tile = tmm.alloc stages(2) : !tile
          test_unit.fill %tile, %x[%i] by(#test_unit.worker<0>) : !tile, memref<f32>
          test_unit.drain %tile, %y[%i] by(#test_unit.worker<1>) : !tile, memref<f32>
        }
      }
      gpu.return
    }
  }
}
