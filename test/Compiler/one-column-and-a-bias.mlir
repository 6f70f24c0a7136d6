// RUN: tc-compile %s -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1

// D has one column: half of each pair of elements is undefined, and never stored.

func.func @main(%a: memref<200x24xbf16>, %b: memref<1x24xbf16>, %d: memref<200x1xf32>, %bias: memref<1xf16>) {
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
