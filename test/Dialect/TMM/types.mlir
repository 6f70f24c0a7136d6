// RUN: tc-opt %s | tc-opt --mlir-print-local-scope | FileCheck %s
// RUN: tc-opt --mlir-print-op-generic %s | tc-opt --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func private @buffers
// CHECK-SAME: !tmm.buffer<128x64xbf16, #sm90.smem<k_major, none>>
// CHECK-SAME: !tmm.buffer<128x256xf32, #tcgen05.tmem>
// CHECK-SAME: !tmm.buffer<64x192xf32, #tcgen05.tmem<ctas = 2>>
func.func private @buffers(!tmm.buffer<128x64xbf16, #sm90.smem<k_major, none>>,
                           !tmm.buffer<128x256xf32, #tcgen05.tmem>,
                           !tmm.buffer<64x192xf32, #tcgen05.tmem<ctas = 2>>)

// CHECK-LABEL: func private @layouts
// CHECK-SAME: !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
// CHECK-SAME: !tmm.buffer<64x64xf16, #sm90.smem<mn_major, b32>>
// CHECK-SAME: !tmm.buffer<128x32xf16, #sm90.smem<n_major, b64>>
func.func private @layouts(!tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>,
                           !tmm.buffer<64x64xf16, #sm90.smem<mn_major, b32>>,
                           !tmm.buffer<128x32xf16, #sm90.smem<n_major, b64>>)

// The full type of a buffer is accepted within a pipeline, its short form is printed.
// CHECK-LABEL: func private @pipelines
// CHECK-SAME: !tmm.pipeline<(<128x64xbf16, #sm90.smem<k_major, none>>, <256x64xbf16, #sm90.smem<k_major, none>>), depth = 4>
// CHECK-SAME: !tmm.pipeline<(<128x256xf32, #tcgen05.tmem>), depth = 1>
func.func private @pipelines(
  !tmm.pipeline<(<128x64xbf16, #sm90.smem<k_major, none>>, !tmm.buffer<256x64xbf16, #sm90.smem<k_major, none>>), depth = 4>,
  !tmm.pipeline<(<128x256xf32, #tcgen05.tmem>), depth = 1>)

// CHECK-LABEL: func private @storages
// CHECK-SAME: !tmm.storage<<128x64xbf16, #sm90.smem<k_major, b128>>, depth = 4>
func.func private @storages(!tmm.storage<<128x64xbf16, #sm90.smem<k_major, b128>>, depth = 4>)

// CHECK-LABEL: func private @loop_values
// CHECK-SAME: (!tmm.pipeline_state, !tmm.scheduler, !tmm.work)
func.func private @loop_values(!tmm.pipeline_state, !tmm.scheduler, !tmm.work)

// CHECK-LABEL: func private @ctas
// CHECK-SAME: a = #tmm.ctas<2x4, along = [1]>
// CHECK-SAME: b = #tmm.ctas<2x4, along = [0, 1]>
// CHECK-SAME: c = #tmm.ctas<2, along = [0]>
// CHECK-SAME: d = #tmm.threads
func.func private @ctas() attributes {a = #tmm.ctas<2x4, along = [1]>,
                                      b = #tmm.ctas<2x4, along = [0, 1]>,
                                      c = #tmm.ctas<2, along = [0]>, d = #tmm.threads}
