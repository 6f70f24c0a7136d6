// RUN: %mlir_opt %s -split-input-file -o %t.mlir --pass-pipeline='builtin.module(transform-interpreter,cse,canonicalize)'
// RUN: FileCheck %s --input-file=%t.mlir
// RUN: tc-opt %s -split-input-file --pass-pipeline='builtin.module(transform-interpreter,cse,canonicalize)' | cmp - %t.mlir
// RUN: sed '/^.. -----$/,$d' %s | %mlir_opt --pass-pipeline='builtin.module(transform-interpreter,cse,canonicalize,tc-lower-to-nvvm{chip=sm_90a})' 2>/dev/null | FileCheck %s --check-prefix=LAUNCHES

// Upstream's schedules of upstream's operations take tmm.matmul along by its interfaces. A causal mask, which no
// epilogue computes because it needs indices, is tiled; the product is fused into that loop; bufferization finds that
// both write parts of one destination in place.

// CHECK: #[[$CONFIG:.*]] = #tmm.config<tile = <shape = 64x64x64>>
// CHECK-LABEL: func @masked(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<256x512xbf16>, %[[B:[a-z0-9]+]]: memref<512x128xbf16>, %[[D:[a-z0-9]+]]: memref<256x128xf32>
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: scf.forall (%[[I:.*]], %[[J:.*]]) in (4, 2) {
// CHECK-DAG: %[[M:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK-DAG: %[[N:.*]] = affine.apply #{{.*}}(%[[J]])
// CHECK-DAG: %[[TA:.*]] = memref.subview %[[A]][%[[M]], 0] [64, 512] [1, 1]
// CHECK-DAG: %[[TB:.*]] = memref.subview %[[B]][0, %[[N]]] [512, 64] [1, 1]
// CHECK-DAG: %[[TD:.*]] = memref.subview %[[D]][%[[M]], %[[N]]] [64, 64] [1, 1]
// CHECK: tmm.matmul config #[[$CONFIG]] ins(%[[TA]], %[[TB]] : {{.*}}) outs(%[[TD]] : memref<64x64xf32, strided<[128, 1], offset: ?>>)
// CHECK-NEXT: linalg.generic {{.*}} outs(%[[TD]]
// CHECK-NOT: memref.alloc
// CHECK-NOT: memref.copy
// CHECK: return %[[D]]

// To the end: equal tiles share a kernel.
// LAUNCHES: func @masked(
// LAUNCHES-COUNT-8: gpu.launch_func @kernels::@masked_matmul blocks
// LAUNCHES: llvm.func @masked_matmul(
// LAUNCHES: wgmma.mma_async
#e = affine_map<(d0, d1) -> (d0, d1)>
func.func @masked(%a: tensor<256x512xbf16>, %b: tensor<512x128xbf16>, %d: tensor<256x128xf32>) -> tensor<256x128xf32> {
  %least = arith.constant 0xFF800000 : f32
  %0 = tmm.matmul ins(%a, %b : tensor<256x512xbf16>, tensor<512x128xbf16>) outs(%d : tensor<256x128xf32>) -> tensor<256x128xf32>
  %1 = linalg.generic {indexing_maps = [#e], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<256x128xf32>) {
  ^bb0(%s: f32):
    %row = linalg.index 0 : index
    %column = linalg.index 1 : index
    %hidden = arith.cmpi ugt, %column, %row : index
    %2 = arith.select %hidden, %least, %s : f32
    linalg.yield %2 : f32
  } -> tensor<256x128xf32>
  return %1 : tensor<256x128xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %mask = transform.structured.match ops{["linalg.generic"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %mask tile_sizes [64, 64] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %matmul = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %part, %fused = transform.structured.fuse_into_containing_op %matmul into %loop
      : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.tmm.configure %part "tile=64x64x64" : !transform.any_op
    // The product before the loop has no users now.
    %func = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %func { transform.apply_patterns.canonicalization } : !transform.any_op
    %buffers = transform.bufferization.one_shot_bufferize layout{IdentityLayoutMap} %root
      {bufferize_function_boundaries = true} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A fill and a product are fused into the loop over the maxima of rows. What was cut keeps what its operands need: all
// of B, and the rows of A.
// CHECK-LABEL: func @row_maxima(
// CHECK-SAME: %[[A:[a-z0-9]+]]: memref<256x512xbf16>, %[[B:[a-z0-9]+]]: memref<512x128xbf16>, %[[D:[a-z0-9]+]]: memref<256x128xf32>, %[[R:[a-z0-9]+]]: memref<256xf32>
// CHECK: scf.forall (%[[I:.*]]) in (4) {
// CHECK: %[[M:.*]] = affine.apply #{{.*}}(%[[I]])
// CHECK-DAG: %[[TA:.*]] = memref.subview %[[A]][%[[M]], 0] [64, 512] [1, 1]
// CHECK-DAG: %[[TR:.*]] = memref.subview %[[R]][%[[M]]] [64] [1]
// CHECK-DAG: %[[TP:.*]] = memref.alloc() {{.*}} : memref<64x128xf32>
// CHECK-DAG: tmm.matmul ins(%[[TA]], %[[B]] : {{.*}}) outs(%[[TP]] : memref<64x128xf32>)
// CHECK-DAG: linalg.fill ins(%{{.*}} : f32) outs(%[[TR]]
// CHECK: linalg.reduce { arith.maximumf } ins(%[[TP]] : {{.*}}) outs(%[[TR]]
// CHECK-NOT: memref.copy
// CHECK: return %[[R]]
func.func @row_maxima(%a: tensor<256x512xbf16>, %b: tensor<512x128xbf16>, %d: tensor<256x128xf32>, %r: tensor<256xf32>) -> tensor<256xf32> {
  %least = arith.constant 0xFF800000 : f32
  %0 = tmm.matmul ins(%a, %b : tensor<256x512xbf16>, tensor<512x128xbf16>) outs(%d : tensor<256x128xf32>) -> tensor<256x128xf32>
  %1 = linalg.fill ins(%least : f32) outs(%r : tensor<256xf32>) -> tensor<256xf32>
  %2 = linalg.reduce { arith.maximumf } ins(%0 : tensor<256x128xf32>) outs(%1 : tensor<256xf32>) dimensions = [1]
  return %2 : tensor<256xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.consumed}) {
    %reduce = transform.structured.match ops{["linalg.reduce"]} in %root : (!transform.any_op) -> !transform.any_op
    %tiled, %loop = transform.structured.tile_using_forall %reduce tile_sizes [64] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %fill = transform.structured.match ops{["linalg.fill"]} in %root : (!transform.any_op) -> !transform.any_op
    %f, %with_fill = transform.structured.fuse_into_containing_op %fill into %loop
      : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    %matmul = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %m, %with_matmul = transform.structured.fuse_into_containing_op %matmul into %with_fill
      : (!transform.any_op, !transform.any_op) -> (!transform.any_op, !transform.any_op)
    // The product and the fill before the loop have no users now.
    %func = transform.structured.match ops{["func.func"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.apply_patterns to %func { transform.apply_patterns.canonicalization } : !transform.any_op
    %buffers = transform.bufferization.one_shot_bufferize layout{IdentityLayoutMap} %root
      {bufferize_function_boundaries = true} : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
