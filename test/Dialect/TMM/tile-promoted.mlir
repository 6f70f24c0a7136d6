// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -tmm-tile -canonicalize | FileCheck %s

// Each K-block has an accumulator of its own, which threads read, multiply by the
// factors of the block and add to sums that the loop carries. The kernel takes
// factors with their columns first: a vector along M for each block of K, and for B
// one number, that of the last columns where the tile goes on after them.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: memref<?x?xf8E5M2>, %[[SA:[a-z0-9]*]]: memref<?x?xf32>, %[[SB:[a-z0-9]*]]: memref<?x?xf32>, %{{.*}}: memref<?x?xf32>)
// CHECK-DAG: %[[TA:.*]] = memref.transpose %[[SA]] (d0, d1) -> (d1, d0) : memref<?x?xf32> to memref<?x?xf32, strided<[1, ?]>>
// CHECK-DAG: %[[TB:.*]] = memref.transpose %[[SB]] (d0, d1) -> (d1, d0)
// CHECK: cf.assert %{{.*}}, "operand SFA: dimension 0 must be ceildiv(M, 1) scale factors"
// CHECK: cf.assert %{{.*}}, "operand SFA: dimension 1 must be ceildiv(K, 128) scale factors"
// CHECK: cf.assert %{{.*}}, "operand SFB: dimension 0 must be ceildiv(N, 128) scale factors"
// CHECK: cf.assert %{{.*}}, "operand SFB: dimension 1 must be ceildiv(K, 128) scale factors"
// CHECK: tmm.problem transpose_b {{.*}} scales(%[[SA]], %[[SB]] : memref<?x?xf32>, memref<?x?xf32>)
// CHECK: gpu.launch_func {{.*}}%[[TA]] : memref<?x?xf32, strided<[1, ?]>>, %[[TB]] : memref<?x?xf32, strided<[1, ?]>>
// No instruction takes factors.
// CHECK: features = "+ptx86"
// CHECK: gpu.func @dynamic_matmul(%{{.*}}: memref<?x?xf32>, %[[SA:[a-z0-9]*]]: memref<?x?xf32, strided<[1, ?]>>, %[[SB:[a-z0-9]*]]: memref<?x?xf32, strided<[1, ?]>>, %{{.*}}: i32, %[[N:[a-z0-9]*]]: i32, %{{.*}}: i32)
// CHECK: %[[ROW:.*]], %[[COL:.*]], %[[FIRST:.*]], %{{.*}} = tmm.work_tile
// Factors come a block ahead, where there is one.
// CHECK: %[[END:.*]] = arith.subi %{{.*}}, %c1_i32
// CHECK: %[[SOME:.*]] = arith.cmpi ne, %[[COUNT:.*]], %c0_i32
// CHECK: %[[F0:.*]]:2 = scf.if %[[SOME]] -> (vector<128x16xf32>, vector<128x16xf32>)
// CHECK: %[[A0:.*]] = tmm.fetch %[[SA]][%[[ROW]], %[[COL]]] batch(%[[FIRST]]) along m layout(#tcgen05.rows) : {{.*}} -> vector<128x16xf32>
// CHECK: %[[LAST:.*]] = arith.subi %[[N]], %c1_i32
// CHECK: %[[AT:.*]] = arith.minui %[[COL]], %[[LAST]]
// CHECK: %[[J:.*]] = arith.divui %[[AT]], %c128_i32
// CHECK: %[[B0:.*]] = tmm.fetch %[[SB]][%[[ROW]], %[[COL]]] batch(%[[FIRST]], %[[J]]) layout(#tcgen05.rows) : {{.*}} -> vector<128x16xf32>
// CHECK: scf.yield %[[A0]], %[[B0]]
// CHECK: %[[SUM:.*]]:3 = scf.for %[[K:.*]] = {{.*}} to %[[COUNT]] step {{.*}} iter_args(%[[SUMS:.*]] = %{{.*}}, %[[FA:.*]] = %[[F0]]#0, %[[FB:.*]] = %[[F0]]#1) -> (vector<128x128xf32>, vector<128x16xf32>, vector<128x16xf32>)
// CHECK: %[[BLOCK:.*]] = arith.addi %[[FIRST]], %[[K]]
// CHECK-NOT: blocked
// CHECK: %[[ACC:.*]] = tmm.alloc stages(2) : <128x128xf32, #tcgen05.tmem>
// CHECK: tmm.mma %{{.*}}, %{{.*}}, %[[ACC]] accumulate(%false) by(#tcgen05.mma)
// CHECK: %[[NEXT:.*]] = arith.addi %[[BLOCK]], %c1_i32
// CHECK: %[[AHEAD:.*]] = arith.minui %[[NEXT]], %[[END]]
// CHECK: %[[A1:.*]] = tmm.fetch %[[SA]][%[[ROW]], %[[COL]]] batch(%[[AHEAD]]) along m
// CHECK: %[[B1:.*]] = tmm.fetch %[[SB]][%[[ROW]], %[[COL]]] batch(%[[AHEAD]], %{{.*}})
// CHECK: %[[NEXT:.*]] = scf.for %[[AT:.*]] = %c0_i32 to %c128_i32 step %c16_i32 iter_args(%[[PART:.*]] = %[[SUMS]])
// CHECK: %[[READ:.*]] = tmm.read %[[ACC]][%[[AT]]] if %true
// CHECK: %[[F:.*]] = arith.mulf %[[FA]], %[[FB]]
// CHECK: %[[OLD:.*]] = tmm.extract_columns %[[PART]][%[[AT]]]
// CHECK: %[[NEW:.*]] = math.fma %[[READ]], %[[F]], %[[OLD]]
// CHECK: %[[ALL:.*]] = tmm.insert_columns %[[NEW]], %[[PART]][%[[AT]]]
// CHECK: scf.yield %[[ALL]]
// CHECK: scf.yield %[[NEXT]], %[[A1]], %[[B1]]
// CHECK: tmm.extract_columns %[[SUM]]#0
// CHECK: tmm.store
func.func @dynamic(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E5M2>, %sa: memref<?x?xf32>, %sb: memref<?x?xf32>, %d: memref<?x?xf32>) {
  tmm.matmul transpose_b config <tile = <shape = 128x128x128, cta_group = 1>, ring = <stages = 4, swizzle = 128B>, accumulators = <stages = 2>, epilogue = <kind = direct, subtile = 32>, roles = <kind = specialized>>
    ins(%a, %b : memref<?x?xf8E4M3FN>, memref<?x?xf8E5M2>) scales(%sa, %sb : memref<?x?xf32>, memref<?x?xf32>) outs(%d : memref<?x?xf32>)
  return
}

// -----

// A pair, and a tile in which factors of B change: those of its first and of its last
// column are fetched.

// CHECK-LABEL: gpu.func @pair_matmul
// CHECK: scf.for {{.*}} iter_args(%{{.*}}, %[[FA:.*]] = %{{.*}}, %[[B0:.*]] = %{{.*}}, %[[B1:.*]] = %{{.*}})
// CHECK: tmm.mma {{.*}} accumulate(%false) over #tmm.ctas<2, along = [0]> by(#tcgen05.mma) : {{.*}}<128x96xf32, #tcgen05.tmem<ctas = 2>>
// CHECK: tmm.fetch {{.*}} along m
// CHECK: tmm.fetch %{{.*}}[%{{.*}}, %[[COL:.*]]] batch(%{{.*}}, %{{.*}}) layout
// CHECK: %[[END:.*]] = arith.addi %[[COL]], %c95_i32
// CHECK: tmm.fetch %{{.*}}[%{{.*}}, %[[END]]] batch(%{{.*}}, %{{.*}}) layout
// CHECK: scf.for %[[AT:.*]] = %c0_i32 to %c96_i32 step %c16_i32
// CHECK: arith.addi %{{.*}}, %[[AT]]
// CHECK: %[[IS:.*]] = arith.cmpi eq
// CHECK: arith.select %[[IS]], %[[B0]], %[[B1]] : vector<128x16xf32>
// CHECK: tmm.read
func.func @pair(%a: memref<512x512xf8E4M3FN>, %b: memref<384x512xf8E4M3FN>, %sa: memref<512x4xf32>, %sb: memref<3x4xf32>, %d: memref<512x384xbf16>) {
  tmm.matmul transpose_b config <tile = <shape = 256x96x128, cta_group = 2>, ring = <stages = 4, swizzle = 128B>, accumulators = <stages = 2>, epilogue = <kind = direct, subtile = 32>, roles = <kind = specialized>>
    ins(%a, %b : memref<512x512xf8E4M3FN>, memref<384x512xf8E4M3FN>) scales(%sa, %sb : memref<512x4xf32>, memref<3x4xf32>) outs(%d : memref<512x384xbf16>)
  return
}

// -----

// A factor for each column of B, and indices of a batch before the block of K.

// CHECK-LABEL: gpu.func @columns_matmul
// CHECK: %[[I:.*]] = tmm.work_batch
// CHECK: tmm.fetch %{{.*}}[%{{.*}}, %{{.*}}] batch(%[[I]], %{{.*}}) along m {{.*}} : memref<3x2x128xf32, strided<[256, 1, 2]>> -> vector<128x32xf32>
// CHECK: scf.for
// CHECK: tmm.fetch {{.*}} along m
// CHECK: scf.for
// CHECK: tmm.fetch %{{.*}}[%{{.*}}, %{{.*}}] batch(%{{.*}}) along n {{.*}} : memref<2x64xf32, strided<[64, 1]>> -> vector<128x32xf32>
func.func @columns(%a: memref<3x128x256xf8E4M3FN>, %b: memref<64x256xf8E4M3FN>, %sa: memref<3x128x2xf32>,
                   %sb: memref<64x2xf32, strided<[1, 64]>>, %d: memref<3x128x64xf32>) {
  tmm.matmul transpose_b config <tile = <shape = 128x64x128, cta_group = 1>, ring = <stages = 4, swizzle = 128B>, accumulators = <stages = 2>, epilogue = <kind = direct, subtile = 32>, roles = <kind = specialized>>
    ins(%a, %b : memref<3x128x256xf8E4M3FN>, memref<64x256xf8E4M3FN>) scales(%sa, %sb : memref<3x128x2xf32>, memref<64x2xf32, strided<[1, 64]>>)
    scale_columns = 1 outs(%d : memref<3x128x64xf32>)
  return
}
