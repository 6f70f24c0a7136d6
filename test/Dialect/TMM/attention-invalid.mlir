// RUN: tc-opt %s -split-input-file -verify-diagnostics

// tmm_attention_c1
func.func @rank(%q: memref<8x64xbf16>, %k: memref<2x8x64xbf16>, %o: memref<8x64xbf16>) {
  // expected-error @+1 {{operand 1: expected rank 2, got 3}}
  tmm.attention %q, %k, %k scale(1.0) outs(%o : memref<8x64xbf16>) : memref<8x64xbf16>, memref<2x8x64xbf16>, memref<2x8x64xbf16>
  return
}

// -----

func.func @columns(%q: memref<8x64xbf16>, %k: memref<8x32xbf16>, %o: memref<8x32xbf16>) {
  // expected-error @+1 {{expected k of 64 elements along dimension 1, got 32}}
  tmm.attention %q, %k, %k scale(1.0) outs(%o : memref<8x32xbf16>) : memref<8x64xbf16>, memref<8x32xbf16>, memref<8x32xbf16>
  return
}

// -----

func.func @batches(%q: memref<6x8x64xbf16>, %k: memref<4x8x64xbf16>, %o: memref<6x8x64xbf16>) {
  // expected-error @+1 {{expected k of a divisor of 6 elements along dimension 0, got 4}}
  tmm.attention %q, %k, %k scale(1.0) outs(%o : memref<6x8x64xbf16>) : memref<6x8x64xbf16>, memref<4x8x64xbf16>, memref<4x8x64xbf16>
  return
}

// -----

func.func @lse(%q: memref<8x64xbf16>, %o: memref<8x64xbf16>, %lse: memref<9xf32>) {
  // expected-error @+1 {{expected lse of 8 elements along dimension 0, got 9}}
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<8x64xbf16>, %lse : memref<9xf32>) : memref<8x64xbf16>, memref<8x64xbf16>, memref<8x64xbf16>
  return
}

// -----

// tmm_attention_c2
func.func @type(%q: memref<8x64xf32>, %o: memref<8x64xf32>) {
  // expected-error @+1 {{expected q of bf16 or f16, got 'f32'}}
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<8x64xf32>) : memref<8x64xf32>, memref<8x64xf32>, memref<8x64xf32>
  return
}

// -----

func.func @types(%q: memref<8x64xf16>, %k: memref<8x64xbf16>, %o: memref<8x64xf32>) {
  // expected-error @+1 {{operand 1: expected elements of 'f16' as those of q, got 'bf16'}}
  tmm.attention %q, %k, %k scale(1.0) outs(%o : memref<8x64xf32>) : memref<8x64xf16>, memref<8x64xbf16>, memref<8x64xbf16>
  return
}

// -----

func.func @out(%q: memref<8x64xf16>, %o: memref<8x64xbf16>) {
  // expected-error @+1 {{expected o of 'f16' or f32, got 'bf16'}}
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<8x64xbf16>) : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>
  return
}

// -----

func.func @lse_type(%q: memref<8x64xf16>, %o: memref<8x64xf16>, %lse: memref<8xf16>) {
  // expected-error @+1 {{expected lse of f32, got 'f16'}}
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<8x64xf16>, %lse : memref<8xf16>) : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>
  return
}

// -----

// tmm_attention_c3
func.func @scale(%q: memref<8x64xf16>, %o: memref<8x64xf16>) {
  // expected-error @+1 {{expected a finite scale above 0, got -1.000000e+00}}
  tmm.attention %q, %q, %q scale(-1.0) outs(%o : memref<8x64xf16>) : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>
  return
}

// -----

func.func @window(%q: memref<8x64xf16>, %o: memref<8x64xf16>) {
  // expected-error @+1 {{expected a diagonal with a window, got none: diagonal(0) is that of causal attention}}
  tmm.attention %q, %q, %q scale(1.0) window(4) outs(%o : memref<8x64xf16>) : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>
  return
}

// -----

func.func @small_window(%q: memref<8x64xf16>, %o: memref<8x64xf16>) {
  // expected-error @+1 {{expected a window of at least 1, got 0}}
  tmm.attention %q, %q, %q scale(1.0) diagonal(0) window(0) outs(%o : memref<8x64xf16>) : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>
  return
}

// -----

// tmm_attention_c4
func.func @result(%q: tensor<8x64xf16>, %o: tensor<8x64xf16>) {
  // expected-error @+1 {{expected a result for each output that is a tensor, of its type, got }}
  tmm.attention %q, %q, %q scale(1.0) outs(%o : tensor<8x64xf16>) : tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>
  return
}

// -----

// tmm_attention_c5
#turned = affine_map<(i, e) -> (e, i)>
#same = affine_map<(i, e) -> (i, e)>
func.func @maps(%q: memref<64x8xf16>, %k: memref<8x64xf16>, %o: memref<64x64xf16>) {
  // expected-error @+1 {{operand 0: expected a permutation of 2 dimensions with the last one in its place, got}}
  tmm.attention %q, %k, %k scale(1.0) outs(%o : memref<64x64xf16>) maps [#turned, #same, #same, #same] : memref<64x8xf16>, memref<8x64xf16>, memref<8x64xf16>
  return
}

// -----

#same = affine_map<(i, e) -> (i, e)>
func.func @few_maps(%q: memref<8x64xf16>, %o: memref<8x64xf16>) {
  // expected-error @+1 {{expected 4 maps, one for each operand, got 1}}
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<8x64xf16>) maps [#same] : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>
  return
}

// -----

func.func @bias_rank(%q: memref<2x8x64xf16>, %b: memref<8x8xf32>) {
  // expected-error @+1 {{operand 4: expected rank 3, got 2}}
  tmm.attention %q, %q, %q scale(1.0) bias(%b : memref<8x8xf32>) outs(%q : memref<2x8x64xf16>) : memref<2x8x64xf16>, memref<2x8x64xf16>, memref<2x8x64xf16>
  return
}

// -----

func.func @bias_rows(%q: memref<2x8x64xf16>, %b: memref<1x4x8xf32>) {
  // expected-error @+1 {{expected bias of 8 elements, or 1, along dimension 1, got 4}}
  tmm.attention %q, %q, %q scale(1.0) bias(%b : memref<1x4x8xf32>) outs(%q : memref<2x8x64xf16>) : memref<2x8x64xf16>, memref<2x8x64xf16>, memref<2x8x64xf16>
  return
}

// -----

func.func @bias_keys(%q: memref<2x8x64xf16>, %b: memref<2x8x1xf32>) {
  // expected-error @+1 {{expected bias of 8 elements along dimension 2, got 1}}
  tmm.attention %q, %q, %q scale(1.0) bias(%b : memref<2x8x1xf32>) outs(%q : memref<2x8x64xf16>) : memref<2x8x64xf16>, memref<2x8x64xf16>, memref<2x8x64xf16>
  return
}

// -----

func.func @bias_type(%q: memref<8x64xf16>, %b: memref<8x8xi8>) {
  // expected-error @+1 {{expected bias of bf16, f16 or f32, got 'i8'}}
  tmm.attention %q, %q, %q scale(1.0) bias(%b : memref<8x8xi8>) outs(%q : memref<8x64xf16>) : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>
  return
}
