// RUN: tc-opt %s --split-input-file --mlir-print-local-scope --convert-linalg-to-rows | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>

// A concatenation is where its parts are: what is computed of a part is computed there.
// CHECK-LABEL: func.func @rotary(
// CHECK-DAG:     %[[A:.*]] = tensor.extract_slice %{{.*}}[0, 0]
// CHECK-DAG:     %[[B:.*]] = tensor.extract_slice %{{.*}}[0, 32]
// CHECK:         tmm.rows ins(%[[A]], %[[B]], %{{.*}} : tensor<?x32xf32>, tensor<?x32xf32>, tensor<?x64xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, d1 - 32)>, affine_map<(d0, d1) -> (d0, d1)>,
// CHECK-SAME:      pieces [array<i64: 1>, array<i64: 1>, array<i64>] {
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32, %[[S:.*]]: f32):
// CHECK:           %[[INDEX:.*]] = tmm.row_index 1
// CHECK:           %[[AT:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK:           %[[IS:.*]] = arith.cmpi uge, %[[AT]], %c32_i32
// CHECK:           %[[N:.*]] = arith.negf %[[Y]]
// CHECK:           %[[E:.*]] = arith.select %[[IS]], %[[X]], %[[N]] : f32
// CHECK:           arith.mulf %[[E]], %[[S]]
func.func @rotary(%x: tensor<?x64xf32>, %sin: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %a = tensor.extract_slice %x[0, 0] [%m, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %b = tensor.extract_slice %x[0, 32] [%m, 32] [1, 1] : tensor<?x64xf32> to tensor<?x32xf32>
  %e = tensor.empty(%m) : tensor<?x32xf32>
  %n = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%b : tensor<?x32xf32>) outs(%e : tensor<?x32xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<?x32xf32>
  %f = tensor.empty(%m) : tensor<?x64xf32>
  %i = tensor.insert_slice %n into %f[0, 0] [%m, 32] [1, 1] : tensor<?x32xf32> into tensor<?x64xf32>
  %j = tensor.insert_slice %a into %i[0, 32] [%m, 32] [1, 1] : tensor<?x32xf32> into tensor<?x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%j, %sin : tensor<?x64xf32>, tensor<?x64xf32>) outs(%f : tensor<?x64xf32>) {
  ^bb0(%in: f32, %s: f32, %o: f32):
    %0 = arith.mulf %in, %s : f32
    linalg.yield %0 : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// -----

// A copy of each part would be a kernel. Along rows it is the same.
// CHECK-LABEL: func.func @concatenation(
// CHECK-NOT:     insert_slice
// CHECK:         tmm.rows ins(%{{.*}}, %{{.*}} : tensor<3x40xbf16>, tensor<8x40xbf16>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0 - 8, d1)>, affine_map<(d0, d1) -> (d0, d1)>,
// CHECK-SAME:      pieces [array<i64: 0>, array<i64: 0>]
// CHECK:           tmm.row_index 0
func.func @concatenation(%x: tensor<8x40xbf16>, %y: tensor<3x40xbf16>) -> tensor<11x40xbf16> {
  %e = tensor.empty() : tensor<11x40xbf16>
  %i = tensor.insert_slice %x into %e[0, 0] [8, 40] [1, 1] : tensor<8x40xbf16> into tensor<11x40xbf16>
  %j = tensor.insert_slice %y into %i[8, 0] [3, 40] [1, 1] : tensor<3x40xbf16> into tensor<11x40xbf16>
  return %j : tensor<11x40xbf16>
}

// -----

// CHECK-LABEL: func.func @pad(
// CHECK-NOT:     tensor.pad
// CHECK:         tmm.rows ins(%{{.*}} : tensor<8x40xi8>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, d1 - 8)>, affine_map<(d0, d1) -> (d0, d1)>]
// CHECK-SAME:      pieces [array<i64: 1>]
// CHECK-DAG:       %[[AFTER:.*]] = arith.cmpi uge, %[[AT:.*]], %c8_i32
// CHECK-DAG:       %[[BEFORE:.*]] = arith.cmpi ult, %[[AT]], %c48_i32
// CHECK:           %[[IS:.*]] = arith.andi %[[AFTER]], %[[BEFORE]]
// CHECK:           arith.select %[[IS]], %{{.*}}, %c7_i8
func.func @pad(%x: tensor<8x40xi8>) -> tensor<8x64xi8> {
  %c = arith.constant 7 : i8
  %y = tensor.pad %x low[0, 8] high[0, 16] {
  ^bb0(%i: index, %j: index):
    tensor.yield %c : i8
  } : tensor<8x40xi8> to tensor<8x64xi8>
  return %y : tensor<8x64xi8>
}

// -----

// As StableHLO lowers it.
// CHECK-LABEL: func.func @branches(
// CHECK:         tmm.rows ins(%{{.*}}, %{{.*}} : tensor<8x24xf32>, tensor<8x40xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1 - 24)>,
// CHECK-SAME:      pieces [array<i64: 1>, array<i64: 1>]
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[Y:.*]]: f32):
// CHECK:           arith.select %{{.*}}, %[[X]], %[[Y]]
func.func @branches(%x: tensor<8x24xf32>, %y: tensor<8x40xf32>) -> tensor<8x64xf32> {
  %c24 = arith.constant 24 : index
  %e = tensor.empty() : tensor<8x64xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%e : tensor<8x64xf32>) {
  ^bb0(%o: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %c = arith.cmpi ult, %j, %c24 : index
    %v = scf.if %c -> (f32) {
      %a = tensor.extract %x[%i, %j] : tensor<8x24xf32>
      scf.yield %a : f32
    } else {
      %k = arith.subi %j, %c24 : index
      %a = tensor.extract %y[%i, %k] : tensor<8x40xf32>
      scf.yield %a : f32
    }
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  return %r : tensor<8x64xf32>
}

// -----

#all = affine_map<(d0, d1) -> (d0, d1)>
// What others see is read where it is written.
// CHECK-LABEL: func.func @into_argument(
// CHECK:         %[[INTO:.*]] = tensor.insert_slice
// CHECK:         linalg.generic
// CHECK-SAME:      ins(%[[INTO]] :
func.func @into_argument(%x: tensor<8x24xf32>, %cache: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %e = tensor.empty() : tensor<8x64xf32>
  %i = tensor.insert_slice %x into %cache[0, 8] [8, 24] [1, 1] : tensor<8x24xf32> into tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%i : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%in: f32, %o: f32):
    %0 = arith.negf %in : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// An operation may write to its part of the whole.
// CHECK-LABEL: func.func @written_in_place(
// CHECK-NOT:     tmm.rows
// CHECK:         return
func.func @written_in_place(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>) -> tensor<128x64xf32> {
  %zero = arith.constant 0.0 : f32
  %t = tensor.empty() : tensor<64x64xf32>
  %z = linalg.fill ins(%zero : f32) outs(%t : tensor<64x64xf32>) -> tensor<64x64xf32>
  %p = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%z : tensor<64x64xf32>) -> tensor<64x64xf32>
  %e = tensor.empty() : tensor<128x64xf32>
  %i = tensor.insert_slice %p into %e[0, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<128x64xf32>
  %j = tensor.insert_slice %a into %i[64, 0] [64, 64] [1, 1] : tensor<64x64xf32> into tensor<128x64xf32>
  return %j : tensor<128x64xf32>
}

// -----

// Parts along two dimensions of rows: only those of tiles can be outside.
// CHECK-LABEL: func.func @two_dimensions(
// CHECK-NOT:     tmm.rows
// CHECK:         return
func.func @two_dimensions(%x: tensor<4x6x40xf32>) -> tensor<8x8x40xf32> {
  %c = arith.constant 0.0 : f32
  %y = tensor.pad %x low[2, 1, 0] high[2, 1, 0] {
  ^bb0(%i: index, %j: index, %k: index):
    tensor.yield %c : f32
  } : tensor<4x6x40xf32> to tensor<8x8x40xf32>
  return %y : tensor<8x8x40xf32>
}

// -----

// Sizes of parts do not say how many columns there are: they are put together by a kernel of their own.
// CHECK-LABEL: func.func @sum(
// CHECK-NOT:     tensor.insert_slice
// CHECK:         %[[ALL:.*]] = tmm.rows ins(%{{.*}}, %{{.*}} : tensor<8x32xf32>, tensor<8x16xf32>)
// CHECK-SAME:      pieces
// CHECK:         tmm.rows ins(%[[ALL]] : tensor<8x48xf32>)
func.func @sum(%x: tensor<8x16xf32>, %y: tensor<8x32xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x48xf32>
  %i = tensor.insert_slice %x into %e[0, 0] [8, 16] [1, 1] : tensor<8x16xf32> into tensor<8x48xf32>
  %j = tensor.insert_slice %y into %i[0, 16] [8, 32] [1, 1] : tensor<8x32xf32> into tensor<8x48xf32>
  %o = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  %r = linalg.reduce { arith.addf } ins(%j : tensor<8x48xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
  return %r : tensor<8xf32>
}

// -----

#heads = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
// Heads in another order are read where they are, by parts, too.
// CHECK-LABEL: func.func @heads(
// CHECK-SAME:    %[[X:.*]]: tensor<16x4x64xf32>
// CHECK-NOT:     linalg.
// CHECK:         tmm.rows ins(%[[X]], %[[X]], %[[X]] :
// CHECK-SAME:      maps [affine_map<(d0, d1, d2) -> (d1, d0, d2 - 32)>, affine_map<(d0, d1, d2) -> (d1, d0, d2 + 32)>, affine_map<(d0, d1, d2) -> (d1, d0, d2)>,
// CHECK-SAME:      pieces [array<i64: 2>, array<i64: 2>, array<i64>]
func.func @heads(%x: tensor<16x4x64xf32>) -> tensor<4x16x64xf32> {
  %e = tensor.empty() : tensor<4x16x64xf32>
  %h = linalg.transpose ins(%x : tensor<16x4x64xf32>) outs(%e : tensor<4x16x64xf32>) permutation = [1, 0, 2]
  %a = tensor.extract_slice %h[0, 0, 0] [4, 16, 32] [1, 1, 1] : tensor<4x16x64xf32> to tensor<4x16x32xf32>
  %b = tensor.extract_slice %h[0, 0, 32] [4, 16, 32] [1, 1, 1] : tensor<4x16x64xf32> to tensor<4x16x32xf32>
  %i = tensor.insert_slice %b into %e[0, 0, 0] [4, 16, 32] [1, 1, 1] : tensor<4x16x32xf32> into tensor<4x16x64xf32>
  %j = tensor.insert_slice %a into %i[0, 0, 32] [4, 16, 32] [1, 1, 1] : tensor<4x16x32xf32> into tensor<4x16x64xf32>
  %y = linalg.generic {indexing_maps = [#heads, #heads, #heads], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%h, %j : tensor<4x16x64xf32>, tensor<4x16x64xf32>) outs(%e : tensor<4x16x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.mulf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<4x16x64xf32>
  return %y : tensor<4x16x64xf32>
}

// -----

// A part of a size that the run alone knows may be shorter than what it is written into.
// CHECK-LABEL: func.func @shorter(
// CHECK:         tensor.insert_slice
// CHECK-NOT:     pieces
// CHECK:         return
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @shorter(%a: tensor<?x4xf32>, %b: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %a, %c0 : tensor<?x4xf32>
  %n = tensor.dim %b, %c0 : tensor<?x4xf32>
  %z = arith.constant -1.0 : f32
  %e = tensor.empty(%n) : tensor<?x4xf32>
  %0 = linalg.fill ins(%z : f32) outs(%e : tensor<?x4xf32>) -> tensor<?x4xf32>
  %1 = tensor.insert_slice %a into %0[0, 0] [%m, 4] [1, 1] : tensor<?x4xf32> into tensor<?x4xf32>
  %2 = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%1, %b : tensor<?x4xf32>, tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
  ^bb0(%x: f32, %y: f32, %c: f32):
    %q = arith.addf %x, %y : f32
    linalg.yield %q : f32
  } -> tensor<?x4xf32>
  return %2 : tensor<?x4xf32>
}

// -----

// A loop may count fewer elements than there are.
// CHECK-LABEL: func.func @fewer(
// CHECK-NOT:     tmm.rows
// CHECK:         tensor.extract
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @fewer(%x: tensor<?x16xf32>, %y: tensor<?x8xf32>) -> tensor<?x8xf32> {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %y, %c0 : tensor<?x8xf32>
  %o = tensor.empty(%n) : tensor<?x8xf32>
  %r = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%y : tensor<?x8xf32>) outs(%o : tensor<?x8xf32>) {
  ^bb0(%l: f32, %c: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %v = tensor.extract %x[%i, %j] : tensor<?x16xf32>
    %w = arith.addf %v, %l : f32
    linalg.yield %w : f32
  } -> tensor<?x8xf32>
  return %r : tensor<?x8xf32>
}

// -----

// What would read another tensor outside of its part is computed first.
// CHECK-LABEL: func.func @reads(
// CHECK:         tensor.extract
// CHECK-NOT:     pieces
// CHECK:         return
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @reads(%x: tensor<4x8xf32>, %w: tensor<4x20xf32>, %l: tensor<4x8xi64>) -> tensor<4x16xf32> {
  %e = tensor.empty() : tensor<4x8xf32>
  %t = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %l : tensor<4x8xf32>, tensor<4x8xi64>) outs(%e : tensor<4x8xf32>) {
  ^bb0(%a: f32, %q: i64, %c: f32):
    %z = arith.constant 0.0 : f32
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %at = arith.index_cast %q : i64 to index
    %p = arith.cmpf ogt, %a, %z : f32
    %r = scf.if %p -> f32 {
      %v = tensor.extract %w[%i, %at] : tensor<4x20xf32>
      scf.yield %v : f32
    } else {
      scf.yield %a : f32
    }
    linalg.yield %r : f32
  } -> tensor<4x8xf32>
  %f = tensor.empty() : tensor<4x16xf32>
  %i = tensor.insert_slice %x into %f[0, 0] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  %j = tensor.insert_slice %t into %i[0, 8] [4, 8] [1, 1] : tensor<4x8xf32> into tensor<4x16xf32>
  return %j : tensor<4x16xf32>
}

// -----

// One head of some: its place is no sum.
// CHECK-LABEL: func.func @one_head(
// CHECK:         tensor.extract_slice %{{.*}}[0, 3, 0] [4, 1, 8]
// CHECK:         return
#in = affine_map<(d0, d1, d2) -> (d1, d0, d2)>
#id = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
func.func @one_head(%x: tensor<?x4x16xf32>) -> (tensor<4xf32>, tensor<4x1x16xf32>) {
  %cc = arith.constant 0 : index
  %dd = tensor.dim %x, %cc : tensor<?x4x16xf32>
  %e = tensor.empty(%dd) : tensor<4x?x16xf32>
  %t = linalg.generic {indexing_maps = [#in, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x : tensor<?x4x16xf32>) outs(%e : tensor<4x?x16xf32>) {
  ^bb0(%a: f32, %c: f32):
    linalg.yield %a : f32
  } -> tensor<4x?x16xf32>
  %a = tensor.extract_slice %t[0, 3, 0] [4, 1, 8] [1, 1, 1] : tensor<4x?x16xf32> to tensor<4x1x8xf32>
  %b = tensor.extract_slice %t[0, 3, 8] [4, 1, 8] [1, 1, 1] : tensor<4x?x16xf32> to tensor<4x1x8xf32>
  %f = tensor.empty() : tensor<4x1x16xf32>
  %i = tensor.insert_slice %b into %f[0, 0, 0] [4, 1, 8] [1, 1, 1] : tensor<4x1x8xf32> into tensor<4x1x16xf32>
  %j = tensor.insert_slice %a into %i[0, 0, 8] [4, 1, 8] [1, 1, 1] : tensor<4x1x8xf32> into tensor<4x1x16xf32>
  %k = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%j : tensor<4x1x16xf32>) outs(%f : tensor<4x1x16xf32>) {
  ^bb0(%p: f32, %c: f32):
    %q = arith.mulf %p, %p : f32
    linalg.yield %q : f32
  } -> tensor<4x1x16xf32>
  %l = tensor.collapse_shape %k [[0, 1], [2]] : tensor<4x1x16xf32> into tensor<4x16xf32>
  %zero = arith.constant 0.0 : f32
  %o = tensor.empty() : tensor<4xf32>
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%l : tensor<4x16xf32>) outs(%start : tensor<4xf32>) {
  ^bb0(%p: f32, %c: f32):
    %q = arith.addf %p, %c : f32
    linalg.yield %q : f32
  } -> tensor<4xf32>
  return %sum, %k : tensor<4xf32>, tensor<4x1x16xf32>
}

// -----

// A condition that is known outside.
// CHECK-LABEL: func.func @known(
// CHECK-NOT:     scf.if
// CHECK:         tmm.rows
// CHECK:           %[[TRUE:.*]] = arith.constant true
// CHECK:           arith.select %[[TRUE]]
#all = affine_map<(d0, d1) -> (d0, d1)>
func.func @known(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  %true = arith.constant true
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %i = linalg.fill ins(%z : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%i : tensor<4xf32>) {
  ^bb0(%in: f32, %o: f32):
    %s = scf.if %true -> f32 {
      %q = arith.negf %in : f32
      scf.yield %q : f32
    } else {
      scf.yield %in : f32
    }
    %a = arith.addf %o, %s : f32
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// Concatenations of parts whose rows the run alone knows have the rows of the first.
// CHECK-LABEL: func.func @batch(
// CHECK-NOT:     tensor.insert_slice
// CHECK:         tmm.rows ins(%{{.*}}, %{{.*}} : tensor<?x16xf32>, tensor<?x8xf32>)
// CHECK-SAME:      pieces
func.func @batch(%x: tensor<?x8xf32>, %y: tensor<?x16xf32>) -> tensor<?x24xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x8xf32>
  %e = tensor.empty(%m) : tensor<?x24xf32>
  %i = tensor.insert_slice %x into %e[0, 0] [%m, 8] [1, 1] : tensor<?x8xf32> into tensor<?x24xf32>
  %j = tensor.insert_slice %y into %i[0, 8] [%m, 16] [1, 1] : tensor<?x16xf32> into tensor<?x24xf32>
  return %j : tensor<?x24xf32>
}
