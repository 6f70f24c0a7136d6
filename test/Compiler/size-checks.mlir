// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// RUN: not tc-run %t.ptx --size M=2147480000,N=8,K=8,arg2_dim0=8 2>&1 | FileCheck %s --check-prefix=SIZE
// RUN: not tc-run %t.ptx --size M=64,N=8,K=8,arg2_dim0=16 2>&1 | FileCheck %s --check-prefix=SAME

// What the host checks of sizes is in the description, and tc-run holds it.

// JSON: "constraints"
// JSON-DAG: "M must be at most 2147479552, as coordinates have 32 bits"
// JSON-DAG: "operand X0: dimension 0 must have as many elements as dimension 1 of operand D"
// JSON-DAG: "D must have at most 1073741823 tiles, the work items of one launch"
// The description gives one name to the sizes of arguments that have to agree.
// JSON-NOT: "operand A: dimension 0 must have as many elements
// SIZE: M must be at most 2147479552, as coordinates have 32 bits
// SAME: operand X0: dimension 0 must have as many elements as dimension 1 of operand D
func.func @matmul(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %x: memref<?xf32>, %d: memref<?x?xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?xf32>
  %part = memref.subview %x[0] [%n] [1] : memref<?xf32> to memref<?xf32, strided<[1]>>
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
    epilogue(%acc, %y = %part along n : memref<?xf32, strided<[1]>>) {
    %0 = arith.addf %acc, %y : f32
    tmm.yield %0 : f32
  }
  return
}
