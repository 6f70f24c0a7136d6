// A table of measured configurations: what is taken from it, and what is not.

// RUN: rm -rf %t && mkdir -p %t
// RUN: tc-tune %s --chip=sm_90a --candidates=1 --list | sed -n 1p > %t/key
// RUN: sed 's/\(.*\)/# mine\n\1\tsm_90a\t0.1.0\tNVIDIA H200\t2026-11-23\t12.345\t9876\t0.0512\ttile=64x64x64 stages=3 epilogue=direct/' %t/key > %t/tuned.txt
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/tuned.txt --explain --emit=tmm -o %t/a.mlir 2>&1 | FileCheck %s --check-prefix=USED
// RUN: FileCheck %s --check-prefix=IR < %t/a.mlir
// RUN: env TC_TUNED=%t/tuned.txt tc-compile %s --chip=sm_90a --emit=tmm -o - | FileCheck %s --check-prefix=IR
// RUN: env TC_TUNED=%t/tuned.txt tc-compile %s --chip=sm_90a --tuned= --emit=tmm -o - | FileCheck %s --check-prefix=NOT
// RUN: tc-compile %s --chip=sm_100a --tuned=%t/tuned.txt --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/tuned.txt --explain=json --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=JSON
// USED: remark: matmul M = 256, N = 192, K = 128: tile=64x64x64 {{.*}}stages=3
// USED: epilogue=direct
// USED: given: tile, stages, epilogue by the measured configuration{{$}}
// USED-NEXT: tuned: 12.35 us on NVIDIA H200, 2026-11-23, 9,876 cycles predicted; the model's choice took 5.1% more
// IR: shape = 64x64x64
// IR-NEXT: ring = <stages = 3
// NOT-NOT: shape = 64x64x64
// NOT: tmm.matmul
// CHIP: tuned: 12.35 us on NVIDIA H200, 2026-11-23, not used: measured for sm_90a, this is sm_100a
// RUN: tc-compile %s --chip=sm_90a --explain=json --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=NULL
// NULL: "tuned": null
// RUN: sed 's/\t0.0512\t/\t-\t/' %t/tuned.txt > %t/unmeasured.txt
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/unmeasured.txt --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=UNMEASURED
// UNMEASURED: 9,876 cycles predicted; the model's choice was not measured
// JSON: "table": [
// JSON: "tuned": "12.35 us on NVIDIA H200

// Given fields come first: alone where the line agrees, else without it.
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/tuned.txt --config="stages=3" --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=USED2
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/tuned.txt --config="stages=2" --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/tuned.txt --config="raster=4" --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=UNSET
// USED2: tile=64x64x64 {{.*}}stages=3
// GIVEN: matmul M = 256, N = 192, K = 128: {{.*}}stages=2
// GIVEN: tuned: 12.35 us on NVIDIA H200, 2026-11-23, not used: stages=2 is given, and it has 3
// UNSET: not used: raster=4 is given, and it has no raster

// Another version, whose configuration may be any, and one that is not legal or does not fit.
// RUN: sed 's/\t0.1.0\t/\t0.0.9\t/; s/stages=3/steps=3/' %t/tuned.txt > %t/version.txt
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/version.txt --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=VERSION
// RUN: sed 's/tile=64x64x64/tile=65x64x64/' %t/tuned.txt > %t/illegal.txt
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/illegal.txt --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=ILLEGAL
// RUN: sed 's/tile=64x64x64 stages=3/tile=128x256x64 stages=16/' %t/tuned.txt > %t/large.txt
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/large.txt --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=LARGE
// VERSION: not used: measured with version 0.0.9, this is 0.1.0
// ILLEGAL: not used: tile M of 65: expected 64, 128, 192 or 256
// LARGE: not used: expected at most 232448 bytes of shared memory

// Of several lines the last of this chip and version.
// RUN: sed 's/\tsm_90a\t/\tsm_100a\t/' %t/tuned.txt > %t/chip.txt
// RUN: sed 's/tile=64x64x64/tile=64x32x64/' %t/tuned.txt > %t/older.txt
// RUN: cat %t/older.txt %t/tuned.txt %t/version.txt %t/chip.txt > %t/all.txt
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/all.txt --emit=tmm -o - | FileCheck %s --check-prefix=IR

// Nothing of this product: no remark.
// RUN: sed 's/^256x192x128/256x192x256/' %t/tuned.txt > %t/other.txt
// RUN: tc-compile %s --chip=sm_90a --tuned=%t/other.txt --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING-NOT: tuned:
// NOTHING: tmm.matmul

// The command line is wrong, and not the module.
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %s --chip=sm_90a --tuned=%t/none.txt --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=FILE
// A device may never end.
// RUN: %python %S/../../Inputs/expect-status.py 2 tc-compile %s --chip=sm_90a --tuned=/dev/zero --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: error: --tuned: cannot read '/dev/zero': expected a regular file
// RUN: echo "key sm_90a" > %t/bad.txt
// RUN: not tc-compile %s --chip=sm_90a --tuned=%t/bad.txt --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: not tc-compile %s --chip=sm_90a --tuned=%t/bad.txt --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=BAD
// RUN: sed 's/\t12.345\t/\tfast\t/' %t/tuned.txt > %t/figure.txt
// RUN: not tc-compile %s --chip=sm_90a --tuned=%t/figure.txt --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=FIGURE
// RUN: sed 's/stages=3/steps=3/' %t/tuned.txt > %t/unknown.txt
// RUN: not tc-compile %s --chip=sm_90a --tuned=%t/unknown.txt --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: env TC_TUNED=%t/none.txt %python %S/../../Inputs/expect-status.py 2 tc-compile %s --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=VARIABLE
// VARIABLE: error: TC_TUNED: cannot read '{{.*}}none.txt': No such file or directory
// RUN: not tc-opt %s --tmm-choose-config="chip=sm_90a tuned=%t/none.txt" 2>&1 | FileCheck %s --check-prefix=PASS
// PASS: error: tuned option: cannot read '{{.*}}none.txt': No such file or directory
// FILE: error: --tuned: cannot read '{{.*}}none.txt': No such file or directory
// BAD: error: --tuned: '{{.*}}bad.txt', line 1: expected 9 fields with tabs between them, got 1
// FIGURE: error: --tuned: '{{.*}}figure.txt', line 2: expected microseconds in field 6, got 'fast'
// UNKNOWN: error: --tuned: '{{.*}}unknown.txt', line 2: unknown configuration field 'steps'

// What tc-tune calls the problem does not depend on its configuration or on names.
// RUN: sed -e "s/transpose_b/transpose_b config <ring = <stages = 2>>/" -e "s/%[a]/%%x/g" %s > %t/named.mlir
// RUN: tc-tune %t/named.mlir --chip=sm_90a --candidates=1 --list | sed -n 1p | cmp - %t/key
// RUN: tc-compile %t/named.mlir --chip=sm_90a --tuned=%t/tuned.txt --explain --emit=tmm -o - 2>&1 | FileCheck %s --check-prefix=GIVEN
// RUN: sed -e "s/192x128xbf16>)/192x128xbf16, strided<[136, 1]>>)/" -e "s/192x128xbf16>, %d/192x128xbf16, strided<[136, 1]>>, %d/" %s > %t/strided.mlir
// RUN: tc-tune %t/strided.mlir --chip=sm_90a --candidates=1 --list | sed -n 1p | not cmp - %t/key

func.func @matmul(%a: memref<256x128xbf16>, %b: memref<192x128xbf16>, %d: memref<256x192xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<256x128xbf16>, memref<192x128xbf16>) outs(%d : memref<256x192xbf16>)
  return
}
