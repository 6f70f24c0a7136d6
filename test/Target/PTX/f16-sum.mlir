// RUN: tc-compile %s --config="cta-group=1 tile=128x128x64" --emit=tiles -o - | FileCheck %s --check-prefix=TILES
// RUN: tc-compile %s --config="cta-group=1 tile=128x128x64" --emit=tcgen05 -o - | FileCheck %s --check-prefix=TCGEN05
// RUN: tc-compile %s --config="cta-group=1 tile=128x128x64" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: tc-compile %s --chip=sm_90a -o %t.90.ptx
// RUN: FileCheck %s --input-file=%t.90.ptx --check-prefix=SM90
// RUN: FileCheck %s --input-file=%t.90.json

// The accumulator is f16, one element in the low half of a cell; what follows is f32.

// TILES: !tmm.buffer<128x128xf16, #tcgen05.tmem>
// TILES: %[[SUM:.*]] = tmm.read {{.*}} -> vector<128x{{.*}}xf16>
// TILES: arith.extf %[[SUM]] : vector<128x{{.*}}xf16> to vector<128x{{.*}}xf32>

// TCGEN05: !tcgen05.tmem<128x128xf16, D>
// TCGEN05: %[[CELLS:.*]] = tcgen05.ld {{.*}} to vector<[[N:.*]]xi32>
// TCGEN05: %[[READ:.*]] = tcgen05.wait ld(%[[CELLS]]
// TCGEN05: %[[LOW:.*]] = arith.trunci %[[READ]] : vector<[[N]]xi32> to vector<[[N]]xi16>
// TCGEN05: arith.bitcast %[[LOW]] : vector<[[N]]xi16> to vector<[[N]]xf16>
// TCGEN05: tcgen05.mma f16

// CHECK: "accumulator": "f16"

// SM90: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k16.f16.f16.f16
func.func @f(%a: memref<?x?xf16>, %b: memref<?x?xf16>, %d: memref<?x?xf32>) {
  tmm.matmul transpose_b f16_sum ins(%a, %b : memref<?x?xf16>, memref<?x?xf16>) outs(%d : memref<?x?xf32>)
  return
}
