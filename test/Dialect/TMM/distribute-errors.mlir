// RUN: tc-opt %s --tmm-distribute --split-input-file --verify-diagnostics

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @no_layout(%d: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = arith.constant dense<0.0> : vector<128x16xf32>
  // expected-error @below {{'tmm.store' op expected the layout of its register tile, got none: only the matrix unit knows it}}
  tmm.store %r, %d[%row, %col] : vector<128x16xf32>, memref<?x136xf32, #global>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @two_layouts(%c: memref<?x136xf32, #global>, %d: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-note @below {{made or taken here}}
  %r = tmm.fetch %c[%row, %col] layout(#tcgen05.rows) : memref<?x136xf32, #global> -> vector<64x16xf32>
  %s = math.absf %r : vector<64x16xf32>
  // expected-error @below {{'tmm.store' op expected its register tile in layout #sm90.wgmma_layout, got one in #tcgen05.rows}}
  tmm.store %s, %d[%row, %col] layout(#sm90.wgmma_layout) : vector<64x16xf32>, memref<?x136xf32, #global>
  gpu.return
}
}

// -----

// tcgen05_rows_c1
#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @rows(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected a register tile of 64, 128 or 256 rows, got 32, 16 (PTX ISA}}
  %r = tmm.fetch %c[%row, %col] layout(#tcgen05.rows) : memref<?x136xf32, #global> -> vector<32x16xf32>
  gpu.return
}
}

// -----

// sm80_mma_layout_c2
#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @warps(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected a register tile with a multiple of 32 rows and of 8 columns, got 48, 16 (PTX ISA}}
  %r = tmm.fetch %c[%row, %col] layout(#sm80.mma_layout<32>) : memref<?x136xf32, #global> -> vector<48x16xf32>
  gpu.return
}
}

// -----

// sm90_wgmma_layout_c2
// expected-error @below {{expected a multiple of 64 from 64 to 256 rows for each warpgroup, got 320 (PTX ISA}}
#layout = #sm90.wgmma_layout<320>

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @rows(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected a register tile with a multiple of 128 rows and of 8 columns, got 192, 16 (PTX ISA}}
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout<128>) : memref<?x136xf32, #global> -> vector<192x16xf32>
  gpu.return
}
}

// -----

// sm80_row_layout_c2
#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @chunks(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected a register tile with a multiple of 16 rows and of 32 columns, got 64, 16}}
  %r = tmm.fetch %c[%row, %col] layout(#sm80.row_layout<16>) : memref<?x136xf32, #global> -> vector<64x16xf32>
  gpu.return
}
}

// -----

// sm90_wgmma_layout_c1
#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @shape(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected a register tile with a multiple of 64 rows and of 8 columns, got 32, 16 (PTX ISA}}
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global> -> vector<32x16xf32>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @threads(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected a register tile of 128x16 in layout #sm90.wgmma_layout to have 256 threads, got 128}}
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global> -> vector<128x16xf32>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @reduction(%c: memref<?x136xf32, #global>, %row: i32, %col: i32, %init: vector<64xf32>) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global> -> vector<64x16xf32>
  // expected-error @below {{'vector.multi_reduction' op cannot be computed by each thread on its part of a register tile: expected an elementwise op, a slice, a splat or control flow}}
  %s = vector.multi_reduction <add>, %r, %init [1] : vector<64x16xf32> to vector<64xf32>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @slice(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global> -> vector<64x16xf32>
  // expected-error @below {{'vector.extract_strided_slice' op expected a slice whose elements each thread holds, in layout #sm90.wgmma_layout, got 'vector<64x8xf32>' from row 0 and column 4 on of 'vector<64x16xf32>'}}
  %s = vector.extract_strided_slice %r {offsets = [0, 4], sizes = [64, 8], strides = [1, 1]}
    : vector<64x16xf32> to vector<64x8xf32>
  gpu.return
}
}

// -----

gpu.module @kernels {
gpu.func @nobody(%x: f32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  tmm.wait_prerequisites
  // expected-error @below {{'vector.broadcast' op expected a register tile with a layout, got one that no op with a layout makes or takes}}
  %r = vector.broadcast %x : f32 to vector<64x16xf32>
  %s = math.absf %r : vector<64x16xf32>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
// expected-error @below {{'gpu.func' op expected known_block_size, got none}}
gpu.func @block(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel {
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global> -> vector<64x16xf32>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @bits(%c: memref<?x136xf4E2M1FN, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.fetch' op expected elements of whole bytes in global memory, got 4 bits}}
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf4E2M1FN, #global> -> vector<64x16xf4E2M1FN>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @pairs(%d: memref<?x136xf4E2M1FN, #global>, %v: vector<64x16xf4E2M1FN>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.store' op expected a target of bytes, each two elements of 4 bits, got 'f4E2M1FN': convert-tmm-kernel-interface-to-sm90 makes it one}}
  tmm.store %v, %d[%row, %col] layout(#sm90.wgmma_layout) : vector<64x16xf4E2M1FN>, memref<?x136xf4E2M1FN, #global>
  gpu.return
}
}

// -----

gpu.module @kernels {
gpu.func @amax(%amax: memref<f32>, %v: vector<64x16xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.atomic_max' op expected a target of i32, the bits of its f32, got 'f32': convert-tmm-kernel-interface-to-sm90 makes it one}}
  tmm.atomic_max %v, %amax layout(#sm90.wgmma_layout) : vector<64x16xf32>, memref<f32>
  gpu.return
}
}

// -----

// A constant that folding made is nowhere: the error is at the op that uses it.
#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @no_location(%d: memref<?x136xf32, #global>, %v: vector<1024xf32>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = vector.shape_cast %v : vector<1024xf32> to vector<64x16xf32> loc(unknown)
  // expected-error @below {{'vector.shape_cast' op cannot be computed by each thread on its part of a register tile}}
  tmm.store %r, %d[%row, %col] layout(#sm90.wgmma_layout) : vector<64x16xf32>, memref<?x136xf32, #global>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @rows(%c: memref<?x136xf32, #global>, %d: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{expected a register tile of 64, 128 or 256 rows, got 32, 16 (PTX ISA}}
  %r = tmm.fetch %c[%row, %col] layout(#tcgen05.rows) : memref<?x136xf32, #global> -> vector<32x16xf32>
  tmm.store %r, %d[%row, %col] layout(#tcgen05.rows) : vector<32x16xf32>, memref<?x136xf32, #global>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @column(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global> -> vector<64x16xf32>
  // expected-error @below {{'tmm.extract_columns' op expected a column that is known when compiling, as registers have no addresses, got a value: tmm-unroll-columns makes it known where a loop with constant bounds counts it}}
  %part = tmm.extract_columns %r[%col] : vector<64x16xf32> -> vector<64x8xf32>
  tmm.store %part, %c[%row, %col] layout(#sm90.wgmma_layout) : vector<64x8xf32>, memref<?x136xf32, #global>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
// expected-error @below {{'gpu.func' op expected register tiles to be made in the kernel, got an argument of type 'vector<64x16xf32>'}}
gpu.func @argument(%r: vector<64x16xf32>, %c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  tmm.store %r, %c[%row, %col] layout(#sm90.wgmma_layout) : vector<64x16xf32>, memref<?x136xf32, #global>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @outside(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global> -> vector<64x16xf32>
  %c16 = arith.constant 16 : i32
  // expected-error @below {{'tmm.extract_columns' op expected a column from 0 to 8, got 16}}
  %part = tmm.extract_columns %r[%c16] : vector<64x16xf32> -> vector<64x8xf32>
  tmm.store %part, %c[%row, %col] layout(#sm90.wgmma_layout) : vector<64x8xf32>, memref<?x136xf32, #global>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @parts_of_rows(%c: memref<256x384xf32, #global>, %d: memref<256x384xf8E4M3FN, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %t = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<256x384xf32, #global> -> vector<64x32xf32>
  // expected-error @below {{'tmm.quantize' op expected a layout in which a thread holds whole rows, of which it makes scale factors, got #sm90.wgmma_layout}}
  %q, %f = tmm.quantize %t : vector<64x32xf32> -> vector<64x32xf8E4M3FN>, vector<64x1xf8E8M0FNU>
  tmm.store %q, %d[%row, %col] layout(#sm90.wgmma_layout) : vector<64x32xf8E4M3FN>, memref<256x384xf8E4M3FN, #global>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @insert_column(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global> -> vector<64x16xf32>
  %part = vector.extract_strided_slice %r {offsets = [0, 0], sizes = [64, 8], strides = [1, 1]} : vector<64x16xf32> to vector<64x8xf32>
  // expected-error @below {{'tmm.insert_columns' op expected a column that is known when compiling, as registers have no addresses, got a value: tmm-unroll-columns makes it known where a loop with constant bounds counts it}}
  %all = tmm.insert_columns %part, %r[%col] : vector<64x8xf32>, vector<64x16xf32>
  tmm.store %all, %c[%row, %col] layout(#sm90.wgmma_layout) : vector<64x16xf32>, memref<?x136xf32, #global>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @insert_outside(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global> -> vector<64x16xf32>
  %part = vector.extract_strided_slice %r {offsets = [0, 0], sizes = [64, 8], strides = [1, 1]} : vector<64x16xf32> to vector<64x8xf32>
  %c9 = arith.constant 9 : i32
  // expected-error @below {{'tmm.insert_columns' op expected a column from 0 to 8, got 9}}
  %all = tmm.insert_columns %part, %r[%c9] : vector<64x8xf32>, vector<64x16xf32>
  tmm.store %all, %c[%row, %col] layout(#sm90.wgmma_layout) : vector<64x16xf32>, memref<?x136xf32, #global>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @insert_between(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = tmm.fetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global> -> vector<64x16xf32>
  %part = vector.extract_strided_slice %r {offsets = [0, 0], sizes = [64, 8], strides = [1, 1]} : vector<64x16xf32> to vector<64x8xf32>
  // expected-error @below {{'vector.insert_strided_slice' op expected a slice whose elements each thread holds, in layout #sm90.wgmma_layout, got 'vector<64x8xf32>' from row 0 and column 4 on of 'vector<64x16xf32>'}}
  %all = vector.insert_strided_slice %part, %r {offsets = [0, 4], strides = [1, 1]} : vector<64x8xf32> into vector<64x16xf32>
  tmm.store %all, %c[%row, %col] layout(#sm90.wgmma_layout) : vector<64x16xf32>, memref<?x136xf32, #global>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @prefetch(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.prefetch' op expected a register tile of 128x16 in layout #sm90.wgmma_layout to have 256 threads, got 128}}
  tmm.prefetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global>, vector<128x16xf32>
  gpu.return
}
}

// -----

#global = #gpu.address_space<global>
gpu.module @kernels {
gpu.func @prefetch_layout(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  // expected-error @below {{'tmm.prefetch' op expected a register tile with a layout, got one that no op with a layout makes or takes}}
  tmm.prefetch %c[%row, %col] : memref<?x136xf32, #global>, vector<128x16xf32>
  gpu.return
}
}
