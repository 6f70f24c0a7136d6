// RUN: tc-opt %s --split-input-file --tc-inline-calls --verify-diagnostics | FileCheck %s
// RUN: tc-opt %s --split-input-file --tc-lower-to-nvvm | FileCheck %s --check-prefix=WHOLE

// Two steps deep; @entry is called by nobody, and what it computes is wanted.

// CHECK-NOT: @inner
// CHECK-NOT: @outer
// CHECK-LABEL: func.func @entry
// CHECK: linalg.matmul
// CHECK: math.tanh
// CHECK: math.exp
// CHECK-NOT: @inner
// CHECK-NOT: @outer
// WHOLE: func.func @entry
// WHOLE: gpu.launch_func
func.func private @inner(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = math.tanh %x : tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}
func.func private @outer(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = call @inner(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %z = math.exp %y : tensor<64x64xf32>
  return %z : tensor<64x64xf32>
}
func.func private @entry(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %d: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %y = linalg.matmul ins(%a, %b : tensor<64x64xf16>, tensor<64x64xf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %r = call @outer(%y) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  return %r : tensor<64x64xf32>
}

// -----

// Without calls nothing changes.

// CHECK-LABEL: func.func private @alone
// WHOLE: func.func private @alone
func.func private @alone(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf32>)
  return
}

// -----

// What only functions call that nothing calls is not called, either; declarations
// are no entries.

// CHECK-NOT: @helper
// CHECK-NOT: @unused
// CHECK-LABEL: func.func @main
// CHECK: linalg.matmul
// CHECK-NOT: func.func
// expected-remark @below {{'helper' is private and not called, so nothing computes it}}
func.func private @helper(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf32>)
  return
}
// expected-remark @below {{'unused' is private and not called, so nothing computes it}}
func.func private @unused(%a: memref<64x64xf16>, %d: memref<64x64xf32>) {
  call @helper(%a, %a, %d) : (memref<64x64xf16>, memref<64x64xf16>, memref<64x64xf32>) -> ()
  return
}
func.func @main(%a: memref<64x64xf16>, %b: memref<64x64xf16>, %d: memref<64x64xf32>) {
  linalg.matmul ins(%a, %b : memref<64x64xf16>, memref<64x64xf16>) outs(%d : memref<64x64xf32>)
  return
}
