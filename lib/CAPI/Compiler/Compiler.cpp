//===- Compiler.cpp - a module to any level, in C ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Wraps compileModule and collects diagnostics: nothing is decided here.
//
//===----------------------------------------------------------------------===//

#include "tc-c/Compiler.h"

#include "tc/Compiler/Compile.h"
#include "tc/Support/Version.h"

#include "mlir/CAPI/IR.h"
#include "mlir/CAPI/Pass.h"
#include "mlir/CAPI/Support.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tc;

namespace {

struct Message {
  DiagnosticSeverity severity;
  std::string text, file;
  unsigned line = 0, column = 0;
};

struct Compilation {
  bool succeeded = false;
  CompileOutput output;
  std::vector<Message> messages;
};

} // namespace

static Compilation *unwrap(TcCompilation compilation) {
  return static_cast<Compilation *>(compilation.ptr);
}
static MlirStringRef toC(StringRef text) { return wrap(text); }

static CompileOptions toOptions(TcCompileOptions options) {
  CompileOptions result;
  if (options.chip.length)
    result.chip = unwrap(options.chip).str();
  result.config = unwrap(options.config).str();
  result.allowTf32 = options.allowTf32;
  if (options.explain)
    result.explain = "words";
  result.ptxas = unwrap(options.ptxas).str();
  result.f32 = unwrap(options.f32).str();
  result.genericForm = options.genericForm;
  return result;
}

/// Keeps `diagnostic` and its notes.
static void collect(Compilation &compilation, Diagnostic &diagnostic) {
  auto add = [&](Diagnostic &one) {
    Message message{one.getSeverity(), one.str(), "", 0, 0};
    if (auto place = one.getLocation()->findInstanceOf<FileLineColLoc>()) {
      message.file = place.getFilename().str();
      message.line = place.getLine();
      message.column = place.getColumn();
    }
    compilation.messages.push_back(std::move(message));
  };
  add(diagnostic);
  for (Diagnostic &note : diagnostic.getNotes())
    add(note);
}

static void compile(ModuleOp module, Level level, const CompileOptions &options,
                    bool hasChip, Compilation &compilation) {
  if (hasChip && failed(checkTargets(module, options.chip)))
    return;
  FailureOr<CompileOutput> output = compileModule(module, level, options);
  if (failed(output))
    return;
  compilation.output = std::move(*output);
  compilation.succeeded = true;
}

/// Whether the options can be used; says why not.
static bool checkOptions(MLIRContext *context, const CompileOptions &options) {
  std::string bad = explainBadOptions(options);
  if (!bad.empty())
    emitError(UnknownLoc::get(context)) << bad;
  return bad.empty();
}

MlirStringRef tcVersion(void) { return toC(kProjectVersion); }
MlirStringRef tcLLVMVersion(void) { return toC(LLVM_VERSION_STRING); }

TcCompileOptions tcCompileOptionsGetDefault(void) {
  MlirStringRef empty = mlirStringRefCreate("", 0);
  return {empty, empty, /*allowTf32=*/false, /*explain=*/false, empty, empty,
          /*genericForm=*/false};
}

bool tcLevelFind(MlirStringRef name, TcLevel *level) {
  std::optional<Level> found = findLevel(unwrap(name));
  if (found)
    *level = static_cast<TcLevel>(*found);
  return found.has_value();
}

TcCompilation tcCompileText(MlirStringRef text, MlirStringRef name,
                            TcLevel level, TcCompileOptions options) {
  auto *compilation = new Compilation;
  DialectRegistry registry;
  registerPipelineDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  context.printOpOnDiagnostic(false);
  // The pipeline says what it drops and what it refuses.
  context.allowUnregisteredDialects();
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    collect(*compilation, diagnostic);
  });
  CompileOptions all = toOptions(options);
  if (!checkOptions(&context, all))
    return {compilation};
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy(unwrap(text), unwrap(name)),
      llvm::SMLoc());
  OwningOpRef<ModuleOp> module = parseModule(sources, &context);
  if (module) {
    useThreadsForLargeModule(*module);
    compile(*module, static_cast<Level>(level), all, options.chip.length,
            *compilation);
  }
  return {compilation};
}

TcCompilation tcCompileModule(MlirModule module, TcLevel level,
                              TcCompileOptions options) {
  auto *compilation = new Compilation;
  ModuleOp op = unwrap(module);
  ScopedDiagnosticHandler handler(op.getContext(), [&](Diagnostic &diagnostic) {
    collect(*compilation, diagnostic);
  });
  CompileOptions all = toOptions(options);
  if (checkOptions(op.getContext(), all))
    compile(op, static_cast<Level>(level), all, options.chip.length,
            *compilation);
  return {compilation};
}

void tcCompilationDestroy(TcCompilation compilation) {
  delete unwrap(compilation);
}

bool tcCompilationSucceeded(TcCompilation compilation) {
  return unwrap(compilation)->succeeded;
}
MlirStringRef tcCompilationGetOutput(TcCompilation compilation) {
  return toC(unwrap(compilation)->output.content);
}
MlirStringRef tcCompilationGetDescription(TcCompilation compilation) {
  return toC(unwrap(compilation)->output.description);
}

intptr_t tcCompilationGetNumDiagnostics(TcCompilation compilation) {
  return static_cast<intptr_t>(unwrap(compilation)->messages.size());
}
MlirDiagnosticSeverity tcCompilationGetSeverity(TcCompilation compilation,
                                                intptr_t index) {
  switch (unwrap(compilation)->messages[index].severity) {
  case DiagnosticSeverity::Error:
    return MlirDiagnosticError;
  case DiagnosticSeverity::Warning:
    return MlirDiagnosticWarning;
  case DiagnosticSeverity::Note:
    return MlirDiagnosticNote;
  case DiagnosticSeverity::Remark:
    return MlirDiagnosticRemark;
  }
  llvm_unreachable("all severities are listed");
}
MlirStringRef tcCompilationGetMessage(TcCompilation compilation,
                                      intptr_t index) {
  return toC(unwrap(compilation)->messages[index].text);
}
MlirStringRef tcCompilationGetFile(TcCompilation compilation, intptr_t index) {
  return toC(unwrap(compilation)->messages[index].file);
}
unsigned tcCompilationGetLine(TcCompilation compilation, intptr_t index) {
  return unwrap(compilation)->messages[index].line;
}
unsigned tcCompilationGetColumn(TcCompilation compilation, intptr_t index) {
  return unwrap(compilation)->messages[index].column;
}

void tcBuildPipeline(MlirOpPassManager manager, TcLevel level,
                     TcCompileOptions options) {
  CompileOptions all = toOptions(options);
  PipelineOptions pipeline;
  pipeline.chip = all.chip;
  pipeline.config = all.config;
  pipeline.allowTf32 = all.allowTf32;
  pipeline.f32 = all.f32;
  pipeline.explain = all.explain;
  buildPipeline(*unwrap(manager),
                std::min(static_cast<Level>(level), Level::NVVM), pipeline);
}
