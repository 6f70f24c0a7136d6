// RUN: tc-opt %s -split-input-file -tmm-pipeline -verify-diagnostics

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
gpu.module @m {
  gpu.func @two_depths() kernel {
    // expected-error @below {{'tmm.pipeline' op expected a depth of 1 or of the 4 stages, got 3}}
    %ring = tmm.pipeline stages(4) : !tmm.pipeline<(!tile), depth = 3>
    gpu.return
  }
}
