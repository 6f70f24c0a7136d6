// RUN: tc-opt --convert-linalg-to-tmm --split-input-file --verify-diagnostics %s

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @difference(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf16>) {
  // expected-remark @below {{is no product of a matrix unit, but a kernel of threads: body: expected arith.addf of the product and the output}}
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf16>) {
  ^bb0(%x: f16, %y: f16, %z: f16):
    %0 = arith.mulf %x, %y : f16
    %1 = arith.subf %z, %0 : f16
    linalg.yield %1 : f16
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @widened_product(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf32>) {
  // expected-remark @below {{is no product of a matrix unit, but a kernel of threads: body: expected arith.mulf of the inputs, without a conversion between product and sum}}
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf32>) {
  ^bb0(%x: f16, %y: f16, %z: f32):
    %0 = arith.mulf %x, %y : f16
    %1 = arith.extf %0 : f16 to f32
    %2 = arith.addf %z, %1 : f32
    linalg.yield %2 : f32
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @square(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf16>) {
  // expected-remark @below {{is no product of a matrix unit, but a kernel of threads: body: expected a product of input 0 and input 1}}
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf16>) {
  ^bb0(%x: f16, %y: f16, %z: f16):
    %0 = arith.mulf %x, %x : f16
    %1 = arith.addf %z, %0 : f16
    linalg.yield %1 : f16
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @not_the_output(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf16>) {
  // expected-remark @below {{is no product of a matrix unit, but a kernel of threads: body: expected the product to be added to the output}}
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf16>) {
  ^bb0(%x: f16, %y: f16, %z: f16):
    %0 = arith.mulf %x, %y : f16
    %1 = arith.addf %x, %0 : f16
    linalg.yield %1 : f16
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @rounding_mode(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf16>) {
  // expected-remark @below {{is no product of a matrix unit, but a kernel of threads: body: expected the sum to be rounded to nearest even, got toward_zero}}
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf16>) {
  ^bb0(%x: f16, %y: f16, %z: f16):
    %0 = arith.extf %x : f16 to f32
    %1 = arith.extf %y : f16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.extf %z : f16 to f32
    %4 = arith.addf %3, %2 : f32
    %5 = arith.truncf %4 toward_zero : f32 to f16
    linalg.yield %5 : f16
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @double_sum(%a: memref<8x16xf16>, %b: memref<16x24xf16>, %d: memref<8x24xf16>) {
  // expected-remark @below {{is no product of a matrix unit, but a kernel of threads: body: expected a sum in f32, in the type of the inputs or of the output, got f64}}
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xf16>, memref<16x24xf16>) outs(%d : memref<8x24xf16>) {
  ^bb0(%x: f16, %y: f16, %z: f16):
    %0 = arith.extf %x : f16 to f64
    %1 = arith.extf %y : f16 to f64
    %2 = arith.mulf %0, %1 : f64
    %3 = arith.extf %z : f16 to f64
    %4 = arith.addf %3, %2 : f64
    %5 = arith.truncf %4 : f64 to f16
    linalg.yield %5 : f16
  }
  return
}

// -----

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (k, n)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @narrow_sums(%a: memref<8x16xi8>, %b: memref<16x24xi8>, %d: memref<8x24xi16>) {
  // expected-remark @below {{is no product of a matrix unit, but a kernel of threads: body: expected a sum in i32, got i16}}
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%a, %b : memref<8x16xi8>, memref<16x24xi8>) outs(%d : memref<8x24xi16>) {
  ^bb0(%x: i8, %y: i8, %z: i16):
    %0 = arith.extsi %x : i8 to i16
    %1 = arith.extsi %y : i8 to i16
    %2 = arith.muli %0, %1 : i16
    %3 = arith.addi %z, %2 : i16
    linalg.yield %3 : i16
  }
  return
}

// -----

#a = affine_map<(m, r, n, j, k) -> (m, j, k)>
#b = affine_map<(m, r, n, j, k) -> (j, k, n)>
#d = affine_map<(m, r, n, j, k) -> (m, r, n)>
func.func @repeated(%a: memref<8x2x16xbf16>, %b: memref<2x16x24xbf16>, %d: memref<8x4x24xf32>) {
  // expected-error @below {{cannot become tmm.matmul: expected every dimension to be one of an input, got d1, along which the output repeats the product ((d0, d1, d2, d3, d4) -> (d0, d1, d2)); repeat the result after it}}
  linalg.contract indexing_maps = [#a, #b, #d]
      ins(%a, %b : memref<8x2x16xbf16>, memref<2x16x24xbf16>) outs(%d : memref<8x4x24xf32>)
  return
}
