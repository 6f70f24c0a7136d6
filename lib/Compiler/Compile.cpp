//===- Compile.cpp - a module to any level, in memory -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Compile.h"

#include "SourceNames.h"

#include "tc/Conversion/LinalgToGPU/LinalgToGPU.h"
#include "tc/Conversion/LinalgToTMM/LinalgToTMM.h"
#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Runtime/CudaLibrary.h"
#include "tc/Schedule/TunedTable.h"
#include "tc/Support/Message.h"
#include "tc/Target/PTX/KernelDescription.h"
#include "tc/Target/PTX/PTX.h"
#include "tc/Target/PTX/Ptxas.h"

#include "mlir/Conversion/LLVMCommon/TypeConverter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AsmState.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Process.h"

using namespace mlir;
using namespace tc;

/// Operations of a module from which on several threads compile it.
static constexpr size_t kManyOperations = 100;

/// By number.
static constexpr llvm::StringLiteral kLevelNames[] = {
    "tmm", "tiles", "roles", "tcgen05", "nvvm", "llvm", "ptx", "cubin"};

std::optional<Level> tc::findLevel(StringRef name) {
  for (auto [i, known] : llvm::enumerate(kLevelNames))
    if (known == name)
      return static_cast<Level>(i);
  return std::nullopt;
}

std::string tc::listLevels() {
  return llvm::join(ArrayRef(kLevelNames).drop_back(), ", ") + " or cubin";
}

/// The chips that kernels are compiled for.
static std::string listChips() {
  std::string known;
  for (const TargetFacts &facts : getTargets())
    known += (known.empty() ? "" : ", ") + facts.chip.str();
  return known;
}

std::string tc::resolveChip(std::string &chip) {
  if (chip != "native")
    return "";
  runtime::cuda::Capability found;
  if (std::string why = findCapability(found); !why.empty())
    return "chip: expected a GPU for 'native', got none: " + why;
  const TargetFacts *target = getTarget(found.major, found.minor);
  if (!target)
    return "chip: expected a GPU for 'native' that is one of " + listChips() +
           ", got one of compute capability " + std::to_string(found.major) +
           "." + std::to_string(found.minor);
  chip = target->chip.str();
  return "";
}

std::string tc::explainBadChip(StringRef chip) {
  if (getTarget(chip))
    return "";
  if (const TargetFacts *target = findTargetLike(chip))
    return ("'" + chip + "' is not known, did you mean '" + target->chip + "'")
        .str();
  return ("'" + chip + "' is not known, expected one of " + listChips() +
          ", or native")
      .str();
}

std::string tc::explainBadOptions(const CompileOptions &options,
                                  MLIRContext *context) {
  if (std::string bad = explainBadChip(options.chip); !bad.empty())
    return "chip: " + bad;
  if (std::string bad = explainBadF32(options.f32, options.allowTf32);
      !bad.empty())
    return "f32: " + bad;
  std::string bad;
  if (!options.tuned.empty() &&
      !schedule::readTunedTable(options.tuned,
                                MatrixUnits::get(context).getRegistry(), bad))
    return "tuned: " + bad;
  return "";
}

/// A type among the parameters and results of a function that has no elements;
/// null if there is none.
static Type findEmptyType(Operation *op) {
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return {};
  auto types = llvm::to_vector(function.getResultTypes());
  llvm::append_range(types, function.getArgumentTypes());
  auto *found = llvm::find_if(types, [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return shaped && shaped.hasStaticShape() && shaped.getNumElements() == 0;
  });
  return found == types.end() ? Type() : *found;
}

/// The kernels of `module`, an error where there is not exactly one
/// gpu.module.
static FailureOr<gpu::GPUModuleOp> getKernels(ModuleOp module) {
  auto modules = llvm::to_vector(module.getOps<gpu::GPUModuleOp>());
  if (modules.size() == 1)
    return modules.front();
  if (modules.empty()) {
    Operation *found = module.getBody()->empty() ? module.getOperation()
                                                 : &module.getBody()->front();
    InFlightDiagnostic diag = emitError(
        found->getLoc(),
        "nothing to compile: expected operations of linalg, tensors that are "
        "computed, tmm.matmul or a gpu.module");
    if (found != module)
      diag << ", got '" << found->getName() << "'";
    if (Type empty = findEmptyType(found))
      diag << " of " << empty << ", which has no elements";
    return diag;
  }
  InFlightDiagnostic diag =
      modules[1].emitError("expected one gpu.module, got ")
      << modules.size() << ": each needs a file of its own";
  diag.attachNote(modules[0].getLoc()) << "the first one";
  return diag;
}

static StringRef chipOf(gpu::GPUModuleOp kernels) {
  if (!kernels.getTargetsAttr())
    return "";
  for (Attribute target : kernels.getTargetsAttr())
    if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
      return nvvm.getChip();
  return "";
}

LogicalResult tc::checkTargets(ModuleOp module, StringRef chip) {
  for (auto kernels : module.getOps<gpu::GPUModuleOp>()) {
    StringRef target = chipOf(kernels);
    if (!target.empty() && target != chip)
      return kernels.emitError("expected --chip=")
             << target << ", the target of the kernels, got --chip=" << chip;
  }
  return success();
}

void tc::useThreadsForLargeModule(ModuleOp module) {
  size_t operations = 0;
  module->walk([&](Operation *) { ++operations; });
  if (operations > kManyOperations)
    module.getContext()->enableMultithreading();
}

static FailureOr<std::string> makeCubin(gpu::GPUModuleOp kernels, StringRef ptx,
                                        StringRef ptxasPath) {
  auto emitError = [&] { return mlir::emitError(kernels.getLoc()); };
  std::string home = llvm::sys::Process::GetEnv("CUDA_HOME").value_or("");
  FailureOr<std::string> ptxas =
      findPtxas(getNamedPtxas(ptxasPath), home, emitError);
  if (failed(ptxas))
    return failure();
  FailureOr<Cubin> cubin = assemblePTX(ptx, chipOf(kernels), *ptxas, emitError);
  if (failed(cubin))
    return failure();
  for (const KernelResources &kernel : cubin->kernels)
    if (std::string loss = describeLoss(kernel); !loss.empty())
      kernels.emitWarning(loss);
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

/// Whether there is something that this compiler compiles, or that a pass names
/// because it does not.
static bool hasWork(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        const bool makesTensors =
            llvm::any_of(op->getResultTypes(), llvm::IsaPred<TensorType>) &&
            !op->hasTrait<OpTrait::ConstantLike>();
        return makesTensors || !op->isRegistered() ||
                       isa<linalg::LinalgOp, tmm::KernelFamilyOpInterface,
                           gpu::GPUModuleOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What `level` asks for, of a lowered module.
static FailureOr<CompileOutput> makeOutput(ModuleOp module, Level level,
                                           const CompileOptions &options) {
  CompileOutput output;
  if (level <= Level::NVVM) {
    llvm::raw_string_ostream os(output.content);
    // Passes keep the name of what they make in its location.
    module.print(os, options.genericForm
                         ? OpPrintingFlags().printGenericOpForm()
                         : OpPrintingFlags().printNameLocAsPrefix());
    os << "\n";
    return output;
  }
  FailureOr<gpu::GPUModuleOp> kernels = getKernels(module);
  if (failed(kernels))
    return failure();
  FailureOr<std::string> text = level == Level::LLVM
                                    ? translateToLLVMIR(*kernels)
                                    : translateToPTX(*kernels);
  if (succeeded(text) && level == Level::Cubin)
    text = makeCubin(*kernels, *text, options.ptxas);
  if (failed(text))
    return failure();
  output.content = std::move(*text);
  if (level == Level::LLVM)
    return output;
  // Also where it is not asked for, so that what cannot be described is always
  // an error.
  FailureOr<std::string> description = makeDescription(module, *kernels);
  if (failed(description))
    return failure();
  output.description = std::move(*description);
  return output;
}

/// Kernels take pointers. Dynamic sizes and strides of a memref come from its
/// launch; without one they have to be static.
static LogicalResult checkArguments(ModuleOp module) {
  llvm::DenseSet<StringAttr> launched;
  module.walk([&](gpu::LaunchFuncOp launch) {
    launched.insert(launch.getKernelName());
  });
  WalkResult result = module.walk([&](gpu::GPUFuncOp kernel) {
    if (!kernel.isKernel() || launched.contains(kernel.getNameAttr()))
      return WalkResult::advance();
    for (BlockArgument argument : kernel.getArguments()) {
      auto type = dyn_cast<MemRefType>(argument.getType());
      if (!type || LLVMTypeConverter::canConvertToBarePtr(type))
        continue;
      emitError(argument.getLoc())
          << "'gpu.func' op argument " << argument.getArgNumber()
          << ": expected static sizes and strides, or a gpu.launch_func of the "
             "kernel, got "
          << type;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

FailureOr<CompileOutput> tc::compileModule(ModuleOp module, Level level,
                                           const CompileOptions &options) {
  if (!hasWork(module)) {
    (void)getKernels(module);
    return failure();
  }
  if (level >= Level::NVVM && failed(checkArguments(module)))
    return failure();
  SourceNames names(module);
  bool hasUnused = remarkUnusedProducts(module);
  PipelineOptions pipeline;
  pipeline.chip = options.chip;
  pipeline.config = options.config;
  pipeline.tuned = options.tuned;
  pipeline.allowTf32 = options.allowTf32;
  pipeline.f32 = options.f32;
  pipeline.explain = options.explain;
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  buildPipeline(passes, std::min(level, Level::NVVM), pipeline);
  if (failed(passes.run(module)))
    return failure();
  if (hasUnused && module.getOps<gpu::GPUModuleOp>().empty())
    addKernels(module, options.chip);
  return makeOutput(module, level, options);
}
