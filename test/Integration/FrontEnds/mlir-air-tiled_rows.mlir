func.func @herd(%arg0: memref<96x40xbf16>, %arg1: memref<40x56xbf16>, %arg2: memref<96x56xf32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c28 = arith.constant 28 : index
  %c56 = arith.constant 56 : index
  %c96 = arith.constant 96 : index
  scf.for %i = %c0 to %c96 step %c32 {
    scf.for %j = %c0 to %c56 step %c28 {
      %a = memref.subview %arg0[%i, 0] [32, 40] [1, 1] : memref<96x40xbf16> to memref<32x40xbf16, strided<[40, 1], offset: ?>>
      %b = memref.subview %arg1[0, %j] [40, 28] [1, 1] : memref<40x56xbf16> to memref<40x28xbf16, strided<[56, 1], offset: ?>>
      %c = memref.subview %arg2[%i, %j] [32, 28] [1, 1] : memref<96x56xf32> to memref<32x28xf32, strided<[56, 1], offset: ?>>
      linalg.matmul ins(%a, %b : memref<32x40xbf16, strided<[40, 1], offset: ?>>, memref<40x28xbf16, strided<[56, 1], offset: ?>>) outs(%c : memref<32x28xf32, strided<[56, 1], offset: ?>>)
    }
  }
  return
}
