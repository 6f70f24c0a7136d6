// Errors are those of finite elements, and how many these are is said where it is not all.
// RUN: tc-compile %s -o %t.ptx 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tc-run %t.ptx --check | FileCheck %s
// REMARK: remark: the sums start from tensor.empty, whatever is there: did you mean linalg.fill with zero?
// CHECK: check D = A * B + D: M=64 N=64 K=64
// CHECK-NEXT: maximum error 0
// CHECK-NEXT: 0 of 4096 elements are finite, of which these errors are
func.func @mm(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>) -> tensor<64x64xf32> {
  %e = tensor.empty() : tensor<64x64xf32>
  %r = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%e : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}
