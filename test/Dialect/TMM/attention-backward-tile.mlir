// RUN: tc-opt %s -tmm-split-k=chip=sm_90a -tmm-tile=chip=sm_90a | FileCheck %s

// Two kernels, no memory beside the outputs. What the host checks, the kernels' arguments and the grids.
// CHECK-LABEL: func.func @dynamic(
// CHECK-DAG: cf.assert %{{.*}}, "q and grad must have as many rows"
// CHECK-DAG: cf.assert %{{.*}}, "q and lse must have as many rows"
// CHECK-DAG: cf.assert %{{.*}}, "q and delta must have the same batch"
// CHECK-DAG: cf.assert %{{.*}}, "k and v must have as many rows"
// CHECK-DAG: cf.assert %{{.*}}, "k and dk must have the same batch"
// CHECK-DAG: cf.assert %{{.*}}, "k and dv must have as many rows"
// CHECK-DAG: cf.assert %{{.*}}, "the batch of k must divide that of q"
// CHECK-DAG: cf.assert %{{.*}}, "q and k must have at most 536870911 rows"
// CHECK: gpu.launch_func @kernels::@dynamic_attention_dk_dv
// CHECK-SAME: i32, {{.*}}i32, {{.*}}i32, {{.*}}i32, {{.*}}memref<i32>
// CHECK-DAG: cf.assert %{{.*}}, "q and dq must have as many rows"
// CHECK: gpu.launch_func @kernels::@dynamic_attention_dq
func.func @dynamic(%q: memref<?x?x64xbf16>, %k: memref<?x?x64xbf16>, %v: memref<?x?x64xbf16>, %g: memref<?x?x64xbf16>, %l: memref<?x?xf32>, %d: memref<?x?xf32>,
                   %dq: memref<?x?x64xf32>, %dk: memref<?x?x64xbf16>, %dv: memref<?x?x64xbf16>) {
  tmm.attention_backward %q, %k, %v, %g, %l, %d scale(1.0) diagonal(0)
    dq(%dq : memref<?x?x64xf32>) dk_dv(%dk, %dv : memref<?x?x64xbf16>, memref<?x?x64xbf16>)
    : memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?x64xbf16>, memref<?x?xf32>, memref<?x?xf32>
  return
}

// 8 heads of 64 tiles of keys: more than there are multiprocessors.
// CHECK-LABEL: func.func @long(
// CHECK: gpu.launch_func @kernels::@long_attention_dk_dv blocks in (%c132
func.func @long(%q: memref<8x8192x128xbf16>, %l: memref<8x8192xf32>, %o: memref<8x8192x128xbf16>) {
  tmm.attention_backward %q, %q, %q, %q, %l, %l scale(1.0) dk_dv(%o, %o : memref<8x8192x128xbf16>, memref<8x8192x128xbf16>)
    : memref<8x8192x128xbf16>, memref<8x8192x128xbf16>, memref<8x8192x128xbf16>, memref<8x8192x128xbf16>, memref<8x8192xf32>, memref<8x8192xf32>
  return
}

// CHECK-LABEL: gpu.func @dynamic_attention_dk_dv
// CHECK: tmm.role "consumer" warps(8) registers(240)
// CHECK: tmm.role "load" warps(1) registers(24) drives [#sm90.tma, #sm90.counter]

// A block is read by both dimensions, and nothing between the products is in memory.
// CHECK-LABEL: gpu.func @long_attention_dk_dv
// CHECK: tmm.load %[[K:.*]][
// CHECK: tmm.load %[[V:.*]][
// CHECK: scf.for
// CHECK: %[[Q:.*]] = tmm.alloc stages(4) late_release : !bf16_64x128_smem
// CHECK: %[[G:.*]] = tmm.alloc stages(4) late_release : !bf16_64x128_smem
// CHECK: %[[S:.*]] = tmm.mma %{{.*}}, %[[Q]], %{{.*}}
// CHECK: %[[DP:.*]] = tmm.mma %{{.*}}, %[[G]], %{{.*}}
// CHECK: %[[P:.*]] = math.exp2
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[P]]
// CHECK: tmm.mma %[[ROUNDED]], %[[G]] transposed
// CHECK: %[[DS:.*]] = arith.mulf %[[P]], %[[DP]]
// CHECK: %[[ROUNDED_DS:.*]] = arith.truncf %[[DS]]
// CHECK: tmm.mma %[[ROUNDED_DS]], %[[Q]] transposed
