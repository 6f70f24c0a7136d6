// What the epilogue reads of the later columns of a tile is asked into the L2 cache when the first ones are computed:
// two lines of each row for the 128 columns from the third step of 64 on.
// RUN: tc-compile %s --chip=sm_90a --config="tile=128x256x64 cluster=1x1" -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// RUN: tc-run %t.ptx --races=strict --check | FileCheck %s
// RUN: tc-compile %s --chip=sm_90a --config="tile=128x192x64 cluster=2x1 epilogue-subtile=32" -o %t.cluster.ptx
// RUN: tc-run %t.cluster.ptx --races=strict --check | FileCheck %s
// RUN: %if ptxas %{ ptxas -arch=sm_90a %t.ptx -o %t.cubin %}
// PTX-COUNT-4: ld.global.v4.b32
// PTX: wgmma.wait_group.sync.aligned 0
// PTX: prefetch.global.L2 {{\[}}[[ROW:%rd[0-9]+]]];
// PTX-NEXT: prefetch.global.L2 {{\[}}[[ROW]]+128];
// PTX-COUNT-2: prefetch.global.L2 {{\[}}[[ROW]]+
// PTX-NOT: prefetch.global
// CHECK: maximum error
func.func @f(%a: memref<256x192xbf16>, %b: memref<768x192xbf16>, %d: memref<256x768xbf16>, %rest: memref<256x768xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<256x192xbf16>, memref<768x192xbf16>) outs(%d : memref<256x768xbf16>)
      epilogue(%acc, %x = %rest : memref<256x768xbf16>) {
    %wide = arith.extf %x : bf16 to f32
    %sum = arith.addf %acc, %wide : f32
    %narrow = arith.truncf %sum : f32 to bf16
    tmm.yield %narrow : bf16
  }
  return
}
