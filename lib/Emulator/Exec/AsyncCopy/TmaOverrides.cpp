//===- TmaOverrides.cpp - what stands instead of a tensor map -------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See the header.
//
//===----------------------------------------------------------------------===//

#include "Exec/AsyncCopy/TmaOverrides.h"
#include "Exec/Decode/Targets.h"

namespace tc::emu {

GivenOverrides takeOverrides(DecodeContext &context, unsigned rank,
                             bool isTile) {
  GivenOverrides given;
  given.address = context.take("override::global_address");
  given.extents = context.take("override::global_dim");
  given.strides = context.take("override::global_dim_stride");
  if (!given.address && !given.extents && !given.strides)
    return given;
  expectTarget(context, ".override::global_address", Targets::Rubin, {9, 4});
  if (!given.address)
    context.fail(".override::global_dim: expected .override::global_address, "
                 "too");
  else if (given.extents ? rank != 1 : given.strides && rank == 1)
    context.fail("expected .override::global_dim with .1d and "
                 ".override::global_dim_stride with others");
  else if ((given.extents || given.strides) && !isTile)
    context.fail(".override::global_dim: expected .tile");
  return given;
}

MapOverrides decodeOverrides(DecodeContext &context,
                             const ast::Operand &operand, unsigned rank,
                             const GivenOverrides &given) {
  MapOverrides result;
  unsigned next = 1;
  if (given.address)
    result.address = context.src(operand.elems[next++], Type::B64);
  if (given.extents || given.strides)
    result.extents = context.srcVector(operand.elems[next++], Type::B16);
  if (given.strides) {
    result.strides = context.srcVector(operand.elems[next++], Type::B32);
    result.upperStrides = context.src(operand.elems[next++], Type::B16);
  }
  if (context.failed() || result.extents.empty())
    return result;
  if (result.extents.size() != rank)
    context.fail("expected " + std::to_string(rank) + " extents, got " +
                 std::to_string(result.extents.size()));
  else if (given.strides && result.strides.size() + 1 != rank)
    context.fail("expected " + std::to_string(rank - 1) + " strides, got " +
                 std::to_string(result.strides.size()));
  return result;
}

std::string overrideMap(const Warp &warp, const MapOverrides &overrides,
                        const std::vector<Src> &coordinates, unsigned lane,
                        TensorMapDesc &map) {
  if (!overrides.address.valid)
    return "";
  constexpr uint64_t kMapped = 128 << 10;
  const std::string section = " (PTX ISA 9.4, \"Overriding tensor property "
                              "value\", 9.7.10.28.5.2)";
  map.globalAddress = warp.r64(overrides.address)[lane];
  if (map.globalAddress % 16)
    return "gAddrToOverride: expected a multiple of 16, got " +
           std::to_string(map.globalAddress) + section;
  if (!warp.machine.readable(map.globalAddress, kMapped))
    return "gAddrToOverride: expected 128 KiB of memory from it on: " +
           warp.machine.explain(map.globalAddress, kMapped, false) + section;
  if (overrides.extents.empty())
    return "";
  for (const Src &coordinate : coordinates)
    if (warp.r32(coordinate)[lane])
      return "tensorCoords: expected 0 with .override::global_dim" + section;
  const uint32_t upper = overrides.strides.empty()
                             ? 0
                             : warp.r32(overrides.upperStrides)[lane] & 0xffff;
  if (upper >> 4 * overrides.strides.size())
    return "tensorUpperStrideToOverride: expected 4 bits for each stride, "
           "got " +
           std::to_string(upper) + section;
  for (size_t i = 0; i < overrides.extents.size(); ++i)
    map.dims[i] = warp.r32(overrides.extents[i])[lane] & 0xff;
  for (size_t i = 0; i < overrides.strides.size(); ++i)
    map.strides[i] = (uint64_t(warp.r32(overrides.strides[i])[lane]) |
                      uint64_t(upper >> (4 * i) & 15) << 32)
                     << 4;
  if (Status status = validateTensorMap(map); !status)
    return status.error().message + section;
  return "";
}

ReportPattern takeReport(DecodeContext &context) {
  ReportPattern taken;
  constexpr std::pair<std::string_view, ReportPattern> patterns[] = {
      {"disabled", {}},
      {"validity::per_16bytes::80000000", {32, 0x80000000, 16}},
      {"validity::per_16bytes::8000", {16, 0x8000, 16}},
      {"validity::per_16bytes::80", {8, 0x80, 16}},
      {"validity::per_16bytes::8", {4, 0x8, 16}},
      {"validity::per_element::ff", {8, 0xff, 1}},
  };
  for (const auto &[name, pattern] : patterns) {
    if (!context.take("mbarrier::report::" + std::string(name)))
      continue;
    expectTarget(context, ".mbarrier::report", Targets::Rubin, {9, 4});
    taken = pattern;
  }
  return taken;
}

} // namespace tc::emu
