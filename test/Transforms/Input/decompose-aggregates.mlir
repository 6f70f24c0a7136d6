// RUN: tc-opt %s --tc-decompose-aggregates | FileCheck %s
// RUN: not tc-opt %S/Inputs/scatter.mlir --tc-decompose-aggregates 2>&1 | FileCheck %s --check-prefix=SCATTER
// RUN: not tc-opt %S/Inputs/pad-of-nothing.mlir --tc-decompose-aggregates 2>&1 | FileCheck %s --check-prefix=LEFT
// LEFT: :2:8: error: 'tensor.pad' op cannot be described: expected a padding that leaves out at most the 3 elements of dimension 0, got 4
// SCATTER: :5:8: error: 'tensor.scatter' op cannot be described: expected a result each of whose elements is computed from what it reads, as by linalg.generic with tensor.extract

// CHECK-LABEL: func.func @softmax(
// CHECK-NOT:     linalg.softmax
// CHECK:         %[[MAX:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]
// CHECK:           arith.maxnumf
// CHECK:         %[[EXP:.*]] = linalg.generic {{.*}} ins(%arg0, %[[MAX]]
// CHECK:           math.exp
// CHECK:         %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]{{.*}} ins(%[[EXP]]
// CHECK:           arith.addf
// CHECK:         linalg.generic {{.*}} ins(%[[EXP]], %[[SUM]]
// CHECK:           arith.divf
func.func @softmax(%x: tensor<64x100xf32>) -> tensor<64x100xf32> {
  %e = tensor.empty() : tensor<64x100xf32>
  %s = linalg.softmax dimension(1) ins(%x : tensor<64x100xf32>) outs(%e : tensor<64x100xf32>) -> tensor<64x100xf32>
  return %s : tensor<64x100xf32>
}

// CHECK-LABEL: func.func @concat(
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %arg0 into %{{.*}}[0, 0] [64, 100] [1, 1]
// CHECK:         tensor.insert_slice %arg1 into %[[FIRST]][0, 100] [64, 28] [1, 1]
func.func @concat(%x: tensor<64x100xf32>, %y: tensor<64x28xf32>) -> tensor<64x128xf32> {
  %s = tensor.concat dim(1) %x, %y : (tensor<64x100xf32>, tensor<64x28xf32>) -> tensor<64x128xf32>
  return %s : tensor<64x128xf32>
}

// All parts have the rows of the first, as the same value.
// CHECK-LABEL: func.func @concat_dynamic(
// CHECK:         %[[ROWS:.*]] = tensor.dim %arg0,
// CHECK:         %[[ALL:.*]] = tensor.empty(%[[ROWS]]) : tensor<?x24xf32>
// CHECK:         %[[FIRST:.*]] = tensor.insert_slice %arg0 into %[[ALL]][0, 0] [%[[ROWS]], 8] [1, 1]
// CHECK:         tensor.insert_slice %arg1 into %[[FIRST]][0, 8] [%[[ROWS]], 16] [1, 1]
func.func @concat_dynamic(%x: tensor<?x8xf32>, %y: tensor<?x16xf32>) -> tensor<?x24xf32> {
  %s = tensor.concat dim(1) %x, %y : (tensor<?x8xf32>, tensor<?x16xf32>) -> tensor<?x24xf32>
  return %s : tensor<?x24xf32>
}

// A size that one part has counts for the others.
// CHECK-LABEL: func.func @concat_cast(
// CHECK:         %[[CAST:.*]] = tensor.cast %arg0 : tensor<?x?xf32> to tensor<9x?xf32>
// CHECK:         tensor.insert_slice %[[CAST]] into %{{.*}}[0, 0] [9, %{{.*}}] [1, 1]
// CHECK:         tensor.insert_slice %arg1 into %{{.*}}[0, %{{.*}}] [9, 4] [1, 1]
func.func @concat_cast(%x: tensor<?x?xf32>, %y: tensor<9x4xf32>) -> tensor<9x?xf32> {
  %s = tensor.concat dim(1) %x, %y : (tensor<?x?xf32>, tensor<9x4xf32>) -> tensor<9x?xf32>
  return %s : tensor<9x?xf32>
}

// CHECK-LABEL: func.func @pack(
// CHECK:         %[[PAD:.*]] = tensor.pad %arg0 low[0, 0] high[4, 0]
// CHECK:         %[[PARTS:.*]] = tensor.expand_shape %[[PAD]] {{\[}}[0, 1], [2, 3]] output_shape [4, 16, 6, 8] : tensor<64x48xbf16> into tensor<4x16x6x8xbf16>
// CHECK:         linalg.transpose ins(%[[PARTS]] : {{.*}} permutation = [0, 2, 1, 3]
func.func @pack(%x: tensor<60x48xbf16>, %pad: bf16) -> tensor<4x6x16x8xbf16> {
  %e = tensor.empty() : tensor<4x6x16x8xbf16>
  %p = linalg.pack %x padding_value(%pad : bf16) inner_dims_pos = [0, 1] inner_tiles = [16, 8] into %e : tensor<60x48xbf16> -> tensor<4x6x16x8xbf16>
  return %p : tensor<4x6x16x8xbf16>
}

// CHECK-LABEL: func.func @unpack(
// CHECK:         %[[ROWS:.*]] = linalg.transpose ins(%arg0 : {{.*}} permutation = [0, 2, 1, 3]
// CHECK:         %[[WHOLE:.*]] = tensor.collapse_shape %[[ROWS]] {{\[}}[0, 1], [2, 3]] : tensor<4x16x6x8xbf16> into tensor<64x48xbf16>
// CHECK:         tensor.extract_slice %[[WHOLE]][0, 0] [60, 48] [1, 1]
func.func @unpack(%x: tensor<4x6x16x8xbf16>) -> tensor<60x48xbf16> {
  %e = tensor.empty() : tensor<60x48xbf16>
  %u = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [16, 8] into %e : tensor<4x6x16x8xbf16> -> tensor<60x48xbf16>
  return %u : tensor<60x48xbf16>
}

// By sizes that are known in the run: those are one and one.
// CHECK-LABEL: func.func @reshape_by_sizes(
// CHECK-SAME:    %[[X:[^:]*]]: tensor<6x?xf32>, %[[SIZE:[^:]*]]: i64)
// CHECK:         cf.assert %{{.*}}, "tensor.reshape: dimension 2 of its result must be dimension 1 of its operand"
// CHECK:         %[[N:.*]] = arith.index_cast %[[SIZE]] : i64 to index
// CHECK:         tensor.expand_shape %[[X]] {{\[\[}}0, 1], [2]] output_shape [2, 3, %[[N]]] : tensor<6x?xf32> into tensor<2x3x?xf32>
func.func @reshape_by_sizes(%x: tensor<6x?xf32>, %n: i64) -> tensor<2x3x?xf32> {
  %two = arith.constant 2 : i64
  %three = arith.constant 3 : i64
  %shape = tensor.from_elements %two, %three, %n : tensor<3xi64>
  %r = tensor.reshape %x(%shape) : (tensor<6x?xf32>, tensor<3xi64>) -> tensor<2x3x?xf32>
  return %r : tensor<2x3x?xf32>
}

// CHECK-LABEL: func.func @reshape(
// CHECK:         %[[ALL:.*]] = tensor.collapse_shape %arg0 {{\[}}[0, 1]] : tensor<6x8xf32> into tensor<48xf32>
// CHECK:         tensor.expand_shape %[[ALL]] {{\[}}[0, 1, 2]] output_shape [4, 3, 4] : tensor<48xf32> into tensor<4x3x4xf32>
func.func @reshape(%x: tensor<6x8xf32>) -> tensor<4x3x4xf32> {
  %shape = arith.constant dense<[4, 3, 4]> : tensor<3xi64>
  %r = tensor.reshape %x(%shape) : (tensor<6x8xf32>, tensor<3xi64>) -> tensor<4x3x4xf32>
  return %r : tensor<4x3x4xf32>
}

// There are no patterns for memrefs.
// CHECK-LABEL: func.func @memrefs(
// CHECK:         linalg.softmax
func.func @memrefs(%x: memref<64x100xf32>, %y: memref<64x100xf32>) {
  linalg.softmax dimension(1) ins(%x : memref<64x100xf32>) outs(%y : memref<64x100xf32>)
  return
}

// CHECK-LABEL: func.func @gather(
// CHECK:         linalg.generic {{.*}} iterator_types = ["parallel", "parallel", "parallel"]
// CHECK-DAG:       %[[B:.*]] = linalg.index 0
// CHECK-DAG:       %[[I:.*]] = linalg.index 1
// CHECK-DAG:       %[[K:.*]] = linalg.index 2
// CHECK:           %[[P:.*]] = tensor.extract %arg1[%[[B]], %{{.*}}] : tensor<?x2xi64>
// CHECK:           %[[MIDDLE:.*]] = arith.index_cast %[[P]] : i64 to index
// CHECK:           %[[Q:.*]] = tensor.extract %arg1[%[[B]], %{{.*}}]
// CHECK:           %[[LAST:.*]] = arith.index_cast %[[Q]]
// CHECK:           tensor.extract %arg0[%[[I]], %[[MIDDLE]], %[[LAST]], %[[K]]]
func.func @gather(%t: tensor<7x?x6x?xf32>, %points: tensor<?x2xi64>) -> tensor<?x7x?xf32> {
  %g = tensor.gather %t[%points] gather_dims([1, 2]) : (tensor<7x?x6x?xf32>, tensor<?x2xi64>) -> tensor<?x7x?xf32>
  return %g : tensor<?x7x?xf32>
}

// CHECK-LABEL: func.func @negative_padding(
// CHECK-DAG:     %[[DIM:.*]] = tensor.dim %arg0, %c0
// CHECK-DAG:     %[[SIZE:.*]] = arith.subi %[[DIM]], %c3
// CHECK:         %[[KEPT:.*]] = tensor.extract_slice %arg0[1, 0] [%[[SIZE]], 5] [1, 1] : tensor<?x6xf32> to tensor<?x5xf32>
// CHECK:         tensor.pad %[[KEPT]] low[0, 3] high[0, 0]
// CHECK:         } : tensor<?x5xf32> to tensor<?x8xf32>
func.func @negative_padding(%x: tensor<?x6xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %p = tensor.pad %x low[-1, 3] high[-2, -1] {
  ^bb0(%i: index, %j: index):
    tensor.yield %zero : f32
  } : tensor<?x6xf32> to tensor<?x8xf32>
  return %p : tensor<?x8xf32>
}
