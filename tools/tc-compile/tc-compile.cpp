//===- tc-compile.cpp - from IR to PTX in one command -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
//   tc-compile IN.mlir [-o OUT.ptx|.cubin|.ll|.mlir] [--emit=LEVEL]
//              [--chip=sm_100a] [--config="..."] [--explain[=json]]
//              [--tuned=FILE] [--ptxas=PATH]
//   tc-compile --bundle PRODUCTS.txt|IN.mlir -o OUT.tcb [--emit=ptx|cubin]
//              [--chip=sm_90a,sm_100a] [--jobs=N] [...]
//
// Lowers a module as far as the output asks for. Beside a .ptx or .cubin it
// writes the kernel description, OUT.json. Everything is made in memory first
// and files appear by renaming, so that an error leaves none. Exit status: 0
// success, 1 the module cannot be compiled, 2 bad input.
//
//===----------------------------------------------------------------------===//

#include "Bundle.h"
#include "WrapLines.h"

#include "Common/LLVMOutput.h"

#include "tc/Compiler/Compile.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/Version.h"
#include "tc/Target/PTX/Ptxas.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#ifdef TC_BUILD_TEST_LIB
namespace tc {
void registerTestLib(mlir::DialectRegistry &registry); // test/lib
} // namespace tc
#endif

using namespace mlir;
using namespace tc;

namespace cl = llvm::cl;

static cl::OptionCategory category("tc-compile options");
static cl::opt<std::string> inputPath(cl::Positional, cl::cat(category),
                                      cl::desc("<input .mlir, - for stdin>"),
                                      cl::init("-"));
static cl::opt<std::string>
    outputPath("o", cl::cat(category), cl::value_desc("file"),
               cl::desc("Output; .ptx, .cubin, .ll and .mlir choose what is "
                        "written, - is stdout"),
               cl::init("-"));
static cl::opt<std::string>
    emitName("emit", cl::cat(category), cl::value_desc("level"),
             cl::desc("tmm, tiles, roles, tcgen05, nvvm, llvm, ptx or cubin; "
                      "default by the output's suffix, else ptx"));
static cl::opt<std::string> chip("chip", cl::cat(category),
                                 cl::desc("Target of the kernels; native: "
                                          "this machine's first GPU; with "
                                          "--bundle several, as "
                                          "\"sm_90a,sm_100a\""),
                                 cl::init("sm_100a"));
static cl::opt<std::string>
    config("config", cl::cat(category), cl::value_desc("fields"),
           cl::desc("Fields of the configuration of every matmul, as "
                    "\"tile=128x128x64 stages=1\""));
static cl::opt<std::string>
    tuned("tuned", cl::cat(category), cl::value_desc("file"),
          cl::desc("Table of measured configurations, as tc-run --tune writes "
                   "it; default TC_TUNED, none where empty"));
static cl::opt<std::string>
    explain("explain", cl::cat(category), cl::value_desc("words|json"),
            cl::ValueOptional,
            cl::desc("Say on stderr how each matmul is configured and why"),
            cl::init(""));
static cl::opt<bool>
    allowTf32("allow-tf32", cl::cat(category),
              cl::desc("Multiply matrices of f32 in linalg as tf32, without "
                       "the low 13 bits of each element"));
static cl::opt<std::string>
    f32("f32", cl::cat(category), cl::value_desc("products"),
        cl::desc("How matrices of f32 in linalg are multiplied: tf32 as with "
                 "--allow-tf32, or as sums of products of parts, tf32x3, "
                 "bf16x3 or bf16x9; narrow: rounded to bf16 or f16 beside an "
                 "operand widened from it, else bf16x9; fma without a matrix "
                 "unit, or refuse; bf16x9 where not given"));
static cl::opt<std::string> ptxasPath("ptxas", cl::cat(category),
                                      cl::value_desc("path"),
                                      cl::desc("The assembler for cubins, "
                                               "else $TC_PTXAS, else that of "
                                               "PATH or CUDA_HOME"));

static cl::opt<bool>
    bundle("bundle", cl::cat(category),
           cl::desc("Compile a list of products, a line \"M N K A B D "
                    "LAYOUT\" each, or a module into one file (.tcb) that "
                    "tc-run, the C interface and Python load without LLVM"));
static cl::opt<unsigned>
    jobs("jobs", cl::cat(category), cl::value_desc("number"),
         cl::desc("Threads with --bundle; one per core where not given"),
         cl::init(0));

namespace {

enum ExitStatus { Success = 0, CompileError = 1, BadInput = 2 };

/// A file that is to be written, complete in memory.
struct Output {
  std::string path;
  std::string content;
};

} // namespace

static int error(ExitStatus status, const Twine &message) {
  llvm::WithColor::error(llvm::errs(), "tc-compile") << message << "\n";
  return status;
}

/// The suffix that files of `level` have.
static StringRef suffixOf(Level level) {
  switch (level) {
  case Level::LLVM:
    return ".ll";
  case Level::PTX:
    return ".ptx";
  case Level::Cubin:
    return ".cubin";
  default:
    return ".mlir";
  }
}

/// What to emit: --emit, else the suffix of the output, else PTX. Emits an
/// error and returns nothing where the two contradict each other.
static std::optional<Level> chooseLevel() {
  StringRef suffix = llvm::sys::path::extension(outputPath);
  bool isKnown = llvm::is_contained({".ll", ".ptx", ".cubin", ".mlir"}, suffix);
  if (!emitName.empty()) {
    std::optional<Level> level = findLevel(emitName);
    if (!level)
      error(BadInput,
            "--emit: expected " + listLevels() + ", got '" + emitName + "'");
    else if (isKnown && suffix != suffixOf(*level))
      error(BadInput, "--emit=" + emitName + ": expected an output with " +
                          suffixOf(*level) + ", got '" + outputPath + "'");
    else
      return level;
    return std::nullopt;
  }
  if (outputPath == "-" || suffix == ".ptx")
    return Level::PTX;
  if (suffix == ".cubin")
    return Level::Cubin;
  if (suffix == ".ll")
    return Level::LLVM;
  if (suffix == ".mlir")
    error(BadInput, "'" + outputPath +
                        "': --emit says which level a .mlir file has: tmm, "
                        "tiles, roles, tcgen05 or nvvm");
  else
    error(BadInput, "'" + outputPath +
                        "': expected an output with .ptx, .cubin, .ll or "
                        ".mlir, or --emit");
  return std::nullopt;
}

/// Whether `path` is a device or a pipe, which nothing can replace.
static bool isSpecial(StringRef path) {
  llvm::sys::fs::file_status status;
  return path != "-" && !llvm::sys::fs::status(path, status) &&
         status.type() != llvm::sys::fs::file_type::regular_file &&
         status.type() != llvm::sys::fs::file_type::directory_file;
}

/// The files that `output` becomes.
static SmallVector<Output> makeFiles(CompileOutput output, Level level) {
  SmallVector<Output> files;
  files.push_back({outputPath, level <= Level::NVVM
                                   ? wrapLines(output.content)
                                   : std::move(output.content)});
  if (outputPath == "-" || isSpecial(outputPath) || output.description.empty())
    return files;
  SmallString<128> path(outputPath);
  llvm::sys::path::replace_extension(path, ".json");
  files.push_back({std::string(path), std::move(output.description)});
  return files;
}

/// Writes a temporary file, which replaces the one at `path` and has its
/// permissions. A link is followed; devices and pipes take the bytes as they
/// come.
static llvm::Error writeFile(StringRef path, StringRef content) {
  if (isSpecial(path)) {
    std::error_code code;
    llvm::raw_fd_ostream os(path, code, llvm::sys::fs::CD_OpenExisting);
    if (!code) {
      os << content;
      os.close();
      code = os.error();
      os.clear_error();
    }
    return llvm::errorCodeToError(code);
  }
  SmallString<128> target(path);
  std::optional<llvm::sys::fs::perms> permissions;
  if (path != "-" && llvm::sys::fs::exists(path)) {
    if (std::error_code code = llvm::sys::fs::real_path(path, target))
      return llvm::errorCodeToError(code);
    if (auto found = llvm::sys::fs::getPermissions(target))
      permissions = *found;
  }
  llvm::Error failure =
      llvm::writeToOutput(target, [&](llvm::raw_ostream &os) -> llvm::Error {
        os << content;
        return llvm::Error::success();
      });
  if (!failure && permissions)
    failure = llvm::errorCodeToError(
        llvm::sys::fs::setPermissions(target, *permissions));
  return failure;
}

/// Writes all files or none: what was written goes if a later one fails.
static int writeOutputs(ArrayRef<Output> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    llvm::Error failure = writeFile(outputs[i].path, outputs[i].content);
    if (!failure)
      continue;
    for (const Output &written : outputs.take_front(i))
      llvm::sys::fs::remove(written.path);
    return error(BadInput,
                 "cannot write '" + outputs[i].path + "': " +
                     llvm::errorToErrorCode(std::move(failure)).message());
  }
  return Success;
}

/// Refuses what explainBadOptions says of an option or of a variable.
static int refuseOptions(StringRef bad) {
  if (!tuned.getNumOccurrences() && bad.consume_front("tuned"))
    return error(BadInput, "TC_TUNED" + bad);
  return error(BadInput, "--" + bad);
}

/// What --bundle does in place of one module.
static int compileBundle(const CompileOptions &options,
                         const DialectRegistry &registry) {
  if (llvm::sys::path::extension(outputPath) != ".tcb")
    return error(BadInput, "--bundle: expected an output with .tcb, got '" +
                               outputPath + "'");
  std::optional<Level> level =
      emitName.empty() ? Level::PTX : findLevel(emitName);
  if (level != Level::PTX && level != Level::Cubin)
    return error(BadInput, "--bundle: expected --emit=ptx or cubin, got '" +
                               emitName + "'");
  if (!options.explain.empty())
    return error(BadInput, "--bundle: expected no --explain with it");
  std::vector<std::string> chips;
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  for (StringRef one : llvm::split(chip, ",")) {
    CompileOptions ofChip = options;
    ofChip.chip = one.str();
    std::string bad = resolveChip(ofChip.chip);
    if (bad.empty())
      bad = explainBadOptions(ofChip, &context);
    if (!bad.empty())
      return refuseOptions(bad);
    if (llvm::is_contained(chips, ofChip.chip))
      return error(BadInput, "--chip: expected each chip once, got '" +
                                 ofChip.chip + "' twice");
    chips.push_back(ofChip.chip);
  }
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(inputPath);
  if (std::error_code code = file.getError())
    return error(BadInput,
                 "cannot read '" + inputPath + "': " + code.message());
  BundleResult result = makeBundle(
      {inputPath, (*file)->getBuffer().str(), chips, *level, options, jobs},
      registry);
  if (result.content.empty())
    return result.isBadInput ? BadInput : CompileError;
  Output output;
  output.path = outputPath;
  output.content = std::move(result.content);
  return writeOutputs(output);
}

/// The assembler that a cubin would be made with, and the PTX that it takes.
static void printPtxas(llvm::raw_ostream &os) {
  std::string home = llvm::sys::Process::GetEnv("CUDA_HOME").value_or("");
  std::optional<std::string> found =
      lookUpPtxas(getNamedPtxas(ptxasPath), home);
  os << "  ptxas: ";
  if (!found) {
    os << "none\n";
    return;
  }
  os << *found;
  if (std::optional<unsigned> release = getPtxasRelease(*found)) {
    unsigned latest = getPtxVersionOfRelease(*release);
    os << ", CUDA " << *release / 10 << "." << *release % 10 << ", PTX up to "
       << latest / 10 << "." << latest % 10;
  }
  os << "\n";
}

/// The options that a module is compiled with, but for a chip that is native.
static CompileOptions makeOptions() {
  CompileOptions options;
  options.chip = chip;
  options.config = config;
  options.tuned = tuned.getNumOccurrences()
                      ? tuned.getValue()
                      : llvm::sys::Process::GetEnv("TC_TUNED").value_or("");
  options.allowTf32 = allowTf32;
  options.ptxas = ptxasPath;
  options.f32 = f32;
  if (explain.getNumOccurrences())
    options.explain = explain.empty() ? "words" : explain.getValue();
  return options;
}

int main(int argc, char **argv) {
  tools::watchOutput("tc-compile");
  llvm::InitLLVM init(argc, argv);
  cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    printVersion(os, "tc-compile");
    printPtxas(os);
  });
  cl::HideUnrelatedOptions(category);
  std::string message;
  llvm::raw_string_ostream messages(message);
  if (!cl::ParseCommandLineOptions(
          argc, argv, "Compiles matrix multiplications to Blackwell PTX\n",
          &messages)) {
    llvm::errs() << message;
    return BadInput;
  }
  if (!llvm::is_contained({"", "words", "json"}, StringRef(explain)))
    return error(BadInput,
                 "--explain: expected words or json, got '" + explain + "'");
  CompileOptions options = makeOptions();
  DialectRegistry registry;
  registerPipelineDialects(registry);
#ifdef TC_BUILD_TEST_LIB
  registerTestLib(registry);
#endif
  if (bundle)
    return compileBundle(options, registry);
  if (jobs.getNumOccurrences())
    return error(BadInput, "--jobs: expected --bundle with it");
  std::optional<Level> level = chooseLevel();
  if (!level)
    return BadInput;
  if (std::string bad = resolveChip(options.chip); !bad.empty())
    return error(BadInput, "--" + bad);
  if (ptxasPath.getNumOccurrences() && *level != Level::Cubin)
    llvm::WithColor::warning(llvm::errs(), "tc-compile")
        << "--ptxas: nothing is assembled without --emit=cubin\n";

  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  if (std::string bad = explainBadOptions(options, &context); !bad.empty())
    return refuseOptions(bad);
  context.printOpOnDiagnostic(false);
  // The pipeline says what it drops and what it refuses.
  context.allowUnregisteredDialects();
  auto sources = std::make_shared<llvm::SourceMgr>();
  SourceMgrDiagnosticHandler handler(*sources, &context);
  auto file = llvm::MemoryBuffer::getFileOrSTDIN(inputPath, /*IsText=*/true);
  if (std::error_code code = file.getError())
    return error(BadInput,
                 "cannot read '" + inputPath + "': " + code.message());
  sources->AddNewSourceBuffer(std::move(*file), llvm::SMLoc());
  // Diagnostics about the option show its text.
  sources->AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBuffer(config, tmm::kConfigOption),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseModule(*sources, &context);
  // The option only applies to kernels that are still to be made.
  if (!module ||
      (chip.getNumOccurrences() && failed(checkTargets(*module, options.chip))))
    return BadInput;

  useThreadsForLargeModule(*module);
  FailureOr<CompileOutput> output = compileModule(*module, *level, options);
  if (failed(output))
    return CompileError;
  return writeOutputs(makeFiles(std::move(*output), *level));
}
