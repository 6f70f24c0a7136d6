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
#include "Text.h"

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

#include <cstring>

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

/// A diagnostic of the compilation; null where there is none.
static const Message *messageOf(TcCompilation compilation, intptr_t index) {
  if (index < 0 || index >= tcCompilationGetNumDiagnostics(compilation))
    return nullptr;
  return &unwrap(compilation)->messages[index];
}

/// C may pass any number, which is no value of the enumeration in C++.
static int numberOf(const TcLevel &level) {
  int number;
  static_assert(sizeof(level) == sizeof(number));
  std::memcpy(&number, &level, sizeof(number));
  return number;
}
static bool isLevel(const TcLevel &level) {
  const int number = numberOf(level);
  return number >= TcLevelTMM && number <= TcLevelCubin;
}

/// A compilation that failed before there was a context to report it.
static TcCompilation refuse(std::string message) {
  auto *compilation = new Compilation;
  compilation->messages.push_back(
      {DiagnosticSeverity::Error, std::move(message), "", 0, 0});
  return {compilation};
}
static TcCompilation refuseLevel(const TcLevel &level) {
  return refuse("level: expected " + listLevels() + ", got number " +
                std::to_string(numberOf(level)));
}

static CompileOptions toOptions(TcCompileOptions options) {
  CompileOptions result;
  if (StringRef chip = fromC(options.chip); !chip.empty())
    result.chip = chip.str();
  result.config = fromC(options.config).str();
  result.allowTf32 = options.allowTf32;
  if (options.explain)
    result.explain = "words";
  result.ptxas = fromC(options.ptxas).str();
  result.f32 = fromC(options.f32).str();
  result.genericForm = options.genericForm;
  result.tuned = fromC(options.tuned).str();
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

/// Whether the options can be used, with the chip of this machine if that is
/// asked for; says why not.
static bool checkOptions(MLIRContext *context, CompileOptions &options) {
  std::string bad = resolveChip(options.chip);
  if (bad.empty())
    bad = explainBadOptions(options, context);
  if (!bad.empty())
    emitError(UnknownLoc::get(context)) << bad;
  return bad.empty();
}

MlirStringRef tcVersion(void) { return toC(kProjectVersion); }
MlirStringRef tcLLVMVersion(void) { return toC(LLVM_VERSION_STRING); }

TcCompileOptions tcCompileOptionsGetDefault(void) {
  MlirStringRef empty = mlirStringRefCreate("", 0);
  return {empty,
          empty,
          /*allowTf32=*/false,
          /*explain=*/false,
          empty,
          empty,
          /*genericForm=*/false,
          empty};
}

bool tcLevelFind(MlirStringRef name, TcLevel *level) {
  std::optional<Level> found = findLevel(fromC(name));
  if (found && level)
    *level = static_cast<TcLevel>(*found);
  return found.has_value();
}

TcCompilation tcCompileText(MlirStringRef text, MlirStringRef name,
                            TcLevel level, TcCompileOptions options) {
  if (!isLevel(level))
    return refuseLevel(level);
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
      llvm::MemoryBuffer::getMemBufferCopy(fromC(text), fromC(name)),
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
  if (mlirModuleIsNull(module))
    return refuse("module: expected a module, got none");
  if (!isLevel(level))
    return refuseLevel(level);
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
  return compilation.ptr && unwrap(compilation)->succeeded;
}
MlirStringRef tcCompilationGetOutput(TcCompilation compilation) {
  return compilation.ptr ? toC(unwrap(compilation)->output.content) : toC("");
}
MlirStringRef tcCompilationGetDescription(TcCompilation compilation) {
  return compilation.ptr ? toC(unwrap(compilation)->output.description)
                         : toC("");
}

intptr_t tcCompilationGetNumDiagnostics(TcCompilation compilation) {
  return compilation.ptr ? intptr_t(unwrap(compilation)->messages.size()) : 0;
}
MlirDiagnosticSeverity tcCompilationGetSeverity(TcCompilation compilation,
                                                intptr_t index) {
  const Message *message = messageOf(compilation, index);
  if (!message)
    return MlirDiagnosticError;
  switch (message->severity) {
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
  const Message *message = messageOf(compilation, index);
  return toC(message ? StringRef(message->text) : StringRef(""));
}
MlirStringRef tcCompilationGetFile(TcCompilation compilation, intptr_t index) {
  const Message *message = messageOf(compilation, index);
  return toC(message ? StringRef(message->file) : StringRef(""));
}
unsigned tcCompilationGetLine(TcCompilation compilation, intptr_t index) {
  const Message *message = messageOf(compilation, index);
  return message ? message->line : 0;
}
unsigned tcCompilationGetColumn(TcCompilation compilation, intptr_t index) {
  const Message *message = messageOf(compilation, index);
  return message ? message->column : 0;
}

void tcBuildPipeline(MlirOpPassManager manager, TcLevel level,
                     TcCompileOptions options) {
  if (!manager.ptr || !isLevel(level))
    return;
  CompileOptions all = toOptions(options);
  PipelineOptions pipeline;
  pipeline.chip = all.chip;
  pipeline.config = all.config;
  pipeline.tuned = all.tuned;
  pipeline.allowTf32 = all.allowTf32;
  pipeline.f32 = all.f32;
  pipeline.explain = all.explain;
  buildPipeline(*unwrap(manager),
                std::min(static_cast<Level>(level), Level::NVVM), pipeline);
}
