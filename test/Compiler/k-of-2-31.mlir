// RUN: not tc-compile %s -o %t.ptx 2>&1 | FileCheck %s
// CHECK: error: 'linalg.matmul' op configuration: expected K of at most 2147479552, as coordinates have 32 bits, got 2147483712

func.func @m(%a: memref<1x2147483712xbf16>, %d: memref<1x1xf32>) {
  %z = arith.constant 0.0 : f32
  linalg.fill ins(%z : f32) outs(%d : memref<1x1xf32>)
  linalg.matmul indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(n,k)>, affine_map<(m,n,k)->(m,n)>] ins(%a, %a : memref<1x2147483712xbf16>, memref<1x2147483712xbf16>) outs(%d : memref<1x1xf32>)
  return
}
