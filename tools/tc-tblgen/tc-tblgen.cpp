//===- tc-tblgen.cpp - configurations from TableGen -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the records of tc/Schedule/ConfigBase.td into
//   -gen-config-decls   enumerations and plain data
//   -gen-config-defs    their words, and the table of fields
//   -gen-config-doc     the table of fields as Markdown
// What depends on a field's kind only is written by hand over that table
// (lib/Schedule/ConfigFields.cpp).
//
//===----------------------------------------------------------------------===//

#include "Common/LLVMOutput.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;

enum class Action { Decls, Defs, Doc };

static cl::opt<Action> action(
    cl::desc("What to generate"), cl::Required,
    cl::values(clEnumValN(Action::Decls, "gen-config-decls", "Plain data"),
               clEnumValN(Action::Defs, "gen-config-defs", "Table of fields"),
               clEnumValN(Action::Doc, "gen-config-doc", "Markdown table")));

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
/// Records live until the program ends, as in every TableGen program.
extern "C" const char *__asan_default_options() { return "detect_leaks=0"; }
#endif
#endif

/// The only configuration of the file.
static const Record *getConfig(const RecordKeeper &records) {
  ArrayRef<const Record *> configs = records.getAllDerivedDefinitions("Config");
  if (configs.size() != 1)
    PrintFatalError("expected one Config, got " + Twine(configs.size()));
  return configs.front();
}

static std::vector<const Record *> getParts(const Record *config) {
  return config->getValueAsListOfDefs("parts");
}

static std::vector<const Record *> getFields(const Record *part) {
  return part->getValueAsListOfDefs("fields");
}

/// `text` as a sentence of a comment.
static std::string sentence(StringRef text) {
  std::string result = text.str();
  result[0] = toUpper(result[0]);
  return result + ".";
}

static std::string quote(StringRef text) {
  std::string quoted;
  raw_string_ostream os(quoted);
  os << '"';
  os.write_escaped(text);
  os << '"';
  return quoted;
}

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

static void declareEnum(raw_ostream &os, const Record *record) {
  StringRef name = record->getValueAsString("className");
  os << "/// " << sentence(record->getValueAsString("summary")) << "\n"
     << "enum class " << name << " : uint32_t {\n";
  for (const Record *value : record->getValueAsListOfDefs("enumerants"))
    os << "  " << value->getValueAsString("symbol") << " = "
       << value->getValueAsInt("value") << ",\n";
  os << "};\n"
     << "/// The words of " << name << ", by number.\n"
     << "llvm::ArrayRef<llvm::StringRef> get" << name << "Words();\n"
     << "std::optional<" << name << "> symbolize" << name
     << "(llvm::StringRef word);\n"
     << "std::optional<" << name << "> symbolize" << name
     << "(uint32_t number);\n"
     << "llvm::StringRef stringify" << name << "(" << name << " value);\n\n";
}

static void declarePart(raw_ostream &os, const Record *part, unsigned index) {
  std::string name = (part->getValueAsString("name") + "Config").str();
  os << "/// " << sentence(part->getValueAsString("summary")) << "\n"
     << "struct " << name << " {\n"
     << "  static constexpr unsigned kPart = " << index << ";\n";
  SmallVector<StringRef> members;
  for (const Record *field : getFields(part)) {
    StringRef type = field->getValueAsDef("kind")->getValueAsString("cppType");
    os << "  /// " << sentence(field->getValueAsString("meaning")) << "\n";
    for (StringRef member : field->getValueAsListOfStrings("members")) {
      os << "  std::optional<" << type << "> " << member << ";\n";
      members.push_back(member);
    }
  }
  os << "\n  bool operator==(const " << name << " &other) const {\n    return ";
  interleave(
      members, os,
      [&](StringRef member) { os << member << " == other." << member; },
      " && ");
  os << ";\n  }\n  friend llvm::hash_code hash_value(const " << name
     << " &config) {\n    return llvm::hash_combine(";
  interleave(
      members, os, [&](StringRef member) { os << "config." << member; }, ", ");
  os << ");\n  }\n};\n\n";
}

static void emitDecls(raw_ostream &os, const RecordKeeper &records) {
  for (const Record *record : records.getAllDerivedDefinitions("ConfigEnum"))
    declareEnum(os, record);
  const Record *config = getConfig(records);
  std::vector<const Record *> parts = getParts(config);
  for (auto [index, part] : enumerate(parts))
    declarePart(os, part, index);
  os << "/// A configuration; fields that are not set are open.\n"
     << "struct " << config->getValueAsString("name") << " : ";
  interleave(
      parts, os,
      [&](const Record *part) {
        os << part->getValueAsString("name") << "Config";
      },
      ", ");
  os << " {};\n";
}

//===----------------------------------------------------------------------===//
// Definitions
//===----------------------------------------------------------------------===//

static void defineEnum(raw_ostream &os, const Record *record) {
  StringRef name = record->getValueAsString("className");
  os << "llvm::ArrayRef<llvm::StringRef> get" << name << "Words() {\n"
     << "  static constexpr llvm::StringRef words[] = {";
  int64_t next = 0;
  for (const Record *value : record->getValueAsListOfDefs("enumerants")) {
    if (value->getValueAsInt("value") != next++)
      PrintFatalError(record->getLoc(), "expected values from 0 on");
    os << quote(value->getValueAsString("str")) << ", ";
  }
  os << "};\n  return words;\n}\n"
     << "std::optional<" << name << "> symbolize" << name
     << "(llvm::StringRef word) {\n"
     << "  auto words = get" << name << "Words();\n"
     << "  auto found = std::find(words.begin(), words.end(), word);\n"
     << "  return symbolize" << name << "(uint32_t(found - words.begin()));\n"
     << "}\n"
     << "std::optional<" << name << "> symbolize" << name
     << "(uint32_t number) {\n"
     << "  if (number >= get" << name << "Words().size())\n"
     << "    return std::nullopt;\n"
     << "  return static_cast<" << name << ">(number);\n}\n"
     << "llvm::StringRef stringify" << name << "(" << name << " value) {\n"
     << "  return get" << name << "Words()[static_cast<uint32_t>(value)];\n"
     << "}\n\n";
}

static void defineField(raw_ostream &os, const Record *field, unsigned part) {
  const Record *kind = field->getValueAsDef("kind");
  StringRef kindName = kind->getValueAsString("kind");
  StringRef type = kind->getValueAsString("cppType");
  std::vector<StringRef> members = field->getValueAsListOfStrings("members");
  bool isUnit = kindName == "Unit";
  std::string words = "nullptr";
  if (kindName == "Enum") {
    const Record *choices = kind->getValueAsDef("enum");
    words = "get" + choices->getValueAsString("className").str() + "Words";
  }
  os << "  {" << quote(field->getValueAsString("name")) << ", "
     << quote(field->getValueAsString("key")) << ", "
     << quote(field->getValueAsString("meaning")) << ", " << part
     << ", FieldKind::" << kindName << ", " << members.size() << ", "
     << (kindName == "Extents" ? quote(kind->getValueAsString("of")) : "\"\"")
     << ", " << (kindName == "Count" ? kind->getValueAsInt("least") : 1)
     << ", {";
  if (kindName == "OneOf")
    interleaveComma(kind->getValueAsListOfInts("values"), os);
  os << "}, " << words
     << ",\n   [](const MatmulConfig &config) -> FieldValue {";
  os << "\n     if (";
  interleave(
      members, os, [&](StringRef member) { os << "!config." << member; },
      " || ");
  os << ")\n       return {};\n     return {";
  interleaveComma(members, os, [&](StringRef member) {
    if (isUnit)
      os << "config." << member << "->getAsOpaqueValue()";
    else
      os << "static_cast<int64_t>(*config." << member << ")";
  });
  os << "};\n   },\n   [](MatmulConfig &config, llvm::ArrayRef<int64_t> value) "
        "{\n";
  for (auto [index, member] : enumerate(members))
    os << "     config." << member << " = "
       << (isUnit ? (type + "::getFromOpaqueValue").str()
                  : ("static_cast<" + type + ">").str())
       << "(value[" << index << "]);\n";
  os << "   }},\n";
}

static void emitDefs(raw_ostream &os, const RecordKeeper &records) {
  for (const Record *record : records.getAllDerivedDefinitions("ConfigEnum"))
    defineEnum(os, record);
  std::vector<const Record *> parts = getParts(getConfig(records));
  os << "llvm::ArrayRef<ConfigField> getConfigFields() {\n"
     << "  static const ConfigField fields[] = {\n";
  for (auto [index, part] : enumerate(parts))
    for (const Record *field : getFields(part))
      defineField(os, field, index);
  os << "  };\n  return fields;\n}\n\n"
     << "llvm::ArrayRef<ConfigPart> getConfigParts() {\n"
     << "  static const ConfigPart parts[] = {\n";
  size_t first = 0;
  for (const Record *part : parts) {
    size_t count = getFields(part).size();
    os << "    {" << quote(part->getValueAsString("word")) << ", "
       << quote(part->getValueAsString("summary")) << ", {";
    interleaveComma(part->getValueAsListOfStrings("explained"), os,
                    [&](StringRef entry) { os << quote(entry); });
    os << "}, getConfigFields().slice(" << first << ", " << count << ")},\n";
    first += count;
  }
  os << "  };\n  return parts;\n}\n";
}

//===----------------------------------------------------------------------===//
// Documentation
//===----------------------------------------------------------------------===//

/// The values of a field, in words.
static std::string describeKind(const Record *kind) {
  StringRef name = kind->getValueAsString("kind");
  if (name == "Extents")
    return kind->getValueAsString("of").str() + ", as `AxB`";
  if (name == "Count")
    return kind->getValueAsInt("least") ? "a number from 1 on" : "a number";
  if (name == "OneOf")
    return join(map_range(kind->getValueAsListOfInts("values"),
                          [](int64_t value) {
                            return "`" + std::to_string(value) + "`";
                          }),
                ", ");
  if (name == "Swizzle")
    return "`128B`, `64B`, `32B`, `none`";
  if (name == "Switch")
    return "`off`, `on`";
  if (name == "Unit")
    return "a matrix unit of the chip";
  std::string words;
  for (const Record *value :
       kind->getValueAsDef("enum")->getValueAsListOfDefs("enumerants"))
    words += (words.empty() ? "`" : ", `") +
             value->getValueAsString("str").str() + "`";
  return words;
}

static void emitDoc(raw_ostream &os, const RecordKeeper &records) {
  os << "| part | field | command line | values | meaning |\n"
     << "|---|---|---|---|---|\n";
  for (const Record *part : getParts(getConfig(records)))
    for (const Record *field : getFields(part)) {
      std::string key = field->getValueAsString("key").str();
      std::replace(key.begin(), key.end(), '_', '-');
      os << "| `" << part->getValueAsString("word") << "` | `"
         << field->getValueAsString("name") << "` | `" << key << "` | "
         << describeKind(field->getValueAsDef("kind")) << " | "
         << field->getValueAsString("meaning") << " |\n";
    }
}

static bool run(raw_ostream &os, const RecordKeeper &records) {
  if (action != Action::Doc)
    os << "// Generated by tc-tblgen.\n\n";
  switch (action) {
  case Action::Decls:
    emitDecls(os, records);
    break;
  case Action::Defs:
    emitDefs(os, records);
    break;
  case Action::Doc:
    emitDoc(os, records);
    break;
  }
  return false;
}

int main(int argc, char **argv) {
  tc::tools::watchOutput("tc-tblgen");
  cl::ParseCommandLineOptions(argc, argv);
  return TableGenMain(argv[0], &run);
}
