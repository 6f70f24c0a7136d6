// RUN: tc-compile %s -o %t.ptx && FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: FileCheck %s < %t.json
// RUN: tc-run %t.ptx --check | FileCheck %s --check-prefix=EXECUTED

// An output that is known to be empty: no kernel, no launch, a description all
// the same.
// PTX: .target sm_100a
// PTX-NOT: .entry
// CHECK: "function": "matmul"
// CHECK: "kernels": []
// CHECK: "launches": []
// CHECK: "problems": []
// EXECUTED: 0 of 0 launches
// EXECUTED: check: no launch, nothing to compute
func.func @matmul(%a: memref<0x72xbf16>, %b: memref<72x136xbf16>, %d: memref<0x136xf32>) {
  linalg.matmul ins(%a, %b : memref<0x72xbf16>, memref<72x136xbf16>) outs(%d : memref<0x136xf32>)
  return
}
