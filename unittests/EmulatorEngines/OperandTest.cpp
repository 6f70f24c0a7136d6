//===- OperandTest.cpp - Operands as TMA leaves them ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matrix that a tensor copy wrote with some swizzle must come back through a
// matrix descriptor with the same swizzle: two tables of the ISA that have
// nothing in common but the hardware.
//
//===----------------------------------------------------------------------===//

#include "PtxHarness.h"

#include "Emulator/Engines/TCGen05/Operand.h"
#include "Emulator/Engines/TMA/TmaBox.h"
#include "Emulator/State/Tmem.h"

#include "gtest/gtest.h"

#include <random>

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

struct Mode {
  TensorMapSwizzle tma;
  SmemSwizzle smem;
  unsigned span;
};

const Mode modes[] = {
    {TensorMapSwizzle::B32, SmemSwizzle::B32, 32},
    {TensorMapSwizzle::B64, SmemSwizzle::B64, 64},
    {TensorMapSwizzle::B128, SmemSwizzle::B128, 128},
    {TensorMapSwizzle::B128Atom32, SmemSwizzle::B128Atom32, 128}};

OperandType bf16() {
  OperandType type;
  type.format = NumberFormat::BF16;
  type.bits = 16;
  type.name = "bf16";
  return type;
}

OperandType narrow(NumberFormat format) {
  OperandType type;
  type.format = format;
  type.bits = 8;
  type.name = formatInfo(format).name;
  return type;
}

/// A dense box with a value that tells row and column apart.
std::vector<uint8_t> numbered(unsigned rows, unsigned columns) {
  std::vector<uint8_t> dense(rows * columns * 2);
  for (unsigned i = 0; i < rows * columns; ++i) {
    uint16_t value = static_cast<uint16_t>(i);
    memcpy(&dense[2 * i], &value, 2);
  }
  return dense;
}

TEST(Operand, k_major_matrices_come_back) {
  for (const Mode &mode : modes) {
    SharedMemory smem(64 * 1024);
    const unsigned rows = 64, k = mode.span / 2;
    uint32_t start = 4096;
    scatterBox(mode.tma, oneRow(rows * mode.span), start, numbered(rows, k),
               smem.data(start));
    smem.mark(start, rows * mode.span, SharedMemory::Init);
    SmemOperand operand;
    operand.type = bf16();
    operand.name = "a";
    operand.descriptor.sbo = 8 * mode.span;
    operand.descriptor.lbo = 16;
    operand.descriptor.swizzle = mode.smem;
    for (unsigned step = 0; step < k / 16; ++step) {
      operand.descriptor.start = start + 32 * step;
      std::vector<uint32_t> bits, undefined;
      Status status = gatherSmem(smem, operand, 0, rows, 16, bits, undefined);
      ASSERT_TRUE(bool(status)) << status.error().message;
      for (unsigned m = 0; m < rows; ++m)
        for (unsigned kk = 0; kk < 16; ++kk)
          ASSERT_EQ(bits[m * 16 + kk], m * k + 16 * step + kk) << mode.span;
    }
  }
}

TEST(Operand, mn_major_matrices_come_back) {
  for (const Mode &mode : modes) {
    if (mode.smem == SmemSwizzle::B128Atom32)
      continue; // tf32 only
    SharedMemory smem(64 * 1024);
    // Boxes of (span / 2) x 32: MN is contiguous, one box per block of MN.
    const unsigned mnPerBlock = mode.span / 2, blocks = 3, k = 32;
    uint32_t start = 4096, blockBytes = k * mode.span;
    for (unsigned block = 0; block < blocks; ++block) {
      std::vector<uint8_t> dense(blockBytes);
      for (unsigned kk = 0; kk < k; ++kk)
        for (unsigned i = 0; i < mnPerBlock; ++i) {
          uint16_t value =
              static_cast<uint16_t>((block * mnPerBlock + i) * k + kk);
          memcpy(&dense[(kk * mnPerBlock + i) * 2], &value, 2);
        }
      scatterBox(mode.tma, oneRow(blockBytes), start + block * blockBytes,
                 dense, smem.data(start + block * blockBytes));
    }
    smem.mark(start, blocks * blockBytes, SharedMemory::Init);
    SmemOperand operand;
    operand.type = bf16();
    operand.mnMajor = true;
    operand.name = "b";
    operand.descriptor.swizzle = mode.smem;
    operand.descriptor.lbo = blockBytes;
    operand.descriptor.sbo = 8 * mode.span;
    for (unsigned step = 0; step < 2; ++step) {
      operand.descriptor.start = start + step * 2 * operand.descriptor.sbo;
      std::vector<uint32_t> bits, undefined;
      const unsigned count = blocks * mnPerBlock;
      Status status = gatherSmem(smem, operand, 0, count, 16, bits, undefined);
      ASSERT_TRUE(bool(status)) << status.error().message;
      for (unsigned mn = 0; mn < count; ++mn)
        for (unsigned kk = 0; kk < 16; ++kk)
          ASSERT_EQ(bits[mn * 16 + kk], mn * k + 16 * step + kk);
    }
  }
}

TEST(Operand, tf32_mn_major_uses_atoms_of_32_bytes) {
  SharedMemory smem(64 * 1024);
  const unsigned mn = 32, k = 8;
  std::vector<uint8_t> dense(k * 128);
  for (unsigned kk = 0; kk < k; ++kk)
    for (unsigned i = 0; i < mn; ++i) {
      uint32_t value = i * 100 + kk;
      memcpy(&dense[kk * 128 + 4 * i], &value, 4);
    }
  scatterBox(TensorMapSwizzle::B128Atom32, oneRow(k * 128), 4096, dense,
             smem.data(4096));
  smem.mark(4096, 1024, SharedMemory::Init);
  SmemOperand operand;
  operand.type.format = NumberFormat::TF32;
  operand.type.bits = 32;
  operand.mnMajor = true;
  operand.name = "a";
  operand.descriptor.start = 4096;
  operand.descriptor.swizzle = SmemSwizzle::B128Atom32;
  operand.descriptor.lbo = 1024;
  operand.descriptor.sbo = 512; // 4 k
  std::vector<uint32_t> bits, undefined;
  ASSERT_TRUE(bool(gatherSmem(smem, operand, 0, mn, k, bits, undefined)));
  for (unsigned i = 0; i < mn; ++i)
    for (unsigned kk = 0; kk < k; ++kk)
      EXPECT_EQ(bits[i * k + kk], i * 100 + kk);
}

TEST(Operand, part_of_the_rows_and_negation) {
  SharedMemory smem(8192);
  uint32_t start = 1024;
  // No swizzle: 8 rows x 16 bytes, the second half of K 128 bytes on.
  for (unsigned i = 0; i < 512; ++i) {
    uint16_t value = static_cast<uint16_t>(i);
    memcpy(smem.data(start + 2 * i), &value, 2);
  }
  smem.mark(start, 1024, SharedMemory::Init);
  SmemOperand operand;
  operand.type = bf16();
  operand.negate = true;
  operand.name = "b";
  operand.descriptor.start = start;
  operand.descriptor.lbo = 128;
  operand.descriptor.sbo = 256;
  std::vector<uint32_t> bits, undefined;
  ASSERT_TRUE(bool(gatherSmem(smem, operand, 8, 8, 16, bits, undefined)));
  for (unsigned n = 0; n < 8; ++n)
    for (unsigned k = 0; k < 16; ++k)
      EXPECT_EQ(bits[n * 16 + k],
                0x8000u | (128 + n * 8 + (k / 8) * 64 + k % 8));
}

TEST(Operand, narrow_types_are_unpacked_from_padded_units) {
  SharedMemory smem(4096);
  std::vector<uint8_t> unit(16, 0xee);
  // Field i of 6 bits is i + 1, of 4 bits 15 - i.
  for (unsigned byte = 0; byte < 12; ++byte)
    unit[byte] = 0;
  for (unsigned i = 0; i < 16; ++i)
    for (unsigned bit = 0; bit < 6; ++bit)
      if ((i + 1) >> bit & 1)
        unit[(6 * i + bit) / 8] |= 1 << (6 * i + bit) % 8;
  memcpy(smem.data(1024), unit.data(), 16);
  for (unsigned i = 0; i < 8; ++i)
    unit[i] = static_cast<uint8_t>((15 - 2 * i) | (14 - 2 * i) << 4);
  memcpy(smem.data(1024 + 128), unit.data(), 16);
  smem.mark(1024, 256, SharedMemory::Init);
  SmemOperand operand;
  operand.name = "a";
  operand.padded = true;
  operand.descriptor.start = 1024;
  operand.descriptor.lbo = 16;
  operand.descriptor.sbo = 256;
  operand.type = narrow(NumberFormat::E2M3);
  std::vector<uint32_t> bits, undefined;
  ASSERT_TRUE(bool(gatherSmem(smem, operand, 0, 1, 16, bits, undefined)));
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(bits[i], i + 1);
  operand.descriptor.start += 128;
  operand.type = narrow(NumberFormat::E2M1);
  ASSERT_TRUE(bool(gatherSmem(smem, operand, 0, 1, 16, bits, undefined)));
  for (unsigned i = 0; i < 16; ++i)
    EXPECT_EQ(bits[i], 15 - i);
}

TEST(Operand, bytes_never_written_are_noted) {
  SharedMemory smem(4096);
  SmemOperand operand;
  operand.type = bf16();
  operand.name = "a";
  operand.descriptor.start = 2048;
  operand.descriptor.lbo = 128;
  operand.descriptor.sbo = 256;
  std::vector<uint32_t> bits, undefined;
  smem.mark(2048, 256, SharedMemory::Init);
  smem.mark(2304, 16, SharedMemory::Init);
  ASSERT_TRUE(bool(gatherSmem(smem, operand, 0, 8, 16, bits, undefined)));
  EXPECT_TRUE(undefined.empty());
  ASSERT_TRUE(bool(gatherSmem(smem, operand, 0, 16, 16, bits, undefined)));
  ASSERT_EQ(undefined.size(), 16u);
  EXPECT_EQ(undefined[7], 0u);
  EXPECT_EQ(undefined[8], 2432u); // k 8 to 15 of it
  EXPECT_EQ(undefined[15], 2416u);
  // Padding is no part of the elements.
  SmemOperand padded;
  padded.type = narrow(NumberFormat::E2M1);
  padded.padded = true;
  padded.descriptor = operand.descriptor;
  padded.descriptor.start = 3072;
  padded.descriptor.lbo = 16;
  smem.mark(3072, 8, SharedMemory::Init);
  ASSERT_TRUE(bool(gatherSmem(smem, padded, 0, 1, 16, bits, undefined)));
  EXPECT_TRUE(undefined.empty());
  smem.mark(3079, 1, SharedMemory::Uninit);
  ASSERT_TRUE(bool(gatherSmem(smem, padded, 0, 1, 16, bits, undefined)));
  EXPECT_EQ(undefined, std::vector<uint32_t>{3079});
  // What is being written is an error.
  smem.mark(2304, 16, SharedMemory::Limbo);
  Status status = gatherSmem(smem, operand, 0, 16, 16, bits, undefined);
  ASSERT_FALSE(bool(status));
  EXPECT_EQ(status.error().message,
            "operand a, element (8, k 0): byte at offset 2304 is being written "
            "by asynchronous work that has not been waited for (descriptor: "
            "start 2048, leading dimension offset 128, stride dimension offset "
            "256)");
  operand.descriptor.start = 262128;
  EXPECT_FALSE(bool(gatherSmem(smem, operand, 0, 1, 16, bits, undefined)));
}

TEST(Operand, footprint_covers_exactly_the_units) {
  SmemOperand operand;
  operand.type = bf16();
  operand.descriptor.start = 4096;
  operand.descriptor.swizzle = SmemSwizzle::B128;
  operand.descriptor.sbo = 1024;
  EXPECT_TRUE(smemOperandTouches(operand, 0, 8, 16, 4096, 16));
  // Row 0 uses units 0 and 1 only.
  EXPECT_FALSE(smemOperandTouches(operand, 0, 8, 16, 4096 + 32, 96));
  EXPECT_TRUE(
      smemOperandTouches(operand, 0, 8, 16, 4096 + 7 * 128 + 6 * 16, 16));
  EXPECT_FALSE(smemOperandTouches(operand, 0, 8, 16, 4096 + 1024, 1024));
  // Rows 8 to 15 are one stride further on.
  EXPECT_TRUE(smemOperandTouches(operand, 8, 8, 16, 4096 + 1024, 16));
  EXPECT_FALSE(smemOperandTouches(operand, 8, 8, 16, 4096, 1024));
}

TEST(Operand, a_in_tensor_memory_is_packed) {
  Tmem tmem;
  ASSERT_TRUE(tmem.allocateAt(0, 32, 1));
  for (unsigned c = 0; c < 8; ++c) {
    *tmem.cells(5, 8 + c) = (2 * c + 1) << 16 | (2 * c);
    *tmem.states(5, 8 + c) = Tmem::Init;
  }
  std::vector<uint32_t> bits, undefined;
  ASSERT_TRUE(
      bool(gatherTmemA(tmem, bf16(), 16, false, {5}, 8, 16, bits, undefined)));
  for (unsigned k = 0; k < 16; ++k)
    EXPECT_EQ(bits[k], k);
  EXPECT_TRUE(undefined.empty());
  ASSERT_TRUE(bool(
      gatherTmemA(tmem, bf16(), 16, false, {6, 5}, 8, 16, bits, undefined)));
  EXPECT_EQ(undefined, (std::vector<uint32_t>{9, 0}));
  // e2m1 in bits 5 to 2 of each byte.
  *tmem.cells(5, 8) = 0x3c << 0 | 0x04 << 8 | 0x08 << 16 | 0x20u << 24;
  ASSERT_TRUE(bool(gatherTmemA(tmem, narrow(NumberFormat::E2M1), 8, false, {5},
                               8, 32, bits, undefined)));
  EXPECT_EQ(bits[0], 15u);
  EXPECT_EQ(bits[1], 1u);
  EXPECT_EQ(bits[2], 2u);
  EXPECT_EQ(bits[3], 8u);
}

} // namespace
