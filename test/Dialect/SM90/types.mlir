// RUN: tc-opt %s | tc-opt | FileCheck %s

// CHECK-LABEL: @types
// CHECK-SAME: !sm90.mbarrier,
// CHECK-SAME: !sm90.mbarrier_array<7>
// CHECK-SAME: !sm90.tensor_map<256xf32, none>
// CHECK-SAME: !sm90.tensor_map<1x128x64xbf16, b128>
// CHECK-SAME: !sm90.tensor_map<64x32xf32, b128_atom32>
func.func private @types(!sm90.mbarrier, !sm90.mbarrier_array<7>, !sm90.tensor_map<256xf32, none>,
                         !sm90.tensor_map<1x128x64xbf16, b128>, !sm90.tensor_map<64x32xf32, b128_atom32>)
