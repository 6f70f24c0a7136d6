// The swizzle of the windows of images: its rows are the channels of one element.
// RUN: tc-opt %s --mlir-print-local-scope --tmm-choose-config --split-input-file --verify-diagnostics | FileCheck %s

!windows = memref<40x288xbf16, #tmm.windows<output = [4, 5], window = [3, 3], channels = 32, strides = [1, 1], dilations = [1, 1], padding = [0, 0]>>
// CHECK-LABEL: func.func @half
// CHECK: swizzle = 64B
// CHECK: load_a = tma
func.func @half(%i: memref<2x6x7x32xbf16>, %b: memref<288x64xbf16>, %d: memref<40x64xf32>) {
  %a = tmm.windows %i as <output = [4, 5], window = [3, 3], channels = 32, strides = [1, 1], dilations = [1, 1], padding = [0, 0]> : memref<2x6x7x32xbf16> to !windows
  tmm.matmul ins(%a, %b : !windows, memref<288x64xbf16>) outs(%d : memref<40x64xf32>)
  return
}

// -----

!windows = memref<4x24xbf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>
// CHECK-LABEL: func.func @least
// CHECK: swizzle = none
func.func @least(%i: memref<1x6x8xbf16>, %b: memref<24x64xbf16>, %d: memref<4x64xf32>) {
  %a = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]> : memref<1x6x8xbf16> to !windows
  tmm.matmul ins(%a, %b : !windows, memref<24x64xbf16>) outs(%d : memref<4x64xf32>)
  return
}

// -----

!windows = memref<40x288xbf16, #tmm.windows<output = [4, 5], window = [3, 3], channels = 32, strides = [1, 1], dilations = [1, 1], padding = [0, 0]>>
func.func @wide(%i: memref<2x6x7x32xbf16>, %b: memref<288x64xbf16>, %d: memref<40x64xf32>) {
  %a = tmm.windows %i as <output = [4, 5], window = [3, 3], channels = 32, strides = [1, 1], dilations = [1, 1], padding = [0, 0]> : memref<2x6x7x32xbf16> to !windows
  // expected-error @below {{configuration: swizzle of 128B: expected at most 64B, as each row of it is loaded from the channels of one element of an image, 64 bytes}}
  tmm.matmul config <ring = <swizzle = 128B>> ins(%a, %b : !windows, memref<288x64xbf16>) outs(%d : memref<40x64xf32>)
  return
}

// -----

!windows = memref<40x288xbf16, #tmm.windows<output = [4, 5], window = [3, 3], channels = 32, strides = [1, 1], dilations = [1, 1], padding = [0, 0]>>
func.func @threads(%i: memref<2x6x7x32xbf16>, %b: memref<288x64xbf16>, %d: memref<40x64xf32>) {
  %a = tmm.windows %i as <output = [4, 5], window = [3, 3], channels = 32, strides = [1, 1], dilations = [1, 1], padding = [0, 0]> : memref<2x6x7x32xbf16> to !windows
  // expected-error @below {{configuration: load-a of threads: expected tma, threads cannot address the elements of windows, which are gathered first}}
  tmm.matmul config <ring = <load_a = threads>> ins(%a, %b : !windows, memref<288x64xbf16>) outs(%d : memref<40x64xf32>)
  return
}

// -----

!windows = memref<4x36xbf16, #tmm.windows<output = [4], window = [3], channels = 12, strides = [1], dilations = [1], padding = [0]>>
func.func @nothing(%i: memref<1x6x12xbf16>, %b: memref<36x64xbf16>, %d: memref<4x64xf32>) {
  %a = tmm.windows %i as <output = [4], window = [3], channels = 12, strides = [1], dilations = [1], padding = [0]> : memref<1x6x12xbf16> to !windows
  // expected-error @below {{configuration: operand A: expected rows that can be loaded, but TMA needs a multiple of 16 bytes for the channels of images, got 24 (PTX ISA 9.0, 5.5 "Tensors"), and threads cannot address the elements of windows, which are gathered first}}
  tmm.matmul ins(%a, %b : !windows, memref<36x64xbf16>) outs(%d : memref<4x64xf32>)
  return
}
