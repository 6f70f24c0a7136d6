// Each rule of the verifiers, named after its label.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tcgen05_reserve_c1_bad_window() {
  // expected-error @+1 {{expected a whole region with a data path layout, got '!tcgen05.tmem<32x128xf32, D>' (PTX ISA 9.0, 9.7.16.10.5 "Data Path Layout Organization")}}
  %acc = tcgen05.reserve : !tcgen05.tmem<32x128xf32, D>
  return
}

// -----

func.func @tcgen05_reserve_c1_bad_raw() {
  // expected-error @+1 {{expected a whole region with a data path layout, got '!tcgen05.tmem<128x128xi32, raw>'}}
  %acc = tcgen05.reserve : !tcgen05.tmem<128x128xi32, raw>
  return
}

// -----

func.func @tcgen05_reserve_c2_bad_region(%p: i1) {
  scf.if %p {
    // expected-error @+1 {{expected to be in the entry block of a function, got a region of 'scf.if'}}
    %acc = tcgen05.reserve : !tcgen05.tmem<128x128xf32, D>
  }
  return
}

// -----

func.func @tcgen05_alloc_c1_bad_columns(%slot: memref<1xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected columns to be a power of two from 32 to 512, got 48, the nearest is 64 (PTX ISA 9.0, 9.7.16.7 "Tensor Memory Allocation and Management Instructions")}}
  tcgen05.alloc %slot, 48 : memref<1xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_alloc_c1_bad_too_many(%slot: memref<1xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{expected columns to be a power of two from 32 to 512, got 1024, the nearest is 512}}
  tcgen05.alloc %slot, 1024 : memref<1xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @alloc_bad_slot(%slot: memref<1xi32>) {
  // expected-error @+1 {{operand #0 must be memref<1xi32> in workgroup memory, but got 'memref<1xi32>'}}
  tcgen05.alloc %slot, 64 : memref<1xi32>
  return
}

// -----

func.func @alloc_bad_group(%slot: memref<1xi32, #gpu.address_space<workgroup>>) {
  // expected-error @+1 {{attribute 'cta_group' failed to satisfy constraint}}
  tcgen05.alloc %slot, 64 cta_group 3 : memref<1xi32, #gpu.address_space<workgroup>>
  return
}

// -----

func.func @tcgen05_dealloc_c1_bad_columns(%tmem: !tcgen05.tmem<128x96xi32, raw>) {
  // expected-error @+1 {{expected columns to be a power of two from 32 to 512, got 96, the nearest is 128}}
  tcgen05.dealloc %tmem : !tcgen05.tmem<128x96xi32, raw>
  return
}

// -----

func.func @tcgen05_slice_c1_bad_lanes(%tmem: !tcgen05.tmem<128x256xi32, raw>) {
  // expected-error @+1 {{expected the result to have all 128 lanes of its layout, got '!tcgen05.tmem<32x128xf32, D>'}}
  %d = tcgen05.slice %tmem[0] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<32x128xf32, D>
  return
}

// -----

func.func @tcgen05_slice_c2_bad_layout(%d: !tcgen05.tmem<128x128xf32, D>) {
  // expected-error @+1 {{expected the result to have the lanes, element type and layout of the source '!tcgen05.tmem<128x128xf32, D>', got '!tcgen05.tmem<128x64xf32, A>'}}
  %e = tcgen05.slice %d[0] : !tcgen05.tmem<128x128xf32, D> to !tcgen05.tmem<128x64xf32, A>
  return
}

// -----

func.func @tcgen05_slice_c4_bad_lane(%tmem: !tcgen05.tmem<128x256xi32, raw>) {
  // expected-error @+1 {{expected lane 0 or 16 for a slice of '!tcgen05.tmem<128x256xi32, raw>' to '!tcgen05.tmem<64x64xf32, F>', got 8}}
  %e = tcgen05.slice %tmem[0] lane 8 : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<64x64xf32, F>
  return
}

// -----

func.func @tcgen05_slice_c4_whole_windows(%tmem: !tcgen05.tmem<128x256xi32, raw>) {
  // expected-error @+1 {{expected lane 0 for a slice of '!tcgen05.tmem<128x256xi32, raw>' to '!tcgen05.tmem<128x64xf32, D>', got 16}}
  %e = tcgen05.slice %tmem[0] lane 16 : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x64xf32, D>
  return
}

// -----

func.func @tcgen05_slice_c4_below_zero(%tmem: !tcgen05.tmem<128x256xi32, raw>) {
  // expected-error @+1 {{expected lane 0 for a slice of '!tcgen05.tmem<128x256xi32, raw>' to '!tcgen05.tmem<128x64xf32, D>', got -16}}
  %d = tcgen05.slice %tmem[0] lane -16 : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x64xf32, D>
  return
}

// -----

func.func @tcgen05_slice_c3_bad_column(%d: !tcgen05.tmem<128x128xf32, D>) {
  // expected-error @+1 {{expected the result to lie within the 128 columns of the source, got 64 from 96 on (PTX ISA 9.0, 9.7.16.1 "Tensor Memory")}}
  %e = tcgen05.slice %d[96] : !tcgen05.tmem<128x128xf32, D> to !tcgen05.tmem<128x64xf32, D>
  return
}

// -----

func.func @tcgen05_slice_c3_huge_column(%d: !tcgen05.tmem<128x128xf32, D>) {
  // expected-error @+1 {{expected the result to lie within the 128 columns of the source, got 64 from 9223372036854775776 on}}
  %e = tcgen05.slice %d[9223372036854775776] : !tcgen05.tmem<128x128xf32, D> to !tcgen05.tmem<128x64xf32, D>
  return
}

// -----

func.func @slice_bad_number_of_columns(%d: !tcgen05.tmem<128x128xf32, D>) {
  // expected-error @+1 {{expected one column, got 2}}
  %e = tcgen05.slice %d[0, 0] : !tcgen05.tmem<128x128xf32, D> to !tcgen05.tmem<128x64xf32, D>
  return
}

// -----

func.func @tcgen05_warp_window_c1_bad_source(%d: !tcgen05.tmem<128x128xi32, raw>) {
  // expected-error @+1 {{expected a whole region with a data path layout, got '!tcgen05.tmem<128x128xi32, raw>' (PTX ISA 9.0, 9.7.16.8.1 "Access restrictions")}}
  %w = tcgen05.warp_window %d : !tcgen05.tmem<128x128xi32, raw>
  return
}

// -----

func.func @tcgen05_ld_c1_bad_lanes(%d: !tcgen05.tmem<128x64xf32, D>) {
  // expected-error @+1 {{expected a region of one warp's window (tcgen05.warp_window), got '!tcgen05.tmem<128x64xf32, D>'}}
  %v = tcgen05.ld %d : !tcgen05.tmem<128x64xf32, D> to vector<64xf32>
  return
}

// -----

func.func @tcgen05_ld_c2_bad_columns(%d: !tcgen05.tmem<32x24xf32, D>) {
  // expected-error @+1 {{expected a power of two of columns up to 128 for shape 32x32b, got 24, the nearest is 32}}
  %v = tcgen05.ld %d : !tcgen05.tmem<32x24xf32, D> to vector<24xf32>
  return
}

// -----

func.func @tcgen05_ld_c2_bad_result(%d: !tcgen05.tmem<32x32xf32, D>) {
  // expected-error @+1 {{expected a result of 32 elements, those of a thread for shape 32x32b and 32 columns, got 'vector<16xf32>'}}
  %v = tcgen05.ld %d : !tcgen05.tmem<32x32xf32, D> to vector<16xf32>
  return
}

// -----

func.func @tcgen05_ld_c3_bad_element(%d: !tcgen05.tmem<32x32xf16, D>) {
  // expected-error @+1 {{expected result elements of 'i32', got 'f16'}}
  %v = tcgen05.ld %d : !tcgen05.tmem<32x32xf16, D> to vector<32xf16>
  return
}

// -----

func.func @commit_bad_barrier(%bar: i64) {
  // expected-error @+1 {{operand #0 must be mbarrier, but got 'i64'}}
  tcgen05.commit %bar : i64
  return
}

// -----

func.func @tcgen05_commit_c1_no_cta(%bar: !sm90.mbarrier) {
  %none = arith.constant 0 : i16
  // expected-error @+1 {{expected multicast to name a CTA, got 0 (PTX ISA 9.0, 9.7.16.12}}
  tcgen05.commit %bar multicast %none cta_group 2 : !sm90.mbarrier
  return
}

// -----

func.func @tcgen05_ld_c4_read_before_wait(%d: !tcgen05.tmem<32x4xf32, D>) -> vector<4xf32> {
  // expected-error @+1 {{expected the result to be used once, by a 'tcgen05.wait ld' of the same block, got one by 'arith.negf' (PTX ISA 9.0, 9.7.16.8.3 "Tensorcore 5th Generation Instructions: tcgen05.ld")}}
  %v = tcgen05.ld %d : !tcgen05.tmem<32x4xf32, D> to vector<4xf32>
  // expected-note @+1 {{used here}}
  %w = arith.negf %v : vector<4xf32>
  return %w : vector<4xf32>
}

// -----

func.func @tcgen05_ld_c4_two_uses(%d: !tcgen05.tmem<32x4xf32, D>) -> vector<4xf32> {
  // expected-error @+1 {{by a 'tcgen05.wait ld' of the same block, got 2 uses}}
  %v = tcgen05.ld %d : !tcgen05.tmem<32x4xf32, D> to vector<4xf32>
  %w = tcgen05.wait ld(%v : vector<4xf32>)
  // expected-note @+1 {{used here}}
  return %v : vector<4xf32>
}

// -----

func.func @tcgen05_ld_c4_other_block(%d: !tcgen05.tmem<32x4xf32, D>, %lb: index, %ub: index) {
  // expected-error @+1 {{expected the result to be used once, by a 'tcgen05.wait ld' of the same block, got one by 'tcgen05.wait' of another block}}
  %v = tcgen05.ld %d : !tcgen05.tmem<32x4xf32, D> to vector<4xf32>
  scf.for %i = %lb to %ub step %lb {
    // expected-note @+1 {{used here}}
    %w = tcgen05.wait ld(%v : vector<4xf32>)
  }
  return
}

// -----

func.func @tcgen05_wait_c1_values_of_st(%v: vector<4xf32>) {
  // expected-error @+1 {{expected no values for st, got 1 (PTX ISA 9.0, 9.7.16.8.5 "Tensorcore 5th Generation Instructions: tcgen05.wait")}}
  %w = tcgen05.wait st(%v : vector<4xf32>)
  return
}

// -----

// expected-note @+1 {{defined here}}
func.func @tcgen05_wait_c2_no_load(%v: vector<4xf32>) {
  // expected-error @+1 {{'tcgen05.wait' op expected value #0 to be the result of a 'tcgen05.ld', 'tcgen05.ld_red' or 'tcgen05.ld_compress'}}
  %w = tcgen05.wait ld(%v : vector<4xf32>)
  return
}

// -----

func.func @tcgen05_st_c1_bad_lanes(%d: !tcgen05.tmem<128x64xf32, D>, %v: vector<64xf32>) {
  // expected-error @+1 {{expected a region of one warp's window (tcgen05.warp_window), got '!tcgen05.tmem<128x64xf32, D>'}}
  tcgen05.st %v, %d : vector<64xf32> to !tcgen05.tmem<128x64xf32, D>
  return
}

// -----

func.func @tcgen05_st_c1_half_window(%d: !tcgen05.tmem<16x64xf32, F>, %v: vector<64xf32>) {
  // expected-error @+1 {{expected a region of 32 lanes, which the threads of a warp write with shape 32x32b, got '!tcgen05.tmem<16x64xf32, F>' (PTX ISA 9.0, 9.7.16.8.1 "Access restrictions")}}
  tcgen05.st %v, %d : vector<64xf32> to !tcgen05.tmem<16x64xf32, F>
  return
}

// -----

func.func @tcgen05_st_c2_bad_columns(%d: !tcgen05.tmem<32x24xf32, D>, %v: vector<24xf32>) {
  // expected-error @+1 {{expected a power of two of columns up to 128 for shape 32x32b, got 24, the nearest is 32 (PTX ISA 9.0, 9.7.16.8.4 "Tensorcore 5th Generation Instructions: tcgen05.st")}}
  tcgen05.st %v, %d : vector<24xf32> to !tcgen05.tmem<32x24xf32, D>
  return
}

// -----

func.func @tcgen05_st_c2_bad_value(%d: !tcgen05.tmem<32x32xf32, D>, %v: vector<16xf32>) {
  // expected-error @+1 {{expected a value of 32 elements, those of a thread for shape 32x32b and 32 columns, got 'vector<16xf32>'}}
  tcgen05.st %v, %d : vector<16xf32> to !tcgen05.tmem<32x32xf32, D>
  return
}

// -----

func.func @tcgen05_st_c3_bad_element(%d: !tcgen05.tmem<32x32xf16, D>, %v: vector<32xf16>) {
  // expected-error @+1 {{expected value elements of 'i32', got 'f16'}}
  tcgen05.st %v, %d : vector<32xf16> to !tcgen05.tmem<32x32xf16, D>
  return
}
