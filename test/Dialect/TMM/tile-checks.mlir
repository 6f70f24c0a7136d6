// RUN: tc-opt %s -tmm-tile -canonicalize -cse | FileCheck %s

// What only a run knows of the sizes is checked by the host.

// CHECK-LABEL: func.func @dynamic(
// CHECK-SAME: %[[A:.*]]: memref<?x?xbf16>, %[[B:.*]]: memref<?x?xbf16>, %[[D:.*]]: memref<?x?xf32>, %[[X:.*]]: memref<?xf32>)
// CHECK-DAG: %[[M:.*]] = memref.dim %[[D]], %c0
// CHECK-DAG: %[[N:.*]] = memref.dim %[[D]], %c1
// CHECK-DAG: %[[K:.*]] = memref.dim %[[A]], %c1
// CHECK: scf.if
// CHECK: %[[AM:.*]] = memref.dim %[[A]], %c0
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[AM]], %[[M]]
// CHECK: cf.assert %[[SAME]], "operand A: dimension 0 must have as many elements as dimension 0 of operand D"
// CHECK: %[[SMALL:.*]] = arith.cmpi ule, %[[M]], %c2147479552
// CHECK: cf.assert %[[SMALL]], "M must be at most 2147479552, as coordinates have 32 bits"
// CHECK: cf.assert %{{.*}}, "operand B: dimension 1 must have as many elements as dimension 1 of operand D"
// CHECK: %[[XN:.*]] = memref.dim %[[X]], %c0
// CHECK: %[[SAMEX:.*]] = arith.cmpi eq, %[[XN]], %[[N]]
// CHECK: cf.assert %[[SAMEX]], "operand X0: dimension 0 must have as many elements as dimension 1 of operand D"
// CHECK: cf.assert %{{.*}}, "N must be at most 2147479552, as coordinates have 32 bits"
// CHECK: cf.assert %{{.*}}, "operand B: dimension 0 must have as many elements as dimension 1 of operand A"
// CHECK: cf.assert %{{.*}}, "K must be at most 2147479552, as coordinates have 32 bits"
// CHECK: cf.assert %{{.*}}, "D must have at most 2147483647 tiles, the work items of one launch"
// CHECK-NOT: cf.assert
// CHECK: gpu.launch_func
func.func @dynamic(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xf32>, %x: memref<?xf32>) {
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xf32>)
    epilogue(%acc, %y = %x along n : memref<?xf32>) {
    %0 = arith.addf %acc, %y : f32
    tmm.yield %0 : f32
  }
  return
}

// A size that one operand knows bounds it for all.

// CHECK-LABEL: func.func @mixed(
// CHECK-SAME: %[[A:.*]]: memref<?x64xbf16>, %[[B:.*]]: memref<?x136xbf16>, %[[D:.*]]: memref<200x136xf32>)
// CHECK: %[[AM:.*]] = memref.dim %[[A]], %c0
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[AM]], %c200
// CHECK: cf.assert %[[SAME]], "operand A: dimension 0 must have as many elements as dimension 0 of operand D"
// CHECK: %[[BK:.*]] = memref.dim %[[B]], %c0
// CHECK: %[[SAMEK:.*]] = arith.cmpi eq, %[[BK]], %c64
// CHECK: cf.assert %[[SAMEK]], "operand B: dimension 0 must have as many elements as dimension 1 of operand A"
// CHECK-NOT: cf.assert
// CHECK: gpu.launch_func
func.func @mixed(%a: memref<?x64xbf16>, %b: memref<?x136xbf16>, %d: memref<200x136xf32>) {
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<?x64xbf16>, memref<?x136xbf16>) outs(%d : memref<200x136xf32>)
  return
}

// The matrices of a batch, and rows of D that may be anywhere.

// CHECK-LABEL: func.func @rows(
// CHECK-SAME: %[[A:.*]]: memref<?x200x72xbf16>, %[[B:.*]]: memref<72x136xbf16>, %[[D:.*]]: memref<3x200x136xf32, strided<[?, 136, 1]>>)
// CHECK: %[[AB:.*]] = memref.dim %[[A]], %c0
// CHECK: arith.cmpi eq, %[[AB]], %c3
// CHECK: cf.assert %{{.*}}, "operand A: dimension 0 must have as many elements as dimension 0 of operand D"
// CHECK: %{{.*}}, %{{.*}}, %{{.*}}:3, %[[STRIDES:.*]]:3 = memref.extract_strided_metadata %[[D]]
// CHECK: %[[APART:.*]] = arith.cmpi sge, %[[STRIDES]]#0, %c136
// CHECK: cf.assert %[[APART]], "operand D: the stride of dimension 0 must be at least the number of columns, so that rows do not overlap"
// A matrix reaches over 199 * 136 + 136 elements.
// CHECK: %[[OUTSIDE:.*]] = arith.cmpi sge, %[[STRIDES]]#0, %c27200
// CHECK: %[[TWO:.*]] = arith.muli %[[STRIDES]]#0, %c2
// CHECK: %[[REACH:.*]] = arith.addi %[[TWO]], %c136
// CHECK: %[[INSIDE:.*]] = arith.cmpi sle, %[[REACH]], %c136
// CHECK: %[[NESTED:.*]] = arith.ori %[[OUTSIDE]], %[[INSIDE]]
// CHECK: cf.assert %[[NESTED]], "operand D: dimension 0 must step over all of dimension 1, or the other way round, so that matrices do not overlap"
// CHECK-NOT: cf.assert
// CHECK: gpu.launch_func
func.func @rows(%a: memref<?x200x72xbf16>, %b: memref<72x136xbf16>, %d: memref<3x200x136xf32, strided<[?, 136, 1]>>) {
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<?x200x72xbf16>, memref<72x136xbf16>) outs(%d : memref<3x200x136xf32, strided<[?, 136, 1]>>)
  return
}

// Rows of a known stride, of which there may be more columns.

// CHECK-LABEL: func.func @columns(
// CHECK: %[[N:.*]] = memref.dim %{{.*}}, %c1 : memref<200x?xf32, strided<[256, 1]>>
// CHECK: %[[FITS:.*]] = arith.cmpi sle, %[[N]], %c256
// CHECK: cf.assert %[[FITS]], "operand D: the stride of dimension 0 must be at least the number of columns, so that rows do not overlap"
func.func @columns(%a: memref<200x72xbf16>, %b: memref<72x?xbf16>, %d: memref<200x?xf32, strided<[256, 1]>>) {
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<200x72xbf16>, memref<72x?xbf16>) outs(%d : memref<200x?xf32, strided<[256, 1]>>)
  return
}

// Parts of one buffer without a common element.

// CHECK-LABEL: func.func @halves(
// CHECK: gpu.launch_func
func.func @halves(%buffer: memref<256x256xbf16>, %b: memref<128x128xbf16>) {
  %a = memref.subview %buffer[0, 0] [128, 128] [1, 1] : memref<256x256xbf16> to memref<128x128xbf16, strided<[256, 1]>>
  %d = memref.subview %buffer[0, 128] [128, 128] [1, 1] : memref<256x256xbf16> to memref<128x128xbf16, strided<[256, 1], offset: 128>>
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<128x128xbf16, strided<[256, 1]>>, memref<128x128xbf16>) outs(%d : memref<128x128xbf16, strided<[256, 1], offset: 128>>)
  return
}

// Rows in turns: the hulls overlap, no row does.

// CHECK-LABEL: func.func @turns(
// CHECK: gpu.launch_func
func.func @turns(%buffer: memref<256x128xbf16>, %b: memref<128x128xbf16>) {
  %a = memref.subview %buffer[0, 0] [128, 128] [2, 1] : memref<256x128xbf16> to memref<128x128xbf16, strided<[256, 1]>>
  %d = memref.subview %buffer[1, 0] [128, 128] [2, 1] : memref<256x128xbf16> to memref<128x128xbf16, strided<[256, 1], offset: 128>>
  tmm.matmul config <tile = <shape = 128x64x64>, ring = <swizzle = 128B>, epilogue = <subtile = 32>>
    ins(%a, %b : memref<128x128xbf16, strided<[256, 1]>>, memref<128x128xbf16>) outs(%d : memref<128x128xbf16, strided<[256, 1], offset: 128>>)
  return
}
