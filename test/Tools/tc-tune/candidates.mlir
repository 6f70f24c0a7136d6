// Candidates, their index, and what tc-run makes of them without a GPU.

// RUN: rm -rf %t && mkdir -p %t
// RUN: tc-tune %s --chip=sm_90a --candidates=3 --emit=ptx -o %t/a | FileCheck %s --check-prefix=OUT
// RUN: FileCheck %s --check-prefix=INDEX < %t/a/index.json
// RUN: tc-run --tune %t/a --device=emulator --check --json %t/a.json | FileCheck %s --check-prefix=RAN
// RUN: FileCheck %s --check-prefix=JSON < %t/a.json
// RUN: not tc-run --tune %t/a 2>&1 | FileCheck %s --check-prefix=NOGPU
// OUT: [[KEY:256x192x128-bf16-bf16-bf16-nt-[0-9a-f]+]]: 3 of 3 candidates compiled
// INDEX: "chip": "sm_90a"
// INDEX: "config": "tile={{[0-9x]+}} unit=wgmma
// INDEX-NOT: "cubin_bytes"
// INDEX: "file": "256x192x128-bf16-bf16-bf16-nt-[[HASH:[0-9a-f]+]]/0"
// INDEX: "terms": {
// INDEX: "matrix_unit":
// INDEX: "file": "256x192x128-bf16-bf16-bf16-nt-[[HASH]]/2"
// INDEX: "key": "256x192x128-bf16-bf16-bf16-nt-[[HASH]]"
// RAN: 256x192x128-bf16-bf16-bf16-nt-{{[0-9a-f]+}}
// RAN-NEXT: 3 of 3 candidates ran and agree, and are right
// JSON: "key": "256x192x128-bf16-bf16-bf16-nt-
// NOGPU: tc-run: error: --tune: expected a GPU to measure on: device cuda: no CUDA driver

// Configurations of one's own, after the choice.
// RUN: printf '# two\ntile=64x32x64 stages=2\n\n tile=128x64x64 cluster=2x1\n' > %t/configs
// RUN: tc-tune %s --chip=sm_90a --configs=%t/configs --list | FileCheck %s --check-prefix=LIST
// LIST: 256x192x128-bf16-bf16-bf16-nt-
// LIST-NEXT: {{^ +0 .* cycles  tile=}}
// LIST-NEXT: {{^ +1 .* cycles  tile=64x32x64 .*stages=2}}
// LIST-NEXT: {{^ +2 .* cycles  tile=128x64x64 .*cluster=2x1}}
// LIST-NOT: cycles
// RUN: echo tile=65x32x64 > %t/configs.bad
// RUN: not tc-tune %s --chip=sm_90a --configs=%t/configs.bad --list 2>&1 | FileCheck %s --check-prefix=CONFIG
// CONFIG: error: 'tmm.matmul' op configuration tile=65x32x64: tile M of 65: expected 64, 128, 192 or 256
// RUN: echo '#' > %t/configs.none
// RUN: not tc-tune %s --chip=sm_90a --configs=%t/configs.none --list 2>&1 | FileCheck %s --check-prefix=COMMENT
// COMMENT: tc-tune: error: --configs: expected a configuration in '{{.*}}configs.none', got none
// RUN: not tc-tune %s --chip=sm_90a --configs=%t/nowhere --list 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: tc-tune: error: --configs: cannot read '{{.*}}nowhere': No such file or directory
// RUN: not tc-tune %s --chip=sm_90a --configs=%t/configs --sample=even --list 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: tc-tune: error: --configs: expected no --candidates, --sample and --within with it

// A result that is not that of the first candidate: its PTX adds nothing up.
// RUN: sed -i 's/wgmma.mma_async.sync.aligned\(.*\), 1, 1, /wgmma.mma_async.sync.aligned\1, 1, -1, /' %t/a/*/2.ptx
// RUN: not tc-run --tune %t/a --device=emulator 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: tc-run: candidate 2 of 256x192x128-bf16-bf16-bf16-nt-{{[0-9a-f]+}}: its result is not that of candidate 0: an element of '{{.*}}' is {{.*}}, expected
// WRONG: 2 of 3 candidates ran and agree{{$}}

// The GPU is the emulator's driver here: what is printed and written, not how long it takes.
// RUN: tc-tune %s --chip=sm_90a --candidates=2 --emit=ptx -o %t/b
// RUN: %if tc-emulate %{ tc-emulate tc-run --tune %t/b --samples=2 --check --table %t/table.txt | FileCheck %s --check-prefix=TIMES %}
// RUN: %if tc-emulate %{ FileCheck %s --check-prefix=TABLE < %t/table.txt %}
// TIMES: predicted cycles measured us of fastest configuration
// TIMES: {{[0-9.]+ +[0-9.]+ +1.000 +tile=}}
// TIMES: {{[0-9.]+ +[0-9.]+ +[0-9.]+ +tile=}}
// TIMES: 2 measured, rank correlation {{-?[0-9.]+}}, the model's choice takes {{[0-9.]+}} % more than the fastest
// TABLE: # problem chip version device date us cycles regret config
// TABLE-NEXT: 256x192x128-bf16-bf16-bf16-nt-{{[0-9a-f]+}} sm_90a {{.*}} tile=

// A kernel that traps takes its process with it, and no other candidate.
// RUN: tc-tune %s --chip=sm_90a --candidates=3 --emit=ptx -o %t/d
// RUN: sed -i '0,/^{/s//{\n\ttrap;/' %t/d/*/1.ptx
// RUN: %if tc-emulate %{ not tc-emulate tc-run --tune %t/d --samples=1 2>&1 | FileCheck %s --check-prefix=TRAP %}
// TRAP: tc-run: candidate 1 of 256x192x128-{{.*}}: cuLaunchKernelEx: CUDA_ERROR_LAUNCH_FAILED
// TRAP: 1 failed: cuLaunchKernelEx: CUDA_ERROR_LAUNCH_FAILED
// TRAP: 2 measured

// Drawn at random, the same for a seed; none slower than asked for; given fields in all.
// RUN: tc-tune %s --chip=sm_90a --list --config="raster=8 epilogue=tma-store store-stages=2" --sample=even --seed=3 --within=2 --candidates=9 > %t/first
// RUN: tc-tune %s --chip=sm_90a --list --config="raster=8 epilogue=tma-store store-stages=2" --sample=even --seed=3 --within=2 --candidates=9 > %t/second
// RUN: tc-tune %s --chip=sm_90a --list --config="raster=8 epilogue=tma-store store-stages=2" --sample=even --seed=4 --within=2 --candidates=9 > %t/third
// RUN: cmp %t/first %t/second
// RUN: not cmp %t/first %t/third
// RUN: tc-tune %s --chip=sm_90a --list --config="raster=8 epilogue=tma-store store-stages=2" --sample=uniform --seed=3 --within=2 --candidates=9 > %t/uniform
// RUN: not cmp %t/first %t/uniform
// RUN: not tc-tune %s --chip=sm_90a --list --sample=best 2>&1 | FileCheck %s --check-prefix=DRAW
// DRAW: Cannot find option named 'best'
// RUN: tc-tune %s --chip=sm_90a --list --config="tile=128x64x64 raster=8 cluster=1x1" | FileCheck %s --check-prefix=GIVEN
// GIVEN: nt-
// GIVEN-COUNT-15: tile=128x64x64 {{.*}}cluster=1x1 {{.*}}raster=8
// GIVEN-NOT: raster=4

// RUN: not tc-tune %s --chip=sm_90a 2>&1 | FileCheck %s --check-prefix=FOLDER
// RUN: not tc-tune %s --chip=sm_90a --list --candidates=0 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not tc-tune %s --chip=sm_90a --list --within=0.5 2>&1 | FileCheck %s --check-prefix=WITHIN
// RUN: not tc-tune %s --chip=sm_90a --list --seed=2 2>&1 | FileCheck %s --check-prefix=SEED
// RUN: not tc-tune %s --chip=sm_90a --list --emit=llvm 2>&1 | FileCheck %s --check-prefix=EMIT
// RUN: not tc-tune %s --chip=sm_3 --list 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tc-tune %s %s --chip=sm_90a --list --candidates=1 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not tc-tune %t/none.mlir --chip=sm_90a --list 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: not tc-tune %s --chip=sm_90a --candidates=1 --emit=ptx -o %t/first 2>&1 | FileCheck %s --check-prefix=WRITE
// RUN: not tc-tune %S/Inputs/two.mlir --chip=sm_90a --list --candidates=1 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not tc-tune %s --chip=sm_90a --list --config="stages=400" 2>&1 | FileCheck %s --check-prefix=ROOM
// RUN: not tc-tune %s --chip=sm_90a -o %t/c --candidates=1 --ptxas=%t/none 2>&1 | FileCheck %s --check-prefix=FAILED
// FOLDER: error: -o: expected a folder
// NONE: error: --candidates: expected a positive number, got 0
// WITHIN: error: --within: expected a factor of at least 1, got 0.5
// SEED: error: --seed: expected --sample with it
// EMIT: error: --emit: expected ptx or cubin, got 'llvm'
// CHIP: error: --chip: 'sm_3' is not known
// TWICE: error: '{{.*}}candidates.mlir': its product, 256x192x128-{{.*}}, is that of another input
// FILE: error: cannot read '{{.*}}none.mlir': No such file or directory
// WRITE: error: cannot write '{{.*}}0.ptx': Not a directory
// TWO: two.mlir:3:3: error: expected one matmul to tune, got 2
// ROOM: error: 'tmm.matmul' op configuration: expected at most 232448 bytes of shared memory
// FAILED-DAG: 256x192x128-{{.*}}: 0 of 1 candidates compiled
// FAILED-DAG: error: 256x192x128-{{.*}}: no candidate compiled: ptxas: expected a program, got '{{.*}}none'

func.func @matmul(%a: memref<256x128xbf16>, %b: memref<192x128xbf16>, %d: memref<256x192xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<256x128xbf16>, memref<192x128xbf16>) outs(%d : memref<256x192xbf16>)
  return
}
