// RUN: tc-opt --convert-linalg-to-gpu=chip=sm_90a --canonicalize --cse %s | FileCheck %s

// A thread that reads one vector of 16 bytes does so four times, in a kernel with
// threads enough, and stores when it has read all.

#all = affine_map<(r, c) -> (r, c)>

// CHECK-LABEL: func.func @large
// CHECK-DAG: %[[BLOCKS:.*]] = arith.constant 1024 : index
// CHECK: gpu.launch_func  @kernels::@large_generic blocks in (%[[BLOCKS]],
func.func @large(%x: memref<2048x4096xbf16>, %y: memref<2048x4096xbf16>) {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<2048x4096xbf16>) outs(%y : memref<2048x4096xbf16>) {
  ^bb0(%e: bf16, %o: bf16):
    %n = arith.negf %e : bf16
    linalg.yield %n : bf16
  }
  return
}

// CHECK-LABEL: func.func @small
// CHECK: %[[BLOCKS:.*]] = arith.constant 256 : index
// CHECK: gpu.launch_func  @kernels::@small_generic blocks in (%[[BLOCKS]],
func.func @small(%x: memref<128x4096xbf16>, %y: memref<128x4096xbf16>) {
  linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x : memref<128x4096xbf16>) outs(%y : memref<128x4096xbf16>) {
  ^bb0(%e: bf16, %o: bf16):
    %n = arith.negf %e : bf16
    linalg.yield %n : bf16
  }
  return
}

// CHECK-LABEL: gpu.func @large_generic
// CHECK-COUNT-4: vector.load
// CHECK-NOT: vector.load
// CHECK-COUNT-4: vector.store
// CHECK-LABEL: gpu.func @small_generic
// CHECK: vector.load
// CHECK-NOT: vector.load
// CHECK: vector.store
