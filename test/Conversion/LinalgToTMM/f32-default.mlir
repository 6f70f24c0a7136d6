// Products of f32 where nobody says how: the most exact form that matrix units have.
// RUN: tc-opt %s -convert-linalg-to-tmm -verify-diagnostics | FileCheck %s
// RUN: tc-opt %s -convert-linalg-to-tmm=f32=bf16x9 2>&1 > /dev/null | FileCheck %s --check-prefix=ASKED --allow-empty
// RUN: tc-opt %s -convert-linalg-to-tmm=f32=fma 2>&1 | FileCheck %s --check-prefix=FMA
// RUN: not tc-opt %s -convert-linalg-to-tmm=f32=refuse 2>&1 | FileCheck %s --check-prefix=REFUSED

// CHECK-LABEL: func.func @two(
// CHECK:         tmm.matmul {{.*}} : tensor<8x144xbf16>
// CHECK:         tmm.matmul {{.*}} : tensor<72x16xbf16>

// FMA:         remark: stays outside the matrix units, none of which multiplies 'f32'
// FMA-LABEL:   func.func @two(
// FMA-NOT:       tmm.matmul
// FMA:           linalg.matmul
// FMA:           linalg.contract

// ASKED-NOT: remark: multiplies

// REFUSED: error: 'linalg.matmul' op cannot become tmm.matmul: input 0: expected elements of 16 or 8 bits, or leave to multiply f32
func.func @two(%a: tensor<8x16xf32>, %b: tensor<16x24xf32>, %d: tensor<8x24xf32>, %c: tensor<8x24xf32>, %f: tensor<16x24xf32>) -> (tensor<8x24xf32>, tensor<16x24xf32>) {
  // expected-remark @below {{multiplies f32 as nine products of parts in bf16, each of which is exact (f32=bf16x9), as 1 more does; f32=tf32x3, bf16x3 or tf32 are faster, f32=fma takes no matrix unit}}
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x24xf32>) outs(%d : tensor<8x24xf32>) -> tensor<8x24xf32>
  %1 = linalg.contract indexing_maps = [affine_map<(m, n, k) -> (k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
      ins(%a, %c : tensor<8x16xf32>, tensor<8x24xf32>) outs(%f : tensor<16x24xf32>) -> tensor<16x24xf32>
  return %0, %1 : tensor<8x24xf32>, tensor<16x24xf32>
}
