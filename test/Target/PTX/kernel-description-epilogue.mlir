// RUN: split-file %s %t
// RUN: tc-compile %t/epilogue.mlir -o %t/epilogue.ptx
// RUN: FileCheck %s --input-file=%t/epilogue.json
// RUN: tc-run %t/epilogue.ptx --size batch=2,M=70 --scalar arg3=0.5 --check --schedule=eager | FileCheck %s --check-prefix=REFERENCE
// RUN: not tc-run %t/epilogue.ptx --size batch=2,M=70 --check 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tc-run %t/epilogue.ptx --size batch=2,M=70 --scalar arg3=half 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: tc-run %t/epilogue.ptx --size batch=0,M=70 --scalar arg3=0.5 | FileCheck %s --check-prefix=EMPTY
// RUN: not tc-compile %t/computed.mlir -o %t/computed.ptx 2>&1 | FileCheck %s --check-prefix=COMPUTED

// What an epilogue computes, step by step: tc-run evaluates it. A float argument
// of the function is a scalar, which the caller gives like a size.

// CHECK: "sizes": [
// CHECK-NEXT: "M",
// CHECK-NEXT: "batch"
// CHECK-NEXT: ],
// CHECK: "scalars": [
// CHECK-NEXT: {
// CHECK-NEXT: "name": "arg3",
// CHECK-NEXT: "dtype": "f32"
// CHECK: "when": "M ceildiv {{[0-9]+}}{{.*}} * batch != 0",
// CHECK: "f32": "arg3"
// CHECK: "formula": "D = epilogue(A * B)",
// CHECK-NEXT: "batch": [
// CHECK-NEXT: "batch"
// CHECK-NEXT: ],
// CHECK-NEXT: "m": "M",
// CHECK-NEXT: "n": 72,
// CHECK-NEXT: "k": 64,
// CHECK: "launch": 0,
// CHECK-NEXT: "epilogue": {
// CHECK-NEXT: "operands": [
// CHECK-NEXT: {
// CHECK-NEXT: "name": "x0",
// CHECK-NEXT: "buffer": "arg2",
// CHECK-NEXT: "along": "n"
// CHECK: "name": "x1",
// CHECK-NEXT: "scalar": "arg3"
// CHECK: "steps": [
// CHECK-NEXT: {
// CHECK-NEXT: "name": "t0",
// CHECK-NEXT: "op": "convert",
// CHECK-NEXT: "args": [
// CHECK-NEXT: "x0"
// CHECK-NEXT: ],
// CHECK-NEXT: "type": "f32"
// CHECK: "op": "mul",
// CHECK-NEXT: "args": [
// CHECK-NEXT: "acc",
// CHECK-NEXT: "x1"
// CHECK: "op": "add",
// CHECK: "op": "tanh",
// CHECK: "op": "convert",
// CHECK-NEXT: "args": [
// CHECK-NEXT: "t3"
// CHECK-NEXT: ],
// CHECK-NEXT: "type": "bf16"
// CHECK: "result": "t4"

// REFERENCE: check D = epilogue(A * B): batch=2 M=70 N=72 K=64, bf16 x bf16 -> bf16
// NONE: tc-run: error: scalar 'arg3' has no value, expected one for each of: arg3
// TEXT: tc-run: error: --scalar: 'arg3': expected a number, got 'half'
// EMPTY: 0 of 1 launches
// COMPUTED: error: 'tmm.matmul' op kernel operand {{[0-9]+}} cannot be described: expected a tensor map, a memref, an i32, i64 or index, or an f32 that is a constant or an argument, got 'f32'

//--- epilogue.mlir
#id = affine_map<(b, i, j) -> (b, i, j)>
#row = affine_map<(b, i, j) -> (j)>
func.func @f(%a: tensor<?x?x64xbf16>, %b: tensor<64x72xbf16>, %bias: tensor<72xbf16>, %scale: f32) -> tensor<?x?x72xbf16> {
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = tensor.dim %a, %c0 : tensor<?x?x64xbf16>
  %m = tensor.dim %a, %c1 : tensor<?x?x64xbf16>
  %e = tensor.empty(%n, %m) : tensor<?x?x72xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?x?x72xf32>) -> tensor<?x?x72xf32>
  %p = linalg.contract indexing_maps = [affine_map<(b, i, j, k) -> (b, i, k)>, affine_map<(b, i, j, k) -> (k, j)>, affine_map<(b, i, j, k) -> (b, i, j)>]
    ins(%a, %b : tensor<?x?x64xbf16>, tensor<64x72xbf16>) outs(%f : tensor<?x?x72xf32>) -> tensor<?x?x72xf32>
  %o = tensor.empty(%n, %m) : tensor<?x?x72xbf16>
  %r = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel", "parallel"]} ins(%p, %bias : tensor<?x?x72xf32>, tensor<72xbf16>) outs(%o : tensor<?x?x72xbf16>) {
  ^bb0(%x: f32, %y: bf16, %out: bf16):
    %0 = arith.mulf %x, %scale : f32
    %1 = arith.extf %y : bf16 to f32
    %2 = arith.addf %0, %1 : f32
    %3 = math.tanh %2 : f32
    %4 = arith.truncf %3 : f32 to bf16
    linalg.yield %4 : bf16
  } -> tensor<?x?x72xbf16>
  return %r : tensor<?x?x72xbf16>
}

//--- computed.mlir
func.func @f(%a: memref<64x64xbf16>, %b: memref<64x72xbf16>, %d: memref<64x72xf32>, %s: f32) {
  %t = arith.addf %s, %s : f32
  tmm.matmul ins(%a, %b : memref<64x64xbf16>, memref<64x72xbf16>) outs(%d : memref<64x72xf32>)
    epilogue(%acc, %x = %t : f32) {
    %0 = arith.mulf %acc, %x : f32
    tmm.yield %0 : f32
  }
  return
}
