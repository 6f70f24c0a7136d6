//===- TensorLoads.cpp - registers of tcgen05.ld ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A forward data flow over the statements of each function: the set of
// registers with a load on the way. tcgen05.ld adds its registers, wait::ld
// clears the set, any other statement that names one of them is an error.
//
//===----------------------------------------------------------------------===//

#include "TensorLoads.h"

#include "tc/Support/ISA.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

#include <set>

using namespace mlir;
using namespace tc;

namespace {

/// One statement of a function, without labels and comments.
struct Statement {
  StringRef text;
  /// The opcode, after the guard predicate.
  StringRef opcode;
};

/// The statements of one function and where control goes after each.
struct BodyOfFunction {
  SmallVector<Statement> statements;
  SmallVector<SmallVector<unsigned, 2>> next;
};

} // namespace

static bool isRegisterChar(char c) {
  return llvm::isAlnum(c) || c == '_' || c == '$';
}

/// Calls `visit` with each register that `text` names.
template <typename Visit>
static void forEachRegister(StringRef text, Visit visit) {
  for (size_t i = text.find('%'); i != StringRef::npos; i = text.find('%', i)) {
    size_t end = i + 1;
    while (end < text.size() && isRegisterChar(text[end]))
      ++end;
    visit(text.slice(i, end));
    i = end;
  }
}

/// `text` without its comments; both kinds become blanks.
static std::string blankComments(StringRef ptx) {
  std::string text = ptx.str();
  for (size_t i = 0; i + 1 < text.size(); ++i) {
    if (text[i] != '/' || (text[i + 1] != '/' && text[i + 1] != '*'))
      continue;
    bool line = text[i + 1] == '/';
    size_t end = text.find(line ? "\n" : "*/", i + 2);
    end = end == std::string::npos ? text.size() : end + (line ? 0 : 2);
    std::fill(text.begin() + i, text.begin() + end, ' ');
    i = end - 1;
  }
  return text;
}

/// Reads the body of a function, from its opening brace on.
class BodyReader {
public:
  /// Returns how much of `body` the function takes.
  size_t read(StringRef body);
  BodyOfFunction take();

private:
  void addStatement(StringRef text);

  BodyOfFunction function;
  llvm::StringMap<unsigned> labels;
};

size_t BodyReader::read(StringRef body) {
  size_t start = 0, depth = 1, i = 0;
  // Braces open an inner scope where a statement starts, else a list of
  // registers.
  size_t lists = 0;
  for (; i < body.size() && depth != 0; ++i) {
    StringRef text = body.slice(start, i).trim();
    switch (body[i]) {
    case '{':
      if (text.empty()) {
        ++depth;
        start = i + 1;
      } else {
        ++lists;
      }
      break;
    case '}':
      if (lists != 0) {
        --lists;
      } else {
        --depth;
        start = i + 1;
      }
      break;
    case ':':
      // A label, not a `::` of a modifier.
      if (i + 1 < body.size() && body[i + 1] == ':') {
        ++i;
      } else if (llvm::all_of(text, isRegisterChar)) {
        labels[text] = function.statements.size();
        start = i + 1;
      }
      break;
    case ';':
      addStatement(text);
      start = i + 1;
      break;
    default:
      break;
    }
  }
  return i;
}

void BodyReader::addStatement(StringRef text) {
  StringRef rest = text;
  if (rest.starts_with("@"))
    rest = rest.drop_until([](char c) { return llvm::isSpace(c); }).ltrim();
  StringRef opcode =
      rest.take_until([](char c) { return llvm::isSpace(c) || c == '{'; });
  function.statements.push_back({text, opcode});
}

BodyOfFunction BodyReader::take() {
  unsigned count = function.statements.size();
  function.next.resize(count);
  for (auto [index, statement] : llvm::enumerate(function.statements)) {
    SmallVector<unsigned, 2> &next = function.next[index];
    bool branches = statement.opcode.starts_with("bra") ||
                    statement.opcode.starts_with("brx");
    bool guarded = statement.text.starts_with("@");
    bool leaves = statement.opcode == "ret" || statement.opcode == "exit" ||
                  statement.opcode == "trap";
    if ((guarded || (!branches && !leaves)) && index + 1 < count)
      next.push_back(index + 1);
    if (!branches)
      continue;
    // The targets of an indexed branch are a list of all labels it names: any
    // label may follow.
    StringRef target = statement.text.rsplit(' ').second.trim();
    target = target.rsplit('\t').second.empty() ? target
                                                : target.rsplit('\t').second;
    auto it = labels.find(target);
    if (it != labels.end() && statement.opcode.starts_with("bra")) {
      if (it->second < count)
        next.push_back(it->second);
      continue;
    }
    for (const auto &label : labels)
      if (label.second < count)
        next.push_back(label.second);
  }
  return std::move(function);
}

using Pending = std::set<StringRef>;

/// Reports the first statement of `function` that touches a register on its
/// way.
static LogicalResult verifyFunction(Operation *root,
                                    const BodyOfFunction &function) {
  SmallVector<Pending> before(function.statements.size());
  SmallVector<bool> reached(function.statements.size(), false);
  SmallVector<unsigned> work;
  if (function.statements.empty())
    return success();
  work.push_back(0);
  reached[0] = true;
  while (!work.empty()) {
    unsigned index = work.pop_back_val();
    const Statement &statement = function.statements[index];
    Pending pending = before[index];
    StringRef touched;
    if (!pending.empty())
      forEachRegister(statement.text, [&](StringRef name) {
        if (touched.empty() && pending.count(name))
          touched = name;
      });
    if (!touched.empty())
      return root->emitError() << "expected a tcgen05.wait::ld between the "
                                  "tcgen05.ld of "
                               << touched << " and '" << statement.text << "' "
                               << cite(ISASection::TmemWait);
    if (statement.opcode.starts_with("tcgen05.wait::ld"))
      pending.clear();
    else if (statement.opcode.starts_with("tcgen05.ld"))
      forEachRegister(
          statement.text.take_until([](char c) { return c == '['; }),
          [&](StringRef name) {
            if (!statement.text.starts_with(("@" + name).str()))
              pending.insert(name);
          });
    for (unsigned next : function.next[index]) {
      size_t size = before[next].size();
      before[next].insert(pending.begin(), pending.end());
      if (reached[next] && before[next].size() == size)
        continue;
      reached[next] = true;
      work.push_back(next);
    }
  }
  return success();
}

LogicalResult tc::verifyTensorLoads(Operation *root, StringRef ptx) {
  if (!ptx.contains("tcgen05.ld"))
    return success();
  std::string text = blankComments(ptx);
  StringRef rest = text;
  bool clean = true;
  // A body starts at the first brace after .entry or .func; a declaration
  // ends before it.
  while (true) {
    size_t start = std::min(rest.find(".entry "), rest.find(".func "));
    if (start == StringRef::npos)
      break;
    rest = rest.drop_front(start + 6);
    size_t open = rest.find('{'), end = rest.find(';');
    if (open == StringRef::npos)
      break;
    if (end < open) {
      rest = rest.drop_front(end);
      continue;
    }
    BodyReader reader;
    size_t length = reader.read(rest.drop_front(open + 1));
    clean &= succeeded(verifyFunction(root, reader.take()));
    rest = rest.drop_front(open + 1 + length);
  }
  return success(clean);
}
