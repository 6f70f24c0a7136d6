// A private variable of the module is a temporary buffer with contents: launches may
// change it, and it stays from one to the next.
// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json

// CHECK: "temp0": {
// CHECK-NEXT: "dtype": "f32"
// CHECK-NEXT: "shape": [
// CHECK-NEXT: 4
// CHECK-NEXT: ]
// CHECK-NEXT: "role": "temporary"
// CHECK-NEXT: "fill": "0000803f"
// CHECK: "const0": {
// CHECK: "role": "in"
// CHECK-NEXT: "fill": "00004040"
// CHECK: "pointer": "temp0"
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%p: !llvm.ptr<1>, %q: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel, nvvm.reqntid = array<i32: 1, 1, 1>} { llvm.return }
  }
  memref.global "private" @v : memref<4xf32> = dense<1.0>
  memref.global "private" constant @c : memref<4xf32> = dense<3.0>
  func.func @host() {
    %v = memref.get_global @v : memref<4xf32>
    %c = memref.get_global @c : memref<4xf32>
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%v : memref<4xf32>, %c : memref<4xf32>)
    return
  }
}
