//===- PassRunner.h - single passes on modules ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the pass fuzzer does to a module: one pass at a time, with everything
// that the pass says and what it leaves caught.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TEST_FUZZ_PASSRUNNER_H
#define TC_TEST_FUZZ_PASSRUNNER_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringMap.h"

#include <memory>
#include <string>
#include <vector>

namespace tc::fuzz {

/// One pass below the ops that it works on, as text of a pipeline on
/// builtin.module: "gpu.module(gpu.func(tcgen05-allocate-tmem))".
struct Step {
  std::string text;
  std::string pass;
  /// An upstream pass does not know our ops: that what it leaves does not
  /// verify is said by the verifier, as in tc-opt, and is no finding.
  bool isUpstream = true;
};

/// How a pass ended.
enum class Outcome {
  Success,
  Refused,  ///< failed with an error: as it should
  Silent,   ///< failed without an error
  Invalid,  ///< succeeded with IR that does not verify
  Spurious, ///< succeeded with an error
};

/// A context with everything registered, and the passes that ran in it.
class Session {
public:
  Session();

  /// A module that verifies; null where `text` is none.
  mlir::OwningOpRef<mlir::ModuleOp> parse(llvm::StringRef text);

  /// Runs one pass and verifies what it leaves. `message`: the first error.
  Outcome run(mlir::ModuleOp module, const Step &step, std::string &message);

private:
  mlir::MLIRContext context;
  /// By the text of the step: passes are initialised once for many modules.
  llvm::StringMap<std::unique_ptr<mlir::PassManager>> managers;
};

/// The passes of a pipeline's text, in order, without builtin.module around
/// them.
std::vector<Step> flattenPipeline(llvm::StringRef text);

/// The steps of a registered pipeline; empty and a message on stderr where it
/// cannot be parsed.
std::vector<Step> stepsOfPipeline(llvm::StringRef text);

/// The places at which a pass ("name" or "name{options}") can run: below the op
/// that it is made for, or, made for any, on modules, gpu modules and
/// functions.
std::vector<Step> stepsOfPass(llvm::StringRef text);

} // namespace tc::fuzz

#endif // TC_TEST_FUZZ_PASSRUNNER_H
