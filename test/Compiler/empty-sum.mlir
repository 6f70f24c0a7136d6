// K = 0: the kernel runs, and D is the epilogue of 0. Nothing is launched where D
// is empty.
// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --size M=72,N=40,K=0 --check --races=strict | FileCheck %s --check-prefix=SUM
// RUN: tc-run %t.ptx --size M=0,N=40,K=8 --check | FileCheck %s --check-prefix=EMPTY
// RUN: tc-run %t.ptx --size M=72,N=0,K=8 --check | FileCheck %s --check-prefix=EMPTY

// SUM: 1 of 1 launches
// SUM: check {{.*}} M=72 N=40 K=0
// SUM-NEXT: maximum error 0 
// EMPTY: 0 of 1 launches
// EMPTY: check {{.*}}M={{0|72}} N={{0|40}} K=8
func.func @biased(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %x: memref<?xf32>, %d: memref<?x?xf32>) {
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
      epilogue(%acc, %bias = %x along n : memref<?xf32>) {
    %0 = arith.addf %acc, %bias : f32
    tmm.yield %0 : f32
  }
  return
}
