//===- PTX.cpp - LLVM IR and PTX of a gpu.module ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way from a gpu.module to text: count the asynchronous instructions,
// translate, optimise, run the NVPTX back end, compare (where some are missing,
// with those of the blocks that LLVM keeps), check the registers of tcgen05.ld.
// Modules with many kernels go that way in parts, in threads.
//
//===----------------------------------------------------------------------===//

#include "tc/Target/PTX/PTX.h"

#include "KernelParts.h"
#include "LLVMModule.h"
#include "TensorLoads.h"
#include "tc/Target/PTX/AsyncInstructions.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace tc;

FailureOr<std::string> tc::translateToLLVMIR(gpu::GPUModuleOp module) {
  FailureOr<LLVMModule> translated = translateGPUModule(module);
  if (failed(translated))
    return failure();
  optimizeLLVMModule(*translated);
  std::string text;
  llvm::raw_string_ostream os(text);
  translated->module->print(os, /*AAW=*/nullptr);
  return text;
}

namespace {

/// One run of the back end, apart from the stack that a crash unwinds.
struct BackEndJob {
  void run() {
    llvm::raw_svector_ostream os(text);
    llvm::legacy::PassManager codegen;
    if (llvm.machine->addPassesToEmitFile(codegen, os, /*DwoOut=*/nullptr,
                                          llvm::CodeGenFileType::AssemblyFile))
      llvm::report_fatal_error("NVPTX cannot emit text");
    codegen.run(*llvm.module);
  }

  LLVMModule llvm;
  llvm::SmallString<0> text;
};

} // namespace

/// Refuses calls of libdevice, which is not linked: each once, as loops over
/// registers are unrolled by now.
static LogicalResult verifyNoLibrary(gpu::GPUModuleOp module) {
  llvm::DenseSet<std::pair<StringRef, Location>> found;
  module.walk([&](LLVM::CallOp call) {
    std::optional<StringRef> callee = call.getCallee();
    if (!callee || !callee->starts_with("__nv_"))
      return;
    if (!found.insert({*callee, call.getLoc()}).second)
      return;
    call.emitOpError() << "calls '" << *callee
                       << "' of libdevice, which is not linked: expected a "
                          "function that tc-expand-math computes, of f32, f16 "
                          "or bf16, or an exact one of f64";
  });
  return success(found.empty());
}

/// The PTX of `module` as the back end prints it.
static FailureOr<std::string> printPart(gpu::GPUModuleOp module,
                                        bool mayChange) {
  FailureOr<LLVMModule> translated = translateGPUModule(module, mayChange);
  if (failed(translated))
    return failure();
  optimizeLLVMModule(*translated);

  // The back end ends the process where it has no instruction ("Cannot
  // select", for instance a PTX version too old for a modifier). Recover, and
  // leave what it was working on alone.
  auto *job = new BackEndJob{std::move(*translated), {}};
  bool survived = llvm::CrashRecoveryContext().RunSafely([&] { job->run(); });
  if (!survived)
    return module.emitOpError("the LLVM back end failed for target ")
           << module.getTargetsAttr()[0];
  std::unique_ptr<BackEndJob> done(job);
  std::string text = defineRegisters(done->text);
  if (done->llvm.header &&
      failed(rewriteHeader(module, *done->llvm.header, text)))
    return failure();
  return text;
}

/// Corrects `expected`, the instructions of `module`, by what LLVM made of its
/// blocks: some never run, of some there are copies. `text` is replaced by one
/// with marks, which are comments, where it has other copies than that.
static LogicalResult countBlocks(gpu::GPUModuleOp module, AsyncCounts &expected,
                                 std::string &text) {
  OwningOpRef<gpu::GPUModuleOp> marked = module.clone();
  markAsyncBlocks(*marked, expected);
  FailureOr<std::string> withMarks = printPart(*marked, /*mayChange=*/true);
  if (failed(withMarks))
    return failure();
  countMarkedBlocks(expected, *withMarks);
  if (!hasAsyncInstructions(expected, text) &&
      hasAsyncInstructions(expected, *withMarks))
    text = std::move(*withMarks);
  return success();
}

/// The PTX of `module`, which may change if it is one of several parts.
static FailureOr<std::string> translatePart(gpu::GPUModuleOp module,
                                            bool mayChange) {
  // Before LLVM sees anything.
  FailureOr<AsyncCounts> expected = countAsyncInstructions(module);
  if (failed(expected))
    return failure();
  // Ops that a part no longer has are not noted.
  if (mayChange)
    for (auto &[instruction, count] : *expected)
      count.ops.clear();
  FailureOr<std::string> text = printPart(module, mayChange);
  if (failed(text))
    return failure();
  if (!hasAsyncInstructions(*expected, *text) &&
      failed(countBlocks(module, *expected, *text)))
    return failure();
  if (failed(verifyAsyncInstructions(module, *expected, *text)) ||
      failed(verifyTensorLoads(module, *text)))
    return failure();
  return text;
}

FailureOr<std::string> tc::translateToPTX(gpu::GPUModuleOp module) {
  if (failed(verifyNoLibrary(module)))
    return failure();
  llvm::CrashRecoveryContext::Enable();
  auto parts = splitKernels(module);
  if (parts.empty())
    return translatePart(module, /*mayChange=*/false);
  std::vector<std::string> texts(parts.size());
  auto translate = [&](size_t i) {
    FailureOr<std::string> text = translatePart(*parts[i], /*mayChange=*/true);
    if (succeeded(text))
      texts[i] = std::move(*text);
    // Early: the IR of many kernels is large.
    parts[i] = {};
    return success(succeeded(text));
  };
  if (failed(failableParallelForEachN(module.getContext(), 0, parts.size(),
                                      translate)))
    return failure();
  return joinPTX(texts);
}
