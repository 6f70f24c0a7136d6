// RUN: tc-compile %s --chip=sm_90a -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// RUN: tc-run %t.ptx --check | FileCheck %s
// What is wrong in the description, or in the kernel, is found.
// RUN: sed 's/"op": "exp"/"op": "exp2"/' %t.json > %t.exp2.json
// RUN: not tc-run %t.ptx --launch %t.exp2.json --check 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/"op": "reduce_add"/"op": "reduce_maximumf"/' %t.json > %t.sum.json
// RUN: not tc-run %t.ptx --launch %t.sum.json --check 2>&1 | FileCheck %s --check-prefix=WRONG
// What has no reference is no error, and said.
// RUN: sed 's/"op": "exp"/"op": "gamma"/' %t.json > %t.gamma.json
// RUN: tc-run %t.ptx --launch %t.gamma.json --check | FileCheck %s --check-prefix=UNKNOWN
// Damaged descriptions.
// RUN: sed 's/"reduce_add"/"reduce_xor"/' %t.json > %t.xor.json
// RUN: tc-run %t.ptx --launch %t.xor.json --check | FileCheck %s --check-prefix=XOR
// RUN: sed 's/"args": \[ *$/"args": [ "t99",/' %t.json > %t.args.json
// RUN: not tc-run %t.ptx --launch %t.args.json --check 2>&1 | FileCheck %s --check-prefix=ARGS

// JSON: "problems": []
// JSON-NEXT: "rows": [
// JSON: "formula": "arg1 = rows(arg0)"
// JSON: "sizes"
// JSON: "dims"
// JSON: "op": "reduce_maximumf"
// JSON: "op": "sub"
// JSON: "op": "exp"
// JSON: "op": "reduce_add"
// JSON: "op": "div"
// JSON: "results"
// JSON: "launch": 0

// CHECK: check arg1 = rows(arg0): 5x100
// CHECK-NEXT: maximum error {{[0-9.e-]+}} (bound there {{[0-9.e-]+}}), mean error {{[0-9.e-]+}}, maximum error/bound 0.{{[0-9]+$}}

// WRONG: tc-run: mismatch: output 0 at (0, 0) is {{.*}}; 500 of 500 elements are wrong

// UNKNOWN: check arg1 = rows(arg0): 5x100
// UNKNOWN-NEXT: not checked: unknown operation 'gamma'{{.*}} has no reference

// XOR: not checked: reduction 'xor' of floats has no reference

// ARGS: expected a number, "acc", an operand or a step before this one, got 't99'
#e = affine_map<(r, c) -> (r, c)>
func.func @softmax(%x: memref<5x100xf32>, %o: memref<5x100xf32>) {
  tmm.rows ins(%x : memref<5x100xf32>) outs(%o : memref<5x100xf32>) maps [#e, #e] {
  ^bb0(%in: f32):
    %max = tmm.row_reduce <maximumf> %in : f32
    %d = arith.subf %in, %max : f32
    %p = math.exp %d : f32
    %sum = tmm.row_reduce <add> %p : f32
    %q = arith.divf %p, %sum : f32
    tmm.yield %q : f32
  }
  return
}
