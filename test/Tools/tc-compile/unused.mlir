// RUN: tc-compile %s -o %t.ptx 2>&1 | FileCheck %s
// RUN: tc-run %t.ptx --check | FileCheck %s --check-prefix=DONE

// A product that nothing uses costs nothing, and is said so.
// CHECK: unused.mlir:[[#@LINE+4]]:8: remark: its result is not used, so nothing computes it
// DONE: eager {{.*}} 0 warp instructions ok
// DONE: check: no launch, nothing to compute
func.func @f(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %o: tensor<64x64xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%o : tensor<64x64xf32>) -> tensor<64x64xf32>
  return
}
