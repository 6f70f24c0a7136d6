// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --function rows --check --races=strict | FileCheck %s
// RUN: tc-run %t.ptx --function scaled --check --races=strict | FileCheck %s
// RUN: tc-run %t.ptx --function columns --check --races=strict | FileCheck %s

// One column with an epilogue: the vectors that the compiler makes of a value
// have elements that nothing writes, and nothing reads.
// CHECK: check D = epilogue(A * B): M={{.*}} N=1
func.func @rows(%a: memref<200x24xbf16>, %b: memref<1x24xbf16>, %d: memref<200x1xf32>, %bias: memref<1xf16>) {
  %c0 = arith.constant 0.0 : f32
  linalg.fill ins(%c0 : f32) outs(%d : memref<200x1xf32>)
  linalg.matmul indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(n,k)>, affine_map<(m,n,k)->(m,n)>] ins(%a, %b : memref<200x24xbf16>, memref<1x24xbf16>) outs(%d : memref<200x1xf32>)
  linalg.generic {indexing_maps = [affine_map<(i,j)->(j)>, affine_map<(i,j)->(i,j)>], iterator_types = ["parallel","parallel"]} ins(%bias : memref<1xf16>) outs(%d : memref<200x1xf32>) {
  ^bb0(%x: f16, %o: f32):
    %t = arith.extf %x : f16 to f32
    %s = arith.addf %o, %t : f32
    linalg.yield %s : f32
  }
  return
}
func.func @scaled(%a0: tensor<1x24xbf16>, %a1: tensor<1x24xbf16>, %a2: tensor<1x1xf32>, %a3: tensor<1xf16>) -> (tensor<1x1xf16>) {
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
func.func @columns(%a0: memref<31x32xbf16>, %a1: memref<1x32xbf16>, %a2: memref<31x1xbf16>, %a3: memref<31xbf16>) {
  %c0 = arith.constant 0.000000e+00 : bf16
  linalg.fill ins(%c0 : bf16) outs(%a2 : memref<31x1xbf16>)
  linalg.matmul indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>] ins(%a0, %a1 : memref<31x32xbf16>, memref<1x32xbf16>) outs(%a2 : memref<31x1xbf16>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%a3 : memref<31xbf16>) outs(%a2 : memref<31x1xbf16>) {
  ^bb0(%in1: bf16, %out: bf16):
    %t1 = arith.extf %out : bf16 to f32
    %t2 = arith.extf %in1 : bf16 to f32
    %t3 = arith.addf %t1, %t2 : f32
    %t4 = arith.truncf %t3 : f32 to bf16
    linalg.yield %t4 : bf16
  }
  return
}
