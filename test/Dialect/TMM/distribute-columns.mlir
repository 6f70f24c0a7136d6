// RUN: tc-opt %s --mlir-print-local-scope --tmm-distribute --canonicalize | FileCheck %s

#global = #gpu.address_space<global>
gpu.module @kernels {
// What is put back into a tile goes where the thread holds those columns.
// CHECK-LABEL: gpu.func @insert
// CHECK: %[[ALL:.*]] = tmm.read {{.*}} -> vector<32xf32>
// CHECK: %[[PART:.*]] = tmm.read {{.*}} -> vector<16xf32>
// CHECK: %[[E0:.*]] = vector.extract %[[PART]][0]
// CHECK: %[[V0:.*]] = vector.insert %[[E0]], %[[ALL]] [16]
// CHECK: %[[E1:.*]] = vector.extract %[[PART]][1]
// CHECK: %[[V1:.*]] = vector.insert %[[E1]], %[[V0]] [17]
// CHECK: vector.insert %{{.*}}, %{{.*}} [31]
gpu.func @insert(%acc: !tmm.buffer<128x64xf32, #tcgen05.tmem>, %d: memref<?x136xf32, #global>, %row: i32, %col: i32, %written: i1) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %all = tmm.read %acc[%col] if %written layout(#tcgen05.rows) : !tmm.buffer<128x64xf32, #tcgen05.tmem> -> vector<128x32xf32>
  %part = tmm.read %acc[%col] if %written layout(#tcgen05.rows) : !tmm.buffer<128x64xf32, #tcgen05.tmem> -> vector<128x16xf32>
  %out = vector.insert_strided_slice %part, %all {offsets = [0, 16], strides = [1, 1]} : vector<128x16xf32> into vector<128x32xf32>
  tmm.store %out, %d[%row, %col] layout(#tcgen05.rows) : vector<128x32xf32>, memref<?x136xf32, #global>
  gpu.return
}

// One number for everybody; a vector along M whose elements are apart, one load of a row; a vector along N whose
// elements are apart, one by one.
// CHECK-LABEL: gpu.func @apart
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x?xf32, {{.*}}>, %[[Y:[a-z0-9]+]]: memref<4x?xf32, strided<[1, 4]>
// CHECK: %[[ONE:.*]] = memref.load %[[X]][%{{.*}}, %{{.*}}]
// CHECK: vector.broadcast %[[ONE]] : f32 to vector<16xf32>
// CHECK: memref.load %[[Y]]
// CHECK-NOT: vector.load
// CHECK-COUNT-16: memref.load %[[Y]]
gpu.func @apart(%x: memref<?x?xf32, #global>, %y: memref<4x?xf32, strided<[1, 4]>, #global>, %d: memref<?x136xf32, #global>,
                %row: i32, %col: i32, %i: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %one = tmm.fetch %x[%row, %col] batch(%i, %i) layout(#tcgen05.rows) : memref<?x?xf32, #global> -> vector<128x16xf32>
  %m = tmm.fetch %y[%row, %col] batch(%i) along m layout(#tcgen05.rows) : memref<4x?xf32, strided<[1, 4]>, #global> -> vector<128x16xf32>
  %n = tmm.fetch %y[%row, %col] batch(%i) along n layout(#tcgen05.rows) : memref<4x?xf32, strided<[1, 4]>, #global> -> vector<128x16xf32>
  %p = arith.mulf %one, %m : vector<128x16xf32>
  %q = arith.mulf %p, %n : vector<128x16xf32>
  tmm.store %q, %d[%row, %col] layout(#tcgen05.rows) : vector<128x16xf32>, memref<?x136xf32, #global>
  gpu.return
}

// A vector of each place of a batch whose sizes are not known: where it starts is, when the kernel runs, a multiple of
// its size, which need not be even.
// CHECK-LABEL: gpu.func @vectors
// CHECK-SAME: %[[V:[a-z0-9]+]]: memref<?x1x?xf32
// CHECK: memref.extract_strided_metadata %[[V]]
// CHECK: %[[REST:.*]] = arith.remui %{{.*}}, %c4_i32
// CHECK: %[[ALIGNED:.*]] = arith.cmpi eq, %[[REST]], %c0_i32
// CHECK: %[[WIDE:.*]] = arith.andi %{{.*}}, %[[ALIGNED]]
// CHECK: scf.if %[[WIDE]]
// CHECK: vector.load %[[V]]
gpu.func @vectors(%v: memref<?x1x?xf32, #global>, %d: memref<?x136xf32, #global>, %row: i32, %col: i32, %i: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  %n = tmm.fetch %v[%row, %col] batch(%i, %i) along n layout(#tcgen05.rows) : memref<?x1x?xf32, #global> -> vector<128x16xf32>
  tmm.store %n, %d[%row, %col] layout(#tcgen05.rows) : vector<128x16xf32>, memref<?x136xf32, #global>
  gpu.return
}

// Each line of the cache once: of 80 columns of f32 the first, and the first that are 128 bytes after it. What is
// outside is not asked for.
// CHECK-LABEL: gpu.func @prefetch
// CHECK-SAME: %[[C:[a-z0-9]+]]: memref<?x136xf32
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : i32
// CHECK: scf.if %[[IN]] {
// CHECK: arith.cmpi sgt
// CHECK-NEXT: scf.if
// CHECK: memref.prefetch %[[C]][%{{.*}}, %{{.*}}], read, locality<2>, data
// CHECK: memref.prefetch %[[C]]
// CHECK: memref.prefetch %[[C]]
// CHECK: arith.cmpi slt
// CHECK-COUNT-3: memref.prefetch %[[C]]
// CHECK-NOT: memref.prefetch
// CHECK: gpu.return
gpu.func @prefetch(%c: memref<?x136xf32, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  tmm.prefetch %c[%row, %col] layout(#sm90.wgmma_layout) : memref<?x136xf32, #global>, vector<64x80xf32>
  gpu.return
}

// Rows that are not aligned are left out, as those may be whose stride is not known.
// CHECK-LABEL: gpu.func @prefetch_unaligned
// CHECK-NOT: memref.prefetch
// CHECK: gpu.return
gpu.func @prefetch_unaligned(%c: memref<64x136xbf16, strided<[137, 1]>, #global>, %e: memref<64x136xbf16, strided<[?, 1]>, #global>,
                             %row: i32, %col: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  tmm.prefetch %c[%row, %col] in_bounds [true, true] layout(#sm80.row_layout<16>)
    : memref<64x136xbf16, strided<[137, 1]>, #global>, vector<64x128xbf16>
  tmm.prefetch %e[%row, %col] in_bounds [true, true] layout(#sm80.row_layout<16>)
    : memref<64x136xbf16, strided<[?, 1]>, #global>, vector<64x128xbf16>
  gpu.return
}

// CHECK-LABEL: gpu.func @prefetch_inside
// CHECK-NOT: scf.if
// CHECK-COUNT-4: memref.prefetch
// CHECK-NOT: memref.prefetch
// CHECK: gpu.return
gpu.func @prefetch_inside(%c: memref<64x136xbf16, #global>, %row: i32, %col: i32) kernel
    attributes {known_block_size = array<i32: 128, 1, 1>} {
  tmm.prefetch %c[%row, %col] in_bounds [true, true] layout(#sm80.row_layout<16>) : memref<64x136xbf16, #global>, vector<64x128xbf16>
  gpu.return
}
}
