// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1

// The second product has one column.

func.func @main(%a0: memref<1x2x127x200xbf16>, %a1: memref<127x200xbf16>, %a2: memref<1x2x200x200xf32>, %a3: memref<200xf32>, %a4: memref<200xf32>, %a5: memref<200xf16>, %a6: memref<1x24x200xbf16>, %a7: memref<1x24xbf16>, %a8: memref<1x200x1xf32>, %a9: memref<1xf16>) {
  %c0 = arith.constant 0.000000e+00 : f32
  %c1 = arith.constant -4.000000e+00 : f32
  %c2 = arith.constant 6.000000e+00 : f32
  linalg.fill ins(%c0 : f32) outs(%a2 : memref<1x2x200x200xf32>)
  linalg.contract indexing_maps = [affine_map<(n, k, m, b0, b1) -> (b0, b1, k, m)>, affine_map<(n, k, m, b0, b1) -> (k, n)>, affine_map<(n, k, m, b0, b1) -> (b0, b1, m, n)>] ins(%a0, %a1 : memref<1x2x127x200xbf16>, memref<127x200xbf16>) outs(%a2 : memref<1x2x200x200xf32>)
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a3, %a4 : memref<200xf32>, memref<200xf32>) outs(%a2 : memref<1x2x200x200xf32>) {
  ^bb0(%in1: f32, %in2: f32, %out: f32):
    %t1 = arith.cmpf oge, %out, %c0 : f32
    %t2 = arith.select %t1, %out, %c0 : f32
    %t3 = arith.maximumf %t2, %c1 : f32
    %t4 = arith.minimumf %t3, %c2 : f32
    %t5 = math.fma %t4, %in1, %in2 : f32
    linalg.yield %t5 : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%a5 : memref<200xf16>) outs(%a2 : memref<1x2x200x200xf32>) {
  ^bb0(%in1: f16, %out: f32):
    %t1 = arith.extf %in1 : f16 to f32
    %t2 = arith.addf %out, %t1 : f32
    linalg.yield %t2 : f32
  }
  linalg.fill ins(%c0 : f32) outs(%a8 : memref<1x200x1xf32>)
  linalg.generic {indexing_maps = [affine_map<(b0, m, n, k) -> (n, k)>, affine_map<(b0, m, n, k) -> (b0, k, m)>, affine_map<(b0, m, n, k) -> (b0, m, n)>], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%a7, %a6 : memref<1x24xbf16>, memref<1x24x200xbf16>) outs(%a8 : memref<1x200x1xf32>) {
  ^bb0(%x: bf16, %y: bf16, %o: f32):
    %xe = arith.extf %x : bf16 to f32
    %ye = arith.extf %y : bf16 to f32
    %p = arith.mulf %ye, %xe : f32
    %s = arith.addf %p, %o : f32
    linalg.yield %s : f32
  }
  linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a9 : memref<1xf16>) outs(%a8 : memref<1x200x1xf32>) {
  ^bb0(%in1: f16, %out: f32):
    %t1 = arith.extf %in1 : f16 to f32
    %t2 = arith.addf %out, %t1 : f32
    linalg.yield %t2 : f32
  }
  return
}
