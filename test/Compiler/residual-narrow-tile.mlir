// A residual of 16 bits is fetched as memory has it where a subtile has the 32 columns that this takes; in narrower
// ones, of tiles of 40 columns, as the accumulator has it.
// RUN: tc-compile %s --chip=sm_90a --config="tile=64x40x64" -o %t.ptx
// RUN: tc-run %t.ptx --races=strict --check | FileCheck %s
// RUN: tc-compile %s --chip=sm_90a --config="tile=64x40x64 unit=mma-sync" -o %t.warps.ptx
// RUN: tc-run %t.warps.ptx --races=strict --check | FileCheck %s
// RUN: tc-compile %s --chip=sm_90a --config="tile=128x24x64 roles=ping-pong" -o %t.turns.ptx
// RUN: tc-run %t.turns.ptx --races=strict --check | FileCheck %s
// CHECK: maximum error
func.func @f(%a: memref<89x128xf16>, %b: memref<272x128xf16>, %d: memref<89x272xbf16>, %rest: memref<89x272xf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<89x128xf16>, memref<272x128xf16>) outs(%d : memref<89x272xbf16>)
      epilogue(%acc, %x = %rest : memref<89x272xf16>) {
    %wide = arith.extf %x : f16 to f32
    %sum = arith.addf %acc, %wide : f32
    %narrow = arith.truncf %sum : f32 to bf16
    tmm.yield %narrow : bf16
  }
  return
}
