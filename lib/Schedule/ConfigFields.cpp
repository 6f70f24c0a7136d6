//===- ConfigFields.cpp - the fields of a configuration ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What depends on the kind of a field only, one switch for each question, and
// the rules that tie fields of one part together.
//
//===----------------------------------------------------------------------===//

#include "ConfigFacts.h"

#include "tc/Schedule/ConfigFields.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"

#include <algorithm>
#include <limits>

using namespace tc;
using namespace tc::schedule;
using llvm::ArrayRef;
using llvm::StringRef;

namespace tc::schedule {
#include "tc/Schedule/MatmulConfigDefs.cpp.inc"
} // namespace tc::schedule

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static constexpr int64_t kSwizzles[] = {128, 64, 32, 0};

/// "a", "a or b", "a, b or c".
static std::string listWords(ArrayRef<std::string> words) {
  std::string text;
  for (auto [index, word] : llvm::enumerate(words))
    text += (index == 0                  ? ""
             : index + 1 == words.size() ? " or "
                                         : ", ") +
            word;
  return text;
}

/// The words of a switch, by number.
static ArrayRef<StringRef> getSwitchWords() {
  static constexpr StringRef words[] = {"off", "on"};
  return words;
}

static ArrayRef<StringRef> getWords(const ConfigField &field) {
  return field.kind == FieldKind::Switch ? getSwitchWords() : field.getWords();
}

static std::string formatSwizzle(int64_t bytes) {
  return bytes == 0 ? "none" : std::to_string(bytes) + "B";
}

std::string tc::schedule::listNumbers(ArrayRef<int64_t> numbers) {
  llvm::SmallVector<std::string> words;
  for (int64_t number : numbers)
    words.push_back(std::to_string(number));
  return listWords(words);
}

static std::string listSwizzles() {
  llvm::SmallVector<std::string> words;
  for (int64_t bytes : kSwizzles)
    words.push_back(formatSwizzle(bytes));
  return listWords(words);
}

std::string tc::schedule::describeValues(const ConfigField &field,
                                         const UnitRegistry &units) {
  llvm::SmallVector<std::string> words;
  switch (field.kind) {
  case FieldKind::Extents:
    return std::to_string(field.count) + " numbers with 'x' between them (" +
           field.of.str() + ")";
  case FieldKind::Count:
    return "a number";
  case FieldKind::OneOf:
    return listNumbers(field.values);
  case FieldKind::Swizzle:
    return listSwizzles();
  case FieldKind::Unit:
    return listWords(units.getNames());
  case FieldKind::Switch:
  case FieldKind::Enum:
    for (StringRef word : getWords(field))
      words.push_back(word.str());
    return listWords(words);
  }
  llvm_unreachable("all kinds are covered");
}

std::string tc::schedule::formatValue(const ConfigField &field,
                                      ArrayRef<int64_t> value) {
  switch (field.kind) {
  case FieldKind::Extents:
  case FieldKind::Count:
  case FieldKind::OneOf:
    return llvm::join(
        llvm::map_range(value, [](int64_t n) { return std::to_string(n); }),
        "x");
  case FieldKind::Swizzle:
    return formatSwizzle(value.front());
  case FieldKind::Unit:
    return MatrixUnit::getFromOpaqueValue(value.front()).getName().str();
  case FieldKind::Switch:
  case FieldKind::Enum:
    return getWords(field)[value.front()].str();
  }
  llvm_unreachable("all kinds are covered");
}

std::optional<FieldValue> tc::schedule::parseValue(const ConfigField &field,
                                                   StringRef text,
                                                   const UnitRegistry &units) {
  FieldValue value;
  int64_t number = 0;
  switch (field.kind) {
  case FieldKind::Extents:
  case FieldKind::Count:
  case FieldKind::OneOf: {
    llvm::SmallVector<StringRef> parts;
    text.split(parts, 'x');
    for (StringRef part : parts) {
      if (part.getAsInteger(10, number))
        return std::nullopt;
      value.push_back(number);
    }
    if (value.size() != field.count)
      return std::nullopt;
    return value;
  }
  case FieldKind::Swizzle:
    if (text != "none") {
      if (!text.consume_back("B") || text.getAsInteger(10, number))
        return std::nullopt;
    }
    return FieldValue{number};
  case FieldKind::Unit:
    if (std::optional<MatrixUnit> unit = units.find(text))
      return FieldValue{unit->getAsOpaqueValue()};
    return std::nullopt;
  case FieldKind::Switch:
  case FieldKind::Enum: {
    ArrayRef<StringRef> words = getWords(field);
    const StringRef *found = llvm::find(words, text);
    if (found == words.end())
      return std::nullopt;
    return FieldValue{found - words.begin()};
  }
  }
  llvm_unreachable("all kinds are covered");
}

/// No field is larger: sizes have 32 bits with a sign, and products of two
/// fields fit 64 bits.
static constexpr int64_t kMaxNumber = std::numeric_limits<int32_t>::max();

std::optional<std::string>
tc::schedule::findValueError(const ConfigField &field,
                             ArrayRef<int64_t> value) {
  auto got = [&](const std::string &expected) {
    return "expected " + expected + ", got " + formatValue(field, value);
  };
  switch (field.kind) {
  case FieldKind::Extents:
    for (int64_t number : value)
      if (number < 1)
        return "expected positive numbers, got " + std::to_string(number);
      else if (number > kMaxNumber)
        return "expected numbers up to " + std::to_string(kMaxNumber) +
               ", got " + std::to_string(number);
    return std::nullopt;
  case FieldKind::Count:
    if (value.front() < field.least)
      return got(field.least ? "a positive number" : "0 or a positive number");
    if (value.front() > kMaxNumber)
      return got("a number up to " + std::to_string(kMaxNumber));
    return std::nullopt;
  case FieldKind::OneOf:
    if (!llvm::is_contained(field.values, value.front()))
      return got(listNumbers(field.values));
    return std::nullopt;
  case FieldKind::Swizzle:
    if (!llvm::is_contained(kSwizzles, value.front()))
      return got(listSwizzles());
    return std::nullopt;
  case FieldKind::Switch:
  case FieldKind::Enum:
  case FieldKind::Unit:
    return std::nullopt;
  }
  llvm_unreachable("all kinds are covered");
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

static std::optional<std::string> findRuleError(const TileConfig &tile) {
  if (tile.ctaGroup && tile.clusterM && *tile.clusterM % *tile.ctaGroup != 0)
    return "cluster of " + std::to_string(*tile.clusterM) + "x" +
           std::to_string(*tile.clusterN) + ": expected a multiple of " +
           std::to_string(*tile.ctaGroup) +
           " CTAs along M, those of a matrix instruction, nearest " +
           std::to_string((*tile.clusterM / *tile.ctaGroup + 1) *
                          *tile.ctaGroup) +
           "x" + std::to_string(*tile.clusterN);
  return std::nullopt;
}

static std::optional<std::string> findRuleError(const EpilogueConfig &config) {
  if (config.storeStages && config.epilogue == Epilogue::direct)
    return "store-stages of " + std::to_string(*config.storeStages) +
           ": expected none with epilogue direct, which has no store buffers";
  return std::nullopt;
}

static std::optional<std::string> findRuleError(const RolesConfig &config) {
  if (config.epilogueRegisters.value_or(0) && config.roles == Roles::none)
    return "epilogue-registers of " +
           std::to_string(*config.epilogueRegisters) +
           ": expected 0, without roles no thread gives registers up";
  return std::nullopt;
}

std::optional<std::string>
tc::schedule::findPartError(unsigned part, const MatmulConfig &config) {
  switch (part) {
  case TileConfig::kPart:
    return findRuleError(static_cast<const TileConfig &>(config));
  case EpilogueConfig::kPart:
    return findRuleError(static_cast<const EpilogueConfig &>(config));
  case RolesConfig::kPart:
    return findRuleError(static_cast<const RolesConfig &>(config));
  default:
    return std::nullopt;
  }
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

MatmulConfig tc::schedule::merge(const MatmulConfig &base,
                                 const MatmulConfig &other) {
  MatmulConfig result = base;
  for (const ConfigField &field : getConfigFields())
    if (FieldValue value = field.get(other); !value.empty())
      field.set(result, value);
  return result;
}

std::string tc::schedule::spellKey(StringRef key) {
  std::string spelled = key.str();
  std::replace(spelled.begin(), spelled.end(), '_', '-');
  return spelled;
}

std::string tc::schedule::formatConfig(const MatmulConfig &config) {
  std::string text;
  for (const ConfigField &field : getConfigFields())
    if (FieldValue value = field.get(config); !value.empty())
      text += (text.empty() ? "" : " ") + spellKey(field.key) + "=" +
              spellKey(formatValue(field, value));
  return text;
}

llvm::SmallVector<std::string>
tc::schedule::getSetFields(const MatmulConfig &config) {
  llvm::SmallVector<std::string> keys;
  for (const ConfigField &field : getConfigFields())
    if (!field.get(config).empty())
      keys.push_back(spellKey(field.key));
  return keys;
}

/// `text` as it is spelled on the command line, if it is spelled as in the IR.
static std::string hintSpelling(StringRef text, bool isKnown) {
  return isKnown && text.contains('_') ? "'" + spellKey(text) + "' with dashes"
                                       : "";
}

std::optional<MatmulConfig> tc::schedule::parseConfig(StringRef text,
                                                      const UnitRegistry &units,
                                                      TextError &error) {
  MatmulConfig config;
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  for (StringRef word : words) {
    auto [key, valueText] = word.split('=');
    auto fail = [&](const std::string &message, StringRef at) {
      error = {message, static_cast<size_t>(at.data() - text.data())};
      return std::nullopt;
    };
    auto find = [](StringRef name) {
      return llvm::find_if(getConfigFields(), [&](const ConfigField &f) {
        return spellKey(f.key) == name;
      });
    };
    const ConfigField *field = find(key), *none = getConfigFields().end();
    if (field == none) {
      std::string expected = hintSpelling(key, find(spellKey(key)) != none);
      if (expected.empty())
        expected =
            "one of " + llvm::join(llvm::map_range(getConfigFields(),
                                                   [](const ConfigField &f) {
                                                     return spellKey(f.key);
                                                   }),
                                   ", ");
      return fail("unknown configuration field '" + key.str() + "': expected " +
                      expected,
                  word);
    }
    if (!field->get(config).empty())
      return fail("configuration field '" + key.str() + "' given twice", word);
    StringRef at = valueText.empty() ? word : valueText;
    std::optional<FieldValue> value;
    if (!valueText.contains('_')) {
      // A number may be negative: its dash is not one between words.
      value = parseValue(*field, valueText, units);
      if (!value)
        value = parseValue(*field, llvm::join(llvm::split(valueText, '-'), "_"),
                           units);
    }
    if (!value) {
      std::string expected = hintSpelling(
          valueText, parseValue(*field, valueText, units).has_value());
      if (expected.empty())
        expected = spellKey(describeValues(*field, units));
      return fail(key.str() + ": expected " + expected + ", got '" +
                      valueText.str() + "'",
                  at);
    }
    if (auto bad = findValueError(*field, *value))
      return fail(key.str() + ": " + *bad, at);
    field->set(config, *value);
  }
  return config;
}
