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
#include "tc/Target/PTX/PTX.h"

#include "mlir/Conversion/NVVMToLLVM/NVVMToLLVM.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
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
static FailureOr<NVVM::NVVMTargetAttr> getTarget(gpu::GPUModuleOp op) {
  if (ArrayAttr targets = op.getTargetsAttr())
    for (Attribute target : targets)
      if (auto nvvm = dyn_cast<NVVM::NVVMTargetAttr>(target))
        return nvvm;
  return op.emitOpError("expected a target '#nvvm.target<chip = ...>'");
}

static std::unique_ptr<llvm::TargetMachine>
createTargetMachine(gpu::GPUModuleOp op, NVVM::NVVMTargetAttr target) {
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
  return std::unique_ptr<llvm::TargetMachine>(nvptx->createTargetMachine(
      triple, target.getChip(), target.getFeatures(), llvm::TargetOptions(),
      /*RM=*/std::nullopt, /*CM=*/std::nullopt,
      llvm::CodeGenOptLevel::Default));
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

FailureOr<LLVMModule> tc::translateGPUModule(gpu::GPUModuleOp op,
                                             bool mayChange) {
  if (failed(checkNames(op)))
    return failure();
  FailureOr<NVVM::NVVMTargetAttr> target = getTarget(op);
  if (failed(target))
    return failure();
  LLVMModule result;
  result.context = std::make_unique<llvm::LLVMContext>();
  result.machine = createTargetMachine(op, *target);
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
  result.module =
      translateModuleToLLVMIR(source, *result.context, op.getName());
  if (!result.module)
    return op.emitOpError("cannot be translated to LLVM IR");
  result.module->setTargetTriple(result.machine->getTargetTriple());
  result.module->setDataLayout(result.machine->createDataLayout());
  makeAsyncCallsOpaque(*result.module);
  return result;
}
