// RUN: tc-opt %s --tc-lower-prefetches | FileCheck %s

gpu.module @m {
  // CHECK-LABEL: llvm.func @kernel
  // CHECK-SAME: %[[P:.*]]: !llvm.ptr<1>, %[[S:.*]]: !llvm.ptr<3>, %[[G:.*]]: !llvm.ptr)
  llvm.func @kernel(%p: !llvm.ptr<1>, %s: !llvm.ptr<3>, %g: !llvm.ptr) attributes {nvvm.kernel} {
    // CHECK-NEXT: nvvm.prefetch level = L2, %[[P]] : !llvm.ptr<1>
    "llvm.intr.prefetch"(%p) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}> : (!llvm.ptr<1>) -> ()
    // CHECK-NEXT: nvvm.prefetch level = L1, %[[P]] : !llvm.ptr<1>
    "llvm.intr.prefetch"(%p) <{cache = 1 : i32, hint = 3 : i32, rw = 1 : i32}> : (!llvm.ptr<1>) -> ()
    // CHECK-NEXT: nvvm.prefetch level = L2, %[[G]] : !llvm.ptr
    "llvm.intr.prefetch"(%g) <{cache = 1 : i32, hint = 0 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
    // What is in shared memory, or of instructions, is dropped.
    // CHECK-NEXT: llvm.return
    "llvm.intr.prefetch"(%s) <{cache = 1 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr<3>) -> ()
    "llvm.intr.prefetch"(%p) <{cache = 0 : i32, hint = 3 : i32, rw = 0 : i32}> : (!llvm.ptr<1>) -> ()
    llvm.return
  }
}

// CHECK-LABEL: llvm.func @host
// CHECK: llvm.intr.prefetch
llvm.func @host(%g: !llvm.ptr) {
  "llvm.intr.prefetch"(%g) <{cache = 1 : i32, hint = 2 : i32, rw = 0 : i32}> : (!llvm.ptr) -> ()
  llvm.return
}
