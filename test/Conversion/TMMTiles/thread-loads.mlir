// RUN: tc-opt %s --mlir-print-local-scope -tmm-choose-config="config=stages=2" -tmm-tile -canonicalize -tmm-assign-roles -tmm-materialize-pipelines -tmm-pipeline -tmm-warp-specialize -canonicalize -cse -tmm-lower-scheduler -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -canonicalize -cse | FileCheck %s

// 128 threads copy 16 rows of 64 elements at a time, 8 bytes each (rows are 200 bytes), four copies
// before the next; what is past the end of a row is zero, and no address past it is formed.
// CHECK-LABEL: gpu.func @copies_matmul
// CHECK: "gather"
// CHECK: scf.for %{{.*}} = %c0{{.*}} to %c16{{.*}} step %c4
// CHECK: arith.divui %{{.*}}, %c16_i32
// CHECK: %[[CHUNK:.*]] = arith.remui %{{.*}}, %c16_i32
// CHECK: arith.muli %[[CHUNK]], %c4_i32
// CHECK: %[[INSIDE:.*]] = arith.andi
// CHECK: %[[ROOM:.*]] = arith.minsi %{{.*}}, %c4_i32
// CHECK: %[[BYTES:.*]] = arith.muli %[[ROOM]], %c2_i32
// CHECK: %[[VALID:.*]] = arith.select %[[INSIDE]], %[[BYTES]], %c0_i32
// CHECK: arith.select %[[INSIDE]], %{{.*}}, %c0_i32
// CHECK-COUNT-4: sm80.cp_async {{.*}} bytes 8 valid
// CHECK-NOT: sm80.cp_async
// CHECK: sm80.cp_async_arrive
func.func @copies(%a: memref<200x100xbf16>, %b: memref<100x64xbf16>, %d: memref<200x64xf32>) {
  tmm.matmul config <tile = <shape = 128x64x64>> ins(%a, %b : memref<200x100xbf16>, memref<100x64xbf16>) outs(%d : memref<200x64xf32>)
  return
}

// Elements that go through registers: eight are loaded, then eight stored.
// CHECK-LABEL: gpu.func @elements_matmul
// CHECK: "gather"
// CHECK: scf.for
// CHECK: memref.load
// CHECK-NOT: sm90.smem_store
// CHECK-COUNT-7: memref.load
// CHECK-NOT: memref.load
// CHECK-COUNT-8: sm90.smem_store {{.*}} : vector<1xbf16>, memref<128x64xbf16
// CHECK: sm90.fence_proxy_async shared_cta
// CHECK-NOT: sm90.smem_store
// CHECK: sm90.mbarrier.arrive
func.func @elements(%a: memref<200x101xbf16>, %b: memref<101x64xbf16>, %d: memref<200x64xf32>) {
  tmm.matmul config <tile = <shape = 128x64x64>> ins(%a, %b : memref<200x101xbf16>, memref<101x64xbf16>) outs(%d : memref<200x64xf32>)
  return
}

// Rows of B that run along N: two slabs of the pattern for 128 columns.
// CHECK-LABEL: gpu.func @slabs_matmul
// CHECK: sm80.cp_async {{.*}} + 0] bytes 4 valid {{.*}} memref<128x64xbf16, #sm90.smem_layout<mn_major
// CHECK: sm80.cp_async {{.*}} + 64] bytes 4 valid
func.func @slabs(%a: memref<200x104xbf16>, %b: memref<104x130xbf16>, %d: memref<200x130xf32>) {
  tmm.matmul config <tile = <shape = 128x128x64>> ins(%a, %b : memref<200x104xbf16>, memref<104x130xbf16>) outs(%d : memref<200x130xf32>)
  return
}

// Constants have no sign, elements may.
// CHECK-LABEL: gpu.func @unsigned_matmul
// CHECK: %[[ZERO:.*]] = builtin.unrealized_conversion_cast %c0_i8 : i8 to ui8
// CHECK: %[[ELEMENT:.*]] = memref.load %{{.*}} : memref<{{.*}}xui8
// CHECK: arith.select %{{.*}}, %[[ELEMENT]], %[[ZERO]] : ui8
func.func @unsigned(%a: memref<200x101xui8>, %b: memref<64x101xui8>, %d: memref<200x64xi32>) {
  tmm.matmul transpose_b config <tile = <shape = 128x64x128>> ins(%a, %b : memref<200x101xui8>, memref<64x101xui8>) outs(%d : memref<200x64xi32>)
  return
}
