//===- tc-tune.cpp - Candidates of a product to measure ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tc-tune IN.mlir... -o FOLDER [--chip=sm_90a] [--candidates=16]
//           [--sample --seed=1] [--within=2] [--config="..."] [--configs=FILE]
//
// Compiles the configurations of the product of each module that are worth
// measuring into FOLDER/KEY/NUMBER.ptx, .cubin and .json, and lists them in
// FOLDER/index.json, which `tc-run --tune FOLDER` reads. Exit status: 0
// success, 1 a product without a candidate, 2 bad input.
//
//===----------------------------------------------------------------------===//

#include "Tune.h"

#include "Common/LLVMOutput.h"

#include "tc/Support/Version.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>
#include <iostream>

using namespace tc;
using llvm::StringRef;
using llvm::Twine;

namespace cl = llvm::cl;

static cl::OptionCategory category("tc-tune options");
static cl::list<std::string> inputs(cl::Positional, cl::cat(category),
                                    cl::OneOrMore,
                                    cl::desc("<input .mlir...>"));
static cl::opt<std::string> outputPath("o", cl::cat(category),
                                       cl::value_desc("folder"),
                                       cl::desc("Where the candidates go"));
static cl::opt<std::string> chip("chip", cl::cat(category),
                                 cl::desc("Target of the kernels; native: "
                                          "this machine's first GPU"),
                                 cl::init("sm_100a"));
static cl::opt<std::string>
    config("config", cl::cat(category), cl::value_desc("fields"),
           cl::desc("Fields of every configuration, as of tc-compile"));
static cl::opt<std::string>
    configs("configs", cl::cat(category), cl::value_desc("file"),
            cl::desc("The configurations to compile after the model's choice, "
                     "one of each line, instead of what the model proposes"));
static cl::opt<std::string>
    f32("f32", cl::cat(category), cl::value_desc("products"),
        cl::desc("How matrices of f32 are multiplied, as of tc-compile"));
static cl::opt<unsigned>
    candidates("candidates", cl::cat(category), cl::value_desc("count"),
               cl::desc("Configurations of each product, the model's choice "
                        "first"),
               cl::init(16));
static cl::opt<double>
    within("within", cl::cat(category), cl::value_desc("factor"),
           cl::desc("None that is predicted to be slower than the fastest by "
                    "more than this factor"),
           cl::init(0));
static cl::opt<schedule::Draw> sample(
    "sample", cl::cat(category),
    cl::desc("Draw them at random instead of taking the best ones"),
    cl::values(clEnumValN(schedule::Draw::Uniform, "uniform",
                          "any is as likely as the others"),
               clEnumValN(schedule::Draw::Even, "even",
                          "as many from each part of the range of predicted "
                          "times")),
    cl::init(schedule::Draw::None));
static cl::opt<uint64_t> seed("seed", cl::cat(category),
                              cl::desc("What --sample draws"), cl::init(1));
static cl::opt<std::string>
    emitName("emit", cl::cat(category), cl::value_desc("level"),
             cl::desc("ptx, or cubin (default) besides"), cl::init("cubin"));
static cl::opt<bool> list("list", cl::cat(category),
                          cl::desc("Print the candidates and compile nothing"));
static cl::opt<bool>
    predicts("predict", cl::cat(category), cl::Hidden,
             cl::desc("Read constants of the model and configurations from "
                      "stdin and print cycles, for scripts/calibrate"));
static cl::opt<unsigned> jobs("jobs", cl::cat(category),
                              cl::value_desc("count"),
                              cl::desc("Candidates compiled at a time, default "
                                       "all cores"),
                              cl::init(0));
static cl::opt<std::string> ptxasPath("ptxas", cl::cat(category),
                                      cl::value_desc("path"),
                                      cl::desc("The assembler for cubins"));

namespace {
enum ExitStatus { Success = 0, NoCandidate = 1, BadInput = 2 };
} // namespace

static int error(ExitStatus status, const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "tc-tune") << message << "\n";
  return status;
}

/// Writes the file `name` of the folder; an error has been reported otherwise.
static bool write(const Twine &name, StringRef content) {
  llvm::SmallString<128> path(outputPath);
  llvm::sys::path::append(path, name);
  std::error_code code =
      llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
  llvm::Error failure =
      code ? llvm::errorCodeToError(code)
           : llvm::writeToOutput(path,
                                 [&](llvm::raw_ostream &os) -> llvm::Error {
                                   os << content;
                                   return llvm::Error::success();
                                 });
  if (!failure)
    return true;
  error(BadInput, "cannot write '" + path + "': " +
                      llvm::errorToErrorCode(std::move(failure)).message());
  return false;
}

static int writeAll(llvm::ArrayRef<tune::Problem> problems,
                    const std::string &target) {
  int status = Success;
  llvm::json::Array entries;
  for (const tune::Problem &problem : problems) {
    size_t compiled = 0;
    for (const auto &[number, candidate] :
         llvm::enumerate(problem.candidates)) {
      if (!candidate.error.empty())
        continue;
      ++compiled;
      std::string name = problem.key + "/" + std::to_string(number);
      if (!write(name + ".ptx", candidate.ptx) ||
          !write(name + ".json", candidate.description) ||
          (!candidate.cubin.empty() &&
           !write(name + ".cubin", candidate.cubin)))
        return BadInput;
    }
    if (!write(problem.key + "/problem.mlir", problem.text))
      return BadInput;
    entries.push_back(describe(problem));
    llvm::outs() << problem.key << ": " << compiled << " of "
                 << problem.candidates.size() << " candidates compiled\n";
    if (!compiled)
      status = error(NoCandidate, problem.key + ": no candidate compiled: " +
                                      problem.candidates.front().error);
  }
  // Last: a folder with an index is complete.
  llvm::json::Object index{{"version", 1},
                           {"chip", target},
                           {"compiler", kProjectVersion},
                           {"problems", std::move(entries)}};
  if (!write(
          "index.json",
          llvm::formatv("{0:2}\n", llvm::json::Value(std::move(index))).str()))
    return BadInput;
  return status;
}

static void print(llvm::ArrayRef<tune::Problem> problems) {
  for (const tune::Problem &problem : problems) {
    llvm::outs() << problem.key << "\n";
    for (const auto &[number, candidate] : llvm::enumerate(problem.candidates))
      llvm::outs() << llvm::formatv(
          "{0,4} {1,12} cycles  {2}\n", number,
          schedule::formatCycles(candidate.candidate.cycles),
          candidate.candidate.config);
  }
}

/// What is wrong with options that do not go together; empty: nothing.
static std::string explainBadUse() {
  if (outputPath.empty() && !list && !predicts)
    return "-o: expected a folder";
  if (emitName != "ptx" && emitName != "cubin")
    return "--emit: expected ptx or cubin, got '" + emitName + "'";
  if (candidates == 0)
    return "--candidates: expected a positive number, got 0";
  if (within.getNumOccurrences() && !(within >= 1))
    return "--within: expected a factor of at least 1, got " +
           llvm::formatv("{0}", within.getValue()).str();
  for (const cl::Option *other : {static_cast<cl::Option *>(&list),
                                  static_cast<cl::Option *>(&outputPath),
                                  static_cast<cl::Option *>(&sample),
                                  static_cast<cl::Option *>(&candidates),
                                  static_cast<cl::Option *>(&configs)})
    if (predicts && other->getNumOccurrences())
      return "--predict: expected no -" +
             std::string(other->ArgStr.size() > 1, '-') + other->ArgStr.str() +
             " with it";
  if (!configs.empty() &&
      (sample != schedule::Draw::None || within.getNumOccurrences() ||
       candidates.getNumOccurrences()))
    return "--configs: expected no --candidates, --sample and "
           "--within with it";
  if (seed.getNumOccurrences() && sample == schedule::Draw::None)
    return "--seed: expected --sample with it";
  return "";
}

/// Reads the configurations of --configs into `lines`; what is wrong with them,
/// or nothing.
static std::string readConfigs(std::vector<std::string> &lines) {
  if (configs.empty())
    return "";
  auto file = llvm::MemoryBuffer::getFile(configs, /*IsText=*/true);
  if (std::error_code code = file.getError())
    return "--configs: cannot read '" + configs + "': " + code.message();
  for (StringRef rest = (*file)->getBuffer(); !rest.empty();) {
    auto [line, after] = rest.split('\n');
    if (!line.trim().empty() && !line.trim().starts_with("#"))
      lines.push_back(line.trim().str());
    rest = after;
  }
  if (lines.empty())
    return "--configs: expected a configuration in '" + configs + "', got none";
  return "";
}

int main(int argc, char **argv) {
  tools::watchOutput("tc-tune");
  llvm::InitLLVM init(argc, argv);
  setVersionPrinter("tc-tune");
  cl::HideUnrelatedOptions(category);
  std::string message;
  llvm::raw_string_ostream messages(message);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Compiles configurations of a product to be measured\n",
          &messages)) {
    llvm::errs() << message;
    return BadInput;
  }
  if (std::string bad = explainBadUse(); !bad.empty())
    return error(BadInput, bad);
  CompileOptions compiler;
  compiler.chip = chip;
  compiler.f32 = f32;
  std::string bad = resolveChip(compiler.chip);
  if (bad.empty())
    bad = explainBadOptions(compiler, tune::makeContext().get());
  if (!bad.empty())
    return error(BadInput, "--" + bad);

  tune::Options options;
  options.chip = compiler.chip;
  options.config = config;
  options.f32 = f32;
  options.ptxas = ptxasPath;
  // What is predicted is given.
  options.variants = {predicts ? 1U : candidates, sample, seed, within};
  options.assembles = emitName == "cubin";
  options.threads = jobs;
  if (bad = readConfigs(options.configs); !bad.empty())
    return error(BadInput, bad);
  std::vector<tune::Problem> problems;
  for (const std::string &path : inputs) {
    std::optional<tune::Problem> problem = tune::readProblem(path, options);
    if (!problem)
      return BadInput;
    for (const tune::Problem &other : problems)
      if (other.key == problem->key)
        return error(BadInput, "'" + path + "': its product, " + other.key +
                                   ", is that of another input");
    problems.push_back(std::move(*problem));
  }
  if (list) {
    print(problems);
    return Success;
  }
  if (predicts) {
    std::string bad = tune::predict(problems, std::cin);
    // std::cin reports a read error as the end of the input.
    if (bad.empty() && std::ferror(stdin))
      bad = "cannot read standard input";
    return bad.empty() ? Success : error(BadInput, "--predict: " + bad);
  }
  tune::compileAll(problems, options);
  return writeAll(problems, options.chip);
}
