// Shapes, offsets and modifiers of tcgen05.ld and st parse and print.
// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @ld
// CHECK-SAME: (%[[W:.*]]: !tcgen05.tmem<32x64xf32, D>, %[[F:.*]]: !tcgen05.tmem<16x64xf32, F>, %[[S:.*]]: !tcgen05.tmem<32x64xf16, D>, %[[P:.*]]: !tcgen05.tmem<32x64xbf16, D, packed>)
func.func @ld(%w: !tcgen05.tmem<32x64xf32, D>, %f: !tcgen05.tmem<16x64xf32, F>, %s: !tcgen05.tmem<32x64xf16, D>,
              %p: !tcgen05.tmem<32x64xbf16, D, packed>) {
  // CHECK: tcgen05.ld %[[W]] shape "16x64b" {lane = 16 : i64} : !tcgen05.tmem<32x64xf32, D> to vector<32xf32>
  %0 = tcgen05.ld %w shape "16x64b" {lane = 16 : i64} : !tcgen05.tmem<32x64xf32, D> to vector<32xf32>
  // CHECK: tcgen05.ld %[[F]] shape "16x128b" : !tcgen05.tmem<16x64xf32, F> to vector<32xf32>
  %1 = tcgen05.ld %f shape "16x128b" : !tcgen05.tmem<16x64xf32, F> to vector<32xf32>
  // CHECK: tcgen05.ld %[[F]] shape "16x256b" : !tcgen05.tmem<16x64xf32, F> to vector<32xf32>
  %2 = tcgen05.ld %f shape "16x256b" : !tcgen05.tmem<16x64xf32, F> to vector<32xf32>
  // CHECK: tcgen05.ld %[[F]] shape "16x32bx2" offset 48 : !tcgen05.tmem<16x64xf32, F> to vector<16xf32>
  %3 = tcgen05.ld %f shape "16x32bx2" offset 48 : !tcgen05.tmem<16x64xf32, F> to vector<16xf32>
  // CHECK: tcgen05.ld %[[S]] pack : !tcgen05.tmem<32x64xf16, D> to vector<64xf16>
  %4 = tcgen05.ld %s shape "32x32b" pack : !tcgen05.tmem<32x64xf16, D> to vector<64xf16>
  // CHECK: tcgen05.ld %[[P]] : !tcgen05.tmem<32x64xbf16, D, packed> to vector<64xbf16>
  %5 = tcgen05.ld %p : !tcgen05.tmem<32x64xbf16, D, packed> to vector<64xbf16>
  return
}

// CHECK-LABEL: func.func @st
// CHECK-SAME: (%[[W:.*]]: !tcgen05.tmem<32x64xf32, D>, %[[S:.*]]: !tcgen05.tmem<32x64xf16, D>, %[[V:.*]]: vector<32xf32>, %[[H:.*]]: vector<64xf16>)
func.func @st(%w: !tcgen05.tmem<32x64xf32, D>, %s: !tcgen05.tmem<32x64xf16, D>, %v: vector<32xf32>, %h: vector<64xf16>) {
  // CHECK: tcgen05.st %[[V]], %[[W]] shape "16x256b" {lane = 16 : i64} : vector<32xf32> to !tcgen05.tmem<32x64xf32, D>
  tcgen05.st %v, %w shape "16x256b" {lane = 16 : i64} : vector<32xf32> to !tcgen05.tmem<32x64xf32, D>
  // CHECK: tcgen05.st %[[V]], %[[W]] shape "16x32bx2" offset 32 : vector<32xf32>
  tcgen05.st %v, %w shape "16x32bx2" offset 32 : vector<32xf32> to !tcgen05.tmem<32x64xf32, D>
  // CHECK: tcgen05.st %[[H]], %[[S]] unpack : vector<64xf16> to !tcgen05.tmem<32x64xf16, D>
  tcgen05.st %h, %s unpack : vector<64xf16> to !tcgen05.tmem<32x64xf16, D>
  return
}
