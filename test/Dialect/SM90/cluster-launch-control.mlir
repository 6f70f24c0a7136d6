// Every operation parses and prints, in its own form and in the generic one.
// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s

!response = memref<2xi64, #gpu.address_space<workgroup>>

// CHECK-LABEL: func.func @steal
// CHECK-SAME: (%[[R:.*]]: memref<2xi64, #gpu.address_space<workgroup>>, %[[B:.*]]: !sm90.mbarrier)
func.func @steal(%r: !response, %b: !sm90.mbarrier) -> (i1, i32, i32, i32) {
  // CHECK: sm90.clusterlaunchcontrol.try_cancel %[[R]], %[[B]] : memref<2xi64, #gpu.address_space<workgroup>>, !sm90.mbarrier
  sm90.clusterlaunchcontrol.try_cancel %r, %b : !response, !sm90.mbarrier
  // CHECK: sm90.clusterlaunchcontrol.try_cancel %[[R]], %[[B]] multicast : memref<2xi64, #gpu.address_space<workgroup>>, !sm90.mbarrier
  sm90.clusterlaunchcontrol.try_cancel %r, %b multicast : !response, !sm90.mbarrier
  // CHECK: %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} = sm90.clusterlaunchcontrol.query %[[R]] : memref<2xi64, #gpu.address_space<workgroup>>
  %canceled, %x, %y, %z = sm90.clusterlaunchcontrol.query %r : !response
  return %canceled, %x, %y, %z : i1, i32, i32, i32
}
