// RUN: tc-opt %s --mlir-print-local-scope -canonicalize | FileCheck %s

// A constant column becomes static.
// CHECK-LABEL: func.func @slice_constant
func.func @slice_constant(%tmem: !tcgen05.tmem<128x256xi32, raw>) -> !tcgen05.tmem<128x128xf32, D> {
  %c = arith.constant 128 : index
  // CHECK: tcgen05.slice %{{.*}}[128]
  %d = tcgen05.slice %tmem[%c] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
  return %d : !tcgen05.tmem<128x128xf32, D>
}

// A slice of everything is its source.
// CHECK-LABEL: func.func @slice_all
// CHECK-SAME: (%[[D:.*]]: !tcgen05.tmem<128x64xf32, D>)
func.func @slice_all(%d: !tcgen05.tmem<128x64xf32, D>) -> !tcgen05.tmem<128x64xf32, D> {
  %e = tcgen05.slice %d[0] : !tcgen05.tmem<128x64xf32, D> to !tcgen05.tmem<128x64xf32, D>
  // CHECK: return %[[D]]
  return %e : !tcgen05.tmem<128x64xf32, D>
}

// One that the source does not have stays a value: as an attribute it would not verify.
// CHECK-LABEL: func.func @slice_beyond
func.func @slice_beyond(%tmem: !tcgen05.tmem<128x256xi32, raw>) -> !tcgen05.tmem<128x128xf32, D> {
  // CHECK: %[[C:.*]] = arith.constant 129
  %c = arith.constant 129 : index
  // CHECK: tcgen05.slice %{{.*}}[%[[C]]]
  %d = tcgen05.slice %tmem[%c] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x128xf32, D>
  return %d : !tcgen05.tmem<128x128xf32, D>
}
