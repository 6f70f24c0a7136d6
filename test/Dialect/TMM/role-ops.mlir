// RUN: tc-opt %s -allow-unregistered-dialect | tc-opt -allow-unregistered-dialect | FileCheck %s
// RUN: tc-opt %s -allow-unregistered-dialect -mlir-print-op-generic | tc-opt -allow-unregistered-dialect | FileCheck %s

// CHECK-LABEL: func.func @roles
// CHECK: tmm.warp_specialize threads warps(4) {
// CHECK-NEXT: } tma warps(1) {
// CHECK-NEXT:   "test.use"
// CHECK-NEXT: } tensor_core warps(2) {
func.func @roles(%x: i32) {
  tmm.warp_specialize threads warps(4) {
  } tma warps(1) {
    "test.use"(%x) : (i32) -> ()
  } tensor_core warps(2) {
  }
  return
}
