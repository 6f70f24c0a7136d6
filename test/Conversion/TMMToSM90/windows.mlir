// Windows of images: the tensor map of the images, and where in them the pixels of a tile are.
// RUN: tc-opt %s --mlir-print-local-scope --tmm-choose-config="config=tile=128x64x64" --tmm-tile --canonicalize --cse --convert-tmm-kernel-interface-to-sm90 | FileCheck %s
// A tile program that enters the pipeline stays what it is.
// RUN: tc-compile %s --config="tile=128x64x64" --emit=tiles -o - | tc-opt --mlir-print-local-scope --tc-lower-to-tcgen05 | FileCheck %s --check-prefix=LOAD
// RUN: tc-compile %s --config="tile=128x64x64" --emit=tcgen05 -o - | FileCheck %s --check-prefix=LOAD

!windows = memref<?x720xbf16, #tmm.windows<output = [8, 9], window = [3, 5], channels = 48, strides = [2, 1], dilations = [1, 3], padding = [1, 4]>>

// The box of first elements ends where the last window begins.
// CHECK-LABEL: func.func @host
// CHECK-SAME: %[[I:.*]]: memref<?x15x13x48xbf16>
// CHECK: tmm.problem
// CHECK: %[[N:.*]] = memref.dim %[[I]], %c0
// CHECK: %[[SOME:.*]] = arith.maxui %[[N]], %c1
// CHECK: sm90.tensor_map.encode %[[I]][0] dims [%[[SOME]], 15, 13, 48] strides [18720, 1248, 96] l2_promotion l2_256b element_strides [1, 2, 1, 1] im2col lower [-1, -4] upper [-1, -8]
// CHECK-SAME: : memref<?x15x13x48xbf16> to !sm90.tensor_map<128x16xbf16, b32, im2col = 4>
// CHECK: gpu.func
// CHECK: tmm.load %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} windows(<output = [8, 9], window = [3, 5], channels = 48, strides = [2, 1], dilations = [1, 3], padding = [1, 4]>)

// Four slabs of 16 channels. K is no multiple of 64: beyond it the channels of no image are read.
// LOAD-LABEL: gpu.func @host_matmul
// LOAD: %[[PLACE:.*]] = arith.divui %[[K:.*]], %c48_i32
// LOAD: %[[CHANNEL:.*]] = arith.remui %[[K]], %c48_i32
// LOAD: %[[INSIDE:.*]] = arith.cmpi ult, %[[K]], %c720_i32
// LOAD: %[[AT:.*]] = arith.select %[[INSIDE]], %[[PLACE]], %c0_i32
// LOAD: %[[C:.*]] = arith.select %[[INSIDE]], %[[CHANNEL]], %c48_i32
// LOAD: %[[Q:.*]] = arith.remui %[[ROW:.*]], %c9_i32
// LOAD: arith.subi %{{.*}}, %c4_i32
// LOAD: arith.muli %{{.*}}, %c3_i32
// LOAD-COUNT-4: sm90.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}] im2col[%{{.*}}, %{{.*}}]
func.func @host(%i: memref<?x15x13x48xbf16>, %b: memref<720x64xbf16>, %d: memref<?x64xf32>) {
  %a = tmm.windows %i as <output = [8, 9], window = [3, 5], channels = 48, strides = [2, 1], dilations = [1, 3], padding = [1, 4]> : memref<?x15x13x48xbf16> to !windows
  tmm.matmul ins(%a, %b : !windows, memref<720x64xbf16>) outs(%d : memref<?x64xf32>)
  return
}
