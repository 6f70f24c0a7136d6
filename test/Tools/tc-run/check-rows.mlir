// RUN: tc-compile %s --chip=sm_90a -o %t.ptx
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// RUN: tc-run %t.ptx --check | FileCheck %s
// What is wrong in the description, or in the kernel, is found.
// RUN: sed 's/"op": "exp"/"op": "exp2"/' %t.json > %t.exp2.json
// RUN: not tc-run %t.ptx --launch %t.exp2.json --check 2>&1 | FileCheck %s --check-prefix=WRONG
// RUN: sed 's/"op": "reduce_add"/"op": "reduce_maximumf"/' %t.json > %t.sum.json
// RUN: not tc-run %t.ptx --launch %t.sum.json --check 2>&1 | FileCheck %s --check-prefix=WRONG
// What has no reference is said, and is an error where nothing else is compared.
// RUN: sed 's/"op": "exp"/"op": "gamma"/' %t.json > %t.gamma.json
// RUN: tc-run %t.ptx --launch %t.gamma.json --check | FileCheck %s --check-prefix=UNKNOWN
// RUN: sed 's/"op": "reduce_maximumf"/"op": "reduce_xor"/' %t.json > %t.xor.json
// RUN: tc-run %t.ptx --launch %t.xor.json --check | FileCheck %s --check-prefix=XOR
// RUN: %python %S/Inputs/damage-rows.py %t.json %t.unknown.json unknown
// RUN: not tc-run %t.ptx --launch %t.unknown.json --check 2>&1 | FileCheck %s --check-prefix=NOTHING
// Damaged descriptions.
// RUN: sed 's/"args": \[ *$/"args": [ "t99",/' %t.json > %t.args.json
// RUN: not tc-run %t.ptx --launch %t.args.json --check 2>&1 | FileCheck %s --check-prefix=ARGS
// RUN: %python %S/Inputs/damage-rows.py %t.json %t.dims.json dims
// RUN: not tc-run %t.ptx --launch %t.dims.json --check 2>&1 | FileCheck %s --check-prefix=DIMS
// RUN: %python %S/Inputs/damage-rows.py %t.json %t.between.json between
// RUN: not tc-run %t.ptx --launch %t.between.json --check 2>&1 | FileCheck %s --check-prefix=BETWEEN
// RUN: %python %S/Inputs/damage-rows.py %t.json %t.columns.json columns
// RUN: not tc-run %t.ptx --launch %t.columns.json --check 2>&1 | FileCheck %s --check-prefix=COLUMNS
// RUN: %python %S/Inputs/damage-rows.py %t.json %t.results.json results
// RUN: not tc-run %t.ptx --launch %t.results.json --check 2>&1 | FileCheck %s --check-prefix=RESULTS
// RUN: %python %S/Inputs/damage-rows.py %t.json %t.size.json size
// RUN: not tc-run %t.ptx --launch %t.size.json --check 2>&1 | FileCheck %s --check-prefix=SIZE

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
// UNKNOWN-NEXT: check arg2 = rows(arg1): 5x100
// UNKNOWN-NEXT: maximum error

// NOTHING: rows[0]: --check: expected operations with a reference, got unknown {{.*}}gamma

// XOR: not checked: reduction 'xor' of floats has no reference

// ARGS: expected a number, "acc", an operand or a step before this one, got 't99'
// DIMS: operand 0: expected "dims" of 2 entries, got 3
// BETWEEN: output 0: expected every dimension but the last, got none that is 1
// COLUMNS: expected an operand or an output along the last dimension, got none
// RESULTS: rows[0].results: expected 1 entries, one for each output, got 2
// SIZE: operand 0: expected 6 elements along dimension 0, got 5
#e = affine_map<(r, c) -> (r, c)>
#s = affine_map<(r, c) -> (r)>
func.func @softmax(%x: memref<5x100xf32>, %o: memref<5x100xf32>, %least: memref<5xf32>) {
  tmm.rows ins(%x : memref<5x100xf32>) outs(%o : memref<5x100xf32>) maps [#e, #e] {
  ^bb0(%in: f32):
    %max = tmm.row_reduce <maximumf> %in : f32
    %d = arith.subf %in, %max : f32
    %p = math.exp %d : f32
    %sum = tmm.row_reduce <add> %p : f32
    %q = arith.divf %p, %sum : f32
    tmm.yield %q : f32
  }
  tmm.rows ins(%o : memref<5x100xf32>) outs(%least : memref<5xf32>) maps [#e, #s] {
  ^bb0(%in: f32):
    %min = tmm.row_reduce <minnumf> %in : f32
    tmm.yield %min : f32
  }
  return
}
