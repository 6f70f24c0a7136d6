// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -tmm-tile -canonicalize | FileCheck %s

// A matmul with dynamic M and K: the host computes the grid from the sizes and
// passes those that are not constants, the kernel loops over tiles and K-blocks.

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x512xbf16>, %[[D:.*]]: memref<?x512xbf16>)
// CHECK-DAG: %[[M:.*]] = memref.dim %[[D]]
// CHECK-DAG: %[[K:.*]] = memref.dim %[[A]]
// CHECK: %[[TILES_M:.*]] = arith.ceildivui %[[M]], %c128
// CHECK: %[[TILES:.*]] = arith.muli %[[TILES_M]], %c8
// CHECK: %[[GRID:.*]] = arith.minui %[[TILES]], %c148
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[TILES]], %c0
// CHECK: scf.if %[[SOME]]
// CHECK: cf.assert %{{.*}}, "operand A: dimension 0 must have as many elements as dimension 0 of operand D"
// CHECK: tmm.problem accumulate ins(%[[A]], %[[B]] : memref<?x?xbf16>, memref<?x512xbf16>) outs(%[[D]] : memref<?x512xbf16>)
// CHECK: gpu.launch_func @kernels::@f_matmul blocks in (%[[GRID]], %c1, %c1) threads in (%c128, %c1, %c1)
// CHECK-SAME: args(%[[A]] : memref<?x?xbf16>, %[[B]] : memref<?x512xbf16>, %[[D]] : memref<?x512xbf16>, %{{.*}} : i32, %{{.*}} : i32)

// CHECK-LABEL: gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">]
// CHECK: gpu.func @f_matmul(%[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x512xbf16>, %[[D:.*]]: memref<?x512xbf16>, %[[M:.*]]: i32, %[[K:.*]]: i32) kernel
// CHECK: %[[SCHED:.*]] = tmm.scheduler #tmm.static(%[[M]], %c512_i32, %[[K]]) tile [128, 64, 64]
// CHECK: scf.while
// CHECK: tmm.work_valid
// CHECK: %[[ROW:.*]], %[[COL:.*]], %[[BLOCK:.*]], %[[COUNT:.*]] = tmm.work_tile %[[SCHED]]
// CHECK: %[[ACC:.*]] = tmm.alloc : <128x64xf32, #tcgen05.tmem>
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %[[COUNT]] step %c1_i32
// CHECK-DAG: %[[TA:.*]] = tmm.alloc : <128x64xbf16, #sm90.smem<k_major, b128>>
// CHECK-DAG: %[[TB:.*]] = tmm.alloc : <64x64xbf16, #sm90.smem<mn_major, b128>>
// CHECK: %[[AT:.*]] = arith.muli %{{.*}}, %c64_i32
// CHECK: tmm.load %[[A]][%[[ROW]], %[[AT]]], %[[TA]] by(#sm90.tma) :
// CHECK: tmm.load %[[B]][%[[COL]], %[[AT]]], %[[TB]] transposed
// CHECK: %[[MORE:.*]] = arith.cmpi ne, %[[I]], %c0_i32
// CHECK: tmm.mma %[[TA]], %[[TB]], %[[ACC]] accumulate(%[[MORE]]) by(#tcgen05.mma)
// CHECK: %[[WRITTEN:.*]] = arith.cmpi ne, %[[COUNT]], %c0_i32
// CHECK: scf.for %[[J:.*]] = %c0_i32 to %c64_i32 step %c32_i32
// CHECK: %[[OLD:.*]] = tmm.fetch %[[D]]
// CHECK: %[[SUM:.*]] = tmm.read %[[ACC]][%[[J]]] if %[[WRITTEN]]
// CHECK: %[[OLD32:.*]] = arith.extf %[[OLD]]
// CHECK: %[[TOTAL:.*]] = arith.addf %[[SUM]], %[[OLD32]]
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[TOTAL]]
// CHECK: tmm.store %[[ROUNDED]], %[[D]]
// CHECK: tmm.next_work
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x512xbf16>, %d: memref<?x512xbf16>) {
  tmm.matmul accumulate config <tile = <shape = 128x64x64, cta_group = 1, cluster = 1x1>, ring = <stages = 1, swizzle = 128B>, accumulators = <stages = 1>, scheduler = <kind = static, sms = 148>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<?x?xbf16>, memref<?x512xbf16>) outs(%d : memref<?x512xbf16>)
  return
}

// -----

// Static sizes are constants of the kernel; transpositions choose the order of
// the tiles.

// CHECK-LABEL: gpu.func @g_matmul(%{{.*}}: memref<72x200xf16>, %{{.*}}: memref<136x72xf16>, %{{.*}}: memref<200x136xf32>) kernel
// CHECK: tmm.scheduler #tmm.static(%c200_i32, %c136_i32, %c72_i32)
// CHECK: tmm.load %{{.*}} transposed by(#sm90.tma) : memref<72x200xf16>, <128x64xf16, #sm90.smem<mn_major, b128>>
// CHECK: tmm.load {{.*}} by(#sm90.tma) : memref<136x72xf16>, <64x64xf16, #sm90.smem<k_major, b128>>
// CHECK-NOT: arith.truncf
func.func @g(%a: memref<72x200xf16>, %b: memref<136x72xf16>, %d: memref<200x136xf32>) {
  tmm.matmul transpose_a transpose_b config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<72x200xf16>, memref<136x72xf16>) outs(%d : memref<200x136xf32>)
  return
}

// -----

// A pair of CTAs: the scheduler deals tiles to pairs, each CTA has its 128 rows of
// A and D and half of the 128 columns of B, and the grid is even.

// CHECK-LABEL: func.func @pair(
// CHECK: %[[TILES_M:.*]] = arith.ceildivui %{{.*}}, %c256
// CHECK: %[[TILES:.*]] = arith.muli %[[TILES_M]], %c4
// CHECK: %[[PAIRS:.*]] = arith.minui %[[TILES]], %c74
// CHECK: %[[GRID:.*]] = arith.muli %[[PAIRS]], %c2
// CHECK: gpu.launch_func @kernels::@pair_matmul clusters in (%c2, %c1, %c1) blocks in (%[[GRID]], %c1, %c1) threads in (%c128, %c1, %c1)

// CHECK-LABEL: gpu.func @pair_matmul
// CHECK-SAME: known_cluster_size = array<i32: 2, 1, 1>
// CHECK: tmm.scheduler #tmm.static({{.*}}) tile [256, 128, 64] ctas 2
// CHECK: %[[ROW:.*]], %[[COL:.*]], %{{.*}}, %{{.*}} = tmm.work_tile
// CHECK: %[[ID:.*]] = gpu.cluster_block_id x
// CHECK: %[[RANK:.*]] = arith.index_cast %[[ID]] : index to i32
// CHECK: %[[ROWS:.*]] = arith.muli %[[RANK]], %c128_i32
// CHECK: %[[MY_ROW:.*]] = arith.addi %[[ROW]], %[[ROWS]]
// CHECK: %[[COLS:.*]] = arith.muli %[[RANK]], %c64_i32
// CHECK: %[[MY_COL:.*]] = arith.addi %[[COL]], %[[COLS]]
// CHECK: %[[ACC:.*]] = tmm.alloc : <128x128xf32, #tcgen05.tmem<ctas = 2>>
// CHECK-DAG: %[[TA:.*]] = tmm.alloc : <128x64xbf16, #sm90.smem
// CHECK-DAG: %[[TB:.*]] = tmm.alloc : <64x64xbf16, #sm90.smem
// CHECK: tmm.load %{{.*}}[%[[MY_ROW]], %{{.*}}], %[[TA]]
// CHECK: tmm.load %{{.*}}[%[[MY_COL]], %{{.*}}], %[[TB]]
// CHECK: tmm.mma %[[TA]], %[[TB]], %[[ACC]] accumulate(%{{.*}}) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma)
// CHECK: %[[TARGET:.*]] = arith.addi %[[COL]], %{{.*}}
// CHECK: tmm.read %[[ACC]][%{{.*}}] {{.*}} -> vector<128x32xf32>
// CHECK: tmm.store %{{.*}}, %{{.*}}[%[[MY_ROW]], %[[TARGET]]]
func.func @pair(%a: memref<?x512xbf16>, %b: memref<512x512xbf16>, %d: memref<?x512xf32>) {
  tmm.matmul transpose_b config <tile = <shape = 256x128x64, cta_group = 2, cluster = 2x1>, ring = <stages = 1, swizzle = 128B>, accumulators = <stages = 1>, scheduler = <kind = static, sms = 148>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<?x512xbf16>, memref<512x512xbf16>) outs(%d : memref<?x512xf32>)
  return
}

// -----

// Through store buffers: as wide as the subtile, with the swizzle of their rows.

// CHECK-LABEL: gpu.func @store_buffers_matmul
// CHECK: scf.for %[[J:.*]] = %c0_i32 to %c128_i32 step %c32_i32
// CHECK:   %[[COL:.*]] = arith.addi %{{.*}}, %[[J]]
// CHECK:   %[[SUM:.*]] = tmm.read
// CHECK:   %[[ROUNDED:.*]] = arith.truncf %[[SUM]]
// CHECK:   %[[BUFFER:.*]] = tmm.alloc stages(2) : <128x32xbf16, #sm90.smem<n_major, b64>>
// CHECK:   tmm.stage %[[ROUNDED]], %[[BUFFER]]
// CHECK:   tmm.unload %[[BUFFER]], %{{.*}}[%{{.*}}, %[[COL]]] by(#sm90.tma_store)
// CHECK-NOT: tmm.store
func.func @store_buffers(%a: memref<256x64xbf16>, %b: memref<256x64xbf16>, %d: memref<256x256xbf16>) {
  tmm.matmul transpose_b config <tile = <shape = 128x128x64>, ring = <swizzle = 128B>, epilogue = <kind = tma_store, subtile = 32, stages = 2>>
    ins(%a, %b : memref<256x64xbf16>, memref<256x64xbf16>) outs(%d : memref<256x256xbf16>)
  return
}

// -----

// CHECK-LABEL: gpu.func @wide_store_buffers_matmul
// CHECK: tmm.alloc stages(2) : <128x64xf32, #sm90.smem<n_major, b128>>
func.func @wide_store_buffers(%a: memref<256x64xbf16>, %b: memref<256x64xbf16>, %d: memref<256x256xf32>) {
  tmm.matmul transpose_b config <tile = <shape = 128x128x64>, ring = <swizzle = 128B>, epilogue = <kind = tma_store, subtile = 64, stages = 2>>
    ins(%a, %b : memref<256x64xbf16>, memref<256x64xbf16>) outs(%d : memref<256x256xf32>)
  return
}
