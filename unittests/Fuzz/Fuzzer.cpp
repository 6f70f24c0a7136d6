//===- Fuzzer.cpp - damage PTX and descriptions ---------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A libFuzzer target. Its mutator works on lines, words and numbers, since
// single bytes seldom get past a parser: pieces are cut off, lines lost,
// doubled and exchanged, words replaced by others of the input, numbers by
// absurd ones.
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"

#include <cstdint>
#include <cstring>
#include <random>

using namespace tc::test;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  runFuzzInput({reinterpret_cast<const char *>(data), size});
  return 0;
}

namespace {

/// [begin, end) of a piece of the text.
struct Piece {
  size_t begin = 0, end = 0;
};

class Mutator {
public:
  Mutator(std::string text, unsigned seed)
      : text(std::move(text)), random(seed) {}

  std::string run() {
    unsigned steps = 1 + below(4);
    for (unsigned i = 0; i < steps && !text.empty(); ++i)
      step();
    return std::move(text);
  }

private:
  size_t below(size_t limit) { return limit ? random() % limit : 0; }

  void step() {
    switch (below(9)) {
    case 0: // half a file
      text.resize(below(text.size()));
      return;
    case 1: { // lose a line
      Piece line = pickLine();
      text.erase(line.begin, line.end - line.begin);
      return;
    }
    case 2: { // another line again
      std::string copy = read(pickLine());
      text.insert(pickLine().begin, copy);
      return;
    }
    case 3: { // exchange two lines
      Piece a = pickLine(), b = pickLine();
      if (a.begin > b.begin)
        std::swap(a, b);
      if (a.end > b.begin)
        return;
      std::string first = read(a), second = read(b);
      text.replace(b.begin, b.end - b.begin, first);
      text.replace(a.begin, a.end - a.begin, second);
      return;
    }
    case 4:
    case 5: { // one word for another
      std::string copy = read(pickWord());
      Piece word = pickWord();
      text.replace(word.begin, word.end - word.begin, copy);
      return;
    }
    case 6:
    case 7: { // a number
      static const char *const kNumbers[] = {"0",
                                             "1",
                                             "-1",
                                             "2",
                                             "7",
                                             "31",
                                             "32",
                                             "255",
                                             "65535",
                                             "65536",
                                             "1048576",
                                             "2147483647",
                                             "2147483648",
                                             "4294967295",
                                             "4294967296",
                                             "9223372036854775807",
                                             "-9223372036854775808",
                                             "18446744073709551615",
                                             "99999999999999999999999",
                                             "1.5",
                                             "0f7FC00000"};
      Piece number = pickNumber();
      text.replace(number.begin, number.end - number.begin,
                   kNumbers[below(sizeof(kNumbers) / sizeof(*kNumbers))]);
      return;
    }
    default: // a character
      text[below(text.size())] = char(1 + below(126));
    }
  }

  std::string read(const Piece &piece) const {
    return text.substr(piece.begin, piece.end - piece.begin);
  }

  Piece pickLine() {
    size_t at = below(text.size());
    size_t begin = text.rfind('\n', at ? at - 1 : 0);
    begin = begin == text.npos || begin >= at ? 0 : begin + 1;
    size_t end = text.find('\n', at);
    return {begin, end == text.npos ? text.size() : end + 1};
  }

  template <class IsMember>
  Piece pickRun(IsMember isMember) {
    size_t begin = below(text.size());
    while (begin < text.size() && !isMember(text[begin]))
      ++begin;
    while (begin && isMember(text[begin - 1]))
      --begin;
    size_t end = begin;
    while (end < text.size() && isMember(text[end]))
      ++end;
    return {begin, end};
  }
  Piece pickWord() {
    return pickRun([](unsigned char c) {
      return std::isalnum(c) || std::strchr("_%$.:", c);
    });
  }
  Piece pickNumber() {
    return pickRun([](unsigned char c) { return std::isdigit(c); });
  }

  std::string text;
  std::minstd_rand random;
};

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size,
                                          size_t maxSize, unsigned seed) {
  if (size == 0 || seed % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text =
      Mutator(std::string(reinterpret_cast<char *>(data), size), seed).run();
  size = std::min(text.size(), maxSize);
  std::memcpy(data, text.data(), size);
  return size;
}
