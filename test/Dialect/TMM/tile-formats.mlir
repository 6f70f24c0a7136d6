// RUN: tc-opt %s --tmm-choose-config --tmm-tile --canonicalize --cse | FileCheck %s
// RUN: not tc-opt %s --tmm-choose-config --tmm-tile=chip=sm_90a 2>&1 | FileCheck %s --check-prefix=HOPPER

// What a thread holds is a row of a tile; a CTA for each tile, which the grid counts.
// HOPPER: error: 'tmm.encode' op expected a chip where a thread holds whole rows of a tile, got sm_90a

// CHECK-LABEL: func.func @first
// CHECK: gpu.launch_func @kernels::@first_encode blocks in (%{{.*}}, %{{.*}}, %{{.*}}) threads in (%c128
// CHECK: tmm.problem
func.func @first(%x: memref<200x128xbf16>, %q: memref<200x128xf8E4M3FN>, %sq: memref<2x1x32x4x4xf8E8M0FNU>,
                 %w: memref<136x128xf8E4M3FN>, %plain: memref<136x4xf8E8M0FNU>, %sw: memref<2x1x32x4x4xf8E8M0FNU>,
                 %d: memref<200x136xf32>, %factor: f32) {
  tmm.encode ins(%x : memref<200x128xbf16>) factor(%factor) outs(%q : memref<200x128xf8E4M3FN>) scale_d(%sq : memref<2x1x32x4x4xf8E8M0FNU>)
  tmm.interleave ins(%plain : memref<136x4xf8E8M0FNU>) outs(%sw : memref<2x1x32x4x4xf8E8M0FNU>)
  tmm.matmul transpose_b
    ins(%q, %w : memref<200x128xf8E4M3FN>, memref<136x128xf8E4M3FN>)
    scales(%sq, %sw : memref<2x1x32x4x4xf8E8M0FNU>, memref<2x1x32x4x4xf8E8M0FNU>) outs(%d : memref<200x136xf32>)
  return
}

// CHECK-LABEL: func.func @dynamic
// CHECK: scf.if
// CHECK: cf.assert %{{.*}}, "D must have the rows of X"
// CHECK: cf.assert %{{.*}}, "D must have the columns of X"
// CHECK: cf.assert %{{.*}}, "M must be at most 2147479552"
// CHECK: cf.assert %{{.*}}, "N must be at most 4194240"
// CHECK: cf.assert %{{.*}}, "N must be a multiple of 64, the K of the next matmul, as D has scale factors"
// CHECK: cf.assert %{{.*}}, "SFD must have a block for each 128 rows"
// CHECK: cf.assert %{{.*}}, "SFD must have a block for each 64 columns"
// CHECK: gpu.launch_func @kernels::@dynamic_encode
// CHECK: cf.assert %{{.*}}, "the blocks must be one for each 128 rows"
// CHECK: cf.assert %{{.*}}, "the blocks must be one for each 4 columns"
// CHECK: gpu.launch_func @kernels::@dynamic_interleave
func.func @dynamic(%x: memref<?x?xf32>, %q: memref<?x?xf4E2M1FN>, %s: memref<?x?x32x4x4xf8E4M3FN>,
                   %plain: memref<?x?xf8E4M3FN>, %t: memref<?x?x32x4x4xf8E4M3FN>) {
  tmm.encode ins(%x : memref<?x?xf32>) outs(%q : memref<?x?xf4E2M1FN>) scale_d(%s : memref<?x?x32x4x4xf8E4M3FN>)
  tmm.interleave ins(%plain : memref<?x?xf8E4M3FN>) outs(%t : memref<?x?x32x4x4xf8E4M3FN>)
  return
}

// CHECK-LABEL: gpu.func @first_encode
// CHECK: %[[X:.*]] = tmm.fetch %{{.*}} layout(#tcgen05.rows) : memref<200x128xbf16> -> vector<128x64xbf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[X]]
// CHECK: %[[Y:.*]] = arith.mulf %[[WIDE]]
// CHECK: %[[Q:.*]], %[[S:.*]] = tmm.quantize %[[Y]] : vector<128x64xf32> -> vector<128x64xf8E4M3FN>, vector<128x2xf8E8M0FNU>
// CHECK: tmm.store %[[Q]]
// CHECK: tmm.store %[[S]], %{{.*}} blocked
// CHECK-LABEL: gpu.func @first_interleave
// CHECK: tmm.fetch %{{.*}} : memref<136x4xf8E8M0FNU> -> vector<128x4xf8E8M0FNU>
// CHECK: tmm.store %{{.*}} blocked
