// RUN: tc-compile %s --chip=sm_90a -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// RUN: tc-run %t.ptx --check | FileCheck %s
// RUN: sed 's/"andi"/"ori"/' %t.json > %t.or.json
// RUN: not tc-run %t.ptx --launch %t.or.json --check 2>&1 | FileCheck %s --check-prefix=WRONG

// A truth value is the last bit of its byte, whatever the others are: those that tc-run draws are any.
// JSON: "op": "andi"
// JSON-NEXT: "args": [
// JSON-NEXT: "x1",
// JSON-NEXT: 1
// JSON: "type": "i8"
// JSON: "op": "select"
// CHECK: check arg2 = rows(arg0, arg1): 64x100
// CHECK-NEXT: maximum error
// WRONG: mismatch
#all = affine_map<(r, c) -> (r, c)>
#row = affine_map<(r, c) -> (r)>
func.func @f(%x: memref<64x100xf32>, %m: memref<64x100xi1>, %o: memref<64xf32>) {
  tmm.rows ins(%x, %m : memref<64x100xf32>, memref<64x100xi1>) outs(%o : memref<64xf32>) maps [#all, #all, #row] {
  ^bb0(%e: f32, %is: i1):
    %zero = arith.constant 0.0 : f32
    %v = arith.select %is, %e, %zero : f32
    %s = tmm.row_reduce <add> %v : f32
    tmm.yield %s : f32
  }
  return
}
