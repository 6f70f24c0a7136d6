// RUN: tc-opt %s --mlir-print-local-scope -split-input-file -convert-tmm-kernel-interface-to-sm90 -canonicalize -cse | FileCheck %s

!tile = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!staging = !tmm.buffer<128x32xf32, #sm90.smem<n_major, b128>>

// Dynamic sizes: the host checks what TMA asks of the strides, encodes a size of
// 0 as 1 (the kernel loads nothing then) and passes each size once. A and what
// tmm.unload writes become tensor maps; what threads read a pointer, of which the
// kernel makes a memref in global memory.

// CHECK-LABEL: func.func @dynamic
// CHECK-SAME: (%[[A:.*]]: memref<?x?xbf16>, %[[C:.*]]: memref<?x?xf32>, %[[D:.*]]: memref<?x?xf32>)
// CHECK-DAG: %[[M:.*]] = memref.dim %[[A]], %c0
// CHECK-DAG: %[[K:.*]] = memref.dim %[[A]], %c1
// CHECK-DAG: %[[M32:.*]] = arith.index_cast %[[M]] : index to i32
// CHECK: %[[PITCH:.*]] = arith.muli %[[K]], %c2
// CHECK: %[[REST:.*]] = arith.remui %[[PITCH]], %c16
// CHECK: %[[OK:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: cf.assert %[[OK]], "operand argument 0: the stride of dimension 0 must be a multiple of 16 bytes (8 elements) for TMA, or load-a=threads"
// CHECK-DAG: %[[ROWS:.*]] = arith.maxui %[[M]], %c1
// CHECK-DAG: %[[COLS:.*]] = arith.maxui %[[K]], %c1
// CHECK: %[[AMAP:.*]] = sm90.tensor_map.encode %[[A]][0] dims [%[[ROWS]], %[[COLS]]] strides [%[[PITCH]]] l2_promotion l2_256b
// CHECK-SAME: to !sm90.tensor_map<128x64xbf16, b128>
// CHECK: %[[BASE:.*]] = memref.memory_space_cast %{{.*}} : memref<f32> to memref<f32, #gpu.address_space<global>>
// CHECK: %[[DMAP:.*]] = sm90.tensor_map.encode %[[D]]
// CHECK-SAME: to !sm90.tensor_map<128x32xf32, b128>
// CHECK: gpu.launch_func  @m::@k {{.*}} args(%[[M32]] : i32, %[[AMAP]] : {{.*}}, %[[BASE]] : memref<f32, #gpu.address_space<global>>, %{{.*}} : i32, %{{.*}} : i32, %[[DMAP]] : {{.*}})

// CHECK-LABEL: gpu.func @k(
// CHECK-SAME: %[[M:.*]]: i32, %[[A:.*]]: !sm90.tensor_map<128x64xbf16, b128>, %[[C:.*]]: memref<f32, #gpu.address_space<global>>, %[[CROWS:.*]]: i32, %[[CCOLS:.*]]: i32, %[[D:.*]]: !sm90.tensor_map<128x32xf32, b128>) kernel
// The one thread that issues has the descriptors fetched.
// CHECK: tmm.issue {
// CHECK-NEXT: sm90.prefetch_tensor_map %[[A]]
// CHECK-NEXT: sm90.prefetch_tensor_map %[[D]]
// CHECK-NEXT: }
// CHECK: %[[R:.*]] = arith.index_cast %[[CROWS]] : i32 to index
// CHECK: %[[S:.*]] = arith.index_cast %[[CCOLS]] : i32 to index
// CHECK: %[[GLOBAL:.*]] = memref.reinterpret_cast %[[C]] to offset: [0], sizes: [%[[R]], %[[S]]], strides: [%[[S]], 1] : memref<f32, #gpu.address_space<global>> to memref<?x?xf32, #gpu.address_space<global>>
// CHECK: tmm.load %[[A]][%{{.*}}, %{{.*}}], %{{.*}} by(#sm90.tma) : !sm90.tensor_map<128x64xbf16, b128>,
// CHECK: tmm.fetch %[[GLOBAL]][%{{.*}}, %{{.*}}] : memref<?x?xf32, #gpu.address_space<global>> -> vector<128x32xf32>
// CHECK: tmm.unload %{{.*}}, %[[D]][%{{.*}}, %{{.*}}] by(#sm90.tma_store) : {{.*}}, !sm90.tensor_map<128x32xf32, b128>
module attributes {gpu.container_module} {
  func.func @dynamic(%a: memref<?x?xbf16>, %c: memref<?x?xf32>, %d: memref<?x?xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %m = memref.dim %a, %c0 : memref<?x?xbf16>
    %m32 = arith.index_cast %m : index to i32
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<?x?xbf16>, %c : memref<?x?xf32>, %d : memref<?x?xf32>, %m32 : i32)
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<?x?xbf16>, %c: memref<?x?xf32>, %d: memref<?x?xf32>, %m: i32) kernel {
      %zero = arith.constant 0 : i32
      %tile = tmm.alloc : !tile
      %staging = tmm.alloc : !staging
      tmm.load %a[%m, %zero], %tile by(#sm90.tma) : memref<?x?xbf16>, !tile
      %r = tmm.fetch %c[%m, %zero] : memref<?x?xf32> -> vector<128x32xf32>
      tmm.stage %r, %staging : vector<128x32xf32>, !staging
      tmm.unload %staging, %d[%m, %zero] by(#sm90.tma_store) : !staging, memref<?x?xf32>
      gpu.return
    }
  }
}

// -----

!tile = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>

// A batch dimension of size 1 is not part of the tensor map: the copy loses its
// index. Two CTAs load half of the tile each: that is the box. Threads keep all
// dimensions, and the layout with its dynamic stride of the batch as an index.

// CHECK-LABEL: func.func @batch
// CHECK: sm90.tensor_map.encode %{{.*}} dims [3, 200, 72] strides [28800, 144]
// CHECK-SAME: to !sm90.tensor_map<1x64x64xbf16, b128>
// CHECK-LABEL: gpu.func @k(
// CHECK-SAME: %[[N:.*]]: i32, %[[A:.*]]: !sm90.tensor_map<1x64x64xbf16, b128>, %[[D:.*]]: memref<f32, #gpu.address_space<global>>, %[[STRIDE:.*]]: index) kernel
// CHECK: %[[GLOBAL:.*]] = memref.reinterpret_cast %[[D]] to offset: [0], sizes: [3, 1, 200, 136], strides: [%[[STRIDE]], 1, 136, 1]
// CHECK: tmm.load %[[A]][%{{.*}}, %{{.*}}] batch(%[[N]]), %{{.*}} to #tmm.ctas<2, along = [0]> by(#sm90.tma)
// CHECK: tmm.store %{{.*}}, %[[GLOBAL]][%{{.*}}, %{{.*}}] batch(%[[N]], %c0_i32)
// CHECK-SAME: memref<3x1x200x136xf32, strided<[?, 1, 136, 1]>, #gpu.address_space<global>>
module attributes {gpu.container_module} {
  func.func @batch(%a: memref<1x3x200x72xbf16>, %d: memref<3x1x200x136xf32, strided<[?, 1, 136, 1]>>, %n: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<1x3x200x72xbf16>, %d : memref<3x1x200x136xf32, strided<[?, 1, 136, 1]>>, %n : i32)
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<1x3x200x72xbf16>, %d: memref<3x1x200x136xf32, strided<[?, 1, 136, 1]>>, %n: i32) kernel {
      %zero = arith.constant 0 : i32
      %v = arith.constant dense<1.0> : vector<128x32xf32>
      %tile = tmm.alloc : !tile
      tmm.load %a[%zero, %zero] batch(%zero, %n), %tile to #tmm.ctas<2, along = [0]> by(#sm90.tma)
        : memref<1x3x200x72xbf16>, !tile
      tmm.store %v, %d[%zero, %zero] batch(%n, %zero)
        : vector<128x32xf32>, memref<3x1x200x136xf32, strided<[?, 1, 136, 1]>>
      gpu.return
    }
  }
}

// -----

!tile = !tmm.buffer<128x64xbf16, #sm90.smem<k_major, b128>>
!staging = !tmm.buffer<128x32xf32, #sm90.smem<n_major, b128>>

// All matrices of the batch are one, and all rows of it: strides of 0. A stride
// that may be 0 in the run goes into the map as it is. Rows that TMA stores end
// where 16 bytes end: the host checks what is not static.

// CHECK-LABEL: func.func @repeated
// CHECK-SAME: (%[[A:.*]]: memref<{{.*}}>, %[[B:.*]]: memref<{{.*}}>, %[[D:.*]]: memref<{{.*}}>, %{{.*}}: i32)
// CHECK: sm90.tensor_map.encode %[[A]][0] dims [4, 200, 72] strides [0, 0]
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:2, %[[STRIDE:.*]]:2 = memref.extract_strided_metadata %[[B]]
// CHECK: %[[PITCH:.*]] = arith.muli %[[STRIDE]]#0, %c2
// CHECK: cf.assert %{{.*}}, "operand argument 1: the stride of dimension 0 must be a multiple of 16 bytes (8 elements) for TMA, or load-b=threads"
// CHECK: sm90.tensor_map.encode %[[B]][0] dims [136, 72] strides [%[[PITCH]]]
// CHECK: %[[N:.*]] = memref.dim %[[D]], %c1
// CHECK: %[[BYTES:.*]] = arith.muli %[[N]], %c4
// CHECK: %[[REST:.*]] = arith.remui %[[BYTES]], %c16
// CHECK: %[[WHOLE:.*]] = arith.cmpi eq, %[[REST]], %c0
// CHECK: cf.assert %[[WHOLE]], "operand argument 2: the number of columns must be a multiple of 4 (16 bytes), which TMA writes as a whole; store it with epilogue = direct"
module attributes {gpu.container_module} {
  func.func @repeated(%a: memref<4x200x72xbf16, strided<[0, 0, 1]>>, %b: memref<136x72xbf16, strided<[?, 1]>>,
                      %d: memref<200x?xf32, strided<[256, 1]>>, %n: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<4x200x72xbf16, strided<[0, 0, 1]>>, %b : memref<136x72xbf16, strided<[?, 1]>>,
           %d : memref<200x?xf32, strided<[256, 1]>>, %n : i32)
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<4x200x72xbf16, strided<[0, 0, 1]>>, %b: memref<136x72xbf16, strided<[?, 1]>>,
                %d: memref<200x?xf32, strided<[256, 1]>>, %n: i32) kernel {
      %zero = arith.constant 0 : i32
      %v = arith.constant dense<1.0> : vector<128x32xf32>
      %ta = tmm.alloc : !tile
      %tb = tmm.alloc : !tile
      %staging = tmm.alloc : !staging
      tmm.load %a[%zero, %zero] batch(%n), %ta by(#sm90.tma) : memref<4x200x72xbf16, strided<[0, 0, 1]>>, !tile
      tmm.load %b[%zero, %zero], %tb by(#sm90.tma) : memref<136x72xbf16, strided<[?, 1]>>, !tile
      tmm.stage %v, %staging : vector<128x32xf32>, !staging
      tmm.unload %staging, %d[%zero, %zero] by(#sm90.tma_store) : !staging, memref<200x?xf32, strided<[256, 1]>>
      gpu.return
    }
  }
}

// -----

// Scale factors may repeat themselves, too: one block for all rows, for all
// matrices of the batch.

// CHECK-LABEL: func.func @repeated_scales
// CHECK: sm90.tensor_map.encode %{{.*}}[0] dims [3, 2, 10, 256] strides [0, 0, 256]
module attributes {gpu.container_module} {
  func.func @repeated_scales(%s: memref<3x2x5x32x4x4xf8E8M0FNU, strided<[0, 0, 512, 16, 4, 1]>>, %n: i32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%s : memref<3x2x5x32x4x4xf8E8M0FNU, strided<[0, 0, 512, 16, 4, 1]>>, %n : i32)
    return
  }
  gpu.module @m {
    gpu.func @k(%s: memref<3x2x5x32x4x4xf8E8M0FNU, strided<[0, 0, 512, 16, 4, 1]>>, %n: i32) kernel {
      %zero = arith.constant 0 : i32
      %tile = tmm.alloc : <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
      tmm.load %s[%zero, %zero] batch(%n), %tile blocked by(#sm90.tma)
        : memref<3x2x5x32x4x4xf8E8M0FNU, strided<[0, 0, 512, 16, 4, 1]>>, <128x4xf8E8M0FNU, #sm90.smem<blocked, none>>
      gpu.return
    }
  }
}

// -----

// A vector of numbers that work items are computed of is a pointer.

// CHECK-LABEL: gpu.func @numbers(
// CHECK-SAME: %{{.*}}: index, %[[P:[a-z0-9]*]]: {{.*}}, %{{[a-z0-9]*}}: i32, %[[MAP:[a-z0-9]*]]: !sm90.tensor_map
// CHECK: %[[ROWS:.*]] = memref.reinterpret_cast %[[P]]
// CHECK: %[[ROW:.*]] = memref.load %[[ROWS]][%{{.*}}]
// CHECK: tmm.load %[[MAP]][%[[ROW]], %{{.*}}]
module attributes {gpu.container_module} {
  func.func @numbers_host(%rows: memref<?xi32>, %i: index, %a: memref<256x64xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@numbers blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%rows : memref<?xi32>, %i : index, %a : memref<256x64xbf16>)
    return
  }
  gpu.module @m {
    gpu.func @numbers(%rows: memref<?xi32>, %i: index, %a: memref<256x64xbf16>) kernel {
      %zero = arith.constant 0 : i32
      %row = memref.load %rows[%i] : memref<?xi32>
      %tile = tmm.alloc : <128x64xbf16, #sm90.smem<k_major, b128>>
      tmm.load %a[%row, %zero], %tile by(#sm90.tma) : memref<256x64xbf16>, <128x64xbf16, #sm90.smem<k_major, b128>>
      gpu.return
    }
  }
}

// -----

!half = !tmm.buffer<64x64xbf16, #sm90.smem<k_major, b128>>
!line = !tmm.buffer<64x128xbf16, #sm90.smem<k_major, b128>>

// The L2 cache fetches the rest of 256 bytes for the next tile, unless a tile
// reads 256 bytes of a row itself, or whole rows.

// CHECK-LABEL: func.func @promotion
// CHECK: sm90.tensor_map.encode {{.*}} l2_promotion l2_256b : memref<64x512xbf16>
// CHECK: sm90.tensor_map.encode {{.*}} l2_promotion l2_128b : memref<64x256xbf16>
// CHECK: sm90.tensor_map.encode {{.*}} l2_promotion l2_128b : memref<64x64xbf16>
module attributes {gpu.container_module} {
  func.func @promotion(%a: memref<64x512xbf16>, %b: memref<64x256xbf16>, %c: memref<64x64xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<64x512xbf16>, %b : memref<64x256xbf16>, %c : memref<64x64xbf16>)
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<64x512xbf16>, %b: memref<64x256xbf16>, %c: memref<64x64xbf16>) kernel {
      %zero = arith.constant 0 : i32
      %half = tmm.alloc : !half
      %line = tmm.alloc : !line
      %whole = tmm.alloc : !half
      tmm.load %a[%zero, %zero], %half by(#sm90.tma) : memref<64x512xbf16>, !half
      tmm.load %b[%zero, %zero], %line by(#sm90.tma) : memref<64x256xbf16>, !line
      tmm.load %c[%zero, %zero], %whole by(#sm90.tma) : memref<64x64xbf16>, !half
      gpu.return
    }
  }
}

// -----

!kept = !tmm.buffer<128x32xf32, #sm90.smem<n_major, b128>>

// A number that is not at the start of its buffer: the kernel gets the base.

// CHECK-LABEL: func.func @number
// CHECK: gpu.launch_func @m::@k {{.*}} args(%{{.*}} : memref<f32, #gpu.address_space<global>>)
// CHECK: gpu.func @k(%[[BASE:.*]]: memref<f32, #gpu.address_space<global>>)
// CHECK: %[[AT:.*]] = memref.reinterpret_cast %[[BASE]] to offset: [40], sizes: [], strides: []
// CHECK: tmm.fetch %[[AT]]
module attributes {gpu.container_module} {
  func.func @number(%a: memref<f32, strided<[], offset: 40>>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @m::@k blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1)
      args(%a : memref<f32, strided<[], offset: 40>>)
    return
  }
  gpu.module @m {
    gpu.func @k(%a: memref<f32, strided<[], offset: 40>>) kernel {
      %zero = arith.constant 0 : i32
      %kept = tmm.alloc : !kept
      %r = tmm.fetch %a[%zero, %zero] : memref<f32, strided<[], offset: 40>> -> vector<128x32xf32>
      tmm.stage %r, %kept : vector<128x32xf32>, !kept
      gpu.return
    }
  }
}
