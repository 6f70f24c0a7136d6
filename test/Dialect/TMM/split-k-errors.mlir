// RUN: tc-opt %s --tmm-split-k --split-input-file --verify-diagnostics

func.func @blocks(%a: memref<128x448xbf16>, %b: memref<448x256xbf16>, %d: memref<128x256xf32>) {
  // expected-error @below {{configuration: split-k of 4: expected at most 32 parts of K, 448, each with as many whole K-blocks of 64, nearest 1}}
  tmm.matmul config <scheduler = <split_k = 4>> ins(%a, %b : memref<128x448xbf16>, memref<448x256xbf16>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @whole(%a: memref<128x500xbf16>, %b: memref<500x256xbf16>, %d: memref<128x256xf32>) {
  // expected-error @below {{configuration: split-k of 2: expected at most 32 parts of K, 500, each with as many whole K-blocks of 64, nearest 1}}
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<128x500xbf16>, memref<500x256xbf16>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @tile(%a: memref<128x768xbf16>, %b: memref<768x256xbf16>, %d: memref<128x256xf32>) {
  // expected-error @below {{configuration: split-k of 4: expected at most 32 parts of K, 768, each with as many whole K-blocks of 128, nearest 3}}
  tmm.matmul config <tile = <shape = 128x64x128>, scheduler = <split_k = 4>> ins(%a, %b : memref<128x768xbf16>, memref<768x256xbf16>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @dynamic(%a: memref<128x?xbf16>, %b: memref<?x256xbf16>, %d: memref<128x256xf32>) {
  // expected-error @below {{configuration: split-k of 2: expected 1, K is not known when compiling}}
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<128x?xbf16>, memref<?x256xbf16>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @scales(%a: memref<128x512xf8E4M3FN>, %b: memref<256x512xf8E4M3FN>, %s: memref<1x4x32x4x4xf8E8M0FNU>, %t: memref<2x4x32x4x4xf8E8M0FNU>, %d: memref<128x256xf32>) {
  // expected-error @below {{configuration: split-k of 2: expected 1, the operands have scale factors}}
  tmm.matmul transpose_b config <scheduler = <split_k = 2>> ins(%a, %b : memref<128x512xf8E4M3FN>, memref<256x512xf8E4M3FN>)
      scales(%s, %t : memref<1x4x32x4x4xf8E8M0FNU>, memref<2x4x32x4x4xf8E8M0FNU>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @sparse(%a: memref<128x256xbf16>, %b: memref<256x512xbf16>, %m: memref<1x4x128x4xi32>, %d: memref<128x256xf32>) {
  // expected-error @below {{configuration: split-k of 2: expected 1, A is sparse}}
  tmm.matmul transpose_b config <scheduler = <split_k = 2>> ins(%a, %b : memref<128x256xbf16>, memref<256x512xbf16>)
      metadata(%m : memref<1x4x128x4xi32>) outs(%d : memref<128x256xf32>)
  return
}

// -----

!windows = memref<40x288xbf16, #tmm.windows<output = [4, 5], window = [3, 3], channels = 32, strides = [1, 1], dilations = [1, 1], padding = [0, 0]>>
func.func @windows(%i: memref<2x6x7x32xbf16>, %b: memref<288x64xbf16>, %d: memref<40x64xf32>) {
  %a = tmm.windows %i as <output = [4, 5], window = [3, 3], channels = 32, strides = [1, 1], dilations = [1, 1], padding = [0, 0]> : memref<2x6x7x32xbf16> to !windows
  // expected-error @below {{configuration: split-k of 3: expected 1, A is the windows of images, which have no views}}
  tmm.matmul config <tile = <shape = 128x64x32>, scheduler = <split_k = 3>> ins(%a, %b : !windows, memref<288x64xbf16>) outs(%d : memref<40x64xf32>)
  return
}

// -----

func.func @stores(%a: memref<128x512xbf16>, %b: memref<102x512xbf16>, %d: memref<128x102xbf16>) {
  // expected-error @below {{configuration: epilogue of tma-store: expected direct, TMA writes 16 bytes as a whole, and rows of sums of parts of K end inside of them, after 408}}
  tmm.matmul transpose_b config <scheduler = <split_k = 2>, epilogue = <kind = tma_store>> ins(%a, %b : memref<128x512xbf16>, memref<102x512xbf16>) outs(%d : memref<128x102xbf16>)
  return
}

// -----

func.func @narrow(%a: memref<128x512xf4E2M1FN>, %b: memref<256x512xf4E2M1FN>, %d: memref<128x256xf32>) {
  // expected-error @below {{configuration: split-k of 2: expected 1, operands have elements of 4 bits}}
  tmm.matmul transpose_b config <scheduler = <split_k = 2>> ins(%a, %b : memref<128x512xf4E2M1FN>, memref<256x512xf4E2M1FN>) outs(%d : memref<128x256xf32>)
  return
}

// -----

func.func @quantized(%a: memref<128x512xbf16>, %b: memref<512x256xbf16>, %d: memref<128x256xf8E4M3FN>) {
  // expected-error @below {{configuration: split-k of 2: expected 1, D has floats of 8 bits or fewer, which the kernel that adds the parts does not write}}
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<128x512xbf16>, memref<512x256xbf16>) outs(%d : memref<128x256xf8E4M3FN>)
  return
}

// -----

func.func @largest(%a: memref<128x512xbf16>, %b: memref<512x256xbf16>, %d: memref<128x256xf32>, %x: memref<f32>) {
  // expected-error @below {{configuration: split-k of 2: expected 1, the kernel that adds the parts does not compute amax}}
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<128x512xbf16>, memref<512x256xbf16>) outs(%d : memref<128x256xf32>) amax(%x : memref<f32>)
  return
}

// -----

func.func @batch(%a: memref<2x2x2x128x512xbf16>, %b: memref<512x256xbf16>, %d: memref<2x2x2x128x256xf32>) {
  // expected-error @below {{configuration: split-k of 2: expected 1, parts are one more dimension of the batch, which has 3 at most}}
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<2x2x2x128x512xbf16>, memref<512x256xbf16>) outs(%d : memref<2x2x2x128x256xf32>)
  return
}

// -----

func.func @overlap(%buffer: memref<256x512xbf16>, %b: memref<512x512xbf16>) {
  // expected-note @below {{operand A is taken here}}
  %a = memref.subview %buffer[0, 0] [128, 512] [1, 1] : memref<256x512xbf16> to memref<128x512xbf16, strided<[512, 1]>>
  %d = memref.subview %buffer[120, 0] [128, 512] [1, 1] : memref<256x512xbf16> to memref<128x512xbf16, strided<[512, 1], offset: 61440>>
  // expected-error @below {{operand D: expected memory of its own, got a part of the buffer of operand A that overlaps it}}
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<128x512xbf16, strided<[512, 1]>>, memref<512x512xbf16>)
      outs(%d : memref<128x512xbf16, strided<[512, 1], offset: 61440>>)
  return
}

// -----

func.func @rows(%a: memref<40x4096xbf16>, %b: memref<3x4096x32xbf16>, %ends: memref<3xi32>, %d: memref<40x32xf32>) {
  // expected-error @below {{configuration: split-k of 2: expected 1, only the device knows which rows the problems have}}
  tmm.matmul config <scheduler = <split_k = 2>> ins(%a, %b : memref<40x4096xbf16>, memref<3x4096x32xbf16>) ends(%ends : memref<3xi32>) outs(%d : memref<40x32xf32>)
  return
}
