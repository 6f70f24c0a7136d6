// RUN: tc-opt %s -tmm-pipeline | FileCheck %s

// Depths come from the kernel's configuration; only types change.

// CHECK-LABEL: gpu.func @k
// CHECK: %[[RING:.*]] = tmm.pipeline : <(<128x64xf16, smem>), depth = 5>
// CHECK: tmm.pipeline_start %[[RING]] : <(<128x64xf16, smem>), depth = 5>
// CHECK: tmm.pipeline : <(<128x32xf32, tmem>), depth = 2>

// CHECK-LABEL: gpu.func @without_config
// CHECK: tmm.pipeline : <(<128x64xf16, smem>), depth = 1>
gpu.module @m {
  gpu.func @k() kernel attributes {tmm.config = #tmm.config<stages = 5, accumulator_stages = 2>} {
    %ring = tmm.pipeline : <(<128x64xf16, smem>), depth = 1>
    %s = tmm.pipeline_start %ring : <(<128x64xf16, smem>), depth = 1>
    %accs = tmm.pipeline : <(<128x32xf32, tmem>), depth = 1>
    gpu.return
  }
  gpu.func @without_config() kernel {
    %ring = tmm.pipeline : <(<128x64xf16, smem>), depth = 1>
    gpu.return
  }
}
