//===- Compile.h - a module to any level, in memory -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tc-compile, the C interface and the Python package do to a module:
// everything but files.
//
//===----------------------------------------------------------------------===//

#ifndef TC_COMPILER_COMPILE_H
#define TC_COMPILER_COMPILE_H

#include "tc/Compiler/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tc {

struct CompileOptions {
  /// Or "native", which resolveChip replaces.
  std::string chip = "sm_100a";
  /// Fields of the configuration of every matmul ("tile=128x128x64 stages=4").
  std::string config;
  /// A file of measured configurations, used where `config` and the module
  /// leave open what they say; empty: none.
  std::string tuned;
  bool allowTf32 = false;
  /// How f32 is multiplied: "tf32", "tf32x3", "bf16x3" or "bf16x9" by matrix
  /// units, "narrow" as what the other operand was widened from (else bf16x9),
  /// "fma" without, "refuse" not at all; empty: bf16x9, with a remark.
  std::string f32;
  /// How each matmul is configured and why: "words" as remarks, "json" on
  /// stderr; empty: not at all.
  std::string explain;
  /// The assembler for cubins; empty: that of CUDA_HOME, else of PATH.
  std::string ptxas;
  /// IR in the form that parsers read without our dialects.
  bool genericForm = false;
};

struct CompileOutput {
  /// IR, LLVM IR or PTX as text, or a cubin.
  std::string content;
  /// The kernel description, of PTX and cubins whose module has a function that
  /// launches kernels; else empty.
  std::string description;
};

/// The level called `name` ("tmm" to "cubin"), and all names for diagnostics.
std::optional<Level> findLevel(llvm::StringRef name);
std::string listLevels();

/// The chip of the first GPU of this machine in place of "native". Says why
/// there is none; empty: there is, or another chip is asked for.
std::string resolveChip(std::string &chip);

/// Why kernels cannot be compiled for `chip`, with the chips that there are;
/// empty where they can.
std::string explainBadChip(llvm::StringRef chip);

/// Why `options` cannot be used whatever the module is, after the name of the
/// option ("f32: ..."); empty where they can. Configurations are not read: what
/// is wrong in them has a place in their text; those of `tuned` name the units
/// of `context`.
std::string explainBadOptions(const CompileOptions &options,
                              mlir::MLIRContext *context);

/// The module that the main file of `sources` is, text or bytecode; null with
/// an error where it is none, or nested so deeply that a parser would have no
/// stack left.
mlir::OwningOpRef<mlir::ModuleOp> parseModule(const llvm::SourceMgr &sources,
                                              mlir::MLIRContext *context);

/// An error where kernels that `module` has already are for another chip.
llvm::LogicalResult checkTargets(mlir::ModuleOp module, llvm::StringRef chip);

/// Lets a context that runs without threads have some, where `module` is large:
/// they take a millisecond to start, which a few kernels do not win back.
void useThreadsForLargeModule(mlir::ModuleOp module);

/// Lowers `module` to `level` in place and gives what the level asks for. The
/// chip is one that explainBadChip has nothing to say of.
llvm::FailureOr<CompileOutput> compileModule(mlir::ModuleOp module, Level level,
                                             const CompileOptions &options);

} // namespace tc

#endif // TC_COMPILER_COMPILE_H
