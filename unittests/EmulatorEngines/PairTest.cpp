//===- PairTest.cpp - CTA pairs, multicast and scale factors ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// cta_group::2 with both data paths, TMA multicast, tcgen05.cp and a
// block-scaled MMA as PTX programs in clusters of two, bit for bit against the
// element-wise model.
//
//===----------------------------------------------------------------------===//

#include "PtxHarness.h"

#include "Emulator/Numerics/FusedDotAdd.h"

#include <random>

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

const char *const copy2d = "cp.async.bulk.tensor.2d.shared::cluster.global."
                           "tile.mbarrier::complete_tx::bytes";

/// Barriers at smem + 60000 (loads) and + 60008 (commit); both CTAs meet.
std::string pairProlog(unsigned columns) {
  return "mov.u32 %r50, %cluster_ctarank;\nadd.u32 %r3, %r2, 60000;\nadd.u32 "
         "%r4, %r2, 60008;\nadd.u32 %r5, %r2, 60032;\n"
         "setp.eq.u32 %p0, %r0, 0;\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r40, "
         "0;\n"
         "@!%p0 bra INITED;\nmbarrier.init.shared.b64 [%r3], "
         "1;\nmbarrier.init.shared.b64 [%r4], 1;\n"
         "fence.mbarrier_init.release.cluster;\nINITED:\n"
         "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
         "@!%p1 bra "
         "ALLOCATED;\ntcgen05.alloc.cta_group::2.sync.aligned.shared::cta.b32 "
         "[%r5], " +
         num(columns) +
         ";\nALLOCATED:\nbar.sync 0;\nld.shared.u32 %r10, [%r5];\n"
         "mov.b64 %rd2, mapA;\ncvta.param.u64 %rd3, %rd2;\nmov.b64 %rd4, "
         "mapB;\ncvta.param.u64 %rd5, %rd4;\n";
}

std::string pairEpilog(unsigned columns) {
  return "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n@!%"
         "p1 bra FREED;\n"
         "tcgen05.dealloc.cta_group::2.sync.aligned.b32 %r10, " +
         num(columns) +
         ";\nFREED:\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait."
         "aligned;\n";
}

/// Lanes x columns of Tensor Memory to out[rank][lane][column].
std::string readAll(unsigned columns) {
  std::string text = "shl.b32 %r11, %r1, 21;\nadd.u32 %r12, %r10, "
                     "%r11;\nshl.b32 %r31, %r50, 7;\nadd.u32 %r31, %r31, %r0;\n"
                     "mul.wide.u32 %rd10, %r31, " +
                     num(columns * 4) + ";\nadd.s64 %rd10, %rd0, %rd10;\n";
  for (unsigned c = 0; c < columns; c += 8) {
    text += "add.u32 %r13, %r12, " + num(c) +
            ";\ntcgen05.ld.sync.aligned.32x32b.x8.b32 {";
    for (unsigned i = 0; i < 8; ++i)
      text += (i ? ", %v" : "%v") + num(i);
    text += "}, [%r13];\ntcgen05.wait::ld.sync.aligned;\n";
    for (unsigned i = 0; i < 8; ++i)
      text +=
          "st.global.u32 [%rd10+" + num(4 * (c + i)) + "], %v" + num(i) + ";\n";
  }
  return text;
}

struct Matrix {
  unsigned rows, k;
  std::vector<uint32_t> bits;
  std::vector<uint8_t> bytes;
  TensorMapDesc map;
};

/// rows x k elements, K-major, boxes of `boxRows` rows and 128 bytes.
Matrix makeMatrix(NumberFormat format, TensorMapType type,
                  unsigned elementBytes, unsigned rows, unsigned k,
                  unsigned boxRows, unsigned seed) {
  Matrix matrix{rows, k, {}, {}, {}};
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  for (unsigned i = 0; i < rows * k; ++i) {
    uint32_t word =
        encodeNumber(format, normal(random), RoundingMode::NearestEven, true);
    matrix.bits.push_back(word);
    for (unsigned byte = 0; byte < elementBytes; ++byte)
      matrix.bytes.push_back(static_cast<uint8_t>(word >> (8 * byte)));
  }
  matrix.map.dtype = type;
  matrix.map.rank = 2;
  matrix.map.dims = {k, rows};
  matrix.map.strides = {k * elementBytes};
  matrix.map.box = {128 / elementBytes, boxRows};
  matrix.map.swizzle = TensorMapSwizzle::B128;
  return matrix;
}

uint32_t element(const Matrix &a, const Matrix &b, unsigned m, unsigned n) {
  uint32_t c = 0;
  for (unsigned k = 0; k < a.k; k += 16)
    c = fusedDotAdd(dotRule(DotKind::F16toF32), NumberFormat::BF16,
                    &a.bits[m * a.k + k], NumberFormat::BF16,
                    &b.bits[n * b.k + k], c);
  return c;
}

/// The leader's barrier counts the bytes of both CTAs; only it issues.
std::string pairKernel(unsigned m, unsigned n, unsigned columns) {
  unsigned bytes = (m + n) * 128;
  uint64_t descriptor = 0x4000404000010000ull;
  std::string text =
      pairProlog(columns) +
      "@!%p0 bra ISSUED;\nand.b32 %r6, %r3, 0xFEFFFFFF;\nsetp.eq.u32 %p5, "
      "%r50, 0;\n"
      "@!%p5 bra NOTLEADER;\nmbarrier.arrive.expect_tx.shared.b64 _, [%r3], " +
      num(bytes) + ";\nNOTLEADER:\nmul.lo.u32 %r41, %r50, " + num(m / 2) +
      ";\nmul.lo.u32 %r42, %r50, " + num(n / 2) +
      ";\nadd.u32 %r20, %r2, 32768;\n" + copy2d +
      ".cta_group::2 [%r2], [%rd3, {%r40, %r41}], [%r6];\n" + copy2d +
      ".cta_group::2 [%r20], [%rd5, {%r40, %r42}], [%r6];\n@!%p5 bra "
      "ISSUED;\n" +
      "LOADED:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra "
      "LOADED;\n"
      "cvt.u64.u32 %rd6, %r2;\nand.b64 %rd6, %rd6, 0x3ffff;\nshr.u64 %rd6, "
      "%rd6, 4;\nadd.s64 %rd7, %rd6, 2048;\n"
      "or.b64 %rd6, %rd6, " +
      num(descriptor) + ";\nor.b64 %rd7, %rd7, " + num(descriptor) +
      ";\nmov.u32 %r21, " + num(0x490u | (n >> 3) << 17 | (m >> 4) << 24) +
      ";\n";
  for (unsigned step = 0; step < 4; ++step)
    text += "setp.ne.u32 %p3, " + num(step) +
            ", 0;\ntcgen05.mma.cta_group::2.kind::f16 [%r10], %rd6, %rd7, "
            "%r21, %p3;\n"
            "add.s64 %rd6, %rd6, 2;\nadd.s64 %rd7, %rd7, 2;\n";
  text += "mov.u16 %h0, "
          "3;\ntcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::"
          "cluster.multicast::cluster.b64 [%r4], %h0;\n"
          "ISSUED:\nbar.sync 0;\nDONE:\nmbarrier.try_wait.parity.shared.b64 "
          "%p2, [%r4], 0;\n@!%p2 bra DONE;\n"
          "tcgen05.fence::after_thread_sync;\n";
  return kernel(text + readAll(columns) + pairEpilog(columns), 61440);
}

TEST(Pair, m_256_uses_all_lanes_of_both) {
  Matrix a =
      makeMatrix(NumberFormat::BF16, TensorMapType::BF16, 2, 256, 64, 128, 1);
  Matrix b =
      makeMatrix(NumberFormat::BF16, TensorMapType::BF16, 2, 64, 64, 32, 2);
  for (const std::string &schedule : schedules()) {
    Outcome outcome = run(pairKernel(256, 64, 64), 256 * 64, 128, schedule,
                          a.bytes, a.map, b.bytes, b.map, 2);
    ASSERT_TRUE(outcome.result.ok) << schedule << ": " << outcome.message();
    for (unsigned m = 0; m < 256; ++m)
      for (unsigned n = 0; n < 64; ++n)
        ASSERT_EQ(outcome.out[m * 64 + n], element(a, b, m, n))
            << schedule << " " << m << " " << n;
  }
}

TEST(Pair, m_128_folds_the_columns) {
  Matrix a =
      makeMatrix(NumberFormat::BF16, TensorMapType::BF16, 2, 128, 64, 64, 3);
  Matrix b =
      makeMatrix(NumberFormat::BF16, TensorMapType::BF16, 2, 64, 64, 32, 4);
  for (const std::string &schedule : schedules()) {
    Outcome outcome = run(pairKernel(128, 64, 32), 256 * 32, 128, schedule,
                          a.bytes, a.map, b.bytes, b.map, 2);
    ASSERT_TRUE(outcome.result.ok) << schedule << ": " << outcome.message();
    for (unsigned m = 0; m < 128; ++m)
      for (unsigned n = 0; n < 64; ++n) {
        unsigned rank = m / 64, lane = m % 64 + 64 * (n / 32), column = n % 32;
        ASSERT_EQ(outcome.out[(rank * 128 + lane) * 32 + column],
                  element(a, b, m, n))
            << schedule << " " << m << " " << n;
      }
  }
}

TEST(Pair, multicast_fills_and_signals_every_cta) {
  Matrix a =
      makeMatrix(NumberFormat::BF16, TensorMapType::BF16, 2, 8, 64, 8, 5);
  std::string text =
      "mov.u32 %r50, %cluster_ctarank;\nadd.u32 %r3, %r2, 60000;\nsetp.eq.u32 "
      "%p0, %r0, 0;\nmov.u32 %r40, 0;\n"
      "@!%p0 bra INITED;\nmbarrier.init.shared.b64 [%r3], "
      "1;\nfence.mbarrier_init.release.cluster;\n"
      "mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 1024;\nINITED:\n"
      "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
      "mov.b64 %rd2, mapA;\ncvta.param.u64 %rd3, %rd2;\nmov.u16 %h0, "
      "3;\nsetp.eq.u32 %p5, %r50, 1;\n"
      "and.pred %p5, %p5, %p0;\n@!%p5 bra LOADED;\n" +
      std::string(copy2d) +
      ".multicast::cluster [%r2], [%rd3, {%r40, %r40}], [%r3], %h0;\n"
      "LOADED:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 bra "
      "LOADED;\n"
      "shl.b32 %r20, %r0, 2;\nadd.u32 %r20, %r20, %r2;\nld.shared.u32 %r21, "
      "[%r20];\n"
      "shl.b32 %r22, %r50, 8;\nadd.u32 %r22, %r22, %r0;\nmul.wide.u32 %rd6, "
      "%r22, 4;\nadd.s64 %rd6, %rd0, %rd6;\n"
      "st.global.u32 [%rd6], "
      "%r21;\nbarrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n";
  for (const std::string &schedule : schedules()) {
    Outcome outcome =
        run(kernel(text, 61440), 512, 256, schedule, a.bytes, a.map, {}, {}, 2);
    ASSERT_TRUE(outcome.result.ok) << schedule << ": " << outcome.message();
    for (unsigned rank = 0; rank < 2; ++rank)
      for (unsigned word = 0; word < 256; ++word) {
        unsigned row = word / 32, unit = (word % 32) / 4 ^ row;
        uint32_t want;
        std::memcpy(&want, &a.bytes[row * 128 + unit * 16 + word % 4 * 4], 4);
        ASSERT_EQ(outcome.out[rank * 256 + word], want)
            << schedule << " " << rank << " " << word;
      }
  }
}

/// mxf8f6f4: 128 x 32 x 128, one scale per row and 32 elements of K, copied
/// with 32x128b.warpx4 as the 128x4 block of scales.
TEST(BlockScale, mxf8_with_scales_through_cp) {
  Matrix a =
      makeMatrix(NumberFormat::E4M3, TensorMapType::U8, 1, 128, 128, 128, 6);
  Matrix b =
      makeMatrix(NumberFormat::E4M3, TensorMapType::U8, 1, 32, 128, 32, 7);
  auto scaleA = [](unsigned row, unsigned block) {
    return 120 + (row * 3 + block * 5) % 14;
  };
  auto scaleB = [](unsigned row, unsigned block) {
    return 122 + (row * 7 + block) % 9;
  };
  std::string text =
      "add.u32 %r3, %r2, 60000;\nadd.u32 %r4, %r2, 60008;\nadd.u32 %r5, %r2, "
      "60032;\nsetp.eq.u32 %p0, %r0, 0;\n"
      "setp.eq.u32 %p1, %r1, 0;\nmov.u32 %r40, 0;\nmov.u32 %r50, 0;\n@!%p0 bra "
      "INITED;\nmbarrier.init.shared.b64 [%r3], 1;\n"
      "mbarrier.init.shared.b64 [%r4], "
      "1;\nfence.mbarrier_init.release.cluster;\nINITED:\n@!%p1 bra "
      "ALLOCATED;\n"
      "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r5], "
      "64;\nALLOCATED:\n"
      // Thread row: four scales of A at (row % 32) * 16 + (row / 32) * 4.
      "and.b32 %r30, %r0, 31;\nshr.u32 %r31, %r0, 5;\nshl.b32 %r32, %r30, "
      "4;\nshl.b32 %r33, %r31, 2;\nadd.u32 %r32, %r32, %r33;\n"
      "add.u32 %r32, %r32, %r2;\nmov.u32 %r34, 0;\nmov.u32 %r35, 0;\n";
  for (unsigned block = 0; block < 4; ++block)
    text += "mad.lo.u32 %r36, %r0, 3, " + num(5 * block) +
            ";\nrem.u32 %r36, %r36, 14;\nadd.u32 %r36, %r36, 120;\nshl.b32 "
            "%r36, %r36, " +
            num(8 * block) +
            ";\nor.b32 %r34, %r34, %r36;\nmad.lo.u32 %r37, %r0, 7, " +
            num(block) +
            ";\nrem.u32 %r37, %r37, 9;\nadd.u32 %r37, %r37, 122;\nshl.b32 "
            "%r37, %r37, " +
            num(8 * block) + ";\nor.b32 %r35, %r35, %r37;\n";
  text += "st.shared.u32 [%r32+49152], %r34;\nst.shared.u32 [%r32+50176], "
          "%r35;\nfence.proxy.async.shared::cta;\nbar.sync 0;\n"
          "ld.shared.u32 %r10, [%r5];\n@!%p0 bra ISSUED;\nmov.b64 %rd2, "
          "mapA;\ncvta.param.u64 %rd3, %rd2;\nmov.b64 %rd4, mapB;\n"
          "cvta.param.u64 %rd5, %rd4;\nmbarrier.arrive.expect_tx.shared.b64 _, "
          "[%r3], " +
          num(160 * 128) + ";\nadd.u32 %r20, %r2, 32768;\n" + copy2d +
          " [%r2], [%rd3, {%r40, %r40}], [%r3];\n" + copy2d +
          " [%r20], [%rd5, {%r40, %r40}], [%r3];\n"
          // Scales: no swizzle, rows of 16 bytes, 8 rows every 128.
          "cvt.u64.u32 %rd6, %r2;\nand.b64 %rd6, %rd6, 0x3ffff;\nshr.u64 %rd6, "
          "%rd6, 4;\nadd.s64 %rd7, %rd6, 2048;\n"
          "add.s64 %rd8, %rd6, 3072;\nadd.s64 %rd9, %rd6, 3136;\nor.b64 %rd8, "
          "%rd8, " +
          num(0x0000400800010000ull) + ";\nor.b64 %rd9, %rd9, " +
          num(0x0000400800010000ull) +
          ";\nadd.u32 %r11, %r10, 32;\nadd.u32 %r12, %r10, "
          "36;\ntcgen05.cp.cta_group::1.32x128b.warpx4 [%r11], %rd8;\n"
          "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r12], %rd9;\n"
          "LOADED:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n@!%p2 "
          "bra LOADED;\nor.b64 %rd6, %rd6, " +
          num(0x4000404000010000ull) + ";\nor.b64 %rd7, %rd7, " +
          num(0x4000404000010000ull) + ";\n";
  for (unsigned step = 0; step < 4; ++step)
    text +=
        "mov.u32 %r21, " +
        num(1u << 23 | (32u >> 3) << 17 | 1u << 27 | step << 4 | step << 29) +
        ";\nsetp.ne.u32 %p3, " + num(step) +
        ", 0;\ntcgen05.mma.cta_group::1.kind::mxf8f6f4.block_scale [%r10], "
        "%rd6, %rd7, %r21, [%r11], [%r12], %p3;\n"
        "add.s64 %rd6, %rd6, 2;\nadd.s64 %rd7, %rd7, 2;\n";
  text += "tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
          "b64 [%r4];\nISSUED:\nbar.sync 0;\n"
          "DONE:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;\n@!%p2 "
          "bra DONE;\ntcgen05.fence::after_thread_sync;\n" +
          readAll(32) +
          "bar.sync 0;\n@!%p1 bra "
          "FREED;\ntcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, "
          "64;\nFREED:\n";
  for (const std::string &schedule : schedules()) {
    Outcome outcome = run(kernel(text, 61440), 128 * 32, 128, schedule, a.bytes,
                          a.map, b.bytes, b.map);
    ASSERT_TRUE(outcome.result.ok) << schedule << ": " << outcome.message();
    for (unsigned m = 0; m < 128; ++m)
      for (unsigned n = 0; n < 32; ++n) {
        uint32_t c = 0;
        for (unsigned block = 0; block < 4; ++block)
          c = fusedDotAdd(dotRule(DotKind::MXF8F6F4), NumberFormat::E4M3,
                          &a.bits[m * 128 + 32 * block], NumberFormat::E4M3,
                          &b.bits[n * 128 + 32 * block], c,
                          int(scaleA(m, block) + scaleB(n, block)) - 254);
        ASSERT_EQ(outcome.out[m * 32 + n], c)
            << schedule << " " << m << " " << n;
      }
  }
}

} // namespace
