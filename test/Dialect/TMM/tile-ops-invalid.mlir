// RUN: tc-opt %s -split-input-file -verify-diagnostics

func.func @scheduler_tile(%m: i32) {
  // expected-error @below {{expected tile to be three positive sizes M, N, K, got [128, 0, 64]}}
  %s = tmm.scheduler static(%m, %m, %m) tile [128, 0, 64] : !tmm.scheduler
  return
}

// -----

func.func @load_space(%a: memref<?x?xf32>, %i: i32) {
  %t = tmm.alloc : <128x64xf32, tmem>
  // expected-error @below {{expected operand buffer in smem, got tmem}}
  tmm.load %a[%i, %i], %t : memref<?x?xf32>, <128x64xf32, tmem>
  return
}

// -----

func.func @load_rank(%a: memref<?xf16>, %i: i32) {
  %t = tmm.alloc : <128x64xf16, smem>
  // expected-error @below {{expected operand source of rank 2, got rank 1}}
  tmm.load %a[%i, %i], %t : memref<?xf16>, <128x64xf16, smem>
  return
}

// -----

func.func @load_stride(%a: memref<8x8xf16, strided<[1, 8]>>, %i: i32) {
  %t = tmm.alloc : <128x64xf16, smem>
  // expected-error @below {{expected operand source with unit innermost stride, got 'memref<8x8xf16, strided<[1, 8]>>'}}
  tmm.load %a[%i, %i], %t : memref<8x8xf16, strided<[1, 8]>>, <128x64xf16, smem>
  return
}

// -----

func.func @load_type(%a: memref<8x8xbf16>, %i: i32) {
  %t = tmm.alloc : <128x64xf16, smem>
  // expected-error @below {{expected operand source of element type 'f16', got 'bf16'}}
  tmm.load %a[%i, %i], %t : memref<8x8xbf16>, <128x64xf16, smem>
  return
}

// -----

func.func @mma_space(%p: i1) {
  %a = tmm.alloc : <128x64xf16, smem>
  // expected-error @below {{expected operand acc in tmem, got smem}}
  tmm.mma %a, %a, %a accumulate(%p) : <128x64xf16, smem>, <128x64xf16, smem>, <128x64xf16, smem>
  return
}

// -----

func.func @mma_pair_acc(%p: i1) {
  %a = tmm.alloc : <128x64xf16, smem>
  %b = tmm.alloc : <32x64xf16, smem>
  %acc = tmm.alloc : <128x32xf32, tmem>
  // expected-error @below {{expected acc of shape 128x64 (M of a, N of b in both CTAs), got 128x32}}
  tmm.mma %a, %b, %acc accumulate(%p) pair : <128x64xf16, smem>, <32x64xf16, smem>, <128x32xf32, tmem>
  return
}

// -----

func.func @scheduler_ctas(%m: i32) {
  // expected-error @below {{attribute 'ctas' failed to satisfy constraint}}
  %s = tmm.scheduler static(%m, %m, %m) tile [128, 64, 64] ctas 3 : !tmm.scheduler
  return
}

// -----

func.func @mma_k(%p: i1) {
  %a = tmm.alloc : <128x64xf16, smem>
  %b = tmm.alloc : <32x128xf16, smem>
  %acc = tmm.alloc : <128x32xf32, tmem>
  // expected-error @below {{expected a (M x K) and b (N x K) with the same K, got 64 and 128}}
  tmm.mma %a, %b, %acc accumulate(%p) : <128x64xf16, smem>, <32x128xf16, smem>, <128x32xf32, tmem>
  return
}

// -----

func.func @mma_acc(%p: i1) {
  %a = tmm.alloc : <128x64xf16, smem>
  %b = tmm.alloc : <32x64xf16, smem>
  %acc = tmm.alloc : <128x64xf32, tmem>
  // expected-error @below {{expected acc of shape 128x32 (M of a, N of b), got 128x64}}
  tmm.mma %a, %b, %acc accumulate(%p) : <128x64xf16, smem>, <32x64xf16, smem>, <128x64xf32, tmem>
  return
}

// -----

func.func @read_rows(%p: i1, %i: i32) {
  %acc = tmm.alloc : <128x64xf32, tmem>
  // expected-error @below {{expected a result of 128 rows like acc, got 64}}
  %r = tmm.read %acc[%i] if %p : <128x64xf32, tmem> -> vector<64x32xf32>
  return
}

// -----

func.func @read_width(%p: i1, %i: i32) {
  %acc = tmm.alloc : <128x64xf32, tmem>
  // expected-error @below {{expected a result width that divides the 64 columns of acc, got 48}}
  %r = tmm.read %acc[%i] if %p : <128x64xf32, tmem> -> vector<128x48xf32>
  return
}

// -----

func.func @read_type(%p: i1, %i: i32) {
  %acc = tmm.alloc : <128x64xf32, tmem>
  // expected-error @below {{expected a result of element type 'f32' like acc, got 'f16'}}
  %r = tmm.read %acc[%i] if %p : <128x64xf32, tmem> -> vector<128x32xf16>
  return
}

// -----

func.func @store_type(%v: vector<128x32xf32>, %d: memref<?x?xf16>, %i: i32) {
  // expected-error @below {{expected operand target of element type 'f32', got 'f16'}}
  tmm.store %v, %d[%i, %i] : vector<128x32xf32>, memref<?x?xf16>
  return
}

// -----

func.func @slot_count() {
  %ring = tmm.pipeline : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3>
  %s = tmm.pipeline_start %ring : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3>
  // expected-error @below {{expected 2 buffers, one for each of the pipeline's slot, got 1}}
  %a = tmm.producer_acquire %ring[%s]
    : <(<128x64xf16, smem>, <64x64xf16, smem>), depth = 3> -> !tmm.buffer<128x64xf16, smem>
  return
}

// -----

func.func @slot_type() {
  %ring = tmm.pipeline : <(<128x64xf16, smem>), depth = 3>
  %s = tmm.pipeline_start %ring : <(<128x64xf16, smem>), depth = 3>
  // expected-error @below {{expected buffer 0 of type '!tmm.buffer<128x64xf16, smem>', got '!tmm.buffer<64x64xf16, smem>'}}
  %a = tmm.consumer_wait %ring[%s] : <(<128x64xf16, smem>), depth = 3> -> !tmm.buffer<64x64xf16, smem>
  return
}

// -----

// expected-error @below {{expected a layout only in smem, got one in tmem}}
func.func private @layout_space(!tmm.buffer<128x64xf32, tmem, <k_major, swizzle = 128>>)

// -----

// expected-error @below {{expected a swizzle of 0, 32, 64 or 128 bytes, got 96}}
// expected-error @below {{failed to parse TMM_BufferType parameter 'layout'}}
func.func private @layout_swizzle(!tmm.buffer<128x64xf16, smem, <k_major, swizzle = 96>>)

// -----

func.func @load_batch(%a: memref<4x3x200x72xbf16>, %i: i32) {
  %tile = tmm.alloc : <128x64xbf16, smem>
  // expected-error @below {{expected operand source of rank 3 with its batch, got rank 4}}
  tmm.load %a[%i, %i] batch(%i), %tile : memref<4x3x200x72xbf16>, <128x64xbf16, smem>
  return
}

// -----

func.func @stage_shape(%v: vector<128x32xf32>) {
  %t = tmm.alloc : <128x16xf32, smem, <n_major, swizzle = 64>>
  // expected-error @below {{expected a buffer of the value's shape and element type, got 'vector<128x32xf32>' and '!tmm.buffer<128x16xf32, smem, <n_major, swizzle = 64>>'}}
  tmm.stage %v, %t : vector<128x32xf32>, <128x16xf32, smem, <n_major, swizzle = 64>>
  return
}

// -----

func.func @stage_type(%v: vector<128x32xf32>) {
  %t = tmm.alloc : <128x32xbf16, smem, <n_major, swizzle = 64>>
  // expected-error @below {{expected a buffer of the value's shape and element type}}
  tmm.stage %v, %t : vector<128x32xf32>, <128x32xbf16, smem, <n_major, swizzle = 64>>
  return
}

// -----

func.func @stage_space(%v: vector<128x32xf32>) {
  %t = tmm.alloc : <128x32xf32, tmem>
  // expected-error @below {{expected operand buffer in smem, got tmem}}
  tmm.stage %v, %t : vector<128x32xf32>, <128x32xf32, tmem>
  return
}

// -----

func.func @unload_layout(%d: memref<?x?xf16>, %i: i32) {
  %t = tmm.alloc : <128x32xf16, smem, <k_major, swizzle = 64>>
  // expected-error @below {{expected operand buffer with an n_major layout, got '!tmm.buffer<128x32xf16, smem, <k_major, swizzle = 64>>'}}
  tmm.unload %t, %d[%i, %i] : <128x32xf16, smem, <k_major, swizzle = 64>>, memref<?x?xf16>
  return
}

// -----

func.func @unload_type(%d: memref<?x?xf32>, %i: i32) {
  %t = tmm.alloc : <128x32xf16, smem, <n_major, swizzle = 64>>
  // expected-error @below {{expected operand target of element type 'f16', got 'f32'}}
  tmm.unload %t, %d[%i, %i] : <128x32xf16, smem, <n_major, swizzle = 64>>, memref<?x?xf32>
  return
}

// -----

func.func @unload_space(%d: memref<?x?xf32>, %i: i32) {
  %t = tmm.alloc : <128x32xf32, tmem>
  // expected-error @below {{expected operand buffer in smem, got tmem}}
  tmm.unload %t, %d[%i, %i] : <128x32xf32, tmem>, memref<?x?xf32>
  return
}

// -----

func.func @load_layout(%a: memref<?x?xf16>, %i: i32) {
  %t = tmm.alloc : <128x32xf16, smem, <n_major, swizzle = 64>>
  // expected-error @below {{expected operand buffer with a k_major or mn_major layout, got '!tmm.buffer<128x32xf16, smem, <n_major, swizzle = 64>>'}}
  tmm.load %a[%i, %i], %t : memref<?x?xf16>, <128x32xf16, smem, <n_major, swizzle = 64>>
  return
}
