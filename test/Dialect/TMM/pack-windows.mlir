// Windows that TMA loads stay; others are gathered, and why is said.
// RUN: tc-opt %s --mlir-print-local-scope --tmm-pack-operands --canonicalize | FileCheck %s
// RUN: tc-opt %s --mlir-print-local-scope --tmm-pack-operands=chip=sm_80 --canonicalize | FileCheck %s --check-prefix=OLD
// RUN: tc-opt %s --mlir-print-local-scope --tmm-pack-operands=config=load-a=cp-async --canonicalize | FileCheck %s --check-prefix=GIVEN
// RUN: tc-opt %s --tmm-pack-operands=remarks 2>&1 >/dev/null | FileCheck %s --check-prefix=REMARK
// RUN: tc-opt %s --tmm-pack-operands="remarks chip=sm_80" 2>&1 >/dev/null | FileCheck %s --check-prefix=NOTMA

!padded = memref<144x576xbf16, #tmm.windows<output = [8, 9], window = [3, 3], channels = 64, strides = [1, 1], dilations = [1, 1], padding = [1, 1]>>

// CHECK-LABEL: func @padded
// CHECK-NOT: memref.alloc
// CHECK: tmm.windows
// Outside of the images there are zeros.
// OLD-LABEL: func @padded
// OLD-SAME: %[[I:.*]]: memref<2x8x9x64xbf16>, %[[B:.*]]: memref<576x64xbf16>
// OLD: %[[P:.*]] = memref.alloc() : memref<2x10x11x64xbf16>
// OLD: linalg.fill ins(%{{.*}} : bf16) outs(%[[P]]
// OLD: %[[INSIDE:.*]] = memref.subview %[[P]][0, 1, 1, 0] [2, 8, 9, 64] [1, 1, 1, 1]
// OLD: memref.copy %[[I]], %[[INSIDE]]
// OLD: %[[G:.*]] = memref.alloc() : memref<2x8x9x3x3x64xbf16>
// OLD: linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1 + d3, d2 + d4, d5)>, {{.*}} ins(%[[P]] : {{.*}}) outs(%[[G]]
// OLD: %[[A:.*]] = memref.collapse_shape %[[G]] {{\[\[}}0, 1, 2], [3, 4, 5]] : memref<2x8x9x3x3x64xbf16> into memref<144x576xbf16>
// OLD: tmm.matmul ins(%[[A]], %[[B]] :
// GIVEN-LABEL: func @padded
// GIVEN: memref.collapse_shape
// REMARK: [[@LINE+4]]:8: remark: A is loaded as windows of the images (im2col); no matrix of 165,888 bytes is written and read
// NOTMA: [[@LINE+3]]:8: remark: gathered first, because TMA cannot load the windows from the images: the chip has no TMA
func.func @padded(%i: memref<2x8x9x64xbf16>, %b: memref<576x64xbf16>, %d: memref<144x64xf32>) {
  // The remark is at the view.
  %a = tmm.windows %i as <output = [8, 9], window = [3, 3], channels = 64, strides = [1, 1], dilations = [1, 1], padding = [1, 1]> : memref<2x8x9x64xbf16> to !padded
  tmm.matmul ins(%a, %b : !padded, memref<576x64xbf16>) outs(%d : memref<144x64xf32>)
  return
}

// The number of images is not known; a wide window ends after the last element.
!images = memref<?x96xf16, #tmm.windows<output = [10], window = [6], channels = 16, strides = [2], dilations = [3], padding = [0]>>
// OLD-LABEL: func @images
// OLD: %[[N:.*]] = memref.dim
// OLD: memref.alloc(%[[N]]) : memref<?x34x16xf16>
// OLD: memref.alloc(%[[N]]) : memref<?x10x6x16xf16>
// REMARK: [[@LINE+2]]:8: remark: A is loaded as windows of the images (im2col)
func.func @images(%i: memref<?x30x16xf16>, %b: memref<96x64xf16>, %d: memref<?x64xf32>) {
  %a = tmm.windows %i as <output = [10], window = [6], channels = 16, strides = [2], dilations = [3], padding = [0]> : memref<?x30x16xf16> to !images
  tmm.matmul ins(%a, %b : !images, memref<96x64xf16>) outs(%d : memref<?x64xf32>)
  return
}

// Signs are those of the product's A.
!bytes = memref<7x48xi8, #tmm.windows<output = [7], window = [3], channels = 16, strides = [1], dilations = [1], padding = [0]>>
!unsigned = memref<7x48xui8, #tmm.windows<output = [7], window = [3], channels = 16, strides = [1], dilations = [1], padding = [0]>>
// OLD-LABEL: func @unsigned
// OLD: %[[A:.*]] = memref.collapse_shape %{{.*}} {{\[\[}}0, 1], [2, 3]] : memref<1x7x3x16xi8> into memref<7x48xi8>
// OLD: tmm.reinterpret %[[A]] : memref<7x48xi8> to memref<7x48xui8>
func.func @unsigned(%i: memref<1x9x16xi8>, %b: memref<64x48xui8>, %d: memref<7x64xi32>) {
  %a = tmm.windows %i as <output = [7], window = [3], channels = 16, strides = [1], dilations = [1], padding = [0]> : memref<1x9x16xi8> to !bytes
  %u = tmm.reinterpret %a : !bytes to !unsigned
  tmm.matmul transpose_b ins(%u, %b : !unsigned, memref<64x48xui8>) outs(%d : memref<7x64xi32>)
  return
}

!odd = memref<4x36xf16, #tmm.windows<output = [4], window = [3], channels = 12, strides = [1], dilations = [1], padding = [0]>>
// CHECK-LABEL: func @channels
// CHECK: linalg.generic
// REMARK: [[@LINE+2]]:8: remark: gathered first, because TMA cannot load the windows from the images: TMA needs a multiple of 16 bytes for the channels of images, got 24 (PTX ISA 9.0, 5.5
func.func @channels(%i: memref<1x6x12xf16>, %b: memref<36x64xf16>, %d: memref<4x64xf32>) {
  %a = tmm.windows %i as <output = [4], window = [3], channels = 12, strides = [1], dilations = [1], padding = [0]> : memref<1x6x12xf16> to !odd
  tmm.matmul ins(%a, %b : !odd, memref<36x64xf16>) outs(%d : memref<4x64xf32>)
  return
}

!part = memref<4x24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>
// REMARK: [[@LINE+2]]:8: remark: {{.*}} TMA needs a multiple of 16 bytes for the strides of images, got 24
func.func @strides(%i: memref<1x6x8xf16, strided<[72, 12, 1]>>, %b: memref<24x64xf16>, %d: memref<4x64xf32>) {
  %a = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]> : memref<1x6x8xf16, strided<[72, 12, 1]>> to !part
  tmm.matmul ins(%a, %b : !part, memref<24x64xf16>) outs(%d : memref<4x64xf32>)
  return
}

!far = memref<4x24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [9], dilations = [1], padding = [0]>>
// REMARK: [[@LINE+2]]:8: remark: {{.*}} TMA moves windows by at most 8 elements, got a stride of 9
func.func @step(%i: memref<1x30x8xf16>, %b: memref<24x64xf16>, %d: memref<4x64xf32>) {
  %a = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [9], dilations = [1], padding = [0]> : memref<1x30x8xf16> to !far
  tmm.matmul ins(%a, %b : !far, memref<24x64xf16>) outs(%d : memref<4x64xf32>)
  return
}

!corner = memref<1x8xf16, #tmm.windows<output = [1, 1], window = [1, 1], channels = 8, strides = [1, 1], dilations = [1, 1], padding = [0, 0]>>
// REMARK: [[@LINE+2]]:8: remark: {{.*}} TMA needs first elements of windows from 128 before the first to 127 after the last element of an image, got -129 along dimension 2
func.func @corner(%i: memref<1x2x130x8xf16>, %b: memref<8x64xf16>, %d: memref<1x64xf32>) {
  %a = tmm.windows %i as <output = [1, 1], window = [1, 1], channels = 8, strides = [1, 1], dilations = [1, 1], padding = [0, 0]> : memref<1x2x130x8xf16> to !corner
  tmm.matmul ins(%a, %b : !corner, memref<8x64xf16>) outs(%d : memref<1x64xf32>)
  return
}

!reach = memref<1x16xf16, #tmm.windows<output = [1, 1, 1], window = [1, 2, 1], channels = 8, strides = [1, 1, 1], dilations = [1, 32, 1], padding = [0, 15, 0]>>
// REMARK: [[@LINE+2]]:8: remark: {{.*}} TMA needs windows whose elements are less than 32 apart, got 32 along dimension 2
func.func @reach(%i: memref<1x1x2x1x8xf16>, %b: memref<16x64xf16>, %d: memref<1x64xf32>) {
  %a = tmm.windows %i as <output = [1, 1, 1], window = [1, 2, 1], channels = 8, strides = [1, 1, 1], dilations = [1, 32, 1], padding = [0, 15, 0]> : memref<1x1x2x1x8xf16> to !reach
  tmm.matmul ins(%a, %b : !reach, memref<16x64xf16>) outs(%d : memref<1x64xf32>)
  return
}

!bits = memref<4x96xf4E2M1FN, #tmm.windows<output = [4], window = [3], channels = 32, strides = [1], dilations = [1], padding = [0]>>
// REMARK: [[@LINE+2]]:8: remark: {{.*}} images have elements of 4 bits, of which TMA has no windows
func.func @bits(%i: memref<1x6x32xf4E2M1FN>, %b: memref<64x96xf4E2M1FN>, %d: memref<4x64xf32>) {
  %a = tmm.windows %i as <output = [4], window = [3], channels = 32, strides = [1], dilations = [1], padding = [0]> : memref<1x6x32xf4E2M1FN> to !bits
  tmm.matmul transpose_b ins(%a, %b : !bits, memref<64x96xf4E2M1FN>) outs(%d : memref<4x64xf32>)
  return
}

// What is no product reads a matrix.
!read = memref<4x24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>
// REMARK: [[@LINE+2]]:8: remark: gathered first, because TMA cannot load the windows from the images: what reads them is 'linalg.generic'
func.func @other(%i: memref<1x6x8xf16>, %d: memref<4x24xf16>) {
  %a = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]> : memref<1x6x8xf16> to !read
  linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : !read) outs(%d : memref<4x24xf16>) {
  ^bb0(%x: f16, %y: f16):
    linalg.yield %x : f16
  }
  return
}
