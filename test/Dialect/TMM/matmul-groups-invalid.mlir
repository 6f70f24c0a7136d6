// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tmm_matmul_c36(%a: memref<5x8x16xbf16>, %b: memref<5x16x24xbf16>, %rows: memref<5xi32>, %d: memref<5x8x24xf32>) {
  // expected-error @below {{operand ends: expected one of `ends` and `counts`, got both}}
  tmm.matmul ins(%a, %b : memref<5x8x16xbf16>, memref<5x16x24xbf16>) ends(%rows : memref<5xi32>) counts(%rows : memref<5xi32>) outs(%d : memref<5x8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c37(%a: memref<8x16xbf16>, %b: memref<5x16x24xbf16>, %rows: tensor<5xi32>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand ends: expected a memref like D, got 'tensor<5xi32>'}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<5x16x24xbf16>) ends(%rows : tensor<5xi32>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c37_memory(%a: memref<8x16xbf16>, %b: memref<5x16x24xbf16>, %rows: memref<5xi32, 3>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand ends: expected global memory (no memory space, 0, 1 or #gpu.address_space<global>), got 3 : i64}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<5x16x24xbf16>) ends(%rows : memref<5xi32, 3>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c38_d(%a: memref<8x16xbf16>, %b: memref<5x16x24xbf16>, %rows: memref<5xi32>, %d: memref<5x8x24xf32>) {
  // expected-error @below {{operand ends: expected D of rank 2, got rank 3}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<5x16x24xbf16>) ends(%rows : memref<5xi32>) outs(%d : memref<5x8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c38_a(%a: memref<5x8x16xbf16>, %b: memref<5x16x24xbf16>, %rows: memref<5xi32>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand ends: expected A of rank 2, the rows of all groups, got rank 3}}
  tmm.matmul ins(%a, %b : memref<5x8x16xbf16>, memref<5x16x24xbf16>) ends(%rows : memref<5xi32>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c38_counts(%a: memref<8x16xbf16>, %b: memref<5x16x24xbf16>, %rows: memref<5xi32>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand counts: expected D of rank 3, got rank 2}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<5x16x24xbf16>) counts(%rows : memref<5xi32>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c39(%a: memref<8x16xbf16>, %b: memref<5x16x24xbf16>, %rows: memref<6xi32>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand ends: expected as many elements as B has matrices, 5, got 6}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<5x16x24xbf16>) ends(%rows : memref<6xi32>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c39_counts(%a: memref<5x8x16xbf16>, %b: memref<5x16x24xbf16>, %rows: memref<4xi32>, %d: memref<5x8x24xf32>) {
  // expected-error @below {{operand counts: expected as many elements as D has matrices, 5, got 4}}
  tmm.matmul ins(%a, %b : memref<5x8x16xbf16>, memref<5x16x24xbf16>) counts(%rows : memref<4xi32>) outs(%d : memref<5x8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c40(%a: memref<8x16xbf16>, %b: memref<5x16x24xbf16>, %rows: memref<5xi32>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand ends: expected a product without accumulate, got one with it}}
  tmm.matmul accumulate ins(%a, %b : memref<8x16xbf16>, memref<5x16x24xbf16>) ends(%rows : memref<5xi32>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c40_scale_d(%a: memref<128x16xbf16>, %b: memref<5x16x32xbf16>, %rows: memref<5xi32>, %s: memref<1x1x32x4x4xf8E8M0FNU>, %d: memref<128x32xf8E4M3FN>) {
  // expected-error @below {{operand ends: expected a product without scale_d, got one with it}}
  tmm.matmul ins(%a, %b : memref<128x16xbf16>, memref<5x16x32xbf16>) ends(%rows : memref<5xi32>) outs(%d : memref<128x32xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_matmul_c40_metadata(%a: memref<200x80xbf16>, %b: memref<5x136x160xbf16>, %which: memref<2x2x128x4xi32>, %rows: memref<5xi32>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand ends: expected a product without metadata, got one with it}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x80xbf16>, memref<5x136x160xbf16>) metadata(%which : memref<2x2x128x4xi32>) ends(%rows : memref<5xi32>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c40_blocks(%a: memref<200x160xf8E4M3FN>, %b: memref<5x136x160xf8E4M3FN>, %sa: memref<2x2x32x4x4xf8E8M0FNU>, %sb: memref<5x2x2x32x4x4xf8E8M0FNU>, %rows: memref<5xi32>, %d: memref<200x136xf32>) {
  // expected-error @below {{operand ends: expected a product without scale factors in blocks of 128 rows, got one with it}}
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<5x136x160xf8E4M3FN>) scales(%sa, %sb : memref<2x2x32x4x4xf8E8M0FNU>, memref<5x2x2x32x4x4xf8E8M0FNU>) ends(%rows : memref<5xi32>) outs(%d : memref<200x136xf32>)
  return
}

// -----

func.func @tmm_matmul_c40_transpose_a(%a: memref<16x8xbf16>, %b: memref<5x16x24xbf16>, %rows: memref<5xi32>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand ends: expected A with elements of a row next to each other, no transpose_a, got transpose_a}}
  tmm.matmul transpose_a ins(%a, %b : memref<16x8xbf16>, memref<5x16x24xbf16>) ends(%rows : memref<5xi32>) outs(%d : memref<8x24xf32>)
  return
}

// -----

func.func @tmm_matmul_c40_d(%a: memref<8x16xbf16>, %b: memref<5x16x24xbf16>, %rows: memref<5xi32>, %d: memref<8x24xf32>) {
  // expected-error @below {{operand ends: expected an epilogue that does not read D, got one that does}}
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<5x16x24xbf16>) ends(%rows : memref<5xi32>) outs(%d : memref<8x24xf32>)
    epilogue(%acc, %x = %d : memref<8x24xf32>) {
    %0 = arith.addf %acc, %x : f32
    tmm.yield %0 : f32
  }
  return
}

// -----

!windows = memref<128x64xbf16, #tmm.windows<output = [8, 8], window = [1, 1], channels = 64, strides = [1, 1], dilations = [1, 1], padding = [0, 0]>>

func.func @tmm_matmul_c40_windows(%a: !windows, %b: memref<64x24xbf16>, %rows: memref<2xi32>, %d: memref<128x24xf32>) {
  // expected-error @below {{operand ends: expected A in memory, got windows of images}}
  tmm.matmul ins(%a, %b : !windows, memref<64x24xbf16>) ends(%rows : memref<2xi32>) outs(%d : memref<128x24xf32>)
  return
}
