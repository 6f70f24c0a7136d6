// RUN: tc-opt %s -split-input-file -tmm-lower-scheduler -verify-diagnostics

gpu.module @m {
  gpu.func @through_select(%m: i32, %p: i1) kernel {
    // expected-note @below {{made here}}
    %a = tmm.scheduler #tmm.static(%m, %m, %m) tile [128, 64, 32] : !tmm.scheduler
    %b = tmm.scheduler #tmm.static(%m, %m, %m) tile [128, 32, 32] : !tmm.scheduler
    // expected-error @below {{expected the scheduler of a work item to be the result of a tmm.scheduler that is used directly, got operand 1}}
    %s = arith.select %p, %a, %b : !tmm.scheduler
    %work = tmm.first_work %s : !tmm.work
    gpu.return
  }
}
