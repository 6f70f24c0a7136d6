// RUN: tc-opt %s --tc-share-kernels | FileCheck %s

module attributes {gpu.container_module} {
  // Names and locations may differ; the block size, a constant and the order of operands may not.
  // CHECK: gpu.module @kernels
  // CHECK: gpu.func @first
  // CHECK-NOT: gpu.func @second
  // CHECK: gpu.func @wider
  // CHECK: gpu.func @other
  // CHECK: gpu.func @swapped
  // CHECK-NOT: gpu.func
  gpu.module @kernels {
    gpu.func @first(%a: memref<8xf32>, %b: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c = arith.constant 1 : index
      %x = memref.load %a[%c] : memref<8xf32>
      %y = arith.subf %x, %b : f32
      memref.store %y, %a[%c] : memref<8xf32>
      gpu.return
    }
    gpu.func @second(%from: memref<8xf32>, %by: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c = arith.constant 1 : index loc("elsewhere")
      %x = memref.load %from[%c] : memref<8xf32>
      %y = arith.subf %x, %by : f32
      memref.store %y, %from[%c] : memref<8xf32>
      gpu.return
    }
    gpu.func @wider(%a: memref<8xf32>, %b: f32) kernel attributes {known_block_size = array<i32: 64, 1, 1>} {
      %c = arith.constant 1 : index
      %x = memref.load %a[%c] : memref<8xf32>
      %y = arith.subf %x, %b : f32
      memref.store %y, %a[%c] : memref<8xf32>
      gpu.return
    }
    gpu.func @other(%a: memref<8xf32>, %b: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c = arith.constant 2 : index
      %x = memref.load %a[%c] : memref<8xf32>
      %y = arith.subf %x, %b : f32
      memref.store %y, %a[%c] : memref<8xf32>
      gpu.return
    }
    gpu.func @swapped(%a: memref<8xf32>, %b: f32) kernel attributes {known_block_size = array<i32: 32, 1, 1>} {
      %c = arith.constant 1 : index
      %x = memref.load %a[%c] : memref<8xf32>
      %y = arith.subf %b, %x : f32
      memref.store %y, %a[%c] : memref<8xf32>
      gpu.return
    }
  }

  // CHECK-LABEL: func.func @host
  // CHECK: gpu.launch_func @kernels::@first
  // CHECK: gpu.launch_func @kernels::@first
  // CHECK: gpu.launch_func @kernels::@wider
  // CHECK: gpu.launch_func @kernels::@other
  // CHECK: gpu.launch_func @kernels::@swapped
  func.func @host(%a: memref<8xf32>, %b: f32) {
    %c1 = arith.constant 1 : index
    %c32 = arith.constant 32 : index
    %c64 = arith.constant 64 : index
    gpu.launch_func @kernels::@first blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<8xf32>, %b : f32)
    gpu.launch_func @kernels::@second blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<8xf32>, %b : f32)
    gpu.launch_func @kernels::@wider blocks in (%c1, %c1, %c1) threads in (%c64, %c1, %c1) args(%a : memref<8xf32>, %b : f32)
    gpu.launch_func @kernels::@other blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<8xf32>, %b : f32)
    gpu.launch_func @kernels::@swapped blocks in (%c1, %c1, %c1) threads in (%c32, %c1, %c1) args(%a : memref<8xf32>, %b : f32)
    return
  }
}
