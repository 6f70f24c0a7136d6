// RUN: tc-compile %s --explain --emit=tmm -o /dev/null 2>&1 | FileCheck %s
// RUN: tc-compile %s --explain=words --emit=tmm -o /dev/null 2>&1 | FileCheck %s
// RUN: tc-compile %s --explain=json --emit=tmm 2>&1 >/dev/null | %python -c "import json, sys; print(json.load(sys.stdin)[0]['time']['bound'])" | FileCheck %s --check-prefix=JSON

// The example of docs/Configuration.md is what the tool prints.
// RUN: tc-compile %s --explain --emit=tmm -o /dev/null 2>%t.txt
// RUN: %python -c "import sys; page = open(sys.argv[2]).read(); lines = open(sys.argv[1]).read().splitlines()[1:12]; missing = [line for line in lines if line not in page]; sys.exit('not in the page: ' + missing[0] if missing else 0)" %t.txt %tc_source/docs/Configuration.md

// CHECK: explain.mlir:[[# @LINE + 4]]:3: remark: matmul M = 4096, N = 7168, K = 2048: tile=256x256x64 unit=tcgen05 cta-group=2
// CHECK: {{^}}  given: nothing
// JSON: matrix unit
func.func @m(%a: memref<4096x2048xbf16>, %b: memref<7168x2048xbf16>, %d: memref<4096x7168xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<4096x2048xbf16>, memref<7168x2048xbf16>) outs(%d : memref<4096x7168xbf16>)
  return
}
