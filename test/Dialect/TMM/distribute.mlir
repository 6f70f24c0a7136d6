// RUN: tc-opt %s --mlir-print-local-scope --tmm-distribute | FileCheck %s

!acc = !tmm.buffer<128x64xf32, #tcgen05.tmem>
!half = !tmm.buffer<64x64xf32, #tcgen05.tmem>
!a = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!b = !tmm.buffer<32x64xbf16, #sm90.smem<k_major, b128>>
!staging = !tmm.buffer<128x32xbf16, #sm90.smem<n_major, b64>>
#global = #gpu.address_space<global>

// A row for each thread: 16 bytes at a time where rows are aligned and inside, 8 columns at a time where some are outside.
// CHECK-LABEL: gpu.func @rows
// CHECK: %[[READ:.*]] = tmm.read %{{.*}}[%{{.*}}] if %{{.*}} layout(#tcgen05.rows) : <128x64xf32, #tcgen05.tmem> -> vector<16xf32>
// CHECK: %[[OUT:.*]] = arith.truncf %[[READ]] : vector<16xf32> to vector<16xbf16>
// CHECK: %[[THREAD:.*]] = gpu.thread_id x
// CHECK: %[[NUMBER:.*]] = arith.index_cast %[[THREAD]] : index to i32
// CHECK: %[[ROW:.*]] = arith.addi %{{.*}}, %[[NUMBER]] : i32
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[ROW]], %{{.*}} : i32
// CHECK: scf.if %[[INSIDE]]
// CHECK: %[[ROOM:.*]] = arith.subi
// CHECK: %[[WIDE:.*]] = arith.cmpi sge, %[[ROOM]], %c16{{.*}} : i32
// CHECK: scf.if %[[WIDE]]
// CHECK: vector.shuffle %[[OUT]], %[[OUT]] [0, 1, 2, 3, 4, 5, 6, 7]
// CHECK: vector.store {{.*}} {alignment = 16 : i64} : memref<?x136xbf16, #gpu.address_space<global>>, vector<8xbf16>
// CHECK: vector.shuffle %[[OUT]], %[[OUT]] [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK-NOT: vector<1x
gpu.module @kernels {
gpu.func @rows(%acc: !acc, %d: memref<?x136xbf16, #global>, %row: i32, %col: i32, %written: i1) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = tmm.read %acc[%col] if %written layout(#tcgen05.rows) : !acc -> vector<128x16xf32>
  %h = arith.truncf %r : vector<128x16xf32> to vector<128x16xbf16>
  tmm.store %h, %d[%row, %col] layout(#tcgen05.rows) : vector<128x16xbf16>, memref<?x136xbf16, #global>
  gpu.return
}

// With 64 rows half of the threads hold one.
// CHECK-LABEL: gpu.func @half
// CHECK: %[[NUMBER:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[WARP:.*]] = arith.divui %[[NUMBER]], %c32{{.*}} : i32
// CHECK: %[[SKIPPED:.*]] = arith.muli %[[WARP]], %c16{{.*}} : i32
// CHECK: %[[ROW:.*]] = arith.subi %[[NUMBER]], %[[SKIPPED]] : i32
// CHECK: %[[LANE:.*]] = arith.remui %[[NUMBER]], %c32{{.*}} : i32
// CHECK: %[[HOLDS:.*]] = arith.cmpi ult, %[[LANE]], %c16{{.*}} : i32
// CHECK: scf.if %[[HOLDS]]
gpu.func @half(%acc: !half, %d: memref<64x136xf32, #global>, %row: i32, %col: i32, %written: i1) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %r = tmm.read %acc[%col] if %written layout(#tcgen05.rows) : !half -> vector<64x16xf32>
  tmm.store %r, %d[%row, %col] in_bounds [true, true] layout(#tcgen05.rows)
    : vector<64x16xf32>, memref<64x136xf32, #global>
  gpu.return
}

// An accumulator in registers: half a row for each thread, in pairs of columns, through the loop and the slice.
// CHECK-LABEL: gpu.func @wgmma
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00> : vector<16xf32>
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %[[ZERO]]) -> (vector<16xf32>)
// CHECK: %[[NEW:.*]] = tmm.mma %{{.*}}, %{{.*}}, %[[OLD]] accumulate(%{{.*}}) by(#sm90.wgmma) layout(#sm90.wgmma_layout) : {{.*}}, vector<16xf32> -> vector<16xf32>
// CHECK: %[[DONE:.*]] = tmm.await %[[NEW]] by(#sm90.wgmma) pending 0 : vector<16xf32>
// CHECK: scf.yield %[[DONE]] : vector<16xf32>
// CHECK: %[[PART:.*]] = vector.shuffle %[[SUM]], %[[SUM]] [8, 9, 10, 11, 12, 13, 14, 15]
// CHECK: %[[OUT:.*]] = arith.addf %[[PART]], %{{.*}} : vector<8xf32>
// Of thread t: row 16 (t / 32) + (t mod 32) / 4, column 2 (t mod 4).
// CHECK: %[[T:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: %[[WARP:.*]] = arith.divui %[[T]], %c32{{.*}} : i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[WARP]], %c16{{.*}} : i32
// CHECK: %[[LANE:.*]] = arith.remui %[[T]], %c32{{.*}} : i32
// CHECK: %[[BELOW:.*]] = arith.divui %[[LANE]], %c4{{.*}} : i32
// CHECK: arith.addi %[[FIRST]], %[[BELOW]] : i32
// CHECK: %[[IN:.*]] = arith.remui %[[T]], %c4{{.*}} : i32
// CHECK: arith.muli %[[IN]], %c2{{.*}} : i32
// CHECK: vector.shuffle %[[OUT]], %[[OUT]] [0, 1]
// CHECK: vector.store {{.*}} {alignment = 8 : i64} : {{.*}}, vector<2xf32>
// CHECK: vector.shuffle %[[OUT]], %[[OUT]] [4, 5]
// CHECK: vector.store {{.*}} {alignment = 8 : i64} : {{.*}}, vector<2xf32>
// The same 8 rows further down.
// CHECK: vector.shuffle %[[OUT]], %[[OUT]] [2, 3]
// CHECK: vector.shuffle %[[OUT]], %[[OUT]] [6, 7]
gpu.func @wgmma(%a: !a, %b: !b, %d: memref<?x136xf32, #global>, %row: i32, %col: i32, %n: i32, %more: i1) kernel
    attributes {known_block_size = array<i32: 256, 1, 1>} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : vector<128x32xf32>
  %one = arith.constant dense<1.0> : vector<128x16xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%old = %zero) -> (vector<128x32xf32>) : i32 {
    %new = tmm.mma %a, %b, %old accumulate(%more) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
      : !a, !b, vector<128x32xf32> -> vector<128x32xf32>
    %done = tmm.await %new by(#sm90.wgmma) pending 0 : vector<128x32xf32>
    scf.yield %done : vector<128x32xf32>
  }
  %part = vector.extract_strided_slice %sum {offsets = [0, 16], sizes = [128, 16], strides = [1, 1]}
    : vector<128x32xf32> to vector<128x16xf32>
  %out = arith.addf %part, %one : vector<128x16xf32>
  tmm.store %out, %d[%row, %col] layout(#sm90.wgmma_layout) : vector<128x16xf32>, memref<?x136xf32, #global>
  gpu.return
}

// A vector along N is the same in both rows of a thread: its elements are loaded once. One along M has an element for
// each row.
// CHECK-LABEL: gpu.func @vectors
// CHECK-COUNT-2: vector.load {{.*}} : memref<?xf32, #gpu.address_space<global>>, vector<2xf32>
// CHECK-NOT: vector.load
// CHECK-COUNT-2: memref.load {{.*}} : memref<?xf32, #gpu.address_space<global>>
// CHECK: arith.addf %{{.*}}, %{{.*}} : vector<8xf32>
gpu.func @vectors(%x: memref<?xf32, #global>, %y: memref<?xf32, #global>, %d: memref<?x136xf32, #global>, %row: i32,
                  %col: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %n = tmm.fetch %x[%row, %col] along n in_bounds [true, true] layout(#sm90.wgmma_layout)
    : memref<?xf32, #global> -> vector<64x16xf32>
  %m = tmm.fetch %y[%row, %col] along m in_bounds [true, true] layout(#sm90.wgmma_layout)
    : memref<?xf32, #global> -> vector<64x16xf32>
  %out = arith.addf %n, %m : vector<64x16xf32>
  tmm.store %out, %d[%row, %col] layout(#sm90.wgmma_layout) : vector<64x16xf32>, memref<?x136xf32, #global>
  gpu.return
}

// One constant in two layouts, and a store buffer, which stays for the unit's conversion.
// CHECK-LABEL: gpu.func @two_layouts
// CHECK-DAG: arith.constant dense<1.000000e+00> : vector<32xbf16>
// CHECK-DAG: arith.constant dense<1.000000e+00> : vector<16xbf16>
// CHECK: "epilogue" warps(4)
// CHECK: tmm.stage %{{.*}}, %{{.*}} layout(#tcgen05.rows) : vector<32xbf16>
// CHECK: "other" warps(8)
// The first thread of the role is number 0 of it.
// CHECK: %[[T:.*]] = arith.index_cast %{{.*}} : index to i32
// CHECK: arith.subi %[[T]], %c128{{.*}} : i32
gpu.func @two_layouts(%s: !staging, %d: memref<?x136xbf16, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 384, 1, 1>} {
  %one = arith.constant dense<1.0> : vector<128x32xbf16>
  tmm.warp_specialize "epilogue" warps(4) {
    tmm.stage %one, %s layout(#tcgen05.rows) : vector<128x32xbf16>, !staging
  } "other" warps(8) {
    tmm.store %one, %d[%row, %col] layout(#sm90.wgmma_layout) : vector<128x32xbf16>, memref<?x136xbf16, #global>
  }
  gpu.return
}

// Four threads of a row exchange chunks of eight neighbours for what they have of an accumulator: two steps, two words each.
// CHECK-LABEL: gpu.func @exchange
// CHECK: %[[WIDE:.*]] = vector.load {{.*}} : memref<64x136xbf16, #gpu.address_space<global>>, vector<8xbf16>
// CHECK: %[[WORDS:.*]] = vector.bitcast %{{.*}} : vector<16xbf16> to vector<8xi32>
// CHECK: %[[W0:.*]] = vector.extract %[[WORDS]][0] : i32 from vector<8xi32>
// CHECK: %[[W1:.*]] = vector.extract %[[WORDS]][1]
// CHECK: %[[BIT:.*]] = arith.andi %{{.*}}, %c1{{.*}} : i32
// CHECK: %[[ODD:.*]] = arith.cmpi ne, %[[BIT]], %c0{{.*}} : i32
// CHECK: %[[SENT:.*]] = arith.select %[[ODD]], %[[W0]], %[[W1]] : i32
// CHECK: %[[GOT:.*]], %{{.*}} = gpu.shuffle xor %[[SENT]], %c1{{.*}}, %c32{{.*}} : i32
// CHECK: arith.select %[[ODD]], %[[GOT]], %[[W0]]
// CHECK: arith.select %[[ODD]], %[[W1]], %[[GOT]]
// CHECK: gpu.shuffle xor %{{.*}}, %c1
// CHECK: gpu.shuffle xor %{{.*}}, %c2
// CHECK: gpu.shuffle xor %{{.*}}, %c2
// CHECK: %[[ALL:.*]] = vector.from_elements {{.*}} : vector<8xi32>
// CHECK: %[[OWN:.*]] = vector.bitcast %[[ALL]] : vector<8xi32> to vector<16xbf16>
// CHECK: arith.extf %[[OWN]] : vector<16xbf16> to vector<16xf32>
gpu.func @exchange(%c: memref<64x136xbf16, #global>, %d: memref<64x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %f = tmm.fetch %c[%row, %col] in_bounds [true, true] layout(#sm80.row_layout<16>) : memref<64x136xbf16, #global> -> vector<64x32xbf16>
  %o = tmm.convert_layout %f from(#sm80.row_layout<16>) to(#sm90.wgmma_layout) : vector<64x32xbf16>
  %w = arith.extf %o : vector<64x32xbf16> to vector<64x32xf32>
  tmm.store %w, %d[%row, %col] in_bounds [true, true] layout(#sm90.wgmma_layout) : vector<64x32xf32>, memref<64x136xf32, #global>
  gpu.return
}

// Elements of 32 bits are two words of a part.
// CHECK-LABEL: gpu.func @exchange_f32
// CHECK-COUNT-16: gpu.shuffle xor
// CHECK-NOT: gpu.shuffle
// CHECK: vector.bitcast %{{.*}} : vector<16xi32> to vector<16xf32>
gpu.func @exchange_f32(%c: memref<64x136xf32, #global>, %d: memref<64x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %f = tmm.fetch %c[%row, %col] in_bounds [true, true] layout(#sm80.row_layout<16>) : memref<64x136xf32, #global> -> vector<64x32xf32>
  %o = tmm.convert_layout %f from(#sm80.row_layout<16>) to(#sm90.wgmma_layout) : vector<64x32xf32>
  tmm.store %o, %d[%row, %col] in_bounds [true, true] layout(#sm90.wgmma_layout) : vector<64x32xf32>, memref<64x136xf32, #global>
  gpu.return
}
}
