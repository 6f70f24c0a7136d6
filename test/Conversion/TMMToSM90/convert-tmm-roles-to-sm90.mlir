// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -allow-unregistered-dialect -convert-tmm-roles-to-sm90 -canonicalize -cse | FileCheck %s

// A role is the branch of its warps; the thread of an elected role is elected
// once, where its warp is converged, and the code of the one thread that issues
// has no further guard there. In a role of many threads that thread is elected at
// the start of the role, or of the kernel for the role with warp 0.

// CHECK-LABEL: gpu.func @k
// CHECK-SAME: nvvm.maxnreg = 112
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %c32_i32
// CHECK: %[[E:.*]] = sm90.elect
// CHECK: %[[LEADER:.*]] = arith.andi %[[IN]], %[[E]]
// CHECK: scf.if %[[LEADER]] {
// CHECK-NEXT: "test.init"
// CHECK: "test.barrier"
// CHECK: %[[WARP:.*]] = arith.divui %{{.*}}, %c32_i32
// CHECK: %[[FIRST:.*]] = arith.cmpi ult, %[[WARP]], %c4_i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: sm90.set_max_registers inc{{.*}} 168
// CHECK-NEXT: "test.epilogue"
// CHECK-NEXT: scf.if %[[LEADER]] {
// CHECK-NEXT:   "test.store"
// CHECK-NEXT: }
// CHECK-NEXT: }
// The warps of both roles after it, in one instruction.
// CHECK-NEXT: %[[BEFORE:.*]] = arith.cmpi ult, %[[WARP]], %c8_i32
// CHECK-NEXT: %[[AFTER:.*]] = arith.cmpi uge, %[[WARP]], %c4_i32
// CHECK-NEXT: %[[LATER:.*]] = arith.andi %[[BEFORE]], %[[AFTER]]
// CHECK-NEXT: scf.if %[[LATER]] {
// CHECK-NEXT:   sm90.set_max_registers dec{{.*}} 56
// CHECK-NEXT: }
// CHECK-NEXT: %[[SECOND:.*]] = arith.cmpi eq, %[[WARP]], %c4_i32
// CHECK-NEXT: scf.if %[[SECOND]] {
// CHECK-NEXT: %[[E0:.*]] = sm90.elect
// CHECK-NEXT: scf.if %[[E0]] {
// CHECK-NEXT:   "test.load"
// CHECK-NEXT:   "test.issued_load"
// CHECK-NEXT: }
// CHECK-NEXT: }
// CHECK: %[[THIRD:.*]] = arith.cmpi eq, %[[WARP]], %c5_i32
// CHECK-NEXT: scf.if %[[THIRD]] {
// CHECK-NEXT:  %[[E1:.*]] = sm90.elect
// CHECK-NEXT:  scf.if %[[E1]] {
// CHECK-NEXT:    "test.mma"
gpu.module @m {
  gpu.func @k() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tmm.issue {
      "test.init"() : () -> ()
    }
    "test.barrier"() : () -> ()
    tmm.warp_specialize "epilogue" warps(4) registers(168) {
      "test.epilogue"() : () -> ()
      tmm.issue {
        "test.store"() : () -> ()
      }
    } "load" warps(1) registers(56) elected {
      "test.load"() : () -> ()
      tmm.issue {
        "test.issued_load"() : () -> ()
      }
    } "mma" warps(1) registers(56) elected {
      "test.mma"() : () -> ()
    } "idle" warps(2) registers(56) {
    }
    gpu.return
  }
}

// -----

// A role over several CTAs runs in the first of each set: of the pair, rank 0; of
// a cluster of 2 x 2, the ranks 0 and 2 (bits 0 and 2: 5). In it there is nothing
// left to ask; elsewhere the issuing thread is that of the first CTA.

#pair = #tmm.ctas<2, along = [0]>
// CHECK-LABEL: gpu.func @pair
// CHECK-DAG: %[[ID:.*]] = gpu.cluster_block_id x
// CHECK-DAG: %[[RANK:.*]] = arith.index_cast %[[ID]]
// CHECK-DAG: %[[MINE:.*]] = arith.andi
// CHECK: %[[ACTS:.*]] = arith.cmpi eq, %[[RANK]], %c0_i32
// CHECK: %[[LEADER:.*]] = arith.andi %[[MINE]], %[[ACTS]]
// CHECK: scf.if %[[LEADER]] {
// CHECK-NEXT: "test.leader"
// CHECK: sm90.elect
// CHECK: %[[RUNS:.*]] = arith.andi %{{.*}}, %{{.*}}
// CHECK: scf.if %[[RUNS]] {
// CHECK-NEXT: "test.mma"
// CHECK-NEXT: "test.commit"
// CHECK-NEXT: }
gpu.module @m {
  gpu.func @pair() kernel attributes {known_block_size = array<i32: 64, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
    tmm.issue over #pair {
      "test.leader"() : () -> ()
    }
    tmm.warp_specialize "load" warps(1) elected {
    } "mma" warps(1) elected over #pair {
      "test.mma"() : () -> ()
      tmm.issue over #pair {
        "test.commit"() : () -> ()
      }
    }
    gpu.return
  }
}

// -----

#pairs = #tmm.ctas<2x2, along = [0]>
// CHECK-LABEL: gpu.func @cluster
// CHECK-DAG: %[[ID:.*]] = gpu.cluster_block_id x
// CHECK-DAG: %[[RANK:.*]] = arith.index_cast %[[ID]]
// CHECK: %[[BITS:.*]] = arith.shrui %c5_i32, %[[RANK]]
// CHECK: %[[ACTS:.*]] = arith.trunci %[[BITS]] : i32 to i1
// CHECK: scf.if %[[ACTS]] {
// CHECK-NEXT: "test.mma"
gpu.module @m {
  gpu.func @cluster() kernel attributes {known_block_size = array<i32: 32, 1, 1>, known_cluster_size = array<i32: 4, 1, 1>} {
    tmm.warp_specialize "mma" warps(1) over #pairs {
      "test.mma"() : () -> ()
    }
    gpu.return
  }
}

// -----

// The issuing thread of a role that has not warp 0 is of its own first warp.
// CHECK-LABEL: gpu.func @second
// CHECK: %[[FIRST:.*]] = arith.cmpi eq, %[[WARP:.*]], %c0_i32
// CHECK: scf.if %[[FIRST]] {
// CHECK-NEXT: "test.first"
// CHECK: %[[BEFORE:.*]] = arith.cmpi ult, %[[WARP]], %c5_i32
// CHECK: %[[AFTER:.*]] = arith.cmpi uge, %[[WARP]], %c1_i32
// CHECK: %[[SECOND:.*]] = arith.andi %[[BEFORE]], %[[AFTER]]
// CHECK: scf.if %[[SECOND]] {
// CHECK: %[[IN:.*]] = arith.cmpi ult, %{{.*}}, %c64_i32
// CHECK: %[[E:.*]] = sm90.elect
// CHECK: %[[ISSUES:.*]] = arith.andi %[[IN]], %[[E]]
// CHECK: "test.all"
// CHECK: scf.if %[[ISSUES]] {
// CHECK-NEXT: "test.one"
// CHECK: "test.all_again"
// CHECK-NEXT: scf.if %[[ISSUES]] {
// CHECK-NEXT: "test.one_again"
gpu.module @m {
  gpu.func @second() kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
    tmm.warp_specialize "first" warps(1) {
      "test.first"() : () -> ()
    } "second" warps(4) {
      "test.all"() : () -> ()
      tmm.issue {
        "test.one"() : () -> ()
      }
      "test.all_again"() : () -> ()
      tmm.issue {
        "test.one_again"() : () -> ()
      }
    }
    gpu.return
  }
}

// -----

// Three levels: what is above the launch's 144 is taken, 56 given back.
// CHECK-LABEL: gpu.func @levels
// CHECK-SAME: nvvm.maxnreg = 144
// CHECK: sm90.set_max_registers inc{{.*}} 200
// CHECK: sm90.set_max_registers inc{{.*}} 160
// CHECK: sm90.set_max_registers dec{{.*}} 56
gpu.module @m {
  gpu.func @levels() kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    tmm.warp_specialize "epilogue" warps(4) registers(200) {
    } "mma" warps(4) registers(160) {
    } "load" warps(4) registers(56) {
    }
    gpu.return
  }
}

// -----

// The warps of one warpgroup execute one instruction, wherever it is.
// CHECK-LABEL: gpu.func @first_warpgroup
// CHECK: %[[WARP:.*]] = arith.divui
// CHECK: %[[BOTH:.*]] = arith.cmpi ult, %[[WARP]], %c4_i32
// CHECK-NEXT: scf.if %[[BOTH]] {
// CHECK-NEXT:   sm90.set_max_registers dec{{.*}} 56
// CHECK-NEXT: }
// CHECK-NOT: sm90.set_max_registers dec
// CHECK: "test.load"
// CHECK-NOT: sm90.set_max_registers dec
// CHECK: sm90.set_max_registers inc{{.*}} 168
// CHECK-NEXT: "test.epilogue"
gpu.module @m {
  gpu.func @first_warpgroup() kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
    tmm.warp_specialize "load" warps(1) registers(56) {
      "test.load"() : () -> ()
    } "mma" warps(3) registers(56) {
    } "epilogue" warps(4) registers(168) {
      "test.epilogue"() : () -> ()
    }
    gpu.return
  }
}

// -----

// A role without registers keeps what the launch gives each thread, and its
// warpgroup need not be whole.
// CHECK-LABEL: gpu.func @some
// CHECK-SAME: nvvm.maxnreg = 112
// CHECK: sm90.set_max_registers inc{{.*}} 168
// CHECK-NEXT: "test.epilogue"
// CHECK: sm90.set_max_registers dec{{.*}} 56
// CHECK-NEXT: "test.load"
// CHECK-NOT: sm90.set_max_registers
// CHECK: "test.mma"
gpu.module @m {
  gpu.func @some() kernel attributes {known_block_size = array<i32: 320, 1, 1>} {
    tmm.warp_specialize "epilogue" warps(4) registers(168) {
      "test.epilogue"() : () -> ()
    } "load" warps(4) registers(56) {
      "test.load"() : () -> ()
    } "mma" warps(2) {
      "test.mma"() : () -> ()
    }
    gpu.return
  }
}

// -----

// Whole warpgroups have one each: what they take is known in their branch.
// CHECK-LABEL: gpu.func @two
// CHECK-NOT: sm90.set_max_registers
// CHECK: scf.if
// CHECK-NEXT: sm90.set_max_registers inc{{.*}} 224
// CHECK-NEXT: "test.even"
// CHECK: scf.if
// CHECK-NEXT: sm90.set_max_registers inc{{.*}} 224
// CHECK-NEXT: "test.odd"
// CHECK: scf.if
// CHECK-NEXT: sm90.set_max_registers dec{{.*}} 56
// CHECK-NEXT: }
// CHECK-NOT: sm90.set_max_registers
// CHECK: "test.load"
gpu.module @m {
  gpu.func @two() kernel attributes {known_block_size = array<i32: 384, 1, 1>} {
    tmm.warp_specialize "even" warps(4) registers(224) {
      "test.even"() : () -> ()
    } "odd" warps(4) registers(224) {
      "test.odd"() : () -> ()
    } "load" warps(1) registers(56) {
      "test.load"() : () -> ()
    } "idle" warps(3) registers(56) {
    }
    gpu.return
  }
}
