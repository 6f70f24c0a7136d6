// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -tmm-tile -canonicalize | FileCheck %s

// The metadata of a sparse A arrives in shared memory with A and B and is copied to
// Tensor Memory. A has half of the columns of B. With a dynamic K the last K-block
// ends where K does, and the host checks the blocks that no type counts.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<512x?xbf16>, %[[E:.*]]: memref<?x?x128x4xi32>, %[[D:.*]]: memref<?x512xf32>)
// CHECK: cf.assert %{{.*}}, "K must be at most {{[0-9]+}}, as coordinates have 32 bits"
// CHECK: cf.assert %{{.*}}, "K must be a multiple of 4, the elements that share a code of metadata"
// CHECK: cf.assert %{{.*}}, "operand B: dimension 1 must have twice as many elements as dimension 1 of operand A, which is sparse"
// CHECK: cf.assert %{{.*}}, "operand metadata: dimension 0 must be ceildiv(M, 128) blocks of metadata"
// CHECK: cf.assert %{{.*}}, "operand metadata: dimension 1 must be ceildiv(K, 128) blocks of metadata"
// CHECK: tmm.problem transpose_b {{.*}} metadata(%[[E]] : memref<?x?x128x4xi32>)
// CHECK: gpu.launch_func {{.*}} args(%[[A]] : {{.*}}, %[[B]] : {{.*}}, %[[D]] : {{.*}}, %[[E]] : memref<?x?x128x4xi32>, %{{.*}} : i32, %{{.*}} : i32)
// CHECK: gpu.func @dynamic_matmul(%[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<512x?xbf16>, %{{.*}}: memref<?x512xf32>, %[[E:.*]]: memref<?x?x128x4xi32>, %{{.*}}: i32, %[[K:.*]]: i32)
// CHECK: %[[ROW:.*]], %[[COL:.*]], %[[FIRST:.*]], %{{.*}} = tmm.work_tile
// One CTA never has a tile without rows.
// CHECK-NOT: arith.minui
// CHECK: scf.for
// CHECK: %[[TA:.*]] = tmm.alloc stages(4) : <128x64xbf16, #sm90.smem<k_major, b128>>
// CHECK: %[[TB:.*]] = tmm.alloc stages(4) : <256x128xbf16, #sm90.smem<k_major, b128>>
// CHECK: %[[BLOCK:.*]] = arith.addi %[[FIRST]]
// CHECK: %[[AT:.*]] = arith.muli %[[BLOCK]], %c128_i32
// CHECK: %[[HALF:.*]] = arith.muli %[[BLOCK]], %c64_i32
// CHECK: tmm.load %[[A]][%[[ROW]], %[[HALF]]], %[[TA]]
// CHECK: tmm.load %[[B]][%[[COL]], %[[AT]]], %[[TB]]
// CHECK: %[[CELL:.*]] = arith.muli %[[BLOCK]], %c4_i32
// CHECK: %[[LE:.*]] = tmm.alloc stages(4) : <128x4xi32, #sm90.smem<blocked, none>>
// CHECK: tmm.load %[[E]][%[[ROW]], %[[CELL]]], %[[LE]] blocked by(#sm90.tma)
// CHECK: %[[CE:.*]] = tmm.alloc stages(3) : <128x4xi32, #tcgen05.metadata<16>>
// CHECK: tmm.copy %[[LE]], %[[CE]] by(#tcgen05.cp)
// CHECK: %[[REST:.*]] = arith.subi %[[K]], %[[AT]]
// CHECK: tmm.mma %[[TA]], %[[TB]], {{.*}} metadata(%[[CE]] : !tmm.buffer<128x4xi32, #tcgen05.metadata<16>>) extent(%[[REST]]) accumulate(%{{.*}}) by(#tcgen05.mma)
func.func @dynamic(%a: memref<?x?xbf16>, %b: memref<512x?xbf16>, %e: memref<?x?x128x4xi32>, %d: memref<?x512xf32>) {
  tmm.matmul transpose_b config <tile = <shape = 128x256x128, cta_group = 1>, ring = <stages = 4, scale_stages = 3, swizzle = 128B>, accumulators = <stages = 1>, epilogue = <subtile = 32>, roles = <kind = specialized>>
    ins(%a, %b : memref<?x?xbf16>, memref<512x?xbf16>) metadata(%e : memref<?x?x128x4xi32>)
    outs(%d : memref<?x512xf32>)
  return
}

// -----

// A pair whose second CTA may have no rows: it gets the metadata of the last rows,
// as there is no other that is defined. 8-bit elements, two blocks for each K-block.

// CHECK-LABEL: func.func @pair(
// CHECK-NOT: cf.assert
// CHECK: gpu.func @pair_matmul
// CHECK: %[[ROW:.*]] = arith.addi
// CHECK: %[[SAFE:.*]] = arith.minui %[[ROW]], %c128_i32
// CHECK: tmm.load %{{.*}}[%[[ROW]], %{{.*}}], %{{.*}} : memref<200x256xf8E4M3FN>, <128x128xf8E4M3FN, #sm90.smem<k_major, b128>>
// CHECK: tmm.load %{{.*}}[%[[SAFE]], %{{.*}}], %{{.*}} blocked by(#sm90.tma) : memref<2x4x128x4xi32>, <128x8xi32, #sm90.smem<blocked, none>>
// CHECK: tmm.copy {{.*}} over #tmm.ctas<2, along = [0]> by(#tcgen05.cp) : <128x8xi32, #sm90.smem<blocked, none>>, <128x8xi32, #tcgen05.metadata<8>>
// CHECK-NOT: extent
// CHECK: tmm.mma {{.*}} metadata(%{{.*}}) accumulate(%{{.*}}) over #tmm.ctas<2, along = [0]>
func.func @pair(%a: memref<200x256xf8E4M3FN>, %b: memref<384x512xf8E4M3FN>, %e: memref<2x4x128x4xi32>, %d: memref<200x384xbf16>) {
  tmm.matmul transpose_b config <tile = <shape = 256x128x256, cta_group = 2, cluster = 2x1>, ring = <stages = 2, scale_stages = 2, swizzle = 128B>, accumulators = <stages = 1>, epilogue = <subtile = 32>, roles = <kind = specialized>>
    ins(%a, %b : memref<200x256xf8E4M3FN>, memref<384x512xf8E4M3FN>) metadata(%e : memref<2x4x128x4xi32>)
    outs(%d : memref<200x384xbf16>)
  return
}
