// RUN: tc-opt %s --tc-serialize-gpu-modules | FileCheck %s

// The back end widens three elements to four. ptxas would take what the fourth one is computed of for the same in all threads,
// and the branch that sqrt.rn has for one that all take: a shuffle after it was wrong on an H200.
// CHECK: .entry odd
// CHECK: mov.b32 \09[[UNDEFINED:%r[0-9]+]], 0;
// CHECK: sqrt.rn.f32 \09%r{{[0-9]+}}, [[UNDEFINED]];
// CHECK: .entry even
// CHECK-NOT: mov.b32 \09%r{{[0-9]+}}, 0;
// CHECK: sqrt.rn.f32
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  llvm.func @odd(%p: !llvm.ptr<1>, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %a = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<3xf32>
    %b = llvm.intr.sqrt(%a) : (vector<3xf32>) -> vector<3xf32>
    %c = llvm.fptrunc %b : vector<3xf32> to vector<3xf16>
    %d = llvm.fneg %c : vector<3xf16>
    llvm.store %d, %o {alignment = 2 : i64} : vector<3xf16>, !llvm.ptr<1>
    llvm.return
  }
  llvm.func @even(%p: !llvm.ptr<1>, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %a = llvm.load %p {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xf32>
    %b = llvm.intr.sqrt(%a) : (vector<4xf32>) -> vector<4xf32>
    %c = llvm.fptrunc %b : vector<4xf32> to vector<4xf16>
    %d = llvm.fneg %c : vector<4xf16>
    llvm.store %d, %o {alignment = 8 : i64} : vector<4xf16>, !llvm.ptr<1>
    llvm.return
  }
}
