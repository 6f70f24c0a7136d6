// Bytes without a sign from linalg: the operands of the units, and of the description.
// RUN: tc-compile %s --chip=sm_100a -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=B200
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// RUN: tc-run --check %t.ptx | FileCheck %s --check-prefix=RUNS
// RUN: tc-opt %s --tc-compile | tc-opt --convert-sm90-host-to-llvm --convert-scf-to-cf --expand-strided-metadata --lower-affine --gpu-to-llvm --convert-to-llvm --reconcile-unrealized-casts | FileCheck %s --check-prefix=HOST
// RUN: tc-compile %s --chip=sm_100a --emit=tcgen05 | FileCheck %s --check-prefix=TILES
// RUN: tc-compile %s --chip=sm_90a | FileCheck %s --check-prefix=H100
// RUN: tc-compile %s --chip=sm_80 | FileCheck %s --check-prefix=A100

// B200: tcgen05.mma.cta_group::{{[12]}}.kind::i8
// TILES: tcgen05.mma i8
// TILES-NEXT: !i32_{{.*}}_D, !ui8_{{.*}}, !i8_
// H100: wgmma.mma_async.sync.aligned.m64n{{[0-9]+}}k32.s32.u8.s8
// A100: mma.sync.aligned.m16n8k32.row.col.s32.u8.s8.s32
// HOST: llvm.func @f
// HOST-NOT: unrealized_conversion_cast
// RUNS: u8 x i8 -> i32
// RUNS-NEXT: every element has to be exact
// The buffer has no sign; a part of it is read.
// JSON: "arg0": {
// JSON-NEXT: "dtype": "i8"
// JSON: "a": {
// JSON: "buffer": "arg0"
// JSON: "shape"
// JSON: "dtype": "u8"
// JSON: "b": {
// JSON-NEXT: "buffer": "arg1"
// JSON-NEXT: "transposed": true

#a = affine_map<(m, n, k) -> (m, k)>
#b = affine_map<(m, n, k) -> (n, k)>
#d = affine_map<(m, n, k) -> (m, n)>
func.func @f(%a: memref<300x128xi8>, %b: memref<128x128xi8>, %d: memref<256x128xi32>) {
  %part = memref.subview %a[16, 0] [256, 128] [1, 1] : memref<300x128xi8> to memref<256x128xi8, strided<[128, 1], offset: 2048>>
  linalg.generic {indexing_maps = [#a, #b, #d], iterator_types = ["parallel", "parallel", "reduction"]}
    ins(%part, %b : memref<256x128xi8, strided<[128, 1], offset: 2048>>, memref<128x128xi8>) outs(%d : memref<256x128xi32>) {
  ^bb0(%x: i8, %y: i8, %z: i32):
    %0 = arith.extui %x : i8 to i32
    %1 = arith.extsi %y : i8 to i32
    %2 = arith.muli %0, %1 : i32
    %3 = arith.addi %z, %2 : i32
    linalg.yield %3 : i32
  }
  return
}
