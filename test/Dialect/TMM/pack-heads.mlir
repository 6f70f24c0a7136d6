// Heads that share K and V, with few rows each, become rows of one head.
// RUN: tc-opt %s --mlir-print-local-scope --tmm-pack-operands=chip=sm_90a | FileCheck %s

// One row: its dimension goes, whatever the order in memory.
// CHECK-LABEL: func @decode
// CHECK: %[[HEADS:.*]] = memref.expand_shape %{{.*}} {{\[\[0\], \[1, 2\], \[3\], \[4\]\]}} output_shape [2, 8, 4, 1, 64]
// CHECK: %[[Q:.*]] = memref.subview %[[HEADS]][0, 0, 0, 0, 0] [2, 8, 4, 1, 64] [1, 1, 1, 1, 1] : memref<2x8x4x1x64xbf16> to memref<2x8x4x64xbf16, strided<[2048, 256, 64, 1]>>
// CHECK: %[[LSE:.*]] = memref.subview %{{.*}} : memref<2x8x4x1xf32> to memref<2x8x4xf32, strided<[32, 4, 1]>>
// CHECK: tmm.attention %[[Q]], %{{.*}}, %{{.*}} scale(1.250000e-01) outs(%{{.*}} : memref<2x8x4x64xbf16, strided<[2048, 256, 64, 1]>>, %[[LSE]] : memref<2x8x4xf32, strided<[32, 4, 1]>>) :
func.func @decode(%q: memref<2x32x1x64xbf16>, %k: memref<2x8x?x64xbf16>, %v: memref<2x8x?x64xbf16>,
                  %o: memref<2x32x1x64xbf16>, %l: memref<2x32x1xf32>) {
  tmm.attention %q, %k, %v scale(1.250000e-01) outs(%o : memref<2x32x1x64xbf16>, %l : memref<2x32x1xf32>)
    : memref<2x32x1x64xbf16>, memref<2x8x?x64xbf16>, memref<2x8x?x64xbf16>
  return
}

// The rows of a head follow those of the one before it.
// CHECK-LABEL: func @few_rows
// CHECK: memref.collapse_shape %{{.*}} {{\[\[0\], \[1\], \[2, 3\], \[4\]\]}} : memref<?x8x4x5x64xbf16> into memref<?x8x20x64xbf16>
// CHECK: tmm.attention {{.*}} : memref<?x8x20x64xbf16>, memref<?x8x?x64xbf16>, memref<?x8x?x64xbf16>
func.func @few_rows(%q: memref<?x32x5x64xbf16>, %k: memref<?x8x?x64xbf16>, %v: memref<?x8x?x64xbf16>,
                    %o: memref<?x32x5x64xbf16>) {
  tmm.attention %q, %k, %v scale(1.250000e-01) outs(%o : memref<?x32x5x64xbf16>)
    : memref<?x32x5x64xbf16>, memref<?x8x?x64xbf16>, memref<?x8x?x64xbf16>
  return
}

// Rows before heads: K and V keep their maps.
// CHECK-LABEL: func @rows_first
// CHECK: tmm.attention {{.*}} outs(%{{.*}} : memref<2x8x4x64xbf16, {{.*}}>) maps [affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d2, d1, d3)>, affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>]
#rows = affine_map<(b, h, i, e) -> (b, i, h, e)>
func.func @rows_first(%q: memref<2x1x32x64xbf16>, %k: memref<2x?x8x64xbf16>, %v: memref<2x?x8x64xbf16>,
                      %o: memref<2x1x32x64xbf16>) {
  tmm.attention %q, %k, %v scale(1.250000e-01) outs(%o : memref<2x1x32x64xbf16>) maps [#rows, #rows, #rows, #rows]
    : memref<2x1x32x64xbf16>, memref<2x?x8x64xbf16>, memref<2x?x8x64xbf16>
  return
}

// A diagonal that hides nothing goes.
// CHECK-LABEL: func @last_token
// CHECK: tmm.attention %{{.*}}, %{{.*}}, %{{.*}} scale(1.250000e-01) outs(%{{.*}} : memref<8x4x64xbf16
func.func @last_token(%q: memref<32x1x64xbf16>, %k: memref<8x77x64xbf16>, %v: memref<8x77x64xbf16>, %o: memref<32x1x64xbf16>) {
  tmm.attention %q, %k, %v scale(1.250000e-01) diagonal(76) outs(%o : memref<32x1x64xbf16>)
    : memref<32x1x64xbf16>, memref<8x77x64xbf16>, memref<8x77x64xbf16>
  return
}

// Nothing to gain: as many tiles; or no view: heads lie between the rows of one head; or rows see other keys.
// CHECK-LABEL: func @kept
// CHECK-NOT: memref.expand_shape
// CHECK-COUNT-3: tmm.attention
// CHECK: return
func.func @kept(%q: memref<8x128x64xbf16>, %k: memref<2x77x64xbf16>, %q1: memref<5x8x64xbf16>, %k1: memref<?x2x64xbf16>,
                %q2: memref<8x2x64xbf16>) {
  tmm.attention %q, %k, %k scale(1.250000e-01) outs(%q : memref<8x128x64xbf16>)
    : memref<8x128x64xbf16>, memref<2x77x64xbf16>, memref<2x77x64xbf16>
  tmm.attention %q1, %k1, %k1 scale(1.250000e-01) outs(%q1 : memref<5x8x64xbf16>)
    maps [affine_map<(h, i, e) -> (i, h, e)>, affine_map<(h, i, e) -> (i, h, e)>, affine_map<(h, i, e) -> (i, h, e)>,
          affine_map<(h, i, e) -> (i, h, e)>]
    : memref<5x8x64xbf16>, memref<?x2x64xbf16>, memref<?x2x64xbf16>
  tmm.attention %q2, %k, %k scale(1.250000e-01) diagonal(75) outs(%q2 : memref<8x2x64xbf16>)
    : memref<8x2x64xbf16>, memref<2x77x64xbf16>, memref<2x77x64xbf16>
  return
}

// One row, and one head that all share, of the same distance: neither goes, the row joins the heads.
// CHECK-LABEL: func @one_shared
// CHECK: memref.expand_shape %{{.*}} {{\[\[0, 1\], \[2\], \[3\]\]}} output_shape [1, 2, 1, 256]
// CHECK: memref.collapse_shape %{{.*}} {{\[\[0\], \[1, 2\], \[3\]\]}}
// CHECK: tmm.attention {{.*}} : memref<1x2x256xbf16, {{.*}}>, memref<1x127x256xbf16>, memref<1x127x256xbf16>
func.func @one_shared(%q: memref<2x1x256xbf16, strided<[256, 512, 1]>>, %k: memref<1x127x256xbf16>,
                      %o: memref<2x1x256xbf16, strided<[256, 512, 1]>>) {
  tmm.attention %q, %k, %k scale(1.250000e-01) outs(%o : memref<2x1x256xbf16, strided<[256, 512, 1]>>)
    : memref<2x1x256xbf16, strided<[256, 512, 1]>>, memref<1x127x256xbf16>, memref<1x127x256xbf16>
  return
}
