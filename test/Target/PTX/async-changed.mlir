// RUN: tc-opt %s --split-input-file --verify-diagnostics --tc-serialize-gpu-modules

// With a predicate, nvvm prints the copy as inline PTX and forgets the CTA
// group: a pair's barrier would never see the other CTA's bytes.

// expected-error @below {{asynchronous instructions changed between nvvm and PTX: expected 1 of 'cp.async.bulk.2d.cta_group::2.mbarrier::complete_tx::bytes.shared::cluster.global.tensor', got 0}}
// expected-error @below {{expected 0 of 'cp.async.bulk.2d.mbarrier::complete_tx::bytes.shared::cluster.global.tensor', got 1}}
gpu.module @forgotten_group [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @k(%c: !llvm.ptr<7>, %map: !llvm.ptr, %bar: !llvm.ptr<3>, %n: i32, %p: i1) attributes {gpu.kernel, nvvm.kernel} {
    // expected-note @below {{from this op}}
    nvvm.cp.async.bulk.tensor.shared.cluster.global %c, %map, %bar, box[%n, %n] predicate = %p {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<7>, !llvm.ptr
    llvm.return
  }
}

// -----

// What is missing beside a block that never runs is missing all the same.

// expected-error @below {{expected 1 of 'createpolicy.fractional.L2::evict_first', got 0}}
gpu.module @dead_and_lost [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @k(%bar: !llvm.ptr<3>) attributes {gpu.kernel, nvvm.kernel} {
    %false = llvm.mlir.constant(false) : i1
    // expected-note @below {{from this op}}
    %0 = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l" : () -> i64
    llvm.cond_br %false, ^then, ^exit
  ^then:
    nvvm.tcgen05.commit %bar : !llvm.ptr<3>
    llvm.br ^exit
  ^exit:
    llvm.return
  }
}

// -----

// A policy that no copy uses is not made.

// expected-error @below {{expected 1 of 'createpolicy.fractional.L2::evict_first', got 0}}
gpu.module @policy [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    // expected-note @below {{from this op}}
    %0 = llvm.inline_asm "createpolicy.fractional.L2::evict_first.b64 $0, 1.0;", "=l" : () -> i64
    llvm.return
  }
}

// -----

gpu.module @unknown [#nvvm.target<chip = "sm_100a", features = "+ptx88">] {
  llvm.func @k() attributes {gpu.kernel, nvvm.kernel} {
    // expected-error @below {{expected an asynchronous op whose PTX instruction is known, so that it can be found again in the PTX}}
    nvvm.fence.proxy.sync_restrict {order = #nvvm.mem_order<acquire>}
    llvm.return
  }
}
