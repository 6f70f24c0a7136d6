//===- Json.cpp - JSON with paths in its errors -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over the JSON library. The type of a value is tested before the
// library's accessor is called, because that would abort.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Description/Json.h"

#include <algorithm>
#include <limits>

using namespace tc;
using namespace tc::runtime;
using nlohmann::json;

namespace {

/// Accepts everything and keeps the message of the first syntax error, which
/// json::parse without exceptions throws away.
struct SyntaxErrorFinder final : nlohmann::json_sax<json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t &) override { return true; }
  bool string(string_t &) override { return true; }
  bool binary(binary_t &) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t &) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t, const std::string &,
                   const nlohmann::detail::exception &exception) override {
    message = exception.what();
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    if (size_t end = message.find("] "); end != std::string::npos)
      message.erase(0, end + 2);
    return false;
  }

  std::string message = "syntax error";
};

} // namespace

JsonValue::JsonValue(std::shared_ptr<Document> document, const Node *value,
                     std::string file, std::string path)
    : document(std::move(document)), value(value), file(std::move(file)),
      path(std::move(path)) {}

Expected<JsonValue> JsonValue::parse(std::string_view text,
                                     const std::string &file) {
  auto document = std::make_shared<Document>();
  document->root = json::parse(text.begin(), text.end(), nullptr,
                               /*allow_exceptions=*/false);
  if (document->root.is_discarded()) {
    SyntaxErrorFinder finder;
    json::sax_parse(text.begin(), text.end(), &finder);
    return makeError(file, finder.message);
  }
  const json *value = &document->root;
  return JsonValue(std::move(document), value, file, "");
}

JsonValue JsonValue::child(const Node &value, std::string childPath) const {
  return JsonValue(document, &value, file, std::move(childPath));
}

std::string JsonValue::where() const {
  return path.empty() ? file : file + ": " + path;
}

Error JsonValue::error(const std::string &what) const {
  return makeError(where(), what);
}

std::string JsonValue::describe() const {
  switch (value->type()) {
  case json::value_t::null:
    return "null";
  case json::value_t::object:
    return "an object";
  case json::value_t::array:
    return "an array of " + std::to_string(value->size());
  case json::value_t::string: {
    const auto &text = value->get_ref<const std::string &>();
    return text.size() <= 40 ? "\"" + text + "\"" : "a string";
  }
  case json::value_t::boolean:
    return value->get<bool>() ? "true" : "false";
  default:
    return value->dump();
  }
}

Error JsonValue::wrongType(const char *expected) const {
  return error(std::string("expected ") + expected + ", got " + describe());
}

bool JsonValue::isNull() const { return value->is_null(); }
bool JsonValue::isString() const { return value->is_string(); }
bool JsonValue::isObject() const { return value->is_object(); }

Expected<std::optional<JsonValue>>
JsonValue::find(const std::string &key) const {
  if (!value->is_object())
    return wrongType("an object");
  allow(key);
  auto member = value->find(key);
  if (member == value->end())
    return std::optional<JsonValue>();
  return std::optional<JsonValue>(
      child(*member, path.empty() ? key : path + "." + key));
}

JsonValue::Asked &JsonValue::asked() const {
  auto [place, isNew] =
      document->places.try_emplace(value, document->objects.size());
  if (isNew)
    document->objects.push_back({value, {where(), {}}});
  return document->objects[place->second].second;
}

void JsonValue::allow(const std::string &key) const {
  asked().keys.insert(key);
}

void JsonValue::ignore() const { asked().isIgnored = true; }

/// How many characters have to be inserted, deleted or replaced.
static size_t distance(const std::string &from, const std::string &to) {
  std::vector<size_t> row(to.size() + 1);
  for (size_t j = 0; j <= to.size(); ++j)
    row[j] = j;
  for (size_t i = 1; i <= from.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= to.size(); ++j) {
      const size_t replaced = diagonal + (from[i - 1] != to[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row[to.size()];
}

std::optional<Error> JsonValue::findUnknownKey() const {
  for (const auto &[object, asked] : document->objects)
    for (auto member = object->begin(); member != object->end(); ++member) {
      const std::string &key = member.key();
      if (asked.isIgnored || asked.keys.count(key))
        continue;
      // Longer keys are not worth the time.
      auto apart = [&](const std::string &known) {
        return distance(key.substr(0, 64), known);
      };
      const std::string &nearest =
          *std::min_element(asked.keys.begin(), asked.keys.end(),
                            [&](const std::string &x, const std::string &y) {
                              return apart(x) < apart(y);
                            });
      return makeError(asked.where, "unknown key '" + key +
                                        "', the nearest known one is '" +
                                        nearest + "'");
    }
  return std::nullopt;
}

Expected<JsonValue> JsonValue::get(const std::string &key) const {
  Expected<std::optional<JsonValue>> member = find(key);
  if (!member)
    return member.takeError();
  if (!*member)
    return error("expected a member \"" + key + "\", got none");
  return std::move(**member);
}

Expected<std::vector<std::pair<std::string, JsonValue>>>
JsonValue::members() const {
  if (!value->is_object())
    return wrongType("an object");
  std::vector<std::pair<std::string, JsonValue>> result;
  for (auto member = value->begin(); member != value->end(); ++member) {
    const std::string &key = member.key();
    allow(key);
    result.emplace_back(key,
                        child(*member, path.empty() ? key : path + "." + key));
  }
  return result;
}

Expected<std::vector<JsonValue>> JsonValue::elements(size_t count) const {
  if (!value->is_array())
    return wrongType("an array");
  if (count != 0 && value->size() != count)
    return error("expected an array of " + std::to_string(count) + ", got " +
                 describe());
  std::vector<JsonValue> result;
  for (size_t i = 0; i < value->size(); ++i)
    result.push_back(child((*value)[i], path + "[" + std::to_string(i) + "]"));
  return result;
}

Expected<std::string> JsonValue::asString() const {
  if (!value->is_string())
    return wrongType("a string");
  return value->get_ref<const std::string &>();
}

Expected<int64_t> JsonValue::asInteger(int64_t low, int64_t high) const {
  if (!value->is_number_integer())
    return wrongType("an integer");
  bool tooLarge = value->is_number_unsigned() &&
                  value->get<uint64_t>() > static_cast<uint64_t>(INT64_MAX);
  int64_t result = tooLarge ? INT64_MAX : value->get<int64_t>();
  if (tooLarge || result < low || result > high) {
    std::string range;
    if (high == INT64_MAX)
      range = low == INT64_MIN ? "of 64 bits" : ">= " + std::to_string(low);
    else
      range = "in [" + std::to_string(low) + ", " + std::to_string(high) + "]";
    return error("expected an integer " + range + ", got " + describe());
  }
  return result;
}

Expected<uint64_t> JsonValue::asUnsigned() const {
  if (!value->is_number_unsigned())
    return wrongType("a non-negative integer");
  return value->get<uint64_t>();
}

Expected<double> JsonValue::asNumber() const {
  if (!value->is_number())
    return wrongType("a number");
  return value->get<double>();
}

static std::optional<double> findFloat(const std::string &name) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (name == "inf")
    return infinity;
  if (name == "-inf")
    return -infinity;
  if (name == "nan")
    return std::numeric_limits<double>::quiet_NaN();
  return std::nullopt;
}

bool JsonValue::isFloatName(const std::string &text) {
  return findFloat(text).has_value();
}

bool JsonValue::isFloatName() const {
  return value->is_string() &&
         isFloatName(value->get_ref<const std::string &>());
}

Expected<double> JsonValue::asFloat() const {
  if (value->is_string())
    if (std::optional<double> found =
            findFloat(value->get_ref<const std::string &>()))
      return *found;
  if (!value->is_number())
    return wrongType("a number, \"inf\", \"-inf\" or \"nan\"");
  return value->get<double>();
}

Expected<bool> JsonValue::asBool() const {
  if (!value->is_boolean())
    return wrongType("true or false");
  return value->get<bool>();
}

Expected<Expression> JsonValue::asExpression() const {
  if (value->is_string()) {
    Expected<Expression> result =
        Expression::parse(value->get_ref<const std::string &>());
    if (!result)
      return error("in expression " + describe() + ": " +
                   result.error().message);
    return result;
  }
  if (!value->is_number_integer())
    return wrongType("an integer or an expression");
  Expected<int64_t> number = asInteger();
  if (!number)
    return number.takeError();
  return Expression(*number);
}
