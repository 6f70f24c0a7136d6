//===- ParseModule.cpp - the text of a module -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream's parser calls itself for each bracket. Text that nests more of them
// than the stack has room for would end the process, which may be that of a
// Python user: it is refused before.
//
//===----------------------------------------------------------------------===//

#include "tc/Compiler/Compile.h"
#include "tc/Transforms/ForeignDialects.h"

#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace tc;

/// Nested brackets; programs have a few dozen.
static constexpr int64_t kMostBrackets = 1000;

/// The first bracket of `text` inside of kMostBrackets others, or npos.
/// Comments and strings have none, nor have `->`, `<=` and `>=`.
static size_t findDeepBracket(StringRef text) {
  int64_t depth = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    switch (text[i]) {
    case '"':
      for (++i; i < text.size() && text[i] != '"' && text[i] != '\n'; ++i)
        i += text[i] == '\\';
      break;
    case '/':
      if (text.substr(i).starts_with("//"))
        i = std::min(text.find('\n', i), text.size());
      break;
    case '<':
    case '>':
      if (text.substr(i + 1).starts_with("=") || (i > 0 && text[i - 1] == '-'))
        break;
      depth += text[i] == '<' ? 1 : -1;
      break;
    case '(':
    case '[':
    case '{':
      ++depth;
      break;
    case ')':
    case ']':
    case '}':
      --depth;
      break;
    default:
      break;
    }
    if (depth > kMostBrackets)
      return i;
  }
  return StringRef::npos;
}

/// Says what lowers a dialect whose own form upstream's parser refuses.
static LogicalResult noteLowering(Diagnostic &diagnostic) {
  std::string text = diagnostic.str();
  StringRef dialect = text;
  if (dialect.consume_front("Dialect `")) {
    dialect = dialect.take_until([](char c) { return c == '\''; });
    if (StringRef command = getLoweringOf(dialect); !command.empty())
      diagnostic.attachNote() << "'" << command << "' lowers " << dialect
                              << " to dialects that are known here";
  }
  return failure(); // handlers outside of this one print it
}

OwningOpRef<ModuleOp> tc::parseModule(const llvm::SourceMgr &sources,
                                      MLIRContext *context) {
  const llvm::MemoryBuffer *buffer =
      sources.getMemoryBuffer(sources.getMainFileID());
  StringRef text = buffer->getBuffer();
  if (!isBytecode(buffer->getMemBufferRef())) {
    size_t deep = findDeepBracket(text);
    if (deep != StringRef::npos) {
      StringRef before = text.take_front(deep);
      size_t line = before.count('\n') + 1;
      size_t column = deep - (before.rfind('\n') + 1) + 1;
      emitError(FileLineColLoc::get(context, buffer->getBufferIdentifier(),
                                    line, column))
          << "expected at most " << kMostBrackets
          << " nested brackets, got more";
      return nullptr;
    }
  }
  ScopedDiagnosticHandler handler(context, noteLowering);
  return parseSourceFile<ModuleOp>(sources, ParserConfig(context));
}
