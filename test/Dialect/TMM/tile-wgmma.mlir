// RUN: tc-opt %s -tmm-choose-config="chip=sm_90a config='tile=128x64x64 epilogue-subtile=32'" -tmm-tile="chip=sm_90a" -canonicalize | FileCheck %s
// RUN: not tc-opt %s -tmm-choose-config="chip=sm_90a config='tile=128x64x64 epilogue-subtile=32'" -tmm-tile="chip=sm_120a" 2>&1 | FileCheck %s --check-prefix=CHIP

// An accumulator in registers: a value through the K loop, of which the epilogue takes some columns at a time.
// CHECK: gpu.module @kernels [#nvvm.target<chip = "sm_90a"
// CHECK: gpu.func @f_matmul({{.*}}) kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// CHECK: tmm.role "consumer" warps(8) drives [#sm90.wgmma, #tmm.threads, #sm90.tma_store]
// CHECK: tmm.role "load" warps(1) drives [#sm90.tma]
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<128x64xf32>)
// CHECK: %[[NEW:.*]] = tmm.mma %{{.*}}, %{{.*}}, %[[OLD]] accumulate(%{{.*}}) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
// CHECK: scf.yield %[[NEW]] : vector<128x64xf32>
// CHECK: scf.for %[[COLUMN:.*]] = %c0{{.*}} to %c64{{.*}} step %c32
// CHECK: %[[PART:.*]] = tmm.extract_columns %[[SUM]][%[[COLUMN]]] : vector<128x64xf32> -> vector<128x32xf32>
// CHECK: %[[OUT:.*]] = arith.truncf %[[PART]]
// CHECK: %[[BUFFER:.*]] = tmm.alloc stages(2)
// CHECK: tmm.stage %[[OUT]], %[[BUFFER]] layout(#sm90.wgmma_layout) : vector<128x32xbf16>
// CHECK: tmm.unload %[[BUFFER]], %{{.*}} by(#sm90.tma_store)
// CHECK-NOT: tmm.read

// CHIP: error: 'tmm.matmul' op configuration: expected a unit of chip sm_120a, mma-sync, got wgmma
func.func @f(%a: memref<?x200xbf16>, %b: memref<200x512xbf16>, %d: memref<?x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<?x200xbf16>, memref<200x512xbf16>) outs(%d : memref<?x512xbf16>)
  return
}
