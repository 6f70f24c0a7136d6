// RUN: tc-opt %s -split-input-file -convert-tmm-to-tcgen05 -verify-diagnostics

module attributes {gpu.container_module} {
  func.func @host() {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
    return
  }
  // expected-error @below {{expected a target with tcgen05 (#nvvm.target<chip = "sm_100a">), got another}}
  gpu.module @m [#nvvm.target<chip = "sm_90a">] {
    gpu.func @k() kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %sched = tmm.scheduler static(%c0, %c0, %c0) tile [128, 64, 32] : !tmm.scheduler
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
      %sched = tmm.scheduler static(%c0, %c0, %c0) tile [128, 64, 32] : !tmm.scheduler
      gpu.return
    }
  }
}

// -----

module attributes {gpu.container_module} {
  func.func @host(%a: memref<256x512xf16>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    // expected-error @below {{expected at most 232448 bytes of shared memory, got 263440: choose a smaller tile or fewer stages}}
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%a : memref<256x512xf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<256x512xf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %true = arith.constant true
      // expected-note @below {{16 slots of 16384 bytes here}}
      %ring = tmm.pipeline : <(<128x64xf16, smem, <k_major, swizzle = 128>>), depth = 16>
      // expected-note @below {{1 slots of 65536 bytes here}}
      %accs = tmm.pipeline : <(<128x128xf32, tmem>), depth = 1>
      %s = tmm.pipeline_start %ring : <(<128x64xf16, smem, <k_major, swizzle = 128>>), depth = 16>
      %q = tmm.pipeline_start %accs : <(<128x128xf32, tmem>), depth = 1>
      %acc = tmm.producer_acquire %accs[%q] : <(<128x128xf32, tmem>), depth = 1> -> !tmm.buffer<128x128xf32, tmem>
      %t = tmm.producer_acquire %ring[%s] : <(<128x64xf16, smem, <k_major, swizzle = 128>>), depth = 16> -> !tmm.buffer<128x64xf16, smem, <k_major, swizzle = 128>>
      tmm.load %a[%c0, %c0], %t : memref<256x512xf16>, <128x64xf16, smem, <k_major, swizzle = 128>>
      %u = tmm.consumer_wait %ring[%s] : <(<128x64xf16, smem, <k_major, swizzle = 128>>), depth = 16> -> !tmm.buffer<128x64xf16, smem, <k_major, swizzle = 128>>
      tmm.mma %u, %u, %acc accumulate(%true) : <128x64xf16, smem, <k_major, swizzle = 128>>, <128x64xf16, smem, <k_major, swizzle = 128>>, <128x128xf32, tmem>
      %done = tmm.consumer_wait %accs[%q] : <(<128x128xf32, tmem>), depth = 1> -> !tmm.buffer<128x128xf32, tmem>
      %r = tmm.read %done[%c0] if %true : <128x128xf32, tmem> -> vector<128x32xf32>
      gpu.return
    }
  }
}

// -----

#smem = #tmm.layout<k_major, swizzle = 128>
module attributes {gpu.container_module} {
  func.func @host(%a: memref<256x512xf16>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%a : memref<256x512xf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    // expected-error @below {{expected known_cluster_size [2, 1, 1], that of its pipelines, got [1, 1, 1]}}
    gpu.func @k(%a: memref<256x512xf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %ring = tmm.pipeline : <(<128x64xf16, smem, #smem>), depth = 2, scope = pair>
      gpu.return
    }
  }
}

// -----

#smem = #tmm.layout<k_major, swizzle = 128>
module attributes {gpu.container_module} {
  func.func @host(%a: memref<256x512xf16>) {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@k clusters in (%c2, %c1, %c1) blocks in (%c2, %c1, %c1) threads in (%c128, %c1, %c1) args(%a : memref<256x512xf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<256x512xf16>) kernel
        attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %true = arith.constant true
      // expected-error @below {{expected scope = pair, that of an op that uses the slots, got cta}}
      %ring = tmm.pipeline : <(<128x64xf16, smem, #smem>), depth = 2>
      %accs = tmm.pipeline : <(<128x256xf32, tmem>), depth = 1, scope = pair>
      %s = tmm.pipeline_start %ring : <(<128x64xf16, smem, #smem>), depth = 2>
      %q = tmm.pipeline_start %accs : <(<128x256xf32, tmem>), depth = 1, scope = pair>
      %acc = tmm.producer_acquire %accs[%q] : <(<128x256xf32, tmem>), depth = 1, scope = pair> -> !tmm.buffer<128x256xf32, tmem>
      %t = tmm.producer_acquire %ring[%s] : <(<128x64xf16, smem, #smem>), depth = 2> -> !tmm.buffer<128x64xf16, smem, #smem>
      tmm.load %a[%c0, %c0], %t : memref<256x512xf16>, <128x64xf16, smem, #smem>
      %u = tmm.consumer_wait %ring[%s] : <(<128x64xf16, smem, #smem>), depth = 2> -> !tmm.buffer<128x64xf16, smem, #smem>
      // expected-note @below {{used here}}
      tmm.mma %u, %u, %acc accumulate(%true) pair : <128x64xf16, smem, #smem>, <128x64xf16, smem, #smem>, <128x256xf32, tmem>
      %done = tmm.consumer_wait %accs[%q] : <(<128x256xf32, tmem>), depth = 1, scope = pair> -> !tmm.buffer<128x256xf32, tmem>
      %r = tmm.read %done[%c0] if %true : <128x256xf32, tmem> -> vector<128x32xf32>
      gpu.return
    }
  }
}
