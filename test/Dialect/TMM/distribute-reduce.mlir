// RUN: tc-opt %s --mlir-print-local-scope --tmm-distribute --canonicalize --cse | FileCheck %s

#global = #gpu.address_space<global>
#warp = #tmm.thread_rows<threads = 4, chunk = 2, rows = 1>
#pair = #tmm.thread_rows<threads = 2, chunk = 1, rows = 1>
#warps = #tmm.thread_rows<threads = 64, chunk = 1, rows = 2>
#row = #tmm.thread_rows<threads = 64, chunk = 1, rows = 1>
#halves = #tmm.thread_rows<threads = 2, chunk = 8, rows = 1>
#four = #tmm.thread_rows<threads = 128, chunk = 1, rows = 1>

gpu.module @kernels {
// Six registers by halves, then lanes whose numbers differ in bit 0, then in bit 1. One of the four that hold a row stores.
// CHECK-LABEL: gpu.func @in_warp(
// CHECK-SAME:    kernel
// CHECK:         %[[ROW:.*]] = arith.divui %[[NUMBER:.*]], %c4_i32
// CHECK:         %[[LANE:.*]] = arith.remui %[[NUMBER]], %c4_i32
// CHECK:         %[[V0:.*]] = vector.extract %{{.*}}[0]
// CHECK:         %[[V1:.*]] = vector.extract %{{.*}}[1]
// CHECK:         %[[V2:.*]] = vector.extract %{{.*}}[0]
// CHECK:         %[[V3:.*]] = vector.extract %{{.*}}[1]
// CHECK:         %[[V4:.*]] = vector.extract %{{.*}}[0]
// CHECK:         %[[V5:.*]] = vector.extract %{{.*}}[1]
// CHECK:         %[[S0:.*]] = arith.addf %[[V0]], %[[V3]]
// CHECK:         %[[S1:.*]] = arith.addf %[[V1]], %[[V4]]
// CHECK:         %[[S2:.*]] = arith.addf %[[V2]], %[[V5]]
// CHECK:         %[[T0:.*]] = arith.addf %[[S0]], %[[S2]]
// CHECK:         %[[OWN:.*]] = arith.addf %[[T0]], %[[S1]]
// CHECK:         %[[OTHER:.*]], %{{.*}} = gpu.shuffle {{ *}}xor %[[OWN]], %c1_i32, %c32_i32
// CHECK:         %[[BOTH:.*]] = arith.addf %[[OWN]], %[[OTHER]]
// CHECK:         %[[OTHERS:.*]], %{{.*}} = gpu.shuffle {{ *}}xor %[[BOTH]], %c2_i32, %c32_i32
// CHECK:         %[[ALL:.*]] = arith.addf %[[BOTH]], %[[OTHERS]]
// CHECK:         %[[VALUE:.*]] = vector.broadcast %[[ALL]] : f32 to vector<1xf32>
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK:         scf.if %[[FIRST]]
// CHECK:           vector.store %[[VALUE]], %{{.*}} {alignment = 4 : i64}
gpu.func @in_warp(%x: memref<?x24xf32, #global>, %o: memref<?x1xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = tmm.fetch %x[%row, %col] in_bounds [true, true] layout(#warp) : memref<?x24xf32, #global> -> vector<16x24xf32>
  %s = tmm.reduce <add> %t layout(#warp) : vector<16x24xf32> -> vector<16x1xf32>
  tmm.store %s, %o[%row, %col] in_bounds [true, true] layout(#tmm.row_values<#warp, columns = 24>) : vector<16x1xf32>, memref<?x1xf32, #global>
  gpu.return
}

// A shuffle gives 32 bits.
// CHECK-LABEL: gpu.func @wide(
// CHECK:         %[[BITS:.*]] = arith.bitcast %[[OWN:.*]] : f64 to i64
// CHECK:         %[[LOW:.*]] = arith.trunci %[[BITS]]
// CHECK:         %[[SHIFTED:.*]] = arith.shrui %[[BITS]], %c32_i64
// CHECK:         %[[HIGH:.*]] = arith.trunci %[[SHIFTED]]
// CHECK:         gpu.shuffle {{ *}}xor %[[LOW]], %c1_i32
// CHECK:         gpu.shuffle {{ *}}xor %[[HIGH]], %c1_i32
// CHECK:         %[[OTHER:.*]] = arith.bitcast %{{.*}} : i64 to f64
// CHECK:         arith.maximumf %[[OWN]], %[[OTHER]]
gpu.func @wide(%x: memref<?x8xf64, #global>, %o: memref<?x1xf64, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 32, 1, 1>} {
  %t = tmm.fetch %x[%row, %col] in_bounds [true, true] layout(#pair) : memref<?x8xf64, #global> -> vector<16x2xf64>
  %s = tmm.reduce <maximumf> %t layout(#pair) : vector<16x2xf64> -> vector<16x1xf64>
  tmm.store %s, %o[%row, %col] in_bounds [true, true] layout(#tmm.row_values<#pair, columns = 2>) : vector<16x1xf64>, memref<?x1xf64, #global>
  gpu.return
}

// Two warps hold a row. Integers have one instruction for a warp. Lane 0 of each puts its values into shared memory, one for each of the two rows; all combine them.
// CHECK-LABEL: gpu.func @in_warps(
// CHECK-SAME:    workgroup(%[[MEMORY:.*]] : memref<2x4xi32, #gpu.address_space<workgroup>>)
// CHECK:         %[[R0:.*]] = gpu.subgroup_reduce maxsi %{{.*}} uniform : (i32) -> i32
// CHECK:         %[[R1:.*]] = gpu.subgroup_reduce maxsi %{{.*}} uniform : (i32) -> i32
// CHECK:         %[[LANE:.*]] = arith.remui %{{.*}}, %c32_i32
// CHECK:         %[[WARP:.*]] = arith.divui %{{.*}}, %c32_i32
// CHECK-NOT:     gpu.barrier
// CHECK:         %[[FIRST:.*]] = arith.cmpi eq, %[[LANE]], %c0_i32
// CHECK:         scf.if %[[FIRST]]
// CHECK:           memref.store %[[R0]], %[[MEMORY]][%c0, %[[OWN:.*]]]
// CHECK:           memref.store %[[R1]], %[[MEMORY]][%c1, %[[OWN]]]
// CHECK:         gpu.barrier
// CHECK:         %[[MINE:.*]] = arith.andi %[[LANE]], %c1_i32
// CHECK:         %[[START:.*]] = arith.andi %[[WARP]], %c-2_i32
// CHECK:         %[[PART:.*]] = arith.addi %[[START]], %[[MINE]]
// CHECK:         %[[AT:.*]] = arith.index_cast %[[PART]]
// CHECK:         %[[P0:.*]] = memref.load %[[MEMORY]][%c0, %[[AT]]]
// CHECK:         gpu.shuffle {{ *}}xor %[[P0]], %c1_i32
// CHECK:         %[[A0:.*]] = arith.maxsi %[[P0]]
// CHECK:         %[[P1:.*]] = memref.load %[[MEMORY]][%c1, %[[AT]]]
// CHECK:         gpu.shuffle {{ *}}xor %[[P1]], %c1_i32
// CHECK:         %[[A1:.*]] = arith.maxsi %[[P1]]
// CHECK:         vector.from_elements %[[A0]], %[[A1]] : vector<2xi32>
// CHECK-NOT:     gpu.barrier
gpu.func @in_warps(%x: memref<?x64xi32, #global>, %o: memref<?x64xi32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %t = tmm.fetch %x[%row, %col] in_bounds [true, true] layout(#warps) : memref<?x64xi32, #global> -> vector<4x64xi32>
  %s = tmm.reduce <maxsi> %t layout(#warps) : vector<4x64xi32> -> vector<4x1xi32>
  %b = tmm.broadcast %s layout(#warps) : vector<4x1xi32> -> vector<4x64xi32>
  tmm.store %b, %o[%row, %col] in_bounds [true, true] layout(#warps) : vector<4x64xi32>, memref<?x64xi32, #global>
  gpu.return
}

// In a loop nobody may still read what the iteration before put there.
// CHECK-LABEL: gpu.func @in_loop(
// CHECK:         scf.for
// CHECK:           gpu.barrier
// CHECK:           memref.store
// CHECK:           gpu.barrier
// CHECK:           memref.load %{{.*}} #gpu.address_space<workgroup>
// CHECK-NOT:       gpu.barrier
gpu.func @in_loop(%x: memref<?x64xi32, #global>, %o: memref<?x1xi32, #global>, %row: i32, %n: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    %t = tmm.fetch %x[%i, %zero] in_bounds [true, true] layout(#row) : memref<?x64xi32, #global> -> vector<1x64xi32>
    %s = tmm.reduce <maxsi> %t layout(#row) : vector<1x64xi32> -> vector<1x1xi32>
    tmm.store %s, %o[%i, %zero] in_bounds [true, true] layout(#tmm.row_values<#row, columns = 64>) : vector<1x1xi32>, memref<?x1xi32, #global>
  }
  gpu.return
}

// The larger one of two numbers of 16 bits is one instruction for two pairs; lanes exchange f32.
// CHECK-LABEL: gpu.func @narrow(
// CHECK:         %[[HALF:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : vector<4xbf16>
// CHECK:         %[[PAIR:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : vector<2xbf16>
// CHECK:         %[[ONE:.*]] = arith.maxnumf %{{.*}}, %{{.*}} : bf16
// CHECK:         %[[WIDE:.*]] = arith.extf %[[ONE]] : bf16 to f32
// CHECK:         gpu.shuffle {{ *}}xor %[[WIDE]], %c1_i32
// CHECK:         arith.truncf %{{.*}} : vector<1xf32> to vector<1xbf16>
gpu.func @narrow(%x: memref<?x16xbf16, #global>, %o: memref<?x1xbf16, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 32, 1, 1>} {
  %t = tmm.fetch %x[%row, %col] in_bounds [true, true] layout(#halves) : memref<?x16xbf16, #global> -> vector<16x16xbf16>
  %s = tmm.reduce <maxnumf> %t layout(#halves) : vector<16x16xbf16> -> vector<16x1xbf16>
  tmm.store %s, %o[%row, %col] in_bounds [true, true] layout(#tmm.row_values<#halves, columns = 16>) : vector<16x1xbf16>, memref<?x1xbf16, #global>
  gpu.return
}

// A sum that four of the 32 lanes repeat each is not one of the warp.
// CHECK-LABEL: gpu.func @repeated(
// CHECK:         gpu.subgroup_reduce add
// CHECK:         memref.load
// CHECK-COUNT-2: gpu.shuffle
// CHECK-NOT:     gpu.subgroup_reduce
gpu.func @repeated(%x: memref<?x128xi32, #global>, %o: memref<?x1xi32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %t = tmm.fetch %x[%row, %col] in_bounds [true, true] layout(#four) : memref<?x128xi32, #global> -> vector<1x128xi32>
  %s = tmm.reduce <add> %t layout(#four) : vector<1x128xi32> -> vector<1x1xi32>
  tmm.store %s, %o[%row, %col] in_bounds [true, true] layout(#tmm.row_values<#four, columns = 128>) : vector<1x1xi32>, memref<?x1xi32, #global>
  gpu.return
}

// Upstream converts no unsigned ones to redux.sync.
// CHECK-LABEL: gpu.func @unsigned(
// CHECK-NOT:     gpu.subgroup_reduce
// CHECK:         gpu.shuffle
gpu.func @unsigned(%x: memref<?x64xi32, #global>, %o: memref<?x1xi32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 64, 1, 1>} {
  %t = tmm.fetch %x[%row, %col] in_bounds [true, true] layout(#row) : memref<?x64xi32, #global> -> vector<1x64xi32>
  %s = tmm.reduce <maxui> %t layout(#row) : vector<1x64xi32> -> vector<1x1xi32>
  tmm.store %s, %o[%row, %col] in_bounds [true, true] layout(#tmm.row_values<#row, columns = 64>) : vector<1x1xi32>, memref<?x1xi32, #global>
  gpu.return
}

// A bit that a row has at a place is a byte.
// CHECK-LABEL: gpu.func @picked_bit(
// CHECK:         memref.load {{.*}} : memref<?x16xi8, #gpu.address_space<global>>
gpu.func @picked_bit(%x: memref<?x16xi8, #global>, %o: memref<?x1xi8, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 32, 1, 1>} {
  %places = arith.constant dense<3> : vector<16x1xi32>
  %t = tmm.gather %x[%row, %places] layout(#tmm.row_values<#halves, columns = 16>) : memref<?x16xi8, #global>, vector<16x1xi32> -> vector<16x1xi1>
  tmm.store %t, %o[%row, %col] in_bounds [true, true] layout(#tmm.row_values<#halves, columns = 16>) : vector<16x1xi1>, memref<?x1xi8, #global>
  gpu.return
}
}
