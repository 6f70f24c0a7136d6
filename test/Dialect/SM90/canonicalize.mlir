// Constant offsets and indices become static.
// RUN: tc-opt %s -allow-unregistered-dialect -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @constants
func.func @constants() -> (memref<32xf32, #gpu.address_space<workgroup>>, !sm90.mbarrier) {
  %c = arith.constant 2 : index
  %o = arith.constant 128 : index
  %s = sm90.dynamic_smem align 16 : memref<1024xi8, #gpu.address_space<workgroup>>
  %bars = sm90.mbarrier.view %s[0] : memref<1024xi8, #gpu.address_space<workgroup>> to !sm90.mbarrier_array<4>
  // CHECK-DAG: sm90.smem_view %{{.*}}[128]
  %t = sm90.smem_view %s[%o] : memref<1024xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
  // CHECK-DAG: sm90.mbarrier.get %{{.*}}[2]
  %b = sm90.mbarrier.get %bars[%c] : !sm90.mbarrier_array<4>
  return %t, %b : memref<32xf32, #gpu.address_space<workgroup>>, !sm90.mbarrier
}

// The sum of two offsets that has no 64 bits stays two.
// CHECK-LABEL: func.func @offsets_next_to_2_63
func.func @offsets_next_to_2_63(%s: memref<?xi8, #gpu.address_space<workgroup>>) {
  // CHECK: sm90.smem_view %{{.*}}[9223372036854774784]
  %v = sm90.smem_view %s[9223372036854774784] : memref<?xi8, #gpu.address_space<workgroup>> to memref<2048xi8, #gpu.address_space<workgroup>>
  // CHECK: sm90.smem_view %{{.*}}[1024]
  %w = sm90.smem_view %v[1024] : memref<2048xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
  // CHECK: sm90.mbarrier.view %{{.*}}[1024]
  %b = sm90.mbarrier.view %v[1024] : memref<2048xi8, #gpu.address_space<workgroup>> to !sm90.mbarrier_array<1>
  "test.use"(%w, %b) : (memref<32xf32, #gpu.address_space<workgroup>>, !sm90.mbarrier_array<1>) -> ()
  return
}

// What an attribute may not be stays a value.
// CHECK-LABEL: func.func @beyond
func.func @beyond() {
  %c4 = arith.constant 4 : index
  %c130 = arith.constant 130 : index
  %c1000 = arith.constant 1000 : index
  %s = sm90.dynamic_smem align 16 : memref<1024xi8, #gpu.address_space<workgroup>>
  %bars = sm90.mbarrier.view %s[0] : memref<1024xi8, #gpu.address_space<workgroup>> to !sm90.mbarrier_array<4>
  // CHECK: sm90.smem_view %{{.*}}[%c1000]
  %t = sm90.smem_view %s[%c1000] : memref<1024xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
  // CHECK: sm90.smem_view %{{.*}}[%c130]
  %u = sm90.smem_view %s[%c130] : memref<1024xi8, #gpu.address_space<workgroup>> to memref<32xf32, #gpu.address_space<workgroup>>
  // CHECK: sm90.mbarrier.get %{{.*}}[%c4]
  %b = sm90.mbarrier.get %bars[%c4] : !sm90.mbarrier_array<4>
  "test.use"(%t, %u, %b) : (memref<32xf32, #gpu.address_space<workgroup>>, memref<32xf32, #gpu.address_space<workgroup>>, !sm90.mbarrier) -> ()
  return
}
