// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: tc-compile %s -o %t/out.cubin 2>&1 | count 0
// RUN: llvm-readelf -h %t/out.cubin | FileCheck %s
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/out.json

// Without a word: ptxas reports no spills.

// CHECK: Machine: NVIDIA CUDA
// JSON: "entry": "matmul_matmul"

func.func @matmul(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf16>) {
  linalg.matmul ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%d : memref<?x?xf16>)
  return
}
