// REQUIRES: test-lib
// RUN: split-file %s %t
// RUN: tc-opt %t/both.mlir -tmm-explain-config=chip=sm_90a 2>&1 >/dev/null | FileCheck %s
// RUN: tc-opt %t/both.mlir -tmm-explain-config="chip=sm_90a format=json" 2>&1 >/dev/null | FileCheck %s --check-prefix=JSON
// RUN: tc-opt %t/row_sum.mlir -tmm-explain-config=chip=foo 2>&1 >/dev/null | FileCheck %s --check-prefix=ALONE
// RUN: tc-opt %t/windows.mlir -tmm-pack-operands="chip=sm_90a remarks" 2>&1 >/dev/null | FileCheck %s --check-prefix=WINDOWS

// Each family explains its own ops; the answers are in the order of the module.
// CHECK: both.mlir:2:3: remark: row sums: tile=128x32 stages=3
// CHECK-NEXT: shared memory: 3 stages of 16,384 bytes
// CHECK-NEXT: candidates: no other
// CHECK: both.mlir:3:3: remark: matmul M = 256, N = 192, K = 128: tile=
// CHECK: both.mlir:4:3: remark: row sums: tile=128x32 stages=3
// JSON: "location": "{{.*}}both.mlir:2:3",
// JSON-NEXT: "stage_bytes": 16384,
// JSON: "location": "{{.*}}both.mlir:3:3",
// JSON: "location": "{{.*}}both.mlir:4:3",

// A family without a matrix unit needs no chip that has one.
// ALONE: remark: row sums: tile=128x32 stages=3

// A family that does not say that it reads windows is given a matrix.
// WINDOWS: remark: gathered first, because TMA cannot load the windows from the images: what reads them is 'test_family.row_sum'

//--- both.mlir
func.func @both(%x: memref<?x?xf32>, %sums: memref<?x1xf32>, %a: memref<256x128xbf16>, %b: memref<192x128xbf16>, %d: memref<256x192xbf16>) {
  test_family.row_sum %x, %sums : memref<?x?xf32>, memref<?x1xf32>
  tmm.matmul transpose_b ins(%a, %b : memref<256x128xbf16>, memref<192x128xbf16>) outs(%d : memref<256x192xbf16>)
  test_family.row_sum %x, %sums : memref<?x?xf32>, memref<?x1xf32>
  return
}

//--- row_sum.mlir
func.func @row_sum(%x: memref<?x?xf32>, %sums: memref<?x1xf32>) {
  test_family.row_sum %x, %sums : memref<?x?xf32>, memref<?x1xf32>
  return
}

//--- windows.mlir
!windows = memref<7x48xf32, #tmm.windows<output = [7], window = [3], channels = 16, strides = [1], dilations = [1], padding = [0]>>
func.func @windows(%i: memref<1x9x16xf32>, %sums: memref<7x1xf32>) {
  %a = tmm.windows %i as <output = [7], window = [3], channels = 16, strides = [1], dilations = [1], padding = [0]> : memref<1x9x16xf32> to !windows
  test_family.row_sum %a, %sums : !windows, memref<7x1xf32>
  return
}
