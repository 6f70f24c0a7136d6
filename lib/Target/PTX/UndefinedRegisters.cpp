//===- UndefinedRegisters.cpp - registers that nothing writes ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The back end widens a vector of an odd length by an element without a value
// and prints instructions for it, too. A function of the text is what is
// between a line of a brace and the next one.
//
//===----------------------------------------------------------------------===//

#include "LLVMModule.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace llvm;

namespace {

/// A function's registers so far: whether each is written.
struct Registers {
  void declare(StringRef line);
  void note(StringRef statement);
  std::string define() const;

  /// The type of the registers of a prefix, such as b32 of %r.
  StringMap<StringRef> types;
  MapVector<StringRef, bool> written;
};

} // namespace

/// Calls `found` with each name of a register in `text`, and its prefix.
static void forRegisters(StringRef text,
                         function_ref<void(StringRef, StringRef)> found) {
  for (size_t at = text.find('%'); at != StringRef::npos;
       at = text.find('%', at + 1)) {
    StringRef rest = text.substr(at + 1);
    size_t letters = rest.take_while(isAlpha).size();
    size_t digits = rest.drop_front(letters).take_while(isDigit).size();
    if (letters != 0 && digits != 0)
      found(text.substr(at, 1 + letters + digits),
            text.substr(at, 1 + letters));
  }
}

/// Notes a line such as `.reg .b32 %r<9>;`.
void Registers::declare(StringRef line) {
  auto [type, names] =
      line.drop_front(StringRef(".reg").size()).trim().split(' ');
  if (size_t end = names.find('<'); end != StringRef::npos)
    types[names.take_front(end).trim()] = type.drop_front(1).trim();
}

/// Notes the registers of `statement`. Its first operand is written unless it
/// is an address.
void Registers::note(StringRef statement) {
  forRegisters(statement, [&](StringRef name, StringRef prefix) {
    if (types.contains(prefix))
      written.insert({name, false});
  });
  StringRef rest = statement.ltrim();
  // A guard, then the instruction.
  if (rest.starts_with("@"))
    rest = rest.drop_until(isSpace).ltrim();
  rest = rest.drop_until(isSpace).ltrim();
  if (rest.starts_with("["))
    return;
  size_t depth = 0, end = 0;
  for (; end < rest.size() && (depth != 0 || rest[end] != ','); ++end) {
    if (StringRef("{[(").contains(rest[end]))
      ++depth;
    else if (StringRef("}])").contains(rest[end]) && depth != 0)
      --depth;
  }
  forRegisters(rest.take_front(end), [&](StringRef name, StringRef prefix) {
    if (auto *known = written.find(name); known != written.end())
      known->second = true;
  });
}

std::string Registers::define() const {
  std::string text;
  for (auto [name, isWritten] : written) {
    StringRef type = types.lookup(name.rtrim("0123456789"));
    if (!isWritten && type != "b128")
      text += ("\tmov." + type + " \t" + name + ", 0;\n").str();
  }
  return text;
}

std::string tc::defineRegisters(StringRef ptx) {
  std::string result;
  while (!ptx.empty()) {
    // What is outside of functions, and the brace.
    size_t begin = ptx.find("\n{\n"), end = ptx.find("\n}\n", begin);
    if (begin == StringRef::npos || end == StringRef::npos)
      return result + ptx.str();
    result += ptx.take_front(begin + 3);
    StringRef body = ptx.slice(begin + 3, end + 1);
    ptx = ptx.drop_front(end + 1);
    Registers registers;
    // After the declarations; inline PTX may have some of its own.
    size_t place = 0;
    bool isHead = true;
    for (StringRef rest = body; !rest.empty();) {
      auto [line, next] = rest.split('\n');
      rest = next;
      StringRef code = line.split("//").first.trim();
      isHead &= code.empty() || code.starts_with(".");
      if (isHead && code.starts_with(".reg")) {
        registers.declare(code);
        place = body.size() - rest.size();
      }
      if (isHead)
        continue;
      for (StringRef statement : split(code, ';'))
        registers.note(statement);
    }
    result += body.take_front(place);
    result += registers.define();
    result += body.drop_front(place);
  }
  return result;
}
