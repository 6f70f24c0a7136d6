// RUN: tc-opt %s --mlir-print-local-scope --tmm-distribute --split-input-file | FileCheck %s
// RUN: tc-opt %s --tmm-distribute --split-input-file | tc-opt --split-input-file > /dev/null

#global = #gpu.address_space<global>
gpu.module @kernels {

// The largest of 32 elements that a thread holds, its exponent less 8, and the reciprocal of that power.
// CHECK-LABEL: gpu.func @powers
// CHECK: %[[ABS:.*]] = math.absf %{{.*}} : vector<32xf32>
// CHECK-COUNT-31: arith.maximumf
// CHECK: %[[MAX:.*]] = vector.from_elements %{{.*}} : vector<1xf32>
// CHECK: %[[BITS:.*]] = arith.bitcast %[[MAX]] : vector<1xf32> to vector<1xi32>
// CHECK: %[[E:.*]] = arith.shrui %[[BITS]]
// CHECK: arith.constant dense<8> : vector<1xi32>
// CHECK: arith.subi %[[E]]
// CHECK: arith.maxsi
// CHECK: %[[SPECIAL:.*]] = arith.cmpi eq, %[[E]]
// CHECK: arith.constant dense<254> : vector<1xi32>
// CHECK: %[[NAN:.*]] = arith.constant dense<2143289344> : vector<1xi32>
// CHECK: arith.select %[[SPECIAL]], %[[NAN]]
// CHECK: %[[CODE:.*]] = arith.trunci %{{.*}} : vector<1xi32> to vector<1xi8>
// CHECK: %[[FACTOR:.*]] = arith.bitcast %[[CODE]] : vector<1xi8> to vector<1xf8E8M0FNU>
// CHECK: %[[R:.*]] = vector.shuffle
// CHECK: %[[Y:.*]] = arith.mulf %{{.*}}, %[[R]] : vector<32xf32>
// CHECK: %[[Q:.*]] = arith.truncf %[[Y]] : vector<32xf32> to vector<32xf8E4M3FN>
// Row r mod 32, r mod 128 / 32 of block r / 128.
// CHECK: arith.remui %[[ROW:.*]], %c128
// CHECK: arith.divui %[[ROW]], %c128
// CHECK: %[[ONE:.*]] = vector.extract %[[FACTOR]][0]
// CHECK: memref.store %[[ONE]], %{{.*}} : memref<2x3x32x4x4xf8E8M0FNU
gpu.func @powers(%c: memref<256x384xf32, #global>, %d: memref<256x384xf8E4M3FN, #global>, %s: memref<2x3x32x4x4xf8E8M0FNU, #global>,
                 %row: i32, %col: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %t = tmm.fetch %c[%row, %col] in_bounds [true, true] layout(#tcgen05.rows) : memref<256x384xf32, #global> -> vector<128x32xf32>
  %q, %f = tmm.quantize %t : vector<128x32xf32> -> vector<128x32xf8E4M3FN>, vector<128x1xf8E8M0FNU>
  tmm.store %q, %d[%row, %col] in_bounds [true, true] layout(#tcgen05.rows) : vector<128x32xf8E4M3FN>, memref<256x384xf8E4M3FN, #global>
  tmm.store %f, %s[%row, %col] blocked in_bounds [true, true] layout(#tcgen05.rows) : vector<128x1xf8E8M0FNU>, memref<2x3x32x4x4xf8E8M0FNU, #global>
  gpu.return
}

// Two elements a byte; two factors in one access.
// CHECK-LABEL: gpu.func @nibbles
// CHECK: %[[F:.*]] = arith.truncf %{{.*}} : vector<2xf32> to vector<2xf8E4M3FN>
// CHECK: arith.divf
// CHECK-COUNT-2: math.fma
// CHECK: %[[Q:.*]] = arith.truncf %{{.*}} : vector<32xf32> to vector<32xf4E2M1FN>
// CHECK: %[[BYTES:.*]] = vector.bitcast %[[Q]] : vector<32xf4E2M1FN> to vector<16xi8>
// CHECK: vector.store %{{.*}} {alignment = 16 : i64} : memref<256x192xi8
// CHECK: vector.store %{{.*}} {alignment = 2 : i64} : memref<2x6x32x4x4xf8E4M3FN, {{.*}}>, vector<2xf8E4M3FN>
gpu.func @nibbles(%c: memref<256x384xf32, #global>, %d: memref<256x192xi8, #global>, %s: memref<2x6x32x4x4xf8E4M3FN, #global>,
                  %row: i32, %col: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %t = tmm.fetch %c[%row, %col] in_bounds [true, true] layout(#tcgen05.rows) : memref<256x384xf32, #global> -> vector<128x32xf32>
  %q, %f = tmm.quantize %t : vector<128x32xf32> -> vector<128x32xf4E2M1FN>, vector<128x2xf8E4M3FN>
  tmm.store %q, %d[%row, %col] in_bounds [true, true] layout(#tcgen05.rows) : vector<128x32xf4E2M1FN>, memref<256x192xi8, #global>
  tmm.store %f, %s[%row, %col] blocked in_bounds [true, true] layout(#tcgen05.rows) : vector<128x2xf8E4M3FN>, memref<2x6x32x4x4xf8E4M3FN, #global>
  gpu.return
}

// One write of a warp; what is outside does not count, nor what a thread without a row holds.
// CHECK-LABEL: gpu.func @largest
// CHECK: %[[IN:.*]] = arith.cmpi slt, %{{.*}}, %arg4 : i32
// CHECK: %[[ROOM:.*]] = arith.select %[[IN]], %{{.*}}, %{{.*}} : i32
// CHECK-COUNT-32: arith.cmpi sgt, %[[ROOM]]
// CHECK: %[[MAX:.*]] = vector.reduction <maximumf>, %{{.*}} : vector<32xf32> into f32
// CHECK: %[[BITS:.*]] = arith.bitcast %[[MAX]] : f32 to i32
// CHECK: %[[OWN:.*]] = arith.select %{{.*}}, %[[BITS]], %{{.*}} : i32
// CHECK: %[[WARP:.*]] = gpu.subgroup_reduce maxsi %[[OWN]] uniform
// CHECK: gpu.lane_id
// CHECK: scf.if
// CHECK: memref.atomic_rmw maxs %[[WARP]], %{{.*}}[] : (i32, memref<i32
gpu.func @largest(%c: memref<256x384xf32, #global>, %m: memref<i32, #global>, %row: i32, %col: i32, %rows: i32, %cols: i32)
    kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  %t = tmm.fetch %c[%row, %col] layout(#tcgen05.rows) : memref<256x384xf32, #global> -> vector<64x32xf32>
  %a = math.absf %t : vector<64x32xf32>
  %i = tmm.crop %a[%row, %col] to [%rows, %cols] : vector<64x32xf32>
  tmm.atomic_max %i, %m layout(#tcgen05.rows) : vector<64x32xf32>, memref<i32, #global>
  gpu.return
}
}
