//===- Description.cpp - Kernel descriptions and launch files ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame of a description: sizes, constraints, buffers and problems.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Description/DescriptionReader.h"

#include <algorithm>
#include <cctype>

using namespace tc;
using namespace tc::runtime;

//===----------------------------------------------------------------------===//
// Small pieces
//===----------------------------------------------------------------------===//

uint64_t BufferSpec::leadBytes() const {
  return static_cast<uint64_t>(offset) * getInfo(type).bits / 8;
}

static std::string join(const std::vector<std::string> &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// Seeds differ between buffers, and do not change when one is added.
static uint64_t seedOf(const std::string &name) {
  uint64_t hash = 0xcbf29ce484222325ull;
  for (char c : name)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ull;
  return hash;
}

bool DescriptionReader::expression(const JsonValue &value, Expression &into) {
  if (!set(into, value.asExpression()))
    return false;
  auto isScalar = [&](const std::string &name) {
    return std::any_of(
        out.scalars.begin(), out.scalars.end(), [&](const ScalarSpec &scalar) {
          return scalar.name == name && !getInfo(scalar.type).isFloat;
        });
  };
  for (const std::string &name : into.names())
    if (std::find(out.sizes.begin(), out.sizes.end(), name) ==
            out.sizes.end() &&
        !isScalar(name))
      return fail(value.error("unknown size '" + name +
                              "', expected one of: " + join(out.sizes)));
  return true;
}

bool DescriptionReader::expressions(const JsonValue &value,
                                    std::vector<Expression> &into,
                                    size_t count) {
  std::vector<JsonValue> values;
  if (!set(values, value.elements(count)))
    return false;
  into.resize(values.size());
  for (size_t i = 0; i < values.size(); ++i)
    if (!expression(values[i], into[i]))
      return false;
  return true;
}

bool DescriptionReader::triple(const JsonValue &object, const char *key,
                               std::array<Expression, 3> &into) {
  Optional value;
  std::vector<Expression> values;
  if (!find(value, object, key))
    return false;
  if (!value)
    return true;
  if (!expressions(*value, values, 3))
    return false;
  std::move(values.begin(), values.end(), into.begin());
  return true;
}

bool DescriptionReader::optionalExpression(const JsonValue &object,
                                           const char *key, Expression &into) {
  Optional value;
  return find(value, object, key) && (!value || expression(*value, into));
}

bool DescriptionReader::optionalString(const JsonValue &object, const char *key,
                                       std::string &into) {
  Optional value;
  return find(value, object, key) && (!value || set(into, value->asString()));
}

bool DescriptionReader::optionalPath(const JsonValue &object, const char *key,
                                     std::string &into) {
  if (!optionalString(object, key, into))
    return false;
  if (!into.empty() && into.front() != '/')
    into = out.folder + into;
  return true;
}

bool DescriptionReader::bufferName(const JsonValue &value, std::string &into) {
  if (!set(into, value.asString()))
    return false;
  if (out.findBuffer(into))
    return true;
  std::vector<std::string> names;
  for (const BufferSpec &buffer : out.buffers)
    names.push_back(buffer.name);
  return fail(value.error("unknown buffer '" + into +
                          "', expected one of: " + join(names)));
}

bool DescriptionReader::dtype(const JsonValue &value, DType &into) {
  std::string name;
  if (!set(name, value.asString()))
    return false;
  std::optional<DType> type = findDType(name);
  if (!type)
    return fail(value.error("expected one of " + listDTypes() + ", got '" +
                            name + "'"));
  into = *type;
  return true;
}

bool DescriptionReader::choice(const JsonValue &object, const char *key,
                               const std::vector<std::string> &choices,
                               std::string &into) {
  Optional value;
  if (!find(value, object, key))
    return false;
  if (!value)
    return true;
  if (!set(into, value->asString()))
    return false;
  if (std::find(choices.begin(), choices.end(), into) != choices.end())
    return true;
  return fail(value->error("expected one of " + join(choices) + ", got '" +
                           into + "'"));
}

//===----------------------------------------------------------------------===//
// Sizes, constraints, buffers
//===----------------------------------------------------------------------===//

bool DescriptionReader::readSizes(const JsonValue &value) {
  // Either the name alone or an object that adds where the size comes from.
  std::string name;
  bool isObject = value.isObject();
  if (isObject) {
    Optional member;
    if (!require(member, value, "name"))
      return false;
    if (!set(name, member->asString()))
      return false;
    // For launchers that take it from there.
    value.allow("buffer");
    value.allow("dimension");
  } else if (!set(name, value.asString())) {
    return false;
  }
  Expected<Expression> parsed = Expression::parse(name);
  if (!parsed || parsed->names() != std::vector<std::string>{name})
    return fail(value.error(
        "expected a name that an expression can use, got '" + name + "'"));
  if (std::find(out.sizes.begin(), out.sizes.end(), name) != out.sizes.end())
    return fail(value.error("size '" + name + "' is listed twice"));
  out.sizes.push_back(std::move(name));
  return true;
}

bool DescriptionReader::isNoNumber(const JsonValue &object,
                                   const std::string &name) {
  return !JsonValue::isFloatName(name) ||
         fail(object.error("expected a name, got the number '" + name + "'"));
}

bool DescriptionReader::readScalar(const JsonValue &object) {
  ScalarSpec scalar;
  Optional type;
  if (!optionalString(object, "name", scalar.name) ||
      !find(type, object, "dtype") || (type && !dtype(*type, scalar.type)))
    return false;
  if (scalar.name.empty())
    return fail(object.error("expected a member \"name\", got none"));
  if (!isNoNumber(object, scalar.name))
    return false;
  for (const ScalarSpec &other : out.scalars)
    if (other.name == scalar.name)
      return fail(object.error("scalar '" + scalar.name + "' is listed twice"));
  if (std::find(out.sizes.begin(), out.sizes.end(), scalar.name) !=
      out.sizes.end())
    return fail(object.error("scalar '" + scalar.name + "' is a size, too"));
  out.scalars.push_back(std::move(scalar));
  return true;
}

bool DescriptionReader::scalarName(const JsonValue &value, std::string &into) {
  if (!set(into, value.asString()))
    return false;
  std::vector<std::string> names;
  for (const ScalarSpec &scalar : out.scalars) {
    if (scalar.name == into)
      return true;
    names.push_back(scalar.name);
  }
  return fail(value.error("unknown scalar '" + into +
                          "', expected one of: " + join(names)));
}

bool DescriptionReader::readConstraint(const JsonValue &object) {
  ConstraintSpec constraint;
  constraint.where = object.where();
  Optional check;
  if (!require(check, object, "check"))
    return false;
  if (!expression(*check, constraint.check) ||
      !optionalString(object, "message", constraint.message))
    return false;
  Optional value, multiple;
  if (!find(value, object, "value") || !find(multiple, object, "multiple_of"))
    return false;
  if (value && multiple) {
    constraint.value.emplace();
    if (!expression(*value, *constraint.value) ||
        !set(constraint.multipleOf, multiple->asInteger(1)))
      return false;
  }
  out.constraints.push_back(std::move(constraint));
  return true;
}

bool DescriptionReader::readInit(const JsonValue &object, bool hasRole,
                                 BufferSpec &buffer) {
  // An output that starts as NaN shows the elements that were never written.
  buffer.init.kind =
      !hasRole ? InitKind::Zeros
      : buffer.role == BufferRole::In || buffer.role == BufferRole::InOut
          ? InitKind::Normal
          : InitKind::Poison;
  buffer.init.seed = seedOf(buffer.name);
  Optional seed, init;
  if (!find(seed, object, "seed") ||
      (seed && !set(buffer.init.seed, seed->asUnsigned())) ||
      !find(init, object, "init"))
    return false;
  if (!init)
    return true;
  std::string text;
  if (!set(text, init->asString()))
    return false;
  Expected<InitSpec> parsed = InitSpec::parse(text, buffer.init.seed);
  if (!parsed)
    return fail(init->error(parsed.error().message));
  buffer.init = *parsed;
  return optionalExpression(object, "init_limit", buffer.initLimit);
}

bool DescriptionReader::readTolerance(const JsonValue &object, const char *key,
                                      double &into) {
  Optional value;
  if (!find(value, object, key) || (value && !set(into, value->asNumber())))
    return false;
  return into >= 0 ||
         fail(value->error("expected a number of at least 0, got " +
                           std::to_string(into)));
}

bool DescriptionReader::readExpect(const JsonValue &object,
                                   BufferSpec &buffer) {
  Optional member, file, type;
  if (!find(member, object, "expect"))
    return false;
  if (!member || member->isNull())
    return true;
  ExpectSpec &expect = buffer.expect.emplace();
  expect.where = member->where();
  expect.type = buffer.type;
  return require(file, *member, "file") &&
         optionalPath(*member, "file", expect.file) &&
         find(type, *member, "dtype") && (!type || dtype(*type, expect.type)) &&
         readTolerance(*member, "atol", expect.atol) &&
         readTolerance(*member, "rtol", expect.rtol);
}

bool DescriptionReader::readBuffer(const std::string &name,
                                   const JsonValue &object) {
  BufferSpec buffer;
  buffer.name = name;
  buffer.where = object.where();
  Optional type, shape, strides, offset, address;
  std::string role;
  if (!find(type, object, "dtype") || !find(shape, object, "shape") ||
      !find(strides, object, "strides") || !find(offset, object, "offset") ||
      !find(address, object, "address") ||
      !choice(object, "role", {"in", "inout", "out", "temporary"}, role))
    return false;
  if (!type || !shape)
    return fail(object.error(std::string("expected a member \"") +
                             (type ? "shape" : "dtype") + "\", got none"));
  if (!dtype(*type, buffer.type) || !expressions(*shape, buffer.shape))
    return false;
  if (strides && !strides->isNull()) {
    if (!expressions(*strides, buffer.strides))
      return false;
    if (buffer.strides.size() != buffer.shape.size())
      return fail(strides->error("expected " +
                                 std::to_string(buffer.shape.size()) +
                                 " strides, one per dimension, got " +
                                 std::to_string(buffer.strides.size())));
  }
  // As many elements as the largest buffer has bytes.
  if (offset && !set(buffer.offset, offset->asInteger(0, int64_t(1) << 40)))
    return false;
  if (buffer.offset * getInfo(buffer.type).bits % 8 != 0)
    return fail(offset->error("expected an offset of whole bytes, got " +
                              std::to_string(buffer.offset) + " elements of " +
                              getInfo(buffer.type).name));
  if (address && !this->address(*address, buffer.address))
    return false;
  buffer.role = role == "in"          ? BufferRole::In
                : role == "out"       ? BufferRole::Out
                : role == "temporary" ? BufferRole::Temporary
                                      : BufferRole::InOut;
  if (!readInit(object, !role.empty(), buffer) ||
      !optionalPath(object, "file", buffer.inFile) ||
      !optionalPath(object, "out", buffer.outFile) ||
      !optionalHexBytes(object, buffer.bytes) ||
      !optionalFill(object, buffer) || !readExpect(object, buffer))
    return false;
  out.buffers.push_back(std::move(buffer));
  return true;
}

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

bool DescriptionReader::read(const JsonValue &root) {
  Optional version, buffers, launches, kernels;
  int64_t number = 1;
  // For callers of the function.
  root.allow("arguments");
  if (!find(version, root, "version") ||
      (version && !set(number, version->asInteger())))
    return false;
  if (number != 1)
    return fail(
        version->error("expected version 1, got " + std::to_string(number)));
  if (!optionalString(root, "chip", out.chip) ||
      !optionalString(root, "assume", out.assume) ||
      !readList(root, "sizes",
                [&](const JsonValue &value) { return readSizes(value); }) ||
      !readList(root, "scalars",
                [&](const JsonValue &value) { return readScalar(value); }) ||
      !readList(
          root, "constraints",
          [&](const JsonValue &value) { return readConstraint(value); }) ||
      !find(buffers, root, "buffers"))
    return false;
  if (buffers) {
    std::vector<std::pair<std::string, JsonValue>> members;
    if (!set(members, buffers->members()))
      return false;
    for (const auto &[name, value] : members)
      if (!readBuffer(name, value))
        return false;
    // Buffers may point to those that come later.
    for (size_t i = 0; i < members.size(); ++i)
      if (!readContents(members[i].second, out.buffers[i]))
        return false;
  }
  Optional variables;
  if (!find(variables, root, "variables"))
    return false;
  if (variables) {
    std::vector<std::pair<std::string, JsonValue>> members;
    if (!set(members, variables->members()))
      return false;
    for (const auto &[name, value] : members)
      if (!readVariable(name, value))
        return false;
  }
  if (!find(kernels, root, "kernels") || !find(launches, root, "launches"))
    return false;
  if (!kernels && !launches) {
    // A plain launch file: one kernel, launched once, at the top level.
    if (!readKernel(root) || !readLaunch(root, /*isPlain=*/true))
      return false;
  } else if (!readList(
                 root, "kernels",
                 [&](const JsonValue &value) { return readKernel(value); }) ||
             !readList(root, "launches", [&](const JsonValue &value) {
               return readLaunch(value, /*isPlain=*/false);
             })) {
    return false;
  }
  return readList(root, "problems",
                  [&](const JsonValue &value) { return readProblem(value); }) &&
         readList(root, "rows",
                  [&](const JsonValue &value) { return readRows(value); }) &&
         readList(root, "results", [&](const JsonValue &value) {
           OperandSpec result; // of the function, for its callers
           return readOperand(value, result);
         });
}

bool Description::hasExpectations() const {
  return std::any_of(buffers.begin(), buffers.end(),
                     [](const BufferSpec &buffer) { return buffer.expect; });
}

const BufferSpec *Description::findBuffer(std::string_view name) const {
  for (const BufferSpec &buffer : buffers)
    if (buffer.name == name)
      return &buffer;
  return nullptr;
}

Expected<JsonValue> DescriptionReader::findFunction(const JsonValue &root,
                                                    const std::string &name) {
  Optional functions;
  if (!find(functions, root, "functions"))
    return takeError();
  std::vector<JsonValue> members = {root};
  if (functions && !set(members, functions->elements()))
    return takeError();
  std::vector<std::string> names;
  std::optional<JsonValue> found;
  for (const JsonValue &member : members) {
    std::string own;
    if (!optionalString(member, "function", own))
      return takeError();
    if (!found && (own == name || (name.empty() && members.size() == 1)))
      found = member;
    names.push_back("'" + own + "'");
  }
  if (found) {
    root.allow("version");
    for (const JsonValue &member : members)
      if (member.where() != found->where())
        member.ignore();
    return *found;
  }
  return (functions ? *functions : root)
      .error(name.empty()
                 ? "expected the name of a function, one of: " + join(names) +
                       ", got none"
                 : "expected a function that is one of: " + join(names) +
                       ", got '" + name + "'");
}

Expected<Description> Description::parse(std::string_view text,
                                         const std::string &path,
                                         const std::string &function) {
  Expected<JsonValue> root = JsonValue::parse(text, path);
  if (!root)
    return root.takeError();
  Description description;
  description.file = path;
  if (size_t slash = path.rfind('/'); slash != std::string::npos)
    description.folder = path.substr(0, slash + 1);
  DescriptionReader reader(description);
  Expected<JsonValue> chosen = reader.findFunction(*root, function);
  if (!chosen)
    return chosen.takeError();
  if (!reader.read(*chosen))
    return reader.takeError();
  if (std::optional<Error> error = root->findUnknownKey())
    return std::move(*error);
  return description;
}

Expected<Description> Description::readFile(const std::string &path,
                                            const std::string &function) {
  Expected<std::vector<uint8_t>> bytes = runtime::readFile(path);
  if (!bytes)
    return bytes.takeError();
  return parse(std::string_view(reinterpret_cast<const char *>(bytes->data()),
                                bytes->size()),
               path, function);
}
