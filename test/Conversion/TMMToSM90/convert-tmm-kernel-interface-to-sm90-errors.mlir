// RUN: tc-opt %s -split-input-file -convert-tmm-kernel-interface-to-sm90 -verify-diagnostics

!tile = !tmm.buffer<64x64xbf16, #sm90.smem<mn_major, b128>>

// Rows that TMA cannot address. Where the problem is stated, operands have its names.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: memref<8x129xbf16>, %b: memref<8x264xbf16>, %d: memref<129x264xf32>) {
    tmm.problem transpose_a ins(%a, %b : memref<8x129xbf16>, memref<8x264xbf16>) outs(%d : memref<129x264xf32>)
    // expected-error @below {{operand A: dimension 0 has a stride of 258 bytes (129 elements), which TMA cannot address: expected a multiple of 16, nearest legal 272 bytes (136 elements) (PTX ISA 9.0, 5.5}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<8x129xbf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<8x129xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : !tile
      tmm.load %a[%c0, %c0], %tile transposed by(#sm90.tma) : memref<8x129xbf16>, !tile
      gpu.return
    }
  }
}

// -----

!tile = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>

module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: memref<128x64xbf16, strided<[64, 1], offset: 4>>) {
    // expected-error @below {{operand argument 0: starts 8 bytes (4 elements) into its buffer, which TMA cannot address: expected a multiple of 16, nearest legal 16 bytes (8 elements) (PTX ISA 9.0, 5.5}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<128x64xbf16, strided<[64, 1], offset: 4>>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<128x64xbf16, strided<[64, 1], offset: 4>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : !tile
      tmm.load %a[%c0, %c0], %tile by(#sm90.tma) : memref<128x64xbf16, strided<[64, 1], offset: 4>>, !tile
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    // expected-error @below {{expected a gpu.launch_func of the kernel in the module, got none}}
    gpu.func @k() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %sched = tmm.scheduler #tmm.static(%c0, %c0, %c0) tile [128, 64, 32] : !tmm.scheduler
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%n: index) {
    // expected-note @below {{first launch here}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    // expected-error @below {{expected one launch of a kernel, got two}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      gpu.return
    }
  }
}

// -----

// The host encodes tensor maps, and knows the kernel's arguments alone.
module attributes {gpu.container_module} {
  func.func @host(%n: index) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    memref.global "private" @weights : memref<128x64xbf16>
    gpu.func @k() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      // expected-note @below {{defined here}}
      %a = memref.get_global @weights : memref<128x64xbf16>
      %tile = tmm.alloc : <128x64xbf16, #sm90.smem<k_major, b128>>
      // expected-error @below {{expected a matrix that the kernel takes as an argument, for which the host encodes a tensor map or knows the alignment, got another memref}}
      tmm.load %a[%c0, %c0], %tile by(#sm90.tma) : memref<128x64xbf16>, <128x64xbf16, #sm90.smem<k_major, b128>>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%n: index, %d: memref<128x64xf32>) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<128x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    // expected-error @below {{expected matrix argument 0 to be used by ops on tiles, got memref.subview}}
    gpu.func @k(%d: memref<128x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      // expected-note @below {{user here}}
      %part = memref.subview %d[0, 0] [64, 64] [1, 1] : memref<128x64xf32> to memref<64x64xf32, strided<[64, 1]>>
      %i = arith.constant 0 : index
      %r = memref.load %part[%i, %i] : memref<64x64xf32, strided<[64, 1]>>
      tmm.issue {
      }
      gpu.return
    }
  }
}

// -----

// A tile without slabs.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: memref<128x64xbf16>) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<128x64xbf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<128x64xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : <128x64xbf16, #tcgen05.tmem>
      // expected-error @below {{expected a tile in slabs of shared memory (#sm90.smem) for TMA, got '!tmm.buffer<128x64xbf16, #tcgen05.tmem>'}}
      tmm.load %a[%c0, %c0], %tile by(#sm90.tma) : memref<128x64xbf16>, <128x64xbf16, #tcgen05.tmem>
      gpu.return
    }
  }
}

// -----

!staging = !tmm.buffer<128x32xf32, #sm90.smem<n_major, b128>>

// Past 98 columns TMA would write two more.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %d: memref<256x98xf32, strided<[128, 1]>>) {
    // expected-error @below {{operand argument 0: rows have 392 bytes (98 elements), but TMA writes 16 bytes as a whole, also after the end of a row: expected a multiple of 16, nearest legal 400 bytes (100 elements)}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%d : memref<256x98xf32, strided<[128, 1]>>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%d: memref<256x98xf32, strided<[128, 1]>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %v = arith.constant dense<1.0> : vector<128x32xf32>
      %staging = tmm.alloc : !staging
      tmm.stage %v, %staging : vector<128x32xf32>, !staging
      tmm.unload %staging, %d[%c0, %c0] by(#sm90.tma_store) : !staging, memref<256x98xf32, strided<[128, 1]>>
      gpu.return
    }
  }
}

// -----

// Blocks of scale factors come as they are in memory.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %s: memref<2x5x32x4x4xf8E8M0FNU>) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%s : memref<2x5x32x4x4xf8E8M0FNU>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%s: memref<2x5x32x4x4xf8E8M0FNU>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : <128x4xf8E8M0FNU, #sm90.smem<plain, none>>
      // expected-error @below {{expected a tile in blocks of shared memory (#sm90.smem<blocked, none>) for TMA, got}}
      tmm.load %s[%c0, %c0], %tile blocked by(#sm90.tma) : memref<2x5x32x4x4xf8E8M0FNU>, <128x4xf8E8M0FNU, #sm90.smem<plain, none>>
      gpu.return
    }
  }
}

// -----

// They are not cut into parts.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %s: memref<2x5x32x4x4xf8E8M0FNU>) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%s : memref<2x5x32x4x4xf8E8M0FNU>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%s: memref<2x5x32x4x4xf8E8M0FNU>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
      // expected-error @below {{expected a tile in blocks to be loaded by each CTA for itself, got one that 2 CTAs share}}
      tmm.load %s[%c0, %c0], %tile blocked to #tmm.ctas<2, along = [0]> by(#sm90.tma) : memref<2x5x32x4x4xf8E8M0FNU>, <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
      gpu.return
    }
  }
}

// -----

// Rows of blocks and their start are addressed by TMA, too.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %s: memref<2x5x32x4x4xf8E8M0FNU, strided<[2568, 512, 16, 4, 1]>>) {
    // expected-error @below {{operand argument 0: dimension 0 has a stride of 2568 bytes (2568 elements), which TMA cannot address: expected a multiple of 16, nearest legal 2576 bytes (2576 elements)}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%s : memref<2x5x32x4x4xf8E8M0FNU, strided<[2568, 512, 16, 4, 1]>>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%s: memref<2x5x32x4x4xf8E8M0FNU, strided<[2568, 512, 16, 4, 1]>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
      tmm.load %s[%c0, %c0], %tile blocked by(#sm90.tma) : memref<2x5x32x4x4xf8E8M0FNU, strided<[2568, 512, 16, 4, 1]>>, <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%n: index, %s: memref<2x5x32x4x4xf8E8M0FNU, strided<[2560, 512, 16, 4, 1], offset: 8>>) {
    // expected-error @below {{operand argument 0: starts 8 bytes (8 elements) into its buffer, which TMA cannot address: expected a multiple of 16, nearest legal 16 bytes (16 elements)}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%s : memref<2x5x32x4x4xf8E8M0FNU, strided<[2560, 512, 16, 4, 1], offset: 8>>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%s: memref<2x5x32x4x4xf8E8M0FNU, strided<[2560, 512, 16, 4, 1], offset: 8>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
      tmm.load %s[%c0, %c0], %tile blocked by(#sm90.tma) : memref<2x5x32x4x4xf8E8M0FNU, strided<[2560, 512, 16, 4, 1], offset: 8>>, <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
      gpu.return
    }
  }
}

// -----

!tile = !tmm.buffer<512x64xbf16, #sm90.smem<k_major, b128>>

// A box that no tensor map has.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: memref<512x64xbf16>) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<512x64xbf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<512x64xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : !tile
      // expected-error @below {{tensor map: expected dimension 0 of the box to be from 1 to 256, got 512}}
      tmm.load %a[%c0, %c0], %tile by(#sm90.tma) : memref<512x64xbf16>, !tile
      gpu.return
    }
  }
}

// -----

// A module's own matrix starts where the assembler puts it.
module attributes {gpu.container_module} {
  func.func @host(%n: index) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    memref.global "private" @result : memref<128x64xf32> = uninitialized
    gpu.func @k() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %v = arith.constant dense<0.0> : vector<128x64xf32>
      // expected-note @below {{defined here}}
      %d = memref.get_global @result : memref<128x64xf32>
      // expected-error @below {{'tmm.store' op expected a matrix that the kernel takes as an argument, for which the host encodes a tensor map or knows the alignment, got another memref}}
      tmm.store %v, %d[%c0, %c0] : vector<128x64xf32>, memref<128x64xf32>
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%n: index) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    memref.global "private" @bias : memref<128x64xf32> = uninitialized
    gpu.func @k() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      // expected-note @below {{defined here}}
      %c = memref.get_global @bias : memref<128x64xf32>
      // expected-error @below {{'tmm.fetch' op expected a matrix that the kernel takes as an argument, for which the host encodes a tensor map or knows the alignment, got another memref}}
      %v = tmm.fetch %c[%c0, %c0] : memref<128x64xf32> -> vector<128x64xf32>
      gpu.return
    }
  }
}

// -----

// Kernels of a gpu.binary are compiled: as often as they are launched, nothing of
// them is asked here.
module attributes {gpu.container_module} {
  gpu.binary @compiled [#gpu.object<#nvvm.target<chip = "sm_100a">, "bytes">]
  func.func @host(%n: index) {
    gpu.launch_func @compiled::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    gpu.launch_func @compiled::@k blocks in (%n, %n, %n) threads in (%n, %n, %n)
    return
  }
}

// -----

// Two elements of 4 bits share a byte.
module attributes {gpu.container_module} {
  func.func @host(%n: index, %s: memref<64x256xf4E2M1FN, strided<[304, 1]>>) {
    // expected-error @below {{operand argument 0: dimension 0 has a stride of 152 bytes (304 elements), which TMA cannot address: expected a multiple of 16, nearest legal 160 bytes (320 elements)}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%s : memref<64x256xf4E2M1FN, strided<[304, 1]>>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%s: memref<64x256xf4E2M1FN, strided<[304, 1]>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : <64x256xf4E2M1FN, #sm90.smem<k_major, b128>>
      tmm.load %s[%c0, %c0], %tile by(#sm90.tma) : memref<64x256xf4E2M1FN, strided<[304, 1]>>, <64x256xf4E2M1FN, #sm90.smem<k_major, b128>>
      gpu.return
    }
  }
}
