// RUN: tc-opt %s --split-input-file --tc-serialize-gpu-modules | FileCheck %s

// LLVM has tcgen05.mma as a write of D alone. Its dead store elimination would
// delete the first of two identical ones, its loop unrolling would copy them.

// CHECK-LABEL: gpu.binary @m
// CHECK-SAME: .visible .entry accumulate_twice(
// CHECK-SAME: tcgen05.mma
// CHECK-SAME: tcgen05.mma
// CHECK-NOT: tcgen05.mma
// CHECK-SAME: tcgen05.commit
gpu.module @m [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @accumulate_twice(%d: !llvm.ptr<6>, %a: i64, %b: i64, %idesc: i32, %bar: !llvm.ptr<3>) attributes {gpu.kernel, nvvm.kernel} {
    %true = llvm.mlir.constant(true) : i1
    nvvm.tcgen05.mma %d, %a, %b, %idesc, %true {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
    nvvm.tcgen05.mma %d, %a, %b, %idesc, %true {kind = #nvvm.tcgen05_mma_kind<f16>, ctaGroup = #nvvm.cta_group<cta_1>} : (!llvm.ptr<6>, i64, i64, i32, i1)
    nvvm.tcgen05.commit %bar : !llvm.ptr<3>
    llvm.return
  }
}

// -----

// The same call at the start of both branches is not merged, and a loop with
// three iterations is not unrolled.

// CHECK-LABEL: gpu.binary @branches
// CHECK-SAME: tcgen05.commit
// CHECK-SAME: tcgen05.commit
// CHECK-SAME: mbarrier.try_wait
// CHECK-NOT: mbarrier.try_wait
gpu.module @branches [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @branches(%bar: !llvm.ptr<3>, %p: i1, %out: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %c0 = llvm.mlir.constant(0 : i32) : i32
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c3 = llvm.mlir.constant(3 : i32) : i32
    llvm.cond_br %p, ^then, ^else
  ^then:
    nvvm.tcgen05.commit %bar : !llvm.ptr<3>
    llvm.store %c1, %out : i32, !llvm.ptr<1>
    llvm.br ^loop(%c0 : i32)
  ^else:
    nvvm.tcgen05.commit %bar : !llvm.ptr<3>
    llvm.br ^loop(%c0 : i32)
  ^loop(%i: i32):
    %ok = nvvm.mbarrier.try_wait %bar, %c0 : !llvm.ptr<3>, i32 -> i1
    %next = llvm.add %i, %c1 : i32
    %again = llvm.icmp "ult" %next, %c3 : i32
    llvm.cond_br %again, ^loop(%next : i32), ^exit
  ^exit:
    llvm.return
  }
}
