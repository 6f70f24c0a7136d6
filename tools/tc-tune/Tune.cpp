//===- Tune.cpp - candidates of a product, compiled -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each candidate is compiled from the module in problem form, with its
// configuration written into it, in a context of its own: contexts share
// nothing, so that there can be one for each thread.
//
//===----------------------------------------------------------------------===//

#include "Tune.h"

#include "tc/Dialect/TMM/Configure/ConfigTranslation.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Target/PTX/Ptxas.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace tc;
using namespace tc::tune;
using tc::tmm::MatmulOp;

std::unique_ptr<MLIRContext> tune::makeContext() {
  DialectRegistry registry;
  registerPipelineDialects(registry);
  auto context =
      std::make_unique<MLIRContext>(registry, MLIRContext::Threading::DISABLED);
  context->printOpOnDiagnostic(false);
  context->allowUnregisteredDialects();
  return context;
}

/// Parses the file `path`.
static OwningOpRef<ModuleOp> readModule(const std::string &path,
                                        const Options &options,
                                        llvm::SourceMgr &sources,
                                        MLIRContext *context) {
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (std::error_code code = file.getError()) {
    llvm::WithColor::error(llvm::errs(), "tc-tune")
        << "cannot read '" << path << "': " << code.message() << "\n";
    return nullptr;
  }
  sources.AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  // Diagnostics about the option show its text.
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(options.config, tmm::kConfigOption),
      llvm::SMLoc());
  return parseModule(sources, context);
}

/// The choice for `given`, and variants of it.
static std::vector<schedule::Candidate>
choose(const schedule::MatmulConfig &given, const Problem &problem,
       const Options &options) {
  // The choice alone is found without the others.
  const bool isAlone = !options.configs.empty() || options.variants.count == 1;
  std::vector<schedule::Candidate> chosen =
      isAlone
          ? schedule::rankCandidates(given, problem.facts, problem.machine)
          : schedule::chooseVariants(
                schedule::listVariants(given, problem.facts, problem.machine),
                options.variants);
  if (isAlone && !chosen.empty())
    chosen.erase(chosen.begin() + 1, chosen.end());
  return chosen;
}

/// Adds the configurations `texts`, with the fields of `given` where they are
/// open.
static bool addAsked(MatmulOp op, const schedule::MatmulConfig &given,
                     const Problem &problem,
                     const std::vector<std::string> &texts,
                     std::vector<schedule::Candidate> &chosen) {
  for (const std::string &text : texts) {
    FailureOr<schedule::MatmulConfig> fields =
        tmm::parseConfig(op->getContext(), text);
    if (failed(fields))
      return false;
    schedule::MatmulConfig asked = schedule::merge(given, *fields);
    schedule::Candidate candidate{asked, {}};
    std::optional<std::string> error =
        schedule::findConfigError(asked, problem.facts, problem.machine);
    if (!error) {
      candidate.config =
          schedule::completeConfig(asked, problem.facts, problem.machine);
      error = schedule::findResourceError(candidate.config, problem.facts,
                                          problem.machine);
    }
    if (error) {
      op.emitOpError() << "configuration " << text << ": " << *error;
      return false;
    }
    candidate.estimate =
        schedule::estimate(candidate.config, problem.facts, problem.machine);
    chosen.push_back(std::move(candidate));
  }
  return true;
}

std::optional<Problem> tune::readProblem(const std::string &path,
                                         const Options &options) {
  std::unique_ptr<MLIRContext> context = makeContext();
  auto sources = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler handler(*sources, context.get());
  OwningOpRef<ModuleOp> module =
      readModule(path, options, *sources, context.get());
  if (!module)
    return std::nullopt;
  PipelineOptions pipeline;
  pipeline.chip = options.chip;
  pipeline.config = options.config;
  pipeline.f32 = options.f32;
  PassManager passes(context.get(), ModuleOp::getOperationName());
  buildOpenProblem(passes, pipeline);
  if (failed(passes.run(*module)))
    return std::nullopt;

  SmallVector<MatmulOp> products;
  module->walk([&](MatmulOp op) { products.push_back(op); });
  if (products.size() != 1) {
    Operation *at = products.empty() ? *module : products[1].getOperation();
    at->emitError("expected one matmul to tune, got ") << products.size();
    return std::nullopt;
  }
  MatmulOp op = products.front();
  auto emitError = [&] { return op.emitError("chip option: "); };
  FailureOr<schedule::MatmulConfig> option =
      tmm::parseConfig(context.get(), options.config);
  if (failed(option))
    return std::nullopt;
  FailureOr<schedule::Machine> machine =
      tmm::getMachine(context.get(), options.chip, *option, emitError);
  if (failed(machine))
    return std::nullopt;
  schedule::MatmulConfig given = schedule::merge(tmm::getConfig(op), *option);
  Problem problem;
  problem.key = tmm::getProblemKey(op);
  problem.facts = tmm::getProblem(op, *machine);
  problem.machine = *machine;
  if (auto error = schedule::findConfigError(given, problem.facts, *machine)) {
    op.emitOpError() << "configuration: " << *error;
    return std::nullopt;
  }
  std::vector<schedule::Candidate> chosen = choose(given, problem, options);
  if (chosen.empty()) {
    schedule::MatmulConfig least =
        schedule::completeConfig(given, problem.facts, *machine);
    op.emitOpError() << "configuration: "
                     << schedule::findResourceError(least, problem.facts,
                                                    *machine)
                            .value_or("nothing fits");
    return std::nullopt;
  }
  if (!addAsked(op, given, problem, options.configs, chosen))
    return std::nullopt;
  for (schedule::Candidate &candidate : chosen) {
    Compiled &compiled = problem.candidates.emplace_back();
    schedule::MatmulProblem kernel =
        schedule::getKernelProblem(candidate.config, problem.facts);
    compiled.smemBytes =
        schedule::getSmemBudget(candidate.config, kernel).total;
    compiled.threads = schedule::getThreads(candidate.config, kernel);
    compiled.candidate = std::move(candidate);
  }
  llvm::raw_string_ostream os(problem.text);
  module->print(os);
  return problem;
}

/// Compiles `candidate` of `problem` in `context`; diagnostics go elsewhere.
static LogicalResult compile(MLIRContext &context, const Problem &problem,
                             const Options &options, Compiled &candidate) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(problem.text, ParserConfig(&context));
  if (!module)
    return failure();
  module->walk([&](MatmulOp op) {
    op.setConfigAttr(
        tmm::ConfigAttr::get(&context, candidate.candidate.config));
  });
  CompileOptions compiler;
  compiler.chip = options.chip;
  FailureOr<CompileOutput> output =
      compileModule(*module, Level::PTX, compiler);
  if (failed(output))
    return failure();
  candidate.ptx = std::move(output->content);
  candidate.description = std::move(output->description);
  if (!options.assembles)
    return success();
  auto emitError = [&] { return mlir::emitError(module->getLoc()); };
  std::string home = llvm::sys::Process::GetEnv("CUDA_HOME").value_or("");
  FailureOr<std::string> ptxas = findPtxas(options.ptxas, home, emitError);
  if (failed(ptxas))
    return failure();
  FailureOr<Cubin> cubin =
      assemblePTX(candidate.ptx, options.chip, *ptxas, emitError);
  if (failed(cubin))
    return failure();
  candidate.cubin = std::move(cubin->binary);
  for (const KernelResources &kernel : cubin->kernels) {
    candidate.registers = std::max(candidate.registers, kernel.registers);
    candidate.spilledBytes += kernel.spillStores + kernel.spillLoads;
    // Not worth measuring, nor what the model speaks of.
    if (kernel.serializesWgmma)
      return emitError() << describeLoss(kernel);
  }
  return success();
}

/// The same, with its diagnostics as its error.
static void compileQuietly(const Problem &problem, const Options &options,
                           Compiled &candidate) {
  std::unique_ptr<MLIRContext> context = makeContext();
  std::string errors;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += (errors.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  if (failed(compile(*context, problem, options, candidate)))
    candidate.error = errors.empty() ? "it did not compile" : errors;
}

void tune::compileAll(MutableArrayRef<Problem> problems,
                      const Options &options) {
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
  for (Problem &problem : problems)
    for (Compiled &candidate : problem.candidates)
      pool.async([&problem, &candidate, &options] {
        compileQuietly(problem, options, candidate);
      });
  pool.wait();
}

/// The terms of the model, of which `cycles` is made.
static llvm::json::Object describe(const schedule::Estimate &estimate) {
  return llvm::json::Object{{"blocks", estimate.blocks},
                            {"waves", estimate.waves},
                            {"busy", estimate.busy},
                            {"matrix_unit", estimate.block.mma},
                            {"shared_memory_reads", estimate.block.smemRead},
                            {"fill", estimate.block.fill},
                            {"load_latency", estimate.block.loadLatency},
                            {"l2_cache", estimate.block.l2},
                            {"promotion", estimate.block.promotion},
                            {"setup", estimate.setup},
                            {"mainloop", estimate.mainloop},
                            {"epilogue", estimate.epilogue},
                            {"global_memory", estimate.dram},
                            {"bytes_loaded", estimate.traffic},
                            {"sum_of_parts", estimate.sum},
                            {"loaded_bytes", estimate.loadedBytes},
                            {"bound", schedule::getBoundName(estimate.bound)}};
}

llvm::json::Value tune::describe(const Problem &problem) {
  llvm::json::Array candidates;
  for (const auto &[number, compiled] : llvm::enumerate(problem.candidates)) {
    const schedule::Estimate &estimate = compiled.candidate.estimate;
    llvm::json::Object entry{
        {"number", number},
        {"config", schedule::formatConfig(compiled.candidate.config)},
        {"cycles", estimate.cycles},
        {"terms", ::describe(estimate)},
        {"shared_memory", compiled.smemBytes},
        {"threads", compiled.threads}};
    if (!compiled.error.empty())
      entry["error"] = compiled.error;
    else
      entry["file"] = problem.key + "/" + std::to_string(number);
    if (!compiled.cubin.empty()) {
      entry["registers"] = compiled.registers;
      entry["spilled_bytes"] = compiled.spilledBytes;
      entry["cubin_bytes"] = compiled.cubin.size();
    }
    candidates.push_back(std::move(entry));
  }
  return llvm::json::Object{
      {"key", problem.key},           {"m", problem.facts.m},
      {"n", problem.facts.n},         {"k", problem.facts.k},
      {"batch", problem.facts.batch}, {"candidates", std::move(candidates)}};
}
