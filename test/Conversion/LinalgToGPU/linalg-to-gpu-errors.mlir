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

func.func @complex(%x: memref<64xcomplex<f32>>, %y: memref<64xcomplex<f32>>) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  // expected-error @below {{'linalg.generic' op expected real numbers, whose types kernels have, got 'complex<f32>': expected real and imaginary parts apart}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xcomplex<f32>>) outs(%y : memref<64xcomplex<f32>>) {
  ^bb0(%a: complex<f32>, %o: complex<f32>):
    linalg.yield %a : complex<f32>
  }
  return
}

func.func @copy_of_fp4(%x: memref<64xf4E2M1FN>, %y: memref<64xf4E2M1FN>) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  // expected-error @below {{'memref.copy' op expected elements of whole bytes, which threads read and write alone, got 'f4E2M1FN'}}
  memref.copy %x, %y : memref<64xf4E2M1FN> to memref<64xf4E2M1FN>
  return
}

func.func @fp4(%x: memref<64xbf16>, %y: memref<64xf4E2M1FN>) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
  // expected-error @below {{'linalg.generic' op expected elements of whole bytes, which threads read and write alone, got 'f4E2M1FN': expected f8E4M3FN, or a product to read them}}
  linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : memref<64xbf16>) outs(%y : memref<64xf4E2M1FN>) {
  ^bb0(%a: bf16, %o: f4E2M1FN):
    %0 = arith.truncf %a : bf16 to f4E2M1FN
    linalg.yield %0 : f4E2M1FN
  }
  return
}

}
