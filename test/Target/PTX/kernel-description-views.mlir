// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json

// A launch on parts of buffers: offsets in bytes from the buffer's start for
// parameters, and the parts in elements for the problem. An allocation that is
// returned is an output, another one a temporary.

// CHECK: "sizes": [
// CHECK-NEXT: "arg0_dim0",
// CHECK-NEXT: "arg0_stride0"
// CHECK-NEXT: ],
// CHECK: "arg0": {
// CHECK: "strides": [
// CHECK-NEXT: "arg0_stride0",
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// CHECK-NEXT: "role": "in"
// CHECK: "temp0": {
// CHECK: "shape": [
// CHECK-NEXT: "arg0_dim0 * 2"
// CHECK-NEXT: ],
// CHECK-NEXT: "role": "temporary"
// CHECK: "temp1": {
// CHECK: "role": "out"
// CHECK: "pointer": "arg0",
// CHECK-NEXT: "offset": "(arg0_stride0 * 3 + 8) * 2"
// CHECK: "pointer": "temp0",
// CHECK-NEXT: "offset": 0
// CHECK: "pointer": "temp1",
// CHECK-NEXT: "offset": 16
// CHECK: "problems": [
// CHECK: "m": 4,
// CHECK: "a": {
// CHECK-NEXT: "buffer": "arg0",
// CHECK-NEXT: "offset": "arg0_stride0 * 3 + 8",
// CHECK-NEXT: "shape": [
// CHECK-NEXT: 4,
// CHECK-NEXT: 4
// CHECK-NEXT: ],
// CHECK-NEXT: "strides": [
// CHECK-NEXT: "arg0_stride0",
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// CHECK-NEXT: "transposed": false
module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    llvm.func @k(%a: !llvm.ptr<1>, %b: !llvm.ptr<1>, %c: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
      llvm.return
    }
  }
  func.func @host(%a: memref<?x32xbf16, strided<[?, 1], offset: ?>>) -> memref<8x8xbf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %part = memref.subview %a[3, 8] [4, 4] [1, 1] : memref<?x32xbf16, strided<[?, 1], offset: ?>> to memref<4x4xbf16, strided<[?, 1], offset: ?>>
    %rows = memref.dim %a, %c0 : memref<?x32xbf16, strided<[?, 1], offset: ?>>
    %twice = arith.muli %rows, %c2 : index
    %temp = memref.alloc(%twice) : memref<?xbf16>
    %out = memref.alloc() : memref<8x8xbf16>
    %corner = memref.subview %out[1, 0] [4, 4] [1, 1] : memref<8x8xbf16> to memref<4x4xbf16, strided<[8, 1], offset: 8>>
    tmm.problem ins(%part, %corner : memref<4x4xbf16, strided<[?, 1], offset: ?>>, memref<4x4xbf16, strided<[8, 1], offset: 8>>)
      outs(%corner : memref<4x4xbf16, strided<[8, 1], offset: 8>>)
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%part : memref<4x4xbf16, strided<[?, 1], offset: ?>>, %temp : memref<?xbf16>, %corner : memref<4x4xbf16, strided<[8, 1], offset: 8>>)
    memref.dealloc %temp : memref<?xbf16>
    return %out : memref<8x8xbf16>
  }
}
