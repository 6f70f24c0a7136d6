// RUN: tc-opt %s -split-input-file -verify-diagnostics

// tmm_problem_c1
func.func @tensors(%a: tensor<8x8xbf16>, %d: tensor<8x8xf32>) {
  // expected-error @+1 {{expected memref operands, as the launch takes, got D of type 'tensor<8x8xf32>'}}
  tmm.problem ins(%a, %a : tensor<8x8xbf16>, tensor<8x8xbf16>) outs(%d : tensor<8x8xf32>)
  return
}

// -----

// The rules of tmm.matmul: here tmm_matmul_c10 ...
func.func @sizes(%a: memref<8x16xbf16>, %b: memref<8x8xbf16>, %d: memref<8x8xf32>) {
  // expected-error @+1 {{operand B: expected K = 16 as in A in dimension 0, got 8}}
  tmm.problem ins(%a, %b : memref<8x16xbf16>, memref<8x8xbf16>) outs(%d : memref<8x8xf32>)
  return
}

// -----

// ... and tmm_epilogue_c11.
func.func @yield(%a: memref<8x8xbf16>, %d: memref<8x8xbf16>) {
  // expected-error @+1 {{expected the epilogue to end in tmm.yield of the element type of D, 'bf16'}}
  tmm.problem ins(%a, %a : memref<8x8xbf16>, memref<8x8xbf16>) outs(%d : memref<8x8xbf16>)
      epilogue(%acc) {
    tmm.yield %acc : f32
  }
  return
}
