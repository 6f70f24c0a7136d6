//===- ConfigFields.h - the fields of a configuration -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The plain data of MatmulConfig.td and its table of fields, over which
// whatever holds of every field is written: text, rules of a single value,
// merging.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULE_CONFIGFIELDS_H
#define TC_SCHEDULE_CONFIGFIELDS_H

#include "tc/Schedule/MatrixUnit.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>

namespace tc::schedule {

#include "tc/Schedule/MatmulConfigDecls.h.inc"

/// What the value of a field is (ConfigBase.td).
enum class FieldKind { Extents, Count, OneOf, Swizzle, Switch, Enum, Unit };

/// The value of a field as numbers: one for each extent, else one; none where
/// the field is not set. Enumerators and switches are their numbers, units
/// their opaque values.
using FieldValue = llvm::SmallVector<int64_t, 3>;

/// A field of a configuration: a row of the table.
struct ConfigField {
  /// Its name in its part, and on the command line with underscores.
  llvm::StringRef name, key;
  llvm::StringRef meaning;
  /// The number of its part.
  unsigned part;
  FieldKind kind;
  /// Numbers of its value.
  unsigned count;
  /// Extents: what the numbers are, as "M, N, K".
  llvm::StringRef of;
  /// Count: the smallest number.
  int64_t least;
  /// OneOf: the numbers.
  llvm::SmallVector<int64_t, 2> values;
  /// Enum: the words, by number.
  llvm::ArrayRef<llvm::StringRef> (*getWords)();
  /// The value in a configuration, and the way to set it.
  FieldValue (*get)(const MatmulConfig &config);
  void (*set)(MatmulConfig &config, llvm::ArrayRef<int64_t> value);
};

/// A part of a configuration.
struct ConfigPart {
  llvm::StringRef word, summary;
  /// The entries of --explain=json that its fields decide.
  llvm::SmallVector<llvm::StringRef, 2> explained;
  llvm::ArrayRef<ConfigField> fields;
};

/// All parts, and all fields, in the order in which they are printed.
llvm::ArrayRef<ConfigPart> getConfigParts();
llvm::ArrayRef<ConfigField> getConfigFields();

/// The values that `field` takes, in words: "numbers with 'x' between them (M,
/// N, K)", "static or clc"; of a unit the names of `units`.
std::string describeValues(const ConfigField &field, const UnitRegistry &units);

/// The text of a value, `256x128x64`, `128B` or `tma_store`, and its value;
/// nothing where `text` is none, or a unit that is not in `units`. Says nothing
/// about the size of numbers.
std::string formatValue(const ConfigField &field,
                        llvm::ArrayRef<int64_t> value);
std::optional<FieldValue> parseValue(const ConfigField &field,
                                     llvm::StringRef text,
                                     const UnitRegistry &units);

/// What is wrong with a single value whatever the other fields are, as
/// "expected a positive number, got 0"; nothing if it is legal.
std::optional<std::string> findValueError(const ConfigField &field,
                                          llvm::ArrayRef<int64_t> value);

/// What is wrong with the fields of part number `part` taken together, each of
/// them legal; nothing if they go together.
std::optional<std::string> findPartError(unsigned part,
                                         const MatmulConfig &config);

/// `base` with every field that `other` sets taken from it.
MatmulConfig merge(const MatmulConfig &base, const MatmulConfig &other);

/// The command line form: `tile=256x256x64 cta-group=2`, and the keys of the
/// fields that are set, with dashes.
std::string formatConfig(const MatmulConfig &config);
llvm::SmallVector<std::string> getSetFields(const MatmulConfig &config);

/// What is wrong with a text, from which of its characters on.
struct TextError {
  std::string message;
  size_t offset = 0;
};

/// Reads the command line form, fields separated by blanks. Where it is wrong,
/// says what in `error`: an unknown field, one given twice, a bad value.
std::optional<MatmulConfig>
parseConfig(llvm::StringRef text, const UnitRegistry &units, TextError &error);

/// `key` with dashes between its words.
std::string spellKey(llvm::StringRef key);

} // namespace tc::schedule

#endif // TC_SCHEDULE_CONFIGFIELDS_H
