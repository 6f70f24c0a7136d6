// What sm_80 does not have is refused by the field that asks for it.
// RUN: not tc-opt %s --tmm-choose-config="chip=sm_80 config=pdl=on" 2>&1 | FileCheck %s --check-prefix=PDL
// RUN: not tc-opt %s --tmm-choose-config="chip=sm_80 config=epilogue-registers=128" 2>&1 | FileCheck %s --check-prefix=REGISTERS
// RUN: not tc-opt %s --tmm-choose-config="chip=sm_80 config=load-a=tma" 2>&1 | FileCheck %s --check-prefix=LOAD
// RUN: not tc-opt %s --tmm-choose-config="chip=sm_80 config=epilogue=tma-store" 2>&1 | FileCheck %s --check-prefix=STORE
// RUN: not tc-opt %s --tmm-choose-config="chip=sm_86 config=cluster=2x1" 2>&1 | FileCheck %s --check-prefix=CLUSTER
// RUN: not tc-opt %s --tmm-choose-config="chip=sm_80 config=scheduler=counter" 2>&1 | FileCheck %s --check-prefix=COUNTER
// RUN: tc-opt %s --tmm-choose-config="chip=sm_80" | FileCheck %s
// RUN: not tc-compile %s --chip=sm_86 -o %t.ptx --config=tile=256x256x64 2>&1 | FileCheck %s --check-prefix=FIT
// A second slot of the ring comes before a second store buffer.
// RUN: tc-opt %s --tmm-choose-config="chip=sm_120a config=tile=128x160x64" | FileCheck %s --check-prefix=SLOTS

// PDL: error: 'tmm.matmul' op configuration: pdl of on: expected off, the chip has no griddepcontrol
// REGISTERS: error: 'tmm.matmul' op configuration: epilogue-registers of 128: expected 0, the chip has no setmaxnreg
// LOAD: error: 'tmm.matmul' op configuration: load-a of tma: expected cp-async or threads, the chip has no TMA
// STORE: error: 'tmm.matmul' op configuration: epilogue of tma-store: expected direct, the chip has no TMA
// CLUSTER: error: 'tmm.matmul' op configuration: cluster of 2x1: expected 1x1, nothing lowers larger ones for mma-sync
// COUNTER: error: 'tmm.matmul' op configuration: scheduler of counter: expected static, the chip has no st.async, which hands out what is counted
// FIT: error: 'tmm.matmul' op configuration: expected at most
// SLOTS: ring = <stages = 2, {{.*}}kind = tma_store, subtile = 32, stages = 1>
// CHECK: unit = mma_sync
// CHECK-SAME: load_a = cp_async, load_b = cp_async
func.func @f(%a: memref<256x512xbf16>, %b: memref<256x512xbf16>, %d: memref<256x256xf32>) {
  tmm.matmul transpose_b ins(%a, %b : memref<256x512xbf16>, memref<256x512xbf16>) outs(%d : memref<256x256xf32>)
  return
}
