// RUN: tc-opt %s --mlir-print-local-scope -allow-unregistered-dialect -split-input-file -sm90-allocate-smem | FileCheck %s
// RUN: tc-opt %s --mlir-print-local-scope -allow-unregistered-dialect -split-input-file -sm90-allocate-smem -canonicalize | FileCheck %s --check-prefix=FOLD

// The largest alignment first, the largest allocation first; the launch asks
// for the bytes and for the padding of the base.

!ring = memref<6144xi8, #gpu.address_space<workgroup>>
!small = memref<2048xi8, #gpu.address_space<workgroup>>
!bars = memref<24xi8, #gpu.address_space<workgroup>>
!odd = memref<100xi8, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @host
// 6144 + 2048 + 100, 24 after the next multiple of 8, 1008 of padding.
// CHECK: %[[BYTES:.*]] = arith.constant 9328 : i32
// CHECK: gpu.launch_func @m::@k {{.*}} dynamic_shared_memory_size %[[BYTES]]
// CHECK-LABEL: gpu.func @k
// CHECK: %[[S:.*]] = sm90.dynamic_smem align 1024 : memref<8320xi8, #gpu.address_space<workgroup>>
// CHECK: %[[BARS:.*]] = sm90.smem_view %[[S]][8296] : {{.*}} to memref<24xi8, #gpu.address_space<workgroup>>
// CHECK: %[[SMALL:.*]] = sm90.smem_view %[[S]][6144] : {{.*}} to memref<2048xi8, #gpu.address_space<workgroup>>
// CHECK: %[[RING:.*]] = sm90.smem_view %[[S]][0] : {{.*}} to memref<6144xi8, #gpu.address_space<workgroup>>
// CHECK: %[[ODD:.*]] = sm90.smem_view %[[S]][8192] : {{.*}} to memref<100xi8, #gpu.address_space<workgroup>>
// CHECK: "test.use"(%[[BARS]], %[[SMALL]], %[[RING]], %[[ODD]])
// FOLD-LABEL: gpu.func @k
// FOLD: %[[S:.*]] = sm90.dynamic_smem
// FOLD: sm90.mbarrier.view %[[S]][8304]
// FOLD: sm90.smem_view %[[S]][7168] : {{.*}} to memref<16x16xf32
module attributes {gpu.container_module} {
  func.func @host() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_90a">] {
    gpu.func @k() kernel {
      %bars = sm90.smem_alloc align 8 : !bars
      %small = sm90.smem_alloc align 1024 : !small
      %ring = sm90.smem_alloc align 1024 : !ring
      %odd = sm90.smem_alloc align 16 : !odd
      "test.use"(%bars, %small, %ring, %odd) : (!bars, !small, !ring, !odd) -> ()
      %full = sm90.mbarrier.view %bars[8] : !bars to !sm90.mbarrier_array<2>
      %tile = sm90.smem_view %small[1024] : !small to memref<16x16xf32, #gpu.address_space<workgroup>>
      "test.use"(%full, %tile) : (!sm90.mbarrier_array<2>, memref<16x16xf32, #gpu.address_space<workgroup>>) -> ()
      gpu.return
    }
  }
}

// -----

// What is small takes a place that is free between larger ones.

!a = memref<100xi8, #gpu.address_space<workgroup>>
!b = memref<2048xi8, #gpu.address_space<workgroup>>
!c = memref<24xi8, #gpu.address_space<workgroup>>

// CHECK-LABEL: gpu.func @between
// CHECK: %[[S:.*]] = sm90.dynamic_smem align 1024 : memref<3172xi8, #gpu.address_space<workgroup>>
// CHECK: %[[FIRST:.*]] = sm90.smem_view %[[S]][2048] : {{.*}} to memref<100xi8
// CHECK: %[[SECOND:.*]] = sm90.smem_view %[[S]][3072] : {{.*}} to memref<100xi8
// CHECK: %[[LARGE:.*]] = sm90.smem_view %[[S]][0] : {{.*}} to memref<2048xi8
// CHECK: %[[SMALL:.*]] = sm90.smem_view %[[S]][2152] : {{.*}} to memref<24xi8
// CHECK: "test.use"(%[[FIRST]], %[[SECOND]], %[[LARGE]], %[[SMALL]])
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  gpu.func @between() kernel {
    %first = sm90.smem_alloc align 1024 : !a
    %second = sm90.smem_alloc align 1024 : !a
    %large = sm90.smem_alloc align 1024 : !b
    %small = sm90.smem_alloc align 8 : !c
    "test.use"(%first, %second, %large, %small) : (!a, !a, !b, !c) -> ()
    gpu.return
  }
}

// -----

// Nothing to place: nothing is asked for.

// CHECK-LABEL: gpu.func @none
// CHECK-NOT: dynamic_smem
gpu.module @m {
  gpu.func @none() kernel {
    gpu.return
  }
}
