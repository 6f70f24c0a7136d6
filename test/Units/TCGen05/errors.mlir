// RUN: tc-opt %s -split-input-file -convert-tmm-pipelines-to-sm90 -tmm-distribute -convert-tmm-tiles -verify-diagnostics

// What was not lowered before.
module attributes {gpu.container_module} {
  func.func @host(%n: index) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      // expected-error @below {{failed to legalize operation 'tmm.scheduler' that was explicitly marked illegal}}
      %sched = tmm.scheduler #tmm.static(%c0, %c0, %c0) tile [128, 64, 32] : !tmm.scheduler
      gpu.return
    }
  }
}
