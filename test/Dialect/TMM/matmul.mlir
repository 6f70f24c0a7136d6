// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt --mlir-print-op-generic %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt --mlir-print-local-scope --mlir-print-op-generic %s | FileCheck %s --check-prefix=GENERIC

// CHECK-LABEL: func @memrefs
// GENERIC: "tmm.matmul"(%{{.*}}, %{{.*}}, %{{.*}}) <{operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>}> : (memref<8x16xbf16>, memref<16x24xbf16>, memref<8x24xf32>) -> ()
func.func @memrefs(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>) {
  // CHECK: tmm.matmul ins(%{{.*}}, %{{.*}} : memref<8x16xbf16>, memref<16x24xbf16>) outs(%{{.*}} : memref<8x24xf32>)
  tmm.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  return
}

// CHECK-LABEL: func @tensors
func.func @tensors(%a: tensor<16x8xf16>, %b: tensor<24x16xf16>, %d: tensor<8x24xf16>) -> tensor<8x24xf16> {
  // CHECK: tmm.matmul accumulate transpose_a transpose_b ins(%{{.*}}, %{{.*}} : tensor<16x8xf16>, tensor<24x16xf16>) outs(%{{.*}} : tensor<8x24xf16>) -> tensor<8x24xf16>
  // GENERIC: "tmm.matmul"(%{{.*}}) <{accumulate, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0>, transpose_a, transpose_b}>
  %0 = tmm.matmul accumulate transpose_a transpose_b
    ins(%a, %b : tensor<16x8xf16>, tensor<24x16xf16>) outs(%d : tensor<8x24xf16>) -> tensor<8x24xf16>
  return %0 : tensor<8x24xf16>
}

// CHECK-LABEL: func @dynamic_sizes_and_strides
func.func @dynamic_sizes_and_strides(%a: memref<?x?xbf16, strided<[?, 1], offset: ?>>,
                                     %b: memref<?x24xbf16, strided<[40, 1]>>, %d: memref<8x?xbf16, 1>) {
  // CHECK: tmm.matmul accumulate ins(
  // CHECK-SAME: outs(%{{.*}} : memref<8x?xbf16, 1>) {note = "kept"}
  tmm.matmul accumulate ins(%a, %b : memref<?x?xbf16, strided<[?, 1], offset: ?>>, memref<?x24xbf16, strided<[40, 1]>>)
    outs(%d : memref<8x?xbf16, 1>) {note = "kept"}
  return
}

// CHECK-LABEL: func @configuration
func.func @configuration(%a: memref<0x16xbf16>, %b: memref<16x24xbf16>, %d: memref<0x24xf32>) {
  // CHECK: tmm.matmul config <tile = <shape = 128x64x64>, ring = <stages = 2>> ins(
  // GENERIC: config = #tmm.config<tile = <shape = 128x64x64>, ring = <stages = 2>>
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <stages = 2>>
    ins(%a, %b : memref<0x16xbf16>, memref<16x24xbf16>) outs(%d : memref<0x24xf32>)
  return
}

// CHECK-LABEL: func @scaled
func.func @scaled(%a: memref<200x160xf8E4M3FN>, %b: memref<136x160xf8E5M2>, %sa: memref<2x2x32x4x4xf8E8M0FNU>,
                  %sb: memref<?x?x32x4x4xf8E8M0FNU, strided<[?, 512, 16, 4, 1], offset: ?>>, %d: memref<200x136xbf16>) {
  // CHECK: tmm.matmul transpose_b ins(%{{.*}}, %{{.*}} : memref<200x160xf8E4M3FN>, memref<136x160xf8E5M2>)
  // CHECK-SAME: scales(%{{.*}}, %{{.*}} : memref<2x2x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU, strided<[?, 512, 16, 4, 1], offset: ?>>)
  // CHECK-SAME: outs(%{{.*}} : memref<200x136xbf16>)
  tmm.matmul transpose_b ins(%a, %b : memref<200x160xf8E4M3FN>, memref<136x160xf8E5M2>)
    scales(%sa, %sb : memref<2x2x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU, strided<[?, 512, 16, 4, 1], offset: ?>>)
    outs(%d : memref<200x136xbf16>)
  return
}

// CHECK-LABEL: func @sparse
func.func @sparse(%a: memref<200x80xf32>, %b: memref<136x160xf32>, %e: memref<?x3x128x4xi32, strided<[?, 512, 4, 1], offset: ?>>, %d: memref<200x136xf32>) {
  // CHECK: tmm.matmul transpose_b allow_tf32 ins(%{{.*}}, %{{.*}} : memref<200x80xf32>, memref<136x160xf32>)
  // CHECK-SAME: metadata(%{{.*}} : memref<?x3x128x4xi32, strided<[?, 512, 4, 1], offset: ?>>)
  // CHECK-SAME: outs(%{{.*}} : memref<200x136xf32>)
  tmm.matmul transpose_b allow_tf32 ins(%a, %b : memref<200x80xf32>, memref<136x160xf32>)
    metadata(%e : memref<?x3x128x4xi32, strided<[?, 512, 4, 1], offset: ?>>) outs(%d : memref<200x136xf32>)
  return
}

// CHECK-LABEL: func @sparse_batch
func.func @sparse_batch(%a: tensor<80x200xi8>, %b: tensor<6x160x136xui8>, %e: tensor<1x2x2x128x4xi32>, %d: tensor<6x200x136xi32>) -> tensor<6x200x136xi32> {
  // CHECK: metadata(%{{.*}} : tensor<1x2x2x128x4xi32>) outs(%{{.*}} : tensor<6x200x136xi32>) -> tensor<6x200x136xi32>
  %r = tmm.matmul transpose_a ins(%a, %b : tensor<80x200xi8>, tensor<6x160x136xui8>)
    metadata(%e : tensor<1x2x2x128x4xi32>) outs(%d : tensor<6x200x136xi32>) -> tensor<6x200x136xi32>
  return %r : tensor<6x200x136xi32>
}

// CHECK-LABEL: func @scaled_batch
func.func @scaled_batch(%a: memref<6x200x160xf8E4M3FN>, %b: memref<136x160xf8E4M3FN>, %sa: memref<6x2x2x32x4x4xf8E8M0FNU>,
                        %sb: memref<2x2x32x4x4xf8E8M0FNU>, %d: memref<6x200x136xf32>) {
  // CHECK: scales(%{{.*}}, %{{.*}} : memref<6x2x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU>)
  tmm.matmul transpose_b ins(%a, %b : memref<6x200x160xf8E4M3FN>, memref<136x160xf8E4M3FN>)
    scales(%sa, %sb : memref<6x2x2x32x4x4xf8E8M0FNU>, memref<2x2x32x4x4xf8E8M0FNU>) outs(%d : memref<6x200x136xf32>)
  return
}

// CHECK-LABEL: func.func @kinds
func.func @kinds(%a: memref<8x32xf32>, %b: memref<32x24xf32>, %d: memref<8x24xf32>,
                 %x: memref<8x32xi8>, %y: memref<32x24xui8>, %e: memref<8x24xf32>) {
  // CHECK: tmm.matmul transpose_b allow_tf32 ins(
  %b_t = memref.reinterpret_cast %b to offset: [0], sizes: [24, 32], strides: [32, 1] : memref<32x24xf32> to memref<24x32xf32>
  tmm.matmul transpose_b allow_tf32 ins(%a, %b_t : memref<8x32xf32>, memref<24x32xf32>) outs(%d : memref<8x24xf32>)
  // CHECK: tmm.matmul ins(%{{.*}}, %{{.*}} : memref<8x32xi8>, memref<32x24xui8>) outs(%{{.*}} : memref<8x24xf32>)
  // CHECK-SAME: epilogue(%[[ACC:.*]]: i32) {
  // CHECK-NEXT: arith.sitofp %[[ACC]] : i32 to f32
  tmm.matmul ins(%x, %y : memref<8x32xi8>, memref<32x24xui8>) outs(%e : memref<8x24xf32>)
    epilogue(%acc : i32) {
      %0 = arith.sitofp %acc : i32 to f32
      tmm.yield %0 : f32
    }
  return
}

// Elements of 4 and 6 bits, factors for 16 elements, sums in f16.
// CHECK-LABEL: func.func @narrow
func.func @narrow(%a: memref<64x128xf4E2M1FN>, %b: memref<32x128xf6E2M3FN>, %c: memref<32x128xf4E2M1FN>, %s: memref<1x2x32x4x4xf8E8M0FNU>, %d: memref<64x32xf32>) {
  // CHECK: tmm.matmul transpose_b f16_sum ins(%{{.*}}, %{{.*}} : memref<64x128xf4E2M1FN>, memref<32x128xf6E2M3FN>) outs(
  tmm.matmul transpose_b f16_sum ins(%a, %b : memref<64x128xf4E2M1FN>, memref<32x128xf6E2M3FN>) outs(%d : memref<64x32xf32>)
  // CHECK: scales(%{{.*}}, %{{.*}} : memref<1x2x32x4x4xf8E8M0FNU>, memref<1x2x32x4x4xf8E8M0FNU>) scale_block = 16 outs(
  tmm.matmul transpose_b ins(%a, %c : memref<64x128xf4E2M1FN>, memref<32x128xf4E2M1FN>)
    scales(%s, %s : memref<1x2x32x4x4xf8E8M0FNU>, memref<1x2x32x4x4xf8E8M0FNU>) scale_block = 16 outs(%d : memref<64x32xf32>)
  return
}
