// RUN: tc-opt %s --tc-require-block-size | FileCheck %s

gpu.module @m {
  // CHECK: llvm.func @known() attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel, nvvm.reqntid = array<i32: 128, 1, 1>}
  llvm.func @known() attributes {gpu.known_block_size = array<i32: 128, 1, 1>, nvvm.kernel, nvvm.maxntid = array<i32: 128, 1, 1>} {
    llvm.return
  }
  // A bound that someone else set stays a bound.
  // CHECK: llvm.func @bounded() attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>}
  llvm.func @bounded() attributes {nvvm.kernel, nvvm.maxntid = array<i32: 256, 1, 1>} {
    llvm.return
  }
}
