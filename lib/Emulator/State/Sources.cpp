//===- Sources.cpp - what a line of PTX was made of -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A .loc directive of what was inlined names the place of the call. That of the
// call itself, where it was inlined in turn, is the last one before with this
// place (PTX ISA 9.0, "Debugging Directives: .loc").
//
//===----------------------------------------------------------------------===//

#include "State/Sources.h"

#include "tc/Emulator/Emulator.h"
#include "tc/Emulator/Names.h"

#include <algorithm>

namespace tc::emu {

/// What is shown at most: lines of a report, and calls of a line.
static constexpr size_t kMaxLines = 16, kMaxCalls = 16;

/// The directive before a line, or null where it names no place.
static const ast::Location *findLocation(const ast::Module &module, int line) {
  const auto &all = module.locations;
  auto after = std::lower_bound(
      all.begin(), all.end(), line,
      [](const ast::Location &at, int line) { return at.line < line; });
  return after == all.begin() || !std::prev(after)->row ? nullptr
                                                        : &*std::prev(after);
}

static std::string pathOf(const ast::Module &module, unsigned file) {
  auto path = module.files.find(file);
  return path == module.files.end() ? "file " + std::to_string(file)
                                    : path->second;
}

static std::string baseOf(const std::string &path) {
  return path.substr(path.rfind('/') + 1);
}

std::string sourceOf(const ast::Module &module, int line) {
  const ast::Location *at = findLocation(module, line);
  return at ? baseOf(pathOf(module, at->file)) + ":" + std::to_string(at->row)
            : "";
}

/// "/a/add.cu:3:5 in 'add', inlined at add.cu:10:3".
static std::string describe(const ast::Module &module,
                            const ast::Location *at) {
  auto place = [](unsigned row, unsigned column) {
    return ":" + std::to_string(row) + ":" + std::to_string(column);
  };
  std::string text = pathOf(module, at->file) + place(at->row, at->column);
  for (size_t calls = 0; at && at->callerRow; ++calls) {
    if (calls == kMaxCalls)
      return text + ", ...";
    if (!at->function.empty())
      text += " in '" + shortName(at->function) + "'";
    text += ", inlined at " + baseOf(pathOf(module, at->callerFile)) +
            place(at->callerRow, at->callerColumn);
    const ast::Location *call = nullptr;
    for (const ast::Location *other = at;
         !call && other != module.locations.data();) {
      --other;
      if (!other->row && !other->file)
        break; // another function
      if (other->file == at->callerFile && other->row == at->callerRow &&
          other->column == at->callerColumn)
        call = other;
    }
    at = call;
  }
  return text;
}

/// The lines of PTX that a report names, in its order.
static std::vector<int> linesOf(const Report &report) {
  std::vector<int> lines;
  auto add = [&](int line) {
    if (line && std::find(lines.begin(), lines.end(), line) == lines.end())
      lines.push_back(line);
  };
  for (int line : report.lines)
    add(line);
  const std::string &text = report.message;
  constexpr std::string_view word = "line ";
  for (size_t at = text.find(word); at != text.npos;
       at = text.find(word, at + 1))
    add(std::atoi(text.c_str() + at + word.size()));
  return lines;
}

std::string describeSources(const ast::Module &module, const Report &report) {
  if (module.locations.empty())
    return "";
  std::string text;
  size_t shown = 0;
  for (int line : linesOf(report))
    if (const ast::Location *at = findLocation(module, line);
        at && ++shown <= kMaxLines)
      text +=
          "\n  line " + std::to_string(line) + " is of " + describe(module, at);
  return text;
}

} // namespace tc::emu
