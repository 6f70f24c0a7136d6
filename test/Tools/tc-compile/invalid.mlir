// Each case: the message, the exit status (2: bad input, 1: cannot be
// compiled), and no output file.

// RUN: rm -rf %t && split-file %s %t
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/no-such-file.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/text.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=TEXT
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/verify.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=VERIFY
// RUN: %python %S/../../Inputs/expect-status.py 1 tc-compile %t/empty.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: %python %S/../../Inputs/expect-status.py 1 tc-compile %t/none.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: %python %S/../../Inputs/expect-status.py 1 tc-compile %t/unknown.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/form.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=FORM
// RUN: %python %S/../../Inputs/expect-status.py 1 tc-compile %t/modules.mlir -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=MODULES
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --chip=sm_42 -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --chip=sm_90 -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=LIKE -DNAME=sm_90 -DCHIP=sm_90a
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --chip=H100 -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=LIKE -DNAME=H100 -DCHIP=sm_90a
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --chip=hopper -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=LIKE -DNAME=hopper -DCHIP=sm_90a
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --chip="RTX 4090" -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=LIKE -DNAME="RTX 4090" -DCHIP=sm_89
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --f32=bf16x2 -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=PRODUCTS
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-tune %t/matmul.mlir --f32=bf16x2 --list 2>&1 | FileCheck %s --check-prefix=PRODUCTS
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --f32=bf16x3 --allow-tf32 -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: tc-compile %t/matmul.mlir --f32=tf32 --allow-tf32 -o - > /dev/null
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --explain=prose -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --emit=sass -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=LEVEL
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --emit=nvvm -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=CONFLICT
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir -o %t/out.sass 2>&1 | FileCheck %s --check-prefix=SUFFIX
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir -o %t/out.mlir 2>&1 | FileCheck %s --check-prefix=AMBIGUOUS
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir --unroll -o %t/out.ptx 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: %python %S/../../Inputs/expect-status.py 1 tc-compile %t/matmul.mlir --ptxas=%t/no-ptxas -o %t/out.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
// RUN: %python %S/../../Inputs/expect-status.py 1 tc-compile %t/matmul.mlir --ptxas=/bin/false -o %t/out.cubin 2>&1 | FileCheck %s --check-prefix=FALSE
// RUN: %python %S/../../Inputs/expect-status.py 1 tc-compile %t/matmul.mlir --ptxas=/bin/true -o %t/out.cubin 2>&1 | FileCheck %s --check-prefix=TRUE
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %t/matmul.mlir -o %t/no-such-folder/out.ptx 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: ls %t | FileCheck %s --check-prefix=FILES --implicit-check-not=out

// MISSING: error: cannot read '{{.*}}no-such-file.mlir': No such file or directory
// TEXT: text.mlir:1:1: error: {{.*}}
// VERIFY: verify.mlir:2:3: error: 'linalg.matmul' op
// NONE: none.mlir{{.*}}: error: nothing to compile: expected operations of linalg, tensors that are computed, tmm.matmul or a gpu.module, got 'func.func' of '{{tensor|memref}}<0x8xf32{{.*}}', which has no elements
// EMPTY: empty.mlir{{.*}}: error: nothing to compile: expected operations of linalg, tensors that are computed, tmm.matmul or a gpu.module, got 'func.func'
// UNKNOWN: unknown.mlir:2:8: error: 'stablehlo.exponential' op is of a dialect that is not known here: expected those of func, linalg, tensor, memref, arith, math and scf, to which 'stablehlo-opt --stablehlo-legalize-to-linalg' lowers stablehlo
// FORM: form.mlir:2:8: error: Dialect `stablehlo' not found for custom op 'stablehlo.add'
// FORM: note: 'stablehlo-opt --stablehlo-legalize-to-linalg' lowers stablehlo to dialects that are known here
// MODULES: modules.mlir:3:1: error: expected one gpu.module, got 2: each needs a file of its own
// MODULES: modules.mlir:1:1: note: the first one
// EXPLAIN: error: --explain: expected words or json, got 'prose'
// PRODUCTS: error: --f32: expected tf32, tf32x3, bf16x3, bf16x9, narrow, fma or refuse, got 'bf16x2'
// BOTH: error: --f32: expected tf32 beside allow-tf32, got 'bf16x3'
// LIKE: error: --chip: '[[NAME]]' is not known, did you mean '[[CHIP]]'{{$}}
// CHIP: error: --chip: 'sm_42' is not known, expected one of sm_100a
// LEVEL: error: --emit: expected tmm, tiles, roles, tcgen05, nvvm, llvm, ptx or cubin, got 'sass'
// CONFLICT: error: --emit=nvvm: expected an output with .mlir, got '{{.*}}out.ptx'
// SUFFIX: error: '{{.*}}out.sass': expected an output with .ptx, .cubin, .ll or .mlir, or --emit
// AMBIGUOUS: error: '{{.*}}out.mlir': --emit says which level a .mlir file has: tmm, tiles, roles, tcgen05 or nvvm
// OPTION: Unknown command line argument '--unroll'
// PTXAS: error: ptxas: expected a program, got '{{.*}}no-ptxas'
// FALSE: error: '/bin/false' failed
// TRUE: error: '/bin/true' wrote no cubin
// FOLDER: error: cannot write '{{[^']*}}out.ptx': {{[A-Z]}}
// FILES: matmul.mlir

//--- text.mlir
This is not MLIR.
//--- none.mlir
func.func @f(%a: tensor<0x8xf32>) -> tensor<0x8xf32> {
  %e = tensor.empty() : tensor<0x8xf32>
  %0 = linalg.exp ins(%a : tensor<0x8xf32>) outs(%e : tensor<0x8xf32>) -> tensor<0x8xf32>
  return %0 : tensor<0x8xf32>
}
//--- verify.mlir
func.func @f(%a: memref<4x8xbf16>, %b: memref<9x4xbf16>, %d: memref<4x4xf32>) {
  linalg.matmul ins(%a, %b : memref<4x8xbf16>, memref<9x4xbf16>) outs(%d : memref<4x4xf32>)
  return
}
//--- empty.mlir
func.func @f(%a: memref<4x8xbf16>) {
  return
}
//--- modules.mlir
gpu.module @first [#nvvm.target<chip = "sm_100a">] {
}
gpu.module @second [#nvvm.target<chip = "sm_100a">] {
}
//--- matmul.mlir
func.func @matmul(%a: memref<256x128xbf16>, %b: memref<128x256xbf16>, %d: memref<256x256xf32>) {
  linalg.matmul ins(%a, %b : memref<256x128xbf16>, memref<128x256xbf16>) outs(%d : memref<256x256xf32>)
  return
}
//--- form.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.add %a, %a : tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- unknown.mlir
func.func @f(%a: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.exponential"(%a) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
