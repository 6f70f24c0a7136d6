// RUN: tc-opt %s | tc-opt | FileCheck %s

// CHECK: #[[$ROWS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>

// CHECK-LABEL: func @memrefs
func.func @memrefs(%q: memref<?x64xbf16>, %k: memref<?x64xbf16>, %v: memref<?x128xbf16>, %o: memref<?x128xf32>,
                   %lse: memref<?xf32>) {
  // CHECK: tmm.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.250000e-01) diagonal(-3) window(100) outs(%{{.*}} : memref<?x128xf32>, %{{.*}} : memref<?xf32>) : memref<?x64xbf16>, memref<?x64xbf16>, memref<?x128xbf16>
  tmm.attention %q, %k, %v scale(1.250000e-01) diagonal(-3) window(100) outs(%o : memref<?x128xf32>, %lse : memref<?xf32>)
    : memref<?x64xbf16>, memref<?x64xbf16>, memref<?x128xbf16>
  return
}

#rows = affine_map<(b, h, i, e) -> (b, i, h, e)>

// CHECK-LABEL: func @tensors
func.func @tensors(%q: tensor<2x?x8x64xf16>, %k: tensor<2x?x2x64xf16>, %o: tensor<2x?x8x64xf16>) -> tensor<2x?x8x64xf16> {
  // CHECK: tmm.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.000000e+00) outs(%{{.*}} : tensor<2x?x8x64xf16>) maps [#[[$ROWS]], #[[$ROWS]], #[[$ROWS]], #[[$ROWS]]]
  %r = tmm.attention %q, %k, %k scale(1.000000e+00) outs(%o : tensor<2x?x8x64xf16>) maps [#rows, #rows, #rows, #rows]
    : tensor<2x?x8x64xf16>, tensor<2x?x2x64xf16>, tensor<2x?x2x64xf16> -> tensor<2x?x8x64xf16>
  return %r : tensor<2x?x8x64xf16>
}

#same = affine_map<(b, h, i, e) -> (b, h, i, e)>

// A bias is the last operand, with lse and without; its map is the last one.
// CHECK-LABEL: func @biases
func.func @biases(%q: memref<2x8x?x64xf16>, %o: memref<2x8x?x64xf16>, %lse: memref<2x8x?xf32>, %keys: memref<2x1x1x?xf32>, %t: memref<2x?x8x64xf16>) {
  // CHECK: tmm.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.000000e+00) diagonal(0) bias(%{{.*}} : memref<2x1x1x?xf32>) outs(%{{.*}} : memref<2x8x?x64xf16>, %{{.*}} : memref<2x8x?xf32>) {nan_if_hidden} : memref
  tmm.attention %q, %q, %q scale(1.0) diagonal(0) bias(%keys : memref<2x1x1x?xf32>) outs(%o : memref<2x8x?x64xf16>, %lse : memref<2x8x?xf32>) {nan_if_hidden}
    : memref<2x8x?x64xf16>, memref<2x8x?x64xf16>, memref<2x8x?x64xf16>
  // CHECK: tmm.attention {{.*}} bias(%{{.*}} : memref<2x1x1x?xf32>) outs(%{{.*}} : memref<2x8x?x64xf16>) maps [{{.*}}] : memref
  tmm.attention %t, %q, %q scale(1.0) bias(%keys : memref<2x1x1x?xf32>) outs(%o : memref<2x8x?x64xf16>) maps [#rows, #same, #same, #same, #same]
    : memref<2x?x8x64xf16>, memref<2x8x?x64xf16>, memref<2x8x?x64xf16>
  return
}
