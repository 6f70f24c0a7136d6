// Every operation parses and prints, in its own form and in the generic one.
// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

!word = memref<1xi32, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @count
// CHECK-SAME: (%[[C:.*]]: memref<i32, #gpu.address_space<global>>, %[[W:.*]]: memref<1xi32, #gpu.address_space<workgroup>>, %[[B:.*]]: !sm90.mbarrier, %[[LAST:.*]]: i32, %[[RANK:.*]]: i32)
func.func @count(%counter: memref<i32, #gpu.address_space<global>>, %w: !word, %b: !sm90.mbarrier, %last: i32, %rank: i32) {
  // CHECK: %[[OLD:.*]] = sm90.atom_inc %[[C]], %[[LAST]] : memref<i32, #gpu.address_space<global>>
  %old = sm90.atom_inc %counter, %last : memref<i32, #gpu.address_space<global>>
  // CHECK: sm90.st_async %[[OLD]], %[[W]], %[[B]] : memref<1xi32, #gpu.address_space<workgroup>>, !sm90.mbarrier
  sm90.st_async %old, %w, %b : !word, !sm90.mbarrier
  // CHECK: sm90.st_async %[[OLD]], %[[W]], %[[B]] of %[[RANK]] : memref<1xi32, #gpu.address_space<workgroup>>, !sm90.mbarrier
  sm90.st_async %old, %w, %b of %rank : !word, !sm90.mbarrier
  return
}
