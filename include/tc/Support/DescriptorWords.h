//===- DescriptorWords.h - the words of tcgen05.mma -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fields of the instruction descriptor of each kind, of the shared memory
// descriptor and of the zero-column mask, as data, and what a word says by
// them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_DESCRIPTORWORDS_H
#define TC_SUPPORT_DESCRIPTORWORDS_H

#include "tc/Support/ISA.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace tc {

/// A value of a field and what it means.
struct WordValue {
  unsigned value;
  llvm::StringRef meaning;
};

/// Some bits of a word.
struct WordField {
  llvm::StringRef name;
  unsigned first;
  unsigned width;
  /// The values that are defined, with their meaning; if empty, the field is
  /// the number (value + `plus`) * `scale`.
  llvm::ArrayRef<WordValue> values;
  unsigned scale = 1;
  unsigned plus = 0;
  /// The largest and the smallest value of a number; 0: any.
  unsigned last = 0;
  unsigned least = 0;
  /// Bits of the word; where all are set, any value is defined.
  uint64_t anyWith = 0;
  /// Bits of the word; where one is set, the field is 0.
  uint64_t zeroWith = 0;

  uint64_t get(uint64_t word) const {
    return word >> first & ((uint64_t(1) << width) - 1);
  }
};

/// A kind of word. Its fields cover all its bits.
struct WordFormat {
  /// As a user names it: `smem`, `mask`, or the kind of an instruction.
  llvm::StringRef name;
  llvm::StringRef title;
  unsigned bits;
  ISASection section;
  llvm::ArrayRef<WordField> fields;
};

/// All formats; instruction descriptors in the order of the ISA's tables.
llvm::ArrayRef<WordFormat> getWordFormats();

/// What one field of a word says.
struct WordReading {
  const WordField *field;
  uint64_t value;
  /// The meaning, or the number; of a value that is not defined, which are.
  std::string text;
  bool legal;
};

/// Reads `word`, from the lowest bit on.
llvm::SmallVector<WordReading> readWord(const WordFormat &format,
                                        uint64_t word);

} // namespace tc

#endif // TC_SUPPORT_DESCRIPTORWORDS_H
