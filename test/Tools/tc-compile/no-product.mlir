// What is no product of a matrix unit becomes plain kernels; where it looks like a product, a
// remark says why it is none.
// RUN: split-file %s %t
// RUN: tc-compile %t/outer.mlir -o %t/out.ptx 2>&1 | count 0
// RUN: FileCheck %s --check-prefix=PTX < %t/out.ptx
// RUN: tc-compile %t/diagonal.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=DIAGONAL
// RUN: tc-compile %t/dots.mlir -o %t/out.ptx 2>&1 | count 0
// PTX: .visible .entry outer_generic(
// DIAGONAL: diagonal.mlir:2:3: remark: is no product of a matrix unit, but a plain kernel: expected operands that are indexed by different dimensions each, got (d0, d1, d2) -> (d0, d2, d0)

//--- outer.mlir
#a = affine_map<(m, n) -> (m)>
#b = affine_map<(m, n) -> (n)>
#d = affine_map<(m, n) -> (m, n)>
func.func @outer(%a: tensor<64xf32>, %b: tensor<32xf32>, %d: tensor<64x32xf32>) -> tensor<64x32xf32> {
  %zero = arith.constant 0.0 : f32
  %o = linalg.fill ins(%zero : f32) outs(%d : tensor<64x32xf32>) -> tensor<64x32xf32>
  %r = linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<64xf32>, tensor<32xf32>) outs(%o : tensor<64x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  } -> tensor<64x32xf32>
  return %r : tensor<64x32xf32>
}

//--- diagonal.mlir
func.func @diagonal(%a: memref<8x64x8xf32>, %b: memref<64x32xf32>, %d: memref<8x32xf32>) {
  linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k, m)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
                  iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : memref<8x64x8xf32>, memref<64x32xf32>) outs(%d : memref<8x32xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %0 = arith.mulf %x, %y : f32
    %1 = arith.addf %s, %0 : f32
    linalg.yield %1 : f32
  }
  return
}

//--- dots.mlir
func.func @dots(%a: memref<8x64xbf16>, %b: memref<8x64xbf16>, %d: memref<8xf32>) {
  linalg.contract indexing_maps = [affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m, k)>, affine_map<(m, k) -> (m)>]
      ins(%a, %b : memref<8x64xbf16>, memref<8x64xbf16>) outs(%d : memref<8xf32>)
  return
}
