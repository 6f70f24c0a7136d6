// RUN: tc-opt %s --convert-linalg-to-gpu --canonicalize --cse | FileCheck %s

module attributes {gpu.container_module} {
  gpu.module @kernels [#nvvm.target<chip = "sm_100a">] {
    gpu.func @product(%d: memref<64x100xf32>) kernel {
      gpu.return
    }
  }

  // A thread for each element; what is static is in the kernel.
  // CHECK-LABEL: gpu.func @static_transpose(
  // CHECK-SAME:    %[[D:.*]]: memref<f32>, %[[E:.*]]: memref<f32>) kernel attributes {known_block_size = array<i32: 256, 1, 1>
  // CHECK-DAG:     %[[FROM:.*]] = memref.reinterpret_cast %[[D]] to offset: [0], sizes: [64, 100], strides: [100, 1]
  // CHECK-DAG:     %[[TO:.*]] = memref.reinterpret_cast %[[E]] to offset: [0], sizes: [100, 64], strides: [64, 1]
  // CHECK:         %[[START:.*]] = arith.muli %{{.*}}, %c256
  // CHECK:         %[[POINT:.*]] = arith.addi %[[START]], %{{.*}}
  // CHECK:         %[[INSIDE:.*]] = arith.cmpi ult, %[[POINT]], %c6400
  // CHECK:         scf.if %[[INSIDE]] {
  // CHECK:           %[[AT:.*]]:2 = affine.delinearize_index %[[POINT]] into (100, 64)
  // CHECK:           %[[X:.*]] = memref.load %[[FROM]][%[[AT]]#1, %[[AT]]#0]
  // CHECK:           memref.store %[[X]], %[[TO]][%[[AT]]#0, %[[AT]]#1]

  // The loop of the reduction stays; what is dynamic is passed.
  // CHECK-LABEL: gpu.func @reduce_reduce(
  // CHECK-SAME:    memref<f32>, %{{.*}}: index, %{{.*}}: index, %{{.*}}: memref<f32>, %{{.*}}: index, %{{.*}}: index, %[[POINTS:.*]]: index)
  // CHECK:         arith.cmpi ult, %{{.*}}, %[[POINTS]]
  // CHECK:         scf.if
  // CHECK:           scf.for %{{.*}} = %c0 to %c64 step %c1
  // CHECK:             arith.maximumf

  // CHECK-LABEL: gpu.func @scalar_fill(
  // CHECK-SAME:    %[[F:.*]]: memref<f32>, %[[X:.*]]: f32)
  // CHECK:         arith.cmpi ult, %{{.*}}, %c1
  // CHECK:         memref.store %[[X]], %[[F]][]

  // CHECK-LABEL: gpu.func @copy_copy(

  // Points that write the same element are run by one thread, in their order.
  // CHECK-LABEL: gpu.func @last_generic(
  // CHECK:         arith.cmpi ult, %{{.*}}, %c1
  // CHECK:         scf.for %{{.*}} = %c0 to %c64 step %c1
  // CHECK:           scf.for %{{.*}} = %c0 to %c100 step %c1

  // CHECK-LABEL: func.func @static(
  // CHECK:         %[[FROM:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %arg0
  // CHECK:         %[[TO:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %arg1
  // CHECK:         gpu.launch_func {{ *}}@kernels::@static_transpose blocks in (%c25, %c1, %c1) threads in (%c256, %c1, %c1) {{ *}}args(%[[FROM]] : memref<f32>, %[[TO]] : memref<f32>)
  func.func @static(%d: memref<64x100xf32>, %e: memref<100x64xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x100xf32>)
    linalg.transpose ins(%d : memref<64x100xf32>) outs(%e : memref<100x64xf32>) permutation = [1, 0]
    return
  }

  // Nothing is launched where there is no point.
  // CHECK-LABEL: func.func @reduce(
  // CHECK:         %[[N:.*]] = memref.dim %arg2, %c1
  // CHECK:         %[[SOME:.*]] = arith.cmpi ne, %[[N]], %c0
  // CHECK:         scf.if %[[SOME]] {
  // CHECK:           %[[BLOCKS:.*]] = arith.ceildivui %[[N]], %c256
  // CHECK:           gpu.launch_func {{ *}}@kernels::@reduce_reduce blocks in (%[[BLOCKS]], %c1, %c1) threads in (%c256, %c1, %c1)
  func.func @reduce(%d: memref<64x100xf32>, %m: memref<?xf32, strided<[2], offset: ?>>, %x: memref<64x?xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x100xf32>)
    linalg.reduce { arith.maximumf } ins(%x : memref<64x?xf32>) outs(%m : memref<?xf32, strided<[2], offset: ?>>) dimensions = [0]
    return
  }

  // CHECK-LABEL: func.func @scalar(
  // CHECK:         gpu.launch_func {{ *}}@kernels::@scalar_fill blocks in (%c1, %c1, %c1)
  func.func @scalar(%d: memref<64x100xf32>, %f: memref<f32>, %x: f32) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x100xf32>)
    linalg.fill ins(%x : f32) outs(%f : memref<f32>)
    return
  }

  // CHECK-LABEL: func.func @copy(
  // CHECK:         gpu.launch_func {{ *}}@kernels::@copy_copy blocks in (%c7, %c1, %c1)
  func.func @copy(%d: memref<64x100xf32>, %e: memref<64x100xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x100xf32>)
    memref.copy %d, %e : memref<64x100xf32> to memref<64x100xf32>
    return
  }

  func.func @last(%d: memref<64x100xf32>, %r: memref<64xf32>) {
    %c1 = arith.constant 1 : index
    gpu.launch_func @kernels::@product blocks in (%c1, %c1, %c1) threads in (%c1, %c1, %c1) args(%d : memref<64x100xf32>)
    linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i)>], iterator_types = ["parallel", "parallel"]}
        ins(%d : memref<64x100xf32>) outs(%r : memref<64xf32>) {
    ^bb0(%x: f32, %o: f32):
      linalg.yield %x : f32
    }
    return
  }

  // Launches nothing.
  // CHECK-LABEL: func.func @other(
  // CHECK:         linalg.fill
  func.func @other(%d: memref<64x100xf32>, %x: f32) {
    linalg.fill ins(%x : f32) outs(%d : memref<64x100xf32>)
    return
  }
}
