//===- Bundle.cpp - many kernels for several chips in one file --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two rounds. The first chooses the configuration of each product for its own
// sizes. A kernel takes M as an argument, so products that differ in M alone
// and have one configuration are one kernel, which the second round compiles.
// Those whose configurations differ in the size of the grid are functions of
// one module, which launch one kernel. What a kernel of any M cannot be
// compiled for is compiled for its own M.
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"

#include "BundleWriter.h"
#include "Products.h"

#include "tc/Dialect/TMM/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <unistd.h>

using namespace mlir;
using namespace tc;

namespace {

/// Diagnostics of one piece of work.
struct Messages {
  std::string text;
  bool hasError = false;
};

/// What is compiled for one or more products.
struct Kernel {
  std::string chip, text;
  /// Place of the first product, with which diagnostics start; empty: they have
  /// their own.
  std::string place;
  /// Of the functions of any M that launch it; none: `text` is for one M.
  std::vector<std::string> configs = {};
  FailureOr<CompileOutput> output = failure();
  Messages messages = {};

  bool isShared() const { return !configs.empty(); }
  std::string functionName(size_t function) const {
    return configs.size() < 2 ? "matmul" : "matmul_" + std::to_string(function);
  }
};

/// A product for a chip.
struct Task {
  Product product;
  std::string chip;
  /// Chosen for the product, of a kernel of any M; empty: it cannot be one.
  std::string config = {};
  Messages messages = {};
  /// Its kernel, and which of the functions launches it.
  size_t kernel = 0, function = 0;

  Product ofAnyM() const {
    Product any = product;
    any.m = kAnySize;
    return any;
  }
};

/// A line that is written over, on a terminal alone.
class Bar {
public:
  Bar(StringRef what, size_t count) : what(what), count(count) {}
  ~Bar() {
    if (isShown)
      llvm::errs() << "\r\033[K";
  }
  /// One more is done.
  void advance() {
    std::lock_guard<std::mutex> guard(lock);
    ++done;
    const auto now = std::chrono::steady_clock::now();
    if (!isTerminal || now - last < std::chrono::milliseconds(100))
      return;
    last = now;
    constexpr size_t width = 40;
    const size_t full = done * width / count;
    llvm::errs()
        << "\r\033[K[" << std::string(full, '#')
        << std::string(width - full, ' ') << "] " << done << " of " << count
        << " " << what << ", "
        << std::chrono::duration_cast<std::chrono::seconds>(now - start).count()
        << " s";
    isShown = true;
  }

private:
  const StringRef what;
  const size_t count;
  const bool isTerminal = isatty(STDERR_FILENO);
  const std::chrono::steady_clock::time_point start =
      std::chrono::steady_clock::now();
  std::mutex lock;
  std::chrono::steady_clock::time_point last = start;
  size_t done = 0;
  bool isShown = false;
};

class BundleMaker {
public:
  BundleMaker(const BundleRequest &request, const DialectRegistry &registry);
  BundleResult make();

private:
  BundleResult makeOfModule();
  BundleResult makeOfList(llvm::ArrayRef<Product> products);
  bool chooseAll(std::vector<Task> &tasks);
  bool compileAll(std::vector<Task> &tasks, std::vector<Kernel> &kernels);
  void forEach(StringRef what, size_t count,
               llvm::function_ref<void(MLIRContext &, size_t)> work);
  void choose(MLIRContext &context, Task &task) const;
  void compile(MLIRContext &context, Kernel &kernel) const;
  /// Compiles the kernels from number `first` on and prints their diagnostics;
  /// whether all is right that has to be.
  bool compileFrom(std::vector<Kernel> &kernels, size_t first, StringRef what);
  std::string placeOf(const Product &product) const {
    return request.inputPath + ":" + std::to_string(product.line);
  }

  const BundleRequest &request;
  std::vector<std::unique_ptr<MLIRContext>> contexts;
};

} // namespace

BundleMaker::BundleMaker(const BundleRequest &request,
                         const DialectRegistry &registry)
    : request(request) {
  unsigned jobs = request.jobs
                      ? request.jobs
                      : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < jobs; ++i) {
    auto &context = contexts.emplace_back(std::make_unique<MLIRContext>(
        registry, MLIRContext::Threading::DISABLED));
    context->printOpOnDiagnostic(false);
    context->allowUnregisteredDialects();
  }
}

/// Spreads `count` pieces of work over the contexts.
void BundleMaker::forEach(
    StringRef what, size_t count,
    llvm::function_ref<void(MLIRContext &, size_t)> work) {
  std::atomic<size_t> next = 0;
  Bar bar(what, count);
  auto run = [&](MLIRContext &context) {
    for (size_t i; (i = next++) < count; bar.advance())
      work(context, i);
  };
  std::vector<std::thread> threads;
  for (size_t i = 1; i < std::min(contexts.size(), count); ++i)
    threads.emplace_back(run, std::ref(*contexts[i]));
  run(*contexts.front());
  for (std::thread &thread : threads)
    thread.join();
}

static StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("all severities are listed");
}

/// The configuration that is chosen for the product that is `module`; empty
/// where a kernel of any M would be another one.
static std::string findSharedConfig(ModuleOp module, StringRef chip,
                                    const CompileOptions &options) {
  PipelineOptions pipeline;
  pipeline.chip = chip.str();
  pipeline.config = options.config;
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  buildOpenProblem(passes, pipeline);
  tmm::ChooseConfigPassOptions config;
  config.config = options.config;
  config.chip = chip.str();
  config.tuned = options.tuned;
  passes.addPass(tmm::createChooseConfigPass(config));
  if (failed(passes.run(module)))
    return "";
  Block &body = (*module.getOps<func::FuncOp>().begin()).front();
  // Copies of operands are made for the sizes that they have.
  Attribute chosen = body.front().getAttr("config");
  if (!chosen || body.getOperations().size() != 2)
    return "";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << chosen;
  return text;
}

/// A configuration without the size of the grid, which no kernel has in it.
static std::string withoutGrid(StringRef config) {
  return llvm::Regex("sms = [0-9]+").sub("sms = ", config);
}

/// Parses and collects diagnostics while `work` runs on the module. Those of a
/// list start with `place`, those of a module with their own.
template <typename Work>
static void withModule(MLIRContext &context, StringRef text, StringRef file,
                       StringRef place, Messages &messages, Work work) {
  llvm::raw_string_ostream os(messages.text);
  auto print = [&](Diagnostic &one) {
    auto loc = one.getLocation()->findInstanceOf<FileLineColLoc>();
    if (!place.empty())
      os << place;
    else if (loc)
      os << loc.getFilename().getValue() << ":" << loc.getLine() << ":"
         << loc.getColumn();
    else
      os << file;
    os << ": " << severityName(one.getSeverity()) << ": " << one.str() << "\n";
    messages.hasError |= one.getSeverity() == DiagnosticSeverity::Error;
  };
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    print(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      print(note);
  });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text, file),
                             llvm::SMLoc());
  if (OwningOpRef<ModuleOp> module = parseModule(sources, &context))
    work(*module);
}

void BundleMaker::choose(MLIRContext &context, Task &task) const {
  // Where rows of A are columns, M is the distance of neighbours, which has to
  // be known for TMA.
  if (task.product.transposeA || task.product.m == kAnySize)
    return;
  withModule(context, task.product.getFunction("matmul"), "",
             placeOf(task.product), task.messages, [&](ModuleOp module) {
               task.config =
                   findSharedConfig(module, task.chip, request.options);
             });
}

void BundleMaker::compile(MLIRContext &context, Kernel &kernel) const {
  withModule(context, kernel.text, request.inputPath, kernel.place,
             kernel.messages, [&](ModuleOp module) {
               CompileOptions options = request.options;
               options.chip = kernel.chip;
               if (succeeded(checkTargets(module, kernel.chip)))
                 kernel.output = compileModule(module, request.level, options);
             });
}

bool BundleMaker::compileFrom(std::vector<Kernel> &kernels, size_t first,
                              StringRef what) {
  forEach(what, kernels.size() - first, [&](MLIRContext &context, size_t i) {
    compile(context, kernels[first + i]);
  });
  bool isRight = true;
  for (const Kernel &kernel : llvm::ArrayRef(kernels).drop_front(first)) {
    if (failed(kernel.output) && kernel.isShared())
      continue;
    llvm::errs() << kernel.messages.text;
    isRight &= succeeded(kernel.output);
  }
  return isRight;
}

/// The functions of a kernel description.
static std::vector<std::string> functionsOf(StringRef description) {
  std::vector<std::string> names;
  llvm::Expected<llvm::json::Value> root = llvm::json::parse(description);
  if (!root) {
    llvm::consumeError(root.takeError());
    return names;
  }
  auto add = [&](const llvm::json::Object &one) {
    if (auto name = one.getString("function"))
      names.push_back(name->str());
  };
  if (const auto *object = root->getAsObject()) {
    if (const auto *functions = object->getArray("functions"))
      for (const llvm::json::Value &one : *functions)
        add(*one.getAsObject());
    else
      add(*object);
  }
  return names;
}

BundleResult BundleMaker::makeOfModule() {
  std::vector<Kernel> kernels;
  for (const std::string &chip : request.chips)
    kernels.push_back({chip, request.text, ""});
  if (!compileFrom(kernels, 0, "chips"))
    return {};
  BundleWriter writer;
  for (const Kernel &kernel : kernels) {
    const std::string &description = kernel.output->description;
    std::vector<std::string> names = functionsOf(description);
    for (const std::string &name : names)
      writer.add(name, kernel.chip, name, "", kernel.output->content,
                 description);
    if (!names.empty())
      continue;
    llvm::errs() << request.inputPath
                 << ": error: expected a function that launches kernels, got "
                    "kernels alone, which no description says how to launch\n";
    return {};
  }
  return {writer.write()};
}

bool BundleMaker::chooseAll(std::vector<Task> &tasks) {
  forEach("configurations", tasks.size(),
          [&](MLIRContext &context, size_t i) { choose(context, tasks[i]); });
  bool isRight = true;
  for (const Task &task : tasks) {
    llvm::errs() << task.messages.text;
    isRight &= !task.messages.hasError;
  }
  return isRight;
}

bool BundleMaker::compileAll(std::vector<Task> &tasks,
                             std::vector<Kernel> &kernels) {
  llvm::StringMap<size_t> known;
  // `text` is what the kernel is compiled from, or stands for it.
  auto demand = [&](Task &task, const std::string &text) -> Kernel & {
    auto [it, isNew] =
        known.try_emplace(task.chip + "\n" + text, kernels.size());
    if (isNew)
      kernels.push_back({task.chip, text, placeOf(task.product)});
    task.kernel = it->second;
    return kernels[task.kernel];
  };
  for (Task &task : tasks) {
    if (task.config.empty()) {
      demand(task, task.product.getFunction("matmul"));
      continue;
    }
    Kernel &kernel = demand(
        task, task.ofAnyM().getFunction("matmul", withoutGrid(task.config)));
    task.function =
        llvm::find(kernel.configs, task.config) - kernel.configs.begin();
    if (task.function == kernel.configs.size())
      kernel.configs.push_back(task.config);
  }
  // Now that all functions of a kernel are known.
  for (const Task &task : tasks) {
    Kernel &kernel = kernels[task.kernel];
    if (kernel.isShared())
      kernel.text.clear();
    for (auto [i, config] : llvm::enumerate(kernel.configs))
      kernel.text += task.ofAnyM().getFunction(kernel.functionName(i), config);
  }
  bool isRight = compileFrom(kernels, 0, "kernels");
  const size_t first = kernels.size();
  for (Task &task : tasks)
    if (kernels[task.kernel].isShared() && failed(kernels[task.kernel].output))
      demand(task, task.product.getFunction("matmul"));
  return compileFrom(kernels, first, "kernels of one M") && isRight;
}

BundleResult BundleMaker::makeOfList(llvm::ArrayRef<Product> products) {
  std::vector<Task> tasks;
  for (const Product &product : products)
    for (const std::string &chip : request.chips)
      tasks.push_back({product, chip});
  std::vector<Kernel> kernels;
  if (!chooseAll(tasks) || !compileAll(tasks, kernels))
    return {};
  BundleWriter writer;
  for (const Task &task : tasks) {
    const Kernel &kernel = kernels[task.kernel];
    writer.add(task.product.name, task.chip,
               kernel.configs.size() > 1 ? kernel.functionName(task.function)
                                         : "",
               kernel.isShared() ? "M=" + std::to_string(task.product.m) : "",
               kernel.output->content, kernel.output->description);
  }
  return {writer.write()};
}

BundleResult BundleMaker::make() {
  StringRef path = request.inputPath;
  if (path.ends_with(".mlir") || path.ends_with(".mlirbc"))
    return makeOfModule();
  auto products = readProducts(request.text, path, llvm::errs());
  if (!products)
    return {"", /*isBadInput=*/true};
  return makeOfList(*products);
}

BundleResult tc::makeBundle(const BundleRequest &request,
                            const DialectRegistry &registry) {
  return BundleMaker(request, registry).make();
}
