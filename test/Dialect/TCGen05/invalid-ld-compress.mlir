// The rules of tcgen05.ld_compress, one function for each.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tcgen05_ld_compress_c1_whole(%w: !tcgen05.tmem<128x64xf32, D>) {
  // expected-error @+1 {{expected a region of one warp's window (tcgen05.warp_window) of 32 lanes with f32, got '!tcgen05.tmem<128x64xf32, D>'}}
  %v, %i = tcgen05.ld_compress min %w : !tcgen05.tmem<128x64xf32, D> to vector<32xf32>, vector<2xi32>
  return
}

// -----

func.func @tcgen05_ld_compress_c1_integers(%w: !tcgen05.tmem<32x64xi32, D>) {
  // expected-error @+1 {{of 32 lanes with f32, got '!tcgen05.tmem<32x64xi32, D>'}}
  %v, %i = tcgen05.ld_compress min %w : !tcgen05.tmem<32x64xi32, D> to vector<32xi32>, vector<2xi32>
  return
}

// -----

func.func @tcgen05_ld_compress_c2_columns(%w: !tcgen05.tmem<32x2xf32, D>) {
  // expected-error @+1 {{expected a power of two of columns from 4 to 128, got 2}}
  %v, %i = tcgen05.ld_compress min %w : !tcgen05.tmem<32x2xf32, D> to vector<1xf32>, vector<1xi32>
  return
}

// -----

func.func @tcgen05_ld_compress_c3_results(%w: !tcgen05.tmem<32x64xf32, D>) {
  // expected-error @+1 {{expected results 'vector<32xf32>', 'vector<2xi32>', got 'vector<32xf32>', 'vector<1xi32>'}}
  %v, %i = tcgen05.ld_compress min %w : !tcgen05.tmem<32x64xf32, D> to vector<32xf32>, vector<1xi32>
  return
}

// -----

func.func @tcgen05_ld_compress_c4_unsigned(%w: !tcgen05.tmem<32x4xf32, D>) {
  // expected-error @+1 {{expected min or max for f32, got umax}}
  %v, %i = tcgen05.ld_compress umax %w : !tcgen05.tmem<32x4xf32, D> to vector<2xf32>, vector<1xi32>
  return
}

// -----

func.func @tcgen05_ld_compress_c4_nan(%w: !tcgen05.tmem<32x4xf32, D>) {
  // expected-error @+1 {{expected nan with a reduced result only, got none}}
  %v, %i = tcgen05.ld_compress max %w nan : !tcgen05.tmem<32x4xf32, D> to vector<2xf32>, vector<1xi32>
  return
}

// -----

func.func @tcgen05_ld_compress_c5_read_early(%w: !tcgen05.tmem<32x4xf32, D>) -> vector<1xi32> {
  // expected-error @+1 {{expected the result to be used once, by a 'tcgen05.wait ld' of the same block, got one by 'func.return'}}
  %v, %i = tcgen05.ld_compress max %w : !tcgen05.tmem<32x4xf32, D> to vector<2xf32>, vector<1xi32>
  // expected-note @+1 {{used here}}
  return %i : vector<1xi32>
}
