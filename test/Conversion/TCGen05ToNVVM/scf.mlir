// Regions that pass through loops and conditions are converted with them.
// RUN: tc-opt %s -convert-tcgen05-to-nvvm -canonicalize | FileCheck %s

// CHECK-LABEL: func.func @loop
func.func @loop(%d0: !tcgen05.tmem<32x8xf32, D>, %d1: !tcgen05.tmem<32x8xf32, D>, %n: index) -> vector<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant dense<0.0> : vector<8xf32>
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (!llvm.ptr<6>, !llvm.ptr<6>, vector<8xf32>)
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %d0, %b = %d1, %sum = %zero)
      -> (!tcgen05.tmem<32x8xf32, D>, !tcgen05.tmem<32x8xf32, D>, vector<8xf32>) {
    // CHECK: nvvm.tcgen05.ld %[[A]]
    %v = tcgen05.ld %a : !tcgen05.tmem<32x8xf32, D> to vector<8xf32>
    %w = tcgen05.wait ld(%v : vector<8xf32>)
    %next = arith.addf %sum, %w : vector<8xf32>
    // CHECK: scf.yield %[[B]], %[[A]]
    scf.yield %b, %a, %next : !tcgen05.tmem<32x8xf32, D>, !tcgen05.tmem<32x8xf32, D>, vector<8xf32>
  }
  return %r#2 : vector<8xf32>
}
