//===- ExplainAttention.cpp - why a kernel is as it is ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Says what a CTA holds, and why it is not more.
//
//===----------------------------------------------------------------------===//

#include "ExplainAttention.h"

#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace tc::tmm;

namespace {

class AttentionExplanation : public ConfigExplanation {
public:
  explicit AttentionExplanation(const AttentionShape &shape) : shape(shape) {}

  std::string getWords() const override;
  llvm::json::Object getData() const override;

private:
  bool isInMemory() const { return bool(shape.scores.accumulator); }

  AttentionShape shape;
};

} // namespace

std::string AttentionExplanation::getWords() const {
  std::string text = llvm::formatv(
      "one kernel: a CTA has {0} queries of {1} columns, {2} for each role "
      "that stores\n  {3} blocks of {4} keys are loaded or read at a time; "
      "scores, weights and {5} columns of output are in {6}\n",
      shape.getRows(), shape.columns, shape.rows, shape.stages, shape.keys,
      shape.outColumns, isInMemory() ? "Tensor Memory" : "registers");
  text += llvm::formatv("  threads have {0} registers where they store, {1} "
                        "elsewhere\n",
                        shape.ownRegisters, shape.otherRegisters);
  text += shape.counts
              ? "  rows see different numbers of keys: CTAs count the tiles "
                "that are left, and those with the most keys come first"
              : "  all rows see as many keys: tiles are shared out evenly";
  if (shape.ctas)
    text += llvm::formatv("\n  at most {0} CTAs", shape.ctas);
  return text;
}

llvm::json::Object AttentionExplanation::getData() const {
  return llvm::json::Object{
      {"family", "attention"},
      {"queries", shape.getRows()},
      {"queries_of_role", shape.rows},
      {"keys", shape.keys},
      {"stages", shape.stages},
      {"columns", llvm::json::Array{shape.columns, shape.outColumns}},
      {"registers",
       llvm::json::Array{shape.ownRegisters, shape.otherRegisters}},
      {"counts", shape.counts},
      {"ctas", shape.ctas},
      {"place", isInMemory() ? "tensor_memory" : "registers"}};
}

std::unique_ptr<ConfigExplanation>
tc::tmm::explainAttention(const AttentionShape &shape) {
  return std::make_unique<AttentionExplanation>(shape);
}
