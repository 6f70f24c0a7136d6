// RUN: tc-opt %s -convert-rows-to-attention -split-input-file -verify-diagnostics | FileCheck %s
// RUN: tc-opt %s -convert-rows-to-attention=chip=sm_80 -split-input-file | FileCheck %s --check-prefix=OTHER

// OTHER-NOT: tmm.attention

#e = affine_map<(b, i, j) -> (b, i, j)>

// A mask by row and column, a scale on both sides of it, and what is rounded on the way.
// CHECK-LABEL: func @causal(
// CHECK-SAME: %[[Q:.*]]: tensor<4x40x64xbf16>, %[[K:.*]]: tensor<4x40x64xbf16>, %[[V:.*]]: tensor<4x40x128xbf16>
// CHECK: %[[R:.*]] = tmm.attention %[[Q]], %[[K]], %[[V]] scale(2.500000e-01) diagonal(2) window(12)
// CHECK-NOT: tmm.matmul
// CHECK: return %[[R]]
func.func @causal(%q: tensor<4x40x64xbf16>, %k: tensor<4x40x64xbf16>, %v: tensor<4x40x128xbf16>, %s: tensor<4x40x40xbf16>,
                  %p: tensor<4x40x40xbf16>, %o: tensor<4x40x128xf32>) -> tensor<4x40x128xf32> {
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<4x40x64xbf16>, tensor<4x40x64xbf16>) outs(%s : tensor<4x40x40xbf16>)
    -> tensor<4x40x40xbf16> epilogue(%acc) {
    %half = arith.constant 5.000000e-01 : f32
    %1 = arith.mulf %acc, %half : f32
    %2 = arith.truncf %1 : f32 to bf16
    tmm.yield %2 : bf16
  }
  %1 = tmm.rows ins(%0 : tensor<4x40x40xbf16>) outs(%p : tensor<4x40x40xbf16>) maps [#e, #e] {
  ^bb0(%in: bf16):
    %x = arith.extf %in : bf16 to f32
    %i = tmm.row_index 1
    %j = tmm.row_index 2
    %c2 = arith.constant 2 : index
    %last = arith.addi %i, %c2 : index
    %above = arith.cmpi ugt, %j, %last : index
    %low = arith.constant 0xFF800000 : f32
    %masked = arith.select %above, %low, %x : f32
    %two = arith.constant 2.000000e+00 : f32
    %scaled = arith.divf %masked, %two : f32
    %c9 = arith.constant 9 : index
    %next = arith.addi %j, %c9 : index
    %near = arith.cmpi sge, %next, %i : index
    %zero = arith.constant 0.000000e+00 : f32
    %add = arith.select %near, %zero, %low : f32
    %both = arith.addf %scaled, %add : f32
    %max = tmm.row_reduce <maximumf> %both : f32
    %d = arith.subf %both, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %one = arith.constant 1.000000e+00 : f32
    %inverse = arith.divf %one, %sum : f32
    %y = arith.mulf %e, %inverse : f32
    %r = arith.truncf %y : f32 to bf16
    tmm.yield %r : bf16
  } -> tensor<4x40x40xbf16>
  %2 = tmm.matmul ins(%1, %v : tensor<4x40x40xbf16>, tensor<4x40x128xbf16>) outs(%o : tensor<4x40x128xf32>)
    -> tensor<4x40x128xf32>
  return %2 : tensor<4x40x128xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @hidden_rows(
// CHECK-NOT: tmm.attention
func.func @hidden_rows(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %low = arith.constant 0xFF800000 : f32
    %c = arith.constant -1 : index
    %a = arith.addi %i, %c : index
    %sees = arith.cmpi sle, %j, %a : index
    %x = arith.select %sees, %in, %low : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: a row may see no key}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @weak_mask(
// CHECK-NOT: tmm.attention
func.func @weak_mask(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %low = arith.constant -1.0e+04 : f32
    %c = arith.constant 0 : index
    %a = arith.addi %i, %c : index
    %sees = arith.cmpi sle, %j, %a : index
    %x = arith.select %sees, %in, %low : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its mask hides with another number than one below -1e30}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @squared(
// CHECK-NOT: tmm.attention
func.func @squared(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %x = arith.mulf %in, %in : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its scale is no constant}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @negative(
// CHECK-NOT: tmm.attention
func.func @negative(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %m = arith.constant -1.0 : f32
    %x = arith.mulf %in, %m : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its scale is not above 0}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @sine(
// CHECK-NOT: tmm.attention
func.func @sine(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %x = math.sin %in : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its scores go through 'math.sin'}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @large_heads(
// CHECK-NOT: tmm.attention
func.func @large_heads(%q: tensor<40x264xf16>, %k: tensor<40x264xf16>, %v: tensor<40x264xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x264xf32>)
    -> tensor<40x264xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x264xf16>, tensor<40x264xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %m = arith.constant 2.0 : f32
    %x = arith.mulf %in, %m : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its heads are no multiple of 8 up to 256 that is known}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x264xf16>) outs(%o : tensor<40x264xf32>) -> tensor<40x264xf32>
  return %2 : tensor<40x264xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @bias(
// CHECK-NOT: tmm.attention
func.func @bias(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %extra: tensor<40x40xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32> epilogue(%acc, %b = %extra : tensor<40x40xf32>) {
    %t = arith.addf %acc, %b : f32
    tmm.yield %t : f32
  }
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %m = arith.constant 2.0 : f32
    %x = arith.mulf %in, %m : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its bias is scaled}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(b, h, i, j) -> (b, h, i, j)>
#turned = affine_map<(b, h, i, j) -> (b, i, h, j)>

// Heads and rows in another order before and after: no copies. Views between the products keep the order of batches.
// CHECK-DAG: #[[$TURNED:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>
// CHECK-DAG: #[[$SAME:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
// CHECK-LABEL: func @turned(
// CHECK-SAME: %[[Q:[^:]*]]: tensor<2x40x3x16xbf16>, %[[K:[^:]*]]: tensor<2x3x24x16xbf16>
// CHECK-NOT: linalg.generic
// CHECK: %[[R:.*]] = tmm.attention %[[Q]], %[[K]], %[[K]] scale(1.000000e+00) outs(%{{.*}} : tensor<2x40x3x16xbf16>) maps [#[[$TURNED]], #[[$SAME]], #[[$SAME]], #[[$TURNED]]]
// CHECK-NOT: tmm.rows
// CHECK: return %[[R]]
func.func @turned(%q: tensor<2x40x3x16xbf16>, %k: tensor<2x3x24x16xbf16>, %t: tensor<2x3x40x16xbf16>, %s: tensor<2x3x40x24xf32>,
                  %p: tensor<2x3x40x24xbf16>, %o: tensor<2x3x40x16xf32>, %r: tensor<2x40x3x16xf32>, %c: tensor<2x40x3x16xbf16>)
    -> tensor<2x40x3x16xbf16> {
  %0 = linalg.generic {indexing_maps = [#turned, #e], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%q : tensor<2x40x3x16xbf16>) outs(%t : tensor<2x3x40x16xbf16>) {
  ^bb0(%in: bf16, %out: bf16):
    linalg.yield %in : bf16
  } -> tensor<2x3x40x16xbf16>
  %1 = tmm.matmul transpose_b ins(%0, %k : tensor<2x3x40x16xbf16>, tensor<2x3x24x16xbf16>) outs(%s : tensor<2x3x40x24xf32>) -> tensor<2x3x40x24xf32>
  %2 = tensor.collapse_shape %1 [[0, 1], [2], [3]] : tensor<2x3x40x24xf32> into tensor<6x40x24xf32>
  %3 = tensor.expand_shape %2 [[0, 1], [2], [3]] output_shape [2, 3, 40, 24] : tensor<6x40x24xf32> into tensor<2x3x40x24xf32>
  %4 = tmm.rows ins(%3 : tensor<2x3x40x24xf32>) outs(%p : tensor<2x3x40x24xbf16>) maps [#e, #e] {
  ^bb0(%x: f32):
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %exp = math.exp %d : f32
    %sum = tmm.row_reduce <add> %exp : f32
    %y = arith.divf %exp, %sum : f32
    %z = arith.truncf %y : f32 to bf16
    tmm.yield %z : bf16
  } -> tensor<2x3x40x24xbf16>
  %5 = tmm.matmul ins(%4, %k : tensor<2x3x40x24xbf16>, tensor<2x3x24x16xbf16>) outs(%o : tensor<2x3x40x16xf32>) -> tensor<2x3x40x16xf32>
  %6 = linalg.generic {indexing_maps = [#turned, #e], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%5 : tensor<2x3x40x16xf32>) outs(%r : tensor<2x40x3x16xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<2x40x3x16xf32>
  %7 = linalg.generic {indexing_maps = [#e, #e], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%6 : tensor<2x40x3x16xf32>) outs(%c : tensor<2x40x3x16xbf16>) {
  ^bb0(%in: f32, %out: bf16):
    %b = arith.truncf %in : f32 to bf16
    linalg.yield %b : bf16
  } -> tensor<2x40x3x16xbf16>
  return %7 : tensor<2x40x3x16xbf16>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// What is added to scores after their scale is a bias. A row that it hides is NaN, as softmax makes it.
// CHECK-LABEL: func @bias_of_scores(
// CHECK: tmm.attention %{{.*}} scale(2.000000e+00) bias(%{{.*}} : tensor<40x40xf32>) outs(%{{.*}} : tensor<40x64xf32>) {nan_if_hidden}
func.func @bias_of_scores(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40x40xf32>)
    -> tensor<40x64xf32> {
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0, %bias : tensor<40x40xf32>, tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e, #e] {
  ^bb0(%in: f32, %b: f32):
    %two = arith.constant 2.0 : f32
    %scaled = arith.mulf %in, %two : f32
    %x = arith.addf %b, %scaled : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @bias_of_epilogue(
// CHECK: tmm.attention %{{.*}} scale(1.000000e+00) bias(%{{.*}} : tensor<40x40xf32>)
func.func @bias_of_epilogue(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40x40xf32>)
    -> tensor<40x64xf32> {
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32> epilogue(%acc, %b = %bias : tensor<40x40xf32>) {
    %t = arith.addf %acc, %b : f32
    tmm.yield %t : f32
  }
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%x: f32):
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// One element for all rows.
// CHECK-LABEL: func @bias_of_keys(
// CHECK: %[[B:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, 40] : tensor<40xf16> into tensor<1x40xf16>
// CHECK: tmm.attention {{.*}} bias(%[[B]] : tensor<1x40xf16>)
func.func @bias_of_keys(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40xf16>)
    -> tensor<40x64xf32> {
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0, %bias : tensor<40x40xf32>, tensor<40xf16>) outs(%p : tensor<40x40xf16>) maps [#e, #c, #e] {
  ^bb0(%in: f32, %h: f16):
    %b = arith.extf %h : f16 to f32
    %x = arith.addf %in, %b : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @bias_turned(
// CHECK-NOT: tmm.attention
func.func @bias_turned(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40x40xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0, %bias : tensor<40x40xf32>, tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #r, #e] {
  ^bb0(%in: f32, %b: f32):
    %x = arith.addf %in, %b : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its bias has its dimensions in another order}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @bias_of_rows(
// CHECK-NOT: tmm.attention
func.func @bias_of_rows(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40x1xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0, %bias : tensor<40x40xf32>, tensor<40x1xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #m, #e] {
  ^bb0(%in: f32, %b: f32):
    %x = arith.addf %in, %b : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its bias has no element for each key}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @bias_of_f8(
// CHECK-NOT: tmm.attention
func.func @bias_of_f8(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40x40xf8E4M3FN>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0, %bias : tensor<40x40xf32>, tensor<40x40xf8E4M3FN>) outs(%p : tensor<40x40xf16>) maps [#e, #e, #e] {
  ^bb0(%in: f32, %h: f8E4M3FN):
    %b = arith.extf %h : f8E4M3FN to f32
    %x = arith.addf %in, %b : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its scores are added to another operand}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @bias_vector(
// CHECK: %[[B:.*]] = tensor.expand_shape %{{.*}} {{\[\[}}0, 1]] output_shape [1, 40] : tensor<40xf32> into tensor<1x40xf32>
// CHECK: tmm.attention {{.*}} bias(%[[B]] : tensor<1x40xf32>)
func.func @bias_vector(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40xf32>)
    -> tensor<40x64xf32> {
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32> epilogue(%acc, %b = %bias along n : tensor<40xf32>) {
    %t = arith.addf %acc, %b : f32
    tmm.yield %t : f32
  }
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%x: f32):
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @bias_of_queries(
// CHECK-NOT: tmm.attention
func.func @bias_of_queries(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32> epilogue(%acc, %b = %bias along m : tensor<40xf32>) {
    %t = arith.addf %acc, %b : f32
    tmm.yield %t : f32
  }
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%x: f32):
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its bias is no matrix, and no vector of a number for each key}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @two_operands(
// CHECK-NOT: tmm.attention
func.func @two_operands(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40x40xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0, %bias : tensor<40x40xf32>, tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e, #e] {
  ^bb0(%in: f32, %b: f32):
    %x = arith.mulf %in, %b : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its scale is no constant}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(b, h, i, j) -> (b, h, i, j)>
#b = affine_map<(b, h, i, j) -> (b, 0, j)>

// The batch of the products becomes that of the rows: what made it is read instead.
// CHECK-LABEL: func @heads(
// CHECK-SAME: %[[Q:[^:]*]]: tensor<2x3x40x16xbf16>, %[[K:[^:]*]]: tensor<6x24x16xbf16>, %[[M:[^:]*]]: tensor<2x1x24xbf16>
// CHECK-DAG: %[[SQUEEZED:.*]] = tensor.collapse_shape %[[M]] {{\[\[}}0, 1], [2]] : tensor<2x1x24xbf16> into tensor<2x24xbf16>
// CHECK-DAG: %[[BIAS:.*]] = tensor.expand_shape %[[SQUEEZED]] {{\[\[}}0], [1, 2, 3]] output_shape [2, 1, 1, 24]
// CHECK-DAG: %[[EXPANDED:.*]] = tensor.expand_shape %[[K]] {{\[\[}}0, 1], [2], [3]] output_shape [2, 3, 24, 16]
// CHECK: %[[R:.*]] = tmm.attention %[[Q]], %[[EXPANDED]], %{{.*}} scale(1.000000e+00) bias(%[[BIAS]] : tensor<2x1x1x24xbf16>)
// CHECK: %[[OUT:.*]] = tensor.collapse_shape %[[R]] {{\[\[}}0, 1], [2], [3]] : tensor<2x3x40x16xf32> into tensor<6x40x16xf32>
// CHECK: return %[[OUT]]
func.func @heads(%q: tensor<2x3x40x16xbf16>, %k: tensor<6x24x16xbf16>, %m: tensor<2x1x24xbf16>, %s: tensor<6x40x24xf32>,
                 %p: tensor<2x3x40x24xbf16>, %o: tensor<6x40x16xf32>) -> tensor<6x40x16xf32> {
  %a = tensor.collapse_shape %q [[0, 1], [2], [3]] : tensor<2x3x40x16xbf16> into tensor<6x40x16xbf16>
  %1 = tmm.matmul transpose_b ins(%a, %k : tensor<6x40x16xbf16>, tensor<6x24x16xbf16>) outs(%s : tensor<6x40x24xf32>) -> tensor<6x40x24xf32>
  %2 = tensor.expand_shape %1 [[0, 1], [2], [3]] output_shape [2, 3, 40, 24] : tensor<6x40x24xf32> into tensor<2x3x40x24xf32>
  %3 = tmm.rows ins(%m, %2 : tensor<2x1x24xbf16>, tensor<2x3x40x24xf32>) outs(%p : tensor<2x3x40x24xbf16>) maps [#b, #e, #e] {
  ^bb0(%b: bf16, %in: f32):
    %wide = arith.extf %b : bf16 to f32
    %x = arith.addf %in, %wide : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %exp = math.exp %d : f32
    %sum = tmm.row_reduce <add> %exp : f32
    %y = arith.divf %exp, %sum : f32
    %z = arith.truncf %y : f32 to bf16
    tmm.yield %z : bf16
  } -> tensor<2x3x40x24xbf16>
  %4 = tensor.collapse_shape %3 [[0, 1], [2], [3]] : tensor<2x3x40x24xbf16> into tensor<6x40x24xbf16>
  %5 = tmm.matmul ins(%4, %k : tensor<6x40x24xbf16>, tensor<6x24x16xbf16>) outs(%o : tensor<6x40x16xf32>) -> tensor<6x40x16xf32>
  return %5 : tensor<6x40x16xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @scores_of_another(
// CHECK-NOT: tmm.attention
func.func @scores_of_another(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40x40xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0, %bias : tensor<40x40xf32>, tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e, #e] {
  ^bb0(%in: f32, %b: f32):
    %two = arith.constant 2.0 : f32
    %x = arith.mulf %b, %two : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its scores are those of another operand}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @unread(
// CHECK-NOT: tmm.attention
func.func @unread(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40x40xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0, %bias : tensor<40x40xf32>, tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e, #e] {
  ^bb0(%in: f32, %b: f32):
    %two = arith.constant 2.0 : f32
    %x = arith.mulf %in, %two : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: it reads another operand}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @bias_of_f64(
// CHECK-NOT: tmm.attention
func.func @bias_of_f64(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40x40xf64>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0, %bias : tensor<40x40xf32>, tensor<40x40xf64>) outs(%p : tensor<40x40xf16>) maps [#e, #e, #e] {
  ^bb0(%in: f32, %h: f64):
    %b = arith.truncf %h : f64 to f32
    %x = arith.addf %in, %b : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its bias is not of bf16, f16 or f32}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>
#r = affine_map<(i, j) -> (j, i)>
#c = affine_map<(i, j) -> (j)>
#m = affine_map<(i, j) -> (i, 0)>

// CHECK-LABEL: func @two_biases(
// CHECK-NOT: tmm.attention
func.func @two_biases(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>, %bias: tensor<40x40xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32> epilogue(%acc, %b = %bias : tensor<40x40xf32>) {
    %t = arith.addf %acc, %b : f32
    tmm.yield %t : f32
  }
  %1 = tmm.rows ins(%0, %bias : tensor<40x40xf32>, tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e, #e] {
  ^bb0(%in: f32, %b: f32):
    %x = arith.addf %in, %b : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: it has more than one bias}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(b, i, j) -> (b, i, j)>

// CHECK-LABEL: func @fewer_batches(
// CHECK-NOT: tmm.attention
func.func @fewer_batches(%q: tensor<2x3x40x16xbf16>, %k: tensor<2x3x24x16xbf16>, %m: tensor<6x40x24xbf16>, %s: tensor<2x3x40x24xf32>,
                         %p: tensor<6x40x24xbf16>, %o: tensor<2x3x40x16xf32>) -> tensor<2x3x40x16xf32> {
  // expected-note @+1 {{of this product}}
  %1 = tmm.matmul transpose_b ins(%q, %k : tensor<2x3x40x16xbf16>, tensor<2x3x24x16xbf16>) outs(%s : tensor<2x3x40x24xf32>) -> tensor<2x3x40x24xf32>
  %2 = tensor.collapse_shape %1 [[0, 1], [2], [3]] : tensor<2x3x40x24xf32> into tensor<6x40x24xf32>
  %3 = tmm.rows ins(%2, %m : tensor<6x40x24xf32>, tensor<6x40x24xbf16>) outs(%p : tensor<6x40x24xbf16>) maps [#e, #e, #e] {
  ^bb0(%in: f32, %b: bf16):
    %wide = arith.extf %b : bf16 to f32
    %x = arith.addf %in, %wide : f32
    %max = tmm.row_reduce <maximumf> %x : f32
    %d = arith.subf %x, %max : f32
    %exp = math.exp %d : f32
    %sum = tmm.row_reduce <add> %exp : f32
    %y = arith.divf %exp, %sum : f32
    %z = arith.truncf %y : f32 to bf16
    tmm.yield %z : bf16
  } -> tensor<6x40x24xbf16>
  %4 = tensor.expand_shape %3 [[0, 1], [2], [3]] output_shape [2, 3, 40, 24] : tensor<6x40x24xbf16> into tensor<2x3x40x24xbf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its bias has another batch than its products}}
  %5 = tmm.matmul ins(%4, %k : tensor<2x3x40x24xbf16>, tensor<2x3x24x16xbf16>) outs(%o : tensor<2x3x40x16xf32>) -> tensor<2x3x40x16xf32>
  return %5 : tensor<2x3x40x16xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @equal_places(
// CHECK-NOT: tmm.attention
func.func @equal_places(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %c = arith.constant -1 : index
    %low = arith.constant 0xFF800000 : f32
    %sees = arith.cmpi eq, %j, %i : index
    %x = arith.select %sees, %in, %low : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its mask is none of row and column}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @added(
// CHECK-NOT: tmm.attention
func.func @added(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %c = arith.constant -1 : index
    %low = arith.constant 0xFF800000 : f32
    %one = arith.constant 1.0 : f32
    %sees = arith.cmpi sle, %j, %i : index
    %m = arith.select %sees, %one, %low : f32
    %x = arith.addf %in, %m : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its mask adds to keys that are seen}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @below_alone(
// CHECK-NOT: tmm.attention
func.func @below_alone(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %c = arith.constant -1 : index
    %low = arith.constant 0xFF800000 : f32
    %sees = arith.cmpi sge, %j, %i : index
    %x = arith.select %sees, %in, %low : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its mask has no last key of a row}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @nothing_seen(
// CHECK-NOT: tmm.attention
func.func @nothing_seen(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %c = arith.constant -1 : index
    %low = arith.constant 0xFF800000 : f32
    %sees = arith.cmpi sle, %j, %i : index
    %m = arith.select %sees, %in, %low : f32
    %i2 = arith.constant 3 : index
    %a = arith.addi %i, %i2 : index
    %far = arith.cmpi sgt, %j, %a : index
    %x = arith.select %far, %m, %low : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its rows see no key}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(b, i, j) -> (b, i, j)>

// CHECK-LABEL: func @shared(
// CHECK-NOT: tmm.attention
func.func @shared(%q: tensor<4x40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<4x40x64xf16>, %s: tensor<4x40x40xf32>, %p: tensor<4x40x40xf16>, %o: tensor<4x40x64xf32>)
    -> tensor<4x40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<4x40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<4x40x40xf32>) -> tensor<4x40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<4x40x40xf32>) outs(%p : tensor<4x40x40xf16>) maps [#e, #e] {
  ^bb0(%x: f32):
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<4x40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its operands have different batches}}
  %2 = tmm.matmul ins(%1, %v : tensor<4x40x40xf16>, tensor<4x40x64xf16>) outs(%o : tensor<4x40x64xf32>) -> tensor<4x40x64xf32>
  return %2 : tensor<4x40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @two_signs(
// CHECK-NOT: tmm.attention
func.func @two_signs(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %low = arith.constant -1.0e+30 : f32
    %f = arith.constant -1.0 : f32
    %sees = arith.cmpi sle, %j, %i : index
    %n = arith.mulf %in, %f : f32
    %m = arith.select %sees, %n, %low : f32
    %x = arith.mulf %m, %f : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its scale is not above 0}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @hidden_scaled(
// CHECK-NOT: tmm.attention
func.func @hidden_scaled(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %low = arith.constant -1.0e+30 : f32
    %f = arith.constant -1.0 : f32
    %sees = arith.cmpi sle, %j, %i : index
    %t = arith.constant 1.0e-30 : f32
    %m = arith.select %sees, %in, %low : f32
    %x = arith.mulf %m, %t : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its mask hides with another number than one below -1e30}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @narrow_places(
// CHECK-NOT: tmm.attention
func.func @narrow_places(%q: tensor<300x64xf16>, %k: tensor<300x64xf16>, %v: tensor<300x64xf16>, %s: tensor<300x300xf32>, %p: tensor<300x300xf16>, %o: tensor<300x64xf32>)
    -> tensor<300x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<300x64xf16>, tensor<300x64xf16>) outs(%s : tensor<300x300xf32>) -> tensor<300x300xf32>
  %1 = tmm.rows ins(%0 : tensor<300x300xf32>) outs(%p : tensor<300x300xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %i8 = arith.index_cast %i : index to i8
    %j8 = arith.index_cast %j : index to i8
    %low = arith.constant 0xFF800000 : f32
    %sees = arith.cmpi sle, %j8, %i8 : i8
    %x = arith.select %sees, %in, %low : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<300x300xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its mask is none of row and column}}
  %2 = tmm.matmul ins(%1, %v : tensor<300x300xf16>, tensor<300x64xf16>) outs(%o : tensor<300x64xf32>) -> tensor<300x64xf32>
  return %2 : tensor<300x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @far_diagonal(
// CHECK-NOT: tmm.attention
func.func @far_diagonal(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %low = arith.constant -1.0e+30 : f32
    %f = arith.constant -1.0 : f32
    %sees = arith.cmpi sle, %j, %i : index
    %c = arith.constant 4294967296 : index
    %a = arith.addi %i, %c : index
    %near = arith.cmpi sle, %j, %a : index
    %x = arith.select %near, %in, %low : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its mask is none of row and column}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @eight_bits(
// CHECK-NOT: tmm.attention
func.func @eight_bits(%q: tensor<40x64xf16>, %k: tensor<40x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %t = arith.truncf %in : f32 to f8E4M3FN
    %x = arith.extf %t : f8E4M3FN to f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its scores go through 'arith.extf'}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// CHECK-LABEL: func @empty(
// CHECK-NOT: tmm.attention
func.func @empty(%q: tensor<40x64xf16>, %k: tensor<0x64xf16>, %v: tensor<0x64xf16>, %s: tensor<40x0xf32>, %p: tensor<40x0xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<0x64xf16>) outs(%s : tensor<40x0xf32>) -> tensor<40x0xf32>
  %1 = tmm.rows ins(%0 : tensor<40x0xf32>) outs(%p : tensor<40x0xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %c1 = arith.constant 1.0 : f32
    %x = arith.mulf %in, %c1 : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x0xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its operands are empty}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x0xf16>, tensor<0x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(b, i, j) -> (b, i, j)>

// CHECK-LABEL: func @dynamic_batches(
// CHECK-NOT: tmm.attention
func.func @dynamic_batches(%q: tensor<?x40x64xf16>, %k: tensor<?x40x64xf16>, %v: tensor<?x40x64xf16>, %s: tensor<?x40x40xf32>, %p: tensor<?x40x40xf16>, %o: tensor<?x40x64xf32>)
    -> tensor<?x40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<?x40x64xf16>, tensor<?x40x64xf16>) outs(%s : tensor<?x40x40xf32>) -> tensor<?x40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<?x40x40xf32>) outs(%p : tensor<?x40x40xf16>) maps [#e, #e] {
  ^bb0(%in: f32):
    %c1 = arith.constant 1.0 : f32
    %x = arith.mulf %in, %c1 : f32
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<?x40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: its batches are known in the run alone, and may differ}}
  %2 = tmm.matmul ins(%1, %v : tensor<?x40x40xf16>, tensor<?x40x64xf16>) outs(%o : tensor<?x40x64xf32>) -> tensor<?x40x64xf32>
  return %2 : tensor<?x40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// A configuration that somebody chose is obeyed.
// CHECK-LABEL: func @configured(
// CHECK-NOT: tmm.attention
func.func @configured(%q: tensor<40x64xf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>) -> tensor<40x64xf32> {
  %0 = tmm.matmul transpose_b config <ring = <stages = 3>> ins(%q, %q : tensor<40x64xf16>, tensor<40x64xf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] {
  ^bb0(%x: f32):
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  %2 = tmm.matmul ins(%1, %q : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// As torch masks: the difference of places, rows without keys are 0, and what is rounded is the result.
// CHECK-LABEL: func @difference(
// CHECK: tmm.attention {{.*}} diagonal(3) outs(%{{.*}} : tensor<40x64xbf16>)
// CHECK-NOT: tmm.matmul
func.func @difference(%q: tensor<40x64xbf16>, %k: tensor<40x64xbf16>, %v: tensor<40x64xbf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xbf16>, %o: tensor<40x64xbf16>) -> tensor<40x64xbf16> {
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xbf16>, tensor<40x64xbf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xbf16>) maps [#e, #e] {
  ^bb0(%x: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %difference = arith.subi %j, %i : index
    %c3 = arith.constant 3 : index
    %sees = arith.cmpi sle, %difference, %c3 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.000000e+00 : f32
    %masked = arith.select %sees, %x, %low : f32
    %max = tmm.row_reduce <maximumf> %masked : f32
    %d = arith.subf %masked, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %empty = arith.cmpf oeq, %max, %low : f32
    %z = arith.select %empty, %zero, %y : f32
    %r = arith.truncf %z : f32 to bf16
    tmm.yield %r : bf16
  } -> tensor<40x40xbf16>
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xbf16>, tensor<40x64xbf16>) outs(%o : tensor<40x64xbf16>) -> tensor<40x64xbf16>
    epilogue(%acc) {
    %3 = arith.truncf %acc : f32 to bf16
    tmm.yield %3 : bf16
  }
  return %2 : tensor<40x64xbf16>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// A row that sees no key is the mean of all where a number hides them.
// CHECK-LABEL: func @hidden_by_a_number(
// CHECK-NOT: tmm.attention
func.func @hidden_by_a_number(%q: tensor<40x64xbf16>, %k: tensor<40x64xbf16>, %v: tensor<40x64xbf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xbf16>, %o: tensor<40x64xbf16>) -> tensor<40x64xbf16> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xbf16>, tensor<40x64xbf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xbf16>) maps [#e, #e] {
  ^bb0(%x: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %difference = arith.subi %j, %i : index
    %c3 = arith.constant -3 : index
    %sees = arith.cmpi sle, %difference, %c3 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.000000e+00 : f32
    %number = arith.constant -1.000000e+35 : f32
    %masked = arith.select %sees, %x, %number : f32
    %max = tmm.row_reduce <maximumf> %masked : f32
    %d = arith.subf %masked, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %empty = arith.cmpf oeq, %max, %low : f32
    %z = arith.select %empty, %zero, %y : f32
    %r = arith.truncf %z : f32 to bf16
    tmm.yield %r : bf16
  } -> tensor<40x40xbf16>
  // expected-remark @+1 {{a row may see no key}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xbf16>, tensor<40x64xbf16>) outs(%o : tensor<40x64xbf16>) -> tensor<40x64xbf16>
    epilogue(%acc) {
    %3 = arith.truncf %acc : f32 to bf16
    tmm.yield %3 : bf16
  }
  return %2 : tensor<40x64xbf16>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// The same with -infinity: 0, as attention computes.
// CHECK-LABEL: func @empty_rows(
// CHECK: tmm.attention {{.*}} diagonal(-3)
func.func @empty_rows(%q: tensor<40x64xbf16>, %k: tensor<40x64xbf16>, %v: tensor<40x64xbf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xbf16>, %o: tensor<40x64xbf16>) -> tensor<40x64xbf16> {
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xbf16>, tensor<40x64xbf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xbf16>) maps [#e, #e] {
  ^bb0(%x: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %difference = arith.subi %j, %i : index
    %c3 = arith.constant -3 : index
    %sees = arith.cmpi sle, %difference, %c3 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.000000e+00 : f32
    %masked = arith.select %sees, %x, %low : f32
    %max = tmm.row_reduce <maximumf> %masked : f32
    %d = arith.subf %masked, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %empty = arith.cmpf oeq, %max, %low : f32
    %z = arith.select %empty, %zero, %y : f32
    %r = arith.truncf %z : f32 to bf16
    tmm.yield %r : bf16
  } -> tensor<40x40xbf16>
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xbf16>, tensor<40x64xbf16>) outs(%o : tensor<40x64xbf16>) -> tensor<40x64xbf16>
    epilogue(%acc) {
    %3 = arith.truncf %acc : f32 to bf16
    tmm.yield %3 : bf16
  }
  return %2 : tensor<40x64xbf16>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// The difference may be negative, and is large then.
// CHECK-LABEL: func @unsigned_difference(
// CHECK-NOT: tmm.attention
func.func @unsigned_difference(%q: tensor<40x64xbf16>, %k: tensor<40x64xbf16>, %v: tensor<40x64xbf16>, %s: tensor<40x40xf32>, %p: tensor<40x40xbf16>, %o: tensor<40x64xbf16>) -> tensor<40x64xbf16> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xbf16>, tensor<40x64xbf16>) outs(%s : tensor<40x40xf32>) -> tensor<40x40xf32>
  %1 = tmm.rows ins(%0 : tensor<40x40xf32>) outs(%p : tensor<40x40xbf16>) maps [#e, #e] {
  ^bb0(%x: f32):
    %i = tmm.row_index 0
    %j = tmm.row_index 1
    %difference = arith.subi %j, %i : index
    %c3 = arith.constant 3 : index
    %sees = arith.cmpi ule, %difference, %c3 : index
    %low = arith.constant 0xFF800000 : f32
    %zero = arith.constant 0.000000e+00 : f32
    %masked = arith.select %sees, %x, %low : f32
    %max = tmm.row_reduce <maximumf> %masked : f32
    %d = arith.subf %masked, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %empty = arith.cmpf oeq, %max, %low : f32
    %z = arith.select %empty, %zero, %y : f32
    %r = arith.truncf %z : f32 to bf16
    tmm.yield %r : bf16
  } -> tensor<40x40xbf16>
  // expected-remark @+1 {{its mask is none of row and column}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xbf16>, tensor<40x64xbf16>) outs(%o : tensor<40x64xbf16>) -> tensor<40x64xbf16>
    epilogue(%acc) {
    %3 = arith.truncf %acc : f32 to bf16
    tmm.yield %3 : bf16
  }
  return %2 : tensor<40x64xbf16>
}

// -----

#e = affine_map<(i, j) -> (i, j)>

// Scores of fewer keys than the row has.
// CHECK-LABEL: func @padded(
// CHECK-NOT: tmm.attention
func.func @padded(%q: tensor<40x64xf16>, %k: tensor<32x64xf16>, %v: tensor<40x64xf16>, %s: tensor<40x32xf32>, %p: tensor<40x40xf16>, %o: tensor<40x64xf32>)
    -> tensor<40x64xf32> {
  // expected-note @+1 {{of this product}}
  %0 = tmm.matmul transpose_b ins(%q, %k : tensor<40x64xf16>, tensor<32x64xf16>) outs(%s : tensor<40x32xf32>) -> tensor<40x32xf32>
  %1 = tmm.rows ins(%0 : tensor<40x32xf32>) outs(%p : tensor<40x40xf16>) maps [#e, #e] pieces [array<i64: 1>] {
  ^bb0(%x: f32):
    %max = tmm.row_reduce <maxnumf> %x : f32
    %d = arith.subf %x, %max : f32
    %e = math.exp %d : f32
    %sum = tmm.row_reduce <add> %e : f32
    %y = arith.divf %e, %sum : f32
    %r = arith.truncf %y : f32 to f16
    tmm.yield %r : f16
  } -> tensor<40x40xf16>
  // expected-remark @+1 {{is no attention kernel with the product that its a is made of: it reads parts of tensors}}
  %2 = tmm.matmul ins(%1, %v : tensor<40x40xf16>, tensor<40x64xf16>) outs(%o : tensor<40x64xf32>) -> tensor<40x64xf32>
  return %2 : tensor<40x64xf32>
}
