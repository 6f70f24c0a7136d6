//===- TMMAttrs.cpp - attributes of the tmm dialect -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and verification of the configuration. The attribute and the command
// line form share one table of fields.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMAttrs.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tc/Dialect/TMM/IR/TMMDialect.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc::tmm;

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/TMM/IR/TMMAttrs.cpp.inc"

void TMMDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tc/Dialect/TMM/IR/TMMAttrs.cpp.inc"
      >();
}

template <typename E>
static std::optional<int64_t> toNumber(std::optional<E> value) {
  if (!value)
    return std::nullopt;
  return static_cast<int64_t>(*value);
}

template <typename E>
static std::optional<E> fromNumber(std::optional<int64_t> value) {
  if (!value)
    return std::nullopt;
  return static_cast<E>(*value);
}

namespace {

/// The fields of a configuration while it is parsed, merged or printed.
struct Fields {
  SmallVector<int64_t> tile;
  std::optional<int64_t> ctaGroup;
  SmallVector<int64_t> cluster;
  std::optional<int64_t> stages;
  std::optional<int64_t> accumulatorStages;
  std::optional<int64_t> swizzle;
  /// Enumerators, by value.
  std::optional<int64_t> scheduler, roles, epilogue, cacheHintA, cacheHintB,
      pdl;
  std::optional<int64_t> epilogueSubtile, storeStages;
  std::optional<int64_t> raster, sms, epilogueRegisters;

  Fields() = default;
  explicit Fields(ConfigAttr config)
      : tile(config.getTile()), ctaGroup(config.getCtaGroup()),
        cluster(config.getCluster()), stages(config.getStages()),
        accumulatorStages(config.getAccumulatorStages()),
        swizzle(config.getSwizzle()),
        epilogueSubtile(config.getEpilogueSubtile()),
        storeStages(config.getStoreStages()), raster(config.getRaster()),
        sms(config.getSms()), epilogueRegisters(config.getEpilogueRegisters()) {
    scheduler = toNumber(config.getScheduler());
    roles = toNumber(config.getRoles());
    epilogue = toNumber(config.getEpilogue());
    cacheHintA = toNumber(config.getCacheHintA());
    cacheHintB = toNumber(config.getCacheHintB());
    pdl = toNumber(config.getPdl());
  }

  ConfigAttr get(MLIRContext *context,
                 function_ref<InFlightDiagnostic()> emitError) const {
    return ConfigAttr::getChecked(
        emitError, context, tile, ctaGroup, cluster, stages, accumulatorStages,
        swizzle, fromNumber<Scheduler>(scheduler),
        fromNumber<Epilogue>(epilogue), epilogueSubtile, storeStages,
        fromNumber<Roles>(roles), raster, sms,
        fromNumber<CacheHint>(cacheHintA), fromNumber<CacheHint>(cacheHintB),
        fromNumber<Switch>(pdl), epilogueRegisters);
  }
};

/// One field: its name in the attribute and where its value is, by kind.
struct Field {
  enum Kind { List, Int, Swizzle, Enum };
  StringLiteral name;
  Kind kind;
  SmallVector<int64_t> Fields::*list;
  std::optional<int64_t> Fields::*value;
  /// For enumerations: the words, and what they mean.
  StringLiteral choices = "";
  std::optional<int64_t> (*symbolize)(StringRef) = nullptr;
  StringRef (*stringify)(int64_t) = nullptr;
};

} // namespace

/// The enumerator, by value, that `word` names.
template <typename E>
static std::optional<int64_t> symbolizeNumber(StringRef word) {
  return toNumber(symbolizeEnum<E>(word));
}
template <typename E>
static StringRef stringifyNumber(int64_t value) {
  return stringifyEnum(static_cast<E>(value));
}

/// A field that is an enumeration.
template <typename E>
static constexpr Field enumField(StringLiteral name,
                                 std::optional<int64_t> Fields::*value,
                                 StringLiteral choices) {
  return {name,    Field::Enum,        nullptr,           value,
          choices, symbolizeNumber<E>, stringifyNumber<E>};
}

// In the order in which they are printed.
static constexpr Field fields[] = {
    {"tile", Field::List, &Fields::tile, nullptr},
    {"cta_group", Field::Int, nullptr, &Fields::ctaGroup},
    {"cluster", Field::List, &Fields::cluster, nullptr},
    {"stages", Field::Int, nullptr, &Fields::stages},
    {"accumulator_stages", Field::Int, nullptr, &Fields::accumulatorStages},
    {"swizzle", Field::Swizzle, nullptr, &Fields::swizzle},
    enumField<Scheduler>("scheduler", &Fields::scheduler,
                         "static, clc or stream_k"),
    enumField<Epilogue>("epilogue", &Fields::epilogue, "direct or tma_store"),
    {"epilogue_subtile", Field::Int, nullptr, &Fields::epilogueSubtile},
    {"store_stages", Field::Int, nullptr, &Fields::storeStages},
    enumField<Roles>("roles", &Fields::roles, "none or specialized"),
    {"raster", Field::Int, nullptr, &Fields::raster},
    {"sms", Field::Int, nullptr, &Fields::sms},
    enumField<CacheHint>("cache_hint_a", &Fields::cacheHintA,
                         "none, evict_normal, evict_first or evict_last"),
    enumField<CacheHint>("cache_hint_b", &Fields::cacheHintB,
                         "none, evict_normal, evict_first or evict_last"),
    enumField<Switch>("pdl", &Fields::pdl, "off or on"),
    {"epilogue_registers", Field::Int, nullptr, &Fields::epilogueRegisters},
};

static bool isSet(const Fields &values, const Field &field) {
  switch (field.kind) {
  case Field::List:
    return !(values.*field.list).empty();
  case Field::Int:
  case Field::Swizzle:
  case Field::Enum:
    return (values.*field.value).has_value();
  }
  llvm_unreachable("all kinds are covered");
}

static const Field *findField(StringRef name) {
  for (const Field &field : fields)
    if (field.name == name)
      return &field;
  return nullptr;
}

/// `name` with `separator` between its words.
static std::string spell(StringRef name, char separator) {
  std::string spelled = name.str();
  llvm::replace(spelled, '_', separator);
  return spelled;
}

/// The names of all fields, written with `separator` inside a name.
static std::string fieldNames(char separator) {
  std::string names;
  for (const Field &field : fields)
    names += (names.empty() ? "" : ", ") + spell(field.name, separator);
  return names;
}

static std::string swizzleText(int64_t bytes) {
  return bytes == 0 ? "none" : std::to_string(bytes) + "B";
}

//===----------------------------------------------------------------------===//
// ConfigAttr
//===----------------------------------------------------------------------===//

LogicalResult ConfigAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> tile,
    std::optional<int64_t> ctaGroup, ArrayRef<int64_t> cluster,
    std::optional<int64_t> stages, std::optional<int64_t> accumulatorStages,
    std::optional<int64_t> swizzle, std::optional<Scheduler> scheduler,
    std::optional<Epilogue> epilogue, std::optional<int64_t> epilogueSubtile,
    std::optional<int64_t> storeStages, std::optional<Roles> roles,
    std::optional<int64_t> raster, std::optional<int64_t> sms,
    std::optional<CacheHint> cacheHintA, std::optional<CacheHint> cacheHintB,
    std::optional<Switch> pdl, std::optional<int64_t> epilogueRegisters) {
  auto checkList = [&](StringRef name, ArrayRef<int64_t> list, size_t size,
                       StringRef meaning) -> LogicalResult {
    if (list.empty())
      return success();
    if (list.size() != size)
      return emitError() << name << ": expected " << size << " numbers ("
                         << meaning << "), got " << list.size();
    for (int64_t value : list)
      if (value < 1)
        return emitError() << name << ": expected positive numbers, got "
                           << value;
    return success();
  };
  if (failed(checkList("tile", tile, 3, "M, N, K")) ||
      failed(checkList("cluster", cluster, 2, "CTAs along M, N")))
    return failure();
  if (ctaGroup && *ctaGroup != 1 && *ctaGroup != 2)
    return emitError() << "cta_group: expected 1 or 2, got " << *ctaGroup;
  if (swizzle && *swizzle != 0 && *swizzle != 32 && *swizzle != 64 &&
      *swizzle != 128)
    return emitError() << "swizzle: expected 128B, 64B, 32B or none, got "
                       << *swizzle << "B";
  std::pair<StringRef, std::optional<int64_t>> counts[] = {
      {"stages", stages},
      {"accumulator_stages", accumulatorStages},
      {"epilogue_subtile", epilogueSubtile},
      {"store_stages", storeStages},
      {"sms", sms}};
  for (auto [name, value] : counts)
    if (value && *value < 1)
      return emitError() << name << ": expected a positive number, got "
                         << *value;
  for (auto [name, value] :
       {std::pair("raster", raster), {"epilogue_registers", epilogueRegisters}})
    if (value && *value < 0)
      return emitError() << name << ": expected 0 or a positive number, got "
                         << *value;
  return success();
}

ConfigAttr ConfigAttr::merge(ConfigAttr base, ConfigAttr other) {
  if (!base || !other)
    return base ? base : other;
  Fields result(base), from(other);
  for (const Field &field : fields) {
    if (!isSet(from, field))
      continue;
    if (field.kind == Field::List)
      result.*field.list = from.*field.list;
    else
      result.*field.value = from.*field.value;
  }
  // Both sides were verified and the rules concern one field each.
  MLIRContext *context = base.getContext();
  return result.get(context,
                    [&] { return emitError(UnknownLoc::get(context)); });
}

/// Parses the value of `field` in the attribute.
static ParseResult parseValue(AsmParser &parser, const Field &field,
                              Fields &values) {
  switch (field.kind) {
  case Field::List: {
    // An empty list would read as a field that is not set.
    SMLoc loc = parser.getCurrentLocation();
    SmallVector<int64_t> &list = values.*field.list;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(list.emplace_back());
        }))
      return failure();
    if (list.empty())
      return parser.emitError(loc)
             << field.name << ": expected a list of numbers, got none";
    return success();
  }
  case Field::Int:
    return parser.parseInteger((values.*field.value).emplace());
  case Field::Swizzle: {
    if (succeeded(parser.parseOptionalKeyword("none"))) {
      values.*field.value = 0;
      return success();
    }
    return failure(parser.parseInteger((values.*field.value).emplace()) ||
                   parser.parseKeyword("B"));
  }
  case Field::Enum: {
    SMLoc loc = parser.getCurrentLocation();
    StringRef keyword;
    if (parser.parseKeyword(&keyword))
      return failure();
    values.*field.value = field.symbolize(keyword);
    if (!(values.*field.value))
      return parser.emitError(loc) << field.name << ": expected "
                                   << field.choices << ", got " << keyword;
    return success();
  }
  }
  llvm_unreachable("all kinds are covered");
}

Attribute ConfigAttr::parse(AsmParser &parser, Type type) {
  Fields values;
  SMLoc start = parser.getCurrentLocation();
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    const Field *field = findField(name);
    if (!field)
      return parser.emitError(loc) << "unknown configuration field '" << name
                                   << "': expected one of " << fieldNames('_');
    if (isSet(values, *field))
      return parser.emitError(loc)
             << "configuration field '" << name << "' given twice";
    if (parser.parseEqual())
      return failure();
    return parseValue(parser, *field, values);
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return {};
  return values.get(parser.getContext(),
                    [&] { return parser.emitError(start); });
}

void ConfigAttr::print(AsmPrinter &printer) const {
  Fields values(*this);
  printer << '<';
  bool first = true;
  for (const Field &field : fields) {
    if (!isSet(values, field))
      continue;
    printer << (first ? "" : ", ") << field.name << " = ";
    first = false;
    switch (field.kind) {
    case Field::List:
      printer << '[';
      llvm::interleaveComma(values.*field.list, printer);
      printer << ']';
      break;
    case Field::Int:
      printer << *(values.*field.value);
      break;
    case Field::Swizzle:
      printer << swizzleText(*(values.*field.value));
      break;
    case Field::Enum:
      printer << field.stringify(*(values.*field.value));
      break;
    }
  }
  printer << '>';
}

//===----------------------------------------------------------------------===//
// Command line form
//===----------------------------------------------------------------------===//

FailureOr<ConfigAttr>
tc::tmm::parseConfig(StringRef text, MLIRContext *context,
                     function_ref<InFlightDiagnostic()> emitError) {
  Fields values;
  SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  for (StringRef word : words) {
    StringRef key = word.split('=').first, value = word.split('=').second;
    std::string name = key.str();
    llvm::replace(name, '-', '_');
    const Field *field = findField(name);
    if (!field)
      return emitError() << "unknown configuration field '" << key
                         << "': expected one of " << fieldNames('-');
    if (isSet(values, *field))
      return emitError() << "configuration field '" << key << "' given twice";
    auto badValue = [&](StringRef expected) -> LogicalResult {
      return emitError() << key << ": expected " << expected << ", got '"
                         << value << "'";
    };
    int64_t number = 0;
    switch (field->kind) {
    case Field::List: {
      SmallVector<StringRef> parts;
      value.split(parts, 'x');
      for (StringRef part : parts) {
        if (part.getAsInteger(10, number))
          return badValue("numbers with 'x' between them");
        (values.*field->list).push_back(number);
      }
      break;
    }
    case Field::Int:
      if (value.getAsInteger(10, number))
        return badValue("a number");
      values.*field->value = number;
      break;
    case Field::Swizzle: {
      StringRef digits = value;
      digits.consume_back("B");
      if (value != "none" && digits.getAsInteger(10, number))
        return badValue("128B, 64B, 32B or none");
      values.*field->value = number;
      break;
    }
    case Field::Enum: {
      std::string keyword = value.str(), choices = field->choices.str();
      llvm::replace(keyword, '-', '_');
      llvm::replace(choices, '_', '-');
      values.*field->value = field->symbolize(keyword);
      if (!(values.*field->value))
        return badValue(choices);
      break;
    }
    }
  }
  ConfigAttr config = values.get(context, emitError);
  if (!config)
    return failure();
  return config;
}

std::string tc::tmm::formatConfig(ConfigAttr config) {
  Fields values(config);
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::ListSeparator separator(" ");
  for (const Field &field : fields) {
    if (!isSet(values, field))
      continue;
    os << separator << spell(field.name, '-') << '=';
    switch (field.kind) {
    case Field::List:
      llvm::interleave(values.*field.list, os, "x");
      break;
    case Field::Int:
      os << *(values.*field.value);
      break;
    case Field::Swizzle:
      os << swizzleText(*(values.*field.value));
      break;
    case Field::Enum:
      os << spell(field.stringify(*(values.*field.value)), '-');
      break;
    }
  }
  return text;
}

SmallVector<std::string> tc::tmm::getSetFields(ConfigAttr config) {
  SmallVector<std::string> names;
  if (!config)
    return names;
  Fields values(config);
  for (const Field &field : fields)
    if (isSet(values, field))
      names.push_back(spell(field.name, '-'));
  return names;
}

//===----------------------------------------------------------------------===//
// LayoutAttr
//===----------------------------------------------------------------------===//

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 Order order, int64_t swizzle) {
  if (!llvm::is_contained({0, 32, 64, 128}, swizzle))
    return emitError() << "expected a swizzle of 0, 32, 64 or 128 bytes, got "
                       << swizzle;
  return success();
}
