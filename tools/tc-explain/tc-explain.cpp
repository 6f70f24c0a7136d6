//===- tc-explain.cpp - what a word of tcgen05 says -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// tc-explain FORMAT WORD: the fields of a descriptor that someone has in a
// debugger. tc-explain targets: the table of forms; tables: what is legal, by
// op family; layout: where elements are.
//
//===----------------------------------------------------------------------===//

#include "Layouts.h"
#include "Tables.h"

#include "Common/LLVMOutput.h"

#include "tc/Support/DescriptorWords.h"
#include "tc/Support/TCGen05Forms.h"
#include "tc/Support/Version.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <optional>

using namespace tc;
using llvm::errs;
using llvm::outs;
using llvm::StringRef;

static constexpr char kUsage[] =
    R"(usage: tc-explain FORMAT WORD
       tc-explain targets
       tc-explain tables FAMILY
       tc-explain layout LAYOUT... [--svg]
       tc-explain --version

What a word of tcgen05 says, field by field. WORD is hexadecimal with 0x, or decimal,
where LLVM prints words with the highest bit set as negative numbers.

FORMAT:
  f16, tf32, f8f6f4, i8, mxf8f6f4, mxf4, mxf4nvf4, ti16
          the 32-bit instruction descriptor of a tcgen05.mma of this kind
  idesc   the same where the kind is not known: which kinds the word is legal for
  smem    the 64-bit shared memory descriptor of a matrix
  mask    the 64-bit zero-column mask of tcgen05.mma.ws

targets lists the forms of tcgen05 instructions: the first PTX version, the targets that
have it, and an example.

tables prints what the verifiers take of a FAMILY of operations, in Markdown: mma,
mma_block_scale, mma_ws, ld_st, cp_shift, alloc.

layout shows where elements are, as text, or with --svg as a picture:
  A to G N                        the accumulator of N columns in a data path layout
  scales ROWS, scales_split N     factors of blocks
  metadata BITS [LAYOUT]          which bits belong to a sparse A of elements of BITS
  ld SHAPE REPETITION [OFFSET]    the register and thread of each cell
  smem MAJOR SWIZZLE BITS MN K    a tile in shared memory: smem k_major b128 16 128 64

Exit status: 0 all fields are defined, 1 some are not, 2 bad input.
)";

static int fail(const llvm::Twine &message) {
  errs() << "tc-explain: " << message << "\n";
  return 2;
}

static bool isLegal(const WordFormat &format, uint64_t word) {
  return llvm::all_of(readWord(format, word),
                      [](const WordReading &reading) { return reading.legal; });
}

static int explain(const WordFormat &format, uint64_t word) {
  outs() << format.title << " " << llvm::format_hex(word, format.bits / 4 + 2)
         << " " << cite(format.section) << "\n";
  for (const WordReading &reading : readWord(format, word)) {
    const WordField &field = *reading.field;
    unsigned last = field.first + field.width - 1;
    std::string bits = std::to_string(field.first);
    if (last != field.first)
      bits += "-" + std::to_string(last);
    // A reserved field says nothing where it is what it has to be.
    if (reading.legal && field.name.starts_with("bit"))
      continue;
    outs() << "  " << llvm::left_justify(bits, 7)
           << llvm::left_justify(field.name, 41) << reading.text << "\n";
  }
  return isLegal(format, word) ? 0 : 1;
}

/// The kinds of instruction that have `word` as descriptor.
static int explainKinds(uint64_t word) {
  bool any = false;
  for (const WordFormat &format : getWordFormats()) {
    if (format.bits != 32) // a descriptor of another instruction
      continue;
    if (isLegal(format, word)) {
      explain(format, word);
      any = true;
      continue;
    }
    outs() << format.title << ": no\n";
    for (const WordReading &reading : readWord(format, word))
      if (!reading.legal)
        outs() << "  " << reading.field->name << ": " << reading.text << "\n";
  }
  return any ? 0 : 1;
}

static std::string getVersion(unsigned version) {
  return std::to_string(version / 10) + "." + std::to_string(version % 10);
}

static void listTargets() {
  for (const TCGen05FormFacts &facts : getTCGen05Forms()) {
    outs() << facts.name << ": " << facts.example << "\n ";
    for (const TargetFacts &target : getTargets())
      if (facts.exists(target))
        outs() << " " << target.chip << " "
               << getVersion(facts.getPtxVersion(target));
    outs() << "\n  known from " << facts.evidence << "\n";
  }
}

/// `text` as a word of `bits` bits, signed or not.
static std::optional<uint64_t> parseWord(StringRef text, unsigned bits) {
  int64_t negative;
  uint64_t word;
  // No octal numbers, as a leading 0 would be.
  StringRef digits = text;
  const unsigned radix = digits.consume_front_insensitive("0x") ? 16 : 10;
  if (text.starts_with("-")) {
    if (text.getAsInteger(10, negative) || !llvm::isIntN(bits, negative))
      return std::nullopt;
    return static_cast<uint64_t>(negative) &
           llvm::maskTrailingOnes<uint64_t>(bits);
  }
  if (digits.getAsInteger(radix, word) || !llvm::isUIntN(bits, word))
    return std::nullopt;
  return word;
}

int main(int argc, char **argv) {
  tools::watchOutput("tc-explain");
  llvm::ArrayRef<const char *> arguments(argv + 1, argc - 1);
  if (arguments.size() == 1 && StringRef(arguments[0]) == "--help") {
    outs() << kUsage;
    return 0;
  }
  if (arguments.size() == 1 && StringRef(arguments[0]) == "--version") {
    printVersion(outs(), "tc-explain");
    return 0;
  }
  if (arguments.size() == 1 && StringRef(arguments[0]) == "targets") {
    listTargets();
    return 0;
  }
  if (arguments.size() > 1 && StringRef(arguments[0]) == "layout")
    return explainLayout(arguments.drop_front());
  if (arguments.size() == 2 && StringRef(arguments[0]) == "tables")
    return printTables(arguments[1]);
  if (arguments.size() != 2) {
    errs() << kUsage;
    return 2;
  }
  StringRef name = arguments[0], text = arguments[1];
  bool anyKind = name == "idesc";
  const WordFormat *format = nullptr;
  std::string names;
  for (const WordFormat &known : getWordFormats()) {
    names += known.name.str() + ", ";
    if (known.name == name)
      format = &known;
  }
  if (!format && !anyKind)
    return fail("expected format " + names + "idesc, got '" + name + "'");
  unsigned bits = anyKind ? 32 : format->bits;
  std::optional<uint64_t> word = parseWord(text, bits);
  if (!word)
    return fail("expected a number of at most " + llvm::Twine(bits) +
                " bits, got '" + text + "'");
  return anyKind ? explainKinds(*word) : explain(*format, *word);
}
