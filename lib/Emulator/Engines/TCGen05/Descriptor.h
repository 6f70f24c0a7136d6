//===- Descriptor.h - the two descriptors of tcgen05.mma --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Raw bits to meaning: the 32-bit instruction descriptor (PTX ISA 9.0,
// "Instruction descriptor", 9.7.16.4.2) and the 64-bit shared memory descriptor
// ("Shared memory descriptor", 9.7.16.4.1), every reserved bit and every
// illegal value refused with the name of its field; and the address of an
// operand's elements in shared memory ("Canonical layouts", 9.7.16.3.3). ptxas
// checks none of this.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ENGINES_TCGEN05_DESCRIPTOR_H
#define TC_EMULATOR_ENGINES_TCGEN05_DESCRIPTOR_H

#include "Numerics/Formats.h"
#include "tc/Emulator/Error.h"

#include <cstdint>
#include <string_view>

namespace tc::emu {

enum class MmaKind : uint8_t {
  F16,
  TF32,
  F8F6F4,
  I8,
  MXF8F6F4,
  MXF4,
  MXF4NVF4,
  TI16
};

/// "f16", as in .kind::f16.
std::string_view toString(MmaKind kind);

/// What the opcode says about an MMA, besides its descriptors.
struct MmaForm {
  MmaKind kind = MmaKind::F16;
  unsigned ctaGroup = 1;
  bool weightStationary = false;
  bool sparse = false;
  bool tmemA = false;
  bool shiftA = false; ///< .ashift
  /// Elements that share a scale, of the kinds that have them.
  unsigned scaleBlock = 0;
  /// Of the chip: K may be 64 bytes of a row.
  bool hasWideK = false;
  bool lookupB = false; ///< .decompress::lut::b
};

/// The type of an operand element.
struct OperandType {
  /// Meaningless if `integer`.
  NumberFormat format = NumberFormat::F16;
  bool integer = false, isSigned = false;
  /// An integer of a sign and a magnitude (s1z4m11).
  bool signMagnitude = false;
  /// Bits per element as the MMA counts K: 32 (tf32), 16, 8 (also 4- and 6-bit
  /// types of f8f6f4, which are in 8-bit containers) or 4.
  unsigned bits = 16;
  std::string_view name;
};

struct InstructionDescriptor {
  unsigned m = 0, n = 0, k = 0;
  /// K is twice that of other chips.
  bool wide = false;
  OperandType a, b;
  /// F32, F16; integer accumulators have `integerD`.
  NumberFormat d = NumberFormat::F32;
  bool integerD = false, saturate = false;
  bool negateA = false, negateB = false;
  /// A is M-major, B is N-major.
  bool transposeA = false, transposeB = false;
  unsigned sparsitySelector = 0;
  unsigned maxShift = 0;
  /// Block-scaled kinds.
  unsigned scaleIdA = 0, scaleIdB = 0;
  NumberFormat scale = NumberFormat::UE8M0;
  /// Scales of A are in the lane of their row.
  bool scalesIn128Lanes = false;

  /// Whether elements of `type`, which otherwise have containers of 8 bits, are
  /// without padding (PTX ISA 9.4, "Packing formats", 9.7.18.10.4).
  bool packs(const OperandType &type) const {
    return wide && type.bits == 8 && formatInfo(type.format).bits < 8;
  }
};

/// Decodes and checks types, transposition, negation, M, N and K for the form.
Expected<InstructionDescriptor> decodeInstructionDescriptor(const MmaForm &form,
                                                            uint32_t bits);

/// Which columns of B a .ws MMA takes as zeros, and from which on it reads B.
struct ZeroColumnMask {
  bool nonZero = false; ///< off: no column is zero
  unsigned subMasks = 1;
  unsigned start[4] = {};
  bool first[4] = {};
  unsigned skip = 1, use = 1; ///< lengths of the runs of ones and zeros
  unsigned shift = 0; ///< column c of D belongs to column c + shift of B

  bool isZero(unsigned column, unsigned n) const;
};

/// Decodes and checks the fields; `m` picks the number of sub-masks.
Expected<ZeroColumnMask> decodeZeroColumnMask(uint64_t bits, unsigned m);

enum class SmemSwizzle : uint8_t {
  None = 0,
  B128Atom32 = 1,
  B128 = 2,
  B64 = 4,
  B32 = 6
};

struct SmemDescriptor {
  uint32_t start = 0; ///< bytes, offset in the CTA's shared memory window
  uint32_t lbo = 0;   ///< leading dimension byte offset
  uint32_t sbo = 0;   ///< stride dimension byte offset
  SmemSwizzle swizzle = SmemSwizzle::None;
  unsigned segment = 0; ///< half of a row of indices into tables

  /// Where the swizzle puts the byte at a linear offset from `start`; the XOR
  /// works on absolute address bits.
  uint32_t address(uint32_t linear) const;
  /// Linear offset of byte `kb` of the K span of one instruction in row `mn`.
  uint32_t kMajor(uint32_t mn, uint32_t kb) const;
  /// Linear offset of byte `mb` along M or N in row `k`.
  uint32_t mnMajor(uint32_t mb, uint32_t k) const;
};

inline uint32_t SmemDescriptor::address(uint32_t linear) const {
  uint32_t a = start + linear;
  switch (swizzle) {
  case SmemSwizzle::None:
    return a;
  case SmemSwizzle::B32:
    return a ^ (((a >> 7) & 1) << 4);
  case SmemSwizzle::B64:
    return a ^ (((a >> 7) & 3) << 4);
  case SmemSwizzle::B128:
    return a ^ (((a >> 7) & 7) << 4);
  case SmemSwizzle::B128Atom32:
    return a ^ (((a >> 7) & 3) << 5);
  }
  return a;
}

/// Bytes of a swizzled row; 16 without swizzle.
inline uint32_t swizzleSpan(SmemSwizzle swizzle) {
  switch (swizzle) {
  case SmemSwizzle::None:
    return 16;
  case SmemSwizzle::B32:
    return 32;
  case SmemSwizzle::B64:
    return 64;
  default:
    return 128;
  }
}

inline uint32_t SmemDescriptor::kMajor(uint32_t mn, uint32_t kb) const {
  if (swizzle == SmemSwizzle::None)
    return (mn % 8) * 16 + (mn / 8) * sbo + (kb / 16) * lbo + kb % 16;
  return (mn % 8) * swizzleSpan(swizzle) + (mn / 8) * sbo + kb;
}

inline uint32_t SmemDescriptor::mnMajor(uint32_t mb, uint32_t k) const {
  if (swizzle == SmemSwizzle::None)
    return mb % 16 + (mb / 16) * sbo + (k % 8) * 16 + (k / 8) * lbo;
  uint32_t width = swizzleSpan(swizzle),
           group = swizzle == SmemSwizzle::B128Atom32 ? 4 : 8;
  return mb % width + (mb / width) * lbo + (k % group) * width +
         (k / group) * sbo;
}

/// Decodes and checks the fields; `operand` ("a", "b", "s") is for messages.
/// With `wide` addresses are 19 bits (PTX ISA 9.4, "Shared memory descriptor",
/// 9.7.18.4.1); with `segments` bit 53 picks a half of a row of indices
/// ("Decompression of input matrices", 9.7.18.10.8).
Expected<SmemDescriptor> decodeSmemDescriptor(uint64_t bits,
                                              std::string_view operand,
                                              bool wide = false,
                                              bool segments = false);

/// Whether that swizzle may be combined with the major-ness and the kind.
Status checkSwizzle(const SmemDescriptor &descriptor, const OperandType &type,
                    MmaKind kind, bool mnMajor, std::string_view operand);

} // namespace tc::emu

#endif // TC_EMULATOR_ENGINES_TCGEN05_DESCRIPTOR_H
