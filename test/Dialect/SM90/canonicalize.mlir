// Constant offsets and indices become static.
// RUN: tc-opt %s -canonicalize | FileCheck %s

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
