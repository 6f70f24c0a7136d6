//===- Tune.h - candidates of a problem, compiled ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tc-tune does apart from its command line.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TCTUNE_TUNE_H
#define TC_TOOLS_TCTUNE_TUNE_H

#include "tc/Compiler/Compile.h"
#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Schedule/MatmulVariants.h"

#include "llvm/Support/JSON.h"

#include <iosfwd>
#include <memory>

namespace tc::tune {

struct Options {
  std::string chip, config, f32, ptxas;
  /// Configurations, as of --config, instead of those that the model proposes.
  std::vector<std::string> configs;
  schedule::VariantChoice variants;
  /// Whether ptxas makes a cubin of each.
  bool assembles = true;
  unsigned threads = 0; ///< 0: one per core
};

/// A context for one module at a time.
std::unique_ptr<mlir::MLIRContext> makeContext();

/// A candidate and what became of it.
struct Compiled {
  tmm::TuningCandidate candidate;
  std::string ptx, description, cubin;
  unsigned registers = 0, spilledBytes = 0; ///< with a cubin
  std::string error;                        ///< empty: it compiled
};

/// The one op of a module that is tuned.
struct Problem {
  std::string key;
  /// The module, with what was given of the configuration alone.
  std::string text;
  std::unique_ptr<tmm::TuningProblem> tuning;
  std::vector<Compiled> candidates;
};

/// The op of the module in the file `path`, with its candidates, none of them
/// compiled. Says on stderr why not.
std::optional<Problem> readProblem(const std::string &path,
                                   const Options &options);

/// Compiles all candidates of all `problems`.
void compileAll(llvm::MutableArrayRef<Problem> problems,
                const Options &options);

/// Reads lines from `in` until it ends. `NAME VALUE` sets a constant of the
/// model for all that follow (schedule::getFittedConstants); `INDEX CONFIG`
/// prints the cycles that the INDEX-th of `problems` takes with a complete
/// configuration. An empty line writes what was printed. Returns what is wrong
/// with a line, or nothing.
std::string predict(llvm::ArrayRef<Problem> problems, std::istream &in);

/// What the index says of `problem`.
llvm::json::Value describe(const Problem &problem);

} // namespace tc::tune

#endif // TC_TOOLS_TCTUNE_TUNE_H
