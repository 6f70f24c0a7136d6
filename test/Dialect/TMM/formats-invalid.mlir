// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tmm_encode_c1(%x: memref<128x64xf32, strided<[128, 2]>>, %d: memref<128x64xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{operand X: expected adjacent elements of a row, innermost stride 1, got memref<128x64xf32, strided<[128, 2]>>}}
  tmm.encode ins(%x : memref<128x64xf32, strided<[128, 2]>>) outs(%d : memref<128x64xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_encode_c1_d(%x: memref<128x64xf32>, %d: memref<128x64xf8E4M3FN, strided<[128, 1]>>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{operand D: expected no layout, rows next to each other, got 'memref<128x64xf8E4M3FN, strided<[128, 1]>>'}}
  tmm.encode ins(%x : memref<128x64xf32>) outs(%d : memref<128x64xf8E4M3FN, strided<[128, 1]>>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_encode_c2(%x: memref<128x64xf32>, %d: memref<128x96xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{operand D: expected N = 64, as X has it, got 96}}
  tmm.encode ins(%x : memref<128x64xf32>) outs(%d : memref<128x96xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_encode_c2_step(%x: memref<128x96xf32>, %d: memref<128x96xf4E2M1FN>, %s: memref<1x2x32x4x4xf8E4M3FN>) {
  // expected-error @below {{expected N of a multiple of 64 for D of f4E2M1FN with scale factors, the K of the next matmul, got 96, the nearest is 128}}
  tmm.encode ins(%x : memref<128x96xf32>) outs(%d : memref<128x96xf4E2M1FN>) scale_d(%s : memref<1x2x32x4x4xf8E4M3FN>)
  return
}

// -----

func.func @tmm_encode_c2_blocks(%x: memref<129x64xf32>, %d: memref<129x64xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{operand SFD: expected 2 in dimension 0 for M = 129, got 1}}
  tmm.encode ins(%x : memref<129x64xf32>) outs(%d : memref<129x64xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_encode_c2_pair(%x: memref<128x64xf32>, %d: memref<128x64xf8E5M2>, %s: memref<1x1x32x4x4xf8E4M3FN>) {
  // expected-error @below {{operand SFD: expected element type f8E8M0FNU for D of f8E5M2, got f8E4M3FN}}
  tmm.encode ins(%x : memref<128x64xf32>) outs(%d : memref<128x64xf8E5M2>) scale_d(%s : memref<1x1x32x4x4xf8E4M3FN>)
  return
}

// -----

func.func @tmm_encode_c3(%x: memref<128x64xf32, 3>, %d: memref<128x64xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{operand X: expected global memory (no memory space, 0, 1 or #gpu.address_space<global>), got 3}}
  tmm.encode ins(%x : memref<128x64xf32, 3>) outs(%d : memref<128x64xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_encode_c3_d(%x: memref<128x64xf32>, %d: memref<128x64xf8E4M3FN, 5>, %s: memref<1x1x32x4x4xf8E8M0FNU, 5>) {
  // expected-error @below {{operand D: expected global memory}}
  tmm.encode ins(%x : memref<128x64xf32>) outs(%d : memref<128x64xf8E4M3FN, 5>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU, 5>)
  return
}

// -----

func.func @tmm_interleave_c1(%p: memref<128x4xf8E8M0FNU>, %s: memref<1x1x32x4x4xf8E4M3FN>) {
  // expected-error @below {{operand blocks: expected the element type of factors, 'f8E8M0FNU', got 'f8E4M3FN'}}
  tmm.interleave ins(%p : memref<128x4xf8E8M0FNU>) outs(%s : memref<1x1x32x4x4xf8E4M3FN>)
  return
}

// -----

func.func @tmm_interleave_c2(%p: memref<128x5xf8E8M0FNU>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{operand blocks: expected 2 blocks of 4 along K = 5 in dimension 1, got 1}}
  tmm.interleave ins(%p : memref<128x5xf8E8M0FNU>) outs(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_interleave_c2_dense(%p: memref<128x4xf8E8M0FNU>, %s: memref<1x1x32x4x4xf8E8M0FNU, strided<[1024, 1024, 32, 4, 1]>>) {
  // expected-error @below {{operand blocks: expected the blocks of one row of them to be adjacent}}
  tmm.interleave ins(%p : memref<128x4xf8E8M0FNU>) outs(%s : memref<1x1x32x4x4xf8E8M0FNU, strided<[1024, 1024, 32, 4, 1]>>)
  return
}

// -----

func.func @tmm_encode_c1_negative(%x: memref<128x64xf32, strided<[-64, 1], offset: 8128>>, %d: memref<128x64xf8E4M3FN>, %s: memref<1x1x32x4x4xf8E8M0FNU>) {
  // expected-error @below {{operand X: expected a stride of dimension 0 of at least 0, got -64}}
  tmm.encode ins(%x : memref<128x64xf32, strided<[-64, 1], offset: 8128>>) outs(%d : memref<128x64xf8E4M3FN>) scale_d(%s : memref<1x1x32x4x4xf8E8M0FNU>)
  return
}

// -----

func.func @tmm_reinterpret_c1_width(%x: memref<?x4xi8>) {
  // expected-error @below {{expected a result like the source, of integers of as many bits, got 'memref<?x4xi8>' and 'memref<?x4xui16>'}}
  %0 = tmm.reinterpret %x : memref<?x4xi8> to memref<?x4xui16>
  return
}

// -----

func.func @tmm_reinterpret_c1_float(%x: memref<?x4xi8>) {
  // expected-error @below {{expected a result like the source, of integers of as many bits, got 'memref<?x4xi8>' and 'memref<?x4xf8E4M3FN>'}}
  %0 = tmm.reinterpret %x : memref<?x4xi8> to memref<?x4xf8E4M3FN>
  return
}

// -----

func.func @tmm_reinterpret_c1_float_source(%x: memref<?x4xf8E4M3FN>) {
  // expected-error @below {{expected a result like the source, of integers of as many bits, got 'memref<?x4xf8E4M3FN>' and 'memref<?x4xui8>'}}
  %0 = tmm.reinterpret %x : memref<?x4xf8E4M3FN> to memref<?x4xui8>
  return
}

// -----

func.func @tmm_reinterpret_c1_shape(%x: memref<?x4xi8>) {
  // expected-error @below {{expected a result like the source, of integers of as many bits, got 'memref<?x4xi8>' and 'memref<4x?xui8>'}}
  %0 = tmm.reinterpret %x : memref<?x4xi8> to memref<4x?xui8>
  return
}

// -----

func.func @tmm_reinterpret_c1_kind(%x: memref<8x4xi8>) {
  // expected-error @below {{expected a result like the source, of integers of as many bits, got 'memref<8x4xi8>' and 'tensor<8x4xui8>'}}
  %0 = tmm.reinterpret %x : memref<8x4xi8> to tensor<8x4xui8>
  return
}

// -----

func.func @tmm_reinterpret_c1_layout(%x: memref<8x4xi8>) {
  // expected-error @below {{expected a result like the source, of integers of as many bits, got 'memref<8x4xi8>' and 'memref<8x4xui8, strided<[8, 1]>>'}}
  %0 = tmm.reinterpret %x : memref<8x4xi8> to memref<8x4xui8, strided<[8, 1]>>
  return
}
