// RUN: tc-opt %s --convert-linalg-to-rows --cse | FileCheck %s

// The largest of what comes before NaN, and the first place that has it: a minimum of places. The value is not used.
// CHECK-LABEL: func.func @argmax(
// CHECK-SAME:    %[[X:.*]]: tensor<8x64xf32>)
// CHECK-NOT:     linalg.
// CHECK:         tmm.rows ins(%[[X]] : tensor<8x64xf32>) outs(%{{.*}} : tensor<8xi64>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: f32):
// CHECK-DAG:       %[[INDEX:.*]] = tmm.row_index 1
// CHECK-DAG:       %[[LEAST:.*]] = arith.constant 0xFF800000 : f32
// CHECK-DAG:       %[[ZERO:.*]] = arith.constant 0 : i64
// CHECK-DAG:       %[[AT:.*]] = arith.index_cast %[[INDEX]] : index to i32
// CHECK-DAG:       %[[NOWHERE:.*]] = arith.constant 2147483647 : i32
// CHECK:           %[[IS_NAN:.*]] = arith.cmpf uno, %[[IN]], %[[IN]]
// CHECK:           %[[NAN_AT:.*]] = arith.select %[[IS_NAN]], %[[AT]], %[[NOWHERE]]
// CHECK:           %[[NAN:.*]] = tmm.row_reduce <minsi> %[[NAN_AT]] : i32
// CHECK:           %[[BEFORE:.*]] = arith.cmpi slt, %[[AT]], %[[NAN]]
// CHECK:           %[[VALUE:.*]] = arith.select %[[BEFORE]], %[[IN]], %[[LEAST]]
// CHECK:           %[[BEST:.*]] = tmm.row_reduce <maxnumf> %[[VALUE]] : f32
// CHECK:           %[[EQUAL:.*]] = arith.cmpf oeq, %[[VALUE]], %[[BEST]]
// CHECK:           %[[BEST_AT:.*]] = arith.select %[[EQUAL]], %[[AT]], %[[NOWHERE]]
// CHECK:           %[[FIRST:.*]] = tmm.row_reduce <minsi> %[[BEST_AT]] : i32
// CHECK:           %[[PLACE:.*]] = arith.extsi %[[FIRST]] : i32 to i64
// CHECK:           %[[BEYOND:.*]] = arith.cmpf ogt, %[[BEST]], %[[LEAST]]
// CHECK:           %[[OUT:.*]] = arith.select %[[BEYOND]], %[[PLACE]], %[[ZERO]]
// CHECK:           tmm.yield %[[OUT]] : i64
func.func @argmax(%x: tensor<8x64xf32>) -> tensor<8xi64> {
  %zero = arith.constant 0 : i64
  %least = arith.constant 0xFF800000 : f32
  %values = tensor.empty() : tensor<8xf32>
  %v = linalg.fill ins(%least : f32) outs(%values : tensor<8xf32>) -> tensor<8xf32>
  %places = tensor.empty() : tensor<8xi64>
  %p = linalg.fill ins(%zero : i64) outs(%places : tensor<8xi64>) -> tensor<8xi64>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xf32>) outs(%v, %p : tensor<8xf32>, tensor<8xi64>) {
  ^bb0(%in: f32, %old: f32, %at: i64):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i64
    %m = arith.maximumf %in, %old : f32
    %g = arith.cmpf ogt, %in, %old : f32
    %s = arith.select %g, %j, %at : i64
    linalg.yield %m, %s : f32, i64
  } -> (tensor<8xf32>, tensor<8xi64>)
  return %r#1 : tensor<8xi64>
}

// Of integers, with the place first and the sides of the comparison exchanged.
// CHECK-LABEL: func.func @argmin(
// CHECK:         tmm.rows {{.*}} outs(%{{.*}}, %{{.*}} : tensor<8xi32>, tensor<8xi32>)
// CHECK-NEXT:    ^bb0(%[[IN:.*]]: i32):
// CHECK-NOT:       arith.cmpf
// CHECK:           %[[BEST:.*]] = tmm.row_reduce <minsi> %[[IN]] : i32
// CHECK:           arith.cmpi eq, %[[IN]], %[[BEST]]
// CHECK:           %[[PLACE:.*]] = tmm.row_reduce <minsi> %{{.*}} : i32
// CHECK:           %[[BEYOND:.*]] = arith.cmpi slt, %[[BEST]], %{{.*}}
// CHECK:           %[[OUT:.*]] = arith.select %[[BEYOND]], %[[PLACE]], %{{.*}}
// CHECK:           tmm.yield %[[OUT]], %[[BEST]] : i32, i32
func.func @argmin(%x: tensor<8x64xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %zero = arith.constant 0 : i32
  %most = arith.constant 2147483647 : i32
  %values = tensor.empty() : tensor<8xi32>
  %v = linalg.fill ins(%most : i32) outs(%values : tensor<8xi32>) -> tensor<8xi32>
  %p = linalg.fill ins(%zero : i32) outs(%values : tensor<8xi32>) -> tensor<8xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xi32>) outs(%p, %v : tensor<8xi32>, tensor<8xi32>) {
  ^bb0(%in: i32, %at: i32, %old: i32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %m = arith.minsi %in, %old : i32
    %g = arith.cmpi sgt, %old, %in : i32
    %s = arith.select %g, %j, %at : i32
    linalg.yield %s, %m : i32, i32
  } -> (tensor<8xi32>, tensor<8xi32>)
  return %r#0, %r#1 : tensor<8xi32>, tensor<8xi32>
}

// What it starts from may be a constant as well as a fill.
// CHECK-LABEL: func.func @constants(
// CHECK:         tmm.rows ins(%{{.*}} : tensor<8x64xi32>) outs(%{{.*}}, %{{.*}} : tensor<8xi32>, tensor<8xi32>)
// CHECK-NEXT:    ^bb0(%{{.*}}: i32):
// CHECK-NOT:     linalg.
func.func @constants(%x: tensor<8x64xi32>) -> (tensor<8xi32>, tensor<8xi32>) {
  %p = arith.constant dense<0> : tensor<8xi32>
  %v = arith.constant dense<2147483647> : tensor<8xi32>
  %r:2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x64xi32>) outs(%p, %v : tensor<8xi32>, tensor<8xi32>) {
  ^bb0(%in: i32, %at: i32, %old: i32):
    %i = linalg.index 1 : index
    %j = arith.index_cast %i : index to i32
    %m = arith.minsi %in, %old : i32
    %g = arith.cmpi sgt, %old, %in : i32
    %s = arith.select %g, %j, %at : i32
    linalg.yield %s, %m : i32, i32
  } -> (tensor<8xi32>, tensor<8xi32>)
  return %r#0, %r#1 : tensor<8xi32>, tensor<8xi32>
}
