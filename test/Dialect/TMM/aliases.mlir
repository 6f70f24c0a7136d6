// RUN: tc-opt %s | FileCheck %s
// RUN: tc-opt %s | tc-opt | FileCheck %s

// Printed IR names the types that it repeats; a name says what the type is. Where
// one name fits two types, the second has a number.

// CHECK-DAG: #config = #tmm.config<ring = <stages = 2>>
// CHECK-DAG: !bf16_128x64_smem = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
// CHECK-DAG: !bf16_128x64_smem1 = !tmm.buffer<128x64xbf16, #sm90.smem<mn_major, b128>>
// CHECK-DAG: !f32_128x128_tmem = !tmm.buffer<128x128xf32, #tcgen05.tmem>
// CHECK-DAG: !state = !tmm.pipeline_state
// CHECK-DAG: !bf16_4x128x64_smem = !tmm.storage<!bf16_128x64_smem, depth = 4>
// CHECK-DAG: !ring_2_tmem = !tmm.pipeline<(!f32_128x128_tmem), depth = 2>
// CHECK-DAG: !ring_4_smem = !tmm.pipeline<(!bf16_128x64_smem, !bf16_128x64_smem1), depth = 4>

// CHECK: func @names(%{{.*}}: !state)
func.func @names(%s: !tmm.pipeline_state) {
  // CHECK: tmm.pipeline : !ring_2_tmem
  %acc = tmm.pipeline : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
  // CHECK: tmm.pipeline stages(4) : !ring_4_smem
  %ring = tmm.pipeline stages(4) : <(<128x64xbf16, #sm90.smem<k_major, b128>>, <128x64xbf16, #sm90.smem<mn_major, b128>>), depth = 4>
  // CHECK: tmm.consumer_wait %{{.*}}[%{{.*}}] : !ring_4_smem
  %a, %b = tmm.consumer_wait %ring[%s] : <(<128x64xbf16, #sm90.smem<k_major, b128>>, <128x64xbf16, #sm90.smem<mn_major, b128>>), depth = 4>
  // CHECK: tmm.producer_acquire %{{.*}}[%{{.*}}] : !ring_2_tmem
  %d = tmm.producer_acquire %acc[%s] : <(<128x128xf32, #tcgen05.tmem>), depth = 2>
  %true = arith.constant true
  // CHECK: tmm.mma {{.*}} : !bf16_128x64_smem, !bf16_128x64_smem1, !f32_128x128_tmem
  tmm.mma %a, %b, %d accumulate(%true) by(#tcgen05.mma) : <128x64xbf16, #sm90.smem<k_major, b128>>, <128x64xbf16, #sm90.smem<mn_major, b128>>, !tmm.buffer<128x128xf32, #tcgen05.tmem>
  // CHECK: tmm.storage : !bf16_4x128x64_smem
  %storage = tmm.storage : <<128x64xbf16, #sm90.smem<k_major, b128>>, depth = 4>
  return
}

// CHECK: func @problem
func.func @problem(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  // CHECK: tmm.matmul config #config ins(
  tmm.matmul config <ring = <stages = 2>> ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}
