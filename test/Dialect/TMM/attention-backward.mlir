// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt %s -mlir-print-op-generic | tc-opt | FileCheck %s

// CHECK-LABEL: func @memrefs
func.func @memrefs(%q: memref<8x?x64xbf16>, %k: memref<2x?x64xbf16>, %v: memref<2x?x128xbf16>, %g: memref<8x?x128xbf16>,
                   %l: memref<8x?xf32>, %dq: memref<8x?x64xf32>, %dk: memref<2x?x64xbf16>, %dv: memref<2x?x128xbf16>) {
  // CHECK: tmm.attention_backward %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} scale(1.250000e-01) diagonal(-3) window(100) dq(%{{.*}} : memref<8x?x64xf32>) :
  tmm.attention_backward %q, %k, %v, %g, %l, %l scale(1.250000e-01) diagonal(-3) window(100) dq(%dq : memref<8x?x64xf32>)
    : memref<8x?x64xbf16>, memref<2x?x64xbf16>, memref<2x?x128xbf16>, memref<8x?x128xbf16>, memref<8x?xf32>, memref<8x?xf32>
  // CHECK: scale(1.000000e+00) dk_dv(%{{.*}}, %{{.*}} : memref<2x?x64xbf16>, memref<2x?x128xbf16>) :
  tmm.attention_backward %q, %k, %v, %g, %l, %l scale(1.0) dk_dv(%dk, %dv : memref<2x?x64xbf16>, memref<2x?x128xbf16>)
    : memref<8x?x64xbf16>, memref<2x?x64xbf16>, memref<2x?x128xbf16>, memref<8x?x128xbf16>, memref<8x?xf32>, memref<8x?xf32>
  return
}

// CHECK-LABEL: func @tensors
func.func @tensors(%q: tensor<64x64xf16>, %l: tensor<64xf32>, %o: tensor<64x64xf16>) -> (tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>) {
  // CHECK: scale(1.000000e+00) diagonal(0) dq(%{{.*}} : tensor<64x64xf16>) dk_dv(%{{.*}}, %{{.*}} : tensor<64x64xf16>, tensor<64x64xf16>) : {{.*}} -> tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>
  %r:3 = tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) diagonal(0)
    dq(%o : tensor<64x64xf16>) dk_dv(%o, %o : tensor<64x64xf16>, tensor<64x64xf16>)
    : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>, tensor<64xf32>, tensor<64xf32> -> tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>
  return %r#0, %r#1, %r#2 : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf16>
}
