// RUN: tc-opt %s --tc-merge-tiles --split-input-file | FileCheck %s

// Tiles of both dimensions, on memrefs: no loop and no slice is left.
// CHECK-LABEL: func.func @parallel(
// CHECK-SAME:    %[[A:.*]]: memref<1024x64xf16>, %[[B:.*]]: memref<64x1024xf16>, %[[D:.*]]: memref<1024x1024xf16>)
// CHECK-NOT:     scf
// CHECK-NOT:     memref.subview
// CHECK:         linalg.matmul ins(%[[A]], %[[B]] : memref<1024x64xf16>, memref<64x1024xf16>) outs(%[[D]] : memref<1024x1024xf16>)
// CHECK-NEXT:    return
!x = memref<128x64xf16, strided<[64, 1], offset: ?>>
!y = memref<64x128xf16, strided<[1024, 1], offset: ?>>
!z = memref<128x128xf16, strided<[1024, 1], offset: ?>>
func.func @parallel(%a: memref<1024x64xf16>, %b: memref<64x1024xf16>, %d: memref<1024x1024xf16>) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %c1024 = arith.constant 1024 : index
  scf.parallel (%i, %j) = (%c0, %c0) to (%c1024, %c1024) step (%c128, %c128) {
    %x = memref.subview %a[%i, 0] [128, 64] [1, 1] : memref<1024x64xf16> to !x
    %y = memref.subview %b[0, %j] [64, 128] [1, 1] : memref<64x1024xf16> to !y
    %z = memref.subview %d[%i, %j] [128, 128] [1, 1] : memref<1024x1024xf16> to !z
    linalg.matmul ins(%x, %y : !x, !y) outs(%z : !z)
    scf.reduce
  }
  return
}

// -----

// Nested, a part of A, a fill with it, counted in tiles.
// CHECK-LABEL: func.func @nested(
// CHECK-NOT:     scf
// CHECK:         %[[Z:.*]] = arith.constant 0.0
// CHECK:         %[[D:.*]] = linalg.fill ins(%[[Z]] : f32) outs(%arg2 : tensor<256x96xf32>) -> tensor<256x96xf32>
// CHECK:         %[[A:.*]] = tensor.extract_slice %arg0[64, 0] [256, 64] [1, 1]
// CHECK:         %[[R:.*]] = linalg.matmul ins(%[[A]], %arg1 : tensor<256x64xbf16>, tensor<64x96xbf16>) outs(%[[D]] : tensor<256x96xf32>)
// CHECK:         return %[[R]]
func.func @nested(%a: tensor<400x64xbf16>, %b: tensor<64x96xbf16>, %d: tensor<256x96xf32>) -> tensor<256x96xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %filled = linalg.fill ins(%zero : f32) outs(%d : tensor<256x96xf32>) -> tensor<256x96xf32>
  %part = tensor.extract_slice %a[64, 0] [256, 64] [1, 1] : tensor<400x64xbf16> to tensor<256x64xbf16>
  %r = scf.forall (%i) in (4) shared_outs(%o = %filled) -> (tensor<256x96xf32>) {
    %at = affine.apply affine_map<(i) -> (i * 64)>(%i)
    %rows = tensor.extract_slice %part[%at, 0] [64, 64] [1, 1] : tensor<256x64xbf16> to tensor<64x64xbf16>
    %orows = tensor.extract_slice %o[%at, 0] [64, 96] [1, 1] : tensor<256x96xf32> to tensor<64x96xf32>
    %t = scf.for %j = %c0 to %c96 step %c32 iter_args(%acc = %orows) -> tensor<64x96xf32> {
      %y = tensor.extract_slice %b[0, %j] [64, 32] [1, 1] : tensor<64x96xbf16> to tensor<64x32xbf16>
      %z = tensor.extract_slice %acc[0, %j] [64, 32] [1, 1] : tensor<64x96xf32> to tensor<64x32xf32>
      %m = linalg.matmul ins(%rows, %y : tensor<64x64xbf16>, tensor<64x32xbf16>) outs(%z : tensor<64x32xf32>) -> tensor<64x32xf32>
      %into = tensor.insert_slice %m into %acc[0, %j] [64, 32] [1, 1] : tensor<64x32xf32> into tensor<64x96xf32>
      scf.yield %into : tensor<64x96xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%at, 0] [64, 96] [1, 1] : tensor<64x96xf32> into tensor<256x96xf32>
    }
  }
  return %r : tensor<256x96xf32>
}

// -----

// Along K, in f32.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT:     scf
// CHECK:         linalg.matmul ins(%arg0, %arg1 : tensor<64x128xbf16>, tensor<128x64xbf16>) outs(%arg2 : tensor<64x64xf32>)
func.func @sum(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %r = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %d) -> tensor<64x64xf32> {
    %x = tensor.extract_slice %a[0, %k] [64, 32] [1, 1] : tensor<64x128xbf16> to tensor<64x32xbf16>
    %y = tensor.extract_slice %b[%k, 0] [32, 64] [1, 1] : tensor<128x64xbf16> to tensor<32x64xbf16>
    %n = linalg.matmul ins(%x, %y : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%acc : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %n : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

// -----

// In f16 each part of the sum is rounded.
// CHECK-LABEL: func.func @rounded_sum(
// CHECK:         scf.for
func.func @rounded_sum(%a: memref<64x128xf16>, %b: memref<128x64xf16>, %d: memref<64x64xf16>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  scf.for %k = %c0 to %c128 step %c32 {
    %x = memref.subview %a[0, %k] [64, 32] [1, 1] : memref<64x128xf16> to memref<64x32xf16, strided<[128, 1], offset: ?>>
    %y = memref.subview %b[%k, 0] [32, 64] [1, 1] : memref<128x64xf16> to memref<32x64xf16, strided<[64, 1], offset: ?>>
    linalg.matmul ins(%x, %y : memref<64x32xf16, strided<[128, 1], offset: ?>>, memref<32x64xf16, strided<[64, 1], offset: ?>>) outs(%d : memref<64x64xf16>)
  }
  return
}

// -----

// The tiles of one iteration are read by the next.
// CHECK-LABEL: func.func @chained(
// CHECK:         scf.for
func.func @chained(%a: memref<128x32xbf16>, %b: memref<32x32xbf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  scf.for %i = %c0 to %c96 step %c32 {
    %next = affine.apply affine_map<(i) -> (i + 32)>(%i)
    %x = memref.subview %a[%i, 0] [32, 32] [1, 1] : memref<128x32xbf16> to memref<32x32xbf16, strided<[32, 1], offset: ?>>
    %z = memref.subview %a[%next, 0] [32, 32] [1, 1] : memref<128x32xbf16> to memref<32x32xbf16, strided<[32, 1], offset: ?>>
    linalg.matmul ins(%x, %b : memref<32x32xbf16, strided<[32, 1], offset: ?>>, memref<32x32xbf16>) outs(%z : memref<32x32xbf16, strided<[32, 1], offset: ?>>)
  }
  return
}

// -----

// A view of what is written, and tiles that overlap or leave gaps.
// CHECK-LABEL: func.func @aliased(
// CHECK:         scf.for
// CHECK-LABEL: func.func @overlapping(
// CHECK:         scf.for
!t = memref<32x32xbf16, strided<[32, 1], offset: ?>>
func.func @aliased(%a: memref<96x32xbf16>, %d: memref<96x32xbf16>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c96 = arith.constant 96 : index
  %b = memref.subview %d[32, 0] [32, 32] [1, 1] : memref<96x32xbf16> to memref<32x32xbf16, strided<[32, 1], offset: 1024>>
  scf.for %i = %c0 to %c96 step %c32 {
    %x = memref.subview %a[%i, 0] [32, 32] [1, 1] : memref<96x32xbf16> to !t
    %z = memref.subview %d[%i, 0] [32, 32] [1, 1] : memref<96x32xbf16> to !t
    linalg.matmul ins(%x, %b : !t, memref<32x32xbf16, strided<[32, 1], offset: 1024>>) outs(%z : !t)
  }
  return
}
func.func @overlapping(%a: memref<96x32xbf16>, %b: memref<32x32xbf16>, %d: memref<96x32xbf16>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c16 {
    %x = memref.subview %a[%i, 0] [32, 32] [1, 1] : memref<96x32xbf16> to !t
    %z = memref.subview %d[%i, 0] [32, 32] [1, 1] : memref<96x32xbf16> to !t
    linalg.matmul ins(%x, %b : !t, memref<32x32xbf16>) outs(%z : !t)
  }
  return
}

// -----

// An operation that does not know of the loop is done once for each iteration, and
// an index of an operation counts from its tile.
// CHECK-LABEL: func.func @again(
// CHECK:         scf.for
// CHECK-LABEL: func.func @indices(
// CHECK:         scf.for
func.func @again(%a: memref<64x64xf32>, %d: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c32 {
    linalg.add ins(%a, %d : memref<64x64xf32>, memref<64x64xf32>) outs(%d : memref<64x64xf32>)
  }
  return
}
func.func @indices(%d: memref<64xi32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  scf.for %i = %c0 to %c64 step %c32 {
    %z = memref.subview %d[%i] [32] [1] : memref<64xi32> to memref<32xi32, strided<[1], offset: ?>>
    linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%z : memref<32xi32, strided<[1], offset: ?>>) {
    ^bb0(%o: i32):
      %at = linalg.index 0 : index
      %n = arith.index_cast %at : index to i32
      linalg.yield %n : i32
    }
  }
  return
}

// -----

// A constant of the loop that the body of an operation reads goes with it.
// CHECK-LABEL: func.func @captured(
// CHECK-NOT:     scf
// CHECK:         %[[TWO:.*]] = arith.constant 2.0
// CHECK:         linalg.generic {{.*}} ins(%arg0 : tensor<64xf32>)
// CHECK:           arith.mulf %{{.*}}, %[[TWO]]
#v = affine_map<(i) -> (i)>
func.func @captured(%a: tensor<64xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %r = scf.forall (%i) = (0) to (64) step (32) shared_outs(%o = %d) -> (tensor<64xf32>) {
    %two = arith.constant 2.0 : f32
    %x = tensor.extract_slice %a[%i] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %z = tensor.extract_slice %o[%i] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<32xf32>) outs(%z : tensor<32xf32>) {
    ^bb0(%e: f32, %f: f32):
      %m = arith.mulf %e, %two : f32
      linalg.yield %m : f32
    } -> tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i] [32] [1] : tensor<32xf32> into tensor<64xf32>
    }
  }
  return %r : tensor<64xf32>
}

// -----

// A value of one iteration that a body reads.
// CHECK-LABEL: func.func @captured_element(
// CHECK:         scf.forall
#v = affine_map<(i) -> (i)>
func.func @captured_element(%a: tensor<64xf32>, %d: tensor<64xf32>) -> tensor<64xf32> {
  %r = scf.forall (%i) = (0) to (64) step (32) shared_outs(%o = %d) -> (tensor<64xf32>) {
    %first = tensor.extract %a[%i] : tensor<64xf32>
    %x = tensor.extract_slice %a[%i] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %z = tensor.extract_slice %o[%i] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<32xf32>) outs(%z : tensor<32xf32>) {
    ^bb0(%e: f32, %f: f32):
      %m = arith.mulf %e, %first : f32
      linalg.yield %m : f32
    } -> tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i] [32] [1] : tensor<32xf32> into tensor<64xf32>
    }
  }
  return %r : tensor<64xf32>
}

// -----

// Two tiles of one output, and none of the other.
// CHECK-LABEL: func.func @twice_into_one(
// CHECK:         scf.forall
func.func @twice_into_one(%a: tensor<64xf32>, %d: tensor<64xf32>, %e: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %r:2 = scf.forall (%i) = (0) to (64) step (32) shared_outs(%o = %d, %p = %e) -> (tensor<64xf32>, tensor<64xf32>) {
    %x = tensor.extract_slice %a[%i] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %z = tensor.extract_slice %o[%i] [32] [1] : tensor<64xf32> to tensor<32xf32>
    %y = linalg.exp ins(%x : tensor<32xf32>) outs(%z : tensor<32xf32>) -> tensor<32xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%i] [32] [1] : tensor<32xf32> into tensor<64xf32>
      tensor.parallel_insert_slice %y into %o[%i] [32] [1] : tensor<32xf32> into tensor<64xf32>
    }
  }
  return %r#0, %r#1 : tensor<64xf32>, tensor<64xf32>
}

// -----

// The sums of each part are zeros before: none of them is what the loop carries.
// CHECK-LABEL: func.func @parts_of_k(
// CHECK:         scf.for
func.func @parts_of_k(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>, %d: tensor<64x64xf32>, %zeros: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c128 = arith.constant 128 : index
  %r = scf.for %k = %c0 to %c128 step %c32 iter_args(%acc = %d) -> tensor<64x64xf32> {
    %x = tensor.extract_slice %a[0, %k] [64, 32] [1, 1] : tensor<64x128xbf16> to tensor<64x32xbf16>
    %y = tensor.extract_slice %b[%k, 0] [32, 64] [1, 1] : tensor<128x64xbf16> to tensor<32x64xbf16>
    %n = linalg.matmul ins(%x, %y : tensor<64x32xbf16>, tensor<32x64xbf16>) outs(%zeros : tensor<64x64xf32>) -> tensor<64x64xf32>
    %s = linalg.add ins(%acc, %n : tensor<64x64xf32>, tensor<64x64xf32>) outs(%acc : tensor<64x64xf32>) -> tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}
