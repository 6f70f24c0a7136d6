//===- TensorMapNames.cpp - Tensor map arguments by name --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns the names of launch files into the values of a tensor map encoder: the
// emulator's enumerators have the driver's values, so both devices share them.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Device/TensorMapNames.h"

#include <algorithm>
#include <cctype>
#include <limits>

using namespace tc;
using namespace tc::runtime;

namespace {

template <typename T>
struct Name {
  const char *name;
  T value;
};

// The element type of a buffer implies the tensor map type that moves it;
// the packed types have names of their own, those of the driver in lower case.
constexpr Name<emu::TensorMapType> typeNames[] = {
    {"f16", emu::TensorMapType::F16},
    {"bf16", emu::TensorMapType::BF16},
    {"f32", emu::TensorMapType::F32},
    {"f32_ftz", emu::TensorMapType::F32FTZ},
    {"tf32", emu::TensorMapType::TF32},
    {"tf32_ftz", emu::TensorMapType::TF32FTZ},
    {"f64", emu::TensorMapType::F64},
    {"i8", emu::TensorMapType::U8},
    {"u8", emu::TensorMapType::U8},
    {"e4m3", emu::TensorMapType::U8},
    {"e5m2", emu::TensorMapType::U8},
    {"ue8m0", emu::TensorMapType::U8},
    {"ue4m3", emu::TensorMapType::U8},
    {"i16", emu::TensorMapType::U16},
    {"u16", emu::TensorMapType::U16},
    {"i32", emu::TensorMapType::S32},
    {"u32", emu::TensorMapType::U32},
    {"i64", emu::TensorMapType::S64},
    {"u64", emu::TensorMapType::U64},
    {"e2m1", emu::TensorMapType::B4x16},
    {"e2m3", emu::TensorMapType::B6x16P32},
    {"e3m2", emu::TensorMapType::B6x16P32},
    {"16u4_align8b", emu::TensorMapType::B4x16},
    {"16u4_align16b", emu::TensorMapType::B4x16P64},
    {"16u6_align16b", emu::TensorMapType::B6x16P32},
};

constexpr Name<emu::TensorMapSwizzle> swizzleNames[] = {
    {"none", emu::TensorMapSwizzle::None},
    {"32b", emu::TensorMapSwizzle::B32},
    {"64b", emu::TensorMapSwizzle::B64},
    {"128b", emu::TensorMapSwizzle::B128},
    {"128b_atom_32b", emu::TensorMapSwizzle::B128Atom32},
    {"128b_atom_32b_flip_8b", emu::TensorMapSwizzle::B128Atom32Flip8},
    {"128b_atom_64b", emu::TensorMapSwizzle::B128Atom64},
};

constexpr Name<emu::TensorMapInterleave> interleaveNames[] = {
    {"none", emu::TensorMapInterleave::None},
    {"16b", emu::TensorMapInterleave::B16},
    {"32b", emu::TensorMapInterleave::B32},
};

constexpr Name<emu::TensorMapOobFill> oobFillNames[] = {
    {"zero", emu::TensorMapOobFill::Zero},
    {"none", emu::TensorMapOobFill::Zero},
    {"nan", emu::TensorMapOobFill::NaN},
};

constexpr Name<emu::TensorMapL2Promotion> promotionNames[] = {
    {"none", emu::TensorMapL2Promotion::None},
    {"64b", emu::TensorMapL2Promotion::B64},
    {"128b", emu::TensorMapL2Promotion::B128},
    {"256b", emu::TensorMapL2Promotion::B256},
};

} // namespace

static bool equalsIgnoringCase(const std::string &text, const char *lower) {
  size_t i = 0;
  for (; i < text.size() && lower[i]; ++i)
    if (std::tolower(static_cast<unsigned char>(text[i])) != lower[i])
      return false;
  return i == text.size() && !lower[i];
}

/// Looks `text` up in a table of names.
template <typename T, size_t N>
static Status lookUp(const Name<T> (&names)[N], const std::string &text,
                     const char *argument, T &into) {
  std::string choices;
  for (const Name<T> &entry : names) {
    if (equalsIgnoringCase(text, entry.name)) {
      into = entry.value;
      return {};
    }
    choices += (choices.empty() ? "" : " ") + std::string(entry.name);
  }
  return makeError(std::string(argument) + ": expected one of " + choices +
                   ", got '" + text + "'");
}

Expected<emu::TensorMapDesc>
runtime::describeTensorMap(const TensorMapArguments &map) {
  const size_t rank = map.dims.size();
  if (rank < 1 || rank > 5 || map.strides.size() != rank - 1 ||
      map.box.size() != (map.isIm2col ? 0 : rank) ||
      map.elementStrides.size() != rank)
    return makeError("expected 1 to 5 dims, one box size and one element "
                     "stride for each and one stride fewer");
  emu::TensorMapDesc desc;
  Status status = lookUp(typeNames, map.type, "dtype", desc.dtype);
  if (status)
    status = lookUp(swizzleNames, map.swizzle, "swizzle", desc.swizzle);
  if (status)
    status =
        lookUp(interleaveNames, map.interleave, "interleave", desc.interleave);
  if (status)
    status = lookUp(oobFillNames, map.oobFill, "oob_fill", desc.oobFill);
  if (status)
    status = lookUp(promotionNames, map.l2Promotion, "l2_promotion",
                    desc.l2Promotion);
  if (!status)
    return status.takeError();
  desc.rank = static_cast<unsigned>(rank);
  desc.globalAddress = map.address;
  auto tooLarge = [](const char *list, size_t i, uint64_t value) {
    return makeError(std::string(list) + "[" + std::to_string(i) +
                     "]: expected a 32-bit value, got " +
                     std::to_string(value));
  };
  constexpr uint64_t limit = std::numeric_limits<uint32_t>::max();
  for (size_t i = 0; i < rank; ++i) {
    desc.dims[i] = map.dims[i];
    const uint64_t box = map.isIm2col ? 1 : map.box[i];
    if (box > limit)
      return tooLarge("box", i, box);
    if (map.elementStrides[i] > limit)
      return tooLarge("element_strides", i, map.elementStrides[i]);
    desc.box[i] = static_cast<uint32_t>(box);
    desc.elementStrides[i] = static_cast<uint32_t>(map.elementStrides[i]);
  }
  std::copy(map.strides.begin(), map.strides.end(), desc.strides.begin());
  if (map.isIm2col) {
    desc.im2col = true;
    for (size_t i = 0;
         i + 2 < rank && i < map.lower.size() && i < map.upper.size(); ++i) {
      desc.lowerCorner[i] = static_cast<int32_t>(map.lower[i]);
      desc.upperCorner[i] = static_cast<int32_t>(map.upper[i]);
    }
    if (map.channels > limit || map.pixels > limit)
      return makeError(
          "im2col: expected 32-bit numbers of channels and pixels");
    desc.channelsPerPixel = static_cast<uint32_t>(map.channels);
    desc.pixelsPerColumn = static_cast<uint32_t>(map.pixels);
  }
  return desc;
}
