//===- DescriptorWords.cpp - the words of tcgen05.mma -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of DescriptorWords.h.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/DescriptorWords.h"

#include "llvm/ADT/STLExtras.h"
#include <array>

namespace tc {

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

static constexpr WordValue kZero[] = {{0, "reserved"}};
static constexpr WordValue kConstant[] = {{1, "constant"}};
static constexpr WordValue kNo[] = {{0, "no"}};
static constexpr WordValue kNoYes[] = {{0, "no"}, {1, "yes"}};
static constexpr WordValue kMajorA[] = {{0, "K"}, {1, "M"}};
static constexpr WordValue kMajorB[] = {{0, "K"}, {1, "N"}};
static constexpr WordValue kMajorK[] = {{0, "K"}};
static constexpr WordValue kF32[] = {{1, "f32"}};
static constexpr WordValue kF16OrF32[] = {{0, "f16"}, {1, "f32"}};
static constexpr WordValue kS32[] = {{2, "s32"}};
static constexpr WordValue kTF32[] = {{2, "tf32"}};
static constexpr WordValue kF16OrBF16[] = {{0, "f16"}, {1, "bf16"}};
static constexpr WordValue kNarrow[] = {
    {0, "e4m3"}, {1, "e5m2"}, {3, "e2m3"}, {4, "e3m2"}, {5, "e2m1"}};
static constexpr WordValue kE2M1[] = {{1, "e2m1"}};
static constexpr WordValue kBytes[] = {{0, "u8"}, {1, "s8"}};
static constexpr WordValue kS1Z4M11[] = {{3, "s1z4m11"}};
static constexpr WordValue kUE8M0[] = {{1, "ue8m0"}};
static constexpr WordValue kEitherScale[] = {
    {0, "ue4m3"}, {1, "ue8m0"}, {2, "ue5m3 (sm_107)"}};
static constexpr WordValue kHalves[] = {{0, "0"}, {2, "2"}};
static constexpr WordValue kShift[] = {
    {0, "no shift"}, {1, "8 columns"}, {2, "16 columns"}, {3, "32 columns"}};
static constexpr WordValue kM[] = {
    {2, "32"}, {4, "64"}, {8, "128"}, {16, "256"}};
static constexpr WordValue kWideM[] = {{1, "128"}, {2, "256"}};
static constexpr WordValue kSwizzle[] = {{0, "none"},
                                         {1, "128 bytes, atoms of 32"},
                                         {2, "128 bytes"},
                                         {4, "64 bytes"},
                                         {6, "32 bytes"}};
static constexpr WordValue kRelative[] = {{0, "relative"}, {1, "absolute"}};
static constexpr WordValue kSegment[] = {{0, "first"}, {1, "second"}};
static constexpr WordValue kNonZero[] = {{0, "no column is masked"},
                                         {1, "the mask is generated"}};
static constexpr WordValue kStart[] = {{0, "used columns"},
                                       {1, "skipped columns"}};

//===----------------------------------------------------------------------===//
// Instruction descriptors (PTX ISA 9.0, 9.7.16.4.2 "Instruction descriptor")
//===----------------------------------------------------------------------===//

static constexpr WordField kFieldN{"N", 17, 6, {}, 8, 0, 32, 1};
static constexpr WordField kFieldNegateA{"negate A", 13, 1, kNoYes};
static constexpr WordField kFieldNegateB{"negate B", 14, 1, kNoYes};
static constexpr WordField kFieldSparse{"sparse", 2, 1, kNoYes};

static constexpr WordField kF16[] = {
    {"sparsity selector", 0, 2, {}},
    kFieldSparse,
    {"saturate", 3, 1, kNo},
    {"type of D", 4, 2, kF16OrF32},
    {"bit 6", 6, 1, kZero},
    {"type of A", 7, 3, kF16OrBF16},
    {"type of B", 10, 3, kF16OrBF16},
    kFieldNegateA,
    kFieldNegateB,
    {"A is major along", 15, 1, kMajorA},
    {"B is major along", 16, 1, kMajorB},
    kFieldN,
    {"bit 23", 23, 1, kZero},
    {"M", 24, 5, kM},
    {"bit 29", 29, 1, kZero},
    {"largest shift of B (.ws)", 30, 2, kShift},
};

static constexpr WordField kTF32Fields[] = {
    {"sparsity selector", 0, 2, {}},
    kFieldSparse,
    {"saturate", 3, 1, kNo},
    {"type of D", 4, 2, kF32},
    {"bit 6", 6, 1, kZero},
    {"type of A", 7, 3, kTF32},
    {"type of B", 10, 3, kTF32},
    kFieldNegateA,
    kFieldNegateB,
    {"A is major along", 15, 1, kMajorA},
    {"B is major along", 16, 1, kMajorB},
    kFieldN,
    {"bit 23", 23, 1, kZero},
    {"M", 24, 5, kM},
    {"bit 29", 29, 1, kZero},
    {"largest shift of B (.ws)", 30, 2, kShift},
};

static constexpr WordField kF8F6F4[] = {
    {"sparsity selector", 0, 2, kZero},
    kFieldSparse,
    {"saturate", 3, 1, kNo},
    {"type of D", 4, 2, kF16OrF32},
    {"bit 6", 6, 1, kZero},
    {"type of A", 7, 3, kNarrow},
    {"type of B", 10, 3, kNarrow},
    kFieldNegateA,
    kFieldNegateB,
    {"A is major along", 15, 1, kMajorA},
    {"B is major along", 16, 1, kMajorB},
    kFieldN,
    {"bit 23", 23, 1, kZero},
    {"M", 24, 5, kM},
    {"K of 64 (sm_107)", 29, 1, kNoYes},
    {"largest shift of B (.ws)", 30, 2, kShift},
};

static constexpr WordField kI8[] = {
    {"sparsity selector", 0, 2, kZero},
    kFieldSparse,
    {"saturate", 3, 1, kNoYes},
    {"type of D", 4, 2, kS32},
    {"bit 6", 6, 1, kZero},
    {"type of A", 7, 3, kBytes},
    {"type of B", 10, 3, kBytes},
    {"negate A", 13, 1, kNo},
    {"negate B", 14, 1, kNo},
    {"A is major along", 15, 1, kMajorA},
    {"B is major along", 16, 1, kMajorB},
    kFieldN,
    {"bit 23", 23, 1, kZero},
    {"M", 24, 5, kM},
    {"bit 29", 29, 1, kZero},
    {"largest shift of B (.ws)", 30, 2, kShift},
};

static constexpr WordField kTI16[] = {
    {"sparsity selector", 0, 2, {}},
    kFieldSparse,
    {"saturate", 3, 1, kNo},
    {"type of D", 4, 2, kS32},
    {"bit 6", 6, 1, kZero},
    {"type of A", 7, 3, kS1Z4M11},
    {"type of B", 10, 3, kS1Z4M11},
    kFieldNegateA,
    kFieldNegateB,
    {"A is major along", 15, 1, kMajorK},
    {"B is major along", 16, 1, kMajorK},
    kFieldN,
    {"bit 23", 23, 1, kZero},
    {"M", 24, 5, kM},
    {"bit 29", 29, 1, kZero},
    {"largest shift of B (.ws)", 30, 2, kShift},
};

static constexpr WordField kMXF8F6F4[] = {
    {"bits 0 and 1", 0, 2, kZero},
    kFieldSparse,
    {"bit 3", 3, 1, kZero},
    {"byte of the scales of B", 4, 2, {}},
    {"bit 6", 6, 1, kZero},
    {"type of A", 7, 3, kNarrow},
    {"type of B", 10, 3, kNarrow},
    kFieldNegateA,
    kFieldNegateB,
    {"A is major along", 15, 1, kMajorA},
    {"B is major along", 16, 1, kMajorB},
    kFieldN,
    {"type of the scales", 23, 1, kUE8M0},
    {"bits 24 and 25", 24, 2, kZero},
    {"scales of A in 128 lanes (sm_107)", 26, 1, kNoYes},
    {"M", 27, 2, kWideM},
    {"byte of the scales of A", 29, 2, {}},
    {"K of 64 (sm_107)", 31, 1, kNoYes},
};

// K = 96 (bit 31) exists on sm_103a alone: three factors of ue8m0 (bit 23) for
// 32 elements may start at any byte.
static constexpr uint64_t kOddBytes = 1u << 31 | 1u << 23;
static constexpr WordField kHalfOfA{
    "byte of the scales of A", 29, 2, kHalves, 1, 0, 0, 0, kOddBytes};
static constexpr WordField kHalfOfB{
    "byte of the scales of B", 4, 2, kHalves, 1, 0, 0, 0, kOddBytes};

/// Words of kinds of 4 bits, which differ in the types of their scales.
static constexpr std::array<WordField, 19>
getFieldsOf4Bits(llvm::ArrayRef<WordValue> scales) {
  return {{
      {"bits 0 and 1", 0, 2, kZero},
      kFieldSparse,
      {"K of 128 (sm_107)", 3, 1, kNoYes},
      kHalfOfB,
      {"bit 6", 6, 1, kZero},
      {"type of A", 7, 3, kE2M1},
      {"type of B", 10, 2, kE2M1},
      {"version of sparsity (1: sm_107)", 12, 1, {}},
      kFieldNegateA,
      kFieldNegateB,
      {"A is major along", 15, 1, kMajorK},
      {"B is major along", 16, 1, kMajorK},
      kFieldN,
      {"type of the scales", 23, 2, scales},
      {"bit 25", 25, 1, kZero},
      {"scales of A in 128 lanes (sm_107)", 26, 1, kNoYes},
      {"M", 27, 2, kWideM},
      kHalfOfA,
      // Bit 3 is another K.
      {"K of 96 (sm_103a, sm_107a)", 31, 1, kNoYes, 1, 0, 0, 0, 0, 1u << 3},
  }};
}
static constexpr auto kMXF4 = getFieldsOf4Bits(kUE8M0);
static constexpr auto kMXF4NVF4 = getFieldsOf4Bits(kEitherScale);

//===----------------------------------------------------------------------===//
// Other words
//===----------------------------------------------------------------------===//

// PTX ISA 9.4, 9.7.18.4.1 "Shared memory descriptor": before sm_107 the start
// address and the leading offset have 14 bits, and bit 53 is reserved.
static constexpr WordField kSmem[] = {
    {"start address", 0, 15, {}, 16},
    {"bit 15", 15, 1, kZero},
    {"leading dimension byte offset", 16, 15, {}, 16},
    {"bit 31", 31, 1, kZero},
    {"stride dimension byte offset", 32, 14, {}, 16},
    {"bits 46 to 48", 46, 3, kConstant},
    {"base offset", 49, 3, {}},
    {"leading dimension is", 52, 1, kRelative},
    {"half of a row of indices (sm_107)", 53, 1, kSegment},
    {"bits 54 to 60", 54, 7, kZero},
    {"swizzle", 61, 3, kSwizzle},
};

// PTX ISA 9.0, 9.7.16.4.3 "Zero-Column Mask Descriptor". Its table has the two
// spans the other way round; its examples agree with the names.
static constexpr WordField kMask[] = {
    {"columns left out at the start of part 0", 0, 8, {}},
    {"columns left out at the start of part 1", 8, 8, {}},
    {"columns left out at the start of part 2", 16, 8, {}},
    {"columns left out at the start of part 3", 24, 8, {}},
    {"part 0 starts with", 32, 1, kStart},
    {"part 1 starts with", 33, 1, kStart},
    {"part 2 starts with", 34, 1, kStart},
    {"part 3 starts with", 35, 1, kStart},
    {"bits 36 to 38", 36, 3, kZero},
    {"non-zero mask", 39, 1, kNonZero},
    {"skipped columns in a row", 40, 8, {}, 1, 1},
    {"used columns in a row", 48, 8, {}, 1, 1},
    {"shift of the columns of B", 56, 6, {}, 1, 0, 32},
    {"bits 62 and 63", 62, 2, kZero},
};

llvm::ArrayRef<WordFormat> getWordFormats() {
  constexpr ISASection kInstruction = ISASection::InstructionDescriptor;
  static const WordFormat formats[] = {
      {"f16", "instruction descriptor, kind f16", 32, kInstruction, kF16},
      {"tf32", "instruction descriptor, kind tf32", 32, kInstruction,
       kTF32Fields},
      {"f8f6f4", "instruction descriptor, kind f8f6f4", 32, kInstruction,
       kF8F6F4},
      {"i8", "instruction descriptor, kind i8", 32, kInstruction, kI8},
      {"mxf8f6f4", "instruction descriptor, kind mxf8f6f4", 32, kInstruction,
       kMXF8F6F4},
      {"mxf4", "instruction descriptor, kind mxf4", 32, kInstruction, kMXF4},
      {"mxf4nvf4", "instruction descriptor, kind mxf4nvf4", 32, kInstruction,
       kMXF4NVF4},
      {"ti16", "instruction descriptor, kind ti16 (sm_107)", 32,
       ISASection::MmaTI16, kTI16},
      {"smem", "shared memory descriptor", 64, ISASection::SmemDescriptor,
       kSmem},
      {"mask", "zero-column mask descriptor", 64, ISASection::ZeroColumnMask,
       kMask},
  };
  return formats;
}

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

static WordReading readField(const WordField &field, uint64_t word) {
  uint64_t value = field.get(word);
  if (uint64_t set = word & field.zeroWith; set && value != 0)
    return {&field, value,
            std::to_string(value) + ", expected 0 with bit " +
                std::to_string(llvm::countr_zero(set)),
            false};
  bool isAny = field.anyWith && (word & field.anyWith) == field.anyWith;
  if (field.values.empty() || isAny) {
    uint64_t number = (value + field.plus) * field.scale;
    if (value >= field.least && (field.last == 0 || value <= field.last))
      return {&field, value, std::to_string(number), true};
    return {&field, value,
            std::to_string(number) + ", expected " +
                std::to_string((field.least + field.plus) * field.scale) +
                " to " +
                std::to_string((field.last + field.plus) * field.scale),
            false};
  }
  for (const WordValue &known : field.values)
    if (known.value == value)
      return {&field, value, known.meaning.str(), true};
  std::string expected;
  for (const WordValue &known : field.values)
    expected += (expected.empty() ? "" : ", ") + std::to_string(known.value) +
                " (" + known.meaning.str() + ")";
  return {&field, value,
          "not defined, expected " + expected + ", got " +
              std::to_string(value),
          false};
}

llvm::SmallVector<WordReading> readWord(const WordFormat &format,
                                        uint64_t word) {
  llvm::SmallVector<WordReading> readings;
  for (const WordField &field : format.fields)
    readings.push_back(readField(field, word));
  return readings;
}

} // namespace tc
