// Shapes, offsets, halves and lanes of tcgen05.ld and st.
// RUN: tc-opt %s -convert-tcgen05-to-nvvm | FileCheck %s

// CHECK-LABEL: func.func @ld
func.func @ld(%w: !tcgen05.tmem<32x64xf32, D>, %f: !tcgen05.tmem<16x64xf32, F>, %s: !tcgen05.tmem<32x64xf16, D>,
              %p: !tcgen05.tmem<32x64xf8E4M3FN, D, packed>) -> vector<64xf16> {
  // Lane 16 of the window is 16 << 16 further.
  // CHECK: %[[UP:.*]] = llvm.getelementptr %{{.*}}[1048576] : (!llvm.ptr<6>) -> !llvm.ptr<6>, i8
  // CHECK: nvvm.tcgen05.ld %[[UP]] {shape = #nvvm.tcgen05_ldst_shape<shape_16x64b>} : vector<32xi32>
  %0 = tcgen05.ld %w shape "16x64b" {lane = 16 : i64} : !tcgen05.tmem<32x64xf32, D> to vector<32xf32>
  // CHECK: nvvm.tcgen05.ld %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_16x128b>} : vector<32xi32>
  %1 = tcgen05.ld %f shape "16x128b" : !tcgen05.tmem<16x64xf32, F> to vector<32xf32>
  // CHECK: nvvm.tcgen05.ld %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} : vector<32xi32>
  %2 = tcgen05.ld %f shape "16x256b" : !tcgen05.tmem<16x64xf32, F> to vector<32xf32>
  // CHECK: %[[OFFSET:.*]] = llvm.mlir.constant(48 : i64) : i64
  // CHECK: nvvm.tcgen05.ld %{{.*}}, %[[OFFSET]] {shape = #nvvm.tcgen05_ldst_shape<shape_16x32bx2>} : vector<16xi32>
  %3 = tcgen05.ld %f shape "16x32bx2" offset 48 : !tcgen05.tmem<16x64xf32, F> to vector<16xf32>
  // CHECK: %[[PACKED:.*]] = nvvm.tcgen05.ld %{{.*}} pack {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<32xi32>
  // CHECK: llvm.bitcast %[[PACKED]] : vector<32xi32> to vector<64xf16>
  %4 = tcgen05.ld %s pack : !tcgen05.tmem<32x64xf16, D> to vector<64xf16>
  // CHECK: %[[BYTES:.*]] = nvvm.tcgen05.ld %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<16xi32>
  // CHECK: llvm.bitcast %[[BYTES]] : vector<16xi32> to vector<64xi8>
  %5 = tcgen05.ld %p : !tcgen05.tmem<32x64xf8E4M3FN, D, packed> to vector<64xf8E4M3FN>
  %6 = tcgen05.wait ld(%4 : vector<64xf16>)
  return %6 : vector<64xf16>
}

// CHECK-LABEL: func.func @st
func.func @st(%w: !tcgen05.tmem<32x64xf32, D>, %s: !tcgen05.tmem<32x64xf16, D>, %v: vector<32xf32>, %h: vector<64xf16>) {
  // CHECK: %[[UP:.*]] = llvm.getelementptr %{{.*}}[1048576]
  // CHECK: nvvm.tcgen05.st %[[UP]], %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_16x256b>} : vector<32xi32>
  tcgen05.st %v, %w shape "16x256b" {lane = 16 : i64} : vector<32xf32> to !tcgen05.tmem<32x64xf32, D>
  // CHECK: nvvm.tcgen05.st %{{.*}}, %{{.*}}, %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_16x32bx2>} : vector<32xi32>
  tcgen05.st %v, %w shape "16x32bx2" offset 32 : vector<32xf32> to !tcgen05.tmem<32x64xf32, D>
  // CHECK: %[[R:.*]] = llvm.bitcast %{{.*}} : vector<64xf16> to vector<32xi32>
  // CHECK: nvvm.tcgen05.st %{{.*}}, %[[R]] unpack {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<32xi32>
  tcgen05.st %h, %s unpack : vector<64xf16> to !tcgen05.tmem<32x64xf16, D>
  return
}
