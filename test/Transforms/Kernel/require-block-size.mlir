// RUN: tc-opt %s --tc-require-block-size | FileCheck %s

gpu.module @m {
  // CHECK: llvm.func @known() attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel, nvvm.minctasm = 1 : i32, nvvm.reqntid = array<i32: 128, 1, 1>}
  llvm.func @known() attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>} {
    llvm.return
  }
  // CHECK: llvm.func @resident() {{.*}}nvvm.minctasm = 2 : i32, nvvm.reqntid
  llvm.func @resident() attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>, nvvm.minctasm = 2 : i32} {
    llvm.return
  }
  // A bound that someone else set stays a bound.
  // CHECK: llvm.func @bounded() attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>}
  llvm.func @bounded() attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
    llvm.return
  }
}
