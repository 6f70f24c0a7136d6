// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -convert-tmm-pipelines-to-sm90 -convert-tmm-kernel-interface-to-sm90 -tmm-distribute -convert-tmm-tiles -convert-tmm-roles-to-sm90 -sm90-allocate-smem -canonicalize -cse | FileCheck %s

// The ring from which TMA stores D: no mbarriers, a tensor map for D with the box
// of a store buffer, and the two meetings of the threads.

#out = #sm90.smem<n_major, b64>

// CHECK-LABEL: func.func @host
// The pitch of D is dynamic: the host checks it.
// CHECK: cf.assert %{{.*}}, "operand argument 0: the stride of dimension 0 must be a multiple of 16 bytes (8 elements) for TMA; pad rows"
// CHECK: %[[TD:.*]] = sm90.tensor_map.encode %{{.*}} dims [%{{.*}}, %{{.*}}] strides [%{{.*}}] : memref<?x?xbf16> to !sm90.tensor_map<128x32xbf16, b64>
// Two slots of 8 KB and nothing else, after a base on a multiple of 512.
// CHECK: gpu.launch_func @m::@k {{.*}} dynamic_shared_memory_size %c16880_i32
// CHECK-SAME: args(%[[TD]] : !sm90.tensor_map<128x32xbf16, b64>)

// CHECK-LABEL: gpu.func @k(%{{.*}}: !sm90.tensor_map<128x32xbf16, b64>)
// CHECK-DAG: %[[POLICY:.*]] = sm90.cache_policy evict_first
// CHECK-DAG: %[[SMEM:.*]] = sm90.dynamic_smem align 512 : memref<16384xi8, #gpu.address_space<workgroup>>
// CHECK-NOT: sm90.mbarrier.init
// CHECK: scf.for %[[J:.*]] = %c0_i32 to %c128_i32 step %c32_i32 iter_args(%[[S:[^ ]*]] = %c0_i32
// One group may still read: the other slot is free.
// CHECK:   scf.if %[[LEADER:.*]] {
// CHECK:     sm90.bulk_wait_group 1 read
// CHECK:   }
// CHECK:   sm90.named_barrier 1 threads 128
// CHECK:   %[[OFFSET:.*]] = arith.muli %[[S]], %c8192_i32
// CHECK:   %[[SLOT:.*]] = sm90.smem_view %[[SMEM]]
// CHECK:   sm90.smem_store %{{.*}}, %[[SLOT]][%[[THREAD:.*]], 0] : vector<8xbf16>
// CHECK:   sm90.smem_store %{{.*}}, %[[SLOT]][%[[THREAD]], 8] : vector<8xbf16>
// CHECK:   sm90.smem_store %{{.*}}, %[[SLOT]][%[[THREAD]], 16] : vector<8xbf16>
// CHECK:   sm90.smem_store %{{.*}}, %[[SLOT]][%[[THREAD]], 24] : vector<8xbf16>
// CHECK:   sm90.fence_proxy_async shared_cta
// CHECK:   sm90.named_barrier 1 threads 128
// CHECK:   scf.if %[[LEADER]] {
// CHECK:     sm90.tma_store %{{.*}}[%{{.*}}, %{{.*}}], %{{.*}} cache_policy %[[POLICY]]
// CHECK:     sm90.bulk_commit_group
// CHECK:   }
// Before the kernel ends all of D is written.
// CHECK: scf.if %[[LEADER]] {
// CHECK:   sm90.bulk_wait_group 0{{$}}
// CHECK: }
// CHECK: gpu.return
module attributes {gpu.container_module} {
  func.func @host(%d: memref<?x?xbf16>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%d : memref<?x?xbf16>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @k(%d: memref<?x?xbf16>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %c32 = arith.constant 32 : i32
      %c128 = arith.constant 128 : i32
      %value = arith.constant dense<1.5> : vector<128x32xbf16>
      %ring = tmm.pipeline : <(<128x32xbf16, #out>), depth = 2>
      %s = tmm.pipeline_start %ring : <(<128x32xbf16, #out>), depth = 2>
      %e:2 = scf.for %j = %c0 to %c128 step %c32 iter_args(%p = %s, %c = %s) -> (!tmm.pipeline_state, !tmm.pipeline_state) : i32 {
        %free = tmm.producer_acquire %ring[%p] : <(<128x32xbf16, #out>), depth = 2>
        tmm.stage %value, %free layout(#tcgen05.rows) : vector<128x32xbf16>, <128x32xbf16, #out>
        %p1 = tmm.producer_commit %ring[%p] : <(<128x32xbf16, #out>), depth = 2>
        %full = tmm.consumer_wait %ring[%c] : <(<128x32xbf16, #out>), depth = 2>
        tmm.unload %full, %d[%c0, %j] by(#sm90.tma_store) : <128x32xbf16, #out>, memref<?x?xbf16>
        %c1 = tmm.consumer_release %ring[%c] : <(<128x32xbf16, #out>), depth = 2>
        scf.yield %p1, %c1 : !tmm.pipeline_state, !tmm.pipeline_state
      }
      tmm.producer_tail %ring[%e#0] : <(<128x32xbf16, #out>), depth = 2>
      gpu.return
    }
  }
}

// -----

// Rows of 256 bytes are two slabs of 128, each a copy of its own; the buffer is
// wide enough for one slot only.

#wide = #sm90.smem<n_major, b128>

// CHECK-LABEL: gpu.func @slabs(%{{.*}}: !sm90.tensor_map<128x32xf32, b128>)
// CHECK-DAG: %[[POLICY:.*]] = sm90.cache_policy evict_first
// CHECK: sm90.bulk_wait_group 0 read
// CHECK: sm90.smem_store %{{.*}}, %[[T:.*]][%{{.*}}, 28] : vector<4xf32>, memref<128x64xf32
// CHECK: sm90.smem_store %{{.*}}, %[[T]][%{{.*}}, 32] : vector<4xf32>
// CHECK: %[[FIRST:.*]] = sm90.smem_view %[[SMEM:.*]][0] : {{.*}} to memref<128x32xf32
// CHECK: sm90.tma_store %{{.*}}[%{{.*}}, %c0], %[[FIRST]] cache_policy %[[POLICY]]
// CHECK: %[[SECOND:.*]] = sm90.smem_view %[[SMEM]][16384] : {{.*}} to memref<128x32xf32
// CHECK: sm90.tma_store %{{.*}}[%{{.*}}, %c32], %[[SECOND]] cache_policy %[[POLICY]]
// CHECK: sm90.bulk_commit_group
module attributes {gpu.container_module} {
  func.func @host(%d: memref<256x64xf32>) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@slabs blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%d : memref<256x64xf32>)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @slabs(%d: memref<256x64xf32>) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %value = arith.constant dense<1.5> : vector<128x64xf32>
      %ring = tmm.pipeline : <(<128x64xf32, #wide>), depth = 1>
      %s = tmm.pipeline_start %ring : <(<128x64xf32, #wide>), depth = 1>
      %free = tmm.producer_acquire %ring[%s] : <(<128x64xf32, #wide>), depth = 1>
      tmm.stage %value, %free layout(#tcgen05.rows) : vector<128x64xf32>, <128x64xf32, #wide>
      %p1 = tmm.producer_commit %ring[%s] : <(<128x64xf32, #wide>), depth = 1>
      %full = tmm.consumer_wait %ring[%s] : <(<128x64xf32, #wide>), depth = 1>
      tmm.unload %full, %d[%c0, %c0] by(#sm90.tma_store) : <128x64xf32, #wide>, memref<256x64xf32>
      %c1 = tmm.consumer_release %ring[%s] : <(<128x64xf32, #wide>), depth = 1>
      tmm.producer_tail %ring[%p1] : <(<128x64xf32, #wide>), depth = 1>
      gpu.return
    }
  }
}

// -----

// A copy with a condition takes part in its ring all the same: the group that is
// committed may be empty.

#out = #sm90.smem<n_major, b128>

// CHECK-LABEL: gpu.func @condition
// CHECK-SAME: (%[[WHEN:[a-z0-9]*]]: i1,
// CHECK: %[[BOTH:.*]] = arith.andi %{{.*}}, %[[WHEN]] : i1
// CHECK: scf.if %[[BOTH]] {
// CHECK-NEXT: sm90.tma_store
// CHECK-NEXT: }
// CHECK: sm90.bulk_commit_group
module attributes {gpu.container_module} {
  func.func @host(%d: memref<256x32xf32>, %when: i1) {
    %c1 = arith.constant 1 : index
    %c128 = arith.constant 128 : index
    gpu.launch_func @m::@condition blocks in (%c1, %c1, %c1) threads in (%c128, %c1, %c1) args(%d : memref<256x32xf32>, %when : i1)
    return
  }
  gpu.module @m [#nvvm.target<chip = "sm_100a">] {
    gpu.func @condition(%d: memref<256x32xf32>, %when: i1) kernel attributes {known_block_size = array<i32: 128, 1, 1>} {
      %c0 = arith.constant 0 : i32
      %value = arith.constant dense<1.5> : vector<128x32xf32>
      %ring = tmm.pipeline : <(<128x32xf32, #out>), depth = 1>
      %s = tmm.pipeline_start %ring : <(<128x32xf32, #out>), depth = 1>
      %free = tmm.producer_acquire %ring[%s] : <(<128x32xf32, #out>), depth = 1>
      tmm.stage %value, %free layout(#tcgen05.rows) : vector<128x32xf32>, <128x32xf32, #out>
      %p1 = tmm.producer_commit %ring[%s] : <(<128x32xf32, #out>), depth = 1>
      %full = tmm.consumer_wait %ring[%s] : <(<128x32xf32, #out>), depth = 1>
      tmm.unload %full, %d[%c0, %c0] when %when by(#sm90.tma_store) : <128x32xf32, #out>, memref<256x32xf32>
      %c1 = tmm.consumer_release %ring[%s] : <(<128x32xf32, #out>), depth = 1>
      tmm.producer_tail %ring[%p1] : <(<128x32xf32, #out>), depth = 1>
      gpu.return
    }
  }
}
