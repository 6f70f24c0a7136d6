// RUN: tc-opt %s -split-input-file -convert-tmm-kernel-interface-to-sm90 -verify-diagnostics

!windows = memref<4x24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>

module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: !windows) {
    // expected-error @below {{expected operand argument 0 to be the result of a tmm.windows, got another 'memref<4x24xf16, #tmm.windows<}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : !windows)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: !windows) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : !tile
      tmm.load %a[%c0, %c0], %tile by(#sm90.tma) : !windows, !tile
      gpu.return
    }
  }
}

// -----

!windows = memref<4x24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>

module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: !windows) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : !windows)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: !windows) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : !tile
      // expected-error @below {{expected windows of images to be loaded by #sm90.tma, got 'memref<4x24xf16, #tmm.windows<}}
      tmm.load %a[%c0, %c0], %tile by(#sm80.cp_async) : !windows, !tile
      gpu.return
    }
  }
}

// -----

!windows = memref<4x24xf16, #tmm.windows<output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]>>
!tile = !tmm.buffer<128x64xf16, #sm90.smem<mn_major, b128>>

module attributes {gpu.container_module} {
  func.func @host(%n: index, %i: memref<1x6x8xf16>) {
    %a = tmm.windows %i as <output = [4], window = [3], channels = 8, strides = [1], dilations = [1], padding = [0]> : memref<1x6x8xf16> to !windows
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : !windows)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: !windows) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : !tile
      // expected-error @below {{tensor map: expected windows of images in slabs of shared memory along K (#sm90.smem<k_major>), got '!tmm.buffer<128x64xf16, #sm90.smem<mn_major, b128>>'}}
      tmm.load %a[%c0, %c0], %tile by(#sm90.tma) : !windows, !tile
      gpu.return
    }
  }
}

// -----

!windows = memref<4x36xf16, #tmm.windows<output = [4], window = [3], channels = 12, strides = [1], dilations = [1], padding = [0]>>
!tile = !tmm.buffer<128x64xf16, #sm90.smem<k_major, none>>

module attributes {gpu.container_module} {
  func.func @host(%n: index, %i: memref<1x6x12xf16>) {
    %a = tmm.windows %i as <output = [4], window = [3], channels = 12, strides = [1], dilations = [1], padding = [0]> : memref<1x6x12xf16> to !windows
    // expected-error @below {{operand A: dimension 1 has a stride of 24 bytes (12 elements), which TMA cannot address: expected a multiple of 16, nearest legal 32 bytes (16 elements)}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : !windows)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: !windows) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %tile = tmm.alloc : !tile
      tmm.load %a[%c0, %c0], %tile by(#sm90.tma) : !windows, !tile
      gpu.return
    }
  }
}
