// RUN: tc-opt %s -tmm-choose-config="chip=sm_90a config=tile=128x64x64" -tmm-tile="chip=sm_90a" -canonicalize | FileCheck %s
// RUN: not tc-opt %s -tmm-choose-config="chip=sm_90a config=tile=128x64x64" -tmm-tile="chip=sm_120a" 2>&1 | FileCheck %s --check-prefix=CHIP

// An accumulator in registers: a value through the K loop, of which the epilogue takes a part that is known when compiling.
// CHECK: gpu.module @kernels [#nvvm.target<chip = "sm_90a"
// CHECK: gpu.func @f_matmul({{.*}}) kernel attributes {known_block_size = array<i32: 256, 1, 1>}
// CHECK: tmm.role "consumer" warps(8) drives [#sm90.wgmma, #tmm.threads, #sm90.tma_store]
// CHECK: tmm.role "load" warps(1) drives [#sm90.tma]
// CHECK: %[[SUM:.*]] = scf.for {{.*}} iter_args(%[[OLD:.*]] = %{{.*}}) -> (vector<128x64xf32>)
// CHECK: %[[NEW:.*]] = tmm.mma %{{.*}}, %{{.*}}, %[[OLD]] accumulate(%{{.*}}) by(#sm90.wgmma) layout(#sm90.wgmma_layout)
// CHECK: scf.yield %[[NEW]] : vector<128x64xf32>
// CHECK: %[[PART:.*]] = vector.extract_strided_slice %[[SUM]] {offsets = [0, 0], sizes = [128, 32], strides = [1, 1]}
// CHECK: %[[OUT:.*]] = arith.truncf %[[PART]]
// CHECK: tmm.store %[[OUT]], %{{.*}} layout(#sm90.wgmma_layout) : vector<128x32xbf16>
// CHECK: vector.extract_strided_slice %[[SUM]] {offsets = [0, 32], sizes = [128, 32], strides = [1, 1]}
// CHECK-NOT: tmm.read

// CHIP: error: 'tmm.matmul' op expected a chip with a matrix unit that kernels are made for, got sm_120a
func.func @f(%a: memref<?x200xbf16>, %b: memref<200x512xbf16>, %d: memref<?x512xbf16>) {
  tmm.matmul ins(%a, %b : memref<?x200xbf16>, memref<200x512xbf16>) outs(%d : memref<?x512xbf16>)
  return
}
