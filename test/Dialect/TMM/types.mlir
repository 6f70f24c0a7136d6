// RUN: tc-opt %s | tc-opt | FileCheck %s
// RUN: tc-opt --mlir-print-op-generic %s | tc-opt | FileCheck %s

// CHECK-LABEL: func private @buffers
// CHECK-SAME: !tmm.buffer<128x64xbf16, smem>
// CHECK-SAME: !tmm.buffer<128x256xf32, tmem>
func.func private @buffers(!tmm.buffer<128x64xbf16, smem>, !tmm.buffer<128x256xf32, tmem>)

// CHECK-LABEL: func private @layouts
// CHECK-SAME: !tmm.buffer<128x64xbf16, smem, <k_major, swizzle = 128>>
// CHECK-SAME: !tmm.buffer<64x64xf16, smem, <mn_major, swizzle = 0>>
func.func private @layouts(!tmm.buffer<128x64xbf16, smem, <k_major, swizzle = 128>>,
                           !tmm.buffer<64x64xf16, smem, <mn_major, swizzle = 0>>)

// The full type of a buffer is accepted within a pipeline, its short form is printed.
// CHECK-LABEL: func private @pipelines
// CHECK-SAME: !tmm.pipeline<(<128x64xbf16, smem>, <256x64xbf16, smem>), depth = 4>
// CHECK-SAME: !tmm.pipeline<(<128x256xf32, tmem>), depth = 1>
func.func private @pipelines(
  !tmm.pipeline<(<128x64xbf16, smem>, !tmm.buffer<256x64xbf16, smem>), depth = 4>,
  !tmm.pipeline<(<128x256xf32, tmem>), depth = 1>)

// CHECK-LABEL: func private @scopes
// CHECK-SAME: !tmm.pipeline<(<128x64xbf16, smem>), depth = 4, scope = pair>
// CHECK-SAME: !tmm.pipeline<(<128x64xbf16, smem>), depth = 4>
func.func private @scopes(
  !tmm.pipeline<(<128x64xbf16, smem>), depth = 4, scope = pair>,
  !tmm.pipeline<(<128x64xbf16, smem>), depth = 4, scope = cta>)

// CHECK-LABEL: func private @loop_values
// CHECK-SAME: (!tmm.pipeline_state, !tmm.scheduler, !tmm.work)
func.func private @loop_values(!tmm.pipeline_state, !tmm.scheduler, !tmm.work)
