// RUN: tc-opt %s --mlir-print-local-scope --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

// A kernel after one that lets dependents start waits for its end, whatever condition that one has; the next one does not.

module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a">] {
    gpu.func @early(%d: memref<64x96xf32>) kernel {
      tmm.launch_dependents by(#sm90.tma)
      gpu.return
    }
  }

  // CHECK-LABEL: gpu.func @first_copy(
  // CHECK:         nvvm.griddepcontrol wait
  // CHECK:         vector.store
  // CHECK-LABEL: gpu.func @first_copy_0(
  // CHECK-NOT:     nvvm.griddepcontrol
  // CHECK:         vector.store
  func.func @first(%d: memref<64x96xf32>, %x: memref<64x96xf32>, %y: memref<64x96xf32>, %some: i1) {
    %c1 = arith.constant 1 : index
    scf.if %some {
      gpu.launch_func @kernels::@early blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x96xf32>)
    }
    memref.copy %d, %x : memref<64x96xf32> to memref<64x96xf32>
    memref.copy %x, %y : memref<64x96xf32> to memref<64x96xf32>
    return
  }
}
