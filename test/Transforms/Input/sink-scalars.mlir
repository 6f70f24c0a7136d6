// RUN: tc-opt %s --tc-sink-scalars | FileCheck %s

#m = affine_map<(i, j) -> (i, j)>
#s = affine_map<() -> ()>

// A tensor without dimensions is an input, what is computed of it is in the body.
// CHECK-LABEL: func.func @memory(
// CHECK-SAME:    %[[X:.*]]: tensor<8x4xf16>, %[[S:.*]]: tensor<f32>
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[S]] : tensor<8x4xf16>, tensor<f32>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f16, %[[V:.*]]: f32, %{{.*}}: f16):
// CHECK-NEXT:      %[[H:.*]] = arith.truncf %[[V]] : f32 to f16
// CHECK-NEXT:      arith.mulf %[[A]], %[[H]]
func.func @memory(%x: tensor<8x4xf16>, %s: tensor<f32>) -> tensor<8x4xf16> {
  %v = tensor.extract %s[] : tensor<f32>
  %h = arith.truncf %v : f32 to f16
  %e = tensor.empty() : tensor<8x4xf16>
  %r = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf16>) outs(%e : tensor<8x4xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.mulf %a, %h : f16
    linalg.yield %1 : f16
  } -> tensor<8x4xf16>
  return %r : tensor<8x4xf16>
}

// The argument stays one, as the host passes floats of 32 bits.
// CHECK-LABEL: func.func @argument(
// CHECK-SAME:    , %[[S:.*]]: f32)
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<4xf16>)
// CHECK:           %[[H:.*]] = arith.truncf %[[S]] : f32 to f16
// CHECK-NEXT:      arith.mulf %{{.*}}, %[[H]]
func.func @argument(%x: tensor<4xf16>, %s: f32) -> tensor<4xf16> {
  %h = arith.truncf %s : f32 to f16
  %e = tensor.empty() : tensor<4xf16>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf16>) outs(%e : tensor<4xf16>) {
  ^bb0(%a: f16, %o: f16):
    %1 = arith.mulf %a, %h : f16
    linalg.yield %1 : f16
  } -> tensor<4xf16>
  return %r : tensor<4xf16>
}

// What is computed of constants is folded.
// CHECK-LABEL: func.func @constants(
// CHECK:         linalg.generic {{.*}} ins(%{{.*}} : tensor<8x4xf32>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f32, %{{.*}}: f32):
// CHECK:           %[[TRUE:.*]] = arith.constant true
// CHECK-NEXT:      arith.select %[[TRUE]], %[[A]]
func.func @constants(%x: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %z = arith.constant 0.0 : f32
  %n = arith.constant dense<64.0> : tensor<f32>
  %bit = tensor.empty() : tensor<i1>
  %c = linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%n : tensor<f32>) outs(%bit : tensor<i1>) {
  ^bb0(%a: f32, %o: i1):
    %1 = arith.cmpf ogt, %a, %z : f32
    linalg.yield %1 : i1
  } -> tensor<i1>
  %b = tensor.extract %c[] : tensor<i1>
  %nb = tensor.from_elements %b : tensor<i1>
  %b2 = tensor.extract %nb[] : tensor<i1>
  %e = tensor.empty() : tensor<8x4xf32>
  %r = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.select %b2, %a, %z : f32
    linalg.yield %1 : f32
  } -> tensor<8x4xf32>
  return %r : tensor<8x4xf32>
}

// An element at an index is read in the body; sizes stay on the host.
// CHECK-LABEL: func.func @element(
// CHECK:         %[[D:.*]] = tensor.dim
// CHECK:         %[[H:.*]] = arith.divsi %[[D]]
// CHECK:         linalg.generic
// CHECK:           tensor.extract %{{.*}}[%{{.*}}] : tensor<?xf32>
// CHECK:           arith.index_cast %[[H]]
func.func @element(%x: tensor<?xf32>, %t: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %h = arith.divsi %n, %c2 : index
  %v = tensor.extract %t[%h] : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<?xf32>) outs(%e : tensor<?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %v : f32
    %2 = arith.index_cast %h : index to i32
    %3 = arith.sitofp %2 : i32 to f32
    %4 = arith.addf %1, %3 : f32
    linalg.yield %4 : f32
  } -> tensor<?xf32>
  return %r : tensor<?xf32>
}

// An index that is in memory, too.
// CHECK-LABEL: func.func @index_in_memory(
// CHECK-SAME:    %{{.*}}: tensor<4xf32>, %[[T:.*]]: tensor<9xf32>, %[[I:.*]]: tensor<i32>
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[I]] : tensor<4xf32>, tensor<i32>)
// CHECK:         ^bb0(%{{.*}}: f32, %[[N:.*]]: i32, %{{.*}}: f32):
// CHECK-NEXT:      %[[AT:.*]] = arith.index_cast %[[N]] : i32 to index
// CHECK-NEXT:      tensor.extract %[[T]][%[[AT]]]
func.func @index_in_memory(%x: tensor<4xf32>, %t: tensor<9xf32>, %i: tensor<i32>) -> tensor<4xf32> {
  %n = tensor.extract %i[] : tensor<i32>
  %at = arith.index_cast %n : i32 to index
  %v = tensor.extract %t[%at] : tensor<9xf32>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %v : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}

// A point whose body has regions or several results stays one.
// CHECK-LABEL: func.func @branching(
// CHECK:         %[[P:.*]] = linalg.generic {{.*}} iterator_types = []
// CHECK:           scf.if
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %[[P]] : tensor<4xf32>, tensor<f32>)
func.func @branching(%x: tensor<4xf32>, %s: tensor<f32>) -> tensor<4xf32> {
  %z = arith.constant 0.0 : f32
  %e0 = tensor.empty() : tensor<f32>
  %p = linalg.generic {indexing_maps = [#s, #s], iterator_types = []} ins(%s : tensor<f32>) outs(%e0 : tensor<f32>) {
  ^bb0(%a: f32, %o: f32):
    %c = arith.cmpf ogt, %a, %z : f32
    %1 = scf.if %c -> f32 {
      scf.yield %a : f32
    } else {
      %2 = arith.negf %a : f32
      scf.yield %2 : f32
    }
    linalg.yield %1 : f32
  } -> tensor<f32>
  %v = tensor.extract %p[] : tensor<f32>
  %e = tensor.empty() : tensor<4xf32>
  %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %v : f32
    linalg.yield %1 : f32
  } -> tensor<4xf32>
  return %r : tensor<4xf32>
}
