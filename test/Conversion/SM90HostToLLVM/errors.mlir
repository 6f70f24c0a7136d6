// RUN: tc-opt %s -convert-sm90-host-to-llvm -split-input-file -verify-diagnostics

func.func @returned(%a: memref<64x64xbf16>) -> !sm90.tensor_map<64x64xbf16, b128> {
  // expected-error @below {{expected launches as its only users, got 'func.return'}}
  %map = sm90.tensor_map.encode %a[0] dims [64, 64] strides [128] : memref<64x64xbf16> to !sm90.tensor_map<64x64xbf16, b128>
  return %map : !sm90.tensor_map<64x64xbf16, b128>
}

// -----

module attributes {gpu.container_module} {
  gpu.module @kernels {
    // expected-note @below {{defined here}}
    gpu.func @k(%d: memref<f32>) kernel {
      gpu.return
    }
  }
  func.func @host(%d: memref<f32>) {
    %c1 = arith.constant 1 : index
    // expected-error @below {{expected a kernel that is lowered, got 'gpu.func'}}
    gpu.launch_func @kernels::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<f32>)
    return
  }
}
