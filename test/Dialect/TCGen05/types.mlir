// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: @tmem
// CHECK-SAME: !tcgen05.tmem<128x512xi32, raw>
// CHECK-SAME: !tcgen05.tmem<128x256xf32, A>
// CHECK-SAME: !tcgen05.tmem<128x128xf32, B>
// CHECK-SAME: !tcgen05.tmem<64x256xf32, C>
// CHECK-SAME: !tcgen05.tmem<128x8xi32, D>
// CHECK-SAME: !tcgen05.tmem<128x32xf32, E>
// CHECK-SAME: !tcgen05.tmem<64x8xf16, F>
// CHECK-SAME: !tcgen05.tmem<128x16xf32, G>
func.func private @tmem(!tcgen05.tmem<128x512xi32, raw>, !tcgen05.tmem<128x256xf32, A>,
                        !tcgen05.tmem<128x128xf32, B>, !tcgen05.tmem<64x256xf32, C>,
                        !tcgen05.tmem<128x8xi32, D>, !tcgen05.tmem<128x32xf32, E>,
                        !tcgen05.tmem<64x8xf16, F>, !tcgen05.tmem<128x16xf32, G>)

// CHECK-LABEL: @windows
// CHECK-SAME: !tcgen05.tmem<32x64xf32, D>
// CHECK-SAME: !tcgen05.tmem<16x64xf32, F>
func.func private @windows(!tcgen05.tmem<32x64xf32, D>, !tcgen05.tmem<16x64xf32, F>)

// CHECK-LABEL: @packed
// CHECK-SAME: !tcgen05.tmem<128x16xbf16, D, packed>
func.func private @packed(!tcgen05.tmem<128x16xbf16, D, packed>)

// CHECK-LABEL: @sparse_and_narrow
// CHECK-SAME: !tcgen05.tmem<128x1xi32, metadata32>, !tcgen05.tmem<128x4xi32, metadata16>
// CHECK-SAME: !tcgen05.tmem<32x2xi32, metadata8>, !tcgen05.tmem<128x2xi32, metadata4>
// CHECK-SAME: !tcgen05.tmem<128x32xf6E3M2FN, D, bytes>
// CHECK-SAME: !tcgen05.tmem<128x16xf8E8M0FNU, scales_split, packed>
func.func private @sparse_and_narrow(!tcgen05.tmem<128x1xi32, metadata32>, !tcgen05.tmem<128x4xi32, metadata16>,
    !tcgen05.tmem<32x2xi32, metadata8>, !tcgen05.tmem<128x2xi32, metadata4>, !tcgen05.tmem<128x32xf6E3M2FN, D, bytes>,
    !tcgen05.tmem<128x16xf8E8M0FNU, scales_split, packed>)
