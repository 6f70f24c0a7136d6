//===- ConfigBase.td - classes of configuration records ----*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a part of a configuration and a field of it are. tc-tblgen makes the
// plain data of tc::schedule and its table of fields out of such records, and
// the dialect makes attributes out of them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SCHEDULE_CONFIGBASE_TD
#define TC_SCHEDULE_CONFIGBASE_TD

include "mlir/IR/EnumAttr.td"

//===----------------------------------------------------------------------===//
// Kinds of values
//===----------------------------------------------------------------------===//

/// What the value of a field is. `members` are the members of the plain data
/// that hold it, each a std::optional of `cppType`.
class ConfigKind<string name, string type> {
  string kind = name;
  string cppType = type;
}

/// Numbers of at least 1 with `x` between them, one for each of `meaning`:
/// `256x128x64`.
class Extents<string meaning> : ConfigKind<"Extents", "int64_t"> {
  string of = meaning;
}

/// A number of at least `minimum`.
class Count<int minimum> : ConfigKind<"Count", "int64_t"> {
  int least = minimum;
}

/// One of a few numbers.
class OneOf<list<int> numbers> : ConfigKind<"OneOf", "int64_t"> {
  list<int> values = numbers;
}

/// The bytes of a swizzle pattern: `128B`, `64B`, `32B` or `none`.
def SwizzleBytes : ConfigKind<"Swizzle", "int64_t">;

/// `off` or `on`.
def Switch : ConfigKind<"Switch", "bool">;

/// An enumeration of the configuration: tc-tblgen declares it, with functions of
/// the names that MLIR uses.
class ConfigEnum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tc::schedule";
  let genSpecializedAttr = 0;
}
class Choice<ConfigEnum choices>
    : ConfigKind<"Enum", choices.cppNamespace # "::" # choices.className> {
  ConfigEnum enum = choices;
}

/// One of the matrix units that there are (MatrixUnit.h), by name.
def Unit : ConfigKind<"Unit", "::tc::schedule::MatrixUnit">;

//===----------------------------------------------------------------------===//
// Fields and parts
//===----------------------------------------------------------------------===//

/// A field: its name in the part, its key on the command line (with
/// underscores; dashes are read, too), its members in the plain data, the kind
/// of its value and what it means.
class ConfigField<string fieldName, string commandLineKey,
                  list<string> dataMembers, ConfigKind valueKind,
                  string text> {
  string name = fieldName;
  string key = commandLineKey;
  list<string> members = dataMembers;
  ConfigKind kind = valueKind;
  string meaning = text;
}

/// A part of a configuration: fields that one concern reads and one verifier
/// holds together. `name` is the C++ name, `word` the one in text; `explained`
/// are the entries of `--explain` that its fields decide.
class ConfigPart<string cppName, string textName, string oneLine,
                 list<string> entries, list<ConfigField> partFields> {
  string name = cppName;
  string word = textName;
  string summary = oneLine;
  list<string> explained = entries;
  list<ConfigField> fields = partFields;
}

/// The whole: its parts in the order in which they are printed.
class Config<string cppName, list<ConfigPart> configParts> {
  string name = cppName;
  list<ConfigPart> parts = configParts;
}

#endif // TC_SCHEDULE_CONFIGBASE_TD
