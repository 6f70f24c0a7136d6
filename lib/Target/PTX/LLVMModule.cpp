//===- LLVMModule.cpp - a gpu.module as LLVM IR -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates a gpu.module with upstream's translation interfaces, gives it the
// data layout of its target, and hides the asynchronous instructions from
// LLVM's reasoning about memory.
//
//===----------------------------------------------------------------------===//

#include "LLVMModule.h"

#include "tc/Support/ISA.h"
#include "tc/Support/PTXName.h"
#include "tc/Support/Target.h"
#include "tc/Target/PTX/PTX.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Target/LLVMIR/LLVMTranslationInterface.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

using namespace mlir;
using namespace tc;

// Declared here, not through TargetSelect.h, whose "all targets" functions
// would also start the others: start-up time counts.
extern "C" {
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

void tc::registerPTXTranslation(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

/// The nvvm target of a gpu.module: the first one that it names.
static FailureOr<NVVM::NVVMTargetAttr> getNVVMTarget(gpu::GPUModuleOp op) {
  if (ArrayAttr targets = op.getTargetsAttr())
    for (Attribute target : targets)
      if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
        return nvvm;
  return op.emitOpError("expected a target '#nvvm.target<chip = ...>'");
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const llvm::Target &nvptx, const llvm::Triple &triple,
                    StringRef chip, StringRef features) {
  return std::unique_ptr<llvm::TargetMachine>(nvptx.createTargetMachine(
      triple, chip, features, llvm::TargetOptions(), /*RM=*/std::nullopt,
      /*CM=*/std::nullopt, llvm::CodeGenOptLevel::Default));
}

/// The PTX version that `features` ask for ("+ptx86": 86), none where they name
/// none.
static std::optional<unsigned> getPtxVersion(StringRef features) {
  std::optional<unsigned> result;
  for (StringRef feature : llvm::split(features, ',')) {
    unsigned version;
    if (feature.consume_front("+ptx") && !feature.getAsInteger(10, version))
      result = std::max(result.value_or(0), version);
  }
  return result;
}

/// The PTX version that LLVM prints for `chip` where features name none: the
/// least one that has the chip. Its table has no public interface.
static std::optional<unsigned> getLeastPtxVersion(const llvm::Target &nvptx,
                                                  const llvm::Triple &triple,
                                                  StringRef chip) {
  auto machine =
      createTargetMachine(nvptx, triple, chip, /*features=*/StringRef());
  llvm::LLVMContext context;
  llvm::Module empty("empty", context);
  empty.setTargetTriple(triple);
  empty.setDataLayout(machine->createDataLayout());
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream os(text);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, os, /*DwoOut=*/nullptr,
                                   llvm::CodeGenFileType::AssemblyFile))
    return std::nullopt;
  codegen.run(empty);
  StringRef version = StringRef(text).split(".version ").second;
  unsigned major, minor;
  if (version.consumeInteger(10, major) || !version.consume_front(".") ||
      version.consumeInteger(10, minor))
    return std::nullopt;
  return major * 10 + minor;
}

/// LLVM ends the process for a chip that the PTX version does not have, and
/// takes another chip for one that it does not know.
static LogicalResult checkTarget(gpu::GPUModuleOp op, const llvm::Target &nvptx,
                                 const llvm::Triple &triple, StringRef chip,
                                 StringRef features) {
  std::unique_ptr<llvm::MCSubtargetInfo> chips(
      nvptx.createMCSubtargetInfo(triple, /*CPU=*/"", /*Features=*/""));
  if (!chips->isCPUStringValid(chip))
    return op.emitOpError("expected a chip of this LLVM, such as sm_100a, "
                          "got '")
           << chip << "'";
  std::optional<unsigned> version = getPtxVersion(features);
  const TargetFacts *facts = getTarget(chip);
  if (!version || (facts && *version >= facts->ptxVersion))
    return success();
  std::optional<unsigned> least = getLeastPtxVersion(nvptx, triple, chip);
  if (!least || *version >= *least)
    return success();
  return op.emitOpError("expected at least the feature '+ptx")
         << *least << "' for the chip '" << chip << "', got '+ptx" << *version
         << "'";
}

/// What LLVM cannot print of `target`: a chip that it does not know, or a PTX
/// version later than its own.
static std::optional<PTXHeader> getHeader(NVVM::NVVMTargetAttr target) {
  const TargetFacts *facts = getTarget(target.getChip());
  bool isUnknown = facts && !facts->llvmChip.empty();
  std::optional<unsigned> version = getPtxVersion(target.getFeatures());
  if (!isUnknown && version.value_or(0) <= kLLVMPtxVersion)
    return std::nullopt;
  return PTXHeader{std::max(version.value_or(0), facts ? facts->ptxVersion : 0),
                   target.getChip().str(),
                   (isUnknown ? facts->llvmChip : target.getChip()).str()};
}

/// The line of `ptx` that starts with `directive`, where it is the only one.
static StringRef findLine(StringRef ptx, StringRef directive) {
  size_t at = ptx.find(("\n" + directive + " ").str());
  if (at == StringRef::npos ||
      ptx.find(("\n" + directive + " ").str(), at + 1) != StringRef::npos)
    return {};
  return ptx.substr(at + 1).split('\n').first;
}

LogicalResult tc::rewriteHeader(gpu::GPUModuleOp module,
                                const PTXHeader &header, std::string &ptx) {
  const std::string version = std::to_string(header.version / 10) + "." +
                              std::to_string(header.version % 10);
  for (auto [directive, expected, text] :
       {std::tuple<StringRef, std::string, std::string>(
            ".version",
            std::to_string(kLLVMPtxVersion / 10) + "." +
                std::to_string(kLLVMPtxVersion % 10),
            version),
        {".target", header.llvmChip, header.chip}}) {
    StringRef line = findLine(ptx, directive);
    StringRef value = line.drop_front(std::min(line.size(), directive.size()));
    // ".target sm_100f, debug" keeps what comes after the chip.
    StringRef first = value.trim().split(',').first;
    if (first != expected)
      return module.emitOpError("expected LLVM to print one line '")
             << directive << " " << expected << "' for the chip '"
             << header.chip << "', got '" << line << "'";
    ptx.replace(first.data() - ptx.data(), first.size(), text);
  }
  return success();
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(gpu::GPUModuleOp op, NVVM::NVVMTargetAttr target,
                    StringRef chip, StringRef features) {
  static bool once = [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    return true;
  }();
  (void)once;
  std::string error;
  llvm::Triple triple(target.getTriple());
  const llvm::Target *nvptx = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!nvptx) {
    op.emitOpError("target triple '")
        << target.getTriple() << "' is not one of this LLVM: " << error;
    return nullptr;
  }
  if (failed(checkTarget(op, *nvptx, triple, chip, features)))
    return nullptr;
  return createTargetMachine(*nvptx, triple, chip, features);
}

/// True for intrinsics whose effects LLVM's attributes do not describe: they
/// act later, on memory that no operand points to.
static bool isAsyncIntrinsic(const llvm::Function &function) {
  for (StringRef prefix :
       {"llvm.nvvm.tcgen05.", "llvm.nvvm.mbarrier.", "llvm.nvvm.cp.async.bulk.",
        "llvm.nvvm.fence.", "llvm.nvvm.barrier.", "llvm.nvvm.wgmma.",
        "llvm.nvvm.clusterlaunchcontrol.try_cancel."})
    if (function.getName().starts_with(prefix))
      return !function.doesNotAccessMemory();
  return false;
}

/// Takes from the asynchronous intrinsics what LLVM believes about them. It
/// has tcgen05.mma as a write of D alone, so that one of two identical ones is
/// a dead store, and nothing orders it with the commit after it. Without
/// memory attributes such a call may touch any memory and keeps its place
/// among all others; convergent, noduplicate and nomerge keep its number.
static void makeAsyncCallsOpaque(llvm::Module &module) {
  for (llvm::Function &function : module) {
    if (!isAsyncIntrinsic(function))
      continue;
    for (llvm::Attribute::AttrKind kind :
         {llvm::Attribute::Memory, llvm::Attribute::NoSync,
          llvm::Attribute::NoFree, llvm::Attribute::WillReturn})
      function.removeFnAttr(kind);
    for (llvm::Attribute::AttrKind kind :
         {llvm::Attribute::Convergent, llvm::Attribute::NoDuplicate,
          llvm::Attribute::NoMerge})
      function.addFnAttr(kind);
    for (unsigned i = 0, e = function.arg_size(); i != e; ++i)
      for (llvm::Attribute::AttrKind kind :
           {llvm::Attribute::ReadOnly, llvm::Attribute::WriteOnly,
            llvm::Attribute::ReadNone, llvm::Attribute::Captures})
        function.removeParamAttr(i, kind);
  }
  // The same for instructions that are inline PTX.
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      auto *ptx =
          call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand())
               : nullptr;
      if (!ptx || !ptx->hasSideEffects())
        continue;
      for (llvm::Attribute::AttrKind kind :
           {llvm::Attribute::Convergent, llvm::Attribute::NoDuplicate,
            llvm::Attribute::NoMerge})
        call->addFnAttr(kind);
    }
}

/// An op of `module` that exists as inline PTX only; null if there is none.
static Operation *findInlinePTX(gpu::GPUModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](NVVM::BasicPtxBuilderInterface ptx) {
    if (ptx.hasIntrinsic())
      return WalkResult::advance();
    found = ptx;
    return WalkResult::interrupt();
  });
  return found;
}

/// Makes llvm.inline_asm of such ops. Each is met once, however many there are:
/// a greedy driver would give up after some rounds.
static LogicalResult expandInlinePTX(gpu::GPUModuleOp module) {
  RewritePatternSet patterns(module.getContext());
  populateNVVMToLLVMConversionPatterns(patterns);
  walkAndApplyPatterns(module, std::move(patterns));
  if (Operation *left = findInlinePTX(module))
    return left->emitOpError("expected inline PTX for the op, got none");
  return success();
}

/// Whether all functions of `module` that are no intrinsics of LLVM have names
/// that PTX can have: LLVM prints any.
static LogicalResult checkNames(gpu::GPUModuleOp module) {
  WalkResult result = module.walk([](FunctionOpInterface function) {
    StringRef name = function.getName();
    if (name.starts_with("llvm.") || isPTXName(name))
      return WalkResult::advance();
    function.emitOpError("expected a name that PTX takes, such as '")
        << makePTXName(name) << "', got '" << name << "' "
        << cite(ISASection::Identifiers);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Whether every operation below `root` is one that LLVM IR has: upstream would
/// name an interface of the dialect that is left, and no type.
static LogicalResult verifyTranslatable(Operation *root) {
  WalkResult result = root->walk([](Operation *op) {
    if (isa<gpu::GPUModuleOp>(op) || !op->getDialect() ||
        op->getDialect()
            ->getRegisteredInterface<LLVMTranslationDialectInterface>())
      return WalkResult::advance();
    InFlightDiagnostic diagnostic = op->emitOpError(
        "expected an operation of llvm or nvvm, which passes make of types "
        "that have instructions, got ");
    auto print = [&](Type type) { diagnostic << getElementTypeOrSelf(type); };
    llvm::interleaveComma(op->getOperandTypes(), diagnostic, print);
    if (op->getNumResults())
      diagnostic << " to ";
    llvm::interleaveComma(op->getResultTypes(), diagnostic, print);
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

FailureOr<LLVMModule> tc::translateGPUModule(gpu::GPUModuleOp op,
                                             bool mayChange) {
  if (failed(checkNames(op)))
    return failure();
  FailureOr<NVVM::NVVMTargetAttr> target = getNVVMTarget(op);
  if (failed(target))
    return failure();
  LLVMModule result;
  result.context = std::make_unique<llvm::LLVMContext>();
  result.header = getHeader(*target);
  std::string features = target->getFeatures().str();
  if (result.header)
    features = "+ptx" + std::to_string(kLLVMPtxVersion);
  result.machine = createTargetMachine(
      op, *target,
      result.header ? StringRef(result.header->llvmChip) : target->getChip(),
      features);
  if (!result.machine)
    return failure();

  // The translation works on the op as it is: expand first.
  OwningOpRef<Operation *> copy;
  Operation *source = op;
  if (findInlinePTX(op)) {
    if (!mayChange) {
      copy = op->clone();
      source = copy.get();
    }
    if (failed(expandInlinePTX(cast<gpu::GPUModuleOp>(source))))
      return failure();
  }
  if (failed(verifyTranslatable(source)))
    return failure();
  result.module =
      translateModuleToLLVMIR(source, *result.context, op.getName());
  if (!result.module)
    return op.emitOpError("cannot be translated to LLVM IR");
  result.module->setTargetTriple(result.machine->getTargetTriple());
  result.module->setDataLayout(result.machine->createDataLayout());
  makeAsyncCallsOpaque(*result.module);
  return result;
}
