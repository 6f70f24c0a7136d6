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
//              [--ptxas=PATH]
//
// Lowers a module as far as the output asks for. Beside a .ptx or .cubin it
// writes the kernel description, OUT.json. Everything is made in memory first
// and files appear by renaming, so that an error leaves none. Exit status: 0
// success, 1 the module cannot be compiled, 2 bad input.
//
//===----------------------------------------------------------------------===//

#include "WrapLines.h"

#include "tc/Compiler/Pipelines.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulConfig.h"
#include "tc/Support/Units.h"
#include "tc/Support/Version.h"
#include "tc/Target/PTX/KernelDescription.h"
#include "tc/Target/PTX/PTX.h"
#include "tc/Target/PTX/Ptxas.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tc;

/// Operations of a module from which on several threads compile it.
static constexpr size_t kManyOperations = 100;
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
                                 cl::desc("Target of the kernels"),
                                 cl::init("sm_100a"));
static cl::opt<std::string>
    config("config", cl::cat(category), cl::value_desc("fields"),
           cl::desc("Fields of the configuration of every matmul, as "
                    "\"tile=128x128x64 stages=1\""));
static cl::opt<std::string>
    explain("explain", cl::cat(category), cl::value_desc("words|json"),
            cl::ValueOptional,
            cl::desc("Say on stderr how each matmul is configured and why"),
            cl::init(""));
static cl::opt<bool>
    allowTf32("allow-tf32", cl::cat(category),
              cl::desc("Multiply matrices of f32 in linalg as tf32, without "
                       "the low 13 bits of each element"));
static cl::opt<std::string> ptxasPath("ptxas", cl::cat(category),
                                      cl::value_desc("path"),
                                      cl::desc("The assembler for cubins"));

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

static std::optional<Level> levelOfName(StringRef name) {
  return llvm::StringSwitch<std::optional<Level>>(name)
      .Case("tmm", Level::TMM)
      .Case("tiles", Level::Tiles)
      .Case("roles", Level::Roles)
      .Case("tcgen05", Level::TCGen05)
      .Case("nvvm", Level::NVVM)
      .Case("llvm", Level::LLVM)
      .Case("ptx", Level::PTX)
      .Case("cubin", Level::Cubin)
      .Default(std::nullopt);
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
    std::optional<Level> level = levelOfName(emitName);
    if (!level)
      error(BadInput, "--emit: expected tmm, tiles, roles, tcgen05, nvvm, "
                      "llvm, ptx or cubin, got '" +
                          emitName + "'");
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

static bool canCompile(const TargetFacts &facts) {
  return !getMatrixUnits(facts).empty();
}

static bool checkChip() {
  const TargetFacts *target = getTarget(chip);
  if (target && canCompile(*target))
    return true;
  std::string known;
  for (const TargetFacts &facts : getTargets())
    if (canCompile(facts))
      known += (known.empty() ? "" : ", ") + facts.chip.str();
  StringRef reason = target ? "has no matrix unit that kernels are lowered for"
                            : "is not known";
  error(BadInput,
        "--chip: '" + chip + "' " + reason + ", expected one of " + known);
  return false;
}

/// The kernels of `module`, an error where there is not exactly one
/// gpu.module.
static FailureOr<gpu::GPUModuleOp> getKernels(ModuleOp module) {
  auto modules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (modules.size() == 1)
    return modules.front();
  if (modules.empty()) {
    // What is nearest to a product, or the first thing that is there.
    Operation *found = module.getBody()->empty() ? module.getOperation()
                                                 : &module.getBody()->front();
    module.walk([&](linalg::LinalgOp op) {
      found = op;
      return WalkResult::interrupt();
    });
    InFlightDiagnostic diag = emitError(
        found->getLoc(), "nothing to compile: expected a matrix multiplication "
                         "(linalg.matmul, linalg.contract, linalg.generic, "
                         "a convolution, tmm.matmul) or a gpu.module");
    if (found != module)
      diag << ", got '" << found->getName() << "'";
    return diag;
  }
  InFlightDiagnostic diag =
      modules[1].emitError("expected one gpu.module, got ")
      << modules.size() << ": each needs a file of its own";
  diag.attachNote(modules[0].getLoc()) << "the first one";
  return diag;
}

static StringRef chipOf(gpu::GPUModuleOp kernels) {
  for (Attribute target : kernels.getTargetsAttr())
    if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
      return nvvm.getChip();
  return "";
}

/// Whether kernels that `module` has already are for --chip, where that is
/// given: it decides of kernels that are still made only.
static bool checkTargets(ModuleOp module) {
  if (!chip.getNumOccurrences())
    return true;
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    StringRef target = chipOf(kernels);
    if (target.empty() || target == chip)
      continue;
    kernels.emitError("expected --chip=")
        << target << ", the target of the kernels, got --chip=" << chip;
    return false;
  }
  return true;
}

static FailureOr<std::string> makeCubin(gpu::GPUModuleOp kernels,
                                        StringRef ptx) {
  auto emitError = [&] { return mlir::emitError(kernels.getLoc()); };
  std::string home = llvm::sys::Process::GetEnv("CUDA_HOME").value_or("");
  FailureOr<std::string> ptxas = findPtxas(ptxasPath, home, emitError);
  if (failed(ptxas))
    return failure();
  FailureOr<Cubin> cubin = assemblePTX(ptx, chipOf(kernels), *ptxas, emitError);
  if (failed(cubin))
    return failure();
  for (const KernelResources &kernel : cubin->kernels)
    if (kernel.spillStores || kernel.spillLoads)
      kernels.emitWarning("kernel '")
          << kernel.name << "' spills registers: " << kernel.spillStores
          << " bytes stored, " << kernel.spillLoads << " bytes loaded";
  return std::move(cubin->binary);
}

/// The kernel description of the function that launches the kernels, or of all
/// of them; nothing where there is none.
static FailureOr<std::string> makeDescription(ModuleOp module,
                                              gpu::GPUModuleOp kernels) {
  SmallVector<std::string> descriptions;
  for (func::FuncOp function : findHostFunctions(module)) {
    FailureOr<std::string> text = describeKernels(function, chipOf(kernels));
    if (failed(text))
      return failure();
    descriptions.push_back(std::move(*text));
  }
  if (descriptions.size() < 2)
    return descriptions.empty() ? std::string() : descriptions.front();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/2);
  json.object([&] {
    json.attribute("version", 1);
    json.attributeArray("functions", [&] {
      for (StringRef description : descriptions)
        json.rawValue(description.rtrim());
    });
  });
  os << "\n";
  return text;
}

/// Makes what `level` asks for out of a lowered module.
static LogicalResult makeOutputs(ModuleOp module, Level level,
                                 SmallVectorImpl<Output> &outputs) {
  Output main{outputPath, ""};
  if (level <= Level::NVVM) {
    std::string text;
    llvm::raw_string_ostream os(text);
    // Passes name what they make by its location.
    module.print(os, OpPrintingFlags().printNameLocAsPrefix());
    os << "\n";
    main.content = wrapLines(text);
    outputs.push_back(std::move(main));
    return success();
  }
  FailureOr<gpu::GPUModuleOp> kernels = getKernels(module);
  if (failed(kernels))
    return failure();
  FailureOr<std::string> text = level == Level::LLVM
                                    ? translateToLLVMIR(*kernels)
                                    : translateToPTX(*kernels);
  if (succeeded(text) && level == Level::Cubin)
    text = makeCubin(*kernels, *text);
  if (failed(text))
    return failure();
  main.content = std::move(*text);
  outputs.push_back(std::move(main));
  if (level == Level::LLVM)
    return success();
  // Also without a file, so that what cannot be described is always an error.
  FailureOr<std::string> description = makeDescription(module, *kernels);
  if (failed(description))
    return failure();
  if (outputPath != "-" && !description->empty()) {
    SmallString<128> path(outputPath);
    llvm::sys::path::replace_extension(path, ".json");
    outputs.push_back({std::string(path), std::move(*description)});
  }
  return success();
}

/// Writes all files or none: what was written goes if a later one fails.
static int writeOutputs(ArrayRef<Output> outputs) {
  for (size_t i = 0; i < outputs.size(); ++i) {
    llvm::Error failure = llvm::writeToOutput(
        outputs[i].path, [&](llvm::raw_ostream &os) -> llvm::Error {
          os << outputs[i].content;
          return llvm::Error::success();
        });
    if (!failure)
      continue;
    for (const Output &written : outputs.take_front(i))
      llvm::sys::fs::remove(written.path);
    return error(BadInput, "cannot write '" + outputs[i].path +
                               "': " + llvm::toString(std::move(failure)));
  }
  return Success;
}

/// Remarks on each product on tensors whose result nothing uses; whether there
/// is one.
static bool remarkUnusedProducts(ModuleOp module) {
  bool found = false;
  module.walk([&](linalg::LinalgOp op) {
    if (!op.hasPureTensorSemantics() || !op->use_empty() ||
        !(linalg::isaContractionOpInterface(op) ||
          linalg::isaConvolutionOpInterface(op)))
      return;
    op.emitRemark() << "its result is not used, so nothing computes it";
    found = true;
  });
  return found;
}

/// Kernels for `module`, which needs none.
static void addNoKernels(ModuleOp module) {
  OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
  auto target = NVVM::NVVMTargetAttr::get(
      module.getContext(), /*optLevel=*/2, "nvptx64-nvidia-cuda", chip,
      "+ptx" + std::to_string(getTarget(chip)->ptxVersion));
  gpu::GPUModuleOp::create(b, module.getLoc(), "kernels",
                           b.getArrayAttr({target}));
}

/// Whether there is something that this compiler compiles.
static bool hasWork(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        return isa<linalg::LinalgOp, tmm::MatmulOp, gpu::GPUModuleOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  setVersionPrinter("tc-compile");
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
  std::optional<Level> level = chooseLevel();
  if (!level || !checkChip())
    return BadInput;
  if (ptxasPath.getNumOccurrences() && *level != Level::Cubin)
    llvm::WithColor::warning(llvm::errs(), "tc-compile")
        << "--ptxas: nothing is assembled without --emit=cubin\n";

  DialectRegistry registry;
  registerPipelineDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
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
  OwningOpRef<ModuleOp> module =
      parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
  if (!module || !checkTargets(*module))
    return BadInput;
  if (!hasWork(*module)) {
    (void)getKernels(*module);
    return CompileError;
  }

  // Threads take a millisecond to start, which a few kernels do not win back.
  size_t operations = 0;
  module->walk([&](Operation *) { ++operations; });
  if (operations > kManyOperations)
    context.enableMultithreading();

  bool hasUnused = remarkUnusedProducts(*module);
  PipelineOptions options;
  options.chip = chip;
  options.config = config;
  options.allowTf32 = allowTf32;
  if (explain.getNumOccurrences())
    options.explain = explain.empty() ? "words" : explain.getValue();
  PassManager passes(&context, ModuleOp::getOperationName());
  buildPipeline(passes, std::min(*level, Level::NVVM), options);
  if (failed(passes.run(*module)))
    return CompileError;
  if (hasUnused && module->getOps<gpu::GPUModuleOp>().empty())
    addNoKernels(*module);
  SmallVector<Output> outputs;
  if (failed(makeOutputs(*module, *level, outputs)))
    return CompileError;
  return writeOutputs(outputs);
}
