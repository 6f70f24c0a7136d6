//===- ExplainConfig.cpp - why a configuration is chosen --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each family of kernels explains what it chooses for its ops; the answers are
// given in the order of the module.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/Passes.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/FormatVariadic.h"

namespace tc::tmm {
#define GEN_PASS_DEF_EXPLAINCONFIGPASS
#include "tc/Dialect/TMM/Passes.h.inc"
} // namespace tc::tmm

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;

namespace {

struct ExplainConfigPass
    : tc::tmm::impl::ExplainConfigPassBase<ExplainConfigPass> {
  using ExplainConfigPassBase::ExplainConfigPassBase;
  void runOnOperation() override;
};

} // namespace

/// `loc`, as FILE:LINE:COLUMN where it is a place in a file.
static std::string getLocationText(Location loc) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (auto file = dyn_cast<FileLineColLoc>(loc))
    os << file.getFilename().getValue() << ':' << file.getLine() << ':'
       << file.getColumn();
  else
    os << loc;
  return text;
}

void ExplainConfigPass::runOnOperation() {
  markAllAnalysesPreserved();
  FailureOr<schedule::MatmulConfig> option = parseConfig(&getContext(), config);
  if (failed(option) || failed(checkFamilies(getOperation())))
    return signalPassFailure();
  ConfigRequest request{getOperation(), chip, *option, tuned};
  llvm::DenseMap<Operation *, std::unique_ptr<ConfigExplanation>> explanations;
  for (auto &[name, ops] : collectFamilies(getOperation())) {
    FailureOr<ConfigExplanations> answers =
        cast<KernelFamilyOpInterface>(ops.front()).explainConfigs(ops, request);
    if (failed(answers))
      return signalPassFailure();
    for (auto [op, answer] : llvm::zip_equal(ops, *answers))
      explanations[op] = std::move(answer);
  }
  if (format != "words" && format != "json") {
    getOperation()->emitError()
        << "format option: expected words or json, got '" << format << "'";
    return signalPassFailure();
  }
  llvm::json::Array array;
  bool hasProblem = false;
  getOperation()->walk([&](KernelFamilyOpInterface op) {
    const ConfigExplanation *explanation = explanations[op].get();
    hasProblem |= explanation || op.takesConfig();
    if (!explanation)
      return;
    if (format != "json") {
      op->emitRemark() << explanation->getWords();
      return;
    }
    llvm::json::Object data = explanation->getData();
    data["location"] = getLocationText(op->getLoc());
    array.push_back(std::move(data));
  });
  if (!hasProblem)
    getOperation()->walk([&](gpu::GPUFuncOp kernel) {
      kernel.emitRemark("expected a tmm.matmul to explain, got a kernel, which "
                        "is tiled already");
    });
  if (format == "json")
    llvm::errs() << llvm::formatv("{0:2}", llvm::json::Value(std::move(array)))
                 << "\n";
}
