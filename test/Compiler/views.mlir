// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s < %t.json
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1 --size arg0_dim0=208,arg2_dim1=400
// RUN: tc-compile %s --config="epilogue=direct" -o %t.direct.ptx
// RUN: tc-run %t.direct.ptx --check --races=strict --schedule=eager,lazy,random:1 --size arg0_dim0=208,arg2_dim1=400
// RUN: not tc-run %t.ptx --check --schedule=eager --size arg0_dim0=208,arg2_dim1=404 2>&1 | FileCheck %s --check-prefix=ODD

// Parts of buffers as operands: a tensor starts where its part does, and stores
// end there. What TMA asks of pitch and offset is checked by the host where it is
// dynamic.

// CHECK: "message": "operand D: the stride of dimension 0 must be a multiple of 16 bytes
// CHECK: "message": "operand D: the offset in its buffer must be a multiple of 16 bytes (8 elements) for TMA",
// CHECK: "value": "(arg2_dim1 * 8 + 16) * 2"
// 8 rows of 400 elements and 16 elements, of two bytes.
// CHECK: "buffer": "arg0",
// CHECK-NEXT: "offset": 6432,
// CHECK: "buffer": "arg1",
// CHECK-NEXT: "offset": 1184,
// CHECK: "buffer": "arg2",
// CHECK-NEXT: "offset": "(arg2_dim1 * 8 + 16) * 2",

// ODD: operand D: the stride of dimension 0 must be a multiple of 16 bytes (8 elements) for TMA; pad rows: got 808, nearest legal 816
func.func @views(%A: memref<?x400xbf16>, %B: memref<140x144xbf16>, %D: memref<300x?xbf16>) {
  %c0 = arith.constant 0 : index
  %c8 = arith.constant 8 : index
  %rows = memref.dim %A, %c0 : memref<?x400xbf16>
  %m = arith.subi %rows, %c8 : index
  %a = memref.subview %A[8, 16] [%m, 72] [1, 1] : memref<?x400xbf16> to memref<?x72xbf16, strided<[400, 1], offset: 3216>>
  %b = memref.subview %B[4, 16] [136, 72] [1, 1] : memref<140x144xbf16> to memref<136x72xbf16, strided<[144, 1], offset: 592>>
  %d = memref.subview %D[8, 16] [%m, 136] [1, 1] : memref<300x?xbf16> to memref<?x136xbf16, strided<[?, 1], offset: ?>>
  tmm.matmul transpose_b config <epilogue = <kind = tma_store>>
    ins(%a, %b : memref<?x72xbf16, strided<[400, 1], offset: 3216>>, memref<136x72xbf16, strided<[144, 1], offset: 592>>)
    outs(%d : memref<?x136xbf16, strided<[?, 1], offset: ?>>)
  return
}
