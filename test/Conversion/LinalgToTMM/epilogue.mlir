// RUN: tc-opt --convert-linalg-to-tmm %s | FileCheck %s

#id = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (j)>
#column = affine_map<(i, j) -> (i)>
#one_row = affine_map<(i, j) -> (0, j)>
#scalar = affine_map<(i, j) -> ()>

// A fully connected layer: bias, activation, conversion, one operation each. The
// tensors in between are not rounded.
// CHECK-LABEL: func @layer
//  CHECK-SAME: %[[A:.*]]: tensor<8x16xbf16>, %[[B:.*]]: tensor<16x24xbf16>, %[[BIAS:.*]]: tensor<24xf32>)
func.func @layer(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %bias: tensor<24xf32>) -> tensor<8x24xbf16> {
  // CHECK-NOT: linalg
  // CHECK: %[[E:.*]] = tensor.empty() : tensor<8x24xbf16>
  // CHECK: tmm.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[E]] : tensor<8x24xbf16>) -> tensor<8x24xbf16> epilogue(%[[ACC:.*]], %[[X:.*]] = %[[BIAS]] along n : tensor<24xf32>) {
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[ACC]], %[[X]] : f32
  // CHECK-NEXT: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-NEXT: %[[M:.*]] = arith.maximumf %[[S]], %[[Z]] : f32
  // CHECK-NEXT: %[[T:.*]] = arith.truncf %[[M]] : f32 to bf16
  // CHECK-NEXT: tmm.yield %[[T]] : bf16
  // CHECK-NOT: linalg
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %2 = linalg.broadcast ins(%bias : tensor<24xf32>) outs(%e : tensor<8x24xf32>) dimensions = [0]
  %3 = linalg.add ins(%1, %2 : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %4 = linalg.max ins(%3, %0 : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %5 = tensor.empty() : tensor<8x24xbf16>
  %6 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<8x24xf32>) outs(%5 : tensor<8x24xbf16>) {
  ^bb0(%x: f32, %o: bf16):
    %t = arith.truncf %x : f32 to bf16
    linalg.yield %t : bf16
  } -> tensor<8x24xbf16>
  return %6 : tensor<8x24xbf16>
}

// alpha * A * B + beta * C, a scalar of the function, and C as initial value.
// CHECK-LABEL: func @alpha_beta
//  CHECK-SAME: %[[C:[a-z0-9]+]]: tensor<8x24xf16>, %[[ALPHA:[a-z0-9]+]]: f32)
func.func @alpha_beta(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %c: tensor<8x24xf16>, %alpha: f32) -> tensor<8x24xf32> {
  // CHECK: epilogue(%[[ACC:.*]], %[[X:.*]] = %[[C]] : tensor<8x24xf16>, %[[S:.*]] = %[[ALPHA]] : f32) {
  // CHECK: %[[W:.*]] = arith.extf %[[X]] : f16 to f32
  // CHECK: %[[BETA:.*]] = arith.constant 2.500000e-01 : f32
  // CHECK: %[[BC:.*]] = arith.mulf %[[W]], %[[BETA]] : f32
  // CHECK: %[[SUM:.*]] = arith.addf %[[ACC]], %[[BC]] : f32
  // CHECK: %[[R:.*]] = arith.mulf %[[SUM]], %[[S]] : f32
  // CHECK: tmm.yield %[[R]] : f32
  // CHECK-NOT: linalg
  %e = tensor.empty() : tensor<8x24xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%c : tensor<8x24xf16>) outs(%e : tensor<8x24xf32>) {
  ^bb0(%x: f16, %o: f32):
    %w = arith.extf %x : f16 to f32
    %beta = arith.constant 0.25 : f32
    %p = arith.mulf %w, %beta : f32
    linalg.yield %p : f32
  } -> tensor<8x24xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %2 = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel", "parallel"]} ins(%1, %alpha : tensor<8x24xf32>, f32) outs(%e : tensor<8x24xf32>) {
  ^bb0(%x: f32, %s: f32, %o: f32):
    %p = arith.mulf %x, %s : f32
    linalg.yield %p : f32
  } -> tensor<8x24xf32>
  return %2 : tensor<8x24xf32>
}

// The bias as initial value, as a broadcast or as a fill.
// CHECK-LABEL: func @initial
func.func @initial(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %bias: tensor<24xf32>) -> (tensor<8x24xf32>, tensor<8x24xf32>) {
  // CHECK-NOT: accumulate
  // CHECK: epilogue(%{{.*}}, %{{.*}} = %{{.*}} along n : tensor<24xf32>) {
  // CHECK-NEXT: arith.addf
  // CHECK: epilogue(%[[ACC:.*]]) {
  // CHECK-NEXT: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-NEXT: arith.addf %[[ACC]], %[[ONE]]
  %one = arith.constant 1.0 : f32
  %e = tensor.empty() : tensor<8x24xf32>
  %0 = linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%bias : tensor<24xf32>) outs(%e : tensor<8x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    linalg.yield %x : f32
  } -> tensor<8x24xf32>
  %1 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%0 : tensor<8x24xf32>) -> tensor<8x24xf32>
  %2 = linalg.fill ins(%one : f32) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %3 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%2 : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %1, %3 : tensor<8x24xf32>, tensor<8x24xf32>
}

// A column, a row stored as a matrix, and the old D: `accumulate` becomes an
// operand where D is another tensor.
// CHECK-LABEL: func @broadcast
//  CHECK-SAME: %[[D:[a-z0-9]+]]: tensor<8x24xbf16>, %[[COLUMN:[a-z0-9]+]]: tensor<8xf32>, %[[ROW:[a-z0-9]+]]: tensor<1x24xbf16>
func.func @broadcast(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xbf16>, %column: tensor<8xf32>, %row: tensor<1x24xbf16>) -> tensor<8x24xf32> {
  // CHECK: %[[R:.*]] = tensor.collapse_shape %[[ROW]] {{\[\[}}0, 1]] : tensor<1x24xbf16> into tensor<24xbf16>
  // CHECK: tmm.matmul ins({{.*}}) outs(%{{.*}} : tensor<8x24xf32>) -> tensor<8x24xf32> epilogue(%[[ACC:.*]], %[[OLD:.*]] = %[[D]] : tensor<8x24xbf16>, %{{.*}} = %[[COLUMN]] along m : tensor<8xf32>, %{{.*}} = %[[R]] along n : tensor<24xbf16>) {
  // CHECK: %[[W:.*]] = arith.extf %[[OLD]] : bf16 to f32
  // CHECK: arith.addf %[[ACC]], %[[W]]
  %e = tensor.empty() : tensor<8x24xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xbf16>) -> tensor<8x24xbf16>
  %1 = linalg.generic {indexing_maps = [#id, #column, #one_row, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %column, %row : tensor<8x24xbf16>, tensor<8xf32>, tensor<1x24xbf16>) outs(%e : tensor<8x24xf32>) {
  ^bb0(%x: bf16, %c: f32, %r: bf16, %o: f32):
    %y = arith.mulf %x, %r : bf16
    %w = arith.extf %y : bf16 to f32
    %z = arith.mulf %w, %c : f32
    linalg.yield %z : f32
  } -> tensor<8x24xf32>
  return %1 : tensor<8x24xf32>
}

// In place on the product, twice the same operand, a rounding in the middle.
// CHECK-LABEL: func @in_place
func.func @in_place(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>) -> tensor<8x24xf32> {
  // CHECK: tmm.matmul accumulate ins({{.*}}) outs(%{{.*}} : tensor<8x24xf32>) -> tensor<8x24xf32> epilogue(%[[ACC:.*]]) {
  // CHECK-NEXT: %[[T:.*]] = arith.truncf %[[ACC]] : f32 to f16
  // CHECK-NEXT: %[[W:.*]] = arith.extf %[[T]] : f16 to f32
  // CHECK-NEXT: %[[P:.*]] = arith.mulf %[[W]], %[[ACC]] : f32
  // CHECK-NEXT: tmm.yield %[[P]] : f32
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x24xf32>) outs(%0 : tensor<8x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %t = arith.truncf %x : f32 to f16
    %w = arith.extf %t : f16 to f32
    %p = arith.mulf %w, %o : f32
    linalg.yield %p : f32
  } -> tensor<8x24xf32>
  return %1 : tensor<8x24xf32>
}

// Named operations of every kind that a kernel can compute.
// CHECK-LABEL: func @named
func.func @named(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>) -> tensor<8x24xf32> {
  // CHECK-NOT: linalg
  // CHECK: math.exp
  // CHECK: math.tanh
  // CHECK: math.erf
  // CHECK: arith.subf
  // CHECK: arith.divf
  // CHECK: arith.negf
  // CHECK: math.sqrt
  // CHECK-NOT: linalg
  %e = tensor.empty() : tensor<8x24xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.exp ins(%0 : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %2 = linalg.tanh ins(%1 : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %3 = linalg.erf ins(%2 : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %4 = linalg.sub ins(%3, %d : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %5 = linalg.div ins(%4, %d : tensor<8x24xf32>, tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %6 = linalg.elementwise kind=#linalg.elementwise_kind<negf> ins(%5 : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>) -> tensor<8x24xf32>
  %7 = linalg.map { math.sqrt } ins(%6 : tensor<8x24xf32>) outs(%e : tensor<8x24xf32>)
  return %7 : tensor<8x24xf32>
}

// A body may use constants and floats of the function.
// CHECK-LABEL: func @captured
//  CHECK-SAME: %[[S:[a-z0-9]+]]: f32)
func.func @captured(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>, %s: f32) -> tensor<8x24xf32> {
  // CHECK: epilogue(%[[ACC:.*]], %[[X:.*]] = %[[S]] : f32) {
  // CHECK-DAG: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
  // CHECK-DAG: %[[P:.*]] = arith.mulf %[[ACC]], %[[X]]
  // CHECK: arith.maximumf %[[P]], %[[Z]]
  %zero = arith.constant 0.0 : f32
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x24xf32>) outs(%d : tensor<8x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %p = arith.mulf %x, %s : f32
    %m = arith.maximumf %p, %zero : f32
    linalg.yield %m : f32
  } -> tensor<8x24xf32>
  return %1 : tensor<8x24xf32>
}

// On memrefs, in place.
// CHECK-LABEL: func @memref
//  CHECK-SAME: %[[A:[a-z0-9]+]]: memref<8x16xbf16>, %[[B:[a-z0-9]+]]: memref<16x24xbf16>, %[[D:[a-z0-9]+]]: memref<8x24xf32>, %[[BIAS:[a-z0-9]+]]: memref<24xf32>)
func.func @memref(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>, %bias: memref<24xf32>) {
  // CHECK-NOT: linalg
  // CHECK: tmm.matmul ins({{.*}}) outs(%[[D]] : memref<8x24xf32>) epilogue(%[[ACC:.*]], %[[X:.*]] = %[[BIAS]] along n : memref<24xf32>) {
  // CHECK: arith.addf %[[ACC]], %[[X]]
  // CHECK: math.exp
  // CHECK-NOT: linalg
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<8x24xf32>)
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  linalg.generic {indexing_maps = [#row, #id], iterator_types = ["parallel", "parallel"]} ins(%bias : memref<24xf32>) outs(%d : memref<8x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = arith.addf %o, %x : f32
    linalg.yield %s : f32
  }
  linalg.exp ins(%d : memref<8x24xf32>) outs(%d : memref<8x24xf32>)
  return
}
