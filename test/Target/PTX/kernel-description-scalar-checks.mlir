// What a kernel sees of a scalar is what the description computes, or the host says
// why not: unsigned numbers, truncation and arithmetic that wraps around.
// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: not tc-run %t.ptx --scalar arg2=536870912,arg3=1 2>&1 | FileCheck %s --check-prefix=WRAP
// RUN: not tc-run %t.ptx --scalar arg2=1,arg3=4294967297 2>&1 | FileCheck %s --check-prefix=TRUNC
// RUN: not tc-run %t.ptx --scalar arg2=1,arg3=-1 2>&1 | FileCheck %s --check-prefix=UNSIGNED
// RUN: tc-run %t.ptx --scalar arg2=1,arg3=3 --schedule=eager --check | FileCheck %s --check-prefix=RUNS

// CHECK-DAG: "message": "arg2 * 8 must be an i32, as the function computes it"
// CHECK-DAG: "message": "arg3 must be an i32, as the function computes it"
// CHECK-DAG: "message": "arg3 must be 0 or more, as it is a size"
// WRAP: arg2 * 8 must be an i32, as the function computes it
// TRUNC: arg3 must be an i32, as the function computes it
// UNSIGNED: arg3 must be 0 or more, as it is a size
// RUNS: M=16 N=40 K=96
func.func @rows(%x: tensor<90x96xbf16>, %w: tensor<96x40xbf16>, %at: i32, %least: i64) -> tensor<16x40xf32> {
  %z = arith.constant 0.0 : f32
  %c8 = arith.constant 8 : i32
  %start = arith.muli %at, %c8 : i32
  %short = arith.trunci %least : i64 to i32
  %is = arith.cmpi ult, %short, %start : i32
  %later = arith.select %is, %start, %short : i32
  %i = arith.index_cast %later : i32 to index
  %rows = tensor.extract_slice %x[%i, 0] [16, 96] [1, 1] : tensor<90x96xbf16> to tensor<16x96xbf16>
  %e = tensor.empty() : tensor<16x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<16x40xf32>) -> tensor<16x40xf32>
  %r = linalg.matmul ins(%rows, %w : tensor<16x96xbf16>, tensor<96x40xbf16>) outs(%f : tensor<16x40xf32>) -> tensor<16x40xf32>
  return %r : tensor<16x40xf32>
}
