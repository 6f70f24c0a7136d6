//===- Optimize.cpp - the LLVM passes of a kernel ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of this compiler is scalar glue around asynchronous instructions:
// addresses, loop counters, predicates and an epilogue in registers. The
// passes below make that glue good. What is left out is left out on purpose:
// no unrolling, jump threading, loop rotation or inlining (they copy code),
// no dead store elimination and no hoisting or sinking of common code (they
// delete or merge it). The asynchronous calls are also protected by their
// attributes, and the PTX is compared with the nvvm ops at the end.
//
//===----------------------------------------------------------------------===//

#include "LLVMModule.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/LoopAnalysisManager.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace tc;

void tc::optimizeLLVMModule(LLVMModule &module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager cgscc;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(module.machine.get());
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(cgscc);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, cgscc, modules);

  llvm::SimplifyCFGOptions cfg =
      llvm::SimplifyCFGOptions().hoistCommonInsts(false).sinkCommonInsts(false);
  llvm::FunctionPassManager passes;
  // Memory to registers first: everything after works on SSA values.
  passes.addPass(llvm::SROAPass(llvm::SROAOptions::PreserveCFG));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::SimplifyCFGPass(cfg));
  passes.addPass(llvm::InstCombinePass());
  // Groups the loop-invariant part of sums, which LICM then moves out.
  passes.addPass(llvm::ReassociatePass());
  passes.addPass(llvm::createFunctionToLoopPassAdaptor(
      llvm::LICMPass(llvm::LICMOptions()), /*UseMemorySSA=*/true));
  passes.addPass(llvm::EarlyCSEPass(/*UseMemorySSA=*/true));
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass(cfg));
  for (llvm::Function &function : *module.module) {
    if (function.isDeclaration())
      continue;
    splitMatrixDescriptors(function);
    passes.run(function, functions);
    sinkMatrixOffsets(function);
    dropUnprintedOperands(function);
    emitNontemporalLoads(function);
  }
}
