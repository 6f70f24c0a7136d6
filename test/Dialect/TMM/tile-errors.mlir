// RUN: tc-opt %s -split-input-file -tmm-tile -verify-diagnostics

func.func @tensors(%a: tensor<8x8xf16>, %b: tensor<8x8xf16>, %d: tensor<8x8xf32>) -> tensor<8x8xf32> {
  // expected-error @below {{expected memref operands, got tensors: run one-shot-bufferize before tmm-tile}}
  %r = tmm.matmul ins(%a, %b : tensor<8x8xf16>, tensor<8x8xf16>) outs(%d : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %r : tensor<8x8xf32>
}

// -----

func.func @config(%a: memref<8x8xf16>, %b: memref<8x8xf16>, %d: memref<8x8xf32>) {
  // expected-error @below {{expected a configuration with tile, swizzle and epilogue_subtile, got an incomplete one: run tmm-choose-config before tmm-tile}}
  tmm.matmul config <tile = <shape = 128x64x64>> ins(%a, %b : memref<8x8xf16>, memref<8x8xf16>) outs(%d : memref<8x8xf32>)
  return
}

// -----

// The last 8 rows of A are the first 8 of D.
func.func @overlap(%buffer: memref<256x128xbf16>, %b: memref<128x128xbf16>) {
  // expected-note @below {{operand A is taken here}}
  %a = memref.subview %buffer[0, 0] [128, 128] [1, 1] : memref<256x128xbf16> to memref<128x128xbf16, strided<[128, 1]>>
  %d = memref.subview %buffer[120, 0] [128, 128] [1, 1] : memref<256x128xbf16> to memref<128x128xbf16, strided<[128, 1], offset: 15360>>
  // expected-error @below {{operand D: expected memory of its own, got a part of the buffer of operand A that overlaps it: tiles of D would overwrite it while it is read}}
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<128x128xbf16, strided<[128, 1]>>, memref<128x128xbf16>) outs(%d : memref<128x128xbf16, strided<[128, 1], offset: 15360>>)
  return
}

// -----

// Wherever the part starts: it is a part of D.
func.func @part_of_d(%a: memref<256x128xbf16>, %d: memref<256x256xbf16>, %row: index) {
  // expected-note @below {{operand B is taken here}}
  %b = memref.subview %d[%row, 0] [128, 256] [1, 1] : memref<256x256xbf16> to memref<128x256xbf16, strided<[256, 1], offset: ?>>
  // expected-error @below {{operand D: expected memory of its own, got a part of the buffer of operand B that overlaps it}}
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<256x128xbf16>, memref<128x256xbf16, strided<[256, 1], offset: ?>>) outs(%d : memref<256x256xbf16>)
  return
}

// -----

// An operand of the epilogue may be D, but not another part of its buffer.
func.func @extra(%a: memref<128x64xbf16>, %b: memref<64x128xbf16>, %buffer: memref<256x128xf32>) {
  %d = memref.subview %buffer[0, 0] [128, 128] [1, 1] : memref<256x128xf32> to memref<128x128xf32, strided<[128, 1]>>
  // expected-note @below {{operand X0 is taken here}}
  %x = memref.subview %buffer[1, 0] [128, 128] [1, 1] : memref<256x128xf32> to memref<128x128xf32, strided<[128, 1], offset: 128>>
  // expected-error @below {{operand D: expected memory of its own, got a part of the buffer of operand X0 that overlaps it}}
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<128x64xbf16>, memref<64x128xbf16>) outs(%d : memref<128x128xf32, strided<[128, 1]>>)
    epilogue(%acc, %y = %x : memref<128x128xf32, strided<[128, 1], offset: 128>>) {
    %0 = arith.addf %acc, %y : f32
    tmm.yield %0 : f32
  }
  return
}

// -----

func.func @tiles(%a: memref<2147479552x64xbf16>, %b: memref<64x2147479552xbf16>, %d: memref<2147479552x2147479552xbf16>) {
  // expected-error @below {{expected D of at most 2147483647 tiles, the work items of one launch, got 562947805939712}}
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<2147479552x64xbf16>, memref<64x2147479552xbf16>) outs(%d : memref<2147479552x2147479552xbf16>)
  return
}

// -----

// Nothing that is yielded comes from the accumulator.
func.func @no_accumulator(%a: memref<128x64xbf16>, %b: memref<64x128xbf16>, %x: memref<128xf32>, %d: memref<128x128xf32>) {
  // expected-error @below {{expected the epilogue to use the accumulator, got one that does not}}
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<128x64xbf16>, memref<64x128xbf16>) outs(%d : memref<128x128xf32>)
    epilogue(%acc, %y = %x along n : memref<128xf32>) {
    %0 = arith.negf %acc : f32
    tmm.yield %y : f32
  }
  return
}

// -----

func.func @parts(%a: memref<128x128xbf16>, %b: memref<128x64xbf16>, %d: memref<128x64xf32>) {
  // expected-error @below {{expected split_k of 1, got 2: run tmm-split-k before tmm-tile}}
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <stages = 1, swizzle = 128B>, scheduler = <split_k = 2>, epilogue = <subtile = 32>>
      ins(%a, %b : memref<128x128xbf16>, memref<128x64xbf16>) outs(%d : memref<128x64xf32>)
  return
}

// -----

func.func @launched(%a: memref<128x128xbf16>, %b: memref<128x128xbf16>, %d: memref<128x128xbf16>) {
  %one = arith.constant 1 : index
  // expected-note @below {{device code here}}
  gpu.launch blocks(%x, %y, %z) in (%gx = %one, %gy = %one, %gz = %one) threads(%tx, %ty, %tz) in (%bx = %one, %by = %one, %bz = %one) {
    // expected-error @below {{expected host code around it, which launches its kernel, got 'gpu.launch'}}
    tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>> ins(%a, %b : memref<128x128xbf16>, memref<128x128xbf16>) outs(%d : memref<128x128xbf16>)
    gpu.terminator
  }
  return
}

// -----

gpu.module @m {
  // expected-note @below {{device code here}}
  gpu.func @device(%a: memref<128x128xbf16>, %b: memref<128x128xbf16>, %d: memref<128x128xbf16>) kernel {
    // expected-error @below {{expected host code around it, which launches its kernel, got 'gpu.func'}}
    tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>> ins(%a, %b : memref<128x128xbf16>, memref<128x128xbf16>) outs(%d : memref<128x128xbf16>)
    gpu.return
  }
}

// -----

%a = memref.alloc() : memref<256x1024xbf16>
%b = memref.alloc() : memref<1024x512xbf16>
%d = memref.alloc() : memref<256x512xf32>
// expected-error @below {{expected a function around it, after which its kernel is named, got none}}
tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
