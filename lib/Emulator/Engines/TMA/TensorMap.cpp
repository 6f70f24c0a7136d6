//===- TensorMap.cpp - tensor maps of the emulator ------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Validation argument by argument in the order of cuTensorMapEncodeTiled, and
// the 128-byte image: magic, fields at fixed places, checksum.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/TensorMap.h"

#include <algorithm>
#include <cstring>

namespace tc::emu {

unsigned tensorMapElementBits(TensorMapType type) {
  switch (type) {
  case TensorMapType::U8:
    return 8;
  case TensorMapType::U16:
  case TensorMapType::F16:
  case TensorMapType::BF16:
    return 16;
  case TensorMapType::U32:
  case TensorMapType::S32:
  case TensorMapType::F32:
  case TensorMapType::F32FTZ:
  case TensorMapType::TF32:
  case TensorMapType::TF32FTZ:
    return 32;
  case TensorMapType::U64:
  case TensorMapType::S64:
  case TensorMapType::F64:
    return 64;
  case TensorMapType::B4x16:
  case TensorMapType::B4x16P64:
    return 4;
  case TensorMapType::B6x16P32:
    return 6;
  }
  return 0;
}

std::string_view toString(TensorMapType type) {
  static constexpr std::string_view names[] = {
      "u8",       "u16",          "u32",           "s32",
      "u64",      "s64",          "f16",           "f32",
      "f64",      "bf16",         "f32.ftz",       "tf32",
      "tf32.ftz", "16u4.align8b", "16u4.align16b", "16u6.align16b"};
  unsigned index = static_cast<unsigned>(type);
  return index < 16 ? names[index] : "unknown";
}

std::string_view toString(TensorMapSwizzle swizzle) {
  static constexpr std::string_view names[] = {
      "none",        "32B",          "64B",
      "128B",        "128B.atom32B", "128B.atom32B.flip8B",
      "128B.atom64B"};
  unsigned index = static_cast<unsigned>(swizzle);
  return index < 7 ? names[index] : "unknown";
}

uint32_t swizzleSpan(TensorMapSwizzle swizzle) {
  switch (swizzle) {
  case TensorMapSwizzle::None:
    return 0;
  case TensorMapSwizzle::B32:
    return 32;
  case TensorMapSwizzle::B64:
    return 64;
  default:
    return 128;
  }
}

static bool isFloat(TensorMapType type) {
  switch (type) {
  case TensorMapType::F16:
  case TensorMapType::F32:
  case TensorMapType::F64:
  case TensorMapType::BF16:
  case TensorMapType::F32FTZ:
  case TensorMapType::TF32:
  case TensorMapType::TF32FTZ:
    return true;
  default:
    return false;
  }
}

static Error invalid(const std::string &argument, const std::string &expected,
                     const std::string &got) {
  return Error{"tensor map: " + argument + ": expected " + expected + ", got " +
               got};
}

static std::string indexed(const char *name, unsigned i) {
  return std::string(name) + "[" + std::to_string(i) + "]";
}

/// "a multiple of 16 bytes, got 136 (nearest: 128 or 144)".
static Error notMultiple(const std::string &argument, uint64_t value,
                         uint64_t multiple, const char *unit) {
  uint64_t below = value / multiple * multiple;
  std::string nearest =
      below ? std::to_string(below) + " or " + std::to_string(below + multiple)
            : std::to_string(multiple);
  return invalid(argument, "a multiple of " + std::to_string(multiple) + unit,
                 std::to_string(value) + " (nearest: " + nearest + ")");
}

/// What only cuTensorMapEncodeIm2col has: dimensions 3 to 5, signed corners of
/// 16, 8 or 5 bits.
static Status validateIm2col(const TensorMapDesc &d) {
  if (d.rank < 3)
    return invalid("tensorRank", "3 to 5 for im2col", std::to_string(d.rank));
  int32_t limit = d.rank == 3 ? 32768 : d.rank == 4 ? 128 : 16;
  for (unsigned i = 0; i + 2 < d.rank; ++i)
    for (bool upper : {false, true}) {
      int32_t corner = upper ? d.upperCorner[i] : d.lowerCorner[i];
      if (corner < -limit || corner >= limit)
        return invalid(
            indexed(upper ? "pixelBoxUpperCorner" : "pixelBoxLowerCorner", i),
            std::to_string(-limit) + " to " + std::to_string(limit - 1),
            std::to_string(corner));
    }
  if (d.channelsPerPixel < 1 || d.channelsPerPixel > 256)
    return invalid("channelsPerPixel", "1 to 256",
                   std::to_string(d.channelsPerPixel));
  if (d.pixelsPerColumn < 1 || d.pixelsPerColumn > 1024)
    return invalid("pixelsPerColumn", "1 to 1024",
                   std::to_string(d.pixelsPerColumn));
  return {};
}

/// Padded packed types: elements of 4 or 6 bits, 16 bytes for each 16 of them
/// in shared memory.
static bool isAligned16(TensorMapType type) {
  return type == TensorMapType::B4x16P64 || type == TensorMapType::B6x16P32;
}

static Status validateModes(const TensorMapDesc &d) {
  if (static_cast<unsigned>(d.dtype) > 15)
    return invalid("tensorDataType", "a value from 0 to 15",
                   std::to_string(static_cast<unsigned>(d.dtype)));
  if (d.rank < 1 || d.rank > 5)
    return invalid("tensorRank", "1 to 5", std::to_string(d.rank));
  bool interleaved = d.interleave != TensorMapInterleave::None;
  if (static_cast<unsigned>(d.interleave) > 2)
    return invalid("interleave", "none, 16B or 32B",
                   std::to_string(static_cast<unsigned>(d.interleave)));
  if (interleaved && d.rank < 3)
    return invalid("tensorRank", "at least 3 with interleave",
                   std::to_string(d.rank));
  if (static_cast<unsigned>(d.swizzle) > 6)
    return invalid("swizzle", "a value from 0 to 6",
                   std::to_string(static_cast<unsigned>(d.swizzle)));
  if (static_cast<unsigned>(d.l2Promotion) > 3)
    return invalid("l2Promotion", "a value from 0 to 3",
                   std::to_string(static_cast<unsigned>(d.l2Promotion)));
  if (static_cast<unsigned>(d.oobFill) > 1)
    return invalid("oobFill", "zero or NaN",
                   std::to_string(static_cast<unsigned>(d.oobFill)));
  return {};
}

/// The tensor in global memory.
static Status validateTensor(const TensorMapDesc &d) {
  const bool align16 = isAligned16(d.dtype);
  unsigned byteAlign =
      align16 || d.interleave == TensorMapInterleave::B32 ? 32 : 16;
  if (d.globalAddress % byteAlign)
    return notMultiple("globalAddress", d.globalAddress, byteAlign, " bytes");

  for (unsigned i = 0; i < d.rank; ++i)
    if (d.dims[i] < 1 || d.dims[i] > (uint64_t(1) << 32))
      return invalid(indexed("globalDim", i), "1 to 2^32 elements",
                     std::to_string(d.dims[i]));
  if (align16 && d.dims[0] % 128)
    return notMultiple("globalDim[0]", d.dims[0], 128,
                       " elements for 16-byte aligned packed types");
  if (d.dtype == TensorMapType::B4x16 && d.dims[0] % 2)
    return notMultiple("globalDim[0]", d.dims[0], 2,
                       " elements for packed 4-bit types");

  for (unsigned i = 0; i + 1 < d.rank; ++i) {
    if (d.strides[i] % byteAlign)
      return notMultiple(indexed("globalStrides", i), d.strides[i], byteAlign,
                         " bytes");
    if (d.strides[i] >= (uint64_t(1) << 40))
      return invalid(indexed("globalStrides", i), "less than 2^40 bytes",
                     std::to_string(d.strides[i]));
  }
  return {};
}

/// The box, or the pixels and channels of one.
static Status validateBox(const TensorMapDesc &d) {
  const bool align16 = isAligned16(d.dtype);
  const bool interleaved = d.interleave != TensorMapInterleave::None;
  unsigned bits = tensorMapElementBits(d.dtype);
  if (d.im2col)
    if (Status status = validateIm2col(d); !status)
      return status;
  const std::string innerName = d.im2col ? "channelsPerPixel" : "boxDim[0]";
  const uint32_t inner = d.im2col ? d.channelsPerPixel : d.box[0];
  for (unsigned i = 0; i < d.rank && !d.im2col; ++i)
    if (d.box[i] < 1 || d.box[i] > 256)
      return invalid(indexed("boxDim", i), "1 to 256 elements",
                     std::to_string(d.box[i]));
  uint64_t innerBytes = uint64_t(inner) * bits / 8;
  if (align16 && inner != 128)
    return invalid(innerName, "128 elements for 16-byte aligned packed types",
                   std::to_string(inner));
  if (!interleaved && (uint64_t(inner) * bits) % 128)
    return invalid(
        innerName, "a multiple of 16 bytes",
        std::to_string(inner) + " elements of " + std::to_string(bits) +
            " bits (nearest: " +
            std::to_string((uint64_t(inner) * bits / 128 + 1) * 128 / bits) +
            " elements)");
  if (d.interleave == TensorMapInterleave::B32 &&
      d.swizzle != TensorMapSwizzle::B32)
    return invalid("swizzle", "32B with interleave 32B",
                   std::string(toString(d.swizzle)));
  if (unsigned span = swizzleSpan(d.swizzle); span && !interleaved) {
    // Padded packed types occupy one byte per element in shared memory.
    uint64_t sharedInner = align16 ? inner : innerBytes;
    if (sharedInner > span)
      return invalid(innerName,
                     "at most " + std::to_string(span) + " bytes for swizzle " +
                         std::string(toString(d.swizzle)),
                     std::to_string(sharedInner));
  }
  return {};
}

Status validateTensorMap(const TensorMapDesc &d) {
  for (auto *validate : {validateModes, validateTensor, validateBox})
    if (Status status = validate(d); !status)
      return status;
  const bool align16 = isAligned16(d.dtype);
  const bool packed = align16 || d.dtype == TensorMapType::B4x16;
  if (align16 && (d.swizzle == TensorMapSwizzle::B32 ||
                  d.swizzle == TensorMapSwizzle::B64 ||
                  d.swizzle == TensorMapSwizzle::B128Atom32Flip8))
    return invalid("swizzle",
                   "none or 128B (atoms of 16, 32 or 64 bytes) for 16-byte "
                   "aligned packed types",
                   std::string(toString(d.swizzle)));
  for (unsigned i = 0; i < d.rank; ++i)
    if (d.elementStrides[i] < 1 || d.elementStrides[i] > 8)
      return invalid(indexed("elementStrides", i), "1 to 8",
                     std::to_string(d.elementStrides[i]));
  if (d.oobFill == TensorMapOobFill::NaN && (packed || !isFloat(d.dtype)))
    return invalid("oobFill", "zero for types that are not floating point",
                   "NaN with " + std::string(toString(d.dtype)));
  return {};
}

namespace {

/// Fixed places of the image; the checksum covers everything before it.
constexpr char magic[8] = {'T', 'C', 'T', 'M', 'A', 'P', '0', '1'};
constexpr unsigned kinds = 8, address = 16, dims = 24, strides = 64, box = 96,
                   steps = 106, checksum = 120;
/// im2col: the corners, of 16 bits at rank 3 and bytes beyond, take the place
/// of the box; channels and pixels come after the steps.
constexpr unsigned corners = 96, channels = 112, pixels = 114;
/// Flags among the kinds.
constexpr unsigned im2colFlag = kinds + 6, replacedFlag = kinds + 7;

uint64_t hash(const uint8_t *bytes, unsigned count) {
  uint64_t h = 0xcbf29ce484222325ull;
  for (unsigned i = 0; i < count; i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes + i, 8);
    h = (h ^ word) * 0x100000001b3ull;
    h ^= h >> 29;
  }
  return h;
}

} // namespace

Expected<TensorMapImage> encodeTensorMap(const TensorMapDesc &d) {
  if (Status status = validateTensorMap(d); !status)
    return status.takeError();
  TensorMapImage image{};
  uint8_t *out = image.data();
  std::memcpy(out, magic, 8);
  out[kinds] = static_cast<uint8_t>(d.dtype);
  out[kinds + 1] = static_cast<uint8_t>(d.rank);
  out[kinds + 2] = static_cast<uint8_t>(d.interleave);
  out[kinds + 3] = static_cast<uint8_t>(d.swizzle);
  out[kinds + 4] = static_cast<uint8_t>(d.l2Promotion);
  out[kinds + 5] = static_cast<uint8_t>(d.oobFill);
  std::memcpy(out + address, &d.globalAddress, 8);
  for (unsigned i = 0; i < d.rank; ++i) {
    std::memcpy(out + dims + 8 * i, &d.dims[i], 8);
    if (i + 1 < d.rank)
      std::memcpy(out + strides + 8 * i, &d.strides[i], 8);
    uint16_t extent = static_cast<uint16_t>(d.box[i]);
    if (!d.im2col)
      std::memcpy(out + box + 2 * i, &extent, 2);
    out[steps + i] = static_cast<uint8_t>(d.elementStrides[i]);
  }
  if (d.im2col) {
    out[im2colFlag] = 1;
    for (unsigned i = 0; i + 2 < d.rank; ++i) {
      int16_t lower = static_cast<int16_t>(d.lowerCorner[i]),
              upper = static_cast<int16_t>(d.upperCorner[i]);
      std::memcpy(out + corners + i, &lower, d.rank == 3 ? 2 : 1);
      std::memcpy(out + corners + 3 + i, &upper, d.rank == 3 ? 2 : 1);
    }
    std::memcpy(out + channels, &d.channelsPerPixel, 2);
    std::memcpy(out + pixels, &d.pixelsPerColumn, 2);
  }
  uint64_t sum = hash(out, checksum);
  std::memcpy(out + checksum, &sum, 8);
  return image;
}

Expected<TensorMapDesc> decodeTensorMap(const uint8_t *image) {
  if (std::memcmp(image, magic, 8) != 0)
    return Error{"tensor map: expected an object written by encodeTensorMap, "
                 "got other bytes"};
  uint64_t sum;
  std::memcpy(&sum, image + checksum, 8);
  if (sum != hash(image, checksum))
    return Error{"tensor map: the object was changed after it had been encoded "
                 "(checksum mismatch)"};
  TensorMapDesc d;
  d.dtype = static_cast<TensorMapType>(image[kinds]);
  d.rank = image[kinds + 1];
  d.interleave = static_cast<TensorMapInterleave>(image[kinds + 2]);
  d.swizzle = static_cast<TensorMapSwizzle>(image[kinds + 3]);
  d.l2Promotion = static_cast<TensorMapL2Promotion>(image[kinds + 4]);
  d.oobFill = static_cast<TensorMapOobFill>(image[kinds + 5]);
  std::memcpy(&d.globalAddress, image + address, 8);
  for (unsigned i = 0; i < d.rank && i < 5; ++i) {
    std::memcpy(&d.dims[i], image + dims + 8 * i, 8);
    if (i + 1 < d.rank)
      std::memcpy(&d.strides[i], image + strides + 8 * i, 8);
    uint16_t extent;
    std::memcpy(&extent, image + box + 2 * i, 2);
    d.box[i] = extent;
    d.elementStrides[i] = image[steps + i];
  }
  if (image[im2colFlag]) {
    d.im2col = true;
    d.box.fill(0);
    for (unsigned i = 0; i + 2 < d.rank; ++i) {
      auto corner = [&](unsigned at) -> int32_t {
        int16_t wide;
        std::memcpy(&wide, image + at, 2);
        return d.rank == 3 ? wide : static_cast<int8_t>(image[at]);
      };
      d.lowerCorner[i] = corner(corners + i);
      d.upperCorner[i] = corner(corners + 3 + i);
    }
    std::memcpy(&d.channelsPerPixel, image + channels, 2);
    std::memcpy(&d.pixelsPerColumn, image + pixels, 2);
  }
  // tensormap.replace may have left something that cannot be.
  if (image[replacedFlag])
    if (Status status = validateTensorMap(d); !status)
      return status.takeError();
  return d;
}

/// The swizzle of a mode (0 none, 1 to 3: 32, 64, 128 bytes) and an atomicity
/// (0: 16 bytes, 1: 32, 2: 32 and halves flipped, 3: 64).
static bool combineSwizzle(uint64_t mode, uint64_t atom, uint8_t &swizzle) {
  if (mode < 3 && atom == 0)
    swizzle = static_cast<uint8_t>(mode);
  else if (mode == 3 && atom <= 3)
    swizzle = static_cast<uint8_t>(3 + atom);
  else
    return false;
  return true;
}

/// An object of zeros, as Triton starts from before it replaces every field, is
/// one whose fields are all zero. The ISA calls the object opaque and says
/// nothing about it.
static void takeZerosForAnObject(uint8_t *image) {
  if (std::any_of(image, image + sizeof(TensorMapImage),
                  [](uint8_t byte) { return byte != 0; }))
    return;
  std::memcpy(image, magic, 8);
  uint64_t sum = hash(image, checksum);
  std::memcpy(image + checksum, &sum, 8);
}

Status replaceTensorMapField(uint8_t *image, TensorMapField field,
                             unsigned index, uint64_t value) {
  takeZerosForAnObject(image);
  uint64_t sum;
  std::memcpy(&sum, image + checksum, 8);
  if (std::memcmp(image, magic, 8) != 0 || sum != hash(image, checksum))
    return Error{"tensor map: expected an object written by encodeTensorMap, "
                 "got other bytes"};
  if (image[im2colFlag])
    return Error{"tensor map: expected one for tiles, got one for im2col"};
  const uint8_t old = image[kinds + 3];
  const unsigned mode = old < 3 ? old : 3, atom = old < 3 ? 0 : old - 3;
  auto within = [&](uint64_t limit, const char *name) -> Status {
    if (value <= limit)
      return {};
    return invalid(name, "0 to " + std::to_string(limit),
                   std::to_string(value));
  };
  Status status;
  switch (field) {
  case TensorMapField::GlobalAddress:
    std::memcpy(image + address, &value, 8);
    break;
  case TensorMapField::Rank:
    if (status = within(4, "rank minus one"); status)
      image[kinds + 1] = static_cast<uint8_t>(value + 1);
    break;
  case TensorMapField::BoxDim:
    if (status = within(256, "box_dim"); status)
      std::memcpy(image + box + 2 * index, &value, 2);
    break;
  case TensorMapField::GlobalDim:
    std::memcpy(image + dims + 8 * index, &value, 8);
    break;
  case TensorMapField::GlobalStride:
    if (index > 3)
      return invalid("ordinal of global_stride", "0 to 3",
                     std::to_string(index));
    std::memcpy(image + strides + 8 * index, &value, 8);
    break;
  case TensorMapField::ElementStride:
    if (status = within(8, "element_stride"); status)
      image[steps + index] = static_cast<uint8_t>(value);
    break;
  case TensorMapField::ElementType: {
    // The instruction counts f32.ftz before f64, the driver after bf16.
    static constexpr uint8_t types[] = {0,  1, 2, 3,  4,  5,  6,  7,
                                        10, 8, 9, 11, 12, 13, 14, 15};
    if (status = within(15, "elemtype"); status)
      image[kinds] = types[value];
    break;
  }
  case TensorMapField::Interleave:
    if (status = within(2, "interleave_layout"); status)
      image[kinds + 2] = static_cast<uint8_t>(value);
    break;
  case TensorMapField::SwizzleMode:
    // A narrower swizzle has atoms of 16 bytes only.
    if (!combineSwizzle(value, value == 3 ? atom : 0, image[kinds + 3]))
      return invalid("swizzle_mode", "0 to 3", std::to_string(value));
    break;
  case TensorMapField::SwizzleAtomicity:
    if (!combineSwizzle(mode, value, image[kinds + 3]))
      return invalid("swizzle_atomicity", mode == 3 ? "0 to 3" : "0",
                     std::to_string(value));
    break;
  case TensorMapField::FillMode:
    if (status = within(1, "fill_mode"); status)
      image[kinds + 5] = static_cast<uint8_t>(value);
    break;
  }
  if (!status)
    return status;
  image[replacedFlag] = 1;
  sum = hash(image, checksum);
  std::memcpy(image + checksum, &sum, 8);
  return {};
}

} // namespace tc::emu
