// JSON has no numbers for infinity and NaN: a description has words, which no value is called.
// RUN: tc-compile %s -o %t.ptx
// RUN: %python -c "import json,sys; print(json.load(open(sys.argv[1]), parse_constant=int))" %t.json | FileCheck %s
// RUN: tc-run %t.ptx --function f --scalar arg2=0.5 --scalar arg3=2 --check --schedule=eager | FileCheck %s --check-prefix=REFERENCE
// RUN: sed "s/%%half = arith.constant 5.0e-01/%%half = arith.constant 0xFF800000/" %S/kernel-description.mlir > %t.host.mlir
// RUN: tc-compile %t.host.mlir -o %t.host.ptx && FileCheck %s --check-prefix=PARAMETER --input-file=%t.host.json
// PARAMETER: "f32": "-inf"

// CHECK: 'scalars': [{'name': 'arg2', {{.*}}{'name': 'arg3',
// CHECK: 'args': ['t0', '-inf']
// CHECK: 'op': 'cmp_olt', 'args': ['t2', 'inf']
// CHECK: 'op': 'select', 'args': ['t3', 't2', 'nan']
// REFERENCE: check D = epilogue(A * B)

// amax of a constant is a step, too: it is raised to infinity.
// RUN: sed -n '/^func.func @raised/,$p' %s > %t.amax.mlir
// RUN: tc-compile %t.amax.mlir -o %t.amax.ptx
// RUN: %python -c "import json,sys; print(json.load(open(sys.argv[1]), parse_constant=int)['problems'][0]['epilogue'])" %t.amax.json | FileCheck %s --check-prefix=AMAX
// RUN: tc-run %t.amax.ptx --check --schedule=eager | FileCheck %s --check-prefix=RAISED
// AMAX: {'name': 't1', 'op': 'convert', 'args': ['inf'], 'type': 'f32'}], 'result': 't0', 'amax': 't1'}
// RAISED: check D, amax = epilogue(A * B)
func.func @f(%a: memref<64x16xf16>, %b: memref<16x32xf16>, %inf: f32 loc("inf"), %nan: f32 loc("nan"), %d: memref<64x32xf32>) {
  %low = arith.constant 0xFF800000 : f32
  tmm.matmul ins(%a, %b : memref<64x16xf16>, memref<16x32xf16>) outs(%d : memref<64x32xf32>)
      epilogue(%acc, %x = %inf : f32, %y = %nan : f32, %z = %low : f32) {
    %high = arith.constant 0x7F800000 : f32
    %none = arith.constant 0x7FC00000 : f32
    %0 = arith.mulf %acc, %x : f32
    %1 = arith.maximumf %0, %z : f32
    %2 = arith.mulf %1, %y : f32
    %3 = arith.cmpf olt, %2, %high : f32
    %4 = arith.select %3, %2, %none : f32
    tmm.yield %4 : f32
  }
  return
}
func.func @raised(%a: memref<64x16xf16>, %b: memref<16x32xf16>, %d: memref<64x32xf32>, %amax: memref<f32>) {
  tmm.matmul ins(%a, %b : memref<64x16xf16>, memref<16x32xf16>) outs(%d : memref<64x32xf32>) amax(%amax : memref<f32>)
      epilogue(%acc) {
    %inf = arith.constant 0x7F800000 : f32
    %0 = arith.negf %acc : f32
    tmm.yield %0, %inf : f32, f32
  }
  return
}
