// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt | FileCheck %s

// CHECK-LABEL: func @operands
func.func @operands(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>, %c: memref<?x?xf16>, %row: memref<?xf32>, %column: memref<?xbf16>, %s: f32) {
  // CHECK: tmm.matmul ins(%{{.*}}, %{{.*}} : memref<?x?xbf16>, memref<?x?xbf16>) outs(%{{.*}} : memref<?x?xbf16>) epilogue(%[[ACC:.*]], %[[C:.*]] = %{{.*}} : memref<?x?xf16>, %[[R:.*]] = %{{.*}} along n : memref<?xf32>, %[[K:.*]] = %{{.*}} along m : memref<?xbf16>, %[[S:.*]] = %{{.*}} : f32) {
  // CHECK-NEXT: arith.mulf %[[ACC]], %[[S]]
  // CHECK: tmm.yield %{{.*}} : bf16
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xbf16>)
      epilogue(%acc, %x0 = %c : memref<?x?xf16>, %x1 = %row along n : memref<?xf32>, %x2 = %column along m : memref<?xbf16>, %x3 = %s : f32) {
    %0 = arith.mulf %acc, %x3 : f32
    %1 = arith.extf %x0 : f16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = arith.addf %2, %x1 : f32
    %4 = arith.extf %x2 : bf16 to f32
    %5 = arith.addf %3, %4 : f32
    %6 = math.tanh %5 : f32
    %7 = arith.truncf %6 : f32 to bf16
    tmm.yield %7 : bf16
  }
  return
}

// D itself may be read.
// CHECK-LABEL: func @in_place
func.func @in_place(%a: tensor<8x16xf16>, %b: tensor<16x24xf16>, %d: tensor<8x24xf32>) -> tensor<8x24xf32> {
  // CHECK: -> tensor<8x24xf32> epilogue(%[[ACC:.*]], %[[D:.*]] = %{{.*}} : tensor<8x24xf32>) {
  %0 = tmm.matmul ins(%a, %b : tensor<8x16xf16>, tensor<16x24xf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
      epilogue(%acc, %x = %d : tensor<8x24xf32>) {
    %1 = arith.mulf %acc, %x : f32
    tmm.yield %1 : f32
  }
  return %0 : tensor<8x24xf32>
}

// Without an epilogue nothing of it is printed.
// CHECK-LABEL: func @none
func.func @none(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>) {
  // CHECK-NEXT: tmm.matmul ins(%{{.*}} : memref<8x16xf16>, memref<16x24xf16>) outs(%{{.*}} : memref<8x24xf32>){{$}}
  tmm.matmul ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>)
  return
}

// What folding makes of comparisons and roundings of a converted sum.
// CHECK-LABEL: func.func @integers
func.func @integers(%a: memref<64x64xi8>, %b: memref<16x64xui8>, %d: memref<64x16xbf16>) {
  // CHECK: epilogue(%[[ACC:.*]]: i32) {
  // CHECK: arith.cmpi sgt, %[[ACC]], %{{.*}} : i32
  // CHECK: arith.maxsi %[[ACC]]
  // CHECK: arith.sitofp %{{.*}} : i32 to bf16
  tmm.matmul transpose_b ins(%a, %b : memref<64x64xi8>, memref<16x64xui8>) outs(%d : memref<64x16xbf16>)
    epilogue(%acc : i32) {
      %low = arith.constant -7 : i32
      %c = arith.cmpi sgt, %acc, %low : i32
      %m = arith.maxsi %acc, %low : i32
      %s = arith.select %c, %m, %low : i32
      %r = arith.sitofp %s : i32 to bf16
      tmm.yield %r : bf16
    }
  return
}
