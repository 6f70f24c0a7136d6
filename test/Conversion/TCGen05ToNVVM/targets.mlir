// Targets whose tcgen05 instructions NVVM of LLVM 22 refuses compile all the same: the
// conversion has checked them by the table of forms, and turns NVVM's check off.
// RUN: tc-opt %s -tcgen05-allocate-tmem -convert-tcgen05-to-nvvm | FileCheck %s --check-prefix=GATE
// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: %python %S/Inputs/assemble.py %t.ptx sm_103a

// GATE: gpu.module @kernels [#nvvm.target<chip = "sm_103a", features = "+ptx88", verifyTarget = false>]
// CHECK: .target sm_103a
!mine = !tcgen05.tmem<32x16xf32, D>
gpu.module @kernels [#nvvm.target<chip = "sm_103a", features = "+ptx88">] {
  // tcgen05.ld.red, which sm_100a lacks.
  // CHECK: tcgen05.ld.red.sync.aligned.32x32b.x16.max.abs.NaN.f32 {%r{{[0-9]+}}, {{.*}}}, %r{{[0-9]+}}, [%r{{[0-9]+}}];
  // CHECK: tcgen05.ld.red.sync.aligned.16x32bx2.x2.min.u32 {%r{{[0-9]+}}, %r{{[0-9]+}}}, %r{{[0-9]+}}, [%r{{[0-9]+}}], 2;
  // CHECK: tcgen05.wait::ld.sync.aligned;
  gpu.func @k(%d: memref<128x20xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c16 = arith.constant 16 : index
    %c17 = arith.constant 17 : index
    %tid = gpu.thread_id x
    %all = tcgen05.reserve : !tcgen05.tmem<128x16xf32, D>
    %integers = tcgen05.reserve : !tcgen05.tmem<128x4xi32, D>
    %mine = tcgen05.warp_window %all : !tcgen05.tmem<128x16xf32, D>
    %words = tcgen05.warp_window %integers : !tcgen05.tmem<128x4xi32, D>
    %p, %r = tcgen05.ld_red max %mine abs nan : !mine to vector<16xf32>, vector<1xf32>
    %q, %s = tcgen05.ld_red umin %words shape "16x32bx2" offset 2 : !tcgen05.tmem<32x4xi32, D> to vector<2xi32>, vector<1xi32>
    %v, %w, %x, %y = tcgen05.wait ld(%p, %r, %q, %s : vector<16xf32>, vector<1xf32>, vector<2xi32>, vector<1xi32>)
    %z = arith.bitcast %y : vector<1xi32> to vector<1xf32>
    vector.store %v, %d[%tid, %c0] : memref<128x20xf32>, vector<16xf32>
    vector.store %w, %d[%tid, %c16] : memref<128x20xf32>, vector<1xf32>
    vector.store %z, %d[%tid, %c17] : memref<128x20xf32>, vector<1xf32>
    gpu.return
  }
}
