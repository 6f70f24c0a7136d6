//===- DescriptionLaunches.cpp - Kernels, launches, parameters --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of a description that says how kernels are called.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Description/DescriptionReader.h"

using namespace tc;
using namespace tc::runtime;

bool DescriptionReader::readKernel(const JsonValue &object) {
  KernelSpec kernel;
  kernel.where = object.where();
  Optional programmatic;
  if (!find(programmatic, object, "programmatic_launch") ||
      (programmatic && !set(kernel.programmaticLaunch, programmatic->asBool())))
    return false;
  Optional resident, envregs;
  if (!find(resident, object, "co_resident") ||
      (resident && !set(kernel.coResident, resident->asBool())) ||
      !find(envregs, object, "envregs") ||
      (envregs && !expressions(*envregs, kernel.envregs)))
    return false;
  if (kernel.envregs.size() > 32)
    return fail(envregs->error("expected at most 32 numbers, got " +
                               std::to_string(kernel.envregs.size())));
  if (!optionalString(object, "entry", kernel.entry) ||
      !triple(object, "block", kernel.block) ||
      !triple(object, "cluster", kernel.cluster) ||
      !triple(object, "preferred_cluster", kernel.preferredCluster) ||
      !optionalExpression(object, "dynamic_smem", kernel.dynamicSmem))
    return false;
  out.kernels.push_back(std::move(kernel));
  return true;
}

bool DescriptionReader::readLaunch(const JsonValue &object, bool isPlain) {
  LaunchSpec launch;
  launch.where = object.where();
  Optional kernel, when;
  if (!find(kernel, object, "kernel") || !find(when, object, "when") ||
      !triple(object, "grid", launch.grid))
    return false;
  if (kernel && !isPlain) {
    int64_t index = 0;
    if (!set(index, kernel->asInteger()))
      return false;
    if (index < 0 || static_cast<size_t>(index) >= out.kernels.size())
      return fail(kernel->error("expected the index of one of " +
                                std::to_string(out.kernels.size()) +
                                " kernels, got " + std::to_string(index)));
    launch.kernel = static_cast<size_t>(index);
  } else if (out.kernels.empty()) {
    return fail(object.error("expected a kernel in \"kernels\", got none"));
  }
  if (when && !when->isNull()) {
    Expression condition;
    if (!expression(*when, condition))
      return false;
    launch.when = std::move(condition);
  }
  if (!readList(object, "params", [&](const JsonValue &value) {
        launch.params.emplace_back();
        return readParam(value, launch.params.back(), /*depth=*/0);
      }))
    return false;
  out.launches.push_back(std::move(launch));
  return true;
}

static const char *const scalarNames[] = {"i8",  "u8",   "i16", "u16",
                                          "i32", "u32",  "i64", "u64",
                                          "f16", "bf16", "f32", "f64"};

bool DescriptionReader::readParam(const JsonValue &object, ParamSpec &param,
                                  unsigned depth) {
  param.where = object.where();
  Optional value;
  if (!find(value, object, "tensor_map"))
    return false;
  if (value) {
    param.kind = ParamSpec::Kind::TensorMap;
    return value->isNull() ||
           readTensorMap(*value, param.tensorMap.emplace_back());
  }
  if (!find(value, object, "pointer"))
    return false;
  if (value) {
    param.kind = ParamSpec::Kind::Pointer;
    return (value->isNull() || bufferName(*value, param.buffer)) &&
           optionalExpression(object, "offset", param.offset);
  }
  if (!find(value, object, "struct"))
    return false;
  if (value)
    return readStruct(*value, param, depth);
  if (!find(value, object, "bytes"))
    return false;
  if (value) {
    param.kind = ParamSpec::Kind::Bytes;
    return hexBytes(*value, param.bytes);
  }
  for (const char *name : scalarNames) {
    if (!find(value, object, name))
      return false;
    if (!value)
      continue;
    param.scalarType = *findDType(name);
    bool isFloat = getInfo(param.scalarType).isFloat;
    param.kind = isFloat ? ParamSpec::Kind::Float : ParamSpec::Kind::Integer;
    if (isFloat && value->isString() && !value->isFloatName() &&
        !out.scalars.empty())
      return scalarName(*value, param.scalar);
    return isFloat ? set(param.number, value->asFloat())
                   : expression(*value, param.integer);
  }
  std::string choices = "tensor_map, pointer, struct, bytes";
  for (const char *name : scalarNames)
    choices += std::string(", ") + name;
  return fail(
      object.error("expected a member out of " + choices + ", got none"));
}

bool DescriptionReader::readStruct(const JsonValue &object, ParamSpec &param,
                                   unsigned depth) {
  constexpr int64_t maxBytes = 32764; // CUDA's limit of a parameter block
  param.kind = ParamSpec::Kind::Struct;
  if (depth == 8)
    return fail(object.error("expected at most 8 levels of structs"));
  Optional size;
  int64_t bytes = 0;
  if (!require(size, object, "size"))
    return false;
  if (!set(bytes, size->asInteger(1, maxBytes)))
    return false;
  param.structBytes = static_cast<uint64_t>(bytes);
  return readList(object, "fields", [&](const JsonValue &field) {
    Optional at;
    int64_t offset = 0;
    if (!require(at, field, "at"))
      return false;
    if (!set(offset, at->asInteger(0, maxBytes)))
      return false;
    param.fields.emplace_back(static_cast<uint64_t>(offset), ParamSpec());
    return readParam(field, param.fields.back().second, depth + 1);
  });
}

/// {"lower": [], "upper": [], "channels": 64, "pixels": 128}.
bool DescriptionReader::readIm2col(const JsonValue &object, size_t rank,
                                   TensorMapSpec &map) {
  if (rank < 3)
    return fail(object.error("expected 3 to 5 dimensions for im2col, got " +
                             std::to_string(rank)));
  struct {
    const char *key;
    std::vector<Expression> *list;
    Expression *number;
  } const members[] = {{"lower", &map.lower, nullptr},
                       {"upper", &map.upper, nullptr},
                       {"channels", nullptr, &map.channels},
                       {"pixels", nullptr, &map.pixels}};
  for (const auto &member : members) {
    Optional value;
    if (!require(value, object, member.key))
      return false;
    if (member.list ? !expressions(*value, *member.list, rank - 2)
                    : !expression(*value, *member.number))
      return false;
  }
  return true;
}

bool DescriptionReader::readTensorMap(const JsonValue &object,
                                      TensorMapSpec &map) {
  Optional buffer, dims, strides, box, steps, im2col;
  if (!find(buffer, object, "buffer") || !find(dims, object, "dims") ||
      !find(strides, object, "strides") || !find(box, object, "box") ||
      !find(steps, object, "element_strides") ||
      !find(im2col, object, "im2col"))
    return false;
  map.isIm2col = im2col && !im2col->isNull();
  const char *missing = !buffer                 ? "buffer"
                        : !dims                 ? "dims"
                        : !box && !map.isIm2col ? "box"
                                                : nullptr;
  if (missing)
    return fail(object.error(std::string("expected a member \"") + missing +
                             "\", got none"));
  if (!(buffer->isNull() || bufferName(*buffer, map.buffer)) ||
      !expressions(*dims, map.dims))
    return false;
  const size_t rank = map.dims.size();
  if (rank < 1 || rank > 5)
    return fail(
        dims->error("expected 1 to 5 dimensions, got " + std::to_string(rank)));
  if (!strides && rank > 1)
    return fail(object.error("expected a member \"strides\", got none"));
  if (strides && !expressions(*strides, map.strides))
    return false;
  if (map.strides.size() != rank - 1)
    return fail(strides->error("expected an array of " +
                               std::to_string(rank - 1) +
                               " (dimensions 1 and up), got one of " +
                               std::to_string(map.strides.size())));
  if (map.isIm2col ? !readIm2col(*im2col, rank, map)
                   : !expressions(*box, map.box, rank))
    return false;
  if (steps && !expressions(*steps, map.elementStrides, rank))
    return false;
  if (map.buffer.empty()) {
    Optional type;
    if (!find(type, object, "dtype"))
      return false;
    if (!type)
      return fail(object.error("expected a member \"dtype\" where the buffer "
                               "is null, got none"));
  } else {
    map.type = getInfo(out.findBuffer(map.buffer)->type).name;
  }
  return optionalExpression(object, "offset", map.offset) &&
         optionalString(object, "dtype", map.type) &&
         optionalString(object, "swizzle", map.swizzle) &&
         optionalString(object, "interleave", map.interleave) &&
         optionalString(object, "oob_fill", map.oobFill) &&
         optionalString(object, "l2_promotion", map.l2Promotion);
}
