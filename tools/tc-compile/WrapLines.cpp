//===- WrapLines.cpp - printed IR in lines of a page ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A space is a place to break if a reader finds the halves there: not within a
// list while there is one outside of it, before types (`:`, `->`) or else after
// a list or one of its members, and not so early that the rest is longer than
// it must be.
//
//===----------------------------------------------------------------------===//

#include "WrapLines.h"

#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <tuple>

using llvm::StringRef;

namespace {

/// A space between two words of a line.
struct Gap {
  size_t position;
  /// Brackets that are open there.
  int depth;
};

} // namespace

/// The gaps of `line` outside of strings and before a comment.
static llvm::SmallVector<Gap> findGaps(StringRef line) {
  llvm::SmallVector<Gap> gaps;
  int depth = 0;
  bool inString = false;
  for (size_t i = line.find_first_not_of(' '); i < line.size(); ++i) {
    char c = line[i];
    if (inString) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        inString = false;
      continue;
    }
    if (line.substr(i).starts_with("//"))
      break;
    if (c == '"')
      inString = true;
    else if (c == '(' || c == '[' || c == '{' || c == '<')
      ++depth;
    else if (c == ')' || c == ']' || c == '}' ||
             (c == '>' && line[i - 1] != '-'))
      --depth;
    else if (c == ' ' && i + 1 < line.size() && line[i + 1] != ' ' &&
             line.substr(i + 1) != "{")
      gaps.push_back({i, depth});
  }
  return gaps;
}

/// Where to break `line`, nothing if it has no place for that.
static std::optional<size_t> findBreak(StringRef line, size_t columns) {
  size_t indent = line.find_first_not_of(' ');
  std::optional<Gap> best;
  auto rank = [&](const Gap &gap) {
    StringRef rest = line.substr(gap.position + 1);
    bool beforeTypes =
        gap.depth == 0 && (rest.starts_with(": ") || rest.starts_with("-> "));
    // In the first half, without any other advantage.
    bool early = !beforeTypes && gap.position < indent + (columns - indent) / 2;
    bool afterPart = StringRef(",)]>").contains(line[gap.position - 1]);
    return std::make_tuple(early, gap.depth,
                           beforeTypes ? 0
                           : afterPart ? 1
                                       : 2,
                           columns - gap.position);
  };
  for (const Gap &gap : findGaps(line)) {
    if (gap.position > columns)
      // The first one after a long string.
      return best ? best->position : gap.position;
    if (!best || rank(gap) < rank(*best))
      best = gap;
  }
  return best ? std::optional(best->position) : std::nullopt;
}

std::string tc::wrapLines(StringRef text, size_t columns) {
  std::string result;
  result.reserve(text.size());
  while (!text.empty()) {
    auto [first, rest] = text.split('\n');
    bool ended = first.size() < text.size();
    std::string line = first.str();
    size_t indent = std::min(first.find_first_not_of(' '), first.size());
    while (line.size() > columns) {
      std::optional<size_t> position = findBreak(line, columns);
      if (!position)
        break;
      result += StringRef(line).take_front(*position).rtrim();
      result += '\n';
      line = std::string(indent + 4, ' ') + line.substr(*position + 1);
    }
    result += line;
    if (ended)
      result += '\n';
    text = rest;
  }
  return result;
}
