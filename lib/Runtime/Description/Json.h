//===- Json.h - JSON with paths in its errors -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checked access to JSON: a value carries its place in the file ("launch.json:
// params[2].tensor_map.box"), and every accessor says what it expected and what
// it got. The JSON library is built without exceptions, where its own accessors
// abort on a wrong type: only this file and Json.cpp call it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DESCRIPTION_JSON_H
#define TC_RUNTIME_DESCRIPTION_JSON_H

#include "tc/Runtime/Expression.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace tc::runtime {

/// A value inside a parsed document, which it keeps alive.
class JsonValue {
public:
  /// Parses `text`; `file` starts every error.
  static Expected<JsonValue> parse(std::string_view text,
                                   const std::string &file);

  /// "file: path", to start an error with.
  std::string where() const;
  /// An error at this value.
  Error error(const std::string &what) const;
  /// "a number", "an object", ...: what the value is.
  std::string describe() const;

  bool isNull() const;
  bool isString() const;
  bool isObject() const;

  /// The member `key` of an object: an error where this is no object, empty
  /// where the object has no such member.
  Expected<std::optional<JsonValue>> find(const std::string &key) const;
  /// The member `key`, which has to be there.
  Expected<JsonValue> get(const std::string &key) const;
  /// The members of an object, in alphabetical order.
  Expected<std::vector<std::pair<std::string, JsonValue>>> members() const;
  /// Says that other code reads this member.
  void allow(const std::string &key) const;
  /// This object is not read any further: nothing is to be said of its keys.
  void ignore() const;
  /// The first member of the whole document that has not been asked for, in an
  /// object that has been asked for members: a misspelt key, say. Empty: no
  /// such member.
  std::optional<Error> findUnknownKey() const;
  /// The elements of an array, of which `count` are expected if it is not 0.
  Expected<std::vector<JsonValue>> elements(size_t count = 0) const;

  Expected<std::string> asString() const;
  /// An integer in [low, high].
  Expected<int64_t> asInteger(int64_t low = INT64_MIN,
                              int64_t high = INT64_MAX) const;
  Expected<uint64_t> asUnsigned() const;
  Expected<double> asNumber() const;
  /// Whether this is a text that stands for a float that no number of JSON is:
  /// "inf", "-inf" or "nan".
  bool isFloatName() const;
  static bool isFloatName(const std::string &text);
  /// A number or one of these.
  Expected<double> asFloat() const;
  Expected<bool> asBool() const;
  /// A number or a string that holds an expression.
  Expected<Expression> asExpression() const;

private:
  using Node = nlohmann::json;
  /// An object, and which of its members were asked for.
  struct Asked {
    std::string where;
    std::set<std::string> keys;
    bool isIgnored = false;
  };
  Asked &asked() const;
  struct Document {
    Node root;
    std::vector<std::pair<const Node *, Asked>> objects;
    std::unordered_map<const Node *, size_t> places; ///< in `objects`
  };
  JsonValue(std::shared_ptr<Document> document, const Node *value,
            std::string file, std::string path);
  JsonValue child(const Node &value, std::string childPath) const;
  Error wrongType(const char *expected) const;

  std::shared_ptr<Document> document;
  const Node *value;
  std::string file, path;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_DESCRIPTION_JSON_H
