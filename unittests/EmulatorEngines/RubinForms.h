//===- RubinForms.h - one tcgen05.mma of sm_107 -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that puts images of shared and Tensor Memory there, issues one
// instruction, and stores D; images with operands that the test packs itself,
// and noise between them; sums in double. Numbers are such that no sum is
// rounded.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_EMULATORENGINES_RUBINFORMS_H
#define TC_UNITTESTS_EMULATORENGINES_RUBINFORMS_H

#include "PtxHarness.h"

#include <cmath>
#include <functional>
#include <random>

namespace tc::emu::test {

constexpr unsigned kSmemWords = 6144, kTmemWords = 40, kTmemFirst = 64;
/// In shared memory, and columns of Tensor Memory from kTmemFirst on.
constexpr unsigned kB = 16384, kColumnSFA = 16, kColumnSFB = 24,
                   kColumnTable = 36;

/// A type by its code in the instruction descriptor.
struct Type {
  unsigned code, exponent, mantissa, bits;
  unsigned least, end; ///< magnitudes that are drawn
  double decode(unsigned word) const {
    const int bias = (1 << (exponent - 1)) - 1;
    const unsigned field = word >> mantissa & ((1u << exponent) - 1);
    const double fraction = word & ((1u << mantissa) - 1);
    const double value =
        field ? std::ldexp(1 + std::ldexp(fraction, -int(mantissa)),
                           int(field) - bias)
              : std::ldexp(fraction, 1 - bias - int(mantissa));
    return word >> (exponent + mantissa) & 1 ? -value : value;
  }
};
inline const Type kE4M3{0, 4, 3, 8, 0x28, 0x48}, kE5M2{1, 5, 2, 8, 0x34, 0x44},
    kE2M3{3, 2, 3, 6, 0, 32}, kE3M2{4, 3, 2, 6, 0, 24}, kE2M1{5, 2, 1, 4, 0, 8};

struct Case {
  const char *kind = "mxf8f6f4";
  unsigned group = 1;
  Type a = kE4M3, b = kE4M3;
  bool tmemA = false;
  unsigned swizzleA = 0, swizzleB = 0; ///< codes of the descriptor
  unsigned byteA = 0;                  ///< where A begins in a row of 128 bytes
  bool looksUp = false;
  unsigned segment = 0, tableLane = 0;
  bool lanes = false; ///< scales of A in 128 lanes
  bool negateA = false, negateB = false;
  unsigned idA = 0, idB = 0;

  bool scaled() const { return kind[0] == 'm'; }
  bool four() const { return std::string(kind) == "mxf4nvf4"; }
  unsigned k() const { return four() ? 128 : 64; }
  unsigned scales() const { return four() ? 8 : 2; }
  unsigned m() const { return 128 * group; }
  unsigned n() const { return 32 * group; } ///< 32 in each CTA
};

/// What a run is given beside of that.
struct Changes {
  uint32_t instruction = 0;       ///< turned around
  uint64_t a = 0, b = 0;          ///< turned around
  uint32_t table = 0, scaleA = 0; ///< added
  std::string mask;               ///< of lanes, with a comma
  std::string form;   ///< modifiers after the kind, instead of the usual ones
  std::string before; ///< instructions of thread 0 before the issue
  std::string issued; ///< instructions of thread 0 after the issue
  std::string after;  ///< instructions of all, then
  const char *target = "sm_107f";
  bool races = false;
};

/// Memory of one CTA as the kernel puts it there; what is not valid it leaves.
struct Image {
  std::vector<uint32_t> smem = std::vector<uint32_t>(kSmemWords),
                        tmem = std::vector<uint32_t>(128 * kTmemWords);
  std::vector<uint32_t> smemValid = std::vector<uint32_t>(kSmemWords, 1),
                        tmemValid = std::vector<uint32_t>(128 * kTmemWords, 1);

  static void put(uint32_t *words, uint64_t bit, unsigned bits,
                  uint32_t value) {
    for (unsigned i = 0; i < bits; ++i) {
      uint32_t &word = words[(bit + i) / 32];
      const uint32_t mask = 1u << (bit + i) % 32;
      word = value >> i & 1 ? word | mask : word & ~mask;
    }
  }
  /// `bits` from `bit` of a lane and column on.
  void cell(unsigned lane, unsigned column, unsigned bit, unsigned bits,
            uint32_t value) {
    put(&tmem[lane * kTmemWords + column], bit, bits, value);
  }
};

inline unsigned span(unsigned swizzle) {
  return swizzle == 0 ? 16 : swizzle == 6 ? 32 : swizzle == 4 ? 64 : 128;
}

/// Offset of a byte of a row of an operand at a multiple of 1024.
inline unsigned placeOf(unsigned swizzle, unsigned row, unsigned byte) {
  if (!swizzle) // Four units of eight rows behind one another.
    return row / 8 * 512 + byte / 16 * 128 + row % 8 * 16 + byte % 16;
  const unsigned line = row * span(swizzle) + byte;
  const unsigned mask = span(swizzle) / 16 - 1;
  return line ^ (line / 128 & mask) * 16;
}

/// Of an operand at `start`, without the base of shared memory.
inline uint64_t descriptor(unsigned swizzle, unsigned start) {
  const uint64_t stride = swizzle ? 8 * span(swizzle) : 512;
  return start / 16 | (swizzle ? 1ull : 8ull) << 16 | stride / 16 << 32 |
         1ull << 46 | uint64_t(swizzle) << 61;
}

inline uint32_t instruction(const Case &c) {
  const uint32_t both = c.a.code << 7 | c.b.code << 10 |
                        unsigned(c.negateA) << 13 | unsigned(c.negateB) << 14 |
                        c.n() / 8 << 17;
  if (!c.scaled())
    return both | 1 << 4 | c.m() / 16 << 24 | 1u << 29;
  const uint32_t scaled = both | c.idB << 4 | unsigned(c.lanes) << 26 |
                          c.m() / 128 << 27 | c.idA << 29;
  if (c.four())
    return (scaled & ~(0x3fu << 7)) | 1 << 7 | 1 << 10 | 1 << 3;
  return scaled | 1 << 23 | 1u << 31;
}

/// Copies the image, issues, waits, and stores D[m][n].
inline std::string program(const Case &c, const Changes &changes) {
  const std::string group = ".cta_group::" + num(c.group);
  const std::string meet =
      c.group == 2
          ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
          : "bar.sync 0;\n";
  const unsigned words = 2 * (kSmemWords + 128 * kTmemWords);
  std::string text =
      "mov.u32 %r50, %cluster_ctarank;\nadd.u32 %r3, %r2, 24576;\n"
      "add.u32 %r4, %r2, 24584;\nsetp.eq.u32 %p0, %r0, 0;\n"
      "setp.eq.u32 %p1, %r1, 0;\n@!%p0 bra INITED;\n"
      "mbarrier.init.shared.b64 [%r3], 1;\n"
      "fence.mbarrier_init.release.cluster;\nINITED:\n@!%p1 bra ALLOCATED;\n"
      "tcgen05.alloc" +
      group +
      ".sync.aligned.shared::cta.b32 [%r4], 128;\nALLOCATED:\nbar.sync 0;\n"
      "ld.shared.u32 %r10, [%r4];\nshl.b32 %r11, %r1, 21;\n"
      "add.u32 %r12, %r10, %r11;\nmul.wide.u32 %rd1, %r50, " +
      num(4 * words) +
      ";\nadd.s64 %rd1, %rd0, %rd1;\n"
      // Shared memory, a word of each thread at a time.
      "mul.wide.u32 %rd2, %r0, 4;\nadd.s64 %rd2, %rd1, %rd2;\n"
      "shl.b32 %r20, %r0, 2;\nadd.u32 %r20, %r20, %r2;\nmov.u32 %r21, 0;\n"
      "COPY:\nld.global.u32 %r22, [%rd2];\nld.global.u32 %r23, [%rd2+" +
      num(4 * kSmemWords) +
      "];\nsetp.ne.u32 %p2, %r23, 0;\n@%p2 st.shared.u32 [%r20], %r22;\n"
      "add.s64 %rd2, %rd2, 512;\nadd.u32 %r20, %r20, 512;\n"
      "add.u32 %r21, %r21, 128;\nsetp.lt.u32 %p2, %r21, " +
      num(kSmemWords) +
      ";\n@%p2 bra COPY;\nfence.proxy.async.shared::cta;\n"
      "mul.wide.u32 %rd3, %r0, " +
      num(4 * kTmemWords) + ";\nadd.s64 %rd3, %rd3, " + num(8 * kSmemWords) +
      ";\nadd.s64 %rd3, %rd1, %rd3;\n";
  for (unsigned i = 0; i < kTmemWords; ++i)
    text += "ld.global.u32 %r23, [%rd3+" + num(4 * (128 * kTmemWords + i)) +
            "];\nsetp.ne.u32 %p2, %r23, 0;\n@%p2 ld.global.u32 %v" + num(i) +
            ", [%rd3+" + num(4 * i) + "];\n";
  for (unsigned i = 0; i < kTmemWords; i += 8) {
    text += "add.u32 %r13, %r12, " + num(kTmemFirst + i) +
            ";\ntcgen05.st.sync.aligned.32x32b.x8.b32 [%r13], {";
    for (unsigned j = 0; j < 8; ++j)
      text += (j ? ", %v" : "%v") + num(i + j);
    text += "};\n";
  }
  const std::string form = std::string(c.four()     ? ".block_scale.block16"
                                       : c.scaled() ? ".block_scale"
                                                    : "") +
                           (c.looksUp ? ".decompress::lut::b" : "");
  const std::string a = c.tmemA ? "[%r30]" : "%rd6";
  const std::string tables = c.looksUp ? "[%r31], " : "";
  const std::string scales = c.scaled() ? "[%r32], [%r33], " : changes.mask;
  text +=
      "tcgen05.wait::st.sync.aligned;\ntcgen05.fence::before_thread_sync;\n" +
      meet +
      "tcgen05.fence::after_thread_sync;\nsetp.eq.u32 %p5, %r50, 0;\n"
      "and.pred %p5, %p5, %p0;\n@!%p5 bra ISSUED;\ncvt.u64.u32 %rd5, %r2;\n"
      "and.b64 %rd5, %rd5, 0x3ffff;\nshr.u64 %rd5, %rd5, 4;\n"
      "add.s64 %rd6, %rd5, " +
      num(descriptor(c.swizzleA, c.byteA) ^ changes.a) +
      ";\nadd.s64 %rd7, %rd5, " +
      num((descriptor(c.swizzleB, kB) | uint64_t(c.segment) << 53) ^
          changes.b) +
      ";\nadd.u32 %r30, %r10, " + num(kTmemFirst) + ";\nadd.u32 %r31, %r10, " +
      num((c.tableLane << 16) + kTmemFirst + kColumnTable + changes.table) +
      ";\nadd.u32 %r32, %r10, " +
      num(kTmemFirst + kColumnSFA + changes.scaleA) +
      ";\nadd.u32 %r33, %r10, " + num(kTmemFirst + kColumnSFB) +
      ";\nmov.u32 %r34, " + num(instruction(c) ^ changes.instruction) +
      ";\nmov.u32 %r35, 0;\nsetp.ne.u32 %p3, %r35, 0;\n" + changes.before +
      "tcgen05.mma" + group + ".kind::" + c.kind +
      (changes.form.empty() ? form : changes.form) + " [%r10], " + a +
      ", %rd7, " + tables + "%r34, " + scales + "%p3;\n" + changes.issued +
      "mov.u16 %h0, " + num((1 << c.group) - 1) + ";\ntcgen05.commit" + group +
      ".mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r3], "
      "%h0;\nISSUED:\n" +
      changes.after +
      "DONE:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0;\n"
      "@!%p2 bra DONE;\ntcgen05.fence::after_thread_sync;\n"
      "shl.b32 %r21, %r50, 7;\nadd.u32 %r21, %r21, %r0;\n"
      "mul.wide.u32 %rd8, %r21, " +
      num(4 * c.n()) + ";\nadd.s64 %rd8, %rd8, " + num(4 * words * c.group) +
      ";\nadd.s64 %rd8, %rd8, %rd0;\n";
  for (unsigned n = 0; n < c.n(); ++n)
    text += "add.u32 %r13, %r12, " + num(n) +
            ";\ntcgen05.ld.sync.aligned.32x32b.x1.b32 {%v127}, [%r13];\n"
            "tcgen05.wait::ld.sync.aligned;\nst.global.u32 [%rd8+" +
            num(4 * n) + "], %v127;\n";
  text += meet + "@!%p1 bra FREED;\ntcgen05.dealloc" + group +
          ".sync.aligned.b32 %r10, 128;\nFREED:\n" + meet;
  text = kernel(text, 32768);
  text.replace(0, text.find(".address_size"),
               ".version 9.4\n.target " + std::string(changes.target) + "\n");
  return text;
}

struct Data {
  std::vector<Image> images;
  std::vector<double> expected; ///< D[m][n]
};

/// `index` draws the index of column n of B, if it is given.
inline Data draw(const Case &c, unsigned seed,
                 const std::function<unsigned(unsigned)> &index = {}) {
  std::mt19937 random(seed);
  Data data;
  data.images.resize(c.group);
  for (Image &image : data.images)
    for (std::vector<uint32_t> *words : {&image.smem, &image.tmem})
      for (uint32_t &word : *words)
        word = uint32_t(random());
  auto number = [&](const Type &type) {
    const unsigned sign = random() & 1;
    return sign << (type.exponent + type.mantissa) |
           (type.least + unsigned(random()) % (type.end - type.least));
  };
  std::vector<double> a(c.m() * c.k()), b(c.n() * c.k());
  for (unsigned m = 0; m < c.m(); ++m)
    for (unsigned k = 0; k < c.k(); ++k) {
      Image &image = data.images[m / 128];
      const uint32_t word = number(c.a);
      a[m * c.k() + k] = c.a.decode(word) * (c.negateA ? -1 : 1);
      if (c.tmemA) {
        image.cell(m % 128, 0, k * c.a.bits, c.a.bits, word);
        continue;
      }
      for (unsigned i = 0; i < c.a.bits; ++i) {
        const unsigned bit = k * c.a.bits + i;
        Image::put(image.smem.data(),
                   8 * placeOf(c.swizzleA, m % 128, c.byteA + bit / 8) +
                       bit % 8,
                   1, word >> i);
      }
    }
  // Columns of B: of each group of 8 a table of 8 numbers.
  std::vector<uint32_t> tables(c.n());
  for (unsigned n = 0; c.looksUp && n < c.n(); ++n) {
    tables[n] = number(c.b);
    data.images[n / 32].cell(c.tableLane + n % 32 / 8, kColumnTable, n % 8 * 8,
                             8, tables[n]);
  }
  for (unsigned n = 0; n < c.n(); ++n)
    for (unsigned k = 0; k < c.k(); ++k) {
      uint32_t word = number(c.b);
      unsigned bits = c.b.bits, first = 0;
      double value = c.b.decode(word);
      if (c.looksUp) {
        word = index ? index(n) : unsigned(random()) % 8;
        bits = 3;
        first = 192 * c.segment;
        value = c.b.decode(tables[n / 8 * 8 + word]);
      }
      b[n * c.k() + k] = c.negateB ? -value : value;
      for (unsigned i = 0; i < bits; ++i) {
        const unsigned bit = first + k * bits + i;
        Image::put(data.images[n / 32].smem.data(),
                   8 * (kB + placeOf(c.swizzleB, n % 32, bit / 8)) + bit % 8, 1,
                   word >> i);
      }
    }
  // Scales of 1/2, 1 and 2: ue4m3 has them at 0x30, 0x38 and 0x40.
  std::vector<double> scaleA(c.m() * c.scales(), 1),
      scaleB(c.n() * c.scales(), 1);
  auto scale = [&](double &value) {
    const int exponent = int(random() % 3) - 1;
    value = std::ldexp(1, exponent);
    return uint32_t(c.four() ? 0x38 + 8 * exponent : 127 + exponent);
  };
  for (unsigned j = 0; c.scaled() && j < c.scales(); ++j) {
    for (unsigned m = 0; m < c.m(); ++m) {
      Image &image = data.images[m / 128];
      const uint32_t word = scale(scaleA[m * c.scales() + j]);
      const unsigned byte = c.idA + j, row = m % 128;
      if (c.lanes)
        image.cell(row, kColumnSFA, 8 * byte, 8, word);
      for (unsigned window = 0; !c.lanes && window < 4; ++window)
        image.cell(row % 32 + 32 * window, kColumnSFA + row / 32 + byte / 4 * 4,
                   byte % 4 * 8, 8, word);
    }
    for (unsigned n = 0; n < c.n(); ++n) {
      const uint32_t word = scale(scaleB[n * c.scales() + j]);
      const unsigned byte = c.idB + j;
      for (Image &image : data.images)
        for (unsigned window = 0; window < 4; ++window)
          image.cell(n % 32 + 32 * window, kColumnSFB + n / 32 + byte / 4 * 4,
                     byte % 4 * 8, 8, word);
    }
  }
  const unsigned block = c.k() / c.scales();
  for (unsigned m = 0; m < c.m(); ++m)
    for (unsigned n = 0; n < c.n(); ++n) {
      double sum = 0;
      for (unsigned k = 0; k < c.k(); ++k)
        sum += a[m * c.k() + k] * b[n * c.k() + k] *
               scaleA[m * c.scales() + k / block] *
               scaleB[n * c.scales() + k / block];
      data.expected.push_back(sum);
    }
  return data;
}

inline RunResult runCase(const Case &c, const Data &data,
                         const Changes &changes = {},
                         const std::string &schedule = "lazy",
                         std::vector<float> *d = nullptr) {
  auto parsed = parsePTX(program(c, changes), "test.ptx");
  EXPECT_TRUE(bool(parsed))
      << parsed.error().line << ": " << parsed.error().message;
  if (!parsed)
    return {};
  std::vector<uint32_t> words;
  for (const Image &image : data.images)
    for (const std::vector<uint32_t> *part :
         {&image.smem, &image.smemValid, &image.tmem, &image.tmemValid})
      words.insert(words.end(), part->begin(), part->end());
  const uint64_t inputBytes = 4 * words.size();
  DeviceMemory memory;
  const size_t numbers = size_t(c.m()) * c.n();
  const uint64_t out = *memory.allocate(inputBytes + 4 * numbers, 256);
  EXPECT_TRUE(bool(memory.write(out, words.data(), inputBytes)));
  LaunchConfig config;
  config.grid = config.cluster = {c.group, 1, 1};
  config.block = {128, 1, 1};
  config.params.resize(320);
  std::memcpy(config.params.data(), &out, 8);
  RunOptions options;
  options.schedule = *Schedule::parse(schedule);
  options.checkRaces = changes.races;
  options.maxInstructions = 20'000'000;
  RunResult result = launch(**parsed, config, memory, options);
  if (d) {
    d->resize(numbers);
    EXPECT_TRUE(bool(memory.read(out + inputBytes, d->data(), 4 * numbers)));
  }
  return result;
}

inline std::string reportOf(const Case &c, const Data &data,
                            const Changes &changes = {}) {
  RunResult result = runCase(c, data, changes);
  return result.ok ? "" : result.reports.at(0).message;
}

inline std::string usesOf(const RunResult &result) {
  std::string names;
  for (const AssumptionUse &use : result.uses)
    names +=
        (names.empty() ? "" : " ") + std::string(infoOf(use.assumption).name);
  return names;
}

inline void expectReport(const std::string &got, const std::string &message) {
  EXPECT_NE(got.find(message), std::string::npos) << got;
}

} // namespace tc::emu::test

#endif // TC_UNITTESTS_EMULATORENGINES_RUBINFORMS_H
