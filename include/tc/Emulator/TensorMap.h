//===- TensorMap.h - tensor maps of the emulator ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor map describes a tensor in global memory and the box that one TMA
// instruction moves. This is the emulator's counterpart of
// cuTensorMapEncodeTiled: the same arguments, the same refusals, and a 128-byte
// object of its own that only the emulator reads.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_TENSORMAP_H
#define TC_EMULATOR_TENSORMAP_H

#include "tc/Emulator/Error.h"

#include <array>
#include <cstdint>
#include <string_view>

namespace tc::emu {

/// Element types, with the values of the driver's CUtensorMapDataType.
enum class TensorMapType : uint8_t {
  U8 = 0,
  U16 = 1,
  U32 = 2,
  S32 = 3,
  U64 = 4,
  S64 = 5,
  F16 = 6,
  F32 = 7,
  F64 = 8,
  BF16 = 9,
  F32FTZ = 10,
  TF32 = 11,
  TF32FTZ = 12,
  /// 16 packed 4-bit elements in 8 bytes.
  B4x16 = 13,
  /// 16 packed 4-bit elements, 8 bytes of padding after them in shared memory.
  B4x16P64 = 14,
  /// 16 packed 6-bit elements, 4 bytes of padding after them in shared memory.
  B6x16P32 = 15,
};

enum class TensorMapInterleave : uint8_t { None = 0, B16 = 1, B32 = 2 };

/// The first four have the values of CUtensorMapSwizzle, as have the others.
enum class TensorMapSwizzle : uint8_t {
  None = 0,
  B32 = 1,
  B64 = 2,
  B128 = 3,
  /// 128-byte span, atoms of 32 bytes.
  B128Atom32 = 4,
  /// As before, and the halves of 16 bytes swapped on odd lines.
  B128Atom32Flip8 = 5,
  /// 128-byte span, atoms of 64 bytes.
  B128Atom64 = 6,
};

enum class TensorMapL2Promotion : uint8_t {
  None = 0,
  B64 = 1,
  B128 = 2,
  B256 = 3
};

enum class TensorMapOobFill : uint8_t { Zero = 0, NaN = 1 };

/// The arguments of cuTensorMapEncodeTiled. Dimension 0 is the contiguous one.
struct TensorMapDesc {
  TensorMapType dtype = TensorMapType::F32;
  unsigned rank = 1;
  uint64_t globalAddress = 0;
  /// Elements along each dimension, 1 to 2^32.
  std::array<uint64_t, 5> dims{};
  /// strides[i], i in [0, rank - 2]: bytes between neighbours along dimension
  /// i + 1, as in the driver's globalStrides.
  std::array<uint64_t, 5> strides{};
  /// Elements along each dimension of the box, 1 to 256.
  std::array<uint32_t, 5> box{};
  /// Steps between loaded elements, 1 to 8.
  std::array<uint32_t, 5> elementStrides{1, 1, 1, 1, 1};
  TensorMapInterleave interleave = TensorMapInterleave::None;
  TensorMapSwizzle swizzle = TensorMapSwizzle::None;
  TensorMapL2Promotion l2Promotion = TensorMapL2Promotion::None;
  TensorMapOobFill oobFill = TensorMapOobFill::Zero;
  /// The arguments of cuTensorMapEncodeIm2col instead; `box` is not used.
  /// Corners of the box of base pixels along dimensions 1 to rank - 2, the
  /// upper one counted from the last pixel.
  bool im2col = false;
  std::array<int32_t, 3> lowerCorner{}, upperCorner{};
  uint32_t channelsPerPixel = 0; ///< 1 to 256
  uint32_t pixelsPerColumn = 0;  ///< 1 to 1024
};

/// The opaque object; kernels see it at an address that is a multiple of 64.
using TensorMapImage = std::array<uint8_t, 128>;

/// Bits of one element in global memory.
unsigned tensorMapElementBits(TensorMapType type);
std::string_view toString(TensorMapType type);
std::string_view toString(TensorMapSwizzle swizzle);
/// Bytes that a swizzle permutes, the width of a row in shared memory, which is
/// the most that an inner box can have; 0: no limit.
uint32_t swizzleSpan(TensorMapSwizzle swizzle);

/// Refuses what cuTensorMapEncodeTiled and cuTensorMapEncodeIm2col refuse (CUDA
/// Driver API, "Tensor Map Object Management"); the message names the argument,
/// what was expected and what it got.
Status validateTensorMap(const TensorMapDesc &desc);

/// Validates and encodes.
Expected<TensorMapImage> encodeTensorMap(const TensorMapDesc &desc);

/// Reads an encoded object back; refuses bytes that encodeTensorMap did not
/// write, or that were changed since.
Expected<TensorMapDesc> decodeTensorMap(const uint8_t *image);

/// The fields of tensormap.replace (PTX ISA 9.0, 9.7.9.28).
enum class TensorMapField : uint8_t {
  GlobalAddress,
  Rank,
  BoxDim,
  GlobalDim,
  GlobalStride,
  ElementStride,
  ElementType,
  Interleave,
  SwizzleMode,
  SwizzleAtomicity,
  FillMode
};

/// Writes one field of an encoded tiled object, `value` as the instruction has
/// it (the rank minus one, the codes of "tensormap.replace"). Whether the
/// fields go together is checked when the object is used.
Status replaceTensorMapField(uint8_t *image, TensorMapField field,
                             unsigned index, uint64_t value);

} // namespace tc::emu

#endif // TC_EMULATOR_TENSORMAP_H
