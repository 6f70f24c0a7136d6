// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -tmm-tile -canonicalize | FileCheck %s

// Scale factors arrive in shared memory with A and B and are copied to where the
// matrix unit reads them. With a dynamic K the last K-block ends where K does, and
// the host checks the blocks that no type counts.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[A:.*]]: memref<?x?xf8E4M3FN>, %[[B:.*]]: memref<512x?xf8E5M2>, %[[SA:.*]]: memref<?x?x32x4x4xf8E8M0FNU>, %[[SB:.*]]: memref<4x?x32x4x4xf8E8M0FNU>, %[[D:.*]]: memref<?x512xf32>)
// CHECK: cf.assert %{{.*}}, "operand SFA: dimension 0 must be ceildiv(M, 128) blocks of scale factors"
// CHECK: cf.assert %{{.*}}, "operand SFA: dimension 1 must be ceildiv(K, 128) blocks of scale factors"
// CHECK-NOT: SFB: dimension 0
// CHECK: cf.assert %{{.*}}, "operand SFB: dimension 1 must be ceildiv(K, 128) blocks of scale factors"
// CHECK: tmm.problem transpose_b {{.*}} scales(%[[SA]], %[[SB]] : memref<?x?x32x4x4xf8E8M0FNU>, memref<4x?x32x4x4xf8E8M0FNU>)
// CHECK: gpu.launch_func {{.*}} args(%[[A]] : {{.*}}, %[[B]] : {{.*}}, %[[D]] : {{.*}}, %[[SA]] : memref<?x?x32x4x4xf8E8M0FNU>, %[[SB]] : memref<4x?x32x4x4xf8E8M0FNU>, %{{.*}} : i32, %{{.*}} : i32)

// Instructions with scale factors need PTX 8.8.
// CHECK: gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx88">]
// CHECK: gpu.func @dynamic_matmul(%[[A:.*]]: memref<?x?xf8E4M3FN>, %[[B:.*]]: memref<512x?xf8E5M2>, %{{.*}}: memref<?x512xf32>, %[[SA:.*]]: memref<?x?x32x4x4xf8E8M0FNU>, %[[SB:.*]]: memref<4x?x32x4x4xf8E8M0FNU>, %{{.*}}: i32, %[[K:.*]]: i32)
// CHECK: tmm.role "mma" warps(1) drives [#tcgen05.mma, #tcgen05.cp]
// CHECK: %[[ROW:.*]], %[[COL:.*]], %[[FIRST:.*]], %{{.*}} = tmm.work_tile
// CHECK: scf.for
// CHECK: %[[BLOCK:.*]] = arith.addi %[[FIRST]]
// CHECK: %[[AT:.*]] = arith.muli %[[BLOCK]], %c128_i32
// CHECK: %[[J:.*]] = arith.muli %[[BLOCK]], %c4_i32
// CHECK: %[[LA:.*]] = tmm.alloc stages(4) : <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
// CHECK: tmm.load %[[SA]][%[[ROW]], %[[J]]], %[[LA]] blocked by(#sm90.tma)
// CHECK: %[[LB:.*]] = tmm.alloc stages(4) : <256x4xf8E8M0FNU, #sm90.smem<blocked, none>>
// CHECK: tmm.load %[[SB]][%[[COL]], %[[J]]], %[[LB]] blocked by(#sm90.tma)
// CHECK: %[[CA:.*]] = tmm.alloc stages(3) : <128x4xf8E8M0FNU, #tcgen05.scales>
// CHECK: %[[CB:.*]] = tmm.alloc stages(3) : <256x4xf8E8M0FNU, #tcgen05.scales>
// CHECK: tmm.copy %[[LA]], %[[CA]] by(#tcgen05.cp)
// CHECK: tmm.copy %[[LB]], %[[CB]] by(#tcgen05.cp)
// CHECK: %[[REST:.*]] = arith.subi %[[K]], %[[AT]]
// CHECK: tmm.mma {{.*}} scales(%[[CA]], %[[CB]]) extent(%[[REST]]) accumulate(%{{.*}}) by(#tcgen05.mma)
func.func @dynamic(%a: memref<?x?xf8E4M3FN>, %b: memref<512x?xf8E5M2>, %sa: memref<?x?x32x4x4xf8E8M0FNU>,
                   %sb: memref<4x?x32x4x4xf8E8M0FNU>, %d: memref<?x512xf32>) {
  tmm.matmul transpose_b config <tile = <shape = 128x256x128, cta_group = 1>, ring = <stages = 4, scale_stages = 3, swizzle = 128B>, accumulators = <stages = 1>, epilogue = <subtile = 32>, roles = <kind = specialized>>
    ins(%a, %b : memref<?x?xf8E4M3FN>, memref<512x?xf8E5M2>) scales(%sa, %sb : memref<?x?x32x4x4xf8E8M0FNU>, memref<4x?x32x4x4xf8E8M0FNU>)
    outs(%d : memref<?x512xf32>)
  return
}

// -----

// A pair: each CTA loads the factors of its own rows of A and of all columns of
// B, one instruction copies in both. K has no tail.

// CHECK-LABEL: func.func @pair(
// CHECK-NOT: cf.assert
// CHECK: gpu.func @pair_matmul
// CHECK: %{{.*}}, %[[COL:.*]], %{{.*}}, %{{.*}} = tmm.work_tile
// CHECK: %[[ROW:.*]] = arith.addi
// CHECK: tmm.load %{{.*}}[%[[ROW]], %{{.*}}], %{{.*}} : memref<2x4x32x4x4xf8E8M0FNU>, <128x8xf8E8M0FNU, #sm90.smem<blocked, none>>
// CHECK: tmm.load %{{.*}}[%[[COL]], %{{.*}}], %{{.*}} : memref<3x4x32x4x4xf8E8M0FNU>, <128x8xf8E8M0FNU, #sm90.smem<blocked, none>>
// CHECK: tmm.copy {{.*}} over #tmm.ctas<2, along = [0]> by(#tcgen05.cp)
// CHECK: tmm.copy {{.*}} over #tmm.ctas<2, along = [0]> by(#tcgen05.cp)
// CHECK-NOT: extent
// CHECK: tmm.mma {{.*}} scales(%{{.*}}, %{{.*}}) accumulate(%{{.*}}) over #tmm.ctas<2, along = [0]>
func.func @pair(%a: memref<256x512xf8E4M3FN>, %b: memref<384x512xf8E4M3FN>, %sa: memref<2x4x32x4x4xf8E8M0FNU>,
                %sb: memref<3x4x32x4x4xf8E8M0FNU>, %d: memref<256x384xbf16>) {
  tmm.matmul transpose_b config <tile = <shape = 256x128x256, cta_group = 2>, ring = <stages = 2, scale_stages = 2, swizzle = 128B>, accumulators = <stages = 2>, epilogue = <subtile = 32>, roles = <kind = specialized>>
    ins(%a, %b : memref<256x512xf8E4M3FN>, memref<384x512xf8E4M3FN>) scales(%sa, %sb : memref<2x4x32x4x4xf8E8M0FNU>, memref<3x4x32x4x4xf8E8M0FNU>)
    outs(%d : memref<256x384xbf16>)
  return
}
