// RUN: tc-opt %s -split-input-file -tmm-materialize-pipelines -verify-diagnostics

gpu.module @m {
  gpu.func @no_reader(%a: memref<?x?xf16>, %i: i32) kernel {
    // expected-error @below {{expected a writer and a reader, got no reader}}
    %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, <128x64xf16, #sm90.smem<k_major, none>>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @no_writer(%i: i32, %p: i1) kernel {
    // expected-error @below {{expected a writer and a reader, got no writer}}
    %t = tmm.alloc : <128x32xf32, #tcgen05.tmem>
    %r = tmm.read %t[%i] if %p : <128x32xf32, #tcgen05.tmem> -> vector<128x32xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @read_first(%a: memref<?x?xf16>, %i: i32, %p: i1) kernel {
    // expected-error @below {{expected every writer before every reader in the buffer's block}}
    %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
    %acc = tmm.alloc : <128x128xf32, #tcgen05.tmem>
    // expected-note @below {{first reader here}}
    tmm.mma %t, %t, %acc accumulate(%p) by(#tcgen05.mma) : <128x64xf16, #sm90.smem<k_major, none>>, <128x64xf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x128xf32, #tcgen05.tmem>
    // expected-note @below {{last writer here}}
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, <128x64xf16, #sm90.smem<k_major, none>>
    %r = tmm.read %acc[%i] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @under_region(%a: memref<?x?xf16>, %i: i32, %p: i1) kernel {
    // expected-note @below {{enclosing op here}}
    scf.execute_region {
      // expected-error @below {{expected only scf.for, scf.if and the body of scf.while around a buffer that carries data between engines, got scf.execute_region}}
      %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
      %acc = tmm.alloc : <128x128xf32, #tcgen05.tmem>
      tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, <128x64xf16, #sm90.smem<k_major, none>>
      tmm.mma %t, %t, %acc accumulate(%p) by(#tcgen05.mma) : <128x64xf16, #sm90.smem<k_major, none>>, <128x64xf16, #sm90.smem<k_major, none>>, !tmm.buffer<128x128xf32, #tcgen05.tmem>
      %r = tmm.read %acc[%i] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
      scf.yield
    }
    gpu.return
  }
}

// -----

func.func private @take(!tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>)
gpu.module @m {
  func.func private @take(!tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>)
  gpu.func @unknown_user() kernel {
    // expected-error @below {{expected users with an engine and memory effects, got func.call}}
    %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, none>>
    // expected-note @below {{user here}}
    func.call @take(%t) : (!tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>) -> ()
    gpu.return
  }
}

// -----

// A slot's barrier expects its bytes once: at the commit, which is outside of
// the branch and waits for them for ever where it is not taken.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!acc = !tmm.buffer<128x128xf32, #tcgen05.tmem>
gpu.module @m {
  gpu.func @load_in_branch(%a: memref<?x?xf16>, %i: i32, %p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    %acc = tmm.alloc : !acc
    scf.for %k = %c0 to %i step %c1 : i32 {
      // expected-note @below {{buffer here}}
      %t = tmm.alloc : !tile
      scf.if %p {
        // expected-error @below {{expected the block of its buffer, whose bytes are counted once for each slot, got scf.if inside of it}}
        tmm.load %a[%i, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
      }
      tmm.mma %t, %t, %acc accumulate(%p) by(#tcgen05.mma) : !tile, !tile, !acc
    }
    %r = tmm.read %acc[%i] if %p : !acc -> vector<128x32xf32>
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!acc = !tmm.buffer<128x128xf32, #tcgen05.tmem>
gpu.module @m {
  gpu.func @load_in_loop(%a: memref<?x?xf16>, %i: i32, %p: i1) kernel {
    %c0 = arith.constant 0 : i32
    %c1 = arith.constant 1 : i32
    // expected-note @below {{buffer here}}
    %t = tmm.alloc : !tile
    %acc = tmm.alloc : !acc
    scf.for %k = %c0 to %i step %c1 : i32 {
      // expected-error @below {{expected the block of its buffer, whose bytes are counted once for each slot, got scf.for inside of it}}
      tmm.load %a[%i, %k], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    }
    tmm.mma %t, %t, %acc accumulate(%p) by(#tcgen05.mma) : !tile, !tile, !acc
    %r = tmm.read %acc[%i] if %p : !acc -> vector<128x32xf32>
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
!acc = !tmm.buffer<128x128xf32, #tcgen05.tmem>
gpu.module @m {
  gpu.func @two_loads(%a: memref<?x?xf16>, %i: i32, %p: i1) kernel {
    // expected-note @below {{buffer here}}
    %t = tmm.alloc : !tile
    %acc = tmm.alloc : !acc
    // expected-error @below {{expected to be alone in writing its buffer, whose bytes are counted once for each slot, got 2 writers}}
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    tmm.mma %t, %t, %acc accumulate(%p) by(#tcgen05.mma) : !tile, !tile, !acc
    %r = tmm.read %acc[%i] if %p : !acc -> vector<128x32xf32>
    gpu.return
  }
}

// -----

!answer = !tmm.buffer<1x2xi64, #sm90.smem<plain, none>>
gpu.module @m {
  gpu.func @request_in_branch(%p: i1) kernel {
    // expected-note @below {{buffer here}}
    %t = tmm.alloc : !answer
    scf.if %p {
      // expected-error @below {{expected the block of its buffer, whose bytes are counted once for each slot, got scf.if inside of it}}
      tmm.request_work %t by(#sm90.clc) : !answer
    }
    %cta = tmm.query_work %t by(#sm90.clc) : !answer
    gpu.return
  }
}

// -----

// Each end of a buffer is one engine of one role.
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
gpu.module @m {
  gpu.func @two_writers(%a: memref<?x?xf16>, %v: vector<128x64xf16>, %i: i32) kernel {
    // expected-error @below {{expected one engine, role and span to write the buffer, got #tmm.threads and #sm90.tma}}
    %t = tmm.alloc : !tile
    tmm.stage %v, %t : vector<128x64xf16>, !tile
    // expected-note @below {{second here}}
    tmm.load %a[%i, %i], %t by(#sm90.tma) : memref<?x?xf16>, !tile
    tmm.unload %t, %a[%i, %i] by(#sm90.tma_store) : !tile, memref<?x?xf16>
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>
gpu.module @m {
  gpu.func @two_roles(%a: memref<?x?xf16>, %i: i32) kernel {
    tmm.role "load" warps(1) drives []
    tmm.role "first" warps(1) drives []
    tmm.role "second" warps(1) drives []
    // expected-error @below {{expected one engine, role and span to read the buffer, got two}}
    %t = tmm.alloc : !tile
    tmm.load %a[%i, %i], %t by(#sm90.tma) role("load") : memref<?x?xf16>, !tile
    tmm.unload %t, %a[%i, %i] by(#sm90.tma_store) role("first") : !tile, memref<?x?xf16>
    // expected-note @below {{second here}}
    tmm.unload %t, %a[%i, %i] by(#sm90.tma_store) role("second") : !tile, memref<?x?xf16>
    gpu.return
  }
}

// -----

gpu.module @m {
  gpu.func @one_engine(%v: vector<128x64xf32>, %i: i32, %p: i1) kernel {
    // expected-error @below {{expected different engines on both ends, got #tmm.threads twice}}
    %t = tmm.alloc : <128x64xf32, #sm90.smem<n_major, none>>
    tmm.stage %v, %t : vector<128x64xf32>, <128x64xf32, #sm90.smem<n_major, none>>
    %r = tmm.read %t[%i] if %p : <128x64xf32, #sm90.smem<n_major, none>> -> vector<128x64xf32>
    gpu.return
  }
}

// -----

// The condition of a loop is executed once more than its body: it carries nothing.
gpu.module @m {
  gpu.func @condition(%a: memref<?x?xf16>, %i: i32, %n: i32, %p: i1) kernel {
    %acc = tmm.alloc : <128x128xf32, #tcgen05.tmem>
    // expected-note @below {{enclosing op here}}
    %r = scf.while (%j = %i) : (i32) -> i32 {
      // expected-error @below {{expected only scf.for, scf.if and the body of scf.while around a buffer that carries data between engines, got scf.while}}
      %t = tmm.alloc : <128x64xf16, #sm90.smem<k_major, b128>>
      tmm.load %a[%j, %i], %t by(#sm90.tma) : memref<?x?xf16>, <128x64xf16, #sm90.smem<k_major, b128>>
      tmm.mma %t, %t, %acc accumulate(%p) by(#tcgen05.mma) : <128x64xf16, #sm90.smem<k_major, b128>>, <128x64xf16, #sm90.smem<k_major, b128>>, !tmm.buffer<128x128xf32, #tcgen05.tmem>
      %more = arith.cmpi slt, %j, %n : i32
      scf.condition(%more) %j : i32
    } do {
    ^bb0(%j: i32):
      %k = arith.addi %j, %i : i32
      scf.yield %k : i32
    }
    %v = tmm.read %acc[%i] if %p : <128x128xf32, #tcgen05.tmem> -> vector<128x32xf32>
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<64x64xf32, #sm90.smem<plain, none>>
gpu.module @m {
  gpu.func @tmm_alloc_c2_over_columns(%p: i1) kernel {
    %s = tmm.alloc : !tile
    // expected-error @below {{expected buffers in one memory, got #tcgen05.tmem over #sm90.smem<plain, none>}}
    %t = tmm.alloc over %s : <128x128xf32, #tcgen05.tmem> on !tile
    gpu.return
  }
}

// -----

!tile = !tmm.buffer<64x64xf32, #sm90.smem<plain, none>>
gpu.module @m {
  gpu.func @tmm_alloc_c1_other_stages(%p: i1) kernel {
    // expected-note @below {{defined here}}
    %s = tmm.alloc stages(2) : !tile
    // expected-error @below {{expected operand over to be a tmm.alloc of the same block with 3 stages, got another}}
    %t = tmm.alloc stages(3) over %s : !tile on !tile
    gpu.return
  }
}
