// Rows that are put together of parts, and reduced: the parts alone have the columns.
// RUN: tc-compile %s --chip=sm_90a -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,random:1 | FileCheck %s
// CHECK: check {{.*}} = rows(
// CHECK: maximum error
func.func @f(%a: tensor<11x33xf32>) -> tensor<11xf32> {
  %zero = arith.constant 0.0 : f32
  %upper = tensor.extract_slice %a[8, 0] [3, 33] [1, 1] : tensor<11x33xf32> to tensor<3x33xf32>
  %lower = tensor.extract_slice %a[0, 0] [8, 33] [1, 1] : tensor<11x33xf32> to tensor<8x33xf32>
  %turned = tensor.concat dim(0) %upper, %lower : (tensor<3x33xf32>, tensor<8x33xf32>) -> tensor<11x33xf32>
  %empty = tensor.empty() : tensor<11xf32>
  %init = linalg.fill ins(%zero : f32) outs(%empty : tensor<11xf32>) -> tensor<11xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%turned : tensor<11x33xf32>) outs(%init : tensor<11xf32>) {
    ^bb0(%x: f32, %s: f32):
      %r = arith.addf %s, %x : f32
      linalg.yield %r : f32
  } -> tensor<11xf32>
  return %sum : tensor<11xf32>
}
