// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1

// D has one element, scaled, with a bias.

func.func @main(%a0: tensor<1x24xbf16>, %a1: tensor<1x24xbf16>, %a2: tensor<1x1xf32>, %a3: tensor<1xf16>) -> (tensor<1x1xf16>) {
  %c0 = arith.constant 3.000000e-01 : f32
  %v1 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a0, %a1 : tensor<1x24xbf16>, tensor<1x24xbf16>) outs(%a2 : tensor<1x1xf32>) -> tensor<1x1xf32>
  %v2 = tensor.empty() : tensor<1x1xf16>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%v1, %a3 : tensor<1x1xf32>, tensor<1xf16>) outs(%v2 : tensor<1x1xf16>) {
  ^bb0(%in0: f32, %in1: f16, %out: f16):
    %t1 = arith.mulf %in0, %c0 : f32
    %t2 = arith.extf %in1 : f16 to f32
    %t3 = arith.addf %t1, %t2 : f32
    %t4 = arith.truncf %t3 : f32 to f16
    linalg.yield %t4 : f16
  } -> tensor<1x1xf16>
  return %v3 : tensor<1x1xf16>
}
