// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-serialize-gpu-modules

// The registers of tcgen05.ld are read after the next tcgen05.wait::ld. With
// nvvm.tcgen05.wait, which has no operands, LLVM packs them before it.

// expected-error @below {{expected a tcgen05.wait::ld between the tcgen05.ld of %r2 and 'mov.b64}}
gpu.module @moved [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @k(%t: !llvm.ptr<6>, %d: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %v = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : vector<8xi32>
    %f = llvm.bitcast %v : vector<8xi32> to vector<8xf32>
    nvvm.tcgen05.wait <load>
    %h = llvm.fptrunc %f : vector<8xf32> to vector<8xbf16>
    llvm.store %h, %d : vector<8xbf16>, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// The wait that carries the registers.
gpu.module @carried [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @k(%t: !llvm.ptr<6>, %d: !llvm.ptr<1>) attributes {gpu.kernel, nvvm.kernel} {
    %v = nvvm.tcgen05.ld %t {shape = #nvvm.tcgen05_ldst_shape<shape_32x32b>} : i32
    %w = llvm.inline_asm has_side_effects "tcgen05.wait::ld.sync.aligned;", "=r,0" %v : (i32) -> i32
    llvm.store %w, %d : i32, !llvm.ptr<1>
    llvm.return
  }
}

// -----

// A loop: the read at its head follows the load at its end.

// expected-error @below {{between the tcgen05.ld of}}
gpu.module @around_a_loop [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @k(%t: !llvm.ptr<6>, %d: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.inline_asm has_side_effects "{ .reg .pred p; mov.b32 $0, 0; LOOP: st.global.b32 [$1], $0; tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$2]; setp.ne.b32 p, $3, 0; @p bra LOOP; tcgen05.wait::ld.sync.aligned; }", "=&r,l,r,r" %d, %t, %n : (!llvm.ptr<1>, !llvm.ptr<6>, i32) -> i32
    llvm.return
  }
}

// -----

// One of two paths has no wait.

// expected-error @below {{between the tcgen05.ld of}}
gpu.module @one_path [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @k(%t: !llvm.ptr<6>, %d: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $3, 0; tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$2]; @p bra SKIP; tcgen05.wait::ld.sync.aligned; SKIP: st.global.b32 [$1], $0; }", "=&r,l,r,r" %d, %t, %n : (!llvm.ptr<1>, !llvm.ptr<6>, i32) -> i32
    llvm.return
  }
}

// -----

// Both paths wait.
gpu.module @two_paths [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @k(%t: !llvm.ptr<6>, %d: !llvm.ptr<1>, %n: i32) attributes {gpu.kernel, nvvm.kernel} {
    %0 = llvm.inline_asm has_side_effects "{ .reg .pred p; setp.ne.b32 p, $3, 0; tcgen05.ld.sync.aligned.32x32b.x1.b32 {$0}, [$2]; @p bra SKIP; tcgen05.wait::ld.sync.aligned; bra DONE; SKIP: tcgen05.wait::ld.sync.aligned; DONE: st.global.b32 [$1], $0; }", "=&r,l,r,r" %d, %t, %n : (!llvm.ptr<1>, !llvm.ptr<6>, i32) -> i32
    llvm.return
  }
}
