// Where memory ends, tc-run says so and writes nothing: no abort, no kill by the system.
// RUN: rm -rf %t && mkdir %t
// RUN: tc-compile %s -o %t/f.ptx
// RUN: not bash -c "ulimit -d 100000; tc-run %t/f.ptx --size=M=8192,N=8192,K=64 --out D=%t/d.bin" 2>&1 | FileCheck %s
// RUN: not test -e %t/d.bin
// A sanitized build has no tc-emulate, and needs more than any limit.
// REQUIRES: tc-emulate
// CHECK: {{^}}tc-run: error: out of memory: expected at most 97 MiB; smaller sizes take less, and --races=off
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xbf16>)
  return
}
