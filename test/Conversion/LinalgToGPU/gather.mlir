// RUN: tc-opt %s --mlir-print-local-scope --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a">] {
    gpu.func @product(%d: memref<64x96xf32>) kernel {
      gpu.return
    }
  }

  // Rows whose numbers are read are read by vectors, as the operands are. What is the same for all points of a thread is
  // computed and checked once.
  // CHECK-LABEL: gpu.func @embedding_generic(
  // CHECK:         %[[AT:.*]]:2 = affine.delinearize_index %{{.*}} into (64, 12)
  // CHECK:         %[[COLUMN:.*]] = arith.muli %[[AT]]#1, %c8
  // CHECK:         %[[NUMBER:.*]] = memref.load %{{.*}}[%[[AT]]#0] : memref<64xi64>
  // CHECK:         %[[ROW:.*]] = arith.index_cast %[[NUMBER]]
  // CHECK:         cf.assert %{{.*}}, "index out of bounds"
  // CHECK-NOT:     cf.assert
  // CHECK:         %[[ALL:.*]] = vector.load %{{.*}}[%[[ROW]], %[[COLUMN]]] {alignment = 16 : i64} : memref<1000x96xbf16>, vector<8xbf16>
  // CHECK-NOT:     vector.load
  // CHECK:         vector.store %{{.*}}[%[[AT]]#0, %[[COLUMN]]] {alignment = 16 : i64}

  // Numbers of columns: neighbours are anywhere.
  // CHECK-LABEL: gpu.func @columns_generic(
  // CHECK-NOT:     vector.
  // CHECK:         memref.load %{{.*}} : memref<64x1000xbf16>
  // CHECK:         memref.store

  // Rows of the table start at multiples of 4 bytes.
  // CHECK-LABEL: gpu.func @narrow_generic(
  // CHECK:         vector.load {{.*}} {alignment = 4 : i64} : memref<1000x98xbf16>, vector<2xbf16>
  // CHECK:         vector.store {{.*}} {alignment = 4 : i64} : memref<64x96xbf16>, vector<2xbf16>

  func.func @embedding(%d: memref<64x96xf32>, %at: memref<64xi64>, %table: memref<1000x96xbf16>, %e: memref<64x96xbf16>) {
    %c1 = arith.constant 1 : index
    %rows = arith.constant 1000 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x96xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
        ins(%at : memref<64xi64>) outs(%e : memref<64x96xbf16>) {
    ^bb0(%number: i64, %old: bf16):
      %row = arith.index_cast %number : i64 to index
      %inside = arith.cmpi ult, %row, %rows : index
      cf.assert %inside, "index out of bounds"
      %column = linalg.index 1 : index
      %0 = memref.load %table[%row, %column] : memref<1000x96xbf16>
      linalg.yield %0 : bf16
    }
    return
  }

  func.func @columns(%d: memref<64x96xf32>, %at: memref<96xi64>, %table: memref<64x1000xbf16>, %e: memref<64x96xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x96xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n) -> (n)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
        ins(%at : memref<96xi64>) outs(%e : memref<64x96xbf16>) {
    ^bb0(%number: i64, %old: bf16):
      %column = arith.index_cast %number : i64 to index
      %row = linalg.index 0 : index
      %0 = memref.load %table[%row, %column] : memref<64x1000xbf16>
      linalg.yield %0 : bf16
    }
    return
  }

  func.func @narrow(%d: memref<64x96xf32>, %at: memref<64xi64>, %table: memref<1000x98xbf16>, %e: memref<64x96xbf16>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x96xf32>)
    linalg.generic {indexing_maps = [affine_map<(m, n) -> (m)>, affine_map<(m, n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
        ins(%at : memref<64xi64>) outs(%e : memref<64x96xbf16>) {
    ^bb0(%number: i64, %old: bf16):
      %row = arith.index_cast %number : i64 to index
      %column = linalg.index 1 : index
      %0 = memref.load %table[%row, %column] : memref<1000x98xbf16>
      linalg.yield %0 : bf16
    }
    return
  }
}
