// RUN: tc-opt --mlir-print-local-scope --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --canonicalize %s | FileCheck %s

// The destination of a matmul that only writes is not read: no copy, no fill.
// CHECK-LABEL: func @fresh_destination
//  CHECK-SAME: %[[A:.*]]: memref<8x16xbf16>, %[[B:.*]]: memref<16x24xbf16>
func.func @fresh_destination(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>) -> tensor<8x24xf32> {
  // CHECK: %[[D:.*]] = memref.alloc() {{.*}}: memref<8x24xf32>
  // CHECK-NOT: memref.copy
  // CHECK: tmm.matmul config <ring = <stages = 2>> ins(%[[A]], %[[B]] : memref<8x16xbf16>, memref<16x24xbf16>) outs(%[[D]] : memref<8x24xf32>) {note = "kept"}
  // CHECK: return %[[D]]
  %d = tensor.empty() : tensor<8x24xf32>
  %0 = tmm.matmul config <ring = <stages = 2>> ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>)
    outs(%d : tensor<8x24xf32>) {note = "kept"} -> tensor<8x24xf32>
  return %0 : tensor<8x24xf32>
}

// A writable argument is updated in place.
// CHECK-LABEL: func @in_place
//  CHECK-SAME: %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[D:.*]]: memref<?x?xf32>
func.func @in_place(%a: tensor<?x?xbf16>, %b: tensor<?x?xbf16>, %d: tensor<?x?xf32>) -> tensor<?x?xf32> {
  // CHECK-NOT: memref.copy
  // CHECK: tmm.matmul accumulate transpose_a ins(%[[A]], %[[B]] : {{.*}}) outs(%[[D]] : memref<?x?xf32>)
  // CHECK: return %[[D]]
  %0 = tmm.matmul accumulate transpose_a ins(%a, %b : tensor<?x?xbf16>, tensor<?x?xbf16>)
    outs(%d : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %0 : tensor<?x?xf32>
}

// The old value is needed after the matmul: accumulation goes into a copy.
// CHECK-LABEL: func @copy_before_accumulation
//  CHECK-SAME: %[[A:.*]]: memref<8x16xbf16>, %[[B:.*]]: memref<16x24xbf16>, %[[D:.*]]: memref<8x24xf32>
func.func @copy_before_accumulation(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>)
    -> (tensor<8x24xf32>, tensor<8x24xf32>) {
  // CHECK: %[[NEW:.*]] = memref.alloc()
  // CHECK: memref.copy %[[D]], %[[NEW]]
  // CHECK: tmm.matmul accumulate ins(%[[A]], %[[B]] : {{.*}}) outs(%[[NEW]] :
  // CHECK: return %[[D]], %[[NEW]]
  %0 = tmm.matmul accumulate ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>)
    outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %d, %0 : tensor<8x24xf32>, tensor<8x24xf32>
}

// Without accumulation there is nothing to copy.
// CHECK-LABEL: func @no_copy_before_write
func.func @no_copy_before_write(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>)
    -> (tensor<8x24xf32>, tensor<8x24xf32>) {
  // CHECK: memref.alloc()
  // CHECK-NOT: memref.copy
  // CHECK: return
  %0 = tmm.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>)
    outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %d, %0 : tensor<8x24xf32>, tensor<8x24xf32>
}

// One matmul feeds the next; the destination must not be the buffer of an input.
// CHECK-LABEL: func @chain
//  CHECK-SAME: %[[A:.*]]: memref<16x16xf16>, %[[B:.*]]: memref<16x16xf16>
func.func @chain(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>) -> tensor<16x16xf16> {
  // CHECK-DAG: %[[C:.*]] = memref.alloc()
  // CHECK: tmm.matmul ins(%[[A]], %[[B]] : {{.*}}) outs(%[[C]] :
  // CHECK: %[[D:.*]] = memref.alloc()
  // CHECK: tmm.matmul ins(%[[C]], %[[C]] : {{.*}}) outs(%[[D]] :
  %e = tensor.empty() : tensor<16x16xf16>
  %0 = tmm.matmul ins(%a, %b : tensor<16x16xf16>, tensor<16x16xf16>) outs(%e : tensor<16x16xf16>) -> tensor<16x16xf16>
  %1 = tmm.matmul ins(%0, %0 : tensor<16x16xf16>, tensor<16x16xf16>) outs(%0 : tensor<16x16xf16>) -> tensor<16x16xf16>
  return %1 : tensor<16x16xf16>
}

// A matrix of the batch may be D itself, a matrix that the batch shares may not:
// the first problem would write over what the second reads.
// CHECK-LABEL: func @batch_in_place
//  CHECK-SAME: %{{.*}}: memref<3x8x16xbf16>, %{{.*}}: memref<16x24xbf16>, %[[D:.*]]: memref<3x8x24xf32>
func.func @batch_in_place(%a: tensor<3x8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<3x8x24xf32>) -> tensor<3x8x24xf32> {
  // CHECK-NOT: memref.copy
  // CHECK: tmm.matmul {{.*}} outs(%[[D]] : memref<3x8x24xf32>)
  // CHECK-SAME: = %[[D]] : memref<3x8x24xf32>
  %0 = tmm.matmul ins(%a, %b : tensor<3x8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<3x8x24xf32>) -> tensor<3x8x24xf32>
      epilogue(%acc, %x = %d : tensor<3x8x24xf32>) {
    %1 = arith.addf %acc, %x : f32
    tmm.yield %1 : f32
  }
  return %0 : tensor<3x8x24xf32>
}

// Scale factors become buffers like the other inputs.
// CHECK-LABEL: func.func @scaled(
// CHECK: tmm.matmul transpose_b ins(%{{.*}}, %{{.*}} : memref<200x160xf8E4M3FN
// CHECK-SAME: scales(%{{.*}}, %{{.*}} : memref<2x2x32x4x4xf8E8M0FNU{{.*}}>, memref<2x2x32x4x4xf8E8M0FNU{{.*}}>)
func.func @scaled(%a: tensor<200x160xf8E4M3FN>, %b: tensor<136x160xf8E4M3FN>, %sa: tensor<2x2x32x4x4xf8E8M0FNU>,
                  %sb: tensor<2x2x32x4x4xf8E8M0FNU>, %d: tensor<200x136xf32>) -> tensor<200x136xf32> {
  %0 = tmm.matmul transpose_b ins(%a, %b : tensor<200x160xf8E4M3FN>, tensor<136x160xf8E4M3FN>)
    scales(%sa, %sb : tensor<2x2x32x4x4xf8E8M0FNU>, tensor<2x2x32x4x4xf8E8M0FNU>) outs(%d : tensor<200x136xf32>) -> tensor<200x136xf32>
  return %0 : tensor<200x136xf32>
}

// Outputs beside D are written in place; what amax holds is read.
// CHECK-LABEL: func @outputs
//  CHECK-SAME: %[[A:.*]]: memref<8x16xbf16>, %[[B:.*]]: memref<16x64xbf16>, %[[AMAX:.*]]: memref<f32>)
func.func @outputs(%a: tensor<8x16xbf16>, %b: tensor<16x64xbf16>, %amax: tensor<f32>)
    -> (tensor<8x64xf4E2M1FN>, tensor<1x1x32x4x4xf8E4M3FN>, tensor<f32>) {
  // CHECK-DAG: %[[D:.*]] = memref.alloc() {{.*}}: memref<8x64xf4E2M1FN>
  // CHECK-DAG: %[[S:.*]] = memref.alloc() {{.*}}: memref<1x1x32x4x4xf8E4M3FN>
  // CHECK: tmm.matmul ins(%[[A]], %[[B]] : memref<8x16xbf16>, memref<16x64xbf16>) outs(%[[D]] : memref<8x64xf4E2M1FN>)
  // CHECK-SAME: scale_d(%[[S]] : memref<1x1x32x4x4xf8E4M3FN>) amax(%[[AMAX]] : memref<f32>)
  // CHECK: return %[[D]], %[[S]], %[[AMAX]]
  %d = tensor.empty() : tensor<8x64xf4E2M1FN>
  %s = tensor.empty() : tensor<1x1x32x4x4xf8E4M3FN>
  %0:3 = tmm.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x64xbf16>) outs(%d : tensor<8x64xf4E2M1FN>)
    scale_d(%s : tensor<1x1x32x4x4xf8E4M3FN>) amax(%amax : tensor<f32>) -> tensor<8x64xf4E2M1FN>, tensor<1x1x32x4x4xf8E4M3FN>, tensor<f32>
  return %0#0, %0#1, %0#2 : tensor<8x64xf4E2M1FN>, tensor<1x1x32x4x4xf8E4M3FN>, tensor<f32>
}

// Slices whose elements are not next to each other go through dense buffers; what is only written is
// not read.
// CHECK-LABEL: func @strided_slices
//  CHECK-SAME: %[[A:.*]]: memref<8x32xbf16>, %[[B:.*]]: memref<16x24xbf16>, %[[D:.*]]: memref<8x48xf32>
func.func @strided_slices(%a: tensor<8x32xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x48xf32>) -> tensor<8x48xf32> {
  // CHECK-DAG: %[[FROM:.*]] = memref.subview %[[A]][0, 0] [8, 16] [1, 2]
  // CHECK-DAG: %[[TO:.*]] = memref.subview %[[D]][0, 1] [8, 24] [1, 2]
  // CHECK: %[[DENSE:.*]] = memref.alloc() {{.*}}: memref<8x16xbf16>
  // CHECK: memref.copy %[[FROM]], %[[DENSE]]
  // CHECK: %[[RESULT:.*]] = memref.alloc() {{.*}}: memref<8x24xf32>
  // CHECK-NOT: memref.copy
  // CHECK: tmm.matmul ins(%[[DENSE]], %[[B]] : {{.*}}) outs(%[[RESULT]] : memref<8x24xf32>)
  // CHECK: memref.copy %[[RESULT]], %[[TO]]
  // CHECK: return %[[D]]
  %s = tensor.extract_slice %a[0, 0] [8, 16] [1, 2] : tensor<8x32xbf16> to tensor<8x16xbf16>
  %t = tensor.extract_slice %d[0, 1] [8, 24] [1, 2] : tensor<8x48xf32> to tensor<8x24xf32>
  %0 = tmm.matmul ins(%s, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%t : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = tensor.insert_slice %0 into %d[0, 1] [8, 24] [1, 2] : tensor<8x24xf32> into tensor<8x48xf32>
  return %1 : tensor<8x48xf32>
}
