// A kernel that no launch describes takes pointers alone.
// RUN: not tc-compile %s -o %t.ptx 2>&1 | FileCheck %s
// CHECK: kernel-arguments.mlir:[[#@LINE+3]]:{{[0-9]+}}: error: 'gpu.func' op argument 1: expected static sizes and strides, or a gpu.launch_func of the kernel, got 'memref<?x136xf32>'
// RUN: tc-compile %s --emit=tcgen05 -o - | FileCheck %s --check-prefix=LEVEL
// LEVEL: gpu.func @rows
gpu.module @kernels { gpu.func @rows(%static: memref<4xf32>, %rows: memref<?x136xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
  gpu.return
}
}
