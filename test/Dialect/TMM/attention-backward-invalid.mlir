// RUN: tc-opt %s -split-input-file -verify-diagnostics

// tmm_attention_backward_c1
func.func @rank(%q: memref<8x64xf16>, %k: memref<2x8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{k: expected rank 2, got 3}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<2x8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @rank_of_lse(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8x1xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{lse: expected rank 1, got 2}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x1xf32>, memref<8xf32>
  return
}

// -----

func.func @columns(%q: memref<8x64xf16>, %k: memref<8x32xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x32xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected k of 64 elements along dimension 1, as q has, got 32}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x32xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x32xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @rows(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<9x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected v of 8 elements along dimension 0, as k has, got 9}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<9x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @gradient(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x32xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x32xf16>) {
  // expected-error @+1 {{expected grad of 32 elements along dimension 1, as v has, got 64}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x32xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x32xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @delta(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<9xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected delta of 8 elements along dimension 0, as q has, got 9}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<9xf32>
  return
}

// -----

func.func @output(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<7x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected dk of 8 elements along dimension 0, as k has, got 7}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<7x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @batches(%q: memref<6x8x64xf16>, %k: memref<4x8x64xf16>, %v: memref<4x8x64xf16>, %g: memref<6x8x64xf16>, %l: memref<6x8xf32>, %d: memref<6x8xf32>, %dq: memref<6x8x64xf16>, %dk: memref<4x8x64xf16>, %dv: memref<4x8x64xf16>) {
  // expected-error @+1 {{expected k of a divisor of 6 elements along dimension 0, got 4}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<6x8x64xf16>) dk_dv(%dk, %dv : memref<4x8x64xf16>, memref<4x8x64xf16>)
    : memref<6x8x64xf16>, memref<4x8x64xf16>, memref<4x8x64xf16>, memref<6x8x64xf16>, memref<6x8xf32>, memref<6x8xf32>
  return
}

// -----

// tmm_attention_backward_c2
func.func @type(%q: memref<8x64xf32>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected q of bf16 or f16, got 'f32'}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf32>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @types(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xbf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected grad of 'f16', as q is, got 'bf16'}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xbf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @lse_type(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf16>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected lse of f32, got 'f16'}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf16>, memref<8xf32>
  return
}

// -----

func.func @out(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xbf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected dq of 'f16' or f32, got 'bf16'}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xbf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @outs(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf32>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected dv of 'f32', as dk is, got 'f16'}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf32>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

// tmm_attention_backward_c3
func.func @scale(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected a finite scale above 0, got -1.000000e+00}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(-1.0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @window(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected a diagonal with a window, got none: diagonal(0) is that of causal attention}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) window(4) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @small_window(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected a window of at least 1, got 0}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) diagonal(0) window(0) dq(%dq : memref<8x64xf16>) dk_dv(%dk, %dv : memref<8x64xf16>, memref<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

// tmm_attention_backward_c4
func.func @result(%q: tensor<8x64xf16>, %l: tensor<8xf32>) {
  // expected-error @+1 {{expected a result for each output that is a tensor, of its type, got }}
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dq(%q : tensor<8x64xf16>)
    : tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>, tensor<8x64xf16>, tensor<8xf32>, tensor<8xf32>
  return
}

// -----

func.func @mixed(%q: memref<8x64xf16>, %l: memref<8xf32>, %o: tensor<8x64xf16>) {
  // expected-error @+1 {{expected outputs that are all tensors or all memrefs, got }}
  %r = tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dk_dv(%q, %o : memref<8x64xf16>, tensor<8x64xf16>)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32> -> tensor<8x64xf16>
  return
}

// -----

// tmm_attention_backward_c5
func.func @none(%q: memref<8x64xf16>, %k: memref<8x64xf16>, %v: memref<8x64xf16>, %g: memref<8x64xf16>, %l: memref<8xf32>, %d: memref<8xf32>, %dq: memref<8x64xf16>, %dk: memref<8x64xf16>, %dv: memref<8x64xf16>) {
  // expected-error @+1 {{expected dq, or dk and dv, or all three as outputs, got none}}
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0)
    : memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>
  return
}

// -----

func.func @alone(%q: memref<8x64xf16>, %l: memref<8xf32>) {
  // expected-error @+1 {{expected dq, or dk and dv, or all three as outputs, got dk alone}}
  "tmm.attention_backward"(%q, %q, %q, %q, %l, %l, %q) <{operandSegmentSizes = array<i32: 1, 1, 1, 1, 1, 1, 0, 1, 0>, scale = 1.0 : f32}>
    : (memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8x64xf16>, memref<8xf32>, memref<8xf32>, memref<8x64xf16>) -> ()
  return
}
