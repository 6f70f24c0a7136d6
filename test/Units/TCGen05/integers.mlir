// RUN: tc-opt %s --tmm-choose-config=chip=sm_107f | FileCheck %s
// RUN: tc-opt %s --tmm-choose-config=chip=sm_103a | FileCheck %s
// RUN: tc-opt %s --tmm-choose-config=chip=sm_100a | FileCheck %s --check-prefix=OLDER
// RUN: tc-compile %s --chip=sm_107f -o %t.ptx && tc-run %t.ptx --check --size M=70,N=48,K=80 --races=strict \
// RUN:   --schedule=eager,lazy,random:1 | FileCheck %s --check-prefix=NUMBERS
// RUN: not tc-compile %s --chip=sm_107f --config=unit=tcgen05 -o %t.ptx 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: tc-compile %s --chip=sm_107f --explain -o %t.ptx 2>&1 | FileCheck %s --check-prefix=WHY

// Where tcgen05 has no kind i8, mma.sync multiplies integers.
// CHECK: unit = mma_sync
// OLDER: unit = tcgen05
// NUMBERS: maximum error 0
// ERROR: error: 'tmm.matmul' op configuration: operands: expected a target that has tcgen05.mma of kind i8 (sm_100a, sm_110a), got sm_107f (PTX ISA
// WHY: unit: not tcgen05, operands: expected a target that has tcgen05.mma of kind i8 (sm_100a, sm_110a), got sm_107f (PTX ISA
func.func @integers(%a: memref<?x?xi8>, %b: memref<?x?xi8>, %d: memref<?x?xi32>) {
  tmm.matmul transpose_b config <scheduler = <sms = 8>>
    ins(%a, %b : memref<?x?xi8>, memref<?x?xi8>) outs(%d : memref<?x?xi32>)
  return
}
