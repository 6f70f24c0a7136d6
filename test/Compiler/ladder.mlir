// The rungs of docs/Ladder.md: what each flag changes in the IR. The flag sets
// are those of benchmarks/ladder, which runs them as well.

// DEFINE: %{one} = tile=128x256x64 cta-group=1 accumulator-stages=1 raster=0 sms=65536 epilogue=direct
// DEFINE: %{pair} = tile=256x256x64 cta-group=2 epilogue=direct raster=0 roles=specialized stages=7

// RUN: tc-compile %s --emit=roles --config="%{one} roles=none stages=1 swizzle=none" | FileCheck %s --check-prefix=V1
// RUN: tc-compile %s --emit=roles --config="%{one} roles=none stages=1 swizzle=128B" | FileCheck %s --check-prefix=V2
// RUN: tc-compile %s --emit=roles --config="%{one} roles=none stages=4 swizzle=128B" | FileCheck %s --check-prefix=V3
// RUN: tc-compile %s --emit=roles --config="%{one} roles=specialized stages=4 swizzle=128B" | FileCheck %s --check-prefix=V4
// RUN: tc-compile %s --emit=roles --config="%{pair} accumulator-stages=1 sms=65536" | FileCheck %s --check-prefix=V5
// RUN: tc-compile %s --emit=roles --config="%{pair} accumulator-stages=2 sms=148" | FileCheck %s --check-prefix=V6
// RUN: tc-compile %s --emit=roles --config="epilogue=direct" | FileCheck %s --check-prefix=V7
// RUN: tc-compile %s --emit=roles | FileCheck %s --check-prefix=V8

// RUN: %python %tc_source/benchmarks/ladder --build %tc_build --run
// RUN: %python %tc_source/benchmarks/ladder --build %tc_build --check
// RUN: %python %tc_source/benchmarks/ladder --build %tc_build --ir %t.md
// RUN: FileCheck %s --check-prefix=PAGE < %t.md

// V1-NOT: warp_specialize
// V1: !bf16_128x64_smem = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, none>>
// V1: !bf16_256x64_smem = !tmm.buffer<256x64xbf16, #sm90.smem<k_major, none>>
// V1: !ring_1_smem = !tmm.pipeline<(!bf16_128x64_smem, !bf16_256x64_smem), depth = 1>
// V1: tmm.pipeline : !ring_1_smem
// V2-NOT: warp_specialize
// V2: !bf16_128x64_smem = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
// V2: !bf16_256x64_smem = !tmm.buffer<256x64xbf16, #sm90.smem<k_major, b128>>
// V2: tmm.pipeline : !ring_1_smem
// V3-NOT: warp_specialize
// V3: !ring_4_smem = !tmm.pipeline<(!bf16_128x64_smem, !bf16_256x64_smem), depth = 4>
// V3: tmm.pipeline stages(4) : !ring_4_smem
// Three blocks are loaded before the loop, and three ahead in it.
// V3: %[[END:.*]] = arith.minsi %[[COUNT:.*]], %c3_i32
// V3: %[[FRONT:.*]] = scf.for %{{.*}} = %c0_i32 to %[[END]]
// V3: scf.for %{{.*}} = %c0_i32 to %[[COUNT]] step %c1_i32
// V3-SAME: iter_args(%{{.*}} = %[[FRONT]],
// V3: tmm.mma
// V3: scf.if
// V3: tmm.load
// One CTA for each of 32 x 16 tiles.
// V4: %[[TILES:.*]] = arith.constant 512 : index
// V4: gpu.launch_func @kernels::@matmul_matmul blocks in (%[[TILES]],
// V4: tmm.pipeline : !ring_1_tmem
// V4: tmm.warp_specialize
// V5: !f32_128x256_tmem = !tmm.buffer<128x256xf32, #tcgen05.tmem<ctas = 2>>
// V5: !ring_1_tmem = !tmm.pipeline<(!f32_128x256_tmem), depth = 1>
// V5: !ring_7_smem = !tmm.pipeline<(!bf16_128x64_smem, !bf16_128x64_smem), depth = 7>
// V5: %[[CTAS:.*]] = arith.constant 512 : index
// V5: gpu.launch_func @kernels::@matmul_matmul clusters in (%{{.*}}, %{{.*}}, %{{.*}}) blocks in (%[[CTAS]],
// V5: tmm.pipeline stages(7) : !ring_7_smem
// V5: tmm.pipeline : !ring_1_tmem
// V5: tmm.mma {{.*}} over #tmm.ctas<2, along = [0]>
// V6: %[[CTAS:.*]] = arith.constant 148 : index
// V6: gpu.launch_func @kernels::@matmul_matmul clusters in (%{{.*}}, %{{.*}}, %{{.*}}) blocks in (%[[CTAS]],
// V6: tmm.pipeline stages(2) : !ring_2_tmem
// Four waves of 64 pairs.
// V7: %[[CTAS:.*]] = arith.constant 128 : index
// V7: gpu.launch_func @kernels::@matmul_matmul clusters in (%{{.*}}, %{{.*}}, %{{.*}}) blocks in (%[[CTAS]],
// V7: tmm.scheduler #tmm.static<raster = 8>
// V7: tmm.store
// A ring of two store buffers costs one slot of the ring of A and B; the accumulator
// is released before the last columns are stored.
// V8: !bf16_128x32_smem = !tmm.buffer<128x32xbf16, #sm90.smem<n_major, b64>>
// V8: !ring_2_smem = !tmm.pipeline<(!bf16_128x32_smem), depth = 2>
// V8: tmm.pipeline stages(2) : !ring_2_smem
// V8: tmm.pipeline stages(6) : !ring_6_smem
// V8: tmm.read
// V8: tmm.consumer_release
// V8: tmm.stage
// V8: tmm.unload

// PAGE: ## convert-linalg-to-tmm
// PAGE: tmm.matmul
// PAGE: ## tmm-choose-config
// PAGE: cta_group = 2
// PAGE: ## tmm-tile
// PAGE: tmm.load
// PAGE: ## tmm-materialize-pipelines
// PAGE: depth = 1
// PAGE: ## tmm-release-early
// PAGE: ## tmm-pipeline
// PAGE: depth = 7
// PAGE: ## tmm-warp-specialize
// PAGE: tmm.warp_specialize
// PAGE: ## convert-tmm-kernel-interface-to-sm90
// PAGE: sm90.tensor_map.encode
// PAGE: ## tmm-distribute
// PAGE: ## convert-tmm-tiles
// PAGE: tcgen05.mma
// PAGE: ## PTX: the load loop
// PAGE: cp.async.bulk.tensor
// PAGE: ## PTX: the MMA loop
// PAGE: tcgen05.mma.cta_group::2

func.func @matmul(%a: memref<4096x4096xbf16>, %b: memref<4096x4096xbf16>, %d: memref<4096x4096xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<4096x4096xbf16>, memref<4096x4096xbf16>) outs(%d : memref<4096x4096xbf16>)
  return
}
