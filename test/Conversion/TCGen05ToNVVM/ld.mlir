// RUN: tc-opt %s -convert-tcgen05-to-nvvm | FileCheck %s

// CHECK-LABEL: func.func @ld
func.func @ld(%w: !tcgen05.tmem<32x32xf32, D>, %one: !tcgen05.tmem<32x1xf32, D>, %h: !tcgen05.tmem<32x16xf16, D>)
    -> (vector<32xf32>, vector<1xf32>, vector<16xi32>) {
  // CHECK: %[[V:.*]] = nvvm.tcgen05.ld %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<32xi32>
  // CHECK: %[[VF:.*]] = llvm.bitcast %[[V]] : vector<32xi32> to vector<32xf32>
  %v = tcgen05.ld %w : !tcgen05.tmem<32x32xf32, D> to vector<32xf32>
  // CHECK: %[[S:.*]] = nvvm.tcgen05.ld %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : i32
  // CHECK: llvm.bitcast %[[S]] : i32 to vector<1xf32>
  %s = tcgen05.ld %one : !tcgen05.tmem<32x1xf32, D> to vector<1xf32>
  // CHECK: %[[I:.*]] = nvvm.tcgen05.ld %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<16xi32>
  %i = tcgen05.ld %h : !tcgen05.tmem<32x16xf16, D> to vector<16xi32>
  // The values pass through the wait, in the same registers.
  // CHECK: %[[VI:.*]] = llvm.bitcast %[[VF]] : vector<32xf32> to vector<32xi32>
  // CHECK: %[[FIRST:.*]] = llvm.extractelement %[[VI]][%{{.*}} : i32] : vector<32xi32>
  // CHECK: %[[R:.*]] = llvm.inline_asm has_side_effects "tcgen05.wait::ld.sync.aligned;",
  // CHECK-SAME: "=r,=r,{{.*}},0,1,{{.*}}47,48" %[[FIRST]],
  // CHECK: llvm.extractvalue %[[R]][0]
  // CHECK: llvm.extractvalue %[[R]][48]
  %waited:3 = tcgen05.wait ld(%v, %s, %i : vector<32xf32>, vector<1xf32>, vector<16xi32>)
  // CHECK: nvvm.tcgen05.wait <load>
  tcgen05.wait ld
  // CHECK: nvvm.tcgen05.wait <store>
  tcgen05.wait st
  // CHECK: nvvm.tcgen05.fence <before>
  tcgen05.fence before
  // CHECK: nvvm.tcgen05.fence <after>
  tcgen05.fence after
  return %waited#0, %waited#1, %waited#2 : vector<32xf32>, vector<1xf32>, vector<16xi32>
}

// CHECK-LABEL: func.func @st
func.func @st(%w: !tcgen05.tmem<32x32xf32, D>, %v: vector<32xf32>, %one: !tcgen05.tmem<32x1xf32, D>, %s: vector<1xf32>,
              %h: !tcgen05.tmem<32x16xf16, D>, %i: vector<16xi32>) {
  // CHECK: %[[V:.*]] = llvm.bitcast %{{.*}} : vector<32xf32> to vector<32xi32>
  // CHECK: nvvm.tcgen05.st %{{.*}}, %[[V]] {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<32xi32>
  tcgen05.st %v, %w : vector<32xf32> to !tcgen05.tmem<32x32xf32, D>
  // CHECK: %[[S:.*]] = llvm.bitcast %{{.*}} : vector<1xf32> to i32
  // CHECK: nvvm.tcgen05.st %{{.*}}, %[[S]] {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : i32
  tcgen05.st %s, %one : vector<1xf32> to !tcgen05.tmem<32x1xf32, D>
  // CHECK: nvvm.tcgen05.st %{{.*}}, %{{.*}} {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<16xi32>
  tcgen05.st %i, %h : vector<16xi32> to !tcgen05.tmem<32x16xf16, D>
  return
}
