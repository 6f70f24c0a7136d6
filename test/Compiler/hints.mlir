// RUN: tc-compile %s --config="pdl=on cache-hint-a=evict-first cache-hint-b=evict-last" --emit=tiles | FileCheck %s --check-prefix=TILES
// RUN: tc-compile %s --config="pdl=on cache-hint-a=evict-first cache-hint-b=evict-last" --emit=roles | FileCheck %s --check-prefix=ROLES
// RUN: tc-compile %s --config="pdl=on cache-hint-a=evict-first cache-hint-b=evict-last epilogue=direct" -o %t.ptx
// RUN: FileCheck %s < %t.ptx
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// RUN: tc-compile %s --config="epilogue=direct" -o %t.ptx
// RUN: FileCheck %s --check-prefix=NONE < %t.ptx
// RUN: FileCheck %s --check-prefix=NONE < %t.json
// RUN: tc-compile %s --config="pdl=on roles=none" -o - | FileCheck %s --check-prefix=SERIAL

// Each alone, and all at once on pairs: the same numbers, in any order that the ISA
// allows, and nothing unordered.
// RUN: tc-compile %s --config="cta-group=1 pdl=on" -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1
// RUN: tc-compile %s --config="cache-hint-a=evict-first" -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1
// RUN: tc-compile %s --config="cache-hint-b=evict-last roles=none" -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1
// RUN: tc-compile %s --config="cta-group=2 pdl=on cache-hint-a=evict-normal cache-hint-b=evict-last sms=4" -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1
// RUN: tc-compile %s --config="epilogue-registers=168 epilogue-subtile=64 pdl=on" -o %t.ptx
// RUN: tc-run %t.ptx --check --races=strict --schedule=eager,lazy,random:1
// RUN: FileCheck %s --check-prefix=REGISTERS < %t.ptx

// Two whole warpgroups: 128 threads with 168 registers and 128 with 56 are 256 with 112.
// REGISTERS: .reqntid 256
// REGISTERS: .maxnreg 112
// REGISTERS: setmaxnreg.inc.sync.aligned.u32 168;
// REGISTERS: tcgen05.ld
// REGISTERS: setmaxnreg.dec.sync.aligned.u32 56;
// REGISTERS-NOT: setmaxnreg
// REGISTERS: cp.async.bulk.tensor
// REGISTERS-NOT: setmaxnreg

// Hints from the configuration to PTX and the kernel description. Stores of TMA
// have a policy of their own (store-ring.mlir); rows go from registers here.

// Wait before everything, let others start after the last load.
// TILES: tmm.wait_prerequisites
// TILES: tmm.load %{{.*}} cache_hint evict_first by(#sm90.tma) :
// TILES: tmm.load %{{.*}} cache_hint evict_last by(#sm90.tma) :
// TILES: tmm.launch_dependents by(#sm90.tma)
// TILES-NEXT: gpu.return

// Every role that touches global memory waits; the loads' says when others may start.
// ROLES: tmm.warp_specialize "epilogue" warps(4) {
// ROLES-NEXT: tmm.wait_prerequisites
// ROLES-NOT: launch_dependents
// ROLES: "load" warps(1) elected {
// ROLES-NEXT: tmm.wait_prerequisites
// ROLES: tmm.launch_dependents by(#sm90.tma)
// ROLES-NEXT: tmm.producer_tail
// ROLES: "mma" warps(1) elected {
// ROLES-NOT: launch_dependents

// Policies are made once, before the loop.
// CHECK: createpolicy.fractional.L2::evict_{{first|last}}.b64
// CHECK: createpolicy.fractional.L2::evict_{{first|last}}.b64
// CHECK-NOT: createpolicy
// CHECK-DAG: griddepcontrol.wait
// CHECK-DAG: cp.async.bulk.tensor.2d.shared::{{.*}}.L2::cache_hint
// CHECK-DAG: cp.async.bulk.tensor.2d.shared::{{.*}}.L2::cache_hint
// CHECK: griddepcontrol.launch_dependents

// JSON: "entry": "hints_matmul"
// JSON: "programmatic_launch": true

// NONE-NOT: griddepcontrol
// NONE-NOT: createpolicy
// NONE-NOT: cache_hint
// NONE-NOT: programmatic_launch

// One thread of control waits as a whole and speaks with one thread.
// SERIAL: griddepcontrol.wait
// SERIAL: cp.async.bulk.tensor
// SERIAL: griddepcontrol.launch_dependents
func.func @hints(%a: memref<1024x256xbf16>, %b: memref<512x256xbf16>, %d: memref<1024x512xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<1024x256xbf16>, memref<512x256xbf16>) outs(%d : memref<1024x512xbf16>)
  return
}
