// RUN: tc-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected windows of 1 to 3 dimensions, got 4}}
func.func private @windows_c1_bad_rank() attributes {a = #tmm.windows<output = [1, 1, 1, 1], window = [1, 1, 1, 1], channels = 8, strides = [1, 1, 1, 1], dilations = [1, 1, 1, 1], padding = [0, 0, 0, 0]>}

// -----

// expected-error @+1 {{expected 2 entries of strides, as output has, got 1}}
func.func private @windows_c1_bad_count() attributes {a = #tmm.windows<output = [4, 4], window = [3, 3], channels = 8, strides = [1], dilations = [1, 1], padding = [0, 0]>}

// -----

// expected-error @+1 {{expected entries of dilations of at least 1, got 0}}
func.func private @windows_c1_bad_entry() attributes {a = #tmm.windows<output = [4, 4], window = [3, 3], channels = 8, strides = [1, 1], dilations = [1, 0], padding = [0, 0]>}

// -----

// expected-error @+1 {{expected at least 1 channel, got 0}}
func.func private @windows_c1_bad_channels() attributes {a = #tmm.windows<output = [4], window = [3], channels = 0, strides = [1], dilations = [1], padding = [0]>}

// -----

// expected-error @+1 {{expected a matrix with 24 columns for #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>, got 32}}
func.func private @windows_c2_bad_columns(memref<4x32xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>)

// -----

// expected-error @+1 {{expected a matrix with 24 columns for #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>, got rank 1}}
func.func private @windows_c2_bad_rank(memref<24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>)

// -----

func.func @tmm_windows_c1_bad_rank(%i: tensor<1x6x6x8xf16>) {
  // expected-error @+1 {{expected images of rank 3, their number, the dimensions of the windows and channels, got 'tensor<1x6x6x8xf16>'}}
  %0 = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]> : tensor<1x6x6x8xf16> to tensor<4x24xf16>
  return
}

// -----

func.func @tmm_windows_c1_bad_channels(%i: tensor<1x6x16xf16>) {
  // expected-error @+1 {{expected 8 channels, the last dimension of the images, got 'tensor<1x6x16xf16>'}}
  %0 = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]> : tensor<1x6x16xf16> to tensor<4x24xf16>
  return
}

// -----

func.func @tmm_windows_c1_dynamic(%i: tensor<1x?x8xf16>) {
  // expected-error @+1 {{expected images of static sizes, got 'tensor<1x?x8xf16>'}}
  %0 = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]> : tensor<1x?x8xf16> to tensor<4x24xf16>
  return
}

// -----

func.func @tmm_windows_c2_bad_rows(%i: tensor<2x6x8xf16>) {
  // expected-error @+1 {{expected a result of type 'tensor<8x24xf16>', got 'tensor<4x24xf16>'}}
  %0 = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]> : tensor<2x6x8xf16> to tensor<4x24xf16>
  return
}

// -----

func.func @tmm_windows_c3_bad_stride(%i: memref<1x6x8xf16, strided<[96, 16, 2]>>) {
  // expected-error @+1 {{expected images with adjacent channels, innermost stride 1, got 'memref<1x6x8xf16, strided<[96, 16, 2]>>'}}
  %0 = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>
    : memref<1x6x8xf16, strided<[96, 16, 2]>> to memref<4x24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>
  return
}

// -----

func.func @tmm_windows_c3_bad_layout(%i: memref<1x6x8xf16>) {
  // expected-error @+1 {{expected a result of type 'memref<4x24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>', got 'memref<4x24xf16>'}}
  %0 = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]> : memref<1x6x8xf16> to memref<4x24xf16>
  return
}

// -----

!windows = memref<4x24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>
func.func @tmm_matmul_c35_transposed(%a: !windows, %b: memref<4x8xf16>, %d: memref<24x8xf32>) {
  // expected-error @+1 {{operand A: expected windows of images that are not transposed, got}}
  tmm.matmul transpose_a ins(%a, %b : !windows, memref<4x8xf16>) outs(%d : memref<24x8xf32>)
  return
}

// -----

!windows = memref<4x24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>
func.func @tmm_matmul_c3_windows_as_b(%a: memref<8x4xf16>, %b: !windows, %d: memref<8x24xf32>) {
  // expected-error @+1 {{operand B: expected a strided layout, got #tmm.windows<}}
  tmm.matmul ins(%a, %b : memref<8x4xf16>, !windows) outs(%d : memref<8x24xf32>)
  return
}

// -----

!windows = memref<128x64xf16, #tmm.windows<output = [4], window = [8], channels = 8, strides = [1], dilations = [1], padding = [0]>>
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
func.func @tmm_load_c2_transposed(%a: !windows, %tile: !tile, %i: i32) {
  // expected-error @+1 {{expected windows of images that are neither transposed nor blocked nor a batch, got}}
  tmm.load %a[%i, %i], %tile transposed by(#sm90.tma) : !windows, !tile
  return
}

// -----

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
func.func @tmm_load_c2_bad_handle(%a: !sm90.tensor_map<128x64xf16, b128>, %tile: !tile, %i: i32) {
  // expected-error @+1 {{expected windows with a handle of images of 3 dimensions, got '!sm90.tensor_map<128x64xf16, b128>'}}
  tmm.load %a[%i, %i], %tile windows(<output = [4], window = [8], channels = 8, strides = [1], dilations = [1], padding = [0]>) by(#sm90.tma)
    : !sm90.tensor_map<128x64xf16, b128>, !tile
  return
}

// -----

!windows = memref<128x64xbf16, #tmm.windows<output = [4], window = [8], channels = 8, strides = [1], dilations = [1], padding = [0]>>
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
func.func @tmm_load_c2_bad_element(%a: !windows, %tile: !tile, %i: i32) {
  // expected-error @+1 {{expected operand source of element type 'f16', got 'bf16'}}
  tmm.load %a[%i, %i], %tile by(#sm90.tma) : !windows, !tile
  return
}
