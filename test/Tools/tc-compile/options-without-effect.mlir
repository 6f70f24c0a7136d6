// Options on kernels that are tiled already: what cannot have an effect, or
// contradicts the kernels, is said.

// RUN: tc-compile %s --emit=tiles -o %t.mlir
// RUN: tc-compile %t.mlir -o %t.ptx 2>&1 | count 0
// RUN: tc-compile %t.mlir --chip=sm_100a -o %t.ptx 2>&1 | count 0

// RUN: rm %t.ptx
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t.mlir --chip=sm_90a -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CHIP
// CHIP: error: expected --chip=sm_100a, the target of the kernels, got --chip=sm_90a
// CHIP-NEXT: gpu.module
// RUN: %python %S/../../Inputs/expect-status.py 1 tc-compile %t.mlir --config=stages=2 -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CONFIG
// CONFIG: <--config>:1:1: error: expected a tmm.matmul to configure, got kernels, which are tiled already
// CONFIG-NEXT: stages=2
// CONFIG: note: kernel here
// RUN: not ls %t.ptx

// RUN: tc-compile %t.mlir --explain -o %t.ptx 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: remark: expected a tmm.matmul to explain, got a kernel, which is tiled already
// RUN: tc-compile %t.mlir --ptxas=/bin/false -o %t.ptx 2>&1 | FileCheck %s --check-prefix=PTXAS
// PTXAS: warning: --ptxas: nothing is assembled without --emit=cubin

// The text of the option is shown where it is wrong.
// RUN: %python %S/../../Inputs/expect-status.py 1 tc-compile %s --config="stages=2 tiles=128x128x64" -o %t.none 2>&1 --emit=ptx | FileCheck %s --check-prefix=TEXT
// TEXT: <--config>:1:10: error: unknown configuration field 'tiles'
// TEXT-NEXT: stages=2 tiles=128x128x64
// TEXT-NEXT: {{^         \^}}

func.func @matmul(%a: memref<256x128xbf16>, %b: memref<128x256xbf16>, %d: memref<256x256xf32>) {
  linalg.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x256xbf16>) outs(%d : memref<256x256xf32>)
  return
}
