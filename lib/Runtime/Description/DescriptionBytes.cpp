//===- DescriptionBytes.cpp - Addresses, raw bytes, variables ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What recorded launches need: everything where it was, bit for bit.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Description/DescriptionReader.h"

#include <cerrno>
#include <cstdlib>

using namespace tc;
using namespace tc::runtime;

bool DescriptionReader::address(const JsonValue &value, uint64_t &into) {
  if (!value.isString())
    return set(into, value.asUnsigned());
  std::string text;
  if (!set(text, value.asString()))
    return false;
  char *end = nullptr;
  errno = 0;
  into = std::strtoull(text.c_str(), &end, 0);
  if (errno || text.empty() || *end || text[0] < '0' || text[0] > '9')
    return fail(value.error("expected an address of 64 bits such as "
                            "\"0x7f0000001000\", got '" +
                            text + "'"));
  return true;
}

static int digit(char c) {
  return c >= '0' && c <= '9'   ? c - '0'
         : c >= 'a' && c <= 'f' ? c - 'a' + 10
         : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                : -1;
}

bool DescriptionReader::hexBytes(const JsonValue &value,
                                 std::vector<uint8_t> &into) {
  std::string text;
  if (!set(text, value.asString()))
    return false;
  if (text.empty() || text.size() % 2)
    return fail(value.error("expected two hexadecimal digits for each byte, "
                            "got " +
                            std::to_string(text.size()) + " digits"));
  into.clear();
  for (size_t i = 0; i < text.size(); i += 2) {
    const int high = digit(text[i]), low = digit(text[i + 1]);
    if (high < 0 || low < 0)
      return fail(value.error("expected hexadecimal digits, got '" +
                              text.substr(i, 2) + "' at digit " +
                              std::to_string(i)));
    into.push_back(static_cast<uint8_t>(high * 16 + low));
  }
  return true;
}

bool DescriptionReader::optionalHexBytes(const JsonValue &object,
                                         std::vector<uint8_t> &into) {
  Optional value;
  return find(value, object, "bytes") && (!value || hexBytes(*value, into));
}

/// "fill": contents that repeat a few bytes.
bool DescriptionReader::optionalFill(const JsonValue &object,
                                     BufferSpec &buffer) {
  Optional value;
  if (!find(value, object, "fill"))
    return false;
  if (!value)
    return true;
  if (!buffer.bytes.empty())
    return fail(
        value->error("expected one of \"bytes\" and \"fill\", got both"));
  buffer.repeatsBytes = true;
  return hexBytes(*value, buffer.bytes);
}

/// "contains": parameters at offsets, as the fields of a struct.
bool DescriptionReader::readContents(const JsonValue &object,
                                     BufferSpec &buffer) {
  return readList(object, "contains", [&](const JsonValue &field) {
    Optional at;
    int64_t offset = 0;
    if (!require(at, field, "at"))
      return false;
    if (!set(offset, at->asInteger(0)))
      return false;
    buffer.contains.emplace_back(static_cast<uint64_t>(offset), ParamSpec());
    return readParam(field, buffer.contains.back().second, /*depth=*/0);
  });
}

bool DescriptionReader::readVariable(const std::string &name,
                                     const JsonValue &object) {
  VariableSpec variable;
  variable.name = name;
  variable.where = object.where();
  Optional place;
  if (!find(place, object, "address") ||
      (place && !address(*place, variable.address)) ||
      !optionalPath(object, "file", variable.inFile) ||
      !optionalHexBytes(object, variable.bytes))
    return false;
  out.variables.push_back(std::move(variable));
  return true;
}
