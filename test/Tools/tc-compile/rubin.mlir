// A chip that LLVM 22 does not know: it compiles for sm_100f, and the first two lines of the
// text are those of the chip.
// RUN: rm -rf %t && mkdir %t
// RUN: tc-compile %s --chip=sm_107f --config=sms=8 -o %t/f.ptx
// RUN: FileCheck %s --input-file=%t/f.ptx --check-prefixes=CHECK,F
// RUN: tc-compile %s --chip=sm_107a --config=sms=8 -o %t/a.ptx
// RUN: FileCheck %s --input-file=%t/a.ptx --check-prefixes=CHECK,A
// RUN: %python %S/../../Conversion/TCGen05ToNVVM/Inputs/assemble.py %t/f.ptx sm_107f
// RUN: %python %S/../../Conversion/TCGen05ToNVVM/Inputs/assemble.py %t/a.ptx sm_107a
// RUN: tc-run %t/f.ptx --check --races=strict --schedule=all | FileCheck %s --check-prefix=RUNS
// F: {{^}}.version 9.4
// F-NEXT: {{^}}.target sm_107f
// A: {{^}}.version 9.4
// A-NEXT: {{^}}.target sm_107a
// CHECK-NOT: sm_100
// Half as many instructions for a K-block of 128 bytes as on other chips: two.
// CHECK-COUNT-2: tcgen05.mma.cta_group::{{[12]}}.kind::f8f6f4
// CHECK-NOT: tcgen05.mma
// RUNS: {{^}}  assumed rubin-wide-k-halves:
// RUNS: maximum error

// RUN: tc-compile %s --chip=sm_100f -o - | FileCheck %s --check-prefix=NARROW
// NARROW: .target sm_100f
// NARROW-COUNT-4: tcgen05.mma.cta_group::{{[12]}}.kind::f8f6f4
// NARROW-NOT: tcgen05.mma

// The stages in between are compiled further.
// RUN: tc-compile %s --chip=sm_107f --config=sms=8 --emit=tiles | FileCheck %s --check-prefix=TILES
// RUN: tc-compile %s --chip=sm_107f --config=sms=8 --emit=tiles | tc-compile - --chip=sm_107f -o - | FileCheck %s --check-prefix=F
// TILES: tmm.mma {{.*}} by(#tcgen05.mma<k = 64>)

// What the chip changed.
// RUN: tc-compile %tc_source/examples/matmul_nvfp4.mlir --chip=sm_107f --config=sms=148 --explain -o %t/n.ptx 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: = {{.*}} of 334,848;
// EXPLAIN: Tensor Memory: accumulators 1 x 512, scale factors 1 x 64, 576 allocated exclusively of 576 columns
// EXPLAIN: instructions: 2 of K = 128 for a K-block, as the chip multiplies 64 bytes of a row; of K = 64 they were 4, each for the 2 accumulators of a tile, which share B

// The chip, named as people do.
// RUN: not tc-compile %s --chip=Rubin -o %t/x.ptx 2>&1 | FileCheck %s --check-prefix=LIKE
// LIKE: sm_107f

// An assembler that is too old says so; a later one may be named.
// RUN: not tc-compile %s --chip=sm_107f --config=sms=8 --ptxas=%S/Inputs/old-ptxas -o %t/x.cubin 2>&1 | FileCheck %s --check-prefix=OLD
// RUN: env TC_PTXAS=%S/Inputs/old-ptxas not tc-compile %s --chip=sm_107f --config=sms=8 -o %t/x.cubin 2>&1 | FileCheck %s --check-prefix=OLD
// OLD: old-ptxas' failed: the text is PTX 9.4, ptxas of CUDA 13.0 takes versions up to 9.0; name a later one with --ptxas or TC_PTXAS:
// OLD: fatal : Unsupported .version
// RUN: tc-compile --ptxas=%S/Inputs/old-ptxas --version | FileCheck %s --check-prefix=VERSION
// VERSION: ptxas: {{.*}}old-ptxas, CUDA 13.0, PTX up to 9.0
// RUN: tc-compile --ptxas=%t/none --version | FileCheck %s --check-prefix=NONE
// NONE: ptxas: none

func.func @matmul(%a: memref<256x256xf8E4M3FN>, %b: memref<128x256xf8E4M3FN>, %d: memref<256x128xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<256x256xf8E4M3FN>, memref<128x256xf8E4M3FN>) outs(%d : memref<256x128xf32>)
  return
}
