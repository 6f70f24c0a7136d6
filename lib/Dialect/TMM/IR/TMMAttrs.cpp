//===- TMMAttrs.cpp - attributes of the tmm dialect -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Syntax and verification of the configuration, over the table of fields.
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/TMMAttrs.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "tc/Dialect/TMM/IR/MatrixUnit.h"
#include "tc/Dialect/TMM/IR/TMMDialect.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tc::tmm;
namespace schedule = tc::schedule;
using schedule::ConfigField;
using schedule::ConfigPart;
using schedule::FieldKind;
using schedule::FieldValue;
using schedule::MatmulConfig;

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The plain data that the attribute of a part holds.
template <typename PartAttr>
using PartOf = decltype(std::declval<PartAttr>().getValue());

/// The attribute of a part of `values`; null where no field of it is set.
template <typename PartAttr>
static PartAttr getPart(MLIRContext *context, const MatmulConfig &values) {
  const PartOf<PartAttr> &part = values;
  if (part == PartOf<PartAttr>())
    return nullptr;
  return PartAttr::get(context, part);
}

template <typename PartAttr>
static void setPart(MatmulConfig &values, PartAttr attr) {
  if (attr)
    static_cast<PartOf<PartAttr> &>(values) = attr.getValue();
}

/// Parses the value of `field` into `values`.
static ParseResult parseFieldValue(AsmParser &parser, const ConfigField &field,
                                   MatmulConfig &values) {
  SMLoc loc = parser.getCurrentLocation();
  const schedule::UnitRegistry &units =
      tc::MatrixUnits::get(parser.getContext()).getRegistry();
  FieldValue value;
  switch (field.kind) {
  case FieldKind::Extents:
    if (parser.parseDimensionList(value, /*allowDynamic=*/false,
                                  /*withTrailingX=*/false))
      return failure();
    if (value.size() != field.count)
      return parser.emitError(loc)
             << field.name << ": expected "
             << schedule::describeValues(field, units) << ", got "
             << schedule::formatValue(field, value);
    break;
  case FieldKind::Count:
  case FieldKind::OneOf:
    if (parser.parseInteger(value.emplace_back()))
      return failure();
    break;
  case FieldKind::Swizzle:
    value.push_back(0);
    if (succeeded(parser.parseOptionalKeyword("none")))
      break;
    if (parser.parseInteger(value.front()) || parser.parseKeyword("B"))
      return failure();
    break;
  case FieldKind::Switch:
  case FieldKind::Enum:
  case FieldKind::Unit: {
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    std::optional<FieldValue> known = schedule::parseValue(field, word, units);
    if (!known)
      return parser.emitError(loc)
             << field.name << ": expected "
             << schedule::describeValues(field, units) << ", got " << word;
    value = *known;
    break;
  }
  }
  if (auto error = schedule::findValueError(field, value))
    return parser.emitError(loc) << field.name << ": " << *error;
  field.set(values, value);
  return success();
}

/// Parses `<field = value, ...>` into the part of `values`. `start` is where
/// what its fields say together is reported.
static ParseResult parsePart(AsmParser &parser, const ConfigPart &part,
                             MatmulConfig &values) {
  SMLoc start = parser.getCurrentLocation();
  auto parseField = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef name;
    if (parser.parseKeyword(&name))
      return failure();
    const ConfigField *field = llvm::find_if(
        part.fields, [&](const ConfigField &f) { return f.name == name; });
    if (field == part.fields.end()) {
      InFlightDiagnostic diag = parser.emitError(loc)
                                << "unknown field '" << name << "' of "
                                << part.word << ": expected one of ";
      llvm::interleaveComma(part.fields, diag,
                            [&](const ConfigField &f) { diag << f.name; });
      return diag;
    }
    if (!field->get(values).empty())
      return parser.emitError(loc)
             << "field '" << name << "' of " << part.word << " given twice";
    return failure(parser.parseEqual() ||
                   parseFieldValue(parser, *field, values));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseField))
    return failure();
  if (auto error = schedule::findPartError(part.fields.front().part, values))
    return parser.emitError(start) << *error;
  return success();
}

static void printPart(AsmPrinter &printer, const ConfigPart &part,
                      const MatmulConfig &values) {
  printer << '<';
  llvm::ListSeparator separator;
  for (const ConfigField &field : part.fields)
    if (FieldValue value = field.get(values); !value.empty())
      printer << StringRef(separator) << field.name << " = "
              << schedule::formatValue(field, value);
  printer << '>';
}

template <typename PartAttr>
static Attribute parsePartAttr(AsmParser &parser) {
  MatmulConfig values;
  const ConfigPart &part = schedule::getConfigParts()[PartOf<PartAttr>::kPart];
  if (parsePart(parser, part, values))
    return {};
  return PartAttr::get(parser.getContext(), values);
}

template <typename PartAttr>
static void printPartAttr(AsmPrinter &printer, PartAttr attr) {
  MatmulConfig values;
  setPart(values, attr);
  printPart(printer, schedule::getConfigParts()[PartOf<PartAttr>::kPart],
            values);
}

/// The rules of each field of a part, and of all together.
template <typename Part>
static LogicalResult verifyPart(function_ref<InFlightDiagnostic()> emitError,
                                const Part &part) {
  MatmulConfig values;
  static_cast<Part &>(values) = part;
  for (const ConfigField &field :
       schedule::getConfigParts()[Part::kPart].fields)
    if (FieldValue value = field.get(values); !value.empty())
      if (auto error = schedule::findValueError(field, value))
        return emitError() << field.key << ": " << *error;
  if (auto error = schedule::findPartError(Part::kPart, values))
    return emitError() << *error;
  return success();
}

/// Parses the shape of a cluster: `2x4`.
static ParseResult parseClusterShape(AsmParser &parser,
                                     SmallVector<int64_t> &shape) {
  return parser.parseDimensionList(shape, /*allowDynamic=*/false,
                                   /*withTrailingX=*/false);
}

static void printClusterShape(AsmPrinter &printer, ArrayRef<int64_t> shape) {
  printer.printDimensionList(shape);
}

#define GET_ATTRDEF_CLASSES
#include "tc/Dialect/TMM/IR/TMMAttrs.cpp.inc"

void TMMDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "tc/Dialect/TMM/IR/TMMAttrs.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// ConfigAttr
//===----------------------------------------------------------------------===//

SmallVector<int64_t> ConfigAttr::getTile() const {
  MatmulConfig values = getValues();
  if (!values.tileM)
    return {};
  return {*values.tileM, *values.tileN, *values.tileK};
}

SmallVector<int64_t> ConfigAttr::getCluster() const {
  MatmulConfig values = getValues();
  if (!values.clusterM)
    return {};
  return {*values.clusterM, *values.clusterN};
}

Attribute ConfigAttr::parse(AsmParser &parser, Type type) {
  MatmulConfig values;
  SmallVector<StringRef> given;
  auto parseNamedPart = [&]() -> ParseResult {
    SMLoc loc = parser.getCurrentLocation();
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    const ConfigPart *part =
        llvm::find_if(schedule::getConfigParts(),
                      [&](const ConfigPart &p) { return p.word == word; });
    if (part == schedule::getConfigParts().end()) {
      InFlightDiagnostic diag = parser.emitError(loc)
                                << "unknown part '" << word
                                << "' of a configuration: expected one of ";
      llvm::interleaveComma(schedule::getConfigParts(), diag,
                            [&](const ConfigPart &p) { diag << p.word; });
      return diag;
    }
    if (llvm::is_contained(given, word))
      return parser.emitError(loc) << "part '" << word << "' given twice";
    given.push_back(word);
    return failure(parser.parseEqual() || parsePart(parser, *part, values));
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseNamedPart))
    return {};
  return get(parser.getContext(), values);
}

void ConfigAttr::print(AsmPrinter &printer) const {
  MatmulConfig values = getValues();
  printer << '<';
  llvm::ListSeparator separator;
  for (const ConfigPart &part : schedule::getConfigParts()) {
    if (llvm::all_of(part.fields, [&](const ConfigField &field) {
          return field.get(values).empty();
        }))
      continue;
    printer << StringRef(separator) << part.word << " = ";
    printPart(printer, part, values);
  }
  printer << '>';
}

FailureOr<MatmulConfig> tc::tmm::parseConfig(MLIRContext *context,
                                             StringRef text) {
  schedule::TextError error;
  std::optional<MatmulConfig> config = schedule::parseConfig(
      text, tc::MatrixUnits::get(context).getRegistry(), error);
  if (!config)
    return emitError(FileLineColLoc::get(context, kConfigOption, /*line=*/1,
                                         error.offset + 1))
           << error.message;
  return *config;
}
