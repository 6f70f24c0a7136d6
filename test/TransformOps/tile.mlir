// RUN: %mlir_opt %s --pass-pipeline='builtin.module(transform-interpreter)' --split-input-file | FileCheck %s
// RUN: %mlir_opt %s --pass-pipeline='builtin.module(transform-interpreter,tmm-tile{chip=sm_90a})' --split-input-file | FileCheck %s --check-prefix=REST

// Two products, one after the other, share the module of kernels, and so does the third one, which the pass tiles.
// CHECK-LABEL: func @two
// CHECK-NOT: tmm.matmul
// CHECK: tmm.problem
// CHECK: gpu.launch_func @kernels::@two_matmul {{.*}} {launch}
// CHECK: tmm.problem
// CHECK: gpu.launch_func @kernels::@two_matmul_0
// CHECK: gpu.module @kernels [#nvvm.target<chip = "sm_90a", features = "+ptx{{[0-9]+}}">] {
// CHECK: gpu.func @two_matmul({{.*}}) kernel attributes {{.*}}kernel
// CHECK: tmm.mma {{.*}} by(#sm90.wgmma)
// CHECK: gpu.func @two_matmul_0(
// CHECK-NOT: gpu.module
// REST-LABEL: func @two
// REST: gpu.launch_func @kernels::@two_matmul {{.*}} {launch}
// REST: gpu.launch_func @kernels::@two_matmul_0
// REST: gpu.launch_func @kernels::@two_matmul_1
// REST: gpu.module @kernels [#nvvm.target<chip = "sm_90a"
// REST: gpu.func @two_matmul({{.*}}) kernel attributes {{.*}}kernel
// REST: gpu.func @two_matmul_0(
// REST: gpu.func @two_matmul_1(
// REST-NOT: gpu.module
func.func @two(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>, %e: memref<256x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%e : memref<256x512xbf16>)
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%e : memref<256x512xbf16>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %0 "tile=128x128x64 split-k=1" for "sm_90a" : !transform.any_op
    %1, %2, %3 = transform.split_handle %0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %k1, %l1 = transform.tmm.tile %1 for "sm_90a" : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %k2, %l2 = transform.tmm.tile %2 for "sm_90a" : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.annotate %l1 "launch" : !transform.any_op
    transform.annotate %k1 "kernel" : !transform.any_op
    transform.yield
  }
}

// -----

// Other chips have a module of their own; a product without elements has no kernel.
// CHECK-LABEL: func @chips
// REST-LABEL: func @chips
// CHECK: gpu.launch_func @kernels::@chips_matmul
// CHECK: tmm.problem
// CHECK-NOT: gpu.launch_func
// CHECK: gpu.module @kernels [#nvvm.target<chip = "sm_100a"
// CHECK: tmm.mma {{.*}} by(#tcgen05.mma)
// CHECK-NOT: gpu.func
// CHECK: gpu.module @kernels_0 [#nvvm.target<chip = "sm_90a"
func.func @chips(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>, %none: memref<0x1024xbf16>, %e: memref<0x512xf32>) {
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  tmm.matmul ins(%none, %b : memref<0x1024xbf16>, memref<1024x512xbf16>) outs(%e : memref<0x512xf32>)
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    %1, %2 = transform.split_handle %0 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.tmm.configure %1 "" for "sm_100a" : !transform.any_op
    transform.tmm.configure %2 "" for "sm_90a" : !transform.any_op
    %k1, %l1 = transform.tmm.tile %1 : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %k2, %l2 = transform.tmm.tile %2 for "sm_90a" : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // The handles are empty.
    transform.annotate %k2 "never" : !transform.any_op
    transform.yield
  }
}

// -----

// A PTX version that is given; what the target of a module says besides is kept.
// CHECK-LABEL: func @version
// CHECK: gpu.module @mine [#nvvm.target<O = 3, chip = "sm_100a", features = "+ptx88", flags = {fast}>]
// CHECK: gpu.func @version_matmul
// CHECK-NOT: gpu.module
func.func @version(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>) {
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  return
}

gpu.module @mine [#nvvm.target<O = 3, chip = "sm_100a", features = "+ptx88", flags = {fast}>] {
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %0 "" for "sm_100a" : !transform.any_op
    %k, %l = transform.tmm.tile %0 features "+ptx88" : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// What other families have kernels for, with a product in one module.
// CHECK-LABEL: func @rows
// CHECK: gpu.launch_func @kernels::@rows_matmul
// CHECK: gpu.launch_func @kernels::@rows_rows
// CHECK: gpu.module @kernels
// CHECK: gpu.func @rows_matmul
// CHECK: gpu.func @rows_rows
// CHECK-NOT: gpu.module
#e = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>
func.func @rows(%a: memref<256x1024xbf16>, %b: memref<1024x512xbf16>, %d: memref<256x512xf32>, %s: memref<256xf32>) {
  tmm.matmul ins(%a, %b : memref<256x1024xbf16>, memref<1024x512xbf16>) outs(%d : memref<256x512xf32>)
  tmm.rows ins(%d : memref<256x512xf32>) outs(%s : memref<256xf32>) maps [#e, #r] {
  ^bb0(%x: f32):
    %0 = tmm.row_reduce <add> %x : f32
    tmm.yield %0 : f32
  }
  return
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%root: !transform.any_op {transform.readonly}) {
    %0 = transform.structured.match ops{["tmm.matmul"]} in %root : (!transform.any_op) -> !transform.any_op
    transform.tmm.configure %0 "tile=128x128x64" for "sm_100a" : !transform.any_op
    %1 = transform.structured.match ops{["tmm.matmul", "tmm.rows"]} in %root : (!transform.any_op) -> !transform.any_op
    %k, %l = transform.tmm.tile %1 : (!transform.any_op) -> (!transform.op<"gpu.func">, !transform.op<"gpu.launch_func">)
    transform.yield
  }
}
