// RUN: tc-opt %s --tc-fuse-elementwise --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @chain(
// CHECK-COUNT-1: linalg.generic
// CHECK:         arith.mulf
// CHECK:         arith.addf
// CHECK-NOT:     linalg.generic
#m = affine_map<(i) -> (i)>
func.func @chain(%x: tensor<?xf32>, %e: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %a : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  %2 = linalg.generic {indexing_maps = [#m, #m, #m], iterator_types = ["parallel"]} ins(%0, %x : tensor<?xf32>, tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %1 = arith.addf %a, %b : f32
    linalg.yield %1 : f32
  } -> tensor<?xf32>
  return %2 : tensor<?xf32>
}

// -----

// The sizes of the reshape are computed after what it would move before.
// CHECK-LABEL: func.func @padded(
// CHECK:         tensor.pad
// CHECK:         arith.divsi
// CHECK:         tensor.expand_shape
func.func @padded(%x: tensor<?x?xf16>) -> tensor<?x2x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f16
  %n = tensor.dim %x, %c0 : tensor<?x?xf16>
  %k = tensor.dim %x, %c1 : tensor<?x?xf16>
  %p = tensor.pad %x low[0, 2] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %z : f16
  } : tensor<?x?xf16> to tensor<?x?xf16>
  %k4 = affine.apply affine_map<()[s0] -> (s0 + 4)>()[%k]
  %h = arith.divsi %n, %c2 : index
  %r = tensor.expand_shape %p [[0, 1], [2]] output_shape [%h, 2, %k4] : tensor<?x?xf16> into tensor<?x2x?xf16>
  return %r : tensor<?x2x?xf16>
}

// -----

// Places that an operation reads twice, after new dimensions of 1, are computed in it.
// CHECK-LABEL: func.func @places(
// CHECK-NOT:   tensor.expand_shape
// CHECK:       linalg.generic {{.*}} ins(%{{[a-z0-9]*}} : tensor<8x8xf32>)
// CHECK-DAG:     %[[J:.*]] = linalg.index 1 : index
// CHECK-DAG:     %[[I:.*]] = linalg.index 0 : index
// CHECK:         arith.subi
// CHECK:         arith.cmpi sle
// CHECK-NOT:   linalg.generic
#p = affine_map<(i) -> (i)>
#m = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (0, j)>
#c = affine_map<(i, j) -> (i, 0)>
func.func @places(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8xi64>
  %at = linalg.generic {indexing_maps = [#p], iterator_types = ["parallel"]} outs(%e : tensor<8xi64>) {
  ^bb0(%o: i64):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i64
    linalg.yield %n : i64
  } -> tensor<8xi64>
  %row = tensor.expand_shape %at [[0, 1]] output_shape [1, 8] : tensor<8xi64> into tensor<1x8xi64>
  %column = tensor.expand_shape %at [[0, 1]] output_shape [8, 1] : tensor<8xi64> into tensor<8x1xi64>
  %d = tensor.empty() : tensor<8x8xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : i64
  %y = linalg.generic {indexing_maps = [#m, #r, #c, #m], iterator_types = ["parallel", "parallel"]}
      ins(%x, %row, %column : tensor<8x8xf32>, tensor<1x8xi64>, tensor<8x1xi64>) outs(%d : tensor<8x8xf32>) {
  ^bb0(%a: f32, %j: i64, %i: i64, %o: f32):
    %difference = arith.subi %j, %i : i64
    %sees = arith.cmpi sle, %difference, %c0 : i64
    %r = arith.select %sees, %a, %zero : f32
    linalg.yield %r : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// -----

// CHECK-LABEL: func.func @empty_rows(
// CHECK:       %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:         arith.maximumf
// CHECK:       linalg.generic {{.*}} ins(%[[MAX]] : tensor<8xf32>) outs(%{{.*}} : tensor<8x1xi1>)
// CHECK:         arith.cmpf oeq, %{{.*}}, %{{.*}} : f32
// CHECK-NOT:   arith.andi
#m = affine_map<(i, j) -> (i, j)>
#v = affine_map<(i, j) -> (i)>
#u = affine_map<(i, j) -> (i, 0)>
func.func @empty_rows(%x: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8x1xi1>) {
  %low = arith.constant 0xFF800000 : f32
  %wide = arith.constant 0xFFF0000000000000 : f64
  %true = arith.constant true
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %max = linalg.generic {indexing_maps = [#m, #v], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %g = tensor.empty() : tensor<8x1xi1>
  %t = linalg.fill ins(%true : i1) outs(%g : tensor<8x1xi1>) -> tensor<8x1xi1>
  %all = linalg.generic {indexing_maps = [#m, #u], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%t : tensor<8x1xi1>) {
  ^bb0(%a: f32, %o: i1):
    %0 = arith.extf %a : f32 to f64
    %1 = arith.cmpf oeq, %0, %wide : f64
    %2 = arith.andi %1, %o : i1
    linalg.yield %2 : i1
  } -> tensor<8x1xi1>
  return %max, %all : tensor<8xf32>, tensor<8x1xi1>
}

// -----

// Not that all are +infinity, and not where the largest is of something else.
// CHECK-LABEL: func.func @other_rows(
// CHECK-COUNT-2: arith.andi
#m = affine_map<(i, j) -> (i, j)>
#v = affine_map<(i, j) -> (i)>
func.func @other_rows(%x: tensor<8x16xf32>, %y: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8xi1>, tensor<8xi1>) {
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %true = arith.constant true
  %e = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%low : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %max = linalg.generic {indexing_maps = [#m, #v], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.maximumf %a, %o : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  %g = tensor.empty() : tensor<8xi1>
  %t = linalg.fill ins(%true : i1) outs(%g : tensor<8xi1>) -> tensor<8xi1>
  %all = linalg.generic {indexing_maps = [#m, #v], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x16xf32>) outs(%t : tensor<8xi1>) {
  ^bb0(%a: f32, %o: i1):
    %1 = arith.cmpf oeq, %a, %high : f32
    %2 = arith.andi %1, %o : i1
    linalg.yield %2 : i1
  } -> tensor<8xi1>
  %others = linalg.generic {indexing_maps = [#m, #v], iterator_types = ["parallel", "reduction"]}
      ins(%y : tensor<8x16xf32>) outs(%t : tensor<8xi1>) {
  ^bb0(%a: f32, %o: i1):
    %1 = arith.cmpf oeq, %a, %low : f32
    %2 = arith.andi %1, %o : i1
    linalg.yield %2 : i1
  } -> tensor<8xi1>
  return %max, %all, %others : tensor<8xf32>, tensor<8xi1>, tensor<8xi1>
}

// -----

// An operation whose only result nobody reads is dropped.
// CHECK-LABEL: func.func @unread(
// CHECK-NOT: linalg.generic
#v = affine_map<(i) -> (i)>
func.func @unread(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %0 = arith.negf %a : f32
    linalg.yield %0 : f32
  } -> tensor<8xf32>
  return %x : tensor<8xf32>
}

// -----

// A table of cosines stays one.
// CHECK-LABEL: func.func @table(
// CHECK:       math.cos
// CHECK:       tensor.expand_shape
// CHECK:       linalg.generic
// CHECK-NOT:   math.cos
#p = affine_map<(i) -> (i)>
#m = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (0, j)>
#c = affine_map<(i, j) -> (i, 0)>
func.func @table(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %at = linalg.generic {indexing_maps = [#p], iterator_types = ["parallel"]} outs(%e : tensor<8xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %n = arith.index_cast %i : index to i32
    %f = arith.sitofp %n : i32 to f32
    %cos = math.cos %f : f32
    linalg.yield %cos : f32
  } -> tensor<8xf32>
  %row = tensor.expand_shape %at [[0, 1]] output_shape [1, 8] : tensor<8xf32> into tensor<1x8xf32>
  %column = tensor.expand_shape %at [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %d = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#m, #r, #c, #m], iterator_types = ["parallel", "parallel"]}
      ins(%x, %row, %column : tensor<8x8xf32>, tensor<1x8xf32>, tensor<8x1xf32>) outs(%d : tensor<8x8xf32>) {
  ^bb0(%a: f32, %j: f32, %i: f32, %o: f32):
    %0 = arith.mulf %a, %j : f32
    %1 = arith.addf %0, %i : f32
    linalg.yield %1 : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
