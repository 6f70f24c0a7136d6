// RUN: tc-opt %s -tmm-pipeline | FileCheck %s

// Depths come from the kernel's configuration; only types change.

// CHECK-LABEL: gpu.func @k
// CHECK: %[[RING:.*]] = tmm.pipeline : <(<128x64xf16, smem>), depth = 5>
// CHECK: tmm.pipeline_start %[[RING]] : <(<128x64xf16, smem>), depth = 5>
// CHECK: tmm.pipeline : <(<128x32xf32, tmem>), depth = 2>

// TMA stores the slots of this ring.
// CHECK-LABEL: gpu.func @store_ring
// CHECK: tmm.pipeline : <(<128x32xf32, smem, <n_major, swizzle = 128>>), depth = 3>

// CHECK-LABEL: gpu.func @without_config
// CHECK: tmm.pipeline : <(<128x64xf16, smem>), depth = 1>
gpu.module @m {
  gpu.func @k() kernel attributes {tmm.config = #tmm.config<stages = 5, accumulator_stages = 2>} {
    %ring = tmm.pipeline : <(<128x64xf16, smem>), depth = 1>
    %s = tmm.pipeline_start %ring : <(<128x64xf16, smem>), depth = 1>
    %accs = tmm.pipeline : <(<128x32xf32, tmem>), depth = 1>
    gpu.return
  }
  gpu.func @store_ring(%d: memref<128x32xf32>, %v: vector<128x32xf32>, %i: i32) kernel
      attributes {tmm.config = #tmm.config<stages = 5, store_stages = 3>} {
    %ring = tmm.pipeline : <(<128x32xf32, smem, <n_major, swizzle = 128>>), depth = 1>
    %s = tmm.pipeline_start %ring : <(<128x32xf32, smem, <n_major, swizzle = 128>>), depth = 1>
    %free = tmm.producer_acquire %ring[%s] : <(<128x32xf32, smem, <n_major, swizzle = 128>>), depth = 1>
      -> !tmm.buffer<128x32xf32, smem, <n_major, swizzle = 128>>
    tmm.stage %v, %free : vector<128x32xf32>, <128x32xf32, smem, <n_major, swizzle = 128>>
    %full = tmm.consumer_wait %ring[%s] : <(<128x32xf32, smem, <n_major, swizzle = 128>>), depth = 1>
      -> !tmm.buffer<128x32xf32, smem, <n_major, swizzle = 128>>
    tmm.unload %full, %d[%i, %i] : <128x32xf32, smem, <n_major, swizzle = 128>>, memref<128x32xf32>
    gpu.return
  }
  gpu.func @without_config() kernel {
    %ring = tmm.pipeline : <(<128x64xf16, smem>), depth = 1>
    gpu.return
  }
}
