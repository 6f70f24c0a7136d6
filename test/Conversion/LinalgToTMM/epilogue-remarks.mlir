// RUN: tc-opt --convert-linalg-to-tmm %s -split-input-file -verify-diagnostics

// What cannot be fused stays where it is, and the pass says why.

#id = affine_map<(i, j) -> (i, j)>
func.func @function(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>) -> tensor<8x24xf32> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: 'math.sin' cannot be computed in an epilogue}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x24xf32>) outs(%d : tensor<8x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %s = math.sin %x : f32
    linalg.yield %s : f32
  } -> tensor<8x24xf32>
  return %1 : tensor<8x24xf32>
}

// -----

func.func @reduction(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>, %v: tensor<8xf32>) -> tensor<8xf32> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: expected an elementwise operation, got a reduction}}
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<8x24xf32>) outs(%v : tensor<8xf32>) dimensions = [1]
  return %1 : tensor<8xf32>
}

// -----

func.func @two_uses(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>) -> (tensor<8x24xf32>, tensor<8x24xf32>) {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: the product is also used by 'func.return'}}
  %1 = linalg.exp ins(%0 : tensor<8x24xf32>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  return %0, %1 : tensor<8x24xf32>, tensor<8x24xf32>
}

// -----

func.func @transpose(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>, %e: tensor<24x8xf32>) -> tensor<24x8xf32> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: operand 0: expected the product to be read in place, got indexing map (d0, d1) -> (d1, d0)}}
  %1 = linalg.transpose ins(%0 : tensor<8x24xf32>) outs(%e : tensor<24x8xf32>) permutation = [1, 0]
  return %1 : tensor<24x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
func.func @transposed_operand(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>, %e: tensor<24x8xf32>) -> tensor<8x24xf32> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: operand 1: expected a matrix, a row, a column or a scalar, got indexing map (d0, d1) -> (d1, d0)}}
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (j, i)>, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %e : tensor<8x24xf32>, tensor<24x8xf32>) outs(%d : tensor<8x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8x24xf32>
  return %1 : tensor<8x24xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
func.func @scalar_in_memory(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>, %e: tensor<f32>) -> tensor<8x24xf32> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: operand 1: expected a scalar as a float, got one in memory: tensor<f32>}}
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> ()>, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %e : tensor<8x24xf32>, tensor<f32>) outs(%d : tensor<8x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.mulf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8x24xf32>
  return %1 : tensor<8x24xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
func.func @wide(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>, %e: tensor<8x24xf64>) -> tensor<8x24xf64> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: output: expected element type f32, f16, bf16, f8E4M3FN or f8E5M2, got f64}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x24xf32>) outs(%e : tensor<8x24xf64>) {
  ^bb0(%x: f32, %o: f64):
    %s = arith.extf %x : f32 to f64
    linalg.yield %s : f64
  } -> tensor<8x24xf64>
  return %1 : tensor<8x24xf64>
}

// -----

func.func @other_memref(%a: memref<8x16xbf16>, %b: memref<16x24xbf16>, %d: memref<8x24xf32>, %e: memref<8x24xf32>) {
  // expected-note @below {{of this product}}
  linalg.matmul ins(%a, %b : memref<8x16xbf16>, memref<16x24xbf16>) outs(%d : memref<8x24xf32>)
  // expected-remark @below {{stays outside the kernel: it writes another memref than the product: expected an operation in place, or tensors}}
  linalg.exp ins(%d : memref<8x24xf32>) outs(%e : memref<8x24xf32>)
  // expected-remark @below {{stays outside the kernel: it does not follow the product directly}}
  linalg.exp ins(%d : memref<8x24xf32>) outs(%d : memref<8x24xf32>)
  return
}

// -----

// A narrower output type than those of a product, and a reduction after a batch.

#id = affine_map<(b, i, j) -> (b, i, j)>
func.func @f8_output(%a: tensor<2x8x16xbf16>, %b: tensor<2x16x24xbf16>) -> tensor<2x8x24xf8E4M3FNUZ> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x24xf32>) -> tensor<2x8x24xf32>
  // expected-note @below {{of this product}}
  %p = linalg.batch_matmul ins(%a, %b : tensor<2x8x16xbf16>, tensor<2x16x24xbf16>) outs(%f : tensor<2x8x24xf32>) -> tensor<2x8x24xf32>
  %o = tensor.empty() : tensor<2x8x24xf8E4M3FNUZ>
  // expected-remark @below {{stays outside the kernel: output: expected element type f32, f16, bf16, f8E4M3FN or f8E5M2, got f8E4M3FNUZ}}
  %r = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p : tensor<2x8x24xf32>) outs(%o : tensor<2x8x24xf8E4M3FNUZ>) {
  ^bb0(%x: f32, %out: f8E4M3FNUZ):
    %0 = arith.truncf %x : f32 to f8E4M3FNUZ
    linalg.yield %0 : f8E4M3FNUZ
  } -> tensor<2x8x24xf8E4M3FNUZ>
  return %r : tensor<2x8x24xf8E4M3FNUZ>
}

// -----

#id = affine_map<(b, i, j) -> (b, i, j)>
#scalar = affine_map<(b, i, j) -> (b)>
func.func @scalar_per_problem(%a: tensor<2x8x16xbf16>, %b: tensor<2x16x24xbf16>, %s: tensor<2xf32>) -> tensor<2x8x24xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x24xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x24xf32>) -> tensor<2x8x24xf32>
  // expected-note @below {{of this product}}
  %p = linalg.batch_matmul ins(%a, %b : tensor<2x8x16xbf16>, tensor<2x16x24xbf16>) outs(%f : tensor<2x8x24xf32>) -> tensor<2x8x24xf32>
  // expected-remark @below {{stays outside the kernel: operand 1: expected a scalar as a float, got one in memory: tensor<2xf32>}}
  %r = linalg.generic {indexing_maps = [#id, #scalar, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %s : tensor<2x8x24xf32>, tensor<2xf32>) outs(%e : tensor<2x8x24xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<2x8x24xf32>
  return %r : tensor<2x8x24xf32>
}

// -----

#id = affine_map<(b, i, j) -> (b, i, j)>
#swapped = affine_map<(b, i, j) -> (b, j, i)>
func.func @transposed_operand(%a: tensor<2x8x16xbf16>, %b: tensor<2x16x8xbf16>, %s: tensor<2x8x8xf32>) -> tensor<2x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x8x8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-note @below {{of this product}}
  %p = linalg.batch_matmul ins(%a, %b : tensor<2x8x16xbf16>, tensor<2x16x8xbf16>) outs(%f : tensor<2x8x8xf32>) -> tensor<2x8x8xf32>
  // expected-remark @below {{stays outside the kernel: operand 1: expected a matrix, a row, a column or a scalar, got indexing map (d0, d1, d2) -> (d0, d2, d1)}}
  %r = linalg.generic {indexing_maps = [#id, #swapped, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %s : tensor<2x8x8xf32>, tensor<2x8x8xf32>) outs(%e : tensor<2x8x8xf32>) {
  ^bb0(%x: f32, %y: f32, %out: f32):
    %0 = arith.mulf %x, %y : f32
    linalg.yield %0 : f32
  } -> tensor<2x8x8xf32>
  return %r : tensor<2x8x8xf32>
}
