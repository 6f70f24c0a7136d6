// RUN: tc-opt %s --mlir-print-local-scope --convert-linalg-to-rows | FileCheck %s

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0) -> (d0)>

// An element of each row at a label: nothing but the row is read.
// CHECK-LABEL: func.func @picked(
// CHECK:         tmm.rows ins(%{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<8xi64>) outs(%{{.*}} : tensor<8xf32>)
// CHECK-NEXT:    ^bb0(%[[X:.*]]: f32, %[[LABEL:.*]]: i64):
// CHECK:           %[[SUM:.*]] = tmm.row_reduce <add> %[[X]]
// CHECK:           %[[Y:.*]] = arith.subf %[[X]], %[[SUM]]
// CHECK:           %[[AT:.*]] = arith.index_cast %[[LABEL]] : i64 to index
// CHECK:           %[[E:.*]] = tmm.row_pick %[[Y]] at %[[AT]] : f32, index
// CHECK:           tmm.yield %[[E]]
func.func @picked(%x: tensor<8x64xf32>, %label: tensor<8xi64>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %o = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8x64xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (d0)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x64xf32>, tensor<8xf32>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32):
    %0 = arith.subf %a, %b : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  %r = linalg.generic {indexing_maps = [#row, #row], iterator_types = ["parallel"]}
      ins(%label : tensor<8xi64>) outs(%o : tensor<8xf32>) {
  ^bb0(%l: i64, %c: f32):
    %at = arith.index_cast %l : i64 to index
    %i = linalg.index 0 : index
    %v = tensor.extract %y[%i, %at] : tensor<8x64xf32>
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %r : tensor<8xf32>
}

// A row at an index is no column of the row: it stays what it is.
// CHECK-LABEL: func.func @embedding(
// CHECK:         tensor.extract
// CHECK-NOT:     tmm.rows
// CHECK:         return
func.func @embedding(%w: tensor<64x32xf32>, %label: tensor<8xi64>) -> tensor<8x32xf32> {
  %e = tensor.empty() : tensor<8x32xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%label : tensor<8xi64>) outs(%e : tensor<8x32xf32>) {
  ^bb0(%l: i64, %c: f32):
    %at = arith.index_cast %l : i64 to index
    %j = linalg.index 1 : index
    %v = tensor.extract %w[%at, %j] : tensor<64x32xf32>
    linalg.yield %v : f32
  } -> tensor<8x32xf32>
  return %r : tensor<8x32xf32>
}

// Beside columns, where the label is that of the row.
// CHECK-LABEL: func.func @beside_columns(
// CHECK:         tmm.rows ins(%{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<8xi64>) outs(%{{.*}}, %{{.*}} : tensor<8xf32>, tensor<8x64xf32>)
// CHECK:           tmm.row_reduce <add> %[[X:.*]] : f32
// CHECK:           %[[E:.*]] = tmm.row_pick %[[X]] at %{{.*}} : f32, index
// CHECK:           arith.subf %[[X]], %[[E]]
// A label for each element is no column of the row.
// CHECK-LABEL: func.func @label_of_elements(
// CHECK:         tmm.rows
// CHECK-NOT:     tmm.row_pick
// CHECK:         tensor.extract
func.func @beside_columns(%x: tensor<8x64xf32>, %label: tensor<8xi64>) -> (tensor<8xf32>, tensor<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %o = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8x64xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#all, affine_map<(d0, d1) -> (d0)>, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %label : tensor<8x64xf32>, tensor<8xi64>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %l: i64, %c: f32):
    %at = arith.index_cast %l : i64 to index
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i, %at] : tensor<8x64xf32>
    %0 = arith.subf %a, %v : f32
    linalg.yield %0 : f32
  } -> tensor<8x64xf32>
  return %sum, %y : tensor<8xf32>, tensor<8x64xf32>
}

func.func @label_of_elements(%x: tensor<8x64xf32>, %label: tensor<8x64xi64>) -> (tensor<8xf32>, tensor<8x64xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x64xf32>
  %o = tensor.empty() : tensor<8xf32>
  %start = linalg.fill ins(%zero : f32) outs(%o : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.reduce { arith.addf } ins(%x : tensor<8x64xf32>) outs(%start : tensor<8xf32>) dimensions = [1]
  %y = linalg.generic {indexing_maps = [#all, #all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %label : tensor<8x64xf32>, tensor<8x64xi64>) outs(%e : tensor<8x64xf32>) {
  ^bb0(%a: f32, %l: i64, %c: f32):
    %at = arith.index_cast %l : i64 to index
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i, %at] : tensor<8x64xf32>
    linalg.yield %v : f32
  } -> tensor<8x64xf32>
  return %sum, %y : tensor<8xf32>, tensor<8x64xf32>
}
