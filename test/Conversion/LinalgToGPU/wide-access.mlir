// RUN: tc-opt %s --mlir-print-local-scope --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a">] {
    gpu.func @product(%d: memref<64x96xf32>) kernel {
      gpu.return
    }
  }

  // Four elements of 4 bytes for each thread; a vector along the rows is loaded once for all of them. All loads come
  // before the store. D may be what is read.
  // CHECK-LABEL: gpu.func @rows_generic(
  // CHECK:         arith.cmpi ult, %{{.*}}, %c1536
  // CHECK:         %[[AT:.*]]:2 = affine.delinearize_index %{{.*}} into (64, 24)
  // CHECK:         %[[COLUMN:.*]] = arith.muli %[[AT]]#1, %c4
  // CHECK:         %[[X:.*]] = vector.load %{{.*}}[%[[AT]]#0, %[[COLUMN]]] {alignment = 16 : i64} : memref<64x96xf32>, vector<4xf32>
  // CHECK:         %[[SCALE:.*]] = memref.load %{{.*}}[%[[AT]]#0] : memref<64xf32>
  // CHECK:         %[[OLD:.*]] = vector.load %{{.*}}[%[[AT]]#0, %[[COLUMN]]] {alignment = 8 : i64} : memref<64x96xbf16>, vector<4xbf16>
  // CHECK:         %[[X0:.*]] = vector.extract %[[X]][0]
  // CHECK:         %[[OLD0:.*]] = vector.extract %[[OLD]][0]
  // CHECK:         arith.mulf %[[X0]], %[[SCALE]]
  // CHECK:         vector.extract %[[X]][3]
  // CHECK:         %[[ALL:.*]] = vector.from_elements
  // CHECK:         vector.store %[[ALL]], %{{.*}}[%[[AT]]#0, %[[COLUMN]]] {alignment = 8 : i64}

  // 16 bytes of elements of 2.
  // CHECK-LABEL: gpu.func @copy_copy(
  // CHECK:         vector.load {{.*}} {alignment = 16 : i64} : {{.*}}, vector<8xbf16>

  // Rows of 102 elements: two at a time.
  // CHECK-LABEL: gpu.func @narrow_copy(
  // CHECK:         vector.load {{.*}} {alignment = 4 : i64} : {{.*}}, vector<2xbf16>

  // An odd offset, an odd stride, a dynamic size: one at a time.
  // CHECK-LABEL: gpu.func @offset_copy(
  // CHECK-NOT:     vector.
  // CHECK-LABEL: gpu.func @stride_copy(
  // CHECK-NOT:     vector.
  // CHECK-LABEL: gpu.func @dynamic_copy(
  // CHECK-NOT:     vector.

  // CHECK-LABEL: func.func @rows(
  // CHECK:         gpu.launch_func {{ *}}@kernels::@rows_generic blocks in (%c6, %c1, %c1) threads in (%c256, %c1, %c1)
  func.func @rows(%d: memref<64x96xf32>, %x: memref<64x96xf32>, %s: memref<64xf32>, %e: memref<64x96xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x96xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n) -> (m, n)>, affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
        ins(%x, %s : memref<64x96xf32>, memref<64xf32>) outs(%e : memref<64x96xbf16>) {
    ^bb0(%in: f32, %scale: f32, %old: bf16):
      %0 = arith.extf %old : bf16 to f32
      %1 = arith.mulf %in, %scale : f32
      %2 = arith.addf %1, %0 : f32
      %3 = arith.truncf %2 : f32 to bf16
      linalg.yield %3 : bf16
    }
    return
  }

  func.func @copy(%d: memref<64x96xf32>, %x: memref<64x96xbf16>, %e: memref<64x96xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x96xf32>)
    memref.copy %x, %e : memref<64x96xbf16> to memref<64x96xbf16>
    return
  }

  func.func @narrow(%d: memref<64x96xf32>, %x: memref<64x102xbf16>, %e: memref<64x102xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x96xf32>)
    memref.copy %x, %e : memref<64x102xbf16> to memref<64x102xbf16>
    return
  }

  func.func @offset(%d: memref<64x96xf32>, %x: memref<64x96xbf16, strided<[96, 1], offset: 3>>, %e: memref<64x96xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x96xf32>)
    memref.copy %x, %e : memref<64x96xbf16, strided<[96, 1], offset: 3>> to memref<64x96xbf16>
    return
  }

  func.func @stride(%d: memref<64x96xf32>, %x: memref<64x96xbf16, strided<[97, 1]>>, %e: memref<64x96xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x96xf32>)
    memref.copy %x, %e : memref<64x96xbf16, strided<[97, 1]>> to memref<64x96xbf16>
    return
  }

  func.func @dynamic(%d: memref<64x96xf32>, %x: memref<64x?xbf16>, %e: memref<64x?xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x96xf32>)
    memref.copy %x, %e : memref<64x?xbf16> to memref<64x?xbf16>
    return
  }
}
