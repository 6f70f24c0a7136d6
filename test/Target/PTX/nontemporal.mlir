// RUN: tc-opt %s --tc-serialize-gpu-modules | FileCheck %s

// What is read once leaves no line in the L1 cache, where it is one access of global memory.
// CHECK: .entry kernel
// CHECK: ld.global.L1::no_allocate.v4.b32 {{[{][^}]*[}]}}, [%rd{{[0-9]+}}];
// CHECK: ld.global.L1::no_allocate.v2.b32 {{[{][^}]*[}]}}, [%rd{{[0-9]+}}];
// CHECK: ld.global.L1::no_allocate.b32 %r{{[0-9]+}}, [%rd{{[0-9]+}}];
// Aligned to a part of it, of shared memory, and of half a register.
// CHECK-NOT: no_allocate
gpu.module @m [#nvvm.target<chip = "sm_90a">] {
  llvm.func @kernel(%p0: !llvm.ptr<1>, %p1: !llvm.ptr<1>, %p2: !llvm.ptr<1>, %p3: !llvm.ptr<1>, %p4: !llvm.ptr<1>, %p5: !llvm.ptr<1>, %s: !llvm.ptr<3>, %o: !llvm.ptr<1>) attributes {nvvm.kernel} {
    %a = llvm.load %p0 {alignment = 16 : i64, nontemporal} : !llvm.ptr<1> -> vector<4xf32>
    %b = llvm.load %p1 {alignment = 8 : i64, nontemporal} : !llvm.ptr<1> -> vector<4xbf16>
    %c = llvm.load %p2 {alignment = 4 : i64, nontemporal} : !llvm.ptr<1> -> f32
    %d = llvm.load %p3 {alignment = 8 : i64, nontemporal} : !llvm.ptr<1> -> vector<4xf32>
    %e = llvm.load %s {alignment = 16 : i64, nontemporal} : !llvm.ptr<3> -> vector<4xf32>
    %f = llvm.load %p4 {alignment = 2 : i64, nontemporal} : !llvm.ptr<1> -> f16
    %g = llvm.load %p5 {alignment = 16 : i64} : !llvm.ptr<1> -> vector<4xi32>
    llvm.store %a, %o {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    llvm.store volatile %b, %o {alignment = 8 : i64} : vector<4xbf16>, !llvm.ptr<1>
    llvm.store volatile %c, %o {alignment = 4 : i64} : f32, !llvm.ptr<1>
    llvm.store volatile %d, %o {alignment = 8 : i64} : vector<4xf32>, !llvm.ptr<1>
    llvm.store volatile %e, %o {alignment = 16 : i64} : vector<4xf32>, !llvm.ptr<1>
    llvm.store volatile %f, %o {alignment = 2 : i64} : f16, !llvm.ptr<1>
    llvm.store volatile %g, %o {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>
    llvm.return
  }
}
