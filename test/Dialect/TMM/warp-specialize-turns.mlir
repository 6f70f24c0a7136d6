// RUN: tc-opt %s -tmm-warp-specialize | FileCheck %s

// Instances that take turns in ops without results.
// CHECK: tmm.warp_specialize "epilogue" warps(4) {
// CHECK: scf.if
// CHECK-NEXT: tmm.store
// CHECK: } "epilogue" warps(4) {
// CHECK: scf.if
// CHECK-NEXT: tmm.store
gpu.module @m {
  gpu.func @stores(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32, %n: i32) kernel {
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    scf.for %j = %i to %n step %i : i32 {
      tmm.loop "tiles"
      tmm.store %v, %d[%j, %i] role("epilogue") : vector<128x64xf16>, memref<?x?xf16>
    }
    gpu.return
  }
}
