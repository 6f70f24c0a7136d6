// RUN: tc-opt --convert-linalg-to-tmm %s -split-input-file -verify-diagnostics

// Operations after a product that do not compute one element of D from one of the product.

#id = affine_map<(i, j) -> (i, j)>
func.func @two_outputs(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>) -> (tensor<8x24xf32>, tensor<8x24xf32>) {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: expected one output, got 2}}
  %1:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x24xf32>) outs(%d, %d : tensor<8x24xf32>, tensor<8x24xf32>) {
  ^bb0(%x: f32, %o: f32, %p: f32):
    %n = arith.negf %x : f32
    linalg.yield %x, %n : f32, f32
  } -> (tensor<8x24xf32>, tensor<8x24xf32>)
  return %1#0, %1#1 : tensor<8x24xf32>, tensor<8x24xf32>
}

// -----

func.func @transposed_output(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>, %e: tensor<24x8xf32>) -> tensor<24x8xf32> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: expected an output of rank 2 with the identity map, got (d0, d1) -> (d1, d0)}}
  %1 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j, i)>], iterator_types = ["parallel", "parallel"]}
      ins(%0 : tensor<8x24xf32>) outs(%e : tensor<24x8xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    linalg.yield %n : f32
  } -> tensor<24x8xf32>
  return %1 : tensor<24x8xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
func.func @outer_value(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>, %c: i1) -> tensor<8x24xf32> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: 'arith.select' uses a value of the function of type i1}}
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%0 : tensor<8x24xf32>) outs(%d : tensor<8x24xf32>) {
  ^bb0(%x: f32, %o: f32):
    %n = arith.negf %x : f32
    %s = arith.select %c, %x, %n : f32
    linalg.yield %s : f32
  } -> tensor<8x24xf32>
  return %1 : tensor<8x24xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
func.func @diagonal(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>, %e: tensor<8x8xf32>) -> tensor<8x24xf32> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: operand 1: expected each dimension to be read along a loop of its own, got indexing map (d0, d1) -> (d0, d0)}}
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (i, i)>, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %e : tensor<8x24xf32>, tensor<8x8xf32>) outs(%d : tensor<8x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8x24xf32>
  return %1 : tensor<8x24xf32>
}

// -----

#id = affine_map<(i, j) -> (i, j)>
func.func @first_row(%a: tensor<8x16xbf16>, %b: tensor<16x24xbf16>, %d: tensor<8x24xf32>, %e: tensor<3x24xf32>) -> tensor<8x24xf32> {
  // expected-note @below {{of this product}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xbf16>, tensor<16x24xbf16>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  // expected-remark @below {{stays outside the kernel: operand 1: expected dimensions of size 1 that can be dropped from tensor<3x24xf32>}}
  %1 = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> (0, j)>, #id], iterator_types = ["parallel", "parallel"]} ins(%0, %e : tensor<8x24xf32>, tensor<3x24xf32>) outs(%d : tensor<8x24xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %s = arith.addf %x, %y : f32
    linalg.yield %s : f32
  } -> tensor<8x24xf32>
  return %1 : tensor<8x24xf32>
}
