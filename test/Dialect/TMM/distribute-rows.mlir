// RUN: tc-opt %s --mlir-print-local-scope --tmm-distribute --canonicalize --cse | FileCheck %s

#global = #gpu.address_space<global>
#warp = #tmm.thread_rows<threads = 4, chunk = 2, rows = 1>
#two = #tmm.thread_rows<threads = 4, chunk = 2, rows = 2>
#warp4 = #tmm.thread_rows<threads = 4, chunk = 4, rows = 1>
#values = #tmm.row_values<#warp4, columns = 32>
#square = #tmm.thread_rows<threads = 4, chunk = 4, rows = 1>

gpu.module @kernels {
// Chunks of a row are permuted by the number of the group of rows they are in. Each thread then reads a row of what was
// stored along columns.
// CHECK-LABEL: gpu.func @transpose(
// CHECK-SAME:    workgroup(%[[MEMORY:.*]] : memref<16x16xbf16, #gpu.address_space<workgroup>>)
// CHECK:         %[[ROW:.*]] = arith.divui %[[THREAD:.*]], %c4_i32
// CHECK:         %[[IN_ROW:.*]] = arith.remui %[[THREAD]], %c4_i32
// CHECK:         %[[COLUMN:.*]] = arith.muli %[[IN_ROW]], %c4_i32
// CHECK:         %[[PART:.*]] = vector.load %{{.*}} vector<4xbf16>
// CHECK:         %[[CHUNK:.*]] = arith.divui %[[COLUMN]], %c4_i32
// CHECK:         %[[GROUP:.*]] = arith.divui %[[ROW]], %c4_i32
// CHECK:         %[[MASK:.*]] = arith.andi %[[GROUP]], %c3_i32
// CHECK:         %[[MOVED:.*]] = arith.xori %[[CHUNK]], %[[MASK]]
// CHECK:         %[[PLACE:.*]] = arith.muli %[[MOVED]], %c4_i32
// CHECK-DAG:     %[[I:.*]] = arith.index_cast %[[ROW]]
// CHECK-DAG:     %[[J:.*]] = arith.index_cast %[[PLACE]]
// CHECK:         vector.store %[[PART]], %[[MEMORY]][%[[I]], %[[J]]] {alignment = 8 : i64}
// CHECK:         gpu.barrier
// CHECK:         %[[BACK_MASK:.*]] = arith.andi %[[CHUNK]], %c3_i32
// CHECK:         %[[BACK:.*]] = arith.xori %[[GROUP]], %[[BACK_MASK]]
// CHECK:         %[[BACK_CHUNK:.*]] = arith.muli %[[BACK]], %c4_i32
// CHECK:         %[[REST:.*]] = arith.remui %[[ROW]], %c4_i32
// CHECK:         arith.addi %[[BACK_CHUNK]], %[[REST]]
// CHECK:         memref.load %[[MEMORY]][%{{.*}}, %[[FROM:.*]]]
// CHECK:         %[[NEXT:.*]] = arith.addi %[[COLUMN]], %c1_i32
// CHECK:         %[[BELOW:.*]] = arith.index_cast %[[NEXT]]
// CHECK:         memref.load %[[MEMORY]][%[[BELOW]], %[[FROM]]]
// CHECK:         vector.from_elements {{.*}} : vector<4xbf16>
// CHECK-NOT:     gpu.barrier
gpu.func @transpose(%x: memref<?x16xbf16, #global>, %o: memref<?x16xbf16, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = tmm.fetch %x[%row, %col] in_bounds [true, true] layout(#square) : memref<?x16xbf16, #global> -> vector<16x16xbf16>
  %u = tmm.transpose %t layout(#square) : vector<16x16xbf16> -> vector<16x16xbf16>
  tmm.store %u, %o[%row, %col] in_bounds [true, true] layout(#square) : vector<16x16xbf16>, memref<?x16xbf16, #global>
  gpu.return
}

// CHECK-LABEL: gpu.func @once(
// CHECK:         vector.load %{{.*}} {alignment = 8 : i64, nontemporal = true}
gpu.func @once(%x: memref<?x16xbf16, #global>, %o: memref<?x16xbf16, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = tmm.fetch %x[%row, %col] in_bounds [true, true] nontemporal layout(#square) : memref<?x16xbf16, #global> -> vector<16x16xbf16>
  tmm.store %t, %o[%row, %col] in_bounds [true, true] layout(#square) : vector<16x16xbf16>, memref<?x16xbf16, #global>
  gpu.return
}

// Registers 2 and 3 of a thread are 8 columns behind its first ones, 4 and 5 another 8.
// CHECK-LABEL: gpu.func @positions(
// CHECK-SAME:    %{{.*}}: i32, %[[COL:.*]]: i32) kernel
// CHECK:         %[[OWN:.*]] = arith.muli %{{.*}}, %c2_i32
// CHECK:         %[[AT:.*]] = arith.addi %[[COL]], %[[OWN]]
// CHECK:         %[[FIRST:.*]] = arith.index_cast %[[AT]]
// CHECK-DAG:     %[[P1:.*]] = arith.addi %[[FIRST]], %c1 :
// CHECK-DAG:     %[[P2:.*]] = arith.addi %[[FIRST]], %c8 :
// CHECK-DAG:     %[[P3:.*]] = arith.addi %[[FIRST]], %c9 :
// CHECK-DAG:     %[[P4:.*]] = arith.addi %[[FIRST]], %c16 :
// CHECK-DAG:     %[[P5:.*]] = arith.addi %[[FIRST]], %c17 :
// CHECK:         vector.from_elements %[[FIRST]], %[[P1]], %[[P2]], %[[P3]], %[[P4]], %[[P5]] : vector<6xindex>
// A value for each row is the number of the row.
// CHECK:         %[[ROW:.*]] = arith.index_cast %{{.*}} : i32 to index
// CHECK:         vector.broadcast %[[ROW]] : index to vector<1xindex>
gpu.func @positions(%o: memref<?x24xi32, #global>, %p: memref<?x1xi32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %c = tmm.positions %col along n layout(#warp) : vector<16x24xindex>
  %n = arith.index_cast %c : vector<16x24xindex> to vector<16x24xi32>
  tmm.store %n, %o[%row, %col] in_bounds [true, true] layout(#warp) : vector<16x24xi32>, memref<?x24xi32, #global>
  %r = tmm.positions %row along m layout(#tmm.row_values<#warp, columns = 24>) : vector<16x1xindex>
  %m = arith.index_cast %r : vector<16x1xindex> to vector<16x1xi32>
  tmm.store %m, %p[%row, %col] in_bounds [true, true] layout(#tmm.row_values<#warp, columns = 24>) : vector<16x1xi32>, memref<?x1xi32, #global>
  gpu.return
}

// A thread holds parts of two rows, 8 rows apart: two values, each for two of its registers.
// CHECK-LABEL: gpu.func @rows_of_thread(
// CHECK:         %[[A:.*]] = scf.if
// CHECK:           memref.load
// CHECK:         %[[B:.*]] = scf.if
// CHECK:           memref.load
// CHECK:         vector.from_elements %[[A]], %[[A]], %[[B]], %[[B]] : vector<4xf32>
gpu.func @rows_of_thread(%x: memref<?xf32, #global>, %o: memref<?x8xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 32, 1, 1>} {
  %v = tmm.fetch %x[%row, %col] along m in_bounds [true, true] layout(#tmm.row_values<#two, columns = 8>) : memref<?xf32, #global> -> vector<16x1xf32>
  %b = tmm.broadcast %v layout(#two) : vector<16x1xf32> -> vector<16x8xf32>
  tmm.store %b, %o[%row, %col] in_bounds [true, true] layout(#two) : vector<16x8xf32>, memref<?x8xf32, #global>
  gpu.return
}

// A part of rows, from column 16 on: a chunk is inside or outside as a whole, before the first column, too.
// CHECK-LABEL: gpu.func @piece(
// CHECK-SAME:    %[[COL:[a-z0-9]*]]: i32) kernel
// CHECK:         %[[OWN:.*]] = arith.addi %[[COL]], %{{.*}}
// CHECK:         %[[AT:.*]] = arith.addi %[[OWN]], %c-16_i32
// CHECK:         %[[FIRST:.*]] = arith.cmpi ult, %[[AT]], %c16_i32
// CHECK:         scf.if %[[FIRST]] -> (vector<4xf32>) {
// CHECK:           vector.load %{{.*}} {alignment = 16 : i64}
// CHECK:         %[[NEXT:.*]] = arith.cmpi ult, %[[OWN]], %c16_i32
// CHECK:         scf.if %[[NEXT]] -> (vector<4xf32>) {
// CHECK:           vector.load %{{.*}} {alignment = 16 : i64}
gpu.func @piece(%x: memref<?x16xf32, #global>, %o: memref<?x32xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = tmm.fetch %x[%row, %col] in_bounds [true, false] shift [0, -16] layout(#warp4) : memref<?x16xf32, #global> -> vector<16x32xf32>
  tmm.store %t, %o[%row, %col] in_bounds [true, true] layout(#warp4) : vector<16x32xf32>, memref<?x32xf32, #global>
  gpu.return
}

// Two rows and three columns further: chunks are no longer aligned.
// CHECK-LABEL: gpu.func @unaligned_piece(
// CHECK-SAME:    %[[ROW:[a-z0-9]*]]: i32, %[[COL:[a-z0-9]*]]: i32) kernel
// CHECK-DAG:     %[[MOVED:.*]] = arith.addi %[[ROW]], %c-2_i32
// CHECK-DAG:     %[[AT:.*]] = arith.addi %{{.*}}, %c3_i32
// CHECK:         %[[R:.*]] = arith.addi %[[MOVED]], %{{.*}}
// CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[R]], %{{.*}}
// CHECK:         scf.if %[[INSIDE]]
// CHECK-NOT:       vector.load
// CHECK:           memref.load
gpu.func @unaligned_piece(%x: memref<?x16xf32, #global>, %o: memref<?x32xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = tmm.fetch %x[%row, %col] in_bounds [false, false] shift [-2, 3] layout(#warp4) : memref<?x16xf32, #global> -> vector<16x32xf32>
  tmm.store %t, %o[%row, %col] in_bounds [true, true] layout(#warp4) : vector<16x32xf32>, memref<?x32xf32, #global>
  gpu.return
}

// An element of each row, where there is one.
// CHECK-LABEL: gpu.func @gather(
// CHECK:         %[[PLACE:.*]] = scf.if
// CHECK-DAG:     %[[IN_ROW:.*]] = arith.cmpi ult, %[[PLACE]], %c32_i32
// CHECK-DAG:     %[[IS_ROW:.*]] = arith.cmpi ult, %[[R:.*]], %{{.*}}
// CHECK:         %[[INSIDE:.*]] = arith.andi %[[IN_ROW]], %[[IS_ROW]]
// CHECK:         scf.if %[[INSIDE]] -> (f32) {
// CHECK:           %[[AT:.*]] = arith.index_cast %[[PLACE]]
// CHECK:           memref.load %{{.*}}[%{{.*}}, %[[AT]]]
gpu.func @gather(%x: memref<?x32xf32, #global>, %l: memref<?xi32, #global>, %o: memref<?x1xf32, #global>, %row: i32, %col: i32)
    kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
  %p = tmm.fetch %l[%row, %col] along m layout(#values) : memref<?xi32, #global> -> vector<16x1xi32>
  %t = tmm.gather %x[%row, %p] layout(#values) : memref<?x32xf32, #global>, vector<16x1xi32> -> vector<16x1xf32>
  tmm.store %t, %o[%row, %col] in_bounds [false, true] layout(#values) : vector<16x1xf32>, memref<?x1xf32, #global>
  gpu.return
}
}
