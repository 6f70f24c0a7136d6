// RUN: tc-opt %s -split-input-file -tmm-warp-specialize -verify-diagnostics

gpu.module @m {
  gpu.func @no_consumer(%a: memref<?x?xf16>, %i: i32) kernel attributes {tmm.config = #tmm.config<roles = specialized>} {
    // expected-error @below {{expected an op to read the slots, got none}}
    %ring = tmm.pipeline : <(<128x64xf16, smem>), depth = 1>
    %s = tmm.pipeline_start %ring : <(<128x64xf16, smem>), depth = 1>
    %t = tmm.producer_acquire %ring[%s] : <(<128x64xf16, smem>), depth = 1> -> !tmm.buffer<128x64xf16, smem>
    tmm.load %a[%i, %i], %t : memref<?x?xf16>, <128x64xf16, smem>
    gpu.return
  }
}
