// REQUIRES: ptxas
// RUN: rm -rf %t && mkdir %t
// RUN: tc-compile %s -o %t/out.cubin --config="cta-group=1 tile=128x256x128" 2>&1 | count 0
// RUN: llvm-readelf -h %t/out.cubin | FileCheck %s
// RUN: tc-compile %s -o %t/pair.cubin --config="cta-group=2 tile=256x256x128" 2>&1 | count 0
// RUN: llvm-readelf -h %t/pair.cubin | FileCheck %s
// RUN: tc-compile %s -o %t/out.ptx --config="cta-group=2 tile=256x256x128"
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t/out.ptx

// ptxas takes block-scaled instructions from PTX 8.8 on, and reports no spills.

// CHECK: Machine: NVIDIA CUDA
// PTX: .version 8.8
// PTX: tcgen05.mma.cta_group::2.kind::mxf8f6f4.block_scale

func.func @matmul(%a: memref<?x?xf8E4M3FN>, %b: memref<?x?xf8E5M2>, %sa: memref<?x?x32x4x4xf8E8M0FNU>,
                  %sb: memref<?x?x32x4x4xf8E8M0FNU>, %d: memref<?x?xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xf8E4M3FN>, memref<?x?xf8E5M2>)
             scales(%sa, %sb : memref<?x?x32x4x4xf8E8M0FNU>, memref<?x?x32x4x4xf8E8M0FNU>)
             outs(%d : memref<?x?xbf16>)
  return
}
