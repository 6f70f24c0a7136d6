//===- Params.cpp - Parameter blocks of kernels -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each parameter becomes bytes with an alignment; the block is put together
// from those. Sizes are checked against the PTX, because a parameter of the
// wrong width shifts nothing and fails nowhere but in the numbers.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Params.h"

#include <algorithm>
#include <cstring>
#include <limits>

using namespace tc;
using namespace tc::runtime;

// Out of line, so that the class has one home for its virtual table.
ParamResolver::~ParamResolver() = default;

namespace {

struct Packed {
  std::vector<uint8_t> bytes;
  uint64_t alignment = 1;
  std::string what; ///< for diagnostics: "i32", "a tensor map"
};

} // namespace

Expected<int64_t> runtime::evaluateInRange(const Expression &expression,
                                           const Sizes &sizes, int64_t low,
                                           int64_t high,
                                           const std::string &where,
                                           const std::string &what) {
  const std::string prefix = what.empty() ? "" : what + ": ";
  Expected<int64_t> value = expression.evaluate(sizes);
  if (!value)
    return makeError(where, prefix + value.error().message);
  if (*value >= low && *value <= high)
    return value;
  std::string range =
      high == std::numeric_limits<int64_t>::max()
          ? ">= " + std::to_string(low)
          : "in [" + std::to_string(low) + ", " + std::to_string(high) + "]";
  return makeError(where, prefix + "expected a value " + range + ", got " +
                              std::to_string(*value));
}

template <typename T>
static Packed packRaw(T value, const char *what) {
  Packed packed;
  packed.bytes.resize(sizeof(value));
  std::memcpy(packed.bytes.data(), &value, sizeof(value));
  packed.alignment = sizeof(value);
  packed.what = what;
  return packed;
}

static Packed packElement(DType type, uint64_t bits) {
  const DTypeInfo &info = getInfo(type);
  Packed packed;
  packed.bytes.resize(info.bits / 8);
  packed.alignment = info.bits / 8;
  packed.what = info.name;
  writeElement(packed.bytes.data(), 0, info.bits, bits);
  return packed;
}

static Expected<Packed> packInteger(const ParamSpec &param,
                                    const Sizes &sizes) {
  const DTypeInfo &info = getInfo(param.scalarType);
  int64_t low = 0, high = std::numeric_limits<int64_t>::max();
  if (info.isSigned)
    low = info.bits == 64 ? std::numeric_limits<int64_t>::min()
                          : -(int64_t(1) << (info.bits - 1));
  if (info.bits < 64)
    high = (int64_t(1) << (info.bits - (info.isSigned ? 1 : 0))) - 1;
  Expected<int64_t> value =
      evaluateInRange(param.integer, sizes, low, high, param.where, info.name);
  if (!value)
    return value.takeError();
  return packElement(param.scalarType, static_cast<uint64_t>(*value));
}

/// The address of a buffer plus an offset that has to stay in it.
static Expected<uint64_t> resolveAddress(const std::string &buffer,
                                         const Expression &offset,
                                         const ParamResolver &resolver,
                                         const std::string &where) {
  if (buffer.empty())
    return uint64_t(0);
  BufferPlace place = resolver.locate(buffer);
  Expected<int64_t> value = evaluateInRange(
      offset, resolver.sizes(), -static_cast<int64_t>(place.lead),
      static_cast<int64_t>(place.bytes), where,
      "offset into buffer '" + buffer + "'");
  if (!value)
    return value.takeError();
  return place.address + static_cast<uint64_t>(*value);
}

/// The members of an im2col map. Corners are in the range of the widest one.
static Status evaluateIm2col(const TensorMapSpec &map, const Sizes &sizes,
                             const std::string &where,
                             TensorMapArguments &result) {
  result.isIm2col = true;
  struct {
    const std::vector<Expression> &from;
    std::vector<int64_t> &into;
    const char *what;
  } const corners[] = {{map.lower, result.lower, "im2col.lower"},
                       {map.upper, result.upper, "im2col.upper"}};
  for (const auto &corner : corners)
    for (const Expression &expression : corner.from) {
      Expected<int64_t> value =
          evaluateInRange(expression, sizes, -32768, 32767, where, corner.what);
      if (!value)
        return value.takeError();
      corner.into.push_back(*value);
    }
  struct {
    const Expression &from;
    uint64_t &into;
    const char *what;
  } const numbers[] = {{map.channels, result.channels, "im2col.channels"},
                       {map.pixels, result.pixels, "im2col.pixels"}};
  for (const auto &number : numbers) {
    Expected<int64_t> value = evaluateInRange(
        number.from, sizes, 1, std::numeric_limits<int32_t>::max(), where,
        number.what);
    if (!value)
      return value.takeError();
    number.into = static_cast<uint64_t>(*value);
  }
  return {};
}

Expected<std::vector<int64_t>>
tc::runtime::evaluateShape(const std::vector<Expression> &expressions,
                           const Sizes &sizes, const std::string &where,
                           const char *what) {
  std::vector<int64_t> values;
  for (size_t i = 0; i < expressions.size(); ++i) {
    Expected<int64_t> value = evaluateInRange(
        expressions[i], sizes, 0, std::numeric_limits<int64_t>::max(), where,
        std::string(what) + "[" + std::to_string(i) + "]");
    if (!value)
      return value.takeError();
    values.push_back(*value);
  }
  return values;
}

static Expected<std::vector<uint64_t>>
evaluateAll(const std::vector<Expression> &expressions, const Sizes &sizes,
            const std::string &where, const char *what) {
  Expected<std::vector<int64_t>> values =
      evaluateShape(expressions, sizes, where, what);
  if (!values)
    return values.takeError();
  return std::vector<uint64_t>(values->begin(), values->end());
}

Expected<TensorMapArguments>
runtime::resolveTensorMap(const TensorMapSpec &map,
                          const ParamResolver &resolver,
                          const std::string &where) {
  TensorMapArguments result;
  result.type = map.type;
  result.swizzle = map.swizzle;
  result.interleave = map.interleave;
  result.oobFill = map.oobFill;
  result.l2Promotion = map.l2Promotion;
  Expected<uint64_t> address =
      resolveAddress(map.buffer, map.offset, resolver, where);
  if (!address)
    return address.takeError();
  result.address = *address;
  struct {
    const std::vector<Expression> &from;
    std::vector<uint64_t> &into;
    const char *what;
  } const lists[] = {
      {map.dims, result.dims, "dims"},
      {map.strides, result.strides, "strides"},
      {map.box, result.box, "box"},
      {map.elementStrides, result.elementStrides, "element_strides"}};
  for (const auto &list : lists) {
    Expected<std::vector<uint64_t>> values =
        evaluateAll(list.from, resolver.sizes(), where, list.what);
    if (!values)
      return values.takeError();
    list.into = std::move(*values);
  }
  if (map.isIm2col)
    if (Status status = evaluateIm2col(map, resolver.sizes(), where, result);
        !status)
      return status.takeError();
  if (result.elementStrides.empty())
    result.elementStrides.assign(result.dims.size(), 1);
  bool isEmpty = false;
  for (uint64_t &dim : result.dims) {
    isEmpty |= dim == 0;
    dim = std::max<uint64_t>(dim, 1);
  }
  // Strides that are products with an empty dimension are 0 then; one that is
  // legal in every mode replaces them, since nothing is ever read through it.
  if (isEmpty)
    for (uint64_t &stride : result.strides)
      stride = stride == 0 ? 32 : stride;
  return result;
}

static Expected<Packed> pack(const ParamSpec &param,
                             const ParamResolver &resolver);

static Expected<Packed> packTensorMap(const ParamSpec &param,
                                      const ParamResolver &resolver) {
  const std::string where = param.where + ".tensor_map";
  Packed packed;
  packed.alignment = 64;
  packed.what = "a tensor map";
  if (param.tensorMap.empty()) {
    packed.bytes.resize(128);
    return packed;
  }
  Expected<TensorMapArguments> arguments =
      resolveTensorMap(param.tensorMap.front(), resolver, where);
  if (!arguments)
    return arguments.takeError();
  Expected<std::array<uint8_t, 128>> map = resolver.encodeTensorMap(*arguments);
  if (!map)
    return makeError(where, map.error().message);
  packed.bytes.assign(map->begin(), map->end());
  return packed;
}

static Expected<Packed> packStruct(const ParamSpec &param,
                                   const ParamResolver &resolver) {
  Packed packed;
  packed.what = "a struct";
  packed.bytes.resize(param.structBytes);
  std::vector<bool> isTaken(param.structBytes);
  for (const auto &[offset, field] : param.fields) {
    Expected<Packed> value = pack(field, resolver);
    if (!value)
      return value;
    uint64_t end = offset + value->bytes.size();
    if (end > param.structBytes)
      return makeError(field.where, "expected a field that ends within the " +
                                        std::to_string(param.structBytes) +
                                        " bytes of the struct, got one that " +
                                        "ends at " + std::to_string(end));
    if (value->alignment == 64 && offset % 64 != 0)
      return makeError(field.where, "expected a tensor map at a multiple of "
                                    "64 bytes, got one at " +
                                        std::to_string(offset));
    auto first = isTaken.begin() + static_cast<std::ptrdiff_t>(offset);
    auto last = isTaken.begin() + static_cast<std::ptrdiff_t>(end);
    if (std::find(first, last, true) != last)
      return makeError(field.where, "the field at " + std::to_string(offset) +
                                        " overlaps one before it");
    std::fill(first, last, true);
    std::copy(value->bytes.begin(), value->bytes.end(),
              packed.bytes.begin() + static_cast<std::ptrdiff_t>(offset));
    packed.alignment = std::max(packed.alignment, value->alignment);
  }
  return packed;
}

static Expected<Packed> pack(const ParamSpec &param,
                             const ParamResolver &resolver) {
  switch (param.kind) {
  case ParamSpec::Kind::TensorMap:
    return packTensorMap(param, resolver);
  case ParamSpec::Kind::Struct:
    return packStruct(param, resolver);
  case ParamSpec::Kind::Integer:
    return packInteger(param, resolver.sizes());
  case ParamSpec::Kind::Float:
    return packElement(
        param.scalarType,
        encode(param.scalarType, param.scalar.empty()
                                     ? param.number
                                     : resolver.scalar(param.scalar)));
  case ParamSpec::Kind::Bytes: {
    Packed packed;
    packed.bytes = param.bytes;
    packed.what = "raw bytes";
    return packed;
  }
  case ParamSpec::Kind::Pointer:
    break;
  }
  Expected<uint64_t> address =
      resolveAddress(param.buffer, param.offset, resolver, param.where);
  if (!address)
    return address.takeError();
  return packRaw(*address, "a pointer");
}

Status
runtime::packInto(std::vector<uint8_t> &bytes,
                  const std::vector<std::pair<uint64_t, ParamSpec>> &fields,
                  const ParamResolver &resolver) {
  for (const auto &[offset, field] : fields) {
    Expected<Packed> value = pack(field, resolver);
    if (!value)
      return value.takeError();
    if (value->bytes.size() > bytes.size() ||
        offset > bytes.size() - value->bytes.size())
      return makeError(field.where, "expected a value that ends within the " +
                                        std::to_string(bytes.size()) +
                                        " bytes of the buffer, got " +
                                        std::to_string(value->bytes.size()) +
                                        " bytes at " + std::to_string(offset));
    std::copy(value->bytes.begin(), value->bytes.end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(offset));
  }
  return {};
}

/// Where parameter `index` goes: as the PTX says, else after `end`.
static Expected<uint64_t> placeParam(const ParamSpec &param,
                                     const Packed &packed, size_t index,
                                     uint64_t end,
                                     const emu::KernelInfo *kernel) {
  const uint64_t natural =
      (end + packed.alignment - 1) / packed.alignment * packed.alignment;
  if (!kernel)
    return natural;
  const emu::ParamInfo &info = kernel->params[index];
  const std::string name =
      "parameter '" + info.name + "' of kernel '" + kernel->name + "'";
  if (info.size != packed.bytes.size())
    return makeError(param.where, "expected " + std::to_string(info.size) +
                                      " bytes for " + name + ", got " +
                                      std::to_string(packed.bytes.size()) +
                                      " (" + packed.what + ")");
  if (packed.alignment == 64 && info.offset % 64 != 0)
    return makeError(param.where, "expected a multiple of 64 bytes as offset "
                                  "of a tensor map, got " +
                                      std::to_string(info.offset) + " for " +
                                      name);
  return uint64_t(info.offset);
}

Status runtime::checkParamCount(const std::vector<ParamSpec> &params,
                                const emu::KernelInfo &kernel,
                                const std::string &where) {
  if (kernel.params.size() == params.size())
    return {};
  std::string names;
  for (const emu::ParamInfo &info : kernel.params)
    names += (names.empty() ? ": " : ", ") + info.name;
  return makeError(where,
                   "kernel '" + kernel.name + "': expected " +
                       std::to_string(kernel.params.size()) +
                       " parameters, got " + std::to_string(params.size()) +
                       (names.empty() ? "" : " (the PTX names" + names + ")"));
}

Expected<std::vector<uint8_t>>
runtime::packParams(const std::vector<ParamSpec> &params,
                    const ParamResolver &resolver,
                    const emu::KernelInfo *kernel, const std::string &where) {
  if (kernel)
    if (Status status = checkParamCount(params, *kernel, where); !status)
      return status.takeError();
  std::vector<uint8_t> block(kernel ? kernel->paramBytes : 0);
  for (size_t i = 0; i < params.size(); ++i) {
    Expected<Packed> packed = pack(params[i], resolver);
    if (!packed)
      return packed.takeError();
    Expected<uint64_t> offset =
        placeParam(params[i], *packed, i, block.size(), kernel);
    if (!offset)
      return offset.takeError();
    block.resize(
        std::max<size_t>(block.size(), *offset + packed->bytes.size()));
    std::copy(packed->bytes.begin(), packed->bytes.end(),
              block.begin() + static_cast<std::ptrdiff_t>(*offset));
  }
  return block;
}
