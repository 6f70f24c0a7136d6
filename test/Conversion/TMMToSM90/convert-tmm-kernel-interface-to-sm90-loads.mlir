// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -convert-tmm-kernel-interface-to-sm90 -verify-diagnostics | FileCheck %s

!tile = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>

// A matrix that threads load is a pointer; what cp.async needs of it is checked.
// CHECK-LABEL: func.func @host
// CHECK: cf.assert %{{.*}}, "operand argument 0: the stride of dimension 0 must be a multiple of 4 bytes (2 elements) for cp.async, or load-a=threads"
// CHECK-NOT: cf.assert
// CHECK-NOT: sm90.tensor_map.encode
// CHECK: gpu.launch_func
// CHECK: gpu.func @k(%{{.*}}: memref<bf16, #gpu.address_space<global>>, %{{.*}}: i32, %{{.*}}: i32, %{{.*}}: memref<bf16, #gpu.address_space<global>>
// CHECK: tmm.load %{{.*}} by(#sm80.cp_async) : memref<?x?xbf16, #gpu.address_space<global>>
// CHECK: tmm.load %{{.*}} by(#sm90.thread_load) : memref<?x21xbf16, #gpu.address_space<global>>
module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: memref<?x?xbf16>, %b: memref<?x21xbf16>) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<?x?xbf16>, %b : memref<?x21xbf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<?x?xbf16>, %b: memref<?x21xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %x = tmm.alloc : !tile
      %y = tmm.alloc : !tile
      tmm.load %a[%c0, %c0], %x by(#sm80.cp_async) : memref<?x?xbf16>, !tile
      tmm.load %b[%c0, %c0], %y by(#sm90.thread_load) : memref<?x21xbf16>, !tile
      gpu.return
    }
  }
}

// -----

!tile = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: memref<?x21xbf16>) {
    // expected-error @below {{operand argument 0: the stride of dimension 0 is 42 bytes (21 elements), which cp.async cannot address: expected a multiple of 4, or #sm90.thread_load (PTX ISA 9.0, 9.7.9.25.3.1}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<?x21xbf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<?x21xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %x = tmm.alloc : !tile
      tmm.load %a[%c0, %c0], %x by(#sm80.cp_async) : memref<?x21xbf16>, !tile
      gpu.return
    }
  }
}

// -----

!tile = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: memref<?x22xbf16, strided<[22, 1], offset: 3>>) {
    // expected-error @below {{operand argument 0: the offset in its buffer is 6 bytes (3 elements), which cp.async cannot address}}
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<?x22xbf16, strided<[22, 1], offset: 3>>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<?x22xbf16, strided<[22, 1], offset: 3>>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %x = tmm.alloc : !tile
      tmm.load %a[%c0, %c0], %x by(#sm80.cp_async) : memref<?x22xbf16, strided<[22, 1], offset: 3>>, !tile
      gpu.return
    }
  }
}

// -----

!tile = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: memref<?x22xbf16>) {
    gpu.launch_func @m::@k clusters in (%n, %n, %n) blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<?x22xbf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<?x22xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>, known_cluster_size = array<i32: 2, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %x = tmm.alloc : !tile
      // expected-error @below {{expected a tile that each CTA loads for itself for #sm90.thread_load, got one that 2 CTAs share}}
      tmm.load %a[%c0, %c0], %x to #tmm.ctas<2, along = [0]> by(#sm90.thread_load) : memref<?x22xbf16>, !tile
      gpu.return
    }
  }
}

// -----

!tile = !tmm.buffer<128x64xf4E2M1FN, #sm90.smem<k_major, b32>>
module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: memref<?x64xf4E2M1FN>) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<?x64xf4E2M1FN>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<?x64xf4E2M1FN>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %x = tmm.alloc : !tile
      // expected-error @below {{expected rows of elements of whole bytes for #sm80.cp_async, got 4 bits}}
      tmm.load %a[%c0, %c0], %x by(#sm80.cp_async) : memref<?x64xf4E2M1FN>, !tile
      gpu.return
    }
  }
}

// -----

!tile = !tmm.buffer<128x64xbf16, #sm90.smem<mn_major, b128>>
module attributes {gpu.container_module} {
  func.func @host(%n: index, %a: memref<?x22xbf16>) {
    gpu.launch_func @m::@k blocks in (%n, %n, %n) threads in (%n, %n, %n) args(%a : memref<?x22xbf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%a: memref<?x22xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %x = tmm.alloc : !tile
      // expected-error @below {{expected elements of 4 bytes or more, one for each copy to a tile in the other order, for #sm80.cp_async, got 2}}
      tmm.load %a[%c0, %c0], %x by(#sm80.cp_async) : memref<?x22xbf16>, !tile
      gpu.return
    }
  }
}
