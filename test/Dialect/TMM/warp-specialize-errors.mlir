// RUN: tc-opt %s -split-input-file -tmm-warp-specialize -verify-diagnostics

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @no_consumer(%a: memref<?x?xf16>, %i: i32) kernel {
    tmm.role "load" warps(1) drives [#sm90.tma]
    // expected-error @below {{expected an op to read the slots, got none}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
gpu.module @m {
  gpu.func @no_role(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32) kernel {
    tmm.role "load" warps(1) drives [#sm90.tma]
    // expected-error @below {{'tmm.store' op expected a role that the kernel declares, got none}}
    tmm.store %v, %d[%i, %i] : vector<128x64xf16>, memref<?x?xf16>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @unknown_role(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32) kernel {
    tmm.role "load" warps(1) drives [#sm90.tma]
    // expected-error @below {{'tmm.store' op expected a role that the kernel declares, got epilog}}
    tmm.store %v, %d[%i, %i] role("epilog") : vector<128x64xf16>, memref<?x?xf16>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @equal_names() kernel {
    tmm.role "load" warps(1) drives [#sm90.tma]
    // expected-error @below {{expected roles with different names, got load twice}}
    tmm.role "load" warps(1) drives []
    gpu.return
  }
}

// -----

// An op with effects that no role claims: each role would execute it, and a
// barrier of all threads is never complete when one thread of a role arrives.
gpu.module @m {
  gpu.func @barrier(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32, %n: i32) kernel {
    // expected-note @below {{roles of the kernel here}}
    tmm.role "epilogue" warps(4) drives [#tmm.threads]
    tmm.role "load" warps(1) drives [#sm90.tma]
    scf.for %j = %i to %n step %i : i32 {
      tmm.store %v, %d[%j, %i] role("epilogue") : vector<128x64xf16>, memref<?x?xf16>
      // expected-error @below {{'gpu.barrier' op expected a role to claim the op, which has effects, got none: each role would execute it}}
      gpu.barrier
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @write(%d: memref<f32>, %v: f32) kernel {
    // expected-note @below {{roles of the kernel here}}
    tmm.role "load" warps(1) drives [#sm90.tma]
    // expected-error @below {{'memref.store' op expected a role to claim the op}}
    memref.store %v, %d[] : memref<f32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @no_loop(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32, %n: i32) kernel {
    // expected-error @below {{expected tmm.loop "tiles" in the body of an scf.for or scf.while, got none}}
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    scf.for %j = %i to %n step %i : i32 {
      tmm.loop "blocks"
      tmm.store %v, %d[%j, %i] role("epilogue") : vector<128x64xf16>, memref<?x?xf16>
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @no_loop_around(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32) kernel {
    // expected-error @below {{expected tmm.loop "tiles" in the body of an scf.for or scf.while, got none}}
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    tmm.loop "tiles"
    tmm.store %v, %d[%i, %i] role("epilogue") : vector<128x64xf16>, memref<?x?xf16>
    gpu.return
  }
}

// -----

// Values reach another role through pipelines only.
!d = !tmm.buffer<128x32xf32, #sm90.smem<n_major, b128>>
gpu.module @m {
  gpu.func @shared_value(%d: memref<?x?xf32>, %i: i32, %n: i32) kernel {
    tmm.role "fetch" warps(4) drives []
    tmm.role "store" warps(4) drives []
    scf.for %j = %i to %n step %i : i32 {
      // expected-error @below {{expected values to reach role store through pipelines only, got a use in}}
      %v = tmm.fetch %d[%j, %i] role("fetch") : memref<?x?xf32> -> vector<128x32xf32>
      // expected-note @below {{used here}}
      tmm.store %v, %d[%i, %j] role("store") : vector<128x32xf32>, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

// The ops of one role that use a slot end together.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @two_completions(%a: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32) kernel {
    tmm.role "load" warps(1) drives []
    // expected-error @below {{expected the ops of one role that use a slot to have one completion, got two}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    // expected-note @below {{op here}}
    tmm.load %a[%i, %i], %t by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
    // expected-note @below {{op here}}
    tmm.stage %v, %t role("load") : vector<128x64xf16>, !tile
    %u0 = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u0, %a[%i, %i] by(#sm90.tma_store) role("load") : !tile, memref<?x?xf16>
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @no_tile_op(%a: memref<?x?xf16>, %i: i32) kernel {
    tmm.role "load" warps(1) drives []
    // expected-error @below {{expected ops on tiles to fill the slots, got builtin.unrealized_conversion_cast}}
    %ring = tmm.pipeline : !ring
    %s = tmm.pipeline_start %ring : !ring
    %t = tmm.producer_acquire %ring[%s] : !ring
    // expected-note @below {{used here}}
    %u = builtin.unrealized_conversion_cast %t : !tile to i32
    %u0 = tmm.consumer_wait %ring[%s] : !ring
    tmm.unload %u0, %a[%i, %i] by(#sm90.tma_store) role("load") : !tile, memref<?x?xf16>
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 1>
gpu.module @m {
  gpu.func @value_after_loops(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32, %n: i32) kernel {
    tmm.role "epilogue" warps(4) drives []
    // expected-error @below {{expected loops and tails at the end of the kernel}}
    %r = scf.for %j = %i to %n step %i iter_args(%x = %i) -> (i32) : i32 {
      tmm.store %v, %d[%j, %i] role("epilogue") : vector<128x64xf16>, memref<?x?xf16>
      scf.yield %j : i32
    }
    %s = arith.addi %r, %i : i32
    gpu.return
  }
}

// -----

// A value of one turn that the next iteration, of another instance, needs.
gpu.module @m {
  gpu.func @value_of_turn(%d: memref<?x?xf32>, %v: vector<128x32xf32>, %i: i32, %n: i32) kernel {
    // expected-note @below {{it leaves the turn here}}
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    %r = scf.for %j = %i to %n step %i iter_args(%old = %v) -> (vector<128x32xf32>) : i32 {
      tmm.loop "tiles"
      tmm.store %old, %d[%j, %i] role("epilogue") : vector<128x32xf32>, memref<?x?xf32>
      // expected-error @below {{expected a result to be used in the turn of the instance alone, got a use in}}
      %next = tmm.fetch %d[%j, %j] role("epilogue") : memref<?x?xf32> -> vector<128x32xf32>
      scf.yield %next : vector<128x32xf32>
    }
    gpu.return
  }
}

// -----

// Each instance would store what is outside of the loop.
gpu.module @m {
  gpu.func @outside(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32, %n: i32) kernel {
    // expected-note @below {{role here}}
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    // expected-note @below {{loop here}}
    scf.for %j = %i to %n step %i : i32 {
      tmm.loop "tiles"
      tmm.store %v, %d[%j, %i] role("epilogue") : vector<128x64xf16>, memref<?x?xf16>
    }
    // expected-error @below {{expected to be in the body of the loop "tiles", in which the 2 instances of role epilogue take turns, got outside of it, where each of them would execute it}}
    tmm.store %v, %d[%i, %i] role("epilogue") : vector<128x64xf16>, memref<?x?xf16>
    gpu.return
  }
}

// -----

// The same of what is in the condition of the loop.
gpu.module @m {
  gpu.func @condition(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32, %n: i32) kernel {
    // expected-note @below {{role here}}
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    // expected-note @below {{loop here}}
    %r = scf.while (%j = %i) : (i32) -> i32 {
      %more = arith.cmpi slt, %j, %n : i32
      // expected-error @below {{expected to be in the body of the loop "tiles", in which the 2 instances of role epilogue take turns, got outside of it}}
      tmm.store %v, %d[%j, %i] role("epilogue") : vector<128x64xf16>, memref<?x?xf16>
      scf.condition(%more) %j : i32
    } do {
    ^bb0(%j: i32):
      tmm.loop "tiles"
      %k = arith.addi %j, %i : i32
      scf.yield %k : i32
    }
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @two_loops(%d: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32, %n: i32) kernel {
    // expected-error @below {{expected one loop "tiles" to take turns in, got 2}}
    tmm.role "epilogue" warps(4) turns(2) of "tiles" drives [#tmm.threads]
    scf.for %j = %i to %n step %i : i32 {
      // expected-note @below {{named here}}
      tmm.loop "tiles"
      tmm.store %v, %d[%j, %i] role("epilogue") : vector<128x64xf16>, memref<?x?xf16>
    }
    scf.for %j = %i to %n step %i : i32 {
      // expected-note @below {{named here}}
      tmm.loop "tiles"
    }
    gpu.return
  }
}

// -----

// What one role reads and another stores, carried by a loop.
gpu.module @m {
  gpu.func @carried_to_role(%acc: !tmm.buffer<128x64xf32, #tcgen05.tmem>, %d: memref<?x?xf32>, %v: vector<128x32xf32>,
                            %i: i32, %n: i32, %c: i1) kernel {
    tmm.role "epilogue" warps(4) drives [#tmm.threads]
    tmm.role "other" warps(4) drives []
    scf.for %j = %i to %n step %i : i32 {
      %sum = scf.for %k = %i to %n step %i iter_args(%s = %v) -> (vector<128x32xf32>) : i32 {
        // expected-error @below {{expected values to reach role other through pipelines only, got a use in}}
        %r = tmm.read %acc[%k] if %c layout(#tcgen05.rows) role("epilogue") : <128x64xf32, #tcgen05.tmem> -> vector<128x32xf32>
        scf.yield %r : vector<128x32xf32>
      }
      %t = arith.addf %sum, %v : vector<128x32xf32>
      // expected-note @below {{used here}}
      tmm.store %t, %d[%j, %i] role("other") : vector<128x32xf32>, memref<?x?xf32>
    }
    gpu.return
  }
}

// -----

// The same from a branch, where it decides how often a loop runs.
gpu.module @m {
  gpu.func @decides(%d: memref<?x?xi32>, %e: memref<?x?xf32>, %v: vector<128x32xf32>, %i: i32, %n: i32, %c: i1) kernel {
    tmm.role "epilogue" warps(4) drives [#tmm.threads]
    tmm.role "other" warps(4) drives []
    scf.for %j = %i to %n step %i : i32 {
      %w = scf.if %c -> (vector<128x32xi32>) {
        // expected-error @below {{expected values to reach role other through pipelines only, got a use in}}
        %f = tmm.fetch %d[%i, %i] role("epilogue") : memref<?x?xi32> -> vector<128x32xi32>
        scf.yield %f : vector<128x32xi32>
      } else {
        %f = arith.constant dense<1> : vector<128x32xi32>
        scf.yield %f : vector<128x32xi32>
      }
      %b = vector.extract %w[0, 0] : i32 from vector<128x32xi32>
      // expected-note @below {{used here}}
      scf.for %k = %i to %b step %i : i32 {
        tmm.store %v, %e[%k, %i] role("other") : vector<128x32xf32>, memref<?x?xf32>
      }
    }
    gpu.return
  }
}

// -----

// The number of iterations of a loop that counts transactions.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @number_of_turn(%a: memref<?x?xf16>, %f: memref<?x?xi32>, %d: memref<?x?xf16>, %i: i32, %n: i32) kernel {
    // expected-note @below {{it leaves the turn here}}
    tmm.role "load" warps(4) turns(2) of "tiles" drives []
    tmm.role "store" warps(1) drives []
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    %r:2 = scf.for %j = %i to %n step %i iter_args(%p = %s0, %c = %s0) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      tmm.loop "tiles"
      // expected-error @below {{expected a result to be used in the turn of the instance alone, got a use in}}
      %w = tmm.fetch %f[%j, %j] role("load") : memref<?x?xi32> -> vector<128x32xi32>
      %b = vector.extract %w[0, 0] : i32 from vector<128x32xi32>
      %p1 = scf.for %k = %i to %b step %i iter_args(%q = %p) -> (!tmm.pipeline_state) : i32 {
        %t = tmm.producer_acquire %ring[%q] : !ring
        tmm.load %a[%i, %k], %t by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
        %q1 = tmm.producer_commit %ring[%q] : !ring
        scf.yield %q1 : !tmm.pipeline_state
      }
      %u = tmm.consumer_wait %ring[%c] : !ring
      tmm.unload %u, %d[%i, %i] by(#sm90.tma_store) role("store") : !tile, memref<?x?xf16>
      %c1 = tmm.consumer_release %ring[%c] : !ring
      scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
    }
    gpu.return
  }
}

// -----

// Roles have states of their own: one that two ends share would not advance in either.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @state_of_two_ends(%a: memref<?x?xf16>, %i: i32, %n: i32) kernel {
    tmm.role "load" warps(1) drives []
    tmm.role "store" warps(1) drives []
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    %r = scf.for %j = %i to %n step %i iter_args(%s = %s0) -> (!tmm.pipeline_state) : i32 {
      // expected-note @below {{the other one here}}
      %t = tmm.producer_acquire %ring[%s] : !ring
      tmm.load %a[%i, %j], %t by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
      %p = tmm.producer_commit %ring[%s] : !ring
      // expected-error @below {{expected a state of its own for each end of each pipeline, got one for two ends}}
      %u = tmm.consumer_wait %ring[%s] : !ring
      tmm.unload %u, %a[%j, %i] by(#sm90.tma_store) role("store") : !tile, memref<?x?xf16>
      %c = tmm.consumer_release %ring[%s] : !ring
      scf.yield %c : !tmm.pipeline_state
    }
    gpu.return
  }
}

// -----

// The loop swaps the states of two rings, of which the first has another depth.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!two = !tmm.pipeline<(!tile), depth = 2>
!three = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @states_of_two_pipelines(%a: memref<?x?xf16>, %i: i32, %n: i32) kernel {
    tmm.role "load" warps(1) drives []
    %two = tmm.pipeline : !two
    %three = tmm.pipeline : !three
    // expected-note @below {{the other one here}}
    %s2 = tmm.pipeline_start %two : !two
    // expected-error @below {{expected a state of its own for each end of each pipeline, got one for two pipelines}}
    %s3 = tmm.pipeline_start %three : !three
    %r:2 = scf.for %j = %i to %n step %i iter_args(%s = %s2, %t = %s3) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
      scf.yield %t, %s : !tmm.pipeline_state, !tmm.pipeline_state
    }
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!two = !tmm.pipeline<(!tile), depth = 2>
!three = !tmm.pipeline<(!tile), depth = 3>
gpu.module @m {
  gpu.func @constant_of_two_pipelines(%i: i32) kernel {
    tmm.role "load" warps(1) drives []
    %two = tmm.pipeline : !two
    %three = tmm.pipeline : !three
    // expected-note @below {{the other one here}}
    %s2 = tmm.pipeline_start %two : !two
    // expected-error @below {{expected a state of its own for each end of each pipeline, got one for two pipelines}}
    %s3 = tmm.skip %three[%s2] by %i : !three
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @chosen_state(%i: i32, %c: i1) kernel {
    tmm.role "load" warps(1) drives []
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    %s1 = tmm.skip %ring[%s0] : !ring
    // expected-error @below {{'arith.select' op expected states in ops on pipelines, loops and branches alone, got one in another op}}
    %s = arith.select %c, %s0, %s1 : !tmm.pipeline_state
    gpu.return
  }
}

// -----

// Bytes of a slot are expected in one sum: each slot has those of the same buffers.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile, !tile), depth = 2>
gpu.module @m {
  gpu.func @half_a_slot(%a: memref<?x?xf16>, %i: i32) kernel {
    tmm.role "load" warps(1) drives []
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    // expected-error @below {{expected a role to fill the same buffers of each slot, whose bytes are counted in one sum, got one without buffer 1}}
    %x:2 = tmm.producer_acquire %ring[%s0] : !ring
    tmm.load %a[%i, %i], %x#0 by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
    %s1 = tmm.producer_commit %ring[%s0] : !ring
    %y:2 = tmm.producer_acquire %ring[%s1] : !ring
    // expected-note @below {{another slot here}}
    tmm.load %a[%i, %i], %y#0 by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
    tmm.load %a[%i, %i], %y#1 by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
    %s2 = tmm.producer_commit %ring[%s1] : !ring
    %u0:2 = tmm.consumer_wait %ring[%s0] : !ring
    tmm.unload %u0#0, %a[%i, %i] by(#sm90.tma_store) role("load") : !tile, memref<?x?xf16>
    gpu.return
  }
}

// -----

// Each instance would make the transaction before the loop.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!ring = !tmm.pipeline<(!tile), depth = 2>
gpu.module @m {
  gpu.func @transaction(%a: memref<?x?xf16>, %i: i32, %n: i32) kernel {
    // expected-note @below {{role here}}
    tmm.role "load" warps(1) turns(2) of "tiles" drives []
    tmm.role "store" warps(1) drives []
    %ring = tmm.pipeline : !ring
    %s0 = tmm.pipeline_start %ring : !ring
    // expected-error @below {{expected to be in the body of the loop "tiles", in which the 2 instances of role load take turns, got outside of it}}
    %t = tmm.producer_acquire %ring[%s0] : !ring
    tmm.load %a[%i, %i], %t by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
    %s1 = tmm.producer_commit %ring[%s0] : !ring
    %u = tmm.consumer_wait %ring[%s0] : !ring
    tmm.unload %u, %a[%i, %i] by(#sm90.tma_store) role("store") : !tile, memref<?x?xf16>
    %c = tmm.consumer_release %ring[%s0] : !ring
    // expected-note @below {{loop here}}
    scf.for %j = %i to %n step %i : i32 {
      tmm.loop "tiles"
    }
    gpu.return
  }
}
