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
