// RUN: tc-compile %s --chip=sm_120a --config="tile=128x64x64 stages=2" -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: ptxas -arch=sm_120a -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS
// RUN: tc-run %t.ptx --size=M=200,N=136,K=264 --races=strict --schedule=eager,lazy,random:1 --check | FileCheck %s --check-prefix=EMULATED
// RUN: not tc-compile %s --chip=sm_100a --config="unit=mma-sync cluster=2x1" -o %t.ptx 2>&1 | FileCheck %s --check-prefix=CLUSTER
// REQUIRES: ptxas

// A chip without wgmma and tcgen05: 16 x 8 instructions, 4 warps of 32 rows each,
// for which a fragment of B is loaded once for two of A.
// CHECK: .target sm_120a
// CHECK: .reqntid 160
// CHECK: mbarrier.try_wait.parity
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16 [[A:{.*}]], [
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK-COUNT-4: mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32
// CHECK-NOT: wgmma
// CHECK-NOT: tcgen05
// PTXAS: 0 bytes spill stores
// EMULATED: eager {{.*}} ok
// EMULATED: random:1 {{.*}} ok
// CLUSTER: error: 'tmm.matmul' op configuration: cluster of 2x1: expected 1x1, nothing lowers larger ones for mma-sync
func.func @f(%a: memref<?x?xbf16>, %b: memref<?x?xbf16>, %d: memref<?x?xbf16>) {
  tmm.matmul transpose_b ins(%a, %b : memref<?x?xbf16>, memref<?x?xbf16>) outs(%d : memref<?x?xbf16>)
  return
}
