// RUN: tc-opt %s -split-input-file -convert-linalg-to-tmm -tmm-choose-config="config=tile=128x64x64" -tmm-tile \
// RUN:   -canonicalize -cse -tmm-materialize-pipelines -convert-tmm-to-tcgen05 -verify-diagnostics

#ta = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>

func.func @stride(%a: memref<8x129xbf16>, %b: memref<8x264xbf16>, %d: memref<129x264xf32>) {
  // expected-error @below {{operand A: dimension 0 has a stride of 258 bytes (129 elements), which TMA cannot address: expected a multiple of 16, nearest legal 272 bytes (136 elements)}}
  linalg.matmul indexing_maps = [#ta, #b, #d]
    ins(%a, %b : memref<8x129xbf16>, memref<8x264xbf16>) outs(%d : memref<129x264xf32>)
  return
}

// -----

func.func @offset(%a: memref<128x64xbf16, strided<[64, 1], offset: 4>>, %b: memref<64x264xbf16>, %d: memref<128x264xf32>) {
  // expected-error @below {{operand A: starts 8 bytes (4 elements) into its buffer, which TMA cannot address: expected a multiple of 16, nearest legal 16 bytes (8 elements)}}
  linalg.matmul ins(%a, %b : memref<128x64xbf16, strided<[64, 1], offset: 4>>, memref<64x264xbf16>) outs(%d : memref<128x264xf32>)
  return
}
