// Tiles from a counter in global memory, which starts at 0 and is left there.
// RUN: tc-compile %s --chip=sm_90a --config="scheduler=counter tile=64x64x64 sms=3" --explain -o %t.ptx 2>&1 | FileCheck %s --check-prefix=EXPLAIN
// RUN: FileCheck %s --input-file=%t.ptx --check-prefix=PTX
// RUN: FileCheck %s --input-file=%t.json --check-prefix=JSON
// RUN: tc-run %t.ptx --races=strict --schedule=all --check | FileCheck %s --check-prefix=RIGHT
// EXPLAIN: scheduler=counter
// EXPLAIN: store buffers + 32 answers to requests for work + 160 barriers
// PTX: atom.global.inc.u32
// PTX-NOT: st.async
// PTX: mbarrier.complete_tx.relaxed.cta.shared.b64
// PTX-NEXT: mbarrier.arrive.expect_tx.shared.b64
// JSON: "temp0": {
// JSON-NEXT: "dtype": "i32"
// JSON-NEXT: "shape": []
// JSON-NEXT: "role": "temporary"
// JSON-NEXT: "fill": "00000000"
// JSON: "pointer": "temp0"
// RIGHT: maximum error

// The CTAs of a cluster get the answer of one of them.
// RUN: tc-compile %s --chip=sm_90a --config="scheduler=counter tile=64x64x64 cluster=2x1 sms=4" -o %t.pair.ptx
// RUN: FileCheck %s --input-file=%t.pair.ptx --check-prefix=PAIR
// PAIR-COUNT-2: st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32

// The host code of other stacks has the counter as memory of the module.
// RUN: tc-opt %s -tc-compile="chip=sm_90a config='scheduler=counter tile=64x64x64'" | FileCheck %s --check-prefix=HOST
// HOST: memref.global "private" @f_matmul_counter : memref<i32> = dense<0>
// HOST: memref.get_global @f_matmul_counter
func.func @f(%a: memref<200x136xbf16>, %b: memref<264x136xbf16>, %d: memref<200x264xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<200x136xbf16>, memref<264x136xbf16>) outs(%d : memref<200x264xbf16>)
  return
}
