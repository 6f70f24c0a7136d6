// Arguments that are no operand of a matmul are called as their locations say.
// RUN: tc-compile %s -o %t.ptx && %python -c "import json,sys; print(json.load(open(sys.argv[1])))" %t.json | FileCheck %s

// A name twice goes to the first argument; argN and what is no identifier to none.
// CHECK: 'arguments': ['A', 'B', 'bias', 'arg3', 'arg4', 'arg5', 'D']
// CHECK-SAME: 'scalars': [{'name': 'alpha'
func.func @names(
    %a: memref<64x64xf16> loc("left"), %b: memref<64x32xf16>,
    %x: memref<32xf32> loc("bias"), %y: memref<32xf32> loc("bias"),
    %z: memref<32xf32> loc("arg2"), %w: memref<32xf32> loc("layer/bias"),
    %alpha: f32 loc("alpha"), %d: memref<64x32xf32>) {
  tmm.matmul ins(%a, %b : memref<64x64xf16>, memref<64x32xf16>) outs(%d : memref<64x32xf32>)
      epilogue(%acc, %ex = %x along n : memref<32xf32>, %ey = %y along n : memref<32xf32>,
               %ez = %z along n : memref<32xf32>, %ew = %w along n : memref<32xf32>, %ea = %alpha : f32) {
    %0 = arith.mulf %acc, %ea : f32
    %1 = arith.addf %0, %ex : f32
    %2 = arith.addf %1, %ey : f32
    %3 = arith.addf %2, %ez : f32
    %4 = arith.addf %3, %ew : f32
    tmm.yield %4 : f32
  }
  return
}
