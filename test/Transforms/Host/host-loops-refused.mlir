// Loops that launches are no list of: refused at the loop, with what would work.
// RUN: split-file %s %t
// RUN: not tc-compile %t/carried.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=CARRIED
// RUN: not tc-compile %t/offset.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=OFFSET
// RUN: not tc-compile %t/while.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=WHILE
// RUN: not tc-compile %t/forall.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=FORALL
// RUN: not tc-compile %t/affine.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=AFFINE
// RUN: not tc-compile %t/index.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=INDEX
// CARRIED: carried.mlir:5:8: error: 'scf.for' op cannot be described: expected scf.for, scf.forall or scf.parallel with constant bounds that becomes at most 1024 operations
// OFFSET: offset.mlir:5:3: error: 'scf.for' op cannot be described: expected scf.for, scf.forall or scf.parallel with constant bounds
// WHILE: while.mlir:4:10: error: 'scf.while' op cannot be described: expected scf.for, scf.forall or scf.parallel with constant bounds
// FORALL: forall.mlir:4:3: error: 'scf.forall' op cannot be described: expected scf.for, scf.forall or scf.parallel with constant bounds
// AFFINE: affine.mlir:2:3: error: 'affine.for' op cannot be described: expected scf.for, scf.forall or scf.parallel with constant bounds
// INDEX: index.mlir:1:{{[0-9]+}}: error: 'func.func' op argument 1: buffer 'arg1' cannot be described: no launch file has elements of type 'index', expected i1, i8, i16, i32, i64 or floats

//--- carried.mlir
func.func @f(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %d: tensor<64x64xf32>, %n: index) -> tensor<64x64xf32> {
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%d : tensor<64x64xf32>) -> tensor<64x64xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %0) -> tensor<64x64xf32> {
    %y = math.tanh %x : tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}

//--- offset.mlir
func.func @f(%a: memref<?x64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = memref.dim %a, %c0 : memref<?x64x64xbf16>
  scf.for %i = %c0 to %n step %c1 {
    %as = memref.subview %a[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<?x64x64xbf16> to memref<64x64xbf16, strided<[64, 1], offset: ?>>
    linalg.matmul ins(%as, %b : memref<64x64xbf16, strided<[64, 1], offset: ?>>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  }
  return
}

//--- while.mlir
func.func @f(%a: tensor<64x64xbf16>, %b: tensor<64x64xbf16>, %d: tensor<64x64xf32>, %n: index) -> tensor<64x64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r:2 = scf.while (%i = %c0, %x = %d) : (index, tensor<64x64xf32>) -> (index, tensor<64x64xf32>) {
    %c = arith.cmpi ult, %i, %n : index
    scf.condition(%c) %i, %x : index, tensor<64x64xf32>
  } do {
  ^bb0(%i: index, %x: tensor<64x64xf32>):
    %y = linalg.matmul ins(%a, %b : tensor<64x64xbf16>, tensor<64x64xbf16>) outs(%x : tensor<64x64xf32>) -> tensor<64x64xf32>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %y : index, tensor<64x64xf32>
  }
  return %r#1 : tensor<64x64xf32>
}

//--- forall.mlir
func.func @f(%a: memref<?x64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<?x64x64xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : memref<?x64x64xbf16>
  scf.forall (%i) in (%n) {
    %as = memref.subview %a[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<?x64x64xbf16> to memref<64x64xbf16, strided<[64, 1], offset: ?>>
    %ds = memref.subview %d[%i, 0, 0] [1, 64, 64] [1, 1, 1] : memref<?x64x64xf32> to memref<64x64xf32, strided<[64, 1], offset: ?>>
    linalg.matmul ins(%as, %b : memref<64x64xbf16, strided<[64, 1], offset: ?>>, memref<64x64xbf16>) outs(%ds : memref<64x64xf32, strided<[64, 1], offset: ?>>)
  }
  return
}

//--- affine.mlir
func.func @f(%a: memref<64x64xbf16>, %b: memref<64x64xbf16>, %d: memref<64x64xf32>) {
  affine.for %i = 0 to 2 {
    linalg.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x64xbf16>) outs(%d : memref<64x64xf32>)
  }
  return
}

//--- index.mlir
func.func @f(%t: tensor<99x64xbf16>, %i: tensor<32x1xindex>, %b: tensor<64x64xbf16>, %d: tensor<32x64xf32>) -> tensor<32x64xf32> {
  %g = tensor.gather %t[%i] gather_dims([0]) : (tensor<99x64xbf16>, tensor<32x1xindex>) -> tensor<32x64xbf16>
  %0 = linalg.matmul ins(%g, %b : tensor<32x64xbf16>, tensor<64x64xbf16>) outs(%d : tensor<32x64xf32>) -> tensor<32x64xf32>
  return %0 : tensor<32x64xf32>
}
