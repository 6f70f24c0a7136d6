// RUN: tc-opt %s --tc-serialize-gpu-modules | FileCheck %s
// RUN: tc-compile %s --chip=sm_100a -o - | FileCheck %s --check-prefix=PTX

// A block that LLVM alone knows never to run is deleted whole: its instructions
// are not missing. Those of others are compared as ever.

// CHECK: gpu.binary @kernels
// PTX-LABEL: .entry constant
// PTX: tcgen05.commit
// PTX-NOT: tcgen05.commit
// PTX-LABEL: .entry known_bits
// PTX-NOT: tc.block
// PTX-NOT: mbarrier.arrive
// PTX: mbarrier.inval
gpu.module @kernels [#nvvm.target<chip = "sm_100a", features = "+ptx86">] {
  llvm.func @constant(%bar: !llvm.ptr<3>) attributes {gpu.kernel, nvvm.kernel} {
    %false = llvm.mlir.constant(false) : i1
    nvvm.tcgen05.commit %bar : !llvm.ptr<3>
    llvm.cond_br %false, ^then, ^exit
  ^then:
    nvvm.tcgen05.commit %bar : !llvm.ptr<3>
    llvm.br ^exit
  ^exit:
    llvm.return
  }
  llvm.func @known_bits(%bar: !llvm.ptr<3>, %i: i32) attributes {gpu.kernel, nvvm.kernel} {
    %c1 = llvm.mlir.constant(1 : i32) : i32
    %c2 = llvm.mlir.constant(2 : i32) : i32
    %bit = llvm.and %i, %c2 : i32
    %is = llvm.icmp "eq" %bit, %c1 : i32
    llvm.cond_br %is, ^then, ^exit
  ^then:
    %state = nvvm.mbarrier.arrive %bar : !llvm.ptr<3> -> i64
    llvm.br ^exit
  ^exit:
    nvvm.mbarrier.inval %bar : !llvm.ptr<3>
    llvm.return
  }
}
