// RUN: tc-opt %s --mlir-print-local-scope --convert-linalg-to-rows | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>

// A size of a result is that of an operand, and does not keep operations apart.
// CHECK-LABEL: func.func @sizes(
// CHECK-NOT:     linalg.
// CHECK:         %[[Y:.*]] = tmm.rows ins(%{{.*}} : tensor<?x?xf32>) outs(%{{.*}} : tensor<?x?xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>] {
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32):
// CHECK-NEXT:      %[[SUM:.*]] = tmm.row_reduce <add> %[[IN]] : f32
// CHECK:           tmm.yield %[[SUM]] : f32
// CHECK:         return %[[Y]]
func.func @sizes(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %one = tensor.empty(%m) : tensor<?xf32>
  %start = linalg.fill ins(%zero : f32) outs(%one : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.reduce ins(%x : tensor<?x?xf32>) outs(%start : tensor<?xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  %k = tensor.dim %sum, %c0 : tensor<?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%k, %n) : tensor<?x?xf32>
  %all = linalg.broadcast ins(%sum : tensor<?xf32>) outs(%e : tensor<?x?xf32>) dimensions = [1]
  return %all : tensor<?x?xf32>
}

// Dimensions of one element come and go; who reads a view outside gets a view of an output.
// CHECK-LABEL: func.func @views(
// CHECK-SAME:    %[[X:.*]]: tensor<8x1x64xf32>)
// CHECK:         %[[Y:.*]]:2 = tmm.rows ins(%[[X]] : tensor<8x1x64xf32>) outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8x64xf32>)
// CHECK-SAME:      maps [affine_map<(d0, d1) -> (d0, 0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>] {
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32):
// CHECK:           %[[SUM:.*]] = tmm.row_reduce <add> %[[IN]] : f32
// CHECK:           %[[OUT:.*]] = arith.divf %[[IN]], %[[SUM]]
// CHECK:           tmm.yield %[[SUM]], %[[OUT]] : f32, f32
// CHECK:         %[[KEEP:.*]] = tensor.expand_shape %[[Y]]#0
// CHECK:         return %[[Y]]#1, %[[KEEP]]
func.func @views(%x: tensor<8x1x64xf32>) -> (tensor<8x64xf32>, tensor<8x1xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %one = tensor.empty() : tensor<8xf32>
  %a = tensor.collapse_shape %x [[0, 1], [2]] : tensor<8x1x64xf32> into tensor<8x64xf32>
  %start = linalg.fill ins(%zero : f32) outs(%one : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce ins(%a : tensor<8x64xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
    (%in: f32, %acc: f32) {
      %0 = arith.addf %in, %acc : f32
      linalg.yield %0 : f32
    }
  %keep = tensor.expand_shape %sum [[0, 1]] output_shape [8, 1] : tensor<8xf32> into tensor<8x1xf32>
  %y = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (d0, 0)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%a, %keep : tensor<8x64xf32>, tensor<8x1xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%p: f32, %q: f32, %o: f32):
    %0 = arith.divf %p, %q : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  return %y, %keep : tensor<8x64xf32>, tensor<8x1xf32>
}
