// RUN: tc-opt %s --mlir-print-local-scope -convert-tcgen05-to-nvvm -split-input-file | FileCheck %s

// CHECK-LABEL: func.func @allocation
func.func @allocation(%slot: memref<1xi32, #gpu.address_space<workgroup>>) {
  // CHECK: %[[MEMREF:.*]] = builtin.unrealized_conversion_cast %{{.*}} : memref<1xi32, #gpu.address_space<workgroup>> to !llvm.struct
  // CHECK: %[[SLOT:.*]] = llvm.extractvalue %[[MEMREF]][1]
  // CHECK: %[[N:.*]] = llvm.mlir.constant(256 : i32) : i32
  // CHECK: nvvm.tcgen05.alloc %[[SLOT]], %[[N]] : !llvm.ptr<3>, i32
  tcgen05.alloc %slot, 256 : memref<1xi32, #gpu.address_space<workgroup>>
  // CHECK: nvvm.tcgen05.relinquish_alloc_permit{{$}}
  tcgen05.relinquish_alloc_permit
  // CHECK: %[[WORD:.*]] = llvm.load %{{.*}} : !llvm.ptr<3> -> i32
  // CHECK: %[[TMEM:.*]] = llvm.inttoptr %[[WORD]] : i32 to !llvm.ptr<6>
  %tmem = tcgen05.address %slot : memref<1xi32, #gpu.address_space<workgroup>> to !tcgen05.tmem<128x256xi32, raw>
  // CHECK: %[[N1:.*]] = llvm.mlir.constant(256 : i32) : i32
  // CHECK: nvvm.tcgen05.dealloc %[[TMEM]], %[[N1]] : !llvm.ptr<6>, i32
  tcgen05.dealloc %tmem : !tcgen05.tmem<128x256xi32, raw>
  return
}

// CHECK-LABEL: func.func @pair
func.func @pair(%slot: memref<1xi32, #gpu.address_space<workgroup>>, %tmem: !tcgen05.tmem<128x512xi32, raw>) {
  // CHECK: nvvm.tcgen05.alloc %{{.*}}, %{{.*}} {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<3>, i32
  tcgen05.alloc %slot, 512 cta_group 2 : memref<1xi32, #gpu.address_space<workgroup>>
  // CHECK: nvvm.tcgen05.relinquish_alloc_permit {group = #nvvm.cta_group<cta_2>}
  tcgen05.relinquish_alloc_permit cta_group 2
  // CHECK: nvvm.tcgen05.dealloc %{{.*}}, %{{.*}} {group = #nvvm.cta_group<cta_2>} : !llvm.ptr<6>, i32
  tcgen05.dealloc %tmem cta_group 2 : !tcgen05.tmem<128x512xi32, raw>
  return
}

// -----

// A region is its address: a slice adds columns, a window adds lanes << 16.
// CHECK-LABEL: func.func @regions
func.func @regions(%tmem: !tcgen05.tmem<128x256xi32, raw>, %n: index) -> (!tcgen05.tmem<128x64xf32, D>, !tcgen05.tmem<32x64xf32, D>) {
  // CHECK-DAG: %[[BASE:.*]] = builtin.unrealized_conversion_cast %{{.*}} : !tcgen05.tmem<128x256xi32, raw> to !llvm.ptr<6>
  // CHECK-DAG: %[[N:.*]] = builtin.unrealized_conversion_cast %{{.*}} : index to i64
  // CHECK: %[[D:.*]] = llvm.getelementptr %[[BASE]][64] : (!llvm.ptr<6>) -> !llvm.ptr<6>, i8
  %d = tcgen05.slice %tmem[64] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x64xf32, D>
  // CHECK: %[[N32:.*]] = llvm.trunc %[[N]] : i64 to i32
  // CHECK: llvm.getelementptr %[[BASE]][%[[N32]]] : (!llvm.ptr<6>, i32) -> !llvm.ptr<6>, i8
  %e = tcgen05.slice %tmem[%n] : !tcgen05.tmem<128x256xi32, raw> to !tcgen05.tmem<128x64xf32, D>
  // CHECK: nvvm.read.ptx.sreg.tid.x
  // CHECK: nvvm.read.ptx.sreg.tid.y
  // CHECK: nvvm.read.ptx.sreg.tid.z
  // CHECK: %[[MASK:.*]] = llvm.mlir.constant(96 : i32) : i32
  // CHECK: %[[LANE:.*]] = llvm.and %{{.*}}, %[[MASK]] : i32
  // CHECK: %[[SIXTEEN:.*]] = llvm.mlir.constant(16 : i32) : i32
  // CHECK: %[[OFFSET:.*]] = llvm.shl %[[LANE]], %[[SIXTEEN]] : i32
  // CHECK: llvm.getelementptr %[[D]][%[[OFFSET]]] : (!llvm.ptr<6>, i32) -> !llvm.ptr<6>, i8
  %w = tcgen05.warp_window %d : !tcgen05.tmem<128x64xf32, D>
  return %e, %w : !tcgen05.tmem<128x64xf32, D>, !tcgen05.tmem<32x64xf32, D>
}

// -----

// With threads along x alone the warp follows from x.
gpu.module @window {
  // CHECK-LABEL: gpu.func @window
  gpu.func @window(%d: !tcgen05.tmem<128x8xf32, D>) kernel attributes {known_block_size = array<i32: 192, 1, 1>} {
    // CHECK: nvvm.read.ptx.sreg.tid.x
    // CHECK-NOT: nvvm.read.ptx.sreg
    // CHECK: nvvm.tcgen05.ld
    %w = tcgen05.warp_window %d : !tcgen05.tmem<128x8xf32, D>
    %v = tcgen05.ld %w : !tcgen05.tmem<32x8xf32, D> to vector<8xf32>
    gpu.return
  }
}
