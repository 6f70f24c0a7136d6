// RUN: tc-opt --convert-linalg-to-gpu --verify-diagnostics %s

module attributes {gpu.container_module} {

gpu.module @kernels {
  gpu.func @k() kernel {
    gpu.return
  }
}

func.func @softmax(%x: memref<64x100xf32>, %y: memref<64x100xf32>) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  // expected-error @below {{'linalg.softmax' op on memrefs has no loops that a kernel could run: expected tensors, on which tc-decompose-aggregates takes it apart}}
  linalg.softmax dimension(1) ins(%x : memref<64x100xf32>) outs(%y : memref<64x100xf32>)
  return
}

}
