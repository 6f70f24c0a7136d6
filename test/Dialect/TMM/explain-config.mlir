// RUN: tc-opt --tmm-explain-config %s 2>&1 | FileCheck %s
// RUN: tc-opt --tmm-explain-config="config='tile=128x128x64 stages=2'" %s 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: tc-opt --tmm-explain-config="format=json" %s 2>&1 >/dev/null | FileCheck %s --check-prefix=JSON
// RUN: tc-opt --tmm-explain-config="format=json" %s 2>&1 >/dev/null | %python -m json.tool
// RUN: not tc-opt --tmm-explain-config="format=prose" %s 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not tc-opt --tmm-explain-config="config=tile" %s 2>&1 | FileCheck %s --check-prefix=FIELD
// RUN: not tc-opt --tmm-explain-config="chip=sm_103a" %s 2>&1 | FileCheck %s --check-prefix=CHIP

// FORMAT: error: format option: expected words or json, got 'prose'
// FIELD: <--config>:1:{{[0-9]+}}: error: tile: expected 3 numbers with 'x' between them (M, N, K), got ''
// CHIP: error: chip option: expected a chip with a known matrix unit and number of multiprocessors, got 'sm_103a'

// The figures of the budget, the waves and the model, and the best candidates.
// CHECK: explain-config.mlir:[[# @LINE + 23]]:3: remark: matmul M = 8192, N = 8192, K = 8192: tile=256x256x64 unit=tcgen05 cta-group=2 cluster=2x1 stages=6{{$}}
// CHECK-NEXT: {{^}}    swizzle=128B load-a=tma load-b=tma cache-hint-a=none cache-hint-b=none accumulator-stages=2{{$}}
// CHECK-NEXT: {{^}}    scheduler=static raster=8 sms=148 pdl=off epilogue=tma-store epilogue-subtile=32 store-stages=2{{$}}
// CHECK-NEXT: {{^}}    roles=specialized epilogue-registers=0{{$}}
// CHECK-NEXT: given: stages in the IR
// CHECK-NEXT: shared memory: 6 stages of 32,768 bytes: 196,608 + 16,384 store buffers + 128 barriers + 1,008 alignment + 16 address of Tensor Memory = 214,144 of 232,448; stage 7 needs 32,784, 18,304 are left
// CHECK-NEXT: Tensor Memory: accumulators 2 x 256, 512 allocated of 512 columns
// CHECK-NEXT: registers: about 72 in an epilogue thread with 32 columns at a time; 192 threads may have 255 each
// CHECK-NEXT: grid: 74 pairs of CTAs on 148 of 148 multiprocessors, 32 x 32 tiles, 100.0% of their elements inside of D; 14 waves, 98.8% busy
// CHECK-NEXT: K-block: matrix unit 512 cycles, shared memory reads 256, fill of shared memory 512, latency of loads 504
// CHECK-NEXT: time: 923,052 cycles predicted, bound by matrix unit: setup 3,000, 14 waves of 128 K-blocks of 512, epilogue 2,548; global memory 108,972
// CHECK-NEXT: constants: published figures of a B200, compared with no device
// CHECK-NEXT: why: the fewest cycles
// CHECK-NEXT: candidates, the choice first:
// CHECK-NEXT: tile cta-group cluster stages accumulators waves busy MB loaded cycles bound by
// CHECK-NEXT: 256x256x64 2 2x1 6 2 14 98.8% 8,589 923,052 matrix unit
// CHECK-NEXT: 256x224x64 2 2x1 6 2 16 100.0% 9,311 1,004,716 latency of loads
// OPTION: matmul M = 8192, {{.*}}: tile=128x128x64 unit=tcgen05 cta-group=1 {{.*}}stages=2
// OPTION: given: tile, stages by the option
// OPTION-NEXT: shared memory: 2 stages of 32,768 bytes
// OPTION: bound by latency of loads
// OPTION: candidates: no other, the given fields leave no choice
func.func @large(%a: memref<8192x8192xbf16>, %b: memref<8192x8192xbf16>, %d: memref<8192x8192xbf16>) {
  tmm.matmul transpose_b config <ring = <stages = 6>>
    ins(%a, %b : memref<8192x8192xbf16>, memref<8192x8192xbf16>) outs(%d : memref<8192x8192xbf16>)
  return
}

// Sizes that are not known, and rows of B that run along N.
// CHECK: remark: matmul M = ? (counts as 4096), N = 512, K = ? (counts as 4096): tile=256x128x64
// CHECK: given: nothing, all fields are chosen
// CHECK-NEXT: shared memory: 8 stages of {{.*}}; stage 9 needs 24,592, 18,272 are left
func.func @dynamic(%a: memref<?x?xbf16>, %b: memref<?x512xbf16>, %d: memref<?x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<?x?xbf16>, memref<?x512xbf16>) outs(%d : memref<?x512xbf16>)
  return
}

// CHECK: shared memory: 6 stages of 32,768 bytes: 196,608 + 16,384 store buffers + 128 barriers + 1,008 alignment + 16 address of Tensor Memory = 214,144 of 232,448; stage 7 needs 32,784, 18,304 are left
func.func @full(%a: memref<8192x8192xbf16>, %b: memref<8192x8192xbf16>, %d: memref<8192x8192xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<8192x8192xbf16>, memref<8192x8192xbf16>) outs(%d : memref<8192x8192xbf16>)
  return
}

// A wider tile is a little slower and loads half.
// CHECK: remark: matmul M = 512, N = 512, K = 512: tile=128x32x64
// CHECK: why: 4.6% slower than the fastest, which within 5% counts as equal, and the fewest bytes loaded
// CHECK-NEXT: candidates
// CHECK-NEXT: tile
// CHECK-NEXT: 128x32x64 1 1x1 8 2 1 43.2% 10 5,816 fill of shared memory
// CHECK-NEXT: 128x16x64 1 1x1 8 2 1 86.5% 18 5,560 latency of loads
func.func @small(%a: memref<512x512xbf16>, %b: memref<512x512xbf16>, %d: memref<512x512xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<512x512xbf16>, memref<512x512xbf16>) outs(%d : memref<512x512xbf16>)
  return
}

// What tmm-choose-config refuses it reports itself.
// CHECK-NOT: remark
func.func @refused(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xbf16>) {
  tmm.matmul config <ring = <stages = 1000>> ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xbf16>)
  return
}

// JSON: "config": "tile=256x256x64 unit=tcgen05 cta-group=2
// JSON-NEXT: "given": {
// JSON-NEXT:   "ir": [
// JSON-NEXT:     "stages"
// JSON: "location": "{{.*}}explain-config.mlir:37:3"
// JSON: "parts": {
// JSON-NEXT: "accumulators": {
// JSON-NEXT: "decide": [
// JSON-NEXT: "tensor_memory"
// JSON-NEXT: ],
// JSON-NEXT: "fields": {
// JSON-NEXT: "stages": 2
// JSON: "tile": {
// JSON: "fields": {
// JSON-NEXT: "cluster": [
// JSON-NEXT: 2,
// JSON-NEXT: 1
// JSON-NEXT: ],
// JSON-NEXT: "cta_group": 2,
// JSON-NEXT: "shape": [
// JSON-NEXT: 256,
// JSON-NEXT: 256,
// JSON-NEXT: 64
// JSON-NEXT: ],
// JSON-NEXT: "unit": "tcgen05"
// JSON: "shared_memory": {
// JSON-NEXT: "alignment": 1008,
// JSON-NEXT: "answers": 0,
// JSON-NEXT: "barriers": 128,
// JSON-NEXT: "left": 18304,
// JSON-NEXT: "limit": 232448,
// JSON: "time": {
// JSON-NEXT: "bound": "matrix unit",
// JSON-NEXT: "bytes_loaded": 0,
// JSON-NEXT: "constants": "published figures of a B200, compared with no device",
// JSON-NEXT: "cycles": 923052,
// JSON: "m": null
