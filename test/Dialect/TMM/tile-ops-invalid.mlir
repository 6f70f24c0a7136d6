// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @scheduler_tile(%m: i32) {
  // expected-error @below {{expected tile to be three positive sizes M, N, K, got [128, 0, 64]}}
  %s = tmm.scheduler #tmm.static(%m, %m, %m) tile [128, 0, 64] : !tmm.scheduler
  return
}

// -----

func.func @load_rank(%a: memref<?xf16>, %i: i32) {
  %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
  // expected-error @below {{expected operand source of rank 2, got rank 1}}
  tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?xf16>, <128x64xf16, #sm90.smem<k_major, none>>
  return
}

// -----

func.func @load_stride(%a: memref<8x8xf16, strided<[1, 8]>>, %i: i32) {
  %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
  // expected-error @below {{expected operand source with unit innermost stride, got 'memref<8x8xf16, strided<[1, 8]>>'}}
  tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<8x8xf16, strided<[1, 8]>>, <128x64xf16, #sm90.smem<k_major, none>>
  return
}

// -----

func.func @load_type(%a: memref<8x8xbf16>, %i: i32) {
  %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
  // expected-error @below {{expected operand source of element type 'f16', got 'bf16'}}
  tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<8x8xbf16>, <128x64xf16, #sm90.smem<k_major, none>>
  return
}

// -----

// tmm_mma_c2
func.func @mma_pair_acc(%p: i1) {
  %a = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
  %b = tmm.alloc : <32x64xf16, #sm90.smem<k_major, none>>
  %acc = tmm.alloc : <128x32xf32, #tcgen05.tmem<ctas = 2>>
  // expected-error @below {{expected acc of shape 128x64 (M of a, N of b in all CTAs), got 128x32}}
  tmm.mma %a, %b, %acc accumulate(%p) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma) : <128x64xf16, #sm90.smem<k_major, none>>, <32x64xf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x32xf32, #tcgen05.tmem<ctas = 2>>
  return
}

// -----

func.func @scheduler_ctas(%m: i32) {
  // expected-error @below {{attribute 'ctas' failed to satisfy constraint}}
  %s = tmm.scheduler #tmm.static(%m, %m, %m) tile [128, 64, 64] ctas 0 : !tmm.scheduler
  return
}

// -----

// tmm_mma_c1
func.func @mma_k(%p: i1) {
  %a = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
  %b = tmm.alloc : <32x128xf16, #sm90.smem<k_major, none>>
  %acc = tmm.alloc : <128x32xf32, #tcgen05.tmem>
  // expected-error @below {{expected a (M x K) and b (N x K) with the same K, got 64 and 128}}
  tmm.mma %a, %b, %acc accumulate(%p) by(#tcgen05.mma) : <128x64xf16, #sm90.smem<k_major, none>>, <32x128xf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x32xf32, #tcgen05.tmem>
  return
}

// -----

// tmm_mma_c2
func.func @mma_acc(%p: i1) {
  %a = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
  %b = tmm.alloc : <32x64xf16, #sm90.smem<k_major, none>>
  %acc = tmm.alloc : <128x64xf32, #tcgen05.tmem>
  // expected-error @below {{expected acc of shape 128x32 (M of a, N of b), got 128x64}}
  tmm.mma %a, %b, %acc accumulate(%p) by(#tcgen05.mma) : <128x64xf16, #sm90.smem<k_major, none>>, <32x64xf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x64xf32, #tcgen05.tmem>
  return
}

// -----

func.func @read_rows(%p: i1, %i: i32) {
  %acc = tmm.alloc : <128x64xf32, #tcgen05.tmem>
  // expected-error @below {{expected a result of 128 rows like acc, got 64}}
  %r = tmm.read %acc[%i] if %p : <128x64xf32, #tcgen05.tmem> -> vector<64x32xf32>
  return
}

// -----

func.func @read_width(%p: i1, %i: i32) {
  %acc = tmm.alloc : <128x64xf32, #tcgen05.tmem>
  // expected-error @below {{expected a result width that divides the 64 columns of acc, got 48}}
  %r = tmm.read %acc[%i] if %p : <128x64xf32, #tcgen05.tmem> -> vector<128x48xf32>
  return
}

// -----

func.func @read_type(%p: i1, %i: i32) {
  %acc = tmm.alloc : <128x64xf32, #tcgen05.tmem>
  // expected-error @below {{expected a result of element type 'f32' like acc, got 'f16'}}
  %r = tmm.read %acc[%i] if %p : <128x64xf32, #tcgen05.tmem> -> vector<128x32xf16>
  return
}

// -----

func.func @store_type(%v: vector<128x32xf32>, %d: memref<?x?xf16>, %i: i32) {
  // expected-error @below {{expected operand target of element type 'f32', got 'f16'}}
  tmm.store %v, %d[%i, %i] : vector<128x32xf32>, memref<?x?xf16>
  return
}

// -----

func.func @load_batch(%a: memref<4x3x200x72xbf16>, %i: i32) {
  %tile = tmm.alloc : <128x64xbf16, #sm90.smem<k_major, none>>
  // expected-error @below {{expected operand source of rank 3 with its batch, got rank 4}}
  tmm.load %a[%i, %i] batch(%i), %tile by(#sm90.tma) : memref<4x3x200x72xbf16>, <128x64xbf16, #sm90.smem<k_major, none>>
  return
}

// -----

func.func @load_handle_rank(%map: !sm90.tensor_map<1x128x64xbf16, b128>, %i: i32) {
  %tile = tmm.alloc : <128x64xbf16, #sm90.smem<k_major, b128>>
  // expected-error @below {{expected operand source of rank 2, got rank 3}}
  tmm.load %map[%i, %i], %tile by(#sm90.tma) : !sm90.tensor_map<1x128x64xbf16, b128>, <128x64xbf16, #sm90.smem<k_major, b128>>
  return
}

// -----

func.func @unload_handle_type(%map: !sm90.tensor_map<1x128x32xf32, b128>, %i: i32) {
  %t = tmm.alloc : <128x32xf16, #sm90.smem<n_major, b64>>
  // expected-error @below {{expected operand target of element type 'f16', got 'f32'}}
  tmm.unload %t, %map[%i, %i] batch(%i) by(#sm90.tma_store) : <128x32xf16, #sm90.smem<n_major, b64>>, !sm90.tensor_map<1x128x32xf32, b128>
  return
}

// -----

func.func @load_source(%i: i32, %tile: !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>) {
  // expected-error @below {{operand #0 must be strided memref of any type values or memref with the layout #tmm.windows or handle of a tensor in global memory, but got 'i32'}}
  tmm.load %i[%i, %i], %tile by(#sm90.tma) : i32, <128x64xbf16, #sm90.smem<k_major, b128>>
  return
}

// -----

func.func @stage_shape(%v: vector<128x32xf32>) {
  %t = tmm.alloc : <128x16xf32, #sm90.smem<n_major, b64>>
  // expected-error @below {{expected a buffer of the value's shape and element type, got 'vector<128x32xf32>' and '!tmm.buffer<128x16xf32, #sm90.smem<n_major, b64>>'}}
  tmm.stage %v, %t : vector<128x32xf32>, <128x16xf32, #sm90.smem<n_major, b64>>
  return
}

// -----

func.func @stage_type(%v: vector<128x32xf32>) {
  %t = tmm.alloc : <128x32xbf16, #sm90.smem<n_major, b64>>
  // expected-error @below {{expected a buffer of the value's shape and element type}}
  tmm.stage %v, %t : vector<128x32xf32>, <128x32xbf16, #sm90.smem<n_major, b64>>
  return
}

// -----

func.func @unload_type(%d: memref<?x?xf32>, %i: i32) {
  %t = tmm.alloc : <128x32xf16, #sm90.smem<n_major, b64>>
  // expected-error @below {{expected operand target of element type 'f16', got 'f32'}}
  tmm.unload %t, %d[%i, %i] by(#sm90.tma_store) : <128x32xf16, #sm90.smem<n_major, b64>>, memref<?x?xf32>
  return
}

// -----

// tmm_mma_c3
func.func @mma_result(%a: !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>, %acc: vector<128x128xf32>, %p: i1) {
  // expected-error @below {{expected a result of the type of acc, got none}}
  tmm.mma %a, %a, %acc accumulate(%p) by(#tmm.threads) : <128x64xf16, #sm90.smem<k_major, none>>, <128x64xf16, #sm90.smem<k_major, none>>, vector<128x128xf32>
  return
}

// -----

// tmm_mma_c3
func.func @mma_no_result(%a: !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>, %acc: !tmm.buffer<128x128xf32, #tcgen05.tmem>, %p: i1) {
  // expected-error @below {{expected no result with acc in memory, got another}}
  %r = tmm.mma %a, %a, %acc accumulate(%p) by(#tcgen05.mma) : <128x64xf16, #sm90.smem<k_major, none>>, <128x64xf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x128xf32, #tcgen05.tmem> -> vector<128x128xf32>
  return
}

// -----

func.func @load_engine(%a: memref<?x?xf16>, %t: !tmm.buffer<64x64xf16, #sm90.smem<k_major, none>>, %i: i32) {
  // expected-error @below {{invalid kind of attribute specified}}
  tmm.load %a[%i, %i], %t by(#sm90.smem<k_major, none>) : memref<?x?xf16>, <64x64xf16, #sm90.smem<k_major, none>>
  return
}

// -----

func.func @issue_over() {
  // expected-error @below {{invalid kind of attribute specified}}
  tmm.issue over #sm90.tma {
  }
  return
}

// -----

// tmm_mma_c4
func.func @mma_scales_one(%a: !tmm.buffer<128x128xf8E4M3FN, #sm90.smem<k_major, b128>>, %s: !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>,
                          %acc: !tmm.buffer<128x128xf32, #tcgen05.tmem>, %p: i1) {
  // expected-error @below {{expected scale factors of a and of b, or none, got those of a}}
  "tmm.mma"(%a, %a, %acc, %s, %p) <{by = #tcgen05.mma, operandSegmentSizes = array<i32: 1, 1, 1, 1, 0, 0, 0, 1>}>
    : (!tmm.buffer<128x128xf8E4M3FN, #sm90.smem<k_major, b128>>, !tmm.buffer<128x128xf8E4M3FN, #sm90.smem<k_major, b128>>,
       !tmm.buffer<128x128xf32, #tcgen05.tmem>, !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>, i1) -> ()
  return
}

// -----

// tmm_mma_c4: with two CTAs factors of all columns of B.
func.func @mma_scales_rows(%a: !tmm.buffer<128x128xf8E4M3FN, #sm90.smem<k_major, b128>>, %s: !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>,
                           %acc: !tmm.buffer<128x256xf32, #tcgen05.tmem<ctas = 2>>, %p: i1) {
  // expected-error @below {{expected factors for 128 rows of a and 256 of b, in as many columns, a divisor of K = 128, got 128x4 and 128x4}}
  tmm.mma %a, %a, %acc scales(%s, %s) accumulate(%p) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma)
    : <128x128xf8E4M3FN, #sm90.smem<k_major, b128>>, <128x128xf8E4M3FN, #sm90.smem<k_major, b128>>, !tmm.buffer<128x256xf32, #tcgen05.tmem<ctas = 2>>,
      !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>, !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>
  return
}

// -----

// tmm_mma_c1
func.func @mma_sparse_k(%a: !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>, %e: !tmm.buffer<128x4xi32, #tcgen05.metadata<16>>,
                        %acc: !tmm.buffer<128x128xf32, #tcgen05.tmem>, %p: i1) {
  // expected-error @below {{expected a (M x K/2) with metadata and b (N x K), got 64 and 64}}
  tmm.mma %a, %a, %acc metadata(%e : !tmm.buffer<128x4xi32, #tcgen05.metadata<16>>) accumulate(%p) by(#tcgen05.mma)
    : <128x64xbf16, #sm90.smem<k_major, b128>>, <128x64xbf16, #sm90.smem<k_major, b128>>, !tmm.buffer<128x128xf32, #tcgen05.tmem>
  return
}

// -----

// tmm_write_c1
func.func @write_width(%v: vector<128x48xbf16>, %p: !tmm.buffer<128x128xbf16, #tcgen05.operand>, %c: i32) {
  // expected-error @below {{expected a register tile of 128 rows and a divisor of 128 columns of 'bf16', as buffer has, got 'vector<128x48xbf16>'}}
  tmm.write %v, %p[%c] : vector<128x48xbf16>, <128x128xbf16, #tcgen05.operand>
  return
}

// -----

// tmm_mma_c6
func.func @mma_metadata(%a: !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>, %b: !tmm.buffer<128x128xbf16, #sm90.smem<k_major, b128>>,
                        %e: !tmm.buffer<64x8xi32, #sm90.smem<plain, none>>, %acc: !tmm.buffer<128x128xf32, #tcgen05.tmem>, %p: i1) {
  // expected-error @below {{expected metadata of 128 lanes and a multiple of 4 cells, got 64x8}}
  tmm.mma %a, %b, %acc metadata(%e : !tmm.buffer<64x8xi32, #sm90.smem<plain, none>>) accumulate(%p) by(#tcgen05.mma)
    : <128x64xbf16, #sm90.smem<k_major, b128>>, <128x128xbf16, #sm90.smem<k_major, b128>>, !tmm.buffer<128x128xf32, #tcgen05.tmem>
  return
}

// -----

// tmm_write_c1
func.func @write_type(%v: vector<128x32xf32>, %p: !tmm.buffer<128x128xbf16, #tcgen05.operand>, %c: i32) {
  // expected-error @below {{expected a register tile of 128 rows and a divisor of 128 columns of 'bf16', as buffer has, got 'vector<128x32xf32>'}}
  tmm.write %v, %p[%c] : vector<128x32xf32>, <128x128xbf16, #tcgen05.operand>
  return
}

// -----

func.func @load_metadata(%e: memref<2x2x64x8xi32>, %i: i32, %t: !tmm.buffer<128x4xi32, #sm90.smem<blocked, none>>) {
  // expected-error @below {{expected operand source in blocks of 128x4, got}}
  tmm.load %e[%i, %i], %t blocked by(#sm90.tma) : memref<2x2x64x8xi32>, <128x4xi32, #sm90.smem<blocked, none>>
  return
}

// -----

// tmm_write_c1: without a layout no thread's part.
func.func @write_part(%v: vector<32xbf16>, %p: !tmm.buffer<128x128xbf16, #tcgen05.operand>, %c: i32) {
  // expected-error @below {{expected a register tile of 128 rows and a divisor of 128 columns of 'bf16', as buffer has, got 'vector<32xbf16>'}}
  tmm.write %v, %p[%c] : vector<32xbf16>, <128x128xbf16, #tcgen05.operand>
  return
}

// -----

func.func @copy_shape(%s: !tmm.buffer<128x4xf8E8M0FNU, #sm90.smem<blocked, none>>, %t: !tmm.buffer<256x4xf8E8M0FNU, #tcgen05.scales>) {
  // expected-error @below {{'tmm.copy' op expected a target of the shape and element type of source, got '!tmm.buffer<128x4xf8E8M0FNU, #sm90.smem<blocked, none>>' and}}
  tmm.copy %s, %t by(#tcgen05.cp) : <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>, <256x4xf8E8M0FNU, #tcgen05.scales>
  return
}

// -----

func.func @copy_space(%s: !tmm.buffer<128x4xf8E8M0FNU, #tcgen05.scales>) {
  // expected-error @below {{expected source and target in different memory spaces, got #tcgen05.scales twice}}
  tmm.copy %s, %s by(#tcgen05.cp) : <128x4xf8E8M0FNU, #tcgen05.scales>, <128x4xf8E8M0FNU, #tcgen05.scales>
  return
}

// -----

func.func @load_blocks(%s: memref<?x?x32x4x4xf8E8M0FNU>, %t: !tmm.buffer<128x6xf8E8M0FNU, #sm90.smem<plain, none>>, %i: i32) {
  // expected-error @below {{'tmm.load' op expected a source in blocks to be loaded in tiles of a multiple of 128x4, not transposed, got '!tmm.buffer<128x6xf8E8M0FNU,}}
  tmm.load %s[%i, %i], %t blocked by(#sm90.tma) : memref<?x?x32x4x4xf8E8M0FNU>, <128x6xf8E8M0FNU, #sm90.smem<plain, none>>
  return
}

// -----

func.func @load_no_blocks(%s: memref<?x?xf8E8M0FNU>, %t: !tmm.buffer<128x4xf8E8M0FNU, #sm90.smem<blocked, none>>, %i: i32) {
  // expected-error @below {{expected operand source in blocks of 32x4x4, got 'memref<?x?xf8E8M0FNU>'}}
  tmm.load %s[%i, %i], %t blocked by(#sm90.tma) : memref<?x?xf8E8M0FNU>, <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
  return
}

// -----

// tmm_mma_c5
func.func @mma_part(%a: !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>,
                    %b: !tmm.buffer<32x64xbf16, #sm90.smem<k_major, b128>>, %sum: vector<32xf32>, %p: i1) {
  // expected-error @below {{expected acc to be what a thread holds of 128x32 elements by a layout, got 'vector<32xf32>'}}
  %new = tmm.mma %a, %b, %sum accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
    : <128x64xbf16, #sm90.smem<k_major, b128>>, <32x64xbf16, #sm90.smem<k_major, b128>>, vector<32xf32>
    -> vector<32xf32>
  return
}

// -----

// tmm_mma_c7
func.func @mma_register_a(%a: vector<128x32xbf16>, %b: !tmm.buffer<32x32xbf16, #sm90.smem<k_major, b64>>,
                          %acc: !tmm.buffer<128x32xf32, #tcgen05.tmem>, %p: i1) {
  // expected-error @below {{expected an accumulator in registers as a is, in one CTA, got '!tmm.buffer<128x32xf32, #tcgen05.tmem>'}}
  tmm.mma %a, %b, %acc accumulate(%p) by(#sm90.wgmma)
    : vector<128x32xbf16>, <32x32xbf16, #sm90.smem<k_major, b64>>, !tmm.buffer<128x32xf32, #tcgen05.tmem>
  return
}

// -----

// tmm_mma_c7
func.func @mma_register_a_extent(%a: vector<128x32xbf16>, %b: !tmm.buffer<32x32xbf16, #sm90.smem<k_major, b64>>,
                                 %acc: vector<128x32xf32>, %n: i32, %p: i1) {
  // expected-error @below {{expected a in memory with factors, metadata or extent, got 'vector<128x32xbf16>'}}
  %new = tmm.mma %a, %b, %acc extent(%n) accumulate(%p) by(#sm90.wgmma)
    : vector<128x32xbf16>, <32x32xbf16, #sm90.smem<k_major, b64>>, vector<128x32xf32> -> vector<128x32xf32>
  return
}

// -----

// tmm_mma_c7
func.func @mma_register_a_parts(%a: vector<16xbf16>, %b: !tmm.buffer<32x32xbf16, #sm90.smem<k_major, b64>>,
                                %acc: vector<32xf32>, %p: i1) {
  // expected-error @below {{expected parts of M x 32 and M x 32 elements as a and acc, got 'vector<16xbf16>' and 'vector<32xf32>'}}
  %new = tmm.mma %a, %b, %acc accumulate(%p) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
    : vector<16xbf16>, <32x32xbf16, #sm90.smem<k_major, b64>>, vector<32xf32> -> vector<32xf32>
  return
}

// -----

// tmm_mma_c1
func.func @mma_transposed_k(%a: !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>, %b: !tmm.buffer<32x64xbf16, #sm90.smem<k_major, b128>>,
                            %acc: vector<128x64xf32>, %p: i1) {
  // expected-error @below {{expected a (M x K) and b (N x K) with the same K, got 64 and 32}}
  %new = tmm.mma %a, %b transposed, %acc accumulate(%p) by(#sm90.wgmma)
    : <128x64xbf16, #sm90.smem<k_major, b128>>, <32x64xbf16, #sm90.smem<k_major, b128>>, vector<128x64xf32> -> vector<128x64xf32>
  return
}

// -----

// tmm_mma_c8
func.func @mma_transposed_over(%a: !tmm.buffer<128x64xbf16, #sm90.smem<k_major, none>>, %b: !tmm.buffer<64x32xbf16, #sm90.smem<k_major, none>>,
                               %acc: !tmm.buffer<128x64xf32, #tcgen05.tmem<ctas = 2>>, %p: i1) {
  // expected-error @below {{expected a transposed b in one CTA without factors and metadata, got over}}
  tmm.mma %a, %b transposed, %acc accumulate(%p) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma)
    : <128x64xbf16, #sm90.smem<k_major, none>>, <64x32xbf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x64xf32, #tcgen05.tmem<ctas = 2>>
  return
}

// -----

func.func @read_part(%acc: !tmm.buffer<128x64xf32, #tcgen05.tmem>, %p: i1, %i: i32) {
  // expected-error @below {{expected a layout with 'vector<32xf32>', the part of one thread, got none}}
  %r = tmm.read %acc[%i] if %p : <128x64xf32, #tcgen05.tmem> -> vector<32xf32>
  return
}

// -----

// tmm_stage_c1
func.func @stage_part(%v: vector<16xf32>, %t: !tmm.buffer<128x32xf32, #sm90.smem<n_major, b128>>) {
  // expected-error @below {{expected a buffer of the value's shape and element type}}
  tmm.stage %v, %t layout(#tcgen05.rows) : vector<16xf32>, <128x32xf32, #sm90.smem<n_major, b128>>
  return
}

// -----

func.func @scheduler_raster(%m: i32) {
  // expected-error @below {{expected raster of at least 0, got -1}}
  %s = tmm.scheduler #tmm.static<raster = -1>(%m, %m, %m) tile [128, 64, 64] : !tmm.scheduler
  return
}

// -----

func.func @fetch_along_matrix(%a: memref<?x?xf32>, %i: i32) {
  // expected-error @below {{expected operand source, along n, to be a vector of element type 'f32', got 'memref<?x?xf32>'}}
  %v = tmm.fetch %a[%i, %i] along n : memref<?x?xf32> -> vector<128x32xf32>
  return
}

// -----

func.func @prefetch_type(%a: memref<?x?xf16>, %i: i32) {
  // expected-error @below {{expected operand source of element type 'f32', got 'f16'}}
  tmm.prefetch %a[%i, %i] : memref<?x?xf16>, vector<128x32xf32>
  return
}

// -----

func.func @prefetch_tile(%a: memref<?x?xf16>, %i: i32) {
  // expected-error @below {{attribute 'tile' failed to satisfy constraint}}
  tmm.prefetch %a[%i, %i] : memref<?x?xf16>, vector<128xf16>
  return
}

// -----

func.func @fetch_stride(%a: memref<?x?xf32, strided<[?, 2]>>, %i: i32) {
  // expected-error @below {{expected operand source with unit innermost stride, got 'memref<?x?xf32, strided<[?, 2]>>'}}
  %v = tmm.fetch %a[%i, %i] : memref<?x?xf32, strided<[?, 2]>> -> vector<128x32xf32>
  return
}

// -----

func.func @fetch_number_type(%a: memref<?x?xf16>, %i: i32) {
  // expected-error @below {{expected operand source to be a number of type 'f32', got 'memref<?x?xf16>'}}
  %v = tmm.fetch %a[%i, %i] batch(%i, %i) : memref<?x?xf16> -> vector<128x32xf32>
  return
}

// -----

func.func @insert_columns_rows(%part: vector<64x32xf32>, %tile: vector<128x64xf32>, %i: i32) {
  // expected-error @below {{expected a part of 128 rows of 'f32' like tile, got 'vector<64x32xf32>'}}
  %r = tmm.insert_columns %part, %tile[%i] : vector<64x32xf32>, vector<128x64xf32>
  return
}

// -----

func.func @insert_columns_type(%part: vector<128x32xf16>, %tile: vector<128x64xf32>, %i: i32) {
  // expected-error @below {{expected a part of 128 rows of 'f32' like tile, got 'vector<128x32xf16>'}}
  %r = tmm.insert_columns %part, %tile[%i] : vector<128x32xf16>, vector<128x64xf32>
  return
}

// -----

func.func @insert_columns_width(%part: vector<128x48xf32>, %tile: vector<128x64xf32>, %i: i32) {
  // expected-error @below {{expected a part width that divides the 64 columns of tile, got 48}}
  %r = tmm.insert_columns %part, %tile[%i] : vector<128x48xf32>, vector<128x64xf32>
  return
}

// -----

func.func @extract_columns_rows(%tile: vector<128x64xf32>, %i: i32) {
  // expected-error @below {{expected a result of 128 rows of 'f32' like tile, got 'vector<64x32xf32>'}}
  %r = tmm.extract_columns %tile[%i] : vector<128x64xf32> -> vector<64x32xf32>
  return
}

// -----

func.func @extract_columns_type(%tile: vector<128x64xf32>, %i: i32) {
  // expected-error @below {{expected a result of 128 rows of 'f32' like tile, got 'vector<128x32xf16>'}}
  %r = tmm.extract_columns %tile[%i] : vector<128x64xf32> -> vector<128x32xf16>
  return
}

// -----

func.func @extract_columns_width(%tile: vector<128x64xf32>, %i: i32) {
  // expected-error @below {{expected a result width that divides the 64 columns of tile, got 48}}
  %r = tmm.extract_columns %tile[%i] : vector<128x64xf32> -> vector<128x48xf32>
  return
}

// -----

func.func @convert_layout_to(%t: vector<128x32xbf16>) {
  // expected-error @below {{expected to to be a layout with a memory layout, from which it is made, got #tcgen05.rows}}
  %r = tmm.convert_layout %t from(#sm80.row_layout<16>) to(#tcgen05.rows) : vector<128x32xbf16>
  return
}

// -----

func.func @convert_layout_from(%t: vector<128x32xbf16>) {
  // expected-error @below {{expected from to be the memory layout of to, #sm80.row_layout<32>, got #sm80.row_layout<16>}}
  %r = tmm.convert_layout %t from(#sm80.row_layout<16>) to(#sm80.mma_layout<32>) : vector<128x32xbf16>
  return
}

// -----

func.func @convert_layout_bits(%t: vector<128x32xf8E4M3FN>) {
  // expected-error @below {{expected a tile of elements of 16 or 32 bits, got 8}}
  %r = tmm.convert_layout %t from(#sm80.row_layout<16>) to(#sm90.wgmma_layout) : vector<128x32xf8E4M3FN>
  return
}

// -----

func.func @fetch_shift(%d: memref<?x?xf32>, %i: i32) {
  // expected-error @below {{expected a shift of rows and of columns, got 1 numbers}}
  %v = tmm.fetch %d[%i, %i] shift [4] : memref<?x?xf32> -> vector<128x32xf32>
  return
}
