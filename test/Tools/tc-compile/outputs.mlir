// RUN: rm -rf %t && mkdir %t
// RUN: tc-compile %s -o %t/out.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t/out.ptx
// RUN: FileCheck %s --check-prefix=JSON --input-file=%t/out.json
// RUN: tc-compile %s --emit=ptx -o - | FileCheck %s --check-prefix=PTX
// RUN: cat %s | tc-compile - | FileCheck %s --check-prefix=PTX
// RUN: tc-compile %s -o %t/out.ll
// RUN: FileCheck %s --check-prefix=LLVM --input-file=%t/out.ll
// RUN: tc-compile %s --emit=tmm -o %t/out.mlir
// RUN: FileCheck %s --check-prefix=TMM --input-file=%t/out.mlir
// RUN: tc-compile %s --emit=tiles | FileCheck %s --check-prefix=TILES
// RUN: tc-compile %s --emit=roles | FileCheck %s --check-prefix=ROLES
// RUN: tc-compile %s --emit=tcgen05 | FileCheck %s --check-prefix=TCGEN05
// RUN: tc-compile %s --emit=nvvm | FileCheck %s --check-prefix=NVVM
// RUN: tc-compile %s --config="tile=128x128x64" --emit=tmm | FileCheck %s --check-prefix=CONFIG
// RUN: tc-compile %s --explain -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: tc-compile %s --explain=json -o %t/out.ptx 2>&1 | %python -m json.tool | FileCheck %s --check-prefix=EXPLAIN-JSON

// The suffix of the output, or --emit, says how far the module goes, and each
// level can be compiled on.
// RUN: tc-compile %t/out.mlir -o %t/again.ptx
// RUN: diff %t/out.ptx %t/again.ptx
// RUN: tc-compile %s --emit=tcgen05 | tc-compile - -o %t/again.ptx
// RUN: diff %t/out.ptx %t/again.ptx
// RUN: diff %t/out.json %t/again.json

// PTX: .version 8.6
// PTX: .target sm_100a
// PTX: .visible .entry matmul_matmul(
// PTX: .reqntid 192, 1, 1
// PTX: tcgen05.mma.cta_group::1.kind::f16
// JSON: "function": "matmul"
// JSON: "formula": "D = A * B"
// LLVM: target triple = "nvptx64-nvidia-cuda"
// LLVM: define ptx_kernel void @matmul_matmul(
// LLVM: call void @llvm.nvvm.tcgen05.mma.shared
// TMM: tmm.matmul config
// TILES: tmm.mma
// ROLES: tmm.producer_acquire
// TCGEN05: tcgen05.mma
// NVVM: nvvm.tcgen05.mma
// EXPLAIN: outputs.mlir:[[# @LINE + 7]]:3: remark: matmul M = 256, N = 256, K = 128: tile=128x64x64 unit=tcgen05 cta-group=1
// EXPLAIN-JSON: "bound":
// CONFIG: #config = #tmm.config<tile = <shape = 128x128x64

func.func @matmul(%a: memref<256x128xbf16>, %b: memref<128x256xbf16>, %d: memref<256x256xf32>) {
  %zero = arith.constant 0.0 : f32
  linalg.fill ins(%zero : f32) outs(%d : memref<256x256xf32>)
  linalg.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x256xbf16>) outs(%d : memref<256x256xf32>)
  return
}
