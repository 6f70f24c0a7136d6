// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -tc-lower-to-tcgen05="chip=sm_90a config='scheduler=counter tile=64x64x64'" | FileCheck %s

// One thread counts; after the loads of the tile, which hide the latency, it stores the
// number of the first CTA of a group. Each role reads it.
// CHECK-LABEL: gpu.func @plain_matmul(
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<i32, #gpu.address_space<global>>
// CHECK: %[[OLD:.*]] = sm90.atom_inc %[[C]], %{{.*}} : memref<i32, #gpu.address_space<global>>
// CHECK: scf.for
// CHECK: sm90.tma_load
// CHECK: %[[GRID:.*]] = gpu.grid_dim x
// CHECK: %[[CTAS:.*]] = arith.index_cast %[[GRID]]
// CHECK: %[[CTA:.*]] = arith.addi %[[OLD]], %[[CTAS]]
// CHECK: %[[IS:.*]] = arith.cmpi ult, %[[CTA]], %{{.*}}
// CHECK: %[[ANSWER:.*]] = arith.select %[[IS]], %[[CTA]], %c-1_i32
// CHECK: sm90.st_async %[[ANSWER]], %{{.*}}, %[[FULL:.*]] : memref<1xi32
// CHECK: sm90.mbarrier.arrive_expect_tx %[[FULL]], 4 : !sm90.mbarrier
// Nothing is fenced: readers and st.async are in the generic proxy.
// CHECK: sm90.mbarrier.wait_parity
// CHECK-NOT: fence
// CHECK: memref.load %{{.*}} : memref<1xi32, #gpu.address_space<workgroup>>
// CHECK-NOT: fence
// CHECK: sm90.mbarrier.arrive
func.func @plain(%a: memref<1024x136xbf16>, %b: memref<1024x136xbf16>, %d: memref<1024x1024xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<1024x136xbf16>, memref<1024x136xbf16>) outs(%d : memref<1024x1024xf32>)
  return
}

// -----

// The first CTA of a cluster counts for all, which expect the bytes.
// CHECK-LABEL: gpu.func @cluster_matmul(
// CHECK: %[[OLD:.*]] = scf.if %{{.*}} -> (i32) {
// CHECK-NEXT: %[[REQUEST:.*]] = sm90.atom_inc
// CHECK-NEXT: scf.yield %[[REQUEST]] : i32
// CHECK-NEXT: } else {
// CHECK-NEXT: scf.yield %c0_i32 : i32
// CHECK: %[[GROUPS:.*]] = arith.divui %{{.*}}, %c2_i32
// CHECK: %[[GROUP:.*]] = arith.addi %[[OLD]], %[[GROUPS]]
// CHECK: %[[IS:.*]] = arith.cmpi ult, %[[GROUP]]
// CHECK: %[[CTA:.*]] = arith.muli %[[GROUP]], %c2_i32
// CHECK: %[[ANSWER:.*]] = arith.select %[[IS]], %[[CTA]], %c-1_i32
// CHECK: sm90.st_async %[[ANSWER]], %[[W:.*]], %[[FULL:.*]] of %c0_i32 : memref<1xi32
// CHECK: sm90.st_async %[[ANSWER]], %[[W]], %[[FULL]] of %c1_i32 : memref<1xi32
// CHECK-COUNT-2: sm90.mbarrier.arrive_expect_tx %{{.*}}, 4 relaxed : !sm90.cluster_mbarrier
func.func @cluster(%a: memref<1024x136xbf16>, %b: memref<1024x136xbf16>, %d: memref<1024x1024xf32>) {
  tmm.matmul transpose_b config <tile = <cluster = 1x2>>
    ins(%a, %b : memref<1024x136xbf16>, memref<1024x136xbf16>) outs(%d : memref<1024x1024xf32>)
  return
}
