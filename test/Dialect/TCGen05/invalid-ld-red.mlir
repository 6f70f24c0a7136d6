// The rules of tcgen05.ld_red, one function for each.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tcgen05_ld_red_c1_whole(%w: !tcgen05.tmem<128x64xf32, D>) {
  // expected-error @+1 {{expected a region of one warp's window (tcgen05.warp_window) with cells of 32 bits, got '!tcgen05.tmem<128x64xf32, D>'}}
  %v, %r = tcgen05.ld_red min %w : !tcgen05.tmem<128x64xf32, D> to vector<64xf32>, vector<1xf32>
  return
}

// -----

func.func @tcgen05_ld_red_c2_one_column(%w: !tcgen05.tmem<32x1xf32, D>) {
  // expected-error @+1 {{expected a power of two of columns from 2 to 128, got 1}}
  %v, %r = tcgen05.ld_red min %w : !tcgen05.tmem<32x1xf32, D> to vector<1xf32>, vector<1xf32>
  return
}

// -----

func.func @tcgen05_ld_red_c2_result(%w: !tcgen05.tmem<32x64xf32, D>) {
  // expected-error @+1 {{expected results 'vector<64xf32>' and 'vector<1xf32>', got 'vector<32xf32>' and 'vector<1xf32>'}}
  %v, %r = tcgen05.ld_red min %w : !tcgen05.tmem<32x64xf32, D> to vector<32xf32>, vector<1xf32>
  return
}

// -----

func.func @tcgen05_ld_red_c3_shape(%w: !tcgen05.tmem<32x64xf32, D>) {
  // expected-error @+1 {{expected shape 32x32b or 16x32bx2, got 16x64b}}
  %v, %r = tcgen05.ld_red min %w shape "16x64b" : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>, vector<1xf32>
  return
}

// -----

func.func @tcgen05_ld_red_c3_offset(%w: !tcgen05.tmem<32x64xf32, D>) {
  // expected-error @+1 {{expected no offset for shape 32x32b, got 4}}
  %v, %r = tcgen05.ld_red min %w offset 4 : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>, vector<1xf32>
  return
}

// -----

func.func @tcgen05_ld_red_c4_unsigned(%w: !tcgen05.tmem<32x64xf32, D>) {
  // expected-error @+1 {{expected min or max for f32, got umin}}
  %v, %r = tcgen05.ld_red umin %w : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>, vector<1xf32>
  return
}

// -----

func.func @tcgen05_ld_red_c4_abs(%w: !tcgen05.tmem<32x64xi32, D>) {
  // expected-error @+1 {{expected neither abs nor nan for i32, got max abs}}
  %v, %r = tcgen05.ld_red max %w abs : !tcgen05.tmem<32x64xi32, D> to vector<64xi32>, vector<1xi32>
  return
}

// -----

func.func @tcgen05_ld_red_c5_read_early(%w: !tcgen05.tmem<32x64xf32, D>) -> vector<1xf32> {
  // expected-error @+1 {{expected the result to be used once, by a 'tcgen05.wait ld' of the same block, got one by 'func.return'}}
  %v, %r = tcgen05.ld_red min %w : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>, vector<1xf32>
  // expected-note @+1 {{used here}}
  return %r : vector<1xf32>
}

// -----

func.func @tcgen05_ld_red_c2_type(%w: !tcgen05.tmem<32x64xbf16, D>) {
  // expected-error @+1 {{'tcgen05.ld_red' op expected elements of f32 or i32, got 'bf16'}}
  %v, %r = tcgen05.ld_red min %w : !tcgen05.tmem<32x64xbf16, D> to vector<64xbf16>, vector<1xbf16>
  return
}
