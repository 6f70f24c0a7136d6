// Each rule of tcgen05.cp and tcgen05.shift, named after its label.
// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @tcgen05_cp_c1_too_few_rows(%s: memref<16x16xi8, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<128x4xi32, raw>) {
  // expected-error @+1 {{expected source to have 32 rows of at least 16 bytes, as shape 32x128b.warpx4 copies, in workgroup memory, got 'memref<16x16xi8, #gpu.address_space<workgroup>>' (PTX ISA 9.0, 9.7.16.9.2 "Tensorcore 5th Generation Instructions: tcgen05.cp")}}
  tcgen05.cp %s, %d : memref<16x16xi8, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x4xi32, raw>
  return
}

// -----

func.func @tcgen05_cp_c1_too_narrow(%s: memref<128x16xi8, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<128x8xi32, raw>) {
  // expected-error @+1 {{expected source to have 128 rows of at least 32 bytes, as shape 128x256b copies}}
  tcgen05.cp %s, %d shape "128x256b" : memref<128x16xi8, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x8xi32, raw>
  return
}

// -----

func.func @tcgen05_cp_c1_bad_space(%s: memref<32x16xf8E8M0FNU>, %d: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>) {
  // expected-error @+1 {{expected source to have 32 rows of at least 16 bytes, as shape 32x128b.warpx4 copies, in workgroup memory}}
  tcgen05.cp %s, %d : memref<32x16xf8E8M0FNU>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_cp_c1_wide_rows(%s: memref<32x16xi16, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<128x4xi32, raw>) {
  // expected-error @+1 {{expected source with the layout of a tile (#sm90.smem_layout), or dense with rows of 16 bytes, got 'memref<32x16xi16, #gpu.address_space<workgroup>>'}}
  tcgen05.cp %s, %d : memref<32x16xi16, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x4xi32, raw>
  return
}

// -----

func.func @tcgen05_cp_c1_bad_major(%s: memref<128x128xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
                                   %d: !tcgen05.tmem<128x8xi32, raw>) {
  // expected-error @+1 {{expected source to be k_major with swizzle none, b32, b64 or b128, got #sm90.smem_layout<mn_major, b128, bits = 16, slab = 8192>}}
  tcgen05.cp %s, %d shape "128x256b"
      : memref<128x128xbf16, #sm90.smem_layout<mn_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x8xi32, raw>
  return
}

// -----

func.func @tcgen05_cp_c1_bad_bits(%s: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>,
                                  %d: !tcgen05.tmem<128x8xi32, raw>) {
  // expected-error @+1 {{expected the layout of source to have bits = 16, those of 'bf16', got 8}}
  tcgen05.cp %s, %d shape "128x256b"
      : memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 8, slab = 16384>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x8xi32, raw>
  return
}

// -----

func.func @tcgen05_cp_c2_bad_columns(%s: memref<32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>) {
  // expected-error @+1 {{expected destination to be whole, dense, with 128 lanes and 4 columns of 32-bit cells for shape 32x128b.warpx4, got '!tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>'}}
  tcgen05.cp %s, %d : memref<32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x32xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_cp_c2_half_of_the_lanes(%s: memref<32x4xf32, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<64x4xf32, F>) {
  // expected-error @+1 {{expected destination to be whole, dense, with 128 lanes and 4 columns of 32-bit cells for shape 32x128b.warpx4, got '!tcgen05.tmem<64x4xf32, F>'}}
  tcgen05.cp %s, %d : memref<32x4xf32, #gpu.address_space<workgroup>>, !tcgen05.tmem<64x4xf32, F>
  return
}

// -----

func.func @tcgen05_cp_c2_gaps(%s: memref<32x8xf16, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<128x4xf16, D>) {
  // expected-error @+1 {{expected destination to be whole, dense, with 128 lanes and 4 columns of 32-bit cells for shape 32x128b.warpx4, got '!tcgen05.tmem<128x4xf16, D>'}}
  tcgen05.cp %s, %d : memref<32x8xf16, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x4xf16, D>
  return
}

// -----

func.func @tcgen05_cp_c3_bad_element(%s: memref<32x16xi8, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>) {
  // expected-error @+1 {{expected destination of 'i8', as source, got 'f8E8M0FNU'}}
  tcgen05.cp %s, %d : memref<32x16xi8, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x16xf8E8M0FNU, scales, packed>
  return
}

// -----

func.func @tcgen05_cp_c4_bad_format(%s: memref<32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<128x4xi32, raw>) {
  // expected-error @+1 {{expected source of i8 with format b4x16_p64, got 'f8E8M0FNU'}}
  tcgen05.cp %s, %d format b4x16_p64 : memref<32x16xf8E8M0FNU, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x4xi32, raw>
  return
}

// -----

func.func @tcgen05_cp_c5_bad_step(%s: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
                                  %d: !tcgen05.tmem<128x8xi32, raw>) {
  // expected-error @+1 {{expected k to be a multiple of 16, the elements of a row of shape 128x256b, up to 48, got 8}}
  tcgen05.cp %s, %d shape "128x256b" {k = 8 : i64}
      : memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x8xi32, raw>
  return
}

// -----

func.func @tcgen05_cp_c5_past_end(%s: memref<32x16xi8, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<128x4xi32, raw>) {
  // expected-error @+1 {{expected k to be a multiple of 16, the elements of a row of shape 32x128b.warpx4, up to 0, got 16}}
  tcgen05.cp %s, %d {k = 16 : i64} : memref<32x16xi8, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x4xi32, raw>
  return
}

// -----

func.func @tcgen05_cp_c5_huge(%s: memref<32x16xi8, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<128x4xi32, raw>) {
  // expected-error @+1 {{expected k to be a multiple of 16, the elements of a row of shape 32x128b.warpx4, up to 0, got 9223372036854775792}}
  tcgen05.cp %s, %d {k = 9223372036854775792 : i64} : memref<32x16xi8, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x4xi32, raw>
  return
}

// -----

func.func @tcgen05_cp_c6_bad_lane(%s: memref<32x16xi8, #gpu.address_space<workgroup>>, %d: !tcgen05.tmem<128x4xi32, raw>) {
  // expected-error @+1 {{expected lane 0 for shape 32x128b.warpx4, got 1}}
  tcgen05.cp %s, %d {lane = 1 : i64} : memref<32x16xi8, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x4xi32, raw>
  return
}

// -----

func.func @tcgen05_cp_c6_lane_past_window(%s: memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>,
                                          %d: !tcgen05.tmem<128x8xi32, raw>) {
  // expected-error @+1 {{expected lane from 0 to 31 for shape 4x256b, got 32}}
  tcgen05.cp %s, %d shape "4x256b" {lane = 32 : i64}
      : memref<128x64xbf16, #sm90.smem_layout<k_major, b128, bits = 16, slab = 8192>, #gpu.address_space<workgroup>>, !tcgen05.tmem<128x8xi32, raw>
  return
}

// -----

func.func @tcgen05_shift_c1_bad_columns(%r: !tcgen05.tmem<128x16xi32, raw>) {
  // expected-error @+1 {{expected a whole region of 128 lanes and 8 columns of 32-bit cells, got '!tcgen05.tmem<128x16xi32, raw>' (PTX ISA 9.0, 9.7.16.9.3 "Tensorcore 5th Generation Instructions: tcgen05.shift")}}
  tcgen05.shift %r window 0 : !tcgen05.tmem<128x16xi32, raw>
  return
}

// -----

func.func @tcgen05_shift_c1_window(%r: !tcgen05.tmem<32x8xi32, D>) {
  // expected-error @+1 {{expected a whole region of 128 lanes and 8 columns of 32-bit cells, got '!tcgen05.tmem<32x8xi32, D>'}}
  tcgen05.shift %r window 0 : !tcgen05.tmem<32x8xi32, D>
  return
}

// -----

func.func @tcgen05_shift_c2_bad_window(%r: !tcgen05.tmem<128x8xi32, D>) {
  // expected-error @+1 {{expected window from 0 to 3, got 4}}
  tcgen05.shift %r window 4 : !tcgen05.tmem<128x8xi32, D>
  return
}
