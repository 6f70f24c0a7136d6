//===- Tcgen05Cases.cpp - tcgen05 by form ---------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Moves: every cell holds lane << 16 | column, the lanes of a fragment follow
// from the figures of PTX ISA 9.0, "Data movement shape", 9.7.16.2.3. Products:
// every element of A is 1 and every element of B that counts is 2, so that D is
// twice the number of products, times the scales, whatever the layout; the
// elements of B that the metadata of a sparse A skips are 4.
//
//===----------------------------------------------------------------------===//

#include "Opcodes.h"

#include <cstring>

using namespace tc::emu;
using namespace tc::emu::test;

static std::string registers(unsigned count) {
  std::string list = "{";
  for (unsigned i = 0; i < count; ++i)
    list += (i ? ", %v" : "%v") + num(i);
  return list + "}";
}

/// %r20: base of `columns` columns, allocated by warp 0. %r21: the window of
/// the warp. %p1: warp 0, %p2: thread 0.
static std::string allocate(unsigned group, unsigned columns) {
  std::string g = num(group);
  return "add.u32 %r22, %r1, 65536; add.u32 %r23, %r22, 16;\n"
         "shr.u32 %r24, %r0, 5; setp.eq.u32 %p1, %r24, 0;\n"
         "setp.eq.u32 %p2, %r0, 0; mov.u32 %r25, %cluster_ctarank;\n"
         "@%p2 mbarrier.init.shared::cta.b64 [%r23], 1;\n"
         "@%p2 fence.mbarrier_init.release.cluster;\n" +
         std::string(group == 2 ? "barrier.cluster.arrive.aligned;\n"
                                  "barrier.cluster.wait.aligned;\n"
                                : "bar.sync 0;\n") +
         "@!%p1 bra ALLOCATED;\n"
         "tcgen05.alloc.cta_group::" +
         g + ".sync.aligned.shared::cta.b32 [%r22], " + num(columns) +
         ";\ntcgen05.relinquish_alloc_permit.cta_group::" + g +
         ".sync.aligned;\nALLOCATED:\n"
         "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
         "tcgen05.fence::after_thread_sync;\n"
         "ld.shared.u32 %r20, [%r22]; shl.b32 %r21, %r24, 21;\n"
         "add.u32 %r21, %r21, %r20;\n";
}

static std::string release(unsigned group, unsigned columns) {
  return "tcgen05.fence::before_thread_sync;\n" +
         std::string(group == 2 ? "barrier.cluster.arrive.aligned;\n"
                                  "barrier.cluster.wait.aligned;\n"
                                : "bar.sync 0;\n") +
         "tcgen05.fence::after_thread_sync;\n@!%p1 bra FREED;\n"
         "tcgen05.dealloc.cta_group::" +
         num(group) + ".sync.aligned.b32 %r20, " + num(columns) +
         ";\nFREED:\n" +
         (group == 2 ? "barrier.cluster.arrive.aligned;\n"
                       "barrier.cluster.wait.aligned;\n"
                     : "");
}

static std::vector<std::string> frame(unsigned group) {
  std::string g = num(group);
  return {"tcgen05.alloc.cta_group::" + g + ".sync.aligned.shared::cta.b32",
          "tcgen05.dealloc.cta_group::" + g + ".sync.aligned.b32",
          "tcgen05.relinquish_alloc_permit.cta_group::" + g + ".sync.aligned",
          "tcgen05.fence::before_thread_sync",
          "tcgen05.fence::after_thread_sync"};
}

static unsigned repeats(const std::string &form) {
  return unsigned(std::stoul(form.substr(form.find("b.x") + 3)));
}

/// Writes the cells with a store of one shape and reads them with a load.
static void runMove(const std::string &store, const std::string &load) {
  const bool narrow = has(load, "16x256b");
  const unsigned stored = repeats(store), n = repeats(load);
  const unsigned columns = narrow ? 8 * n : n, count = narrow ? 4 * n : n;
  Case program;
  program.threads = 32;
  std::string &text = program.body;
  text = allocate(1, 128) + "shl.b32 %r30, %r0, 16;\n";
  for (unsigned first = 0; first < columns; first += stored) {
    for (unsigned i = 0; i < stored; ++i)
      text += "add.u32 %v" + num(i) + ", %r30, " + num(first + i) + ";\n";
    text += "add.u32 %r31, %r21, " + num(first) + ";\n" + store + " [%r31], " +
            registers(stored) + ";\n";
  }
  text += "tcgen05.wait::st.sync.aligned;\n" + load + " " + registers(count) +
          ", [%r21];\ntcgen05.wait::ld.sync.aligned;\n"
          "mul.wide.u32 %rd10, %r0, 512; add.u64 %rd10, %rd10, %rd0;\n";
  for (unsigned i = 0; i < count; ++i)
    text += "st.global.u32 [%rd10+" + num(4 * i) + "], %v" + num(i) + ";\n";
  text += release(1, 128);
  auto value = [&](unsigned lane, unsigned i) -> uint64_t {
    if (!narrow)
      return lane << 16 | i;
    unsigned row = lane / 4 + (i % 4 >= 2 ? 8 : 0),
             column = 8 * (i / 4) + 2 * (lane % 4) + i % 2;
    return row << 16 | column;
  };
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned i = 0; i + 1 < count; i += 2)
      program.expected[64 * lane + i / 2] =
          value(lane, i + 1) << 32 | value(lane, i);
  if (count == 1)
    for (unsigned lane = 0; lane < 32; ++lane)
      program.expected[64 * lane] =
          (0x0101010101010101ull * (64 * lane & 0xff) & 0xffffffff00000000ull) |
          value(lane, 0);
  std::vector<std::string> forms = frame(1);
  for (const std::string &form :
       {store, load, std::string("tcgen05.wait::ld.sync.aligned"),
        std::string("tcgen05.wait::st.sync.aligned")})
    forms.push_back(form);
  runProgram(load + " after " + store, program, forms);
}

/// Fills words [first, last) of the CTA's shared memory; `value` computes
/// %r32 from the word index %r31.
static std::string fillWords(unsigned first, unsigned last,
                             const std::string &value) {
  std::string label = "F" + num(first);
  return "add.u32 %r31, %r0, " + num(first) + ";\n" + label + ":\n" + value +
         "shl.b32 %r33, %r31, 2; add.u32 %r33, %r33, %r1;\n"
         "st.shared.u32 [%r33], %r32; add.u32 %r31, %r31, 128;\n"
         "setp.lt.u32 %p5, %r31, " +
         num(last) + "; @%p5 bra " + label + ";\n";
}

/// %rdN: the descriptor of shared memory from `offset` on, no swizzle, K-major.
static std::string descriptor(unsigned n, unsigned offset, unsigned lbo,
                              unsigned sbo) {
  uint64_t bits =
      uint64_t(lbo >> 4) << 16 | uint64_t(sbo >> 4) << 32 | uint64_t(1) << 46;
  std::string rd = "%rd" + num(n);
  return "add.u32 %r34, %r1, " + num(offset) +
         "; and.b32 %r34, %r34, 0x3ffff; shr.u32 %r34, %r34, 4; cvt.u64.u32 " +
         rd + ", %r34; or.b64 " + rd + ", " + rd + ", " + num(bits) + ";\n";
}

/// The commit, the wait of every CTA, and what orders the reads after it.
static std::string commitAndWait(const std::string &commit) {
  bool generic = !has(commit, "shared::cluster");
  std::string text = "mov.u16 %h1, %h2;\n";
  if (generic)
    text += "cvt.u64.u32 %rd20, %r23; cvta.shared.u64 %rd20, %rd20;\n";
  return text + commit + (generic ? " [%rd20]" : " [%r23]") +
         (has(commit, "multicast") ? ", %h1" : "") +
         ";\nISSUED:\nmov.u32 %r36, 0;\nWAIT:\n"
         "mbarrier.try_wait.parity.shared::cta.b64 %p6, [%r23], %r36;\n"
         "@!%p6 bra WAIT;\nbar.sync 0;\ntcgen05.fence::after_thread_sync;\n";
}

static std::string multicastCommit(unsigned group) {
  return "tcgen05.commit.cta_group::" + num(group) +
         ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64";
}

/// One MMA with 32 columns, and a commit of the given form after it.
static void runMma(const std::string &form, const std::string &commit) {
  const unsigned group = has(form, "cta_group::2") ? 2 : 1;
  const bool sparse = has(form, ".sp."), mxf4 = has(form, "mxf4nvf4"),
             mxf8 = has(form, "mxf8f6f4"), f16 = has(form, "kind::f16"),
             scaled = mxf4 || mxf8;
  const unsigned m = 128 * group, n = 32;
  // Words of A and B: 1 and 2; where sparsity skips them, 4.
  uint32_t a = f16 ? 0x3c003c00 : mxf4 ? 0x22222222 : 0x38383838;
  uint32_t b = f16 ? 0x40004000 : mxf4 ? 0x44444444 : 0x40404040;
  uint32_t bOdd = sparse && f16 ? 0x44004400 : b;
  if (sparse && mxf4)
    b = bOdd = 0x66664444;
  // Scales of A are 2, those of B 1.
  uint32_t scaleA = mxf8 ? 0x80808080 : 0x40404040;
  uint32_t scaleB = mxf8 ? 0x7f7f7f7f : 0x38383838;
  unsigned products = f16 ? 16 : mxf4 ? 64 : 32;
  float result = 2.0f * float(products) * (scaled ? 2 : 1);
  uint32_t bits;
  std::memcpy(&bits, &result, 4);
  uint32_t idesc = uint32_t(sparse) << 2 | (n >> 3) << 17;
  if (mxf4)
    idesc |= 1u << 7 | 1u << 10 | (m >> 7) << 27;
  else if (mxf8)
    idesc |= 1u << 23 | (m >> 7) << 27;
  else
    idesc |= 1u << 4 | (m >> 4) << 24;

  Case program;
  program.threads = 128;
  program.ctas = program.cluster = group;
  std::string &text = program.body;
  text = allocate(group, 128) +
         fillWords(0, 4096, "mov.u32 %r32, " + num(a) + ";\n") +
         fillWords(4096, 8192,
                   "and.b32 %r35, %r31, 1; setp.eq.u32 %p5, %r35, 0;\n"
                   "selp.b32 %r32, " +
                       num(b) + ", " + num(bOdd) + ", %p5;\n") +
         "fence.proxy.async.shared::cta;\n";
  // Columns 32: scales of A, 48: of B, 64: metadata "elements 0 and 1".
  for (auto [column, word] : {std::pair(32u, scaleA), std::pair(48u, scaleB),
                              std::pair(64u, uint32_t(0x44444444))}) {
    for (unsigned i = 0; i < 16; ++i)
      text += "mov.u32 %v" + num(i) + ", " + num(word) + ";\n";
    text += "add.u32 %r31, %r21, " + num(column) +
            ";\ntcgen05.st.sync.aligned.32x32b.x16.b32 [%r31], " +
            registers(16) + ";\n";
  }
  text += "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;"
          "\nbar.sync 0;\n" +
          std::string(group == 2 ? "barrier.cluster.arrive.aligned;\n"
                                   "barrier.cluster.wait.aligned;\n"
                                 : "") +
          "tcgen05.fence::after_thread_sync;\n" + descriptor(10, 0, 128, 256) +
          descriptor(11, 16384, 128, 512) + "mov.u32 %r40, " + num(idesc) +
          "; add.u32 %r41, %r20, 32; add.u32 %r42, %r20, 48;\n"
          "add.u32 %r43, %r20, 64; setp.ne.u32 %p7, %r0, %r0;\n"
          "mov.u16 %h2, " +
          num(group == 2 ? 3 : 1) +
          ";\n@!%p2 bra ISSUED;\nsetp.ne.u32 %p5, %r25, 0;\n"
          "@%p5 bra ISSUED;\n" +
          form + " [%r20], %rd10, %rd11, " + (sparse ? "[%r43], " : "") +
          "%r40, " + (scaled ? "[%r41], [%r42], " : "") + "%p7;\n" +
          commitAndWait(commit) + "tcgen05.ld.sync.aligned.32x32b.x32.b32 " +
          registers(32) +
          ", [%r21];\ntcgen05.wait::ld.sync.aligned;\n"
          "mad.lo.u32 %r44, %r25, 128, %r0; mul.wide.u32 %rd12, %r44, 128;\n"
          "add.u64 %rd12, %rd12, %rd0;\n";
  for (unsigned i = 0; i < 32; ++i)
    text += "st.global.u32 [%rd12+" + num(4 * i) + "], %v" + num(i) + ";\n";
  text += release(group, 128);
  for (unsigned word = 0; word < m * 16; ++word)
    program.expected[word] = uint64_t(bits) << 32 | bits;
  std::vector<std::string> forms = frame(group);
  forms.push_back(form);
  forms.push_back(commit);
  runProgram(form, program, forms);
}

/// Copies rows of 16 bytes: word 4 r + c of shared memory to column c of row r.
static void runCopy(const std::string &form) {
  const unsigned group = has(form, "cta_group::2") ? 2 : 1;
  const bool broadcast = has(form, "warpx4");
  Case program;
  program.threads = 128;
  program.ctas = program.cluster = group;
  std::string &text = program.body;
  text = allocate(group, 32) + fillWords(0, 512, "mov.u32 %r32, %r31;\n") +
         "fence.proxy.async.shared::cta;\nbar.sync 0;\n" +
         std::string(group == 2 ? "barrier.cluster.arrive.aligned;\n"
                                  "barrier.cluster.wait.aligned;\n"
                                : "") +
         descriptor(10, 0, 128, 128) + "mov.u16 %h2, " +
         num(group == 2 ? 3 : 1) +
         ";\n@!%p2 bra ISSUED;\nsetp.ne.u32 %p5, %r25, 0;\n"
         "@%p5 bra ISSUED;\n" +
         form + " [%r20], %rd10;\n" + commitAndWait(multicastCommit(group)) +
         "tcgen05.ld.sync.aligned.32x32b.x4.b32 " + registers(4) +
         ", [%r21];\ntcgen05.wait::ld.sync.aligned;\n"
         "mad.lo.u32 %r44, %r25, 128, %r0; mul.wide.u32 %rd12, %r44, 16;\n"
         "add.u64 %rd12, %rd12, %rd0;\n"
         "st.global.v4.u32 [%rd12], {%v0, %v1, %v2, %v3};\n" +
         release(group, 32);
  for (unsigned cta = 0; cta < group; ++cta)
    for (unsigned t = 0; t < 128; ++t) {
      uint64_t word = 4 * (broadcast ? t % 32 : t);
      program.expected[2 * (128 * cta + t)] = (word + 1) << 32 | word;
      program.expected[2 * (128 * cta + t) + 1] = (word + 3) << 32 | (word + 2);
    }
  runProgram(form, program, {form});
}

/// What both of the following do: fill B with its row number, run `mma`, which
/// only thread 0 sees, and store `columns` columns of D, a row per thread.
static void runRows(const std::string &form, const std::string &before,
                    const std::string &mma, unsigned columns,
                    const std::vector<float> &expected) {
  Case program;
  program.threads = 128;
  const std::string &commit = multicastCommit(1);
  program.body =
      allocate(1, 128) + fillWords(0, 4096, "mov.u32 %r32, 0x3c003c00;\n") +
      fillWords(4096, 8192,
                "shr.u32 %r35, %r31, 2; and.b32 %r35, %r35, 7;\n"
                "sub.u32 %r32, %r31, 4096; shr.u32 %r32, %r32, 7;\n"
                "shl.b32 %r32, %r32, 3; add.u32 %r35, %r35, %r32;\n"
                "cvt.rn.f16.u32 %h9, %r35; mov.b32 %r32, {%h9, %h9};\n") +
      "fence.proxy.async.shared::cta;\n" + before +
      "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
      "tcgen05.fence::after_thread_sync;\n" +
      descriptor(10, 0, 128, 256) + descriptor(11, 16384, 128, 512) +
      "mov.u16 %h2, 1; setp.ne.u32 %p7, %r0, %r0;\n@!%p2 bra ISSUED;\n" + mma +
      commitAndWait(commit) + "tcgen05.ld.sync.aligned.32x32b.x" +
      num(columns) + ".b32 " + registers(columns) +
      ", [%r21];\ntcgen05.wait::ld.sync.aligned;\n"
      "mul.wide.u32 %rd12, %r0, " +
      num(4 * columns) + "; add.u64 %rd12, %rd12, %rd0;\n";
  for (unsigned i = 0; i < columns; ++i)
    program.body +=
        "st.global.u32 [%rd12+" + num(4 * i) + "], %v" + num(i) + ";\n";
  program.body += release(1, 128);
  for (unsigned word = 0; word < expected.size() / 2; ++word) {
    uint32_t bits[2];
    std::memcpy(bits, &expected[2 * word], 8);
    program.expected[word] = uint64_t(bits[1]) << 32 | bits[0];
  }
  runProgram(form, program, {form});
}

/// .ws with a zero-column mask: D(i, c) is 16 times B's row c + 8, except for
/// three columns out of seven.
static void runColumnMask(const std::string &form) {
  const unsigned n = 64, start = 1, skip = 3, use = 4, shift = 8;
  const uint64_t mask = start | uint64_t(1) << 39 | uint64_t(skip - 1) << 40 |
                        uint64_t(use - 1) << 48 | uint64_t(shift) << 56;
  std::vector<float> expected;
  for (unsigned row = 0; row < 128; ++row)
    for (unsigned c = 0; c < n; ++c)
      expected.push_back(
          (c + start) % (skip + use) < use ? float(16 * (c + shift)) : 0.0f);
  runRows(form, "",
          "mov.u32 %r40, " + num(1u << 4 | (n >> 3) << 17 | 8u << 24) +
              "; mov.u64 %rd13, " + num(mask) + ";\n" + form +
              " [%r20], %rd10, %rd11, %r40, %p7, %rd13;\n",
          n, expected);
}

/// .ashift: row i of A, which is i + 1 all along, counts as row i + 1, but for
/// the last. B's columns are 0, 1, ...
static void runShiftedA(const std::string &form) {
  const unsigned n = 32;
  std::string before = "add.u32 %r31, %r0, 1; cvt.rn.f16.u32 %h9, %r31;\n"
                       "mov.b32 %r32, {%h9, %h9};\n";
  for (unsigned i = 0; i < 8; ++i)
    before += "mov.u32 %v" + num(i) + ", %r32;\n";
  before += "add.u32 %r31, %r21, 64;\n"
            "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r31], " +
            registers(8) + ";\ntcgen05.wait::st.sync.aligned;\n";
  std::vector<float> expected;
  for (unsigned row = 0; row < 128; ++row)
    for (unsigned c = 0; c < n; ++c)
      expected.push_back(float(16 * c * (row < 127 ? row + 2 : 128)));
  runRows(form, before,
          "mov.u32 %r40, " + num(1u << 4 | (n >> 3) << 17 | 8u << 24) +
              "; add.u32 %r41, %r20, 64;\n" + form +
              " [%r20], [%r41], %rd11, %r40, %p7;\n",
          n, expected);
}

/// kind::i8 onto accumulators near both ends: all four pairs of signs, wrapping
/// and saturating. A is 0xc3 all over; B's byte k of row r is 37 r + 11.
static void runInteger(const std::string &form, bool signedA, bool signedB,
                       bool saturate) {
  const unsigned n = 32, k = 32;
  Case program;
  program.threads = 128;
  std::string &text = program.body;
  text = allocate(1, 128) + fillWords(0, 4096, "mov.u32 %r32, 0xc3c3c3c3;\n") +
         fillWords(4096, 8192,
                   "shr.u32 %r35, %r31, 2; and.b32 %r35, %r35, 7;\n"
                   "sub.u32 %r32, %r31, 4096; shr.u32 %r32, %r32, 7;\n"
                   "mad.lo.u32 %r35, %r32, 8, %r35;\n"
                   "mad.lo.u32 %r35, %r35, 37, 11; and.b32 %r35, %r35, 255;\n"
                   "mul.lo.u32 %r32, %r35, 0x01010101;\n") +
         "fence.proxy.async.shared::cta;\n"
         // Even rows start near the top, odd ones near the bottom.
         "and.b32 %r30, %r0, 1; setp.eq.u32 %p5, %r30, 0;\n"
         "selp.b32 %r30, 0x7fffff00, 0x80000100, %p5;\n";
  for (unsigned i = 0; i < n; ++i)
    text += "mov.u32 %v" + num(i) + ", %r30;\n";
  text += "tcgen05.st.sync.aligned.32x32b.x32.b32 [%r21], " + registers(n) +
          ";\ntcgen05.wait::st.sync.aligned;\n"
          "tcgen05.fence::before_thread_sync;\nbar.sync 0;\n"
          "tcgen05.fence::after_thread_sync;\n" +
          descriptor(10, 0, 128, 256) + descriptor(11, 16384, 128, 512) +
          "mov.u32 %r40, " +
          num(uint32_t(saturate) << 3 | 2u << 4 | uint32_t(signedA) << 7 |
              uint32_t(signedB) << 10 | (n >> 3) << 17 | 8u << 24) +
          "; mov.u16 %h2, 1; setp.eq.u32 %p7, %r0, %r0;\n@!%p2 bra ISSUED;\n" +
          form + " [%r20], %rd10, %rd11, %r40, %p7;\n" +
          commitAndWait(multicastCommit(1)) +
          "tcgen05.ld.sync.aligned.32x32b.x32.b32 " + registers(n) +
          ", [%r21];\ntcgen05.wait::ld.sync.aligned;\n"
          "mul.wide.u32 %rd12, %r0, 128; add.u64 %rd12, %rd12, %rd0;\n";
  for (unsigned i = 0; i < n; ++i)
    text += "st.global.u32 [%rd12+" + num(4 * i) + "], %v" + num(i) + ";\n";
  text += release(1, 128);
  auto element = [&](unsigned row, unsigned column) -> uint64_t {
    int64_t a = signedA ? 0xc3 - 256 : 0xc3, b = (37 * column + 11) & 255;
    if (signedB && b > 127)
      b -= 256;
    int64_t sum =
        int64_t(k) * a * b + (row % 2 ? -0x80000000ll + 0x100 : 0x7fffff00ll);
    if (saturate)
      sum = sum > 0x7fffffffll    ? 0x7fffffffll
            : sum < -0x80000000ll ? -0x80000000ll
                                  : sum;
    return uint32_t(sum);
  };
  for (unsigned word = 0; word < 128 * n / 2; ++word)
    program.expected[word] = element(word / (n / 2), 2 * word % n + 1) << 32 |
                             element(word / (n / 2), 2 * word % n);
  runProgram(form + (signedA ? " s8" : " u8") + (signedB ? " s8" : " u8") +
                 (saturate ? " saturated" : ""),
             program, {form});
}

void test::runTcgen05Cases(const std::vector<std::string> &forms) {
  const std::string st8 = "tcgen05.st.sync.aligned.32x32b.x8.b32",
                    st16 = "tcgen05.st.sync.aligned.32x32b.x16.b32",
                    mma = "tcgen05.mma.cta_group::1.kind::f16";
  for (const std::string &form : forms) {
    if (form.substr(0, 11) == "tcgen05.ld.")
      runMove(has(form, ".x16.") ? st16 : st8, form);
    else if (form.substr(0, 11) == "tcgen05.st.")
      runMove(form, "tcgen05.ld.sync.aligned.32x32b.x64.b32");
    else if (form.substr(0, 15) == "tcgen05.mma.ws.")
      runColumnMask(form);
    else if (has(form, ".ashift"))
      runShiftedA(form);
    else if (has(form, "kind::i8"))
      for (unsigned i = 0; i < 8; ++i)
        runInteger(form, i & 1, i & 2, i & 4);
    else if (form.substr(0, 12) == "tcgen05.mma.")
      runMma(form, multicastCommit(has(form, "cta_group::2") ? 2 : 1));
    else if (form.substr(0, 15) == "tcgen05.commit." &&
             has(form, "cta_group::1"))
      runMma(mma, form);
    else if (form.substr(0, 11) == "tcgen05.cp.")
      runCopy(form);
  }
}
