// RUN: tc-opt %s --tc-prepare-products --split-input-file --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt %s --tc-prepare-products=round-mixed --split-input-file --mlir-print-local-scope | FileCheck %s --check-prefix=ROUND

// As torch-mlir prints a linear layer in f16: operands are widened, one before a
// transposition.
// CHECK-LABEL: func.func @widened(
// CHECK-SAME:    %[[X:.*]]: tensor<24x64xf16>, %[[W:.*]]: tensor<48x64xf16>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[W]] : tensor<48x64xf16>) outs(%{{.*}} : tensor<64x48xf16>)
// CHECK:         linalg.generic {{.*}} ins(%[[X]], %[[T]] : tensor<24x64xf16>, tensor<64x48xf16>) outs(%{{.*}} : tensor<24x48xf32>)
// CHECK-NEXT:    ^bb0(%[[A:.*]]: f16, %[[B:.*]]: f16, %[[D:.*]]: f32):
// CHECK-DAG:       %[[WIDEA:.*]] = arith.extf %[[A]] : f16 to f32
// CHECK-DAG:       %[[WIDEB:.*]] = arith.extf %[[B]] : f16 to f32
// CHECK:           arith.mulf %[[WIDEA]], %[[WIDEB]]
#m = affine_map<(i, j) -> (i, j)>
func.func @widened(%x: tensor<24x64xf16>, %w: tensor<48x64xf16>) -> tensor<24x48xf32> {
  %zero = arith.constant 0.0 : f32
  %ex = tensor.empty() : tensor<24x64xf32>
  %xf = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<24x64xf16>) outs(%ex : tensor<24x64xf32>) {
  ^bb0(%a: f16, %o: f32):
    %1 = arith.extf %a : f16 to f32
    linalg.yield %1 : f32
  } -> tensor<24x64xf32>
  %wf = arith.extf %w : tensor<48x64xf16> to tensor<48x64xf32>
  %ew = tensor.empty() : tensor<64x48xf32>
  %wt = linalg.transpose ins(%wf : tensor<48x64xf32>) outs(%ew : tensor<64x48xf32>) permutation = [1, 0]
  %e = tensor.empty() : tensor<24x48xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<24x48xf32>) -> tensor<24x48xf32>
  %d = linalg.matmul ins(%xf, %wt : tensor<24x64xf32>, tensor<64x48xf32>) outs(%f : tensor<24x48xf32>) -> tensor<24x48xf32>
  return %d : tensor<24x48xf32>
}

// -----

// Numbers that both are multiplied by multiply the sum, as in attention.
// CHECK-LABEL: func.func @scaled(
// CHECK:         %[[D:.*]] = linalg.generic {{.*}} ins(%arg0, %{{.*}} : tensor<6x40x32xbf16>, tensor<6x32x56xbf16>)
// CHECK:         linalg.generic {{.*}} ins(%[[D]] : tensor<6x40x56xf32>)
// CHECK:           arith.constant 1.250000e-01 : f32
// CHECK:           arith.mulf
#m = affine_map<(b, i, j) -> (b, i, j)>
func.func @scaled(%q: tensor<6x40x32xbf16>, %k: tensor<6x32x56xbf16>) -> tensor<6x40x56xf32> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %quarter = arith.constant 0.25 : f64
  %qf = arith.extf %q : tensor<6x40x32xbf16> to tensor<6x40x32xf32>
  %eq = tensor.empty() : tensor<6x40x32xf32>
  %qs = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel", "parallel"]} ins(%qf : tensor<6x40x32xf32>) outs(%eq : tensor<6x40x32xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %half : f32
    linalg.yield %1 : f32
  } -> tensor<6x40x32xf32>
  %kf = arith.extf %k : tensor<6x32x56xbf16> to tensor<6x32x56xf32>
  %ek = tensor.empty() : tensor<6x32x56xf32>
  %ks = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel", "parallel"]} ins(%kf : tensor<6x32x56xf32>) outs(%ek : tensor<6x32x56xf32>) {
  ^bb0(%a: f32, %o: f32):
    %number = arith.truncf %quarter : f64 to f32
    %1 = arith.mulf %a, %number : f32
    linalg.yield %1 : f32
  } -> tensor<6x32x56xf32>
  %e = tensor.empty() : tensor<6x40x56xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<6x40x56xf32>) -> tensor<6x40x56xf32>
  %d = linalg.batch_matmul ins(%qs, %ks : tensor<6x40x32xf32>, tensor<6x32x56xf32>) outs(%f : tensor<6x40x56xf32>) -> tensor<6x40x56xf32>
  return %d : tensor<6x40x56xf32>
}

// -----

// The bias of a convolution of torch.
// CHECK-LABEL: func.func @bias(
// CHECK:         %[[Z:.*]] = linalg.fill
// CHECK:         %[[C:.*]] = linalg.conv_2d_nchw_fchw {{.*}} outs(%[[Z]] : tensor<2x24x12x10xf32>)
// CHECK:         linalg.generic {indexing_maps = [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d1)>, {{.*}} ins(%[[C]], %arg2 :
// CHECK:           arith.addf
func.func @bias(%x: tensor<2x8x14x12xf16>, %w: tensor<24x8x3x3xf16>, %b: tensor<24xf32>) -> tensor<2x24x12x10xf32> {
  %e = tensor.empty() : tensor<2x24x12x10xf32>
  %bb = linalg.broadcast ins(%b : tensor<24xf32>) outs(%e : tensor<2x24x12x10xf32>) dimensions = [0, 2, 3]
  %c = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<2x8x14x12xf16>, tensor<24x8x3x3xf16>) outs(%bb : tensor<2x24x12x10xf32>) -> tensor<2x24x12x10xf32>
  return %c : tensor<2x24x12x10xf32>
}

// -----

// One of them was computed in f32; the types differ; the factor is large.
// CHECK-LABEL: func.func @kept(
// CHECK:         linalg.matmul ins(%{{.*}}, %arg1 : tensor<24x64xf32>, tensor<64x48xf32>)
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<24x64xf32>, tensor<64x48xf32>)
// CHECK:         linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<24x64xf32>, tensor<64x24xf32>)
#m = affine_map<(i, j) -> (i, j)>
func.func @kept(%x: tensor<24x64xf16>, %y: tensor<64x48xf32>, %z: tensor<64x48xbf16>, %u: tensor<64x24xf16>, %d: tensor<24x48xf32>, %s: tensor<24x24xf32>) -> (tensor<24x48xf32>, tensor<24x48xf32>, tensor<24x24xf32>) {
  %large = arith.constant 1.0e+20 : f32
  %xf = arith.extf %x : tensor<24x64xf16> to tensor<24x64xf32>
  %zf = arith.extf %z : tensor<64x48xbf16> to tensor<64x48xf32>
  %uf = arith.extf %u : tensor<64x24xf16> to tensor<64x24xf32>
  %ex = tensor.empty() : tensor<24x64xf32>
  %xs = linalg.generic {indexing_maps = [#m, #m], iterator_types = ["parallel", "parallel"]} ins(%xf : tensor<24x64xf32>) outs(%ex : tensor<24x64xf32>) {
  ^bb0(%a: f32, %o: f32):
    %1 = arith.mulf %a, %large : f32
    linalg.yield %1 : f32
  } -> tensor<24x64xf32>
  %0 = linalg.matmul ins(%xf, %y : tensor<24x64xf32>, tensor<64x48xf32>) outs(%d : tensor<24x48xf32>) -> tensor<24x48xf32>
  %1 = linalg.matmul ins(%xf, %zf : tensor<24x64xf32>, tensor<64x48xf32>) outs(%d : tensor<24x48xf32>) -> tensor<24x48xf32>
  %2 = linalg.matmul ins(%xs, %uf : tensor<24x64xf32>, tensor<64x24xf32>) outs(%s : tensor<24x24xf32>) -> tensor<24x24xf32>
  return %0, %1, %2 : tensor<24x48xf32>, tensor<24x48xf32>, tensor<24x24xf32>
}

// -----

// A batch is collapsed before its matrices are transposed: the product takes them
// as they are.
// CHECK-LABEL: func.func @collapsed(
// CHECK:         %[[C:.*]] = tensor.collapse_shape %arg0 {{\[\[}}0, 1], [2], [3]] : tensor<2x3x56x32xf16> into tensor<6x56x32xf16>
// CHECK:         %[[T:.*]] = linalg.transpose ins(%[[C]] : tensor<6x56x32xf16>) outs(%{{.*}} : tensor<6x32x56xf16>) permutation = [0, 2, 1]
// CHECK:         return %[[T]]
func.func @collapsed(%k: tensor<2x3x56x32xf16>) -> tensor<6x32x56xf16> {
  %e = tensor.empty() : tensor<2x3x32x56xf16>
  %t = linalg.transpose ins(%k : tensor<2x3x56x32xf16>) outs(%e : tensor<2x3x32x56xf16>) permutation = [0, 1, 3, 2]
  %c = tensor.collapse_shape %t [[0, 1], [2], [3]] : tensor<2x3x32x56xf16> into tensor<6x32x56xf16>
  return %c : tensor<6x32x56xf16>
}

// -----

// Heads and positions are apart after it.
// CHECK-LABEL: func.func @apart(
// CHECK:         linalg.transpose
// CHECK:         tensor.collapse_shape
func.func @apart(%x: tensor<2x20x3x32xf16>) -> tensor<2x20x96xf16> {
  %e = tensor.empty() : tensor<2x3x20x32xf16>
  %t = linalg.transpose ins(%x : tensor<2x20x3x32xf16>) outs(%e : tensor<2x3x20x32xf16>) permutation = [0, 2, 1, 3]
  %e2 = tensor.empty() : tensor<2x20x3x32xf16>
  %u = linalg.transpose ins(%t : tensor<2x3x20x32xf16>) outs(%e2 : tensor<2x20x3x32xf16>) permutation = [0, 2, 1, 3]
  %c = tensor.collapse_shape %u [[0], [1], [2, 3]] : tensor<2x20x3x32xf16> into tensor<2x20x96xf16>
  return %c : tensor<2x20x96xf16>
}

// -----

// A factor inside of a function stays there, and only a sum is a sum.
// CHECK-LABEL: func.func @functions(
// CHECK-NOT:     linalg.fill
// CHECK:         linalg.generic {{.*}} ins(%{{.*}}, %{{.*}} : tensor<24x64xf32>, tensor<64x48xf32>)
// CHECK:           math.exp
func.func @functions(%x: tensor<24x64xf16>, %w: tensor<64x48xf16>, %b: tensor<48xf32>) -> tensor<24x48xf32> {
  %xf = arith.extf %x : tensor<24x64xf16> to tensor<24x64xf32>
  %wf = arith.extf %w : tensor<64x48xf16> to tensor<64x48xf32>
  %e = tensor.empty() : tensor<24x48xf32>
  %bb = linalg.broadcast ins(%b : tensor<48xf32>) outs(%e : tensor<24x48xf32>) dimensions = [0]
  %d = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xf, %wf : tensor<24x64xf32>, tensor<64x48xf32>) outs(%bb : tensor<24x48xf32>) {
  ^bb0(%a: f32, %c: f32, %o: f32):
    %1 = math.exp %a : f32
    %2 = arith.mulf %1, %c : f32
    %3 = arith.addf %o, %2 : f32
    linalg.yield %3 : f32
  } -> tensor<24x48xf32>
  return %d : tensor<24x48xf32>
}

// -----

// An operand of f32 beside a widened one stays, or is rounded where that is asked for.
// CHECK-LABEL: func.func @mixed(
// CHECK-NOT:   arith.truncf
// CHECK:       linalg.matmul ins(%{{.*}}, %{{.*}} : tensor<24x64xf32>, tensor<64x48xf32>)
// ROUND-LABEL: func.func @mixed(
// ROUND-SAME:  %[[P:.*]]: tensor<24x64xf32>, %[[V:.*]]: tensor<64x48xbf16>
// ROUND:       %[[R:.*]] = linalg.generic {{.*}} ins(%[[P]] : tensor<24x64xf32>)
// ROUND:         arith.truncf %{{.*}} : f32 to bf16
// ROUND:       linalg.generic {{.*}} ins(%[[R]], %[[V]] : tensor<24x64xbf16>, tensor<64x48xbf16>)
func.func @mixed(%p: tensor<24x64xf32>, %v: tensor<64x48xbf16>, %o: tensor<24x48xf32>) -> tensor<24x48xf32> {
  %w = arith.extf %v : tensor<64x48xbf16> to tensor<64x48xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%o : tensor<24x48xf32>) -> tensor<24x48xf32>
  %r = linalg.matmul ins(%p, %w : tensor<24x64xf32>, tensor<64x48xf32>) outs(%f : tensor<24x48xf32>) -> tensor<24x48xf32>
  return %r : tensor<24x48xf32>
}

// -----

// Both are f32.
// ROUND-LABEL: func.func @wide(
// ROUND-NOT:   arith.truncf
func.func @wide(%p: tensor<24x64xf32>, %v: tensor<64x48xf32>, %o: tensor<24x48xf32>) -> tensor<24x48xf32> {
  %r = linalg.matmul ins(%p, %v : tensor<24x64xf32>, tensor<64x48xf32>) outs(%o : tensor<24x48xf32>) -> tensor<24x48xf32>
  return %r : tensor<24x48xf32>
}
