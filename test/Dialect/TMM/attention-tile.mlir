// RUN: tc-opt %s -tmm-tile=chip=sm_90a | FileCheck %s

// What the host checks, the kernel's arguments and the grid. CTAs count the tiles of a launch whose tiles differ.
// CHECK: memref.global "private" @dynamic_attention_counter : memref<i32>
// CHECK-LABEL: func.func @dynamic(
// CHECK-DAG: cf.assert %{{.*}}, "k and v must have as many rows"
// CHECK-DAG: cf.assert %{{.*}}, "q and o must have as many rows"
// CHECK-DAG: cf.assert %{{.*}}, "k and v must have the same batch"
// CHECK-DAG: cf.assert %{{.*}}, "q and o must have the same batch"
// CHECK-DAG: cf.assert %{{.*}}, "the batch of k must divide that of q"
// CHECK-DAG: cf.assert %{{.*}}, "q and lse must have the same rows"
// CHECK-DAG: cf.assert %{{.*}}, "q and k must have at most 536870911 rows"
// CHECK: gpu.launch_func @kernels::@dynamic_attention
// CHECK-SAME: memref<?x?x1xf32>
// CHECK-SAME: i32, {{.*}}i32, {{.*}}i32, {{.*}}i32, {{.*}}memref<i32>
func.func @dynamic(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %v: memref<?x?x64xbf16>, %o: memref<?x?x64xbf16>, %lse: memref<?x?xf32>) {
  tmm.attention %q, %k, %v scale(1.0) diagonal(0) outs(%o : memref<?x?x64xbf16>, %lse : memref<?x?xf32>)
    : memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>
  return
}

// Long enough for blocks of 176 keys; tiles are shared out.
// CHECK-LABEL: func.func @long(
// CHECK: gpu.launch_func @kernels::@long_attention blocks in (%c132
func.func @long(%q: memref<8x8192x128xbf16>, %o: memref<8x8192x128xbf16>) {
  tmm.attention %q, %q, %q scale(1.0) outs(%o : memref<8x8192x128xbf16>) : memref<8x8192x128xbf16>, memref<8x8192x128xbf16>, memref<8x8192x128xbf16>
  return
}

// Few queries: one warpgroup, and two CTAs on each multiprocessor.
// CHECK-LABEL: func.func @few(
// CHECK: gpu.launch_func @kernels::@few_attention blocks in (%c264
func.func @few(%q: memref<512x4x128xbf16>, %k: memref<512x8192x128xbf16>, %o: memref<512x4x128xbf16>) {
  tmm.attention %q, %k, %k scale(1.0) outs(%o : memref<512x4x128xbf16>) : memref<512x4x128xbf16>, memref<512x8192x128xbf16>, memref<512x8192x128xbf16>
  return
}

// CHECK-LABEL: func.func @bias(
// CHECK: cf.assert %{{.*}}, "bias must have a column for each row of k"

// CHECK-LABEL: gpu.func @dynamic_attention
// CHECK: tmm.role "consumer" warps(8) registers(240)
// CHECK: tmm.role "load" warps(1) registers(24) drives [#sm90.tma, #sm90.counter]
// CHECK: tmm.role "idle" warps(3) registers(24)
// CHECK-LABEL: gpu.func @long_attention
// CHECK: tmm.alloc {{.*}}: !bf16_176x128_smem
// CHECK-LABEL: gpu.func @few_attention
// CHECK: tmm.role "consumer" warps(4) registers(208)
// CHECK: tmm.role "load" warps(1) registers(40)
// CHECK: tmm.alloc {{.*}}: !bf16_64x128_smem

// A bias of keys alone is read as a vector, 32 columns at a time; scores are in their own unit.
// CHECK-LABEL: gpu.func @bias_attention
// CHECK: %[[S:.*]] = tmm.mma
// CHECK: tmm.resume
// CHECK: %[[B:.*]] = tmm.fetch %{{.*}}[%{{.*}}, %{{.*}}] batch(%{{.*}}, %{{.*}}) along n in_bounds [true, false] {{.*}} : memref<8x1x?xbf16> -> vector<128x32xbf16>
// CHECK: %[[W:.*]] = arith.extf %[[B]] : vector<128x32xbf16> to vector<128x32xf32>
// CHECK: %[[C:.*]] = tmm.extract_columns %[[S]][%{{.*}}] :
// CHECK: %[[A:.*]] = math.fma %[[C]], %{{.*}}, %[[W]]
// CHECK: tmm.insert_columns %[[A]], %[[S]][%{{.*}}] :
// CHECK: tmm.reduce <maxnumf>
// CHECK: arith.addf
// CHECK: math.exp2
func.func @bias(%q: memref<8x8192x128xbf16>, %k: memref<8x?x128xbf16>, %o: memref<8x8192x128xbf16>, %b: memref<8x1x?xbf16>) {
  tmm.attention %q, %k, %k scale(1.0) bias(%b : memref<8x1x?xbf16>) outs(%o : memref<8x8192x128xbf16>) : memref<8x8192x128xbf16>, memref<8x?x128xbf16>, memref<8x?x128xbf16>
  return
}
