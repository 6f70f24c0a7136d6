//===- DescriptorTest.cpp - Bits of the two descriptors ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Worked values of both descriptors, one refusal per field, and the canonical
// layouts of PTX ISA 9.0, "Canonical layouts", 9.7.16.3.3.
//
//===----------------------------------------------------------------------===//

#include "Emulator/Engines/TCGen05/Descriptor.h"

#include "gtest/gtest.h"

using namespace tc::emu;

namespace {

MmaForm form(MmaKind kind, unsigned ctaGroup = 1) {
  MmaForm f;
  f.kind = kind;
  f.ctaGroup = ctaGroup;
  return f;
}

std::string refusal(const MmaForm &f, uint32_t bits) {
  Expected<InstructionDescriptor> d = decodeInstructionDescriptor(f, bits);
  return d ? "accepted" : d.error().message;
}

TEST(InstructionDescriptor, worked_values) {
  struct Row {
    MmaForm form;
    uint32_t bits;
    unsigned m, n, k;
    std::string_view a;
  };
  const Row rows[] = {
      {form(MmaKind::F16), 0x08400490, 128, 256, 16, "bf16"},
      {form(MmaKind::F16, 2), 0x10400010, 256, 256, 16, "f16"},
      {form(MmaKind::TF32), 0x08200910, 128, 128, 8, "tf32"},
      {form(MmaKind::F8F6F4), 0x08400010, 128, 256, 32, "e4m3"},
      {form(MmaKind::I8), 0x081004a0, 128, 64, 32, "s8"},
      {form(MmaKind::MXF8F6F4), 0x08c00000, 128, 256, 32, "e4m3"},
      {form(MmaKind::MXF4NVF4), 0x08400480, 128, 256, 64, "e2m1"},
      {form(MmaKind::MXF4, 2), 0x10c00480, 256, 256, 64, "e2m1"},
  };
  for (const Row &row : rows) {
    Expected<InstructionDescriptor> d =
        decodeInstructionDescriptor(row.form, row.bits);
    ASSERT_TRUE(bool(d)) << d.error().message;
    EXPECT_EQ(d->m, row.m);
    EXPECT_EQ(d->n, row.n);
    EXPECT_EQ(d->k, row.k);
    EXPECT_EQ(d->a.name, row.a);
    EXPECT_EQ(d->b.name, row.a);
    EXPECT_FALSE(d->transposeA || d->transposeB || d->negateA || d->negateB);
  }
}

// PTX ISA 9.4, 9.7.18.4.2: bit 29 of f8f6f4, bit 31 of mxf8f6f4 and bit 3 of
// the kinds of 4 bits, by hand on the words above.
TEST(InstructionDescriptor, wide_k) {
  struct Row {
    MmaKind kind;
    unsigned group;
    uint32_t bits;
    unsigned k;
  };
  const Row rows[] = {{MmaKind::F8F6F4, 1, 0x28400010, 64},
                      {MmaKind::MXF8F6F4, 1, 0x88c00000, 64},
                      {MmaKind::MXF8F6F4, 2, 0x90c00000, 64},
                      {MmaKind::MXF4NVF4, 1, 0x08400488, 128},
                      {MmaKind::MXF4, 2, 0x10c00488, 128},
                      // The version of sparsity says nothing of a dense A.
                      {MmaKind::MXF4NVF4, 1, 0x08401488, 128}};
  for (const Row &row : rows) {
    MmaForm f = form(row.kind, row.group);
    EXPECT_NE(refusal(f, row.bits), "accepted");
    f.hasWideK = true;
    Expected<InstructionDescriptor> d =
        decodeInstructionDescriptor(f, row.bits);
    ASSERT_TRUE(bool(d)) << d.error().message;
    EXPECT_EQ(d->k, row.k);
    EXPECT_TRUE(d->wide);
  }
}

// PTX ISA 9.4, tables 51 and 53, by hand: D of s32 (2), A and B of s1z4m11 (3);
// 2 in bits 23 and 24 is ue5m3.
TEST(InstructionDescriptor, types_of_sm_107) {
  MmaForm f = form(MmaKind::TI16);
  f.hasWideK = true;
  Expected<InstructionDescriptor> d =
      decodeInstructionDescriptor(f, 0x08106da0);
  ASSERT_TRUE(bool(d)) << d.error().message;
  EXPECT_EQ(d->m, 128u);
  EXPECT_EQ(d->n, 64u);
  EXPECT_EQ(d->k, 16u);
  EXPECT_TRUE(d->integerD && d->a.signMagnitude && d->b.signMagnitude);
  EXPECT_TRUE(d->negateA && d->negateB);
  const std::string section =
      " (PTX ISA 9.4, \"Instruction descriptor\", 9.7.18.4.2)";
  EXPECT_EQ(refusal(f, 0x08100d20),
            "instruction descriptor 0x8100d20, bits 7-9 (A type): expected 3 "
            "(s1z4m11) for kind::ti16, got 2" +
                section);
  EXPECT_EQ(
      refusal(f, 0x08108da0),
      "instruction descriptor 0x8108da0, bit 15 (A major-ness): expected "
      "0 (K-major), as the tables of PTX ISA 9.4 disagree about the other "
      "for kind::ti16, got 1" +
          section);
  EXPECT_NE(refusal(f, 0x08060da0).find("N: expected 16 to 256 in steps of 16"),
            std::string::npos);
  EXPECT_EQ(refusal(f, 0x04060da0), "accepted");

  MmaForm nv = form(MmaKind::MXF4NVF4);
  nv.scaleBlock = 32;
  EXPECT_NE(refusal(nv, 0x09100480).find("bits 24-25 (reserved): expected 0"),
            std::string::npos);
  EXPECT_NE(refusal(nv, 0x08100480)
                .find("scale type: expected 1 (ue8m0) for blocks of 32, got 0 "
                      "(ue4m3), which sm_107 has"),
            std::string::npos);
  nv.hasWideK = true;
  EXPECT_EQ(refusal(nv, 0x08100480), "accepted");
  d = decodeInstructionDescriptor(nv, 0x09100480);
  ASSERT_TRUE(bool(d)) << d.error().message;
  EXPECT_EQ(d->scale, NumberFormat::UE5M3);
  EXPECT_NE(
      refusal(nv, 0x09900480).find("or 2 (ue5m3) for kind::mxf4nvf4, got 3"),
      std::string::npos);
  EXPECT_EQ(refusal(nv, 0x0c900480), "accepted");
}

TEST(InstructionDescriptor, what_wide_k_needs) {
  auto refused = [](MmaKind kind, unsigned group, uint32_t bits) {
    MmaForm f = form(kind, group);
    f.hasWideK = true;
    return refusal(f, bits);
  };
  const std::string section = " (PTX ISA 9.4, \"Matrix shape\", 9.7.18.2.1)";
  EXPECT_EQ(refused(MmaKind::F8F6F4, 1, 0x24400010),
            "instruction descriptor: K of 64: expected M of 128 for "
            "kind::f8f6f4, got 64" +
                section);
  EXPECT_EQ(refused(MmaKind::F8F6F4, 2, 0x28400010),
            "instruction descriptor: K of 64: expected M of 256 for "
            "kind::f8f6f4, got 128" +
                section);
  EXPECT_EQ(refused(MmaKind::F8F6F4, 1, 0x28400010 | 5 << 7),
            "instruction descriptor: K of 64: expected e4m3 or e5m2 for "
            "kind::f8f6f4, got e2m1" +
                section);
  EXPECT_EQ(refused(MmaKind::MXF8F6F4, 1, 0x88c00000 | 5 << 7 | 3 << 10),
            "accepted");
  EXPECT_NE(refused(MmaKind::MXF8F6F4, 1, 0x88c00000 | 3 << 7 | 1 << 15)
                .find("bit 15 (A major-ness): expected 0 (K-major) with e2m3"),
            std::string::npos);
  MmaForm tmem = form(MmaKind::MXF8F6F4);
  tmem.hasWideK = tmem.tmemA = true;
  EXPECT_EQ(refusal(tmem, 0x88c00000 | 5 << 7),
            "instruction descriptor: K of 64: expected e4m3, e5m2, e2m3 or "
            "e3m2 for A in Tensor Memory, got e2m1, of which no text says how "
            "it is packed (PTX ISA 9.4, \"Packing formats\", 9.7.18.10.4)");
  EXPECT_EQ(refusal(tmem, 0x88c00000 | 4 << 7), "accepted");
  EXPECT_NE(refused(MmaKind::MXF4, 1, 0x88c00480)
                .find("bit 31 (K): expected 0 (K = 64 or 128), as the emulator "
                      "supports no other for kind::mxf4, got 1 (K = 96)"),
            std::string::npos);
  MmaForm sparse = form(MmaKind::F8F6F4);
  sparse.hasWideK = sparse.sparse = true;
  EXPECT_NE(refusal(sparse, 0x28400014).find("got a sparse A"),
            std::string::npos);
}

TEST(InstructionDescriptor, what_tables_need) {
  MmaForm f = form(MmaKind::F8F6F4), mx = form(MmaKind::MXF8F6F4);
  f.hasWideK = f.lookupB = mx.hasWideK = mx.lookupB = true;
  const std::string section =
      " (PTX ISA 9.4, \"Decompression of input matrices\", 9.7.18.10.8)";
  EXPECT_EQ(refusal(f, 0x28400010), "accepted");
  EXPECT_EQ(refusal(mx, 0x88c00000 | 3 << 7), "accepted");
  EXPECT_EQ(refusal(f, 0x08400010), "instruction descriptor: K: expected 64 "
                                    "with .decompress::lut::b, got 32" +
                                        section);
  EXPECT_EQ(refusal(mx, 0x08c00000), "instruction descriptor: K: expected 64 "
                                     "with .decompress::lut::b, got 32" +
                                         section);
  EXPECT_EQ(refusal(f, 0x28400010 | 1 << 10),
            "instruction descriptor: B type: expected 0 (e4m3) with "
            ".decompress::lut::b, got e5m2" +
                section);
  EXPECT_EQ(refusal(f, 0x28400010 | 1 << 16),
            "instruction descriptor: B major-ness: expected 0 (K-major) with "
            ".decompress::lut::b, got 1" +
                section);
}

// PTX ISA 9.4, 9.7.18.4.2: bit 26 of the block-scaled kinds.
TEST(InstructionDescriptor, scales_in_128_lanes) {
  MmaForm f = form(MmaKind::MXF8F6F4);
  EXPECT_NE(refusal(f, 0x0cc00000).find("bit 26 (reserved): expected 0"),
            std::string::npos);
  f.hasWideK = true;
  Expected<InstructionDescriptor> d =
      decodeInstructionDescriptor(f, 0x0cc00000);
  ASSERT_TRUE(bool(d)) << d.error().message;
  EXPECT_TRUE(d->scalesIn128Lanes);
  f.ctaGroup = 2;
  EXPECT_EQ(refusal(f, 0x0cc00000),
            "instruction descriptor: M: expected 256 with scales of A in 128 "
            "lanes (bit 26), got 128 (PTX ISA 9.4, \"Block Scaling\", "
            "9.7.18.10.7.1)");
}

TEST(InstructionDescriptor, flags) {
  Expected<InstructionDescriptor> d = decodeInstructionDescriptor(
      form(MmaKind::F16), 0x08400490 | 1 << 13 | 1 << 16);
  ASSERT_TRUE(bool(d));
  EXPECT_TRUE(d->negateA);
  EXPECT_FALSE(d->negateB);
  EXPECT_FALSE(d->transposeA);
  EXPECT_TRUE(d->transposeB);
  EXPECT_EQ(d->d, NumberFormat::F32);
  d = decodeInstructionDescriptor(form(MmaKind::F16), 0x08400000);
  ASSERT_TRUE(bool(d));
  EXPECT_EQ(d->d, NumberFormat::F16);
  d = decodeInstructionDescriptor(form(MmaKind::MXF8F6F4),
                                  0x08c00000 | 2 << 4 | 3u << 29);
  ASSERT_TRUE(bool(d));
  EXPECT_EQ(d->scaleIdB, 2u);
  EXPECT_EQ(d->scaleIdA, 3u);
}

TEST(InstructionDescriptor, each_field_is_checked) {
  const uint32_t legal = 0x08400490;
  const std::string
      start = "instruction descriptor 0x",
      section = " (PTX ISA 9.0, \"Instruction descriptor\", 9.7.16.4.2)";
  MmaForm f16 = form(MmaKind::F16);
  EXPECT_EQ(refusal(f16, legal | 1 << 2),
            start +
                "8400494, bit 2 (sparsity): expected 0 without .sp for "
                "kind::f16, got 1" +
                section);
  EXPECT_EQ(refusal(f16, legal | 1 << 3),
            start +
                "8400498, bit 3 (saturate): expected 0 for kind::f16, got 1" +
                section);
  EXPECT_EQ(refusal(f16, legal | 1 << 5),
            start +
                "84004b0, bits 4-5 (D type): expected 0 (f16) or 1 (f32) for "
                "kind::f16, got 3" +
                section);
  EXPECT_EQ(refusal(f16, legal & ~0x10u),
            start +
                "8400480, bits 4-5 (D type): expected 1 (f32) with bf16 inputs "
                "for kind::f16, got 0 (f16)" +
                section);
  EXPECT_EQ(refusal(f16, legal | 1 << 6),
            start +
                "84004d0, bit 6 (reserved): expected 0 for kind::f16, got 1" +
                section);
  EXPECT_EQ(refusal(f16, legal | 1 << 8),
            start +
                "8400590, bits 7-9 (A type): expected 0 (f16) or 1 (bf16) for "
                "kind::f16, got 3" +
                section);
  EXPECT_EQ(refusal(f16, legal | 1 << 23),
            start +
                "8c00490, bit 23 (reserved): expected 0 for kind::f16, got 1" +
                section);
  EXPECT_EQ(refusal(f16, legal | 1 << 29),
            start +
                "28400490, bit 29 (reserved): expected 0 for kind::f16, got 1" +
                section);
  EXPECT_EQ(refusal(f16, legal | 1u << 30),
            start +
                "48400490, bits 30-31 (maximum shift of .ws): expected 0 for "
                "kind::f16, got 1" +
                section);
  EXPECT_NE(refusal(form(MmaKind::I8), 0x081004a0 | 1 << 13), "accepted");
  EXPECT_NE(refusal(form(MmaKind::F8F6F4), 0x08400010 | 2 << 7), "accepted");
  EXPECT_NE(refusal(form(MmaKind::MXF8F6F4), 0x08c00000 & ~(1u << 23)),
            "accepted");
  // e2m1 cannot be transposed.
  EXPECT_NE(refusal(form(MmaKind::F8F6F4), 0x08400010 | 5 << 7 | 1 << 15),
            "accepted");
  EXPECT_NE(refusal(form(MmaKind::F16), ~0u), "accepted");
}

TEST(InstructionDescriptor, shapes) {
  auto bits = [](unsigned m, unsigned n) {
    return 0x490u | (n >> 3) << 17 | (m >> 4) << 24;
  };
  const std::string section = " (PTX ISA 9.0, \"Matrix shape\", 9.7.16.2.1)";
  EXPECT_EQ(refusal(form(MmaKind::F16), bits(256, 64)),
            "instruction descriptor: M: expected 64 or 128 for kind::f16 and "
            "cta_group::1, got 256" +
                section);
  EXPECT_EQ(refusal(form(MmaKind::F16, 2), bits(64, 64)),
            "instruction descriptor: M: expected 128 or 256 for kind::f16 and "
            "cta_group::2, got 64" +
                section);
  EXPECT_EQ(
      refusal(form(MmaKind::F16, 2), bits(256, 24)),
      "instruction descriptor: N: expected 16 to 256 in steps of 16 (nearest: "
      "16 or 32) for kind::f16 and cta_group::2, got 24" +
          section);
  EXPECT_EQ(refusal(form(MmaKind::F16), bits(128, 0)),
            "instruction descriptor: N: expected 8 to 256 in steps of 8 "
            "(nearest: 8) for kind::f16 and cta_group::1, got 0" +
                section);
  for (unsigned n = 8; n <= 256; n += 8) {
    EXPECT_EQ(refusal(form(MmaKind::F16), bits(64, n)), "accepted");
    EXPECT_EQ(refusal(form(MmaKind::F16), bits(128, n)), "accepted");
  }
  MmaForm ws = form(MmaKind::F16);
  ws.weightStationary = true;
  EXPECT_EQ(refusal(ws, bits(32, 64)), "accepted");
  EXPECT_NE(refusal(ws, bits(32, 96)), "accepted");
  MmaForm i8 = form(MmaKind::I8);
  auto integers = [](unsigned n) { return 0x4a0u | (n >> 3) << 17 | 8u << 24; };
  EXPECT_EQ(refusal(i8, integers(24)), "accepted");
  EXPECT_NE(refusal(i8, integers(40)), "accepted");
}

TEST(SmemDescriptor, worked_values) {
  // K-major, 128-byte swizzle, dense atoms at 0x1400: LBO 1, SBO 1024.
  Expected<SmemDescriptor> d = decodeSmemDescriptor(0x4000404000010140ull, "a");
  ASSERT_TRUE(bool(d)) << d.error().message;
  EXPECT_EQ(d->start, 0x1400u);
  EXPECT_EQ(d->lbo, 16u);
  EXPECT_EQ(d->sbo, 1024u);
  EXPECT_EQ(d->swizzle, SmemSwizzle::B128);
  d = decodeSmemDescriptor(0x8000402000010000ull, "a");
  ASSERT_TRUE(bool(d));
  EXPECT_EQ(d->sbo, 512u);
  EXPECT_EQ(d->swizzle, SmemSwizzle::B64);
  d = decodeSmemDescriptor(0xc000401000010000ull, "a");
  ASSERT_TRUE(bool(d));
  EXPECT_EQ(d->sbo, 256u);
  EXPECT_EQ(d->swizzle, SmemSwizzle::B32);
  d = decodeSmemDescriptor(0x0000401000080000ull, "a");
  ASSERT_TRUE(bool(d));
  EXPECT_EQ(d->lbo, 128u);
  EXPECT_EQ(d->sbo, 256u);
  EXPECT_EQ(d->swizzle, SmemSwizzle::None);
}

TEST(SmemDescriptor, each_field_is_checked) {
  const uint64_t legal = 0x4000404000010140ull;
  auto refused = [](uint64_t bits) {
    Expected<SmemDescriptor> d = decodeSmemDescriptor(bits, "b");
    return d ? std::string("accepted") : d.error().message;
  };
  EXPECT_EQ(refused(legal), "accepted");
  EXPECT_EQ(refused(legal | 1 << 14),
            "b descriptor 0x4000404000014140, bits 14-15 (reserved): expected "
            "0, got 1 (PTX ISA 9.0, "
            "\"Shared memory descriptor\", 9.7.16.4.1)");
  EXPECT_NE(refused(legal | 1u << 31), "accepted");
  EXPECT_NE(refused(legal & ~(uint64_t(1) << 46)), "accepted");
  EXPECT_NE(refused(legal | uint64_t(1) << 47), "accepted");
  EXPECT_NE(refused(legal | uint64_t(1) << 49), "accepted");
  EXPECT_NE(refused(legal | uint64_t(1) << 52), "accepted");
  EXPECT_NE(refused(legal | uint64_t(1) << 60), "accepted");
  // Bit 53 picks a half of a row of indices, and is reserved elsewhere.
  EXPECT_NE(refused(legal | uint64_t(1) << 53)
                .find("bits 53-60 (reserved): expected 0, got 1"),
            std::string::npos);
  Expected<SmemDescriptor> d =
      decodeSmemDescriptor(legal | uint64_t(1) << 53, "b", true, true);
  ASSERT_TRUE(bool(d)) << d.error().message;
  EXPECT_EQ(d->segment, 1u);
  d = decodeSmemDescriptor(legal | uint64_t(1) << 54, "b", true, true);
  ASSERT_FALSE(bool(d));
  EXPECT_NE(d.error().message.find("bits 54-60 (reserved): expected 0, got 1"),
            std::string::npos);
  EXPECT_EQ(
      refused(legal | uint64_t(1) << 61),
      "b descriptor 0x6000404000010140, bits 61-63 (swizzle): expected 0 "
      "(none), 1 (128B, 32B atoms), 2 (128B), 4 (64B) or "
      "6 (32B), got 3 (PTX ISA 9.0, \"Shared memory descriptor\", 9.7.16.4.1)");
}

// PTX ISA 9.4, 9.7.18.4.1: the start and the leading offset have 15 bits.
TEST(SmemDescriptor, addresses_of_19_bits) {
  const uint64_t high = 0x4000404040015400ull;
  EXPECT_FALSE(bool(decodeSmemDescriptor(high, "b")));
  Expected<SmemDescriptor> d = decodeSmemDescriptor(high, "b", true);
  ASSERT_TRUE(bool(d));
  EXPECT_EQ(d->start, 0x54000u);
  EXPECT_EQ(d->lbo, 0x40010u);
  EXPECT_NE(decodeSmemDescriptor(high | 1 << 15, "b", true)
                .error()
                .message.find("bit 15 (reserved)"),
            std::string::npos);
}

SmemDescriptor layout(SmemSwizzle swizzle, uint32_t lbo, uint32_t sbo) {
  SmemDescriptor d;
  d.start = 2048;
  d.lbo = lbo;
  d.sbo = sbo;
  d.swizzle = swizzle;
  return d;
}

TEST(SmemDescriptor, k_major_addresses) {
  SmemDescriptor none = layout(SmemSwizzle::None, 128, 256);
  // Core matrices of 8 rows x 16 bytes, the two of K next to each other.
  EXPECT_EQ(none.address(none.kMajor(0, 0)), 2048u);
  EXPECT_EQ(none.address(none.kMajor(3, 6)), 2048u + 48 + 6);
  EXPECT_EQ(none.address(none.kMajor(3, 16)), 2048u + 48 + 128);
  EXPECT_EQ(none.address(none.kMajor(9, 18)), 2048u + 256 + 16 + 128 + 2);
  SmemDescriptor wide = layout(SmemSwizzle::B128, 0, 1024);
  // Row r of an atom has its 16-byte unit u at u ^ r.
  EXPECT_EQ(wide.address(wide.kMajor(0, 16)), 2048u + 16);
  EXPECT_EQ(wide.address(wide.kMajor(3, 0)), 2048u + 3 * 128 + 3 * 16);
  EXPECT_EQ(wide.address(wide.kMajor(3, 16)), 2048u + 3 * 128 + 2 * 16);
  EXPECT_EQ(wide.address(wide.kMajor(13, 4)),
            2048u + 1024 + 5 * 128 + 5 * 16 + 4);
  // The second K step of an atom starts 32 bytes on.
  wide.start += 32;
  EXPECT_EQ(wide.address(wide.kMajor(3, 0)), 2048u + 3 * 128 + (2 ^ 3) * 16);
  SmemDescriptor middle = layout(SmemSwizzle::B64, 0, 512);
  // Rows of 64 bytes: two to a line, the pattern changes every other row.
  EXPECT_EQ(middle.address(middle.kMajor(1, 0)), 2048u + 64);
  EXPECT_EQ(middle.address(middle.kMajor(2, 0)), 2048u + 128 + 16);
  EXPECT_EQ(middle.address(middle.kMajor(6, 16)), 2048u + 384 + (1 ^ 3) * 16);
  SmemDescriptor narrow = layout(SmemSwizzle::B32, 0, 256);
  EXPECT_EQ(narrow.address(narrow.kMajor(3, 0)), 2048u + 96);
  EXPECT_EQ(narrow.address(narrow.kMajor(4, 0)), 2048u + 128 + 16);
  EXPECT_EQ(narrow.address(narrow.kMajor(12, 16)), 2048u + 256 + 128 + 0);
}

TEST(SmemDescriptor, mn_major_addresses) {
  // LBO between 128-byte blocks of MN, SBO between groups of 8 k.
  SmemDescriptor wide = layout(SmemSwizzle::B128, 8192, 1024);
  EXPECT_EQ(wide.address(wide.mnMajor(0, 0)), 2048u);
  EXPECT_EQ(wide.address(wide.mnMajor(16, 1)), 2048u + 128 + 0);
  EXPECT_EQ(wide.address(wide.mnMajor(130, 0)), 2048u + 8192 + 2);
  EXPECT_EQ(wide.address(wide.mnMajor(0, 9)), 2048u + 1024 + 128 + 16);
  SmemDescriptor atom32 = layout(SmemSwizzle::B128Atom32, 4096, 512);
  EXPECT_EQ(atom32.address(atom32.mnMajor(0, 1)), 2048u + 128 + 32);
  EXPECT_EQ(atom32.address(atom32.mnMajor(64, 3)), 2048u + 384 + 32);
  EXPECT_EQ(atom32.address(atom32.mnMajor(0, 4)), 2048u + 512);
  // Without swizzle the strides change places.
  SmemDescriptor none = layout(SmemSwizzle::None, 2048, 128);
  EXPECT_EQ(none.address(none.mnMajor(16, 0)), 2048u + 128);
  EXPECT_EQ(none.address(none.mnMajor(2, 3)), 2048u + 48 + 2);
  EXPECT_EQ(none.address(none.mnMajor(0, 8)), 2048u + 2048);
  SmemDescriptor narrow = layout(SmemSwizzle::B32, 512, 256);
  EXPECT_EQ(narrow.address(narrow.mnMajor(34, 5)),
            2048u + 512 + 160 + (2 ^ 16));
  SmemDescriptor middle = layout(SmemSwizzle::B64, 1024, 512);
  EXPECT_EQ(middle.address(middle.mnMajor(66, 2)), 2048u + 1024 + 128 + 16 + 2);
}

TEST(SmemDescriptor, swizzle_must_fit_the_type_and_the_major_ness) {
  OperandType tf32, bf16;
  tf32.bits = 32;
  tf32.name = "tf32";
  bf16.bits = 16;
  EXPECT_TRUE(bool(checkSwizzle(layout(SmemSwizzle::B128Atom32, 16, 16), tf32,
                                MmaKind::TF32, true, "a")));
  EXPECT_EQ(checkSwizzle(layout(SmemSwizzle::B128, 16, 16), tf32, MmaKind::TF32,
                         true, "a")
                .error()
                .message,
            "a descriptor, bits 61-63 (swizzle): expected 1 (128B, 32B atoms) "
            "for MN-major tf32, got 2 (PTX ISA 9.0, "
            "\"Transpose and negate operations\", 9.7.16.10.1)");
  EXPECT_FALSE(bool(checkSwizzle(layout(SmemSwizzle::B128Atom32, 16, 16), bf16,
                                 MmaKind::F16, true, "a")));
  EXPECT_TRUE(bool(checkSwizzle(layout(SmemSwizzle::B128, 16, 16), bf16,
                                MmaKind::F16, true, "a")));
}

} // namespace

/// The low columns of the mask that a descriptor gives, lowest bit first.
static std::string maskBits(uint64_t bits, unsigned m, unsigned n,
                            unsigned first, unsigned count) {
  Expected<ZeroColumnMask> mask = decodeZeroColumnMask(bits, m);
  EXPECT_TRUE(bool(mask));
  std::string text;
  for (unsigned c = first; mask && c < first + count; ++c)
    text += mask->isZero(c, n) ? '1' : '0';
  return text;
}

// The four examples of "Zero-Column Mask Descriptor", read from the right.
TEST(ZeroColumnMask, examples_of_the_isa) {
  const uint64_t spans = uint64_t(2) << 40 | uint64_t(3) << 48, on = uint64_t(1)
                                                                     << 39;
  EXPECT_EQ(maskBits(uint64_t(4) << 40 | uint64_t(3) << 48, 128, 64, 0, 64),
            std::string(64, '0'));
  EXPECT_EQ(maskBits(spans | on, 128, 64, 0, 14), "00001110000111");
  const uint64_t third = spans | on | uint64_t(1) << 32;
  EXPECT_EQ(maskBits(third, 64, 128, 0, 17), "11100001110000111");
  EXPECT_EQ(maskBits(third, 64, 128, 64, 18), "000011100001110000");
  const uint64_t fourth =
      spans | on | 0x01020100 | uint64_t(3) << 32 | uint64_t(2) << 56;
  EXPECT_EQ(maskBits(fourth, 32, 128, 0, 14), "11100001110000");
  EXPECT_EQ(maskBits(fourth, 32, 128, 32, 13), "1100001110000");
  EXPECT_EQ(maskBits(fourth, 32, 128, 64, 12), "001110000111");
  EXPECT_EQ(maskBits(fourth, 32, 128, 96, 13), "0001110000111");
  EXPECT_EQ(decodeZeroColumnMask(fourth, 32)->shift, 2u);
}

TEST(ZeroColumnMask, refuses_reserved_bits_and_large_shifts) {
  for (unsigned bit : {36u, 37u, 38u, 62u, 63u})
    EXPECT_FALSE(bool(decodeZeroColumnMask(uint64_t(1) << bit, 128))) << bit;
  EXPECT_TRUE(bool(decodeZeroColumnMask(uint64_t(32) << 56, 64)));
  EXPECT_FALSE(bool(decodeZeroColumnMask(uint64_t(33) << 56, 64)));
  EXPECT_FALSE(bool(decodeZeroColumnMask(uint64_t(17) << 56, 32)));
}
