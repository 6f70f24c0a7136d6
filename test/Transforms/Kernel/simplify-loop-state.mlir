// RUN: tc-opt %s --tc-simplify-loop-state --canonicalize --cse | FileCheck %s

gpu.module @kernels {

// Two states that advance together are one, in nested loops as well; the use of
// the second becomes one of the first.
// CHECK-LABEL: gpu.func @together
// CHECK: %[[OUTER:.*]] = scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}) -> (i32)
// CHECK: %[[INNER:.*]] = scf.for {{.*}} iter_args(%[[B:.*]] = %[[A]]) -> (i32)
// CHECK: memref.store %[[B]]
// CHECK: memref.store %[[B]]
// CHECK: %[[NEXT:.*]] = arith.xori %[[B]]
// CHECK: scf.yield %[[NEXT]] : i32
// CHECK: scf.yield %[[INNER]] : i32
// CHECK: memref.store %[[OUTER]]
gpu.func @together(%n: index, %m: memref<2xi32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %outer:2 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero, %q = %zero) -> (i32, i32) {
    %inner:2 = scf.for %j = %c0 to %n step %c1 iter_args(%r = %p, %s = %q) -> (i32, i32) {
      memref.store %r, %m[%c0] : memref<2xi32>
      memref.store %s, %m[%c1] : memref<2xi32>
      %r1 = arith.xori %r, %one : i32
      %s1 = arith.xori %s, %one : i32
      scf.yield %r1, %s1 : i32, i32
    }
    scf.yield %inner#0, %inner#1 : i32, i32
  }
  memref.store %outer#1, %m[%c0] : memref<2xi32>
  gpu.return
}

// The same start is not enough, and neither is the same step.
// CHECK-LABEL: gpu.func @apart
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %c0_i32, %[[Q:.*]] = %c0_i32, %[[R:.*]] = %c1_i32)
// CHECK: memref.store %[[P]]
// CHECK: memref.store %[[Q]]
// CHECK: memref.store %[[R]]
gpu.func @apart(%n: index, %m: memref<2xi32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %outer:3 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero, %q = %zero, %r = %one) -> (i32, i32, i32) {
    memref.store %p, %m[%c0] : memref<2xi32>
    memref.store %q, %m[%c1] : memref<2xi32>
    memref.store %r, %m[%c1] : memref<2xi32>
    %p1 = arith.addi %p, %one : i32
    %q1 = arith.addi %q, %two : i32
    %r1 = arith.addi %r, %one : i32
    scf.yield %p1, %q1, %r1 : i32, i32, i32
  }
  gpu.return
}

// What is equal only as long as something else is, and that is not: q follows p,
// s follows r, and p and r part in the second iteration.
// CHECK-LABEL: gpu.func @spreads
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %c0_i32, %{{.*}} = %c0_i32, %{{.*}} = %c0_i32, %{{.*}} = %c0_i32)
gpu.func @spreads(%n: index, %m: memref<2xi32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %outer:4 = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero, %q = %zero, %r = %zero, %s = %zero) -> (i32, i32, i32, i32) {
    memref.store %q, %m[%c0] : memref<2xi32>
    memref.store %s, %m[%c1] : memref<2xi32>
    %p1 = arith.addi %p, %one : i32
    %r1 = arith.addi %r, %two : i32
    scf.yield %p1, %p, %r1, %r : i32, i32, i32, i32
  }
  gpu.return
}

// A state that only its own next value is computed from goes, through a branch
// and in a while loop too.
// CHECK-LABEL: gpu.func @dead
// CHECK: scf.while (%[[W:.*]] = %c0_i32) : (i32) -> i32
// CHECK: scf.for %{{.*}} = %c0 to %{{.*}} step %c1 {
// CHECK-NOT: arith.xori
// CHECK: gpu.return
gpu.func @dead(%n: index, %m: memref<2xi32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %w:2 = scf.while (%a = %zero, %b = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ult, %a, %ten : i32
    scf.condition(%more) %a, %b : i32, i32
  } do {
  ^bb0(%a: i32, %b: i32):
    %l = scf.for %j = %c0 to %n step %c1 iter_args(%c = %b) -> (i32) {
      memref.store %a, %m[%j] : memref<2xi32>
      %odd = arith.cmpi eq, %c, %one : i32
      %d = arith.xori %c, %one : i32
      %e = arith.select %odd, %d, %c : i32
      scf.yield %e : i32
    }
    %next = arith.addi %a, %one : i32
    %flag = arith.cmpi eq, %next, %ten : i32
    %f = scf.if %flag -> (i32) {
      %g = arith.xori %l, %one : i32
      scf.yield %g : i32
    } else {
      scf.yield %l : i32
    }
    scf.yield %next, %f : i32, i32
  }
  gpu.return
}

// What decides about a branch is read.
// CHECK-LABEL: gpu.func @decides
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %c0_i32) -> (i32)
// CHECK: arith.cmpi eq, %[[P]]
// CHECK: scf.if
gpu.func @decides(%n: index, %m: memref<2xi32>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %outer = scf.for %i = %c0 to %n step %c1 iter_args(%p = %zero) -> (i32) {
    %is = arith.cmpi eq, %p, %one : i32
    scf.if %is {
      memref.store %one, %m[%c0] : memref<2xi32>
    }
    %p1 = arith.xori %p, %one : i32
    scf.yield %p1 : i32
  }
  gpu.return
}

// Both ends of a state in a while loop.
// CHECK-LABEL: gpu.func @whiles
// CHECK: scf.while (%{{.*}} = %c0_i32) : (i32) -> i32
// CHECK: ^bb0(%[[A:.*]]: i32):
// CHECK: memref.store %[[A]]
gpu.func @whiles(%m: memref<2xi32>) kernel {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ten = arith.constant 10 : i32
  %w:2 = scf.while (%a = %zero, %b = %zero) : (i32, i32) -> (i32, i32) {
    %more = arith.cmpi ult, %a, %ten : i32
    scf.condition(%more) %a, %b : i32, i32
  } do {
  ^bb0(%a: i32, %b: i32):
    memref.store %b, %m[%c0] : memref<2xi32>
    %a1 = arith.addi %a, %one : i32
    %b1 = arith.addi %b, %one : i32
    scf.yield %a1, %b1 : i32, i32
  }
  gpu.return
}

}
