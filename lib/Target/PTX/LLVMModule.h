//===- LLVMModule.h - a gpu.module as LLVM IR -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Target/PTX: the LLVM module, its context and its target machine.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_TARGET_PTX_LLVMMODULE_H
#define TC_LIB_TARGET_PTX_LLVMMODULE_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <optional>
#include <string>

namespace tc {

/// What the first lines of PTX say, and what LLVM prints in their place.
struct PTXHeader {
  /// As `94` for 9.4.
  unsigned version;
  std::string chip;
  std::string llvmChip;
};

/// Members in the order of their dependencies: the context is freed last.
struct LLVMModule {
  std::unique_ptr<llvm::LLVMContext> context;
  std::unique_ptr<llvm::TargetMachine> machine;
  std::unique_ptr<llvm::Module> module;
  /// The lines `.version` and `.target` of the text, where LLVM cannot print
  /// them.
  std::optional<PTXHeader> header;
};

/// Translates `op` to LLVM IR for its nvvm target. Calls of asynchronous
/// intrinsics are opaque to LLVM in the result (see makeAsyncCallsOpaque). With
/// `mayChange` its ops need not be copied first.
llvm::FailureOr<LLVMModule> translateGPUModule(mlir::gpu::GPUModuleOp op,
                                               bool mayChange = false);

/// Writes `header` into `ptx`, which LLVM printed for `module`. Emits an error
/// unless each of the two lines is there once, as LLVM prints it for the chip
/// in place.
llvm::LogicalResult rewriteHeader(mlir::gpu::GPUModuleOp module,
                                  const PTXHeader &header, std::string &ptx);

/// `ptx` with a 0 in each register that is read and never written, of elements
/// that a vector was widened by. ptxas takes such a register for the same in
/// all threads, and a branch on it (sqrt.rn has one) for one that all take:
/// after it a shuffle of diverged threads gave wrong numbers on an H200.
std::string defineRegisters(llvm::StringRef ptx);

/// Runs the passes that make good scalar code and keep every asynchronous
/// instruction as it is.
void optimizeLLVMModule(LLVMModule &module);

/// Computes the matrix descriptors of `function` from the start of their array:
/// what does not change in a loop is a term of its own then. Run it before
/// other passes change how the conversion spells a descriptor.
void splitMatrixDescriptors(llvm::Function &function);

/// Puts the constant part of an address of ldmatrix before the instruction,
/// which takes it: hoisted out of a loop each address would be a register.
/// LLVM does the same for loads and stores alone.
void sinkMatrixOffsets(llvm::Function &function);

/// Gives the operands that a form of an intrinsic does not print no value: the
/// back end would put one in a register.
void dropUnprintedOperands(llvm::Function &function);

/// Makes inline PTX of nontemporal loads from global memory. LLVM prints them
/// as others. Run it last.
void emitNontemporalLoads(llvm::Function &function);

} // namespace tc

#endif // TC_LIB_TARGET_PTX_LLVMMODULE_H
