//===- MmaTest.cpp - TMA, tcgen05.mma and tcgen05.ld together ---*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole tiles from global memory to registers as PTX programs: every kind that
// the engines know, both major-nesses, every swizzle, under every schedule,
// bit for bit against the element-wise model; then programs with one
// synchronisation missing, each of which must be reported.
//
//===----------------------------------------------------------------------===//

#include "PtxHarness.h"

#include "Emulator/Numerics/FusedDotAdd.h"

#include <random>

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

/// One tile: D (m x n) = A (m x k) * B (n x k)^T, twice the same product when
/// `twice` (the second accumulates).
struct Tile {
  const char *kind = "f16";
  NumberFormat format = NumberFormat::BF16;
  TensorMapType type = TensorMapType::BF16;
  unsigned typeCode = 1, dCode = 1;
  DotKind dot = DotKind::F16toF32;
  unsigned elementBytes = 2;
  unsigned m = 128, n = 64;
  bool aMn = false, bMn = false;
  TensorMapSwizzle swizzle = TensorMapSwizzle::B128;
  bool integers = false;
  bool negateA = false;

  unsigned span() const {
    return swizzle == TensorMapSwizzle::B32   ? 32
           : swizzle == TensorMapSwizzle::B64 ? 64
                                              : 128;
  }
  unsigned atomRows() const {
    return swizzle == TensorMapSwizzle::B128Atom32 ? 4 : 8;
  }
  unsigned swizzleCode() const {
    switch (swizzle) {
    case TensorMapSwizzle::B32:
      return 6;
    case TensorMapSwizzle::B64:
      return 4;
    case TensorMapSwizzle::B128Atom32:
      return 1;
    default:
      return 2;
    }
  }
  unsigned kStep() const { return 32 / elementBytes; }
  /// K of the tile: what one swizzled row holds, or 4 steps.
  unsigned k() const {
    return aMn || bMn ? 4 * kStep() : span() / elementBytes;
  }
  unsigned instruction() const {
    return dCode << 4 | typeCode << 7 | typeCode << 10 |
           unsigned(negateA) << 13 | unsigned(aMn) << 15 | unsigned(bMn) << 16 |
           (n >> 3) << 17 | (m >> 4) << 24;
  }
};

/// Loads one operand into shared memory at `offset`; returns the PTX and sets
/// the bytes.
std::string loadOperand(const Tile &tile, bool mn, unsigned extent,
                        const char *map, unsigned offset) {
  std::string text;
  if (!mn)
    return "add.u32 %r20, %r2, " + num(offset) +
           ";\ncp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
           "complete_tx::bytes [%r20], [" +
           map + ", {%r40, %r40}], [%r3];\n";
  unsigned perBlock = tile.span() / tile.elementBytes;
  for (unsigned block = 0; block * perBlock < extent; ++block)
    text += "add.u32 %r20, %r2, " +
            num(offset + block * tile.k() * tile.span()) + ";\nmov.u32 %r41, " +
            num(block * perBlock) +
            ";\ncp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::"
            "complete_tx::bytes [%r20], [" +
            map + ", {%r41, %r40}], [%r3];\n";
  return text;
}

/// Shared memory descriptor without its start address, and the bytes that each
/// K step adds to that.
uint64_t descriptor(const Tile &tile, bool mn, unsigned &advance) {
  uint64_t sbo = tile.atomRows() * tile.span(), lbo = 16;
  if (!mn)
    sbo = 8 * tile.span();
  advance = 32;
  if (mn) {
    lbo = tile.k() * tile.span();
    advance = static_cast<unsigned>(tile.kStep() / tile.atomRows() * sbo);
  }
  return uint64_t(tile.swizzleCode()) << 61 | uint64_t(1) << 46 |
         (sbo >> 4) << 32 | (lbo >> 4) << 16;
}

enum class Drop {
  Nothing,
  TmaWait,
  CommitWait,
  Commit,
  AfterLoadWait,
  FirstZero,
  ExpectTx
};

std::string tileKernel(const Tile &tile, unsigned passes = 1,
                       Drop drop = Drop::Nothing) {
  const unsigned aOffset = 0, bOffset = 32768, barrier = 60000, slot = 60032;
  const unsigned aBytes = tile.m * tile.k() * tile.elementBytes,
                 bBytes = tile.n * tile.k() * tile.elementBytes;
  unsigned columns = 32;
  while (columns < tile.n)
    columns *= 2;
  std::string text =
      "add.u32 %r3, %r2, " + num(barrier) + ";\nadd.u32 %r4, %r2, " +
      num(barrier + 8) + ";\nadd.u32 %r5, %r2, " + num(slot) +
      ";\nsetp.eq.u32 %p0, %r0, 0;\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r40, "
      "0;\n"
      "@!%p0 bra INITED;\nmbarrier.init.shared.b64 [%r3], "
      "1;\nmbarrier.init.shared.b64 [%r4], 1;\n"
      "fence.mbarrier_init.release.cluster;\nINITED:\n"
      "@!%p1 bra "
      "ALLOCATED;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 "
      "[%r5], " +
      num(columns) +
      ";\nALLOCATED:\nbar.sync 0;\nld.shared.u32 %r10, [%r5];\n@!%p0 bra "
      "ISSUED;\n" +
      (drop == Drop::ExpectTx
           ? std::string("mbarrier.arrive.shared.b64 _, [%r3];\n")
           : "mbarrier.arrive.expect_tx.shared.b64 _, [%r3], " +
                 num(aBytes + bBytes) + ";\n") +
      "mov.b64 %rd2, mapA;\ncvta.param.u64 %rd3, %rd2;\nmov.b64 %rd4, "
      "mapB;\ncvta.param.u64 %rd5, %rd4;\n" +
      loadOperand(tile, tile.aMn, tile.m, "%rd3", aOffset) +
      loadOperand(tile, tile.bMn, tile.n, "%rd5", bOffset);
  if (drop != Drop::TmaWait)
    text += "LOADED:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r3], "
            "0;\n@!%p2 bra LOADED;\n";
  unsigned advanceA, advanceB;
  uint64_t descA = descriptor(tile, tile.aMn, advanceA),
           descB = descriptor(tile, tile.bMn, advanceB);
  text += "cvt.u64.u32 %rd6, %r2;\nadd.s64 %rd7, %rd6, " + num(bOffset) +
          ";\nmov.u32 %r21, " + num(tile.instruction()) + ";\n";
  for (unsigned pass = 0; pass < passes; ++pass)
    for (unsigned step = 0; step < tile.k() / tile.kStep(); ++step) {
      bool first = pass == 0 && step == 0 && drop != Drop::FirstZero;
      text += "add.s64 %rd8, %rd6, " + num(advanceA * step) +
              ";\nand.b64 %rd8, %rd8, 0x3ffff;\nshr.u64 %rd8, %rd8, 4;\nor.b64 "
              "%rd8, %rd8, " +
              num(descA) + ";\nadd.s64 %rd9, %rd7, " + num(advanceB * step) +
              ";\nand.b64 %rd9, %rd9, 0x3ffff;\nshr.u64 %rd9, %rd9, 4;\nor.b64 "
              "%rd9, %rd9, " +
              num(descB) + ";\nsetp.ne.u32 %p3, " + (first ? "0" : "1") +
              ", 0;\ntcgen05.mma.cta_group::1.kind::" + tile.kind +
              " [%r10], %rd8, %rd9, %r21, %p3;\n";
    }
  if (drop != Drop::Commit)
    text += "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
            "b64 [%r4];\n";
  text += "ISSUED:\nbar.sync 0;\n";
  if (drop != Drop::CommitWait)
    text += "DONE:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;\n@!%p2 "
            "bra DONE;\n";
  text +=
      "tcgen05.fence::after_thread_sync;\n"
      // Out: row major, one row per lane; M = 64 uses half of the lanes.
      "shl.b32 %r11, %r1, 21;\nadd.u32 %r12, %r10, %r11;\nand.b32 %r30, %r0, "
      "31;\nsetp.lt.u32 %p4, %r30, " +
      num(tile.m == 64 ? 16 : 32) + ";\n" +
      (tile.m == 64
           ? std::string("shl.b32 %r31, %r1, 4;\nadd.u32 %r31, %r31, %r30;\n")
           : std::string("mov.u32 %r31, %r0;\n")) +
      "mul.wide.u32 %rd10, %r31, " + num(tile.n * 4) +
      ";\nadd.s64 %rd10, %rd0, %rd10;\n";
  for (unsigned c = 0; c < tile.n; c += 8) {
    text += "add.u32 %r13, %r12, " + num(c) +
            ";\ntcgen05.ld.sync.aligned.32x32b.x8.b32 {";
    for (unsigned i = 0; i < 8; ++i)
      text += (i ? ", %v" : "%v") + num(i);
    text += "}, [%r13];\ntcgen05.wait::ld.sync.aligned;\n@!%p4 bra SKIP" +
            num(c) + ";\n";
    for (unsigned i = 0; i < 8; ++i)
      text +=
          "st.global.u32 [%rd10+" + num(4 * (c + i)) + "], %v" + num(i) + ";\n";
    text += "SKIP" + num(c) + ":\n";
  }
  return kernel(
      text +
          "bar.sync 0;\n@!%p1 bra "
          "FREED;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, " +
          num(columns) + ";\nFREED:\n",
      61440);
}

struct TileData {
  std::vector<uint32_t> a, b; ///< [row][k], bits
  std::vector<uint8_t> aBytes, bBytes;
  TensorMapDesc aMap, bMap;
};

/// Random operands and the tensors and maps that hold them.
TileData makeData(const Tile &tile, unsigned seed) {
  TileData data;
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  auto fill = [&](bool mn, unsigned extent, std::vector<uint32_t> &bits,
                  std::vector<uint8_t> &bytes, TensorMapDesc &map) {
    unsigned k = tile.k(), size = tile.elementBytes;
    bits.resize(extent * k);
    bytes.resize(extent * k * size);
    for (unsigned row = 0; row < extent; ++row)
      for (unsigned kk = 0; kk < k; ++kk) {
        uint32_t word = tile.integers
                            ? random() & 0xff
                            : encodeNumber(tile.format, normal(random),
                                           RoundingMode::NearestEven, true);
        bits[row * k + kk] = word;
        std::memcpy(&bytes[(mn ? kk * extent + row : row * k + kk) * size],
                    &word, size);
      }
    map.dtype = tile.type;
    map.rank = 2;
    map.swizzle = tile.swizzle;
    unsigned inner = mn ? extent : k, outer = mn ? k : extent;
    map.dims = {inner, outer};
    map.strides = {inner * size};
    map.box = {tile.span() / size, outer};
  };
  fill(tile.aMn, tile.m, data.a, data.aBytes, data.aMap);
  fill(tile.bMn, tile.n, data.b, data.bBytes, data.bMap);
  return data;
}

/// The element-wise model, one K step after the other.
std::vector<uint32_t> expected(const Tile &tile, const TileData &data,
                               unsigned passes) {
  std::vector<uint32_t> d(tile.m * tile.n);
  unsigned k = tile.k(), step = tile.kStep();
  for (unsigned m = 0; m < tile.m; ++m)
    for (unsigned n = 0; n < tile.n; ++n) {
      uint32_t c = 0;
      for (unsigned pass = 0; pass < passes; ++pass)
        for (unsigned kk = 0; kk < k; kk += step) {
          if (tile.integers) {
            for (unsigned i = kk; i < kk + step; ++i)
              c += static_cast<uint32_t>(int32_t(int8_t(data.a[m * k + i])) *
                                         int32_t(int8_t(data.b[n * k + i])));
            continue;
          }
          std::vector<uint32_t> a(&data.a[m * k + kk],
                                  &data.a[m * k + kk] + step);
          if (tile.negateA)
            for (uint32_t &bits : a)
              bits ^= tile.elementBytes == 4
                          ? 0x80000000u
                          : 1u << (8 * tile.elementBytes - 1);
          c = fusedDotAdd(dotRule(tile.dot), tile.format, a.data(), tile.format,
                          &data.b[n * k + kk], c);
        }
      d[m * tile.n + n] = c;
    }
  return d;
}

void check(const Tile &tile, unsigned passes = 1) {
  TileData data = makeData(tile, 11);
  std::vector<uint32_t> want = expected(tile, data, passes);
  std::string text = tileKernel(tile, passes);
  for (const std::string &schedule : schedules()) {
    Outcome outcome = run(text, tile.m * tile.n, 128, schedule, data.aBytes,
                          data.aMap, data.bBytes, data.bMap);
    ASSERT_TRUE(outcome.result.ok)
        << tile.kind << " " << schedule << ": " << outcome.message();
    for (unsigned i = 0; i < want.size(); ++i) {
      uint32_t got = tile.dot == DotKind::F16toF16 ? outcome.out[i] & 0xffff
                                                   : outcome.out[i];
      ASSERT_EQ(got, want[i]) << tile.kind << " " << schedule << ", element ("
                              << i / tile.n << ", " << i % tile.n << ")";
    }
  }
}

TEST(Mma, bf16_in_every_orientation) {
  for (bool aMn : {false, true})
    for (bool bMn : {false, true}) {
      Tile tile;
      tile.aMn = aMn;
      tile.bMn = bMn;
      check(tile);
    }
}

TEST(Mma, every_swizzle) {
  for (TensorMapSwizzle swizzle :
       {TensorMapSwizzle::B32, TensorMapSwizzle::B64, TensorMapSwizzle::B128}) {
    Tile tile;
    tile.swizzle = swizzle;
    tile.n = 40;
    check(tile);
    tile.n = 64;
    tile.aMn = tile.bMn = true;
    check(tile);
  }
}

TEST(Mma, both_m_and_several_n) {
  for (unsigned m : {64u, 128u})
    for (unsigned n : {8u, 24u, 256u}) {
      Tile tile;
      tile.m = m;
      tile.n = n;
      if (n == 256)
        tile.swizzle = TensorMapSwizzle::B64;
      check(tile);
    }
}

TEST(Mma, accumulation_over_passes_and_negation) {
  Tile tile;
  tile.n = 16;
  tile.negateA = true;
  check(tile, 3);
}

TEST(Mma, f16_with_both_accumulators) {
  Tile tile;
  tile.format = NumberFormat::F16;
  tile.type = TensorMapType::F16;
  tile.typeCode = 0;
  tile.n = 32;
  check(tile);
  tile.dCode = 0;
  tile.dot = DotKind::F16toF16;
  check(tile, 2);
}

TEST(Mma, tf32_in_both_major_nesses) {
  Tile tile;
  tile.kind = "tf32";
  tile.format = NumberFormat::TF32;
  tile.type = TensorMapType::TF32;
  tile.typeCode = 2;
  tile.dot = DotKind::TF32;
  tile.elementBytes = 4;
  check(tile);
  tile.aMn = tile.bMn = true;
  tile.swizzle = TensorMapSwizzle::B128Atom32;
  check(tile);
}

TEST(Mma, e4m3_and_e5m2) {
  Tile tile;
  tile.kind = "f8f6f4";
  tile.format = NumberFormat::E4M3;
  tile.type = TensorMapType::U8;
  tile.typeCode = 0;
  tile.dot = DotKind::F8F6F4toF32;
  tile.elementBytes = 1;
  check(tile);
  tile.format = NumberFormat::E5M2;
  tile.typeCode = 1;
  tile.aMn = true;
  check(tile);
}

TEST(Mma, s8) {
  Tile tile;
  tile.kind = "i8";
  tile.type = TensorMapType::U8;
  tile.typeCode = 1;
  tile.dCode = 2;
  tile.elementBytes = 1;
  tile.integers = true;
  check(tile, 2);
}

std::string report(const Tile &tile, Drop drop, const std::string &schedule) {
  TileData data = makeData(tile, 12);
  Outcome outcome =
      run(tileKernel(tile, 1, drop), tile.m * tile.n, 128, schedule,
          data.aBytes, data.aMap, data.bBytes, data.bMap);
  return outcome.result.ok ? "ran" : outcome.message();
}

TEST(MmaSync, each_missing_step_is_reported) {
  Tile tile;
  EXPECT_NE(report(tile, Drop::TmaWait, "lazy")
                .find("being written by asynchronous work"),
            std::string::npos);
  EXPECT_NE(
      report(tile, Drop::CommitWait, "lazy")
          .find("expected tcgen05.commit and a wait on its mbarrier before"),
      std::string::npos);
  // No thread arrives: all wait for ever.
  for (const std::string &schedule : schedules())
    EXPECT_NE(report(tile, Drop::Commit, schedule), "ran");
  EXPECT_NE(report(tile, Drop::FirstZero, "eager")
                .find("accumulates into Tensor Memory that was never written"),
            std::string::npos);
  // The phase ends with the arrival, before the bytes are there.
  EXPECT_NE(report(tile, Drop::ExpectTx, "lazy")
                .find("being written by asynchronous work"),
            std::string::npos);
}

TEST(MmaSync, a_bad_descriptor_stops_with_its_field) {
  Tile tile;
  tile.typeCode = 3;
  EXPECT_NE(report(tile, Drop::Nothing, "eager")
                .find("bits 7-9 (A type): expected 0 (f16) or 1 (bf16) for "
                      "kind::f16, got 3"),
            std::string::npos);
}

} // namespace
