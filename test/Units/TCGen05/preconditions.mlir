// RUN: tc-opt %s -split-input-file -convert-tmm-tiles -verify-diagnostics

// Tile programs that verify, but that this lowering or the chip refuses.

// Which lanes a warp reads follows from its number.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %d: memref<256x64xf32>) {
    gpu.launch_func @m::@first_warp blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<256x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @first_warp(%d: memref<256x64xf32>) kernel attributes {known_block_size = array<i32: 160, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %true = arith.constant true
      %s = tmm.storage : <!tmm.buffer<128x64xf32, #tcgen05.tmem>, depth = 1>
      tmm.warp_specialize "mma" warps(1) {
      // expected-note @below {{role here}}
      } "epilogue" warps(4) {
        %acc = tmm.slot %s[%c0] : <!tmm.buffer<128x64xf32, #tcgen05.tmem>, depth = 1>
        // expected-error @below {{'tmm.read' op expected a role of 4 warps that starts at a multiple of 4, one for each window of lanes, got role epilogue of 4 from warp 1: declare it before roles of other sizes (PTX ISA}}
        %v = tmm.read %acc[%c0] if %true : <128x64xf32, #tcgen05.tmem> -> vector<128x64xf32>
        tmm.store %v, %d[%c0, %c0] : vector<128x64xf32>, memref<256x64xf32>
      }
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%n: index, %d: memref<256x64xf32>) {
    gpu.launch_func @m::@warps blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<256x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @warps(%d: memref<256x64xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %true = arith.constant true
      %s = tmm.storage : <!tmm.buffer<128x64xf32, #tcgen05.tmem>, depth = 1>
      %acc = tmm.slot %s[%c0] : <!tmm.buffer<128x64xf32, #tcgen05.tmem>, depth = 1>
      // expected-note @below {{role here}}
      tmm.warp_specialize "epilogue" warps(8) {
        // expected-error @below {{'tmm.read' op expected a role of 4 warps that starts at a multiple of 4, one for each window of lanes, got role epilogue of 8 from warp 0 (PTX ISA}}
        %v = tmm.read %acc[%c0] if %true : <128x64xf32, #tcgen05.tmem> -> vector<128x64xf32>
      }
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%n: index, %d: memref<256x64xf32>) {
    gpu.launch_func @m::@elected blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<256x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @elected(%d: memref<256x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %true = arith.constant true
      %s = tmm.storage : <!tmm.buffer<128x64xf32, #tcgen05.tmem>, depth = 1>
      %acc = tmm.slot %s[%c0] : <!tmm.buffer<128x64xf32, #tcgen05.tmem>, depth = 1>
      // expected-note @below {{role here}}
      tmm.warp_specialize "epilogue" warps(4) elected {
        // expected-error @below {{'tmm.read' op expected a role of 4 warps that starts at a multiple of 4, one for each window of lanes, got role epilogue of one thread (PTX ISA}}
        %v = tmm.read %acc[%c0] if %true : <128x64xf32, #tcgen05.tmem> -> vector<128x64xf32>
      }
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%n: index, %d: memref<256x64xf32>) {
    gpu.launch_func @m::@threads blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<256x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    // expected-note @below {{kernel here}}
    gpu.func @threads(%d: memref<256x64xf32>) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %true = arith.constant true
      %s = tmm.storage : <!tmm.buffer<128x64xf32, #tcgen05.tmem>, depth = 1>
      %acc = tmm.slot %s[%c0] : <!tmm.buffer<128x64xf32, #tcgen05.tmem>, depth = 1>
      // expected-error @below {{'tmm.read' op expected a kernel of 128 threads, one for each lane, got 96 (PTX ISA}}
      %v = tmm.read %acc[%c0] if %true : <128x64xf32, #tcgen05.tmem> -> vector<128x64xf32>
      gpu.return
    }
  }
}

// -----

// Control flow is lowered after tiles.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %d: memref<256x64xf32>) {
    gpu.launch_func @m::@branches blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<256x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    // expected-error @below {{expected one block, with the control flow of scf, got 2: lower scf to cf after tiles}}
    gpu.func @branches(%d: memref<256x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %v = arith.constant dense<0.0> : vector<128x64xf32>
      cf.br ^next
    ^next:
      tmm.store %v, %d[%c0, %c0] : vector<128x64xf32>, memref<256x64xf32>
      gpu.return
    }
  }
}

// -----

gpu.module @kernels [#nvvm.target<chip = "sm_100a">] {
  gpu.func @not_cut(%d: memref<?x?xf32>, %v: vector<128x32xf32>, %i: i32) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
    scf.for %j = %i to %i step %i : i32 {
      // expected-error @below {{'tmm.loop' op expected a kernel that is cut into its roles, got one that declares them: tmm-warp-specialize comes first}}
      tmm.loop "tiles"
    }
    gpu.return
  }
}

// -----

// A write has the windows of a read.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %d: memref<256x64xf32>) {
    gpu.launch_func @m::@writes blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<256x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    // expected-note @below {{kernel here}}
    gpu.func @writes(%d: memref<256x64xf32>) kernel attributes {known_block_size = array<i32: 96, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %v = arith.constant dense<0.0> : vector<32xbf16>
      %s = tmm.storage : <!tmm.buffer<128x64xbf16, #tcgen05.operand>, depth = 1>
      %p = tmm.slot %s[%c0] : <!tmm.buffer<128x64xbf16, #tcgen05.operand>, depth = 1>
      // expected-error @below {{'tmm.write' op expected a kernel of 128 threads, one for each lane, got 96 (PTX ISA}}
      tmm.write %v, %p[%c0] layout(#tcgen05.rows) : vector<32xbf16>, <128x64xbf16, #tcgen05.operand>
      gpu.return
    }
  }
}

// -----

// Threads write whole cells of Tensor Memory.
module attributes {gpu.container_module} {
  func.func @host(%n: index) {
    gpu.launch_func @m::@half_cell blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @half_cell() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %s = tmm.storage : <!tmm.buffer<128x64xbf16, #tcgen05.operand>, depth = 1>
      %p = tmm.slot %s[%c0] : <!tmm.buffer<128x64xbf16, #tcgen05.operand>, depth = 1>
      %v = arith.constant dense<1.0> : vector<128x1xbf16>
      // expected-error @below {{'tmm.write' op expected columns of a multiple of 2, the elements of a cell of 32 bits, got 1, the nearest is 2 (PTX ISA}}
      tmm.write %v, %p[%c0] : vector<128x1xbf16>, <128x64xbf16, #tcgen05.operand>
      gpu.return
    }
  }
}

// -----

// Of two accumulators eight warps have rows.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %d: memref<256x64xf32>) {
    gpu.launch_func @m::@tall blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<256x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_107f">] {
    gpu.func @tall(%d: memref<256x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %true = arith.constant true
      %s = tmm.storage : <!tmm.buffer<256x64xf32, #tcgen05.tmem>, depth = 1>
      %acc = tmm.slot %s[%c0] : <!tmm.buffer<256x64xf32, #tcgen05.tmem>, depth = 1>
      // expected-note @below {{role here}}
      tmm.warp_specialize "epilogue" warps(4) {
        // expected-error @below {{'tmm.read' op expected a role of 8 warps that starts at a multiple of 4, one for each window of lanes, got role epilogue of 4 from warp 0 (PTX ISA}}
        %v = tmm.read %acc[%c0] if %true : <256x64xf32, #tcgen05.tmem> -> vector<256x64xf32>
      }
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%n: index, %d: memref<256x64xf32>) {
    %f = arith.constant dense<1.0> : vector<1xf32>
    gpu.launch_func @m::@rescaled blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<256x64xf32>, %f : vector<1xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_107f">] {
    gpu.func @rescaled(%d: memref<256x64xf32>, %f: vector<1xf32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %s = tmm.storage : <!tmm.buffer<256x64xf32, #tcgen05.tmem>, depth = 1>
      %acc = tmm.slot %s[%c0] : <!tmm.buffer<256x64xf32, #tcgen05.tmem>, depth = 1>
      // expected-error @below {{'tmm.rescale' op expected a tile of 128 rows, which a thread can write, got 256 (PTX ISA}}
      tmm.rescale %acc by %f layout(#tcgen05.rows) : <256x64xf32, #tcgen05.tmem>, vector<1xf32>
      gpu.return
    }
  }
}
