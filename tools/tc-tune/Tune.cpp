//===- Tune.cpp - candidates of a problem, compiled -------------*- C++ -*-===//
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

#include "tc/Dialect/TMM/IR/TMMAttrs.h"
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

/// The ops of `module` that have a configuration to be tuned.
static SmallVector<tmm::KernelFamilyOpInterface> findTuned(ModuleOp module) {
  SmallVector<tmm::KernelFamilyOpInterface> ops;
  module->walk([&](tmm::KernelFamilyOpInterface op) {
    if (op.takesConfig())
      ops.push_back(op);
  });
  return ops;
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

  SmallVector<tmm::KernelFamilyOpInterface> ops = findTuned(*module);
  auto refuse = [](Operation *at, size_t count) {
    at->emitError("expected one matmul to tune, got ") << count;
    return std::nullopt;
  };
  if (ops.size() != 1)
    return refuse(ops.empty() ? *module : ops[1].getOperation(), ops.size());
  FailureOr<schedule::MatmulConfig> option =
      tmm::parseConfig(context.get(), options.config);
  if (failed(option))
    return std::nullopt;
  FailureOr<std::unique_ptr<tmm::TuningProblem>> tuning =
      ops.front().getTuningProblem(
          {options.chip, *option, options.variants, options.configs});
  if (failed(tuning))
    return std::nullopt;
  if (!*tuning)
    return refuse(ops.front(), 0);
  Problem problem;
  problem.tuning = std::move(*tuning);
  problem.key = problem.tuning->getKey();
  for (tmm::TuningCandidate &candidate : problem.tuning->getCandidates())
    problem.candidates.emplace_back().candidate = std::move(candidate);
  llvm::raw_string_ostream os(problem.text);
  module->print(os);
  return problem;
}

/// Compiles the candidate `number` of `problem` in `context`; diagnostics go
/// elsewhere.
static LogicalResult compile(MLIRContext &context, const Problem &problem,
                             size_t number, const Options &options,
                             Compiled &candidate) {
  OwningOpRef<ModuleOp> module =
      parseSourceString<ModuleOp>(problem.text, ParserConfig(&context));
  if (!module)
    return failure();
  for (Operation *op : findTuned(*module))
    problem.tuning->configure(op, number);
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
  FailureOr<std::string> ptxas =
      findPtxas(getNamedPtxas(options.ptxas), home, emitError);
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
static void compileQuietly(const Problem &problem, size_t number,
                           const Options &options, Compiled &candidate) {
  std::unique_ptr<MLIRContext> context = makeContext();
  std::string errors;
  ScopedDiagnosticHandler handler(context.get(), [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
      errors += (errors.empty() ? "" : "; ") + diagnostic.str();
    return success();
  });
  if (failed(compile(*context, problem, number, options, candidate)))
    candidate.error = errors.empty() ? "it did not compile" : errors;
}

void tune::compileAll(MutableArrayRef<Problem> problems,
                      const Options &options) {
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.threads));
  for (Problem &problem : problems)
    for (size_t number = 0; number < problem.candidates.size(); ++number)
      pool.async([&problem, number, &options] {
        compileQuietly(problem, number, options, problem.candidates[number]);
      });
  pool.wait();
}

llvm::json::Value tune::describe(const Problem &problem) {
  llvm::json::Array candidates;
  for (const auto &[number, compiled] : llvm::enumerate(problem.candidates)) {
    const tmm::TuningCandidate &candidate = compiled.candidate;
    llvm::json::Object entry{{"number", number},
                             {"config", candidate.config},
                             {"cycles", candidate.cycles},
                             {"terms", llvm::json::Object(candidate.terms)},
                             {"shared_memory", candidate.smemBytes},
                             {"threads", candidate.threads}};
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
  llvm::json::Object entry = problem.tuning->getSizes();
  entry["key"] = problem.key;
  entry["candidates"] = std::move(candidates);
  return entry;
}
