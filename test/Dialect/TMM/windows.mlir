// The windows of images: round trip, bufferization, sizes, the tile program, and what is left of them for LLVM.
// RUN: tc-opt %s --mlir-print-local-scope | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --mlir-print-op-generic | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --mlir-print-local-scope --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize | FileCheck %s --check-prefix=BUFFER
// RUN: tc-opt %s --mlir-print-local-scope --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --tmm-choose-config --tmm-tile --canonicalize | FileCheck %s --check-prefix=TILE
// RUN: tc-opt %s --tc-lower-to-tcgen05 --tmm-drop-problems | FileCheck %s --check-prefix=DROP

// Rows of the tile program's A are those of the matrix; who loads them finds the pixels.
// CHECK-LABEL: func.func @product
// CHECK: tmm.windows %{{.*}} as <output = [8, 9], window = [3, 2], channels = 32, strides = [1, 2], dilations = [2, 1], padding = [2, 0]> : tensor<2x8x18x32xbf16> to tensor<144x192xbf16>
// BUFFER-LABEL: func.func @product
// BUFFER-SAME: %[[I:.*]]: memref<2x8x18x32xbf16>
// BUFFER: %[[A:.*]] = tmm.windows %[[I]] as <output = [8, 9], window = [3, 2], channels = 32, strides = [1, 2], dilations = [2, 1], padding = [2, 0]>
// BUFFER-SAME: : memref<2x8x18x32xbf16> to memref<144x192xbf16, #tmm.windows<output = [8, 9], window = [3, 2], channels = 32, strides = [1, 2], dilations = [2, 1], padding = [2, 0]>>
// BUFFER: tmm.matmul ins(%[[A]], %{{.*}} :
// Half of a row of 128 bytes is the channels of one element.
// TILE-LABEL: gpu.func @product_matmul
// TILE: tmm.load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} by(#sm90.tma) : memref<144x192xbf16, #tmm.windows<{{.*}}>>, <128x64xbf16, #sm90.smem<k_major, b64>>
// DROP-NOT: tmm.windows
func.func @product(%i: tensor<2x8x18x32xbf16>, %b: tensor<192x64xbf16>, %d: tensor<144x64xf32>) -> tensor<144x64xf32> {
  %a = tmm.windows %i as <output = [8, 9], window = [3, 2], channels = 32, strides = [1, 2], dilations = [2, 1], padding = [2, 0]>
    : tensor<2x8x18x32xbf16> to tensor<144x192xbf16>
  %r = tmm.matmul ins(%a, %b : tensor<144x192xbf16>, tensor<192x64xbf16>) outs(%d : tensor<144x64xf32>) -> tensor<144x64xf32>
  return %r : tensor<144x64xf32>
}

// The number of rows follows from the number of images.
// BUFFER-LABEL: func.func @size
// BUFFER-SAME: %[[I:.*]]: memref<?x9x16xf16
// BUFFER: %[[N:.*]] = memref.dim %[[I]], %c0
// BUFFER: %[[ROWS:.*]] = arith.muli %[[N]], %c7
// BUFFER: return %[[ROWS]]
func.func @size(%i: memref<?x9x16xf16, strided<[?, 24, 1], offset: ?>>) -> index {
  %c0 = arith.constant 0 : index
  %a = tmm.windows %i as <output = [7], window = [3], channels = 16, strides = [1], dilations = [1], padding = [0]>
    : memref<?x9x16xf16, strided<[?, 24, 1], offset: ?>> to memref<?x48xf16, #tmm.windows<output = [7], window = [3], channels = 16, strides = [1], dilations = [1], padding = [0]>>
  %m = memref.dim %a, %c0 : memref<?x48xf16, #tmm.windows<output = [7], window = [3], channels = 16, strides = [1], dilations = [1], padding = [0]>>
  return %m : index
}
