// Each rule of tcgen05.ld and st about shapes, named after its label.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @ld_bad_shape(%w: !tcgen05.tmem<32x64xf32, D>) {
  // expected-error @+1 {{expected shape 32x32b, 16x64b, 16x128b, 16x256b, 16x32bx2, got '64x32b' (PTX ISA 9.0, 9.7.16.2.3 "Data Movement Shape")}}
  %v = tcgen05.ld %w shape "64x32b" : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
  return
}

// -----

func.func @tcgen05_ld_c2_bad_columns_of_shape(%w: !tcgen05.tmem<16x24xf32, F>) {
  // expected-error @+1 {{expected 8 times a power of two of columns up to 256 for shape 16x256b, got 24, the nearest is 32 (PTX ISA 9.0, 9.7.16.8.3}}
  %v = tcgen05.ld %w shape "16x256b" : !tcgen05.tmem<16x24xf32, F> to vector<12xf32>
  return
}

// -----

func.func @tcgen05_ld_c2_too_many(%w: !tcgen05.tmem<16x512xf32, F>) {
  // expected-error @+1 {{expected 4 times a power of two of columns up to 256 for shape 16x128b, got 512, the nearest is 256}}
  %v = tcgen05.ld %w shape "16x128b" : !tcgen05.tmem<16x512xf32, F> to vector<256xf32>
  return
}

// -----

func.func @tcgen05_ld_c2_bad_pack(%w: !tcgen05.tmem<32x1xf16, D>) {
  // expected-error @+1 {{expected 2 times a power of two of columns up to 256 for shape 32x32b, got 1, the nearest is 2}}
  %v = tcgen05.ld %w pack : !tcgen05.tmem<32x1xf16, D> to vector<1xf16>
  return
}

// -----

func.func @tcgen05_ld_c2_bad_registers(%w: !tcgen05.tmem<16x64xf32, F>) {
  // expected-error @+1 {{expected a result of 32 elements, those of a thread for shape 16x64b and 64 columns, got 'vector<64xf32>'}}
  %v = tcgen05.ld %w shape "16x64b" : !tcgen05.tmem<16x64xf32, F> to vector<64xf32>
  return
}

// -----

func.func @tcgen05_ld_c2_bad_columns_after_offset(%w: !tcgen05.tmem<16x64xf32, F>) {
  // expected-error @+1 {{expected a power of two of columns up to 128 after the offset for shape 16x32bx2, got 24, the nearest is 32}}
  %v = tcgen05.ld %w shape "16x32bx2" offset 40 : !tcgen05.tmem<16x64xf32, F> to vector<24xf32>
  return
}

// -----

func.func @tcgen05_ld_c2_offset_past_end(%w: !tcgen05.tmem<16x64xf32, F>) {
  // expected-error @+1 {{columns up to 128 after the offset for shape 16x32bx2, got -36, the nearest is 1}}
  %v = tcgen05.ld %w shape "16x32bx2" offset 100 : !tcgen05.tmem<16x64xf32, F> to vector<1xf32>
  return
}

// -----

func.func @tcgen05_ld_c3_bad_packed(%w: !tcgen05.tmem<32x64xbf16, D, packed>) {
  // expected-error @+1 {{expected result elements of 'bf16', got 'i32'}}
  %v = tcgen05.ld %w : !tcgen05.tmem<32x64xbf16, D, packed> to vector<64xi32>
  return
}

// -----

func.func @tcgen05_ld_c3_no_whole_number(%w: !tcgen05.tmem<32x64xf6E3M2FN, D, packed>) {
  // expected-error @+1 {{expected packed elements of which a register holds a whole number, got '!tcgen05.tmem<32x64xf6E3M2FN, D, packed>'}}
  %v = tcgen05.ld %w : !tcgen05.tmem<32x64xf6E3M2FN, D, packed> to vector<64xf6E3M2FN>
  return
}

// -----

func.func @tcgen05_ld_c5_missing_offset(%w: !tcgen05.tmem<16x64xf32, F>) {
  // expected-error @+1 {{expected an offset for shape 16x32bx2, got none}}
  %v = tcgen05.ld %w shape "16x32bx2" : !tcgen05.tmem<16x64xf32, F> to vector<64xf32>
  return
}

// -----

func.func @tcgen05_ld_c5_offset_of_other_shape(%w: !tcgen05.tmem<32x64xf32, D>) {
  // expected-error @+1 {{expected no offset for shape 32x32b, got 8}}
  %v = tcgen05.ld %w offset 8 : !tcgen05.tmem<32x64xf32, D> to vector<64xf32>
  return
}

// -----

func.func @tcgen05_ld_c5_negative_offset(%w: !tcgen05.tmem<16x64xf32, F>) {
  // expected-error @+1 {{expected an offset from 0, got -8}}
  %v = tcgen05.ld %w shape "16x32bx2" offset -8 : !tcgen05.tmem<16x64xf32, F> to vector<64xf32>
  return
}

// -----

func.func @tcgen05_ld_c6_bad_lane(%w: !tcgen05.tmem<32x64xf32, D>) {
  // expected-error @+1 {{expected lane 0 or 16 for shape 16x64b in a region of 32 lanes, got 8 (PTX ISA 9.0, 9.7.16.8.1 "Access restrictions")}}
  %v = tcgen05.ld %w shape "16x64b" {lane = 8 : i64} : !tcgen05.tmem<32x64xf32, D> to vector<32xf32>
  return
}

// -----

func.func @tcgen05_ld_c6_lane_of_half_region(%w: !tcgen05.tmem<16x64xf32, F>) {
  // expected-error @+1 {{expected lane 0 for shape 16x64b in a region of 16 lanes, got 16}}
  %v = tcgen05.ld %w shape "16x64b" {lane = 16 : i64} : !tcgen05.tmem<16x64xf32, F> to vector<32xf32>
  return
}

// -----

func.func @tcgen05_ld_c7_bad_pack(%w: !tcgen05.tmem<32x64xf32, D>) {
  // expected-error @+1 {{expected elements of 16 bits with a cell each for pack, got '!tcgen05.tmem<32x64xf32, D>'}}
  %v = tcgen05.ld %w pack : !tcgen05.tmem<32x64xf32, D> to vector<32xf32>
  return
}

// -----

func.func @tcgen05_st_c4_missing_offset(%w: !tcgen05.tmem<32x64xf32, D>, %v: vector<64xf32>) {
  // expected-error @+1 {{expected an offset for shape 16x32bx2, got none (PTX ISA 9.0, 9.7.16.8.4}}
  tcgen05.st %v, %w shape "16x32bx2" : vector<64xf32> to !tcgen05.tmem<32x64xf32, D>
  return
}

// -----

func.func @tcgen05_st_c5_bad_lane(%w: !tcgen05.tmem<32x64xf32, D>, %v: vector<64xf32>) {
  // expected-error @+1 {{expected lane 0 for shape 32x32b in a region of 32 lanes, got 16}}
  tcgen05.st %v, %w {lane = 16 : i64} : vector<64xf32> to !tcgen05.tmem<32x64xf32, D>
  return
}

// -----

func.func @tcgen05_st_c6_bad_unpack(%w: !tcgen05.tmem<32x64xbf16, D, packed>, %v: vector<64xbf16>) {
  // expected-error @+1 {{expected elements of 16 bits with a cell each for unpack, got '!tcgen05.tmem<32x64xbf16, D, packed>'}}
  tcgen05.st %v, %w unpack : vector<64xbf16> to !tcgen05.tmem<32x64xbf16, D, packed>
  return
}
