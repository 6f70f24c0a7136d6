// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s -split-input-file -one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" | FileCheck %s --check-prefix=BUFFER

// Groups whose rows the device knows: one below the other, or with a capacity
// each.

// CHECK-LABEL: func.func @ends
// CHECK: tmm.matmul transpose_b ins(%{{.*}}, %{{.*}} : memref<520x136xbf16>, memref<5x72x136xbf16>) ends(%{{.*}} : memref<5xi32>) outs(%{{.*}} : memref<520x72xf32>)
func.func @ends(%a: memref<520x136xbf16>, %b: memref<5x72x136xbf16>, %ends: memref<5xi32>, %d: memref<520x72xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<520x136xbf16>, memref<5x72x136xbf16>)
    ends(%ends : memref<5xi32>) outs(%d : memref<520x72xf32>)
  return
}

// CHECK-LABEL: func.func @counts
// CHECK: tmm.matmul ins(%{{.*}}, %{{.*}} : memref<?x150x136xf16>, memref<?x136x72xf16>) counts(%{{.*}} : memref<?xi32>) outs(%{{.*}} : memref<?x150x72xf16>)
func.func @counts(%a: memref<?x150x136xf16>, %b: memref<?x136x72xf16>, %counts: memref<?xi32>, %d: memref<?x150x72xf16>) {
  tmm.matmul ins(%a, %b : memref<?x150x136xf16>, memref<?x136x72xf16>)
    counts(%counts : memref<?xi32>) outs(%d : memref<?x150x72xf16>)
  return
}

// A bias of each group, a weight of each row, rows of D apart in memory.
// CHECK-LABEL: func.func @experts
// CHECK: ends(%{{.*}} : memref<5xi32>) outs(%{{.*}} : memref<520x72xf32, strided<[100, 1], offset: 4>>)
// CHECK-SAME: epilogue(%{{.*}}, %{{.*}} = %{{.*}} along n : memref<5x72xf32>, %{{.*}} = %{{.*}} along m : memref<520xf32>)
func.func @experts(%a: memref<520x136xbf16>, %b: memref<5x136x72xbf16>, %ends: memref<5xi32>, %bias: memref<5x72xf32>,
                   %weight: memref<520xf32>, %d: memref<520x72xf32, strided<[100, 1], offset: 4>>) {
  tmm.matmul ins(%a, %b : memref<520x136xbf16>, memref<5x136x72xbf16>) ends(%ends : memref<5xi32>)
    outs(%d : memref<520x72xf32, strided<[100, 1], offset: 4>>)
    epilogue(%acc, %x = %bias along n : memref<5x72xf32>, %w = %weight along m : memref<520xf32>) {
    %0 = arith.addf %acc, %x : f32
    %1 = arith.mulf %0, %w : f32
    tmm.yield %1 : f32
  }
  return
}

// BUFFER-LABEL: func.func @tensors
// BUFFER: tmm.matmul transpose_b ins(%{{.*}}, %{{.*}} : memref<520x136xbf16{{.*}}) ends(%{{.*}} : memref<5xi32{{.*}}) outs(%{{.*}} : memref<520x72xf32>)
func.func @tensors(%a: tensor<520x136xbf16>, %b: tensor<5x72x136xbf16>, %ends: tensor<5xi32>) -> tensor<520x72xf32> {
  %d = tensor.empty() : tensor<520x72xf32>
  %r = tmm.matmul transpose_b ins(%a, %b : tensor<520x136xbf16>, tensor<5x72x136xbf16>)
    ends(%ends : tensor<5xi32>) outs(%d : tensor<520x72xf32>) -> tensor<520x72xf32>
  return %r : tensor<520x72xf32>
}
