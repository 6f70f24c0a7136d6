// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1

// D has one column of 16-bit elements.

func.func @main(%a0: memref<31x32xbf16>, %a1: memref<1x32xbf16>, %a2: memref<31x1xbf16>, %a3: memref<31xbf16>) {
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
