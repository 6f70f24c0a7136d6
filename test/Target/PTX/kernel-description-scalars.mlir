// RUN: tc-compile %s -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json
// RUN: tc-run %t.ptx --scalar arg2=2,arg3=30 --schedule=eager --check | FileCheck %s --check-prefix=RUNS
// RUN: not tc-run %t.ptx --scalar arg2=-2,arg3=30 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not tc-run %t.ptx --scalar arg2=8,arg3=30 2>&1 | FileCheck %s --check-prefix=BEHIND
// RUN: not tc-run %t.ptx --scalar arg2=0.5,arg3=30 2>&1 | FileCheck %s --check-prefix=FRACTION
// RUN: not tc-run %t.ptx --scalar arg2=9007199254740994,arg3=30 2>&1 | FileCheck %s --check-prefix=EXACT
// RUN: not tc-run %t.ptx --scalar arg2=0,arg3=2147483648 2>&1 | FileCheck %s --check-prefix=RANGE

// Integer arguments are names in expressions, as sizes are, but may be negative.
// CHECK:      "sizes": []
// CHECK:      "scalars": [
// CHECK:        "name": "arg2",
// CHECK-NEXT:   "dtype": "i64"
// CHECK:        "name": "arg3",
// CHECK-NEXT:   "dtype": "i32"
// CHECK:      "check": "0 <= arg3",
// CHECK-NEXT: "message": "arg3 must be 0 or more, as it is a size"
// CHECK:      "check": "0 <= arg2",
// CHECK:      "check": "0 <= arg2 * 8",
// CHECK-NEXT: "message": "tensor.extract_slice: dimension 0 of the slice must start at 0 or later"
// CHECK:      "check": "arg2 * 8 + arg3 <= 90",

// RUNS: check temp0 = arg0 * arg1: M=30 N=40 K=96
// NEGATIVE: arg2 must be 0 or more, as it is a size
// BEHIND: dimension 0 of the slice must end in what it is a slice of
// FRACTION: scalar 'arg2': expected an integer of i64 that is at most 2^53, got 0.5
// RANGE: scalar 'arg3': expected an integer of i32 that is at most 2^53, got 2147483648
// EXACT: scalar 'arg2': expected an integer of i64 that is at most 2^53, got 9007199254740994
func.func @rows(%x: tensor<90x96xbf16>, %w: tensor<96x40xbf16>, %at: i64, %count: i32) -> tensor<?x40xf32> {
  %z = arith.constant 0.0 : f32
  %c8 = arith.constant 8 : index
  %i = arith.index_cast %at : i64 to index
  %start = arith.muli %i, %c8 : index
  %n = arith.index_cast %count : i32 to index
  %rows = tensor.extract_slice %x[%start, 0] [%n, 96] [1, 1] : tensor<90x96xbf16> to tensor<?x96xbf16>
  %e = tensor.empty(%n) : tensor<?x40xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<?x40xf32>) -> tensor<?x40xf32>
  %r = linalg.matmul ins(%rows, %w : tensor<?x96xbf16>, tensor<96x40xbf16>) outs(%f : tensor<?x40xf32>) -> tensor<?x40xf32>
  return %r : tensor<?x40xf32>
}
