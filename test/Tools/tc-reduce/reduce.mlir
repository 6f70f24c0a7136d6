// RUN: tc-reduce %s --reduction-tree="traversal-mode=0 test=%S/Inputs/has-transposed-a.sh" -o %t.mlir
// RUN: FileCheck %s < %t.mlir

// What the script looks for stays, the rest goes.
// CHECK-NOT: func.func @first
// CHECK: func.func @second
// CHECK: tmm.matmul transpose_a
// CHECK-NOT: func.func @third
func.func @first(%a: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  tmm.matmul ins(%a, %a : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}

func.func @second(%a: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  tmm.matmul transpose_a ins(%a, %a : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}

func.func @third(%a: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  tmm.matmul accumulate ins(%a, %a : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  return
}
