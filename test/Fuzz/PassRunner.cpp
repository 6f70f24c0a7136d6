//===- PassRunner.cpp - single passes on modules ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PassRunner.h"

#include "tc/InitAll.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"
#include "llvm/Support/raw_ostream.h"

#ifdef TC_BUILD_TEST_LIB
namespace tc {
void registerTestLib(mlir::DialectRegistry &registry); // test/lib
} // namespace tc
#endif

using namespace mlir;
using namespace tc::fuzz;

namespace {

/// Counts errors and keeps the first; nothing is printed.
class ErrorCounter {
public:
  explicit ErrorCounter(MLIRContext &context)
      : handler(&context, [this](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error &&
              count++ == 0)
            first = diagnostic.str();
          return success();
        }) {}

  unsigned count = 0;
  std::string first;

private:
  ScopedDiagnosticHandler handler;
};

} // namespace

static const DialectRegistry &getRegistry() {
  static const DialectRegistry *registry = [] {
    auto *all = new DialectRegistry;
    tc::registerAllDialects(*all);
#ifdef TC_BUILD_TEST_LIB
    tc::registerTestLib(*all);
#endif
    return all;
  }();
  return *registry;
}

// Threads do not survive the fork of a worker.
Session::Session() : context(getRegistry(), MLIRContext::Threading::DISABLED) {}

OwningOpRef<ModuleOp> Session::parse(StringRef text) {
  ErrorCounter errors(context);
  return parseSourceString<ModuleOp>(text, &context);
}

Outcome Session::run(ModuleOp module, const Step &step, std::string &message) {
  std::unique_ptr<PassManager> &manager = managers[step.text];
  if (!manager) {
    manager = std::make_unique<PassManager>(&context, "builtin.module");
    manager->enableVerifier(false);
    if (failed(parsePassPipeline(step.text, *manager)))
      llvm::report_fatal_error("not a pipeline on builtin.module");
  }
  ErrorCounter errors(context);
  LogicalResult result = manager->run(module);
  message = errors.first;
  if (failed(result))
    return errors.count ? Outcome::Refused : Outcome::Silent;
  if (errors.count)
    return step.isUpstream ? Outcome::Refused : Outcome::Spurious;
  if (failed(verify(module))) {
    message = errors.first;
    return step.isUpstream ? Outcome::Refused : Outcome::Invalid;
  }
  return Outcome::Success;
}

/// Appends the passes of `text`, a list of "pass", "pass{options}" and
/// "op(list)", below `anchors`.
static void flatten(StringRef text, StringRef anchors,
                    std::vector<Step> &steps) {
  size_t start = 0, name = 0;
  unsigned braces = 0, parens = 0;
  auto add = [&](size_t end) {
    StringRef item = text.slice(start, end).trim();
    if (item.empty())
      return;
    size_t paren = item.find_first_of("({");
    if (paren != StringRef::npos && item[paren] == '(') {
      std::string inner = (anchors + item.take_front(paren + 1)).str();
      flatten(item.drop_front(paren + 1).drop_back(), inner, steps);
      return;
    }
    std::string close(anchors.count('('), ')');
    steps.push_back({(anchors + item).str() + close,
                     item.take_until([](char c) { return c == '{'; }).str()});
  };
  for (name = 0; name < text.size(); ++name) {
    char c = text[name];
    braces += c == '{';
    braces -= c == '}';
    parens += !braces && c == '(';
    parens -= !braces && c == ')';
    if (c == ',' && !braces && !parens) {
      add(name);
      start = name + 1;
    }
  }
  add(text.size());
}

std::vector<Step> tc::fuzz::flattenPipeline(StringRef text) {
  text = text.trim();
  if (text.consume_front("builtin.module("))
    text = text.drop_back();
  std::vector<Step> steps;
  flatten(text, "", steps);
  return steps;
}

std::vector<Step> tc::fuzz::stepsOfPipeline(StringRef text) {
  OpPassManager manager("builtin.module");
  if (failed(parsePassPipeline(text, manager, llvm::errs())))
    return {};
  std::string printed;
  llvm::raw_string_ostream os(printed);
  manager.printAsTextualPipeline(os);
  return flattenPipeline(printed);
}

std::vector<Step> tc::fuzz::stepsOfPass(StringRef text) {
  OpPassManager manager(OpPassManager::getAnyOpAnchorName());
  if (failed(parsePassPipeline(text, manager, llvm::errs())) ||
      manager.size() != 1)
    return {};
  std::vector<std::string> anchors;
  std::optional<StringRef> op = manager.begin()->getOpName();
  if (!op)
    anchors = {"", "gpu.module(", "gpu.module(gpu.func(", "func.func("};
  else if (*op == "builtin.module")
    anchors = {""};
  else if (*op == "gpu.func")
    anchors = {"gpu.module(gpu.func("};
  else
    anchors = {(*op + "(").str()};
  std::string pass = text.take_until([](char c) { return c == '{'; }).str();
  std::vector<Step> steps;
  for (StringRef anchor : anchors)
    steps.push_back(
        {(anchor + text).str() + std::string(anchor.count('('), ')'), pass});
  return steps;
}
