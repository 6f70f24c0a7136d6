//===- Pipelines.h - the passes in their order ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipelines from linalg to PTX. The order of passes is written in
// Pipelines.cpp and nowhere else.
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_PIPELINES_H
#define TC_COMPILER_PIPELINES_H

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassOptions.h"

namespace mlir {
class DialectRegistry;
}

namespace tc {

/// The levels at which a module can leave, from the first to the last. Each
/// has what the level before has, lowered.
enum class Level {
  /// tmm.matmul with its configuration.
  TMM,
  /// Kernels as tile programs, launched by the host function.
  Tiles,
  /// Kernels whose buffers are pipelines.
  Roles,
  /// tcgen05, sm90 and sm80.
  TCGen05,
  /// llvm and nvvm in kernels.
  NVVM,
  LLVM,
  PTX,
  Cubin,
};

struct PipelineOptions : mlir::PassPipelineOptions<PipelineOptions> {
  Option<std::string> chip{*this, "chip",
                           llvm::cl::desc("The target of the kernels"),
                           llvm::cl::init("sm_100a")};
  Option<std::string> config{
      *this, "config",
      llvm::cl::desc("Fields of the configuration of every matmul, as "
                     "tmm-choose-config takes them"),
      llvm::cl::init("")};
  Option<std::string> tuned{
      *this, "tuned",
      llvm::cl::desc("A table of measured configurations, which come before "
                     "those that the model chooses"),
      llvm::cl::init("")};
  Option<bool> allowTf32{
      *this, "allow-tf32",
      llvm::cl::desc("Multiply matrices of f32 in linalg as tf32, without the "
                     "low 13 bits of each element"),
      llvm::cl::init(false)};
  Option<std::string> f32{
      *this, "f32",
      llvm::cl::desc("How matrices of f32 in linalg are multiplied: tf32, "
                     "tf32x3, bf16x3 or bf16x9, narrow (as bf16 or f16 beside "
                     "a widened operand, else bf16x9), fma without a matrix "
                     "unit, or refuse; bf16x9 where empty"),
      llvm::cl::init("")};
  Option<std::string> explain{
      *this, "explain",
      llvm::cl::desc("Explain the configuration of every matmul, in words or "
                     "json, as tmm-explain-config does; nothing if empty"),
      llvm::cl::init("")};
};

struct CompilePipelineOptions : PipelineOptions {
  Option<std::string> format{*this, "format",
                             llvm::cl::desc("What gpu.binary holds: ptx or "
                                            "cubin"),
                             llvm::cl::init("ptx")};
  Option<std::string> ptxas{*this, "ptxas",
                            llvm::cl::desc("The assembler to run; the one on "
                                           "PATH where empty"),
                            llvm::cl::init("")};
};

/// Appends the passes that bring a module to `level`, at most NVVM, from any
/// level above.
void buildPipeline(mlir::OpPassManager &pm, Level level,
                   const PipelineOptions &options);

/// Appends the passes that bring a module to tmm.matmul on memrefs, with the
/// fields of its configuration that were given alone.
void buildOpenProblem(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Registers --tc-lower-to-tcgen05, --tc-lower-to-nvvm and --tc-compile.
void registerPipelines();

/// Registers the dialects, interfaces and translations that the pipelines
/// need: those of the project and the part of upstream's that can occur.
void registerPipelineDialects(mlir::DialectRegistry &registry);

} // namespace tc

#endif // TC_COMPILER_PIPELINES_H
