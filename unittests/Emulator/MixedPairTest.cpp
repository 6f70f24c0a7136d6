//===- MixedPairTest.cpp - arithmetic on pairs of two precisions ----------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA 9.4, "Mixed Precision Floating Point Instructions", 9.7.5. Rows
// worked by hand; then many sources whose results are compared with sums and
// products in whole numbers of 2^-512.
//
//===----------------------------------------------------------------------===//

#include "ScalarRow.h"
#include "UndefinedBytes.h"

#include <array>
#include <cmath>
#include <random>

using namespace tc::emu;
using namespace tc::emu::test;

TEST(MixedPair, WideRows) {
  // f16: 1 is 0x3c00, -2 0xc000, 2^-24 0x0001; bf16: 1 0x3f80, -2 0xc000.
  const Row rows[] = {
      {"add.f32x2.f16x2.f32x2 d, a, b", "drd", 0x3c00c000, f2(0.5f, 1), 0,
       f2(-1.5f, 2)},
      {"add.rn.f32x2.bf16x2.f32x2 d, a, b", "drd", 0xc0003f80, f2(3, 5), 0,
       f2(4, 3)},
      {"sub.rn.f32x2.f16x2.f32x2 d, a, b", "drd", 0x3c00c000, f2(0.5f, 1), 0,
       f2(-2.5f, 0)},
      // 1 + 2^-24 is halfway between 1 and its successor.
      {"add.rn.f32x2.f16x2.f32x2 d, a, b", "drd", 0x00018001, f2(-1, 1), 0,
       f2(-1, 1)},
      {"add.rp.f32x2.f16x2.f32x2 d, a, b", "drd", 0x00018001, f2(-1, 1), 0,
       f2(-1, 0x1.000002p0f)},
      {"add.rm.f32x2.f16x2.f32x2 d, a, b", "drd", 0x00018001, f2(-1, 1), 0,
       f2(-0x1.000002p0f, 1)},
      {"sub.rz.f32x2.f16x2.f32x2 d, a, b", "drd", 0x00018001, f2(-1, 1), 0,
       f2(0x1.fffffep-1f, -0x1.fffffep-1f)},
      // Zeros: 1 - 1 is -0 only towards negative infinity, -0 - 0 is -0.
      {"add.rn.f32x2.f16x2.f32x2 d, a, b", "drd", 0x80003c00, f2(-1, -0.0f), 0,
       f2(0, -0.0f)},
      {"add.rm.f32x2.f16x2.f32x2 d, a, b", "drd", 0x00003c00, f2(-1, 0), 0,
       f2(-0.0f, 0)},
      // Infinities of f16 (0x7c00) and bf16 (0x7f80), and NaN.
      {"add.rn.f32x2.f16x2.f32x2 d, a, b", "drd", 0x7c007e00,
       0xff80000000000000, 0, kNaN | kNaN << 32},
      {"sub.rn.f32x2.bf16x2.f32x2 d, a, b", "drd", 0xff807f80, f2(1, 1), 0,
       kInf | 0xff800000ull << 32},
      // bf16 2^127 and the largest f32.
      {"add.rn.f32x2.bf16x2.f32x2 d, a, b", "drd", 0x7f007f00,
       0x7f7fffff7f7fffff, 0, kInf | kInf << 32},
      {"add.rz.f32x2.bf16x2.f32x2 d, a, b", "drd", 0x7f007f00,
       0x7f7fffff7f7fffff, 0, 0x7f7fffff7f7fffff},
      // Subnormal bf16 and f32: 2^-133 + 2^-149.
      {"add.rn.f32x2.bf16x2.f32x2 d, a, b", "drd", 0x00010001,
       1ull | 2ull << 32, 0, 0x00010001ull | 0x00010002ull << 32},
      {"fma.rn.f32x2.f16x2.f32x2.f32x2 d, a, b, c", "drdd", 0x3c00c000,
       f2(0.5f, 3), f2(10, -1), f2(9, 2)},
      {"fma.rz.f32x2.bf16x2.f32x2.f32x2 d, a, b, c", "drdd", 0x3f803f80,
       f2(0x1.fffffep0f, 1), f2(0x1p-25f, -0x1p-25f),
       f2(0x1.fffffep0f, 0x1.fffffep-1f)},
      // One rounding: 2^-24 * (1 + 2^-23) - 2^-24 is 2^-47.
      {"fma.rn.f32x2.f16x2.f32x2.f32x2 d, a, b, c", "drdd", 0x00010001,
       f2(0x1.000002p0f, 1), f2(-0x1p-24f, -0x1p-24f), f2(0x1p-47f, 0)},
      {"fma.rm.f32x2.f16x2.f32x2.f32x2 d, a, b, c", "drdd", 0x00003c00,
       f2(1, 0) | 0x7f80000000000000, f2(-1, 1), f(-0.0f) | kNaN << 32},
  };
  for (const Row &row : rows) {
    check(row, "sm_107f");
    check(row, "sm_107a");
  }
}

TEST(MixedPair, NarrowRows) {
  const Row rows[] = {
      // 1 + 2^-8 + 2^-9 is cut to a bf16 of 7 digits, whatever its sign.
      {"add.rz.bf16x2.f32x2.f32x2 d, a, b", "rdd", f2(1, -1),
       f2(0x1.8p-8f, -0x1.8p-8f), 0, 0xbf803f80},
      {"sub.rz.bf16x2.f32x2.f32x2 d, a, b", "rdd", f2(1, 3), f2(0x1p-20f, 5), 0,
       0xc0003f7f},
      {"mul.rz.bf16x2.f32x2.f32x2 d, a, b", "rdd", f2(3, -1.5f), f2(5, 0), 0,
       0x80004170},
      {"add.rz.ftz.f16x2.f32x2.f32x2 d, a, b", "rdd", f2(1, -1),
       f2(0x1.ffcp-11f, -0x1p-30f), 0, 0xbc003c00},
      // The largest numbers, and infinities that come in.
      {"add.rz.ftz.f16x2.f32x2.f32x2 d, a, b", "rdd", f2(65504, 1e30f),
       f2(65504, -1), 0, 0x7bff7bff},
      {"mul.rz.bf16x2.f32x2.f32x2 d, a, b", "rdd", f2(0x1p100f, -0x1p100f),
       f2(0x1p100f, 0x1p100f), 0, 0xff7f7f7f},
      {"mul.rz.ftz.f16x2.f32x2.f32x2 d, a, b", "rdd", kInf | kInf << 32,
       f2(2, 0), 0, 0x7fff7c00},
      {"sub.rz.bf16x2.f32x2.f32x2 d, a, b", "rdd", kInf | kNaN << 32,
       kInf | f2(0, 1), 0, 0x7fff7fff},
      // .ftz: subnormal results of f16, here 2^-15, and sources of binary32.
      {"add.rz.ftz.f16x2.f32x2.f32x2 d, a, b", "rdd", f2(0x1p-15f, -0x1p-15f),
       f2(0, 0), 0, 0x80000000},
      {"add.rz.ftz.f16x2.f32x2.f32x2 d, a, b", "rdd", f2(0x1p-14f, -0x1p-14f),
       f2(0, 0), 0, 0x84000400},
      {"mul.rz.ftz.f16x2.f32x2.f32x2 d, a, b", "rdd", f2(0x1p-127f, 0x1p-126f),
       f2(0x1p127f, 0x1p127f), 0, 0x40000000},
      // bf16 keeps both.
      {"mul.rz.bf16x2.f32x2.f32x2 d, a, b", "rdd", f2(0x1p-127f, 0x1p-133f),
       f2(0x1p127f, -1), 0, 0x80013f80},
      {"sub.rz.bf16x2.f32x2.f32x2 d, a, b", "rdd", f2(1, -0.0f), f2(1, 0), 0,
       0x80000000},
  };
  for (const Row &row : rows)
    check(row, "sm_107f");
  const ModuleScope scope("sm_107f");
  const Outcome r = run(kernel("mov.b64 %rd3, 0; add.rz.ftz.f16x2.f32x2.f32x2 "
                               "%r2, %rd3, %rd3;"));
  ASSERT_EQ(r.result.uses.size(), 1u) << r.message();
  EXPECT_EQ(r.result.uses[0].assumption, Assumption::RubinNarrowFtz);
}

namespace {
/// A number as a whole multiple of 2^-512, in two's complement.
class Whole {
public:
  explicit Whole(double x) {
    int exponent = 0;
    const double fraction = std::frexp(std::fabs(x), &exponent);
    const uint64_t digits = uint64_t(std::ldexp(fraction, 53));
    const int at = exponent - 53 + 512;
    for (unsigned bit = 0; bit < 53; ++bit)
      if (digits >> bit & 1)
        words.at(unsigned(at + int(bit)) / 64) |= 1ull
                                                  << (unsigned(at) + bit) % 64;
    if (x < 0)
      negate();
  }
  Whole &operator+=(const Whole &other) {
    unsigned __int128 carry = 0;
    for (size_t i = 0; i < words.size(); ++i) {
      carry += words[i];
      carry += other.words[i];
      words[i] = uint64_t(carry);
      carry >>= 64;
    }
    return *this;
  }
  void negate() {
    for (uint64_t &word : words)
      word = ~word;
    *this += Whole(0x1p-512);
  }
  bool isNegative() const { return words.back() >> 63; }
  /// -1, 0 or 1.
  static int compare(Whole a, Whole b) {
    b.negate();
    a += b;
    return a.isNegative() ? -1 : a.words == Whole(0).words ? 0 : 1;
  }

private:
  std::array<uint64_t, 16> words = {};
};

/// A format of IEEE 754, by its digits and the exponent of its least number.
struct Format {
  unsigned digits, bits;
  int least;
  /// The value of a magnitude; infinity counts as the next power of two.
  double value(uint64_t magnitude) const {
    const uint64_t fraction = magnitude & ((1ull << digits) - 1);
    const int field = int(magnitude >> digits);
    return std::ldexp(double(field ? fraction | 1ull << digits : fraction),
                      least + (field ? field - 1 : 0));
  }
  uint64_t infinity() const {
    return ((1ull << (bits - 1 - digits)) - 1) << digits;
  }
};
const Format kF32{23, 32, -149}, kF16{10, 16, -24}, kBF16{7, 16, -133};

double signedValue(const Format &format, uint64_t bits) {
  const uint64_t sign = 1ull << (format.bits - 1);
  const double value = format.value(bits & (sign - 1));
  return bits & sign ? -value : value;
}

/// Whether `bits` is `exact` rounded by `mode`: rn, rz, rm or rp.
bool isRounded(const Format &format, uint64_t bits, Whole exact,
               const std::string &mode) {
  const uint64_t sign = 1ull << (format.bits - 1),
                 magnitude = bits & (sign - 1);
  const bool negative = exact.isNegative();
  if (Whole::compare(exact, Whole(0)) == 0)
    return magnitude == 0;
  if (negative != bool(bits & sign))
    return false;
  if (negative)
    exact.negate();
  auto versus = [&](double bound) {
    return Whole::compare(exact, Whole(bound));
  };
  const double value = format.value(magnitude);
  const bool cuts = versus(value) >= 0 && magnitude < format.infinity() &&
                    (versus(format.value(magnitude + 1)) < 0 ||
                     magnitude + 1 == format.infinity());
  const bool grows = versus(value) <= 0
                         ? magnitude && versus(format.value(magnitude - 1)) > 0
                         : magnitude == format.infinity();
  if (mode == "rz" || mode == (negative ? "rp" : "rm"))
    return cuts;
  if (mode != "rn")
    return grows;
  auto middle = [&](uint64_t lower) {
    return versus((format.value(lower) + format.value(lower + 1)) / 2);
  };
  const int below = magnitude ? middle(magnitude - 1) : 1,
            above = magnitude < format.infinity() ? middle(magnitude) : -1;
  const bool even = !(magnitude & 1);
  return (even ? below >= 0 : below > 0) && (even ? above <= 0 : above < 0);
}

/// Sources whose sums lose digits: exponents near each other, of the whole
/// range, and special numbers.
uint32_t drawSource(std::mt19937 &random, unsigned kind) {
  const uint32_t bits = random();
  switch (kind % 4) {
  case 0:
    return (bits & 0x81ffffffu) | (100u + (bits >> 25 & 31)) << 23;
  case 1:
    return bits % 8 ? bits & 0x807fffffu : bits & 0x80000000u;
  case 2:
    return (bits & 0x807fffffu) | 254u << 23;
  default:
    return (bits >> 23 & 255) == 255 ? bits & 0x807fffffu : bits;
  }
}

constexpr unsigned kThreads = 256;

/// Runs `form` on four words of each thread: a, b, c and the result.
std::vector<uint64_t> runPairs(const std::string &form, bool narrows,
                               bool isFma, const std::vector<uint64_t> &words) {
  std::string body = "mul.wide.u32 %rd2, %r1, 32; add.u64 %rd2, %rd1, %rd2;\n"
                     "ld.global.b64 %rd4, [%rd2]; ld.global.b64 %rd5, "
                     "[%rd2+8]; ld.global.b64 %rd6, [%rd2+16];\n"
                     "cvt.u32.u64 %r4, %rd4;\n";
  body += form + (narrows ? " %r7, %rd4, " : " %rd7, %r4, ") +
          (isFma ? "%rd5, %rd6;\n" : "%rd6;\n") +
          (narrows ? "cvt.u64.u32 %rd7, %r7;\n" : "") +
          "st.global.b64 [%rd2+24], %rd7;";
  Options options;
  options.threads = kThreads;
  options.words = words.size();
  options.init = words;
  Outcome r = run(kernel(body), options);
  EXPECT_TRUE(r.result.ok) << form << ": " << r.message();
  return r.words;
}

/// Compares every half with the exact result.
void checkExact(const std::string &base, const std::string &mode, bool isBf16,
                bool narrows) {
  const bool isFma = base == "fma", isMul = base == "mul";
  const std::string narrow = isBf16 ? ".bf16x2" : ".f16x2";
  std::string form = base + "." + mode;
  if (narrows)
    form += (isBf16 ? "" : ".ftz") + narrow + ".f32x2.f32x2";
  else
    form += ".f32x2" + narrow + ".f32x2" + (isFma ? ".f32x2" : "");
  SCOPED_TRACE(form);
  const Format &small = isBf16 ? kBF16 : kF16, &wide = kF32;
  const Format &first = narrows ? wide : small, &to = narrows ? small : wide;
  std::mt19937 random(7);
  std::vector<uint64_t> words(4 * kThreads);
  for (unsigned t = 0; t < kThreads; ++t)
    for (unsigned k = 0; k < 3; ++k)
      for (unsigned h = 0; h < 2; ++h) {
        uint32_t bits = drawSource(random, t / 4 + (k == 1 ? 3 : 0));
        if (k == 0 && !narrows) {
          bits >>= 16;
          if ((bits & small.infinity()) == small.infinity())
            bits ^= 1u << small.digits;
        }
        words[4 * t + k] |= uint64_t(bits) << (k == 0 ? first.bits : 32) * h;
      }
  const std::vector<uint64_t> result = runPairs(form, narrows, isFma, words);
  unsigned wrong = 0;
  for (unsigned t = 0; t < kThreads; ++t)
    for (unsigned h = 0; h < 2; ++h) {
      auto half = [&](unsigned word, unsigned bits) {
        return result[4 * t + word] >> bits * h & ((1ull << bits) - 1);
      };
      auto source = [&](unsigned word) {
        const Format &format = word == 0 ? first : wide;
        const double value = signedValue(format, half(word, format.bits));
        // .ftz.
        return narrows && !isBf16 && std::fabs(value) < 0x1p-126 ? 0.0 : value;
      };
      // Products of two such numbers are exact in binary64.
      Whole exact(isMul   ? source(0) * source(2)
                  : isFma ? source(0) * source(1)
                          : source(0));
      Whole last(source(2));
      if (base == "sub")
        last.negate();
      if (!isMul)
        exact += last;
      const uint64_t got = half(3, to.bits);
      const bool flushed = narrows && !isBf16 && !(got & 0x7fff);
      if (flushed) { // below 2^-14, the least normal number
        if (exact.isNegative())
          exact.negate();
        wrong += Whole::compare(exact, Whole(0x1p-14)) >= 0;
      } else {
        wrong += !isRounded(to, got, exact, mode);
      }
    }
  EXPECT_EQ(wrong, 0u);
}
} // namespace

TEST(MixedPair, EqualsExactArithmetic) {
  const ModuleScope scope("sm_107f");
  for (bool isBf16 : {false, true}) {
    for (const char *mode : {"rn", "rz", "rm", "rp"})
      for (const char *base : {"add", "sub", "fma"})
        checkExact(base, mode, isBf16, false);
    for (const char *base : {"add", "sub", "mul"})
      checkExact(base, "rz", isBf16, true);
  }
}

/// A half of a result has a value where that half of every source has.
TEST(MixedPair, UndefinedHalves) {
  const ModuleScope scope("sm_107f");
  // %h3 was never written; bf16 2 is 0x4000, 3 0x4040.
  const std::string lower = "mov.b32 %r10, {%h2, %h3};";
  const std::string ones =
      "mov.u16 %h2, 0x4000; mov.u32 %r3, 0x3f800000; mov.u32 %r5, 0x3f800000;\n"
      "mov.b64 %rd4, {%r3, %r5};\n";
  for (const BytesCase &c : {
           BytesCase{"narrow source",
                     "add.rn.f32x2.bf16x2.f32x2 %rd20, %r10, %rd4;", 0b00001111,
                     0x40400000},
           BytesCase{"fma",
                     "fma.rn.f32x2.bf16x2.f32x2.f32x2 %rd20, %r10, %rd4, %rd4;",
                     0b00001111, 0x40400000},
       })
    checkBytes({c.name, (ones + lower + c.body).c_str(), c.known, c.value},
               true, false);
  const std::string text = ones + "mov.b64 %rd3, {%r3, %r9};\n"
                                  "add.rz.bf16x2.f32x2.f32x2 %r20, %rd3, %rd4;";
  checkBytes({"narrow result", text.c_str(), 0b0011, 0x4000}, false, false);
}

TEST(MixedPair, Refused) {
  const struct {
    const char *target, *version, *text, *message;
  } cases[] = {
      {"sm_100a", "9.4", "add.rn.f32x2.f16x2.f32x2 %rd3, %r2, %rd4;",
       "expected a target that has add of two precisions (sm_107a, sm_107f), "
       "got sm_100a"},
      {"sm_107", "9.4", "mul.rz.bf16x2.f32x2.f32x2 %r2, %rd3, %rd4;",
       "expected a target that has mul of two precisions (sm_107a, sm_107f), "
       "got sm_107"},
      {"sm_107f", "9.3", "sub.f32x2.f16x2.f32x2 %rd3, %r2, %rd4;",
       "expected .version 9.4 or later for sub of two precisions, got 9.3"},
      {"sm_107f", "9.4", "fma.f32x2.f16x2.f32x2.f32x2 %rd3, %r2, %rd4, %rd4;",
       "expected a rounding mode"},
      {"sm_107f", "9.4", "add.rn.bf16x2.f32x2.f32x2 %r2, %rd3, %rd4;",
       "expected .rz"},
      {"sm_107f", "9.4", "add.rz.f16x2.f32x2.f32x2 %r2, %rd3, %rd4;",
       "expected .ftz where .f32x2 becomes .f16x2, and nowhere else"},
      {"sm_107f", "9.4", "mul.rz.ftz.bf16x2.f32x2.f32x2 %r2, %rd3, %rd4;",
       "expected .ftz where .f32x2 becomes .f16x2, and nowhere else"},
      {"sm_107f", "9.4", "add.rn.sat.f32x2.f16x2.f32x2 %rd3, %r2, %rd4;",
       "expected a type, got .sat"},
      {"sm_107f", "9.4", "add.rn.f32x2.f16x2.f16x2 %rd3, %r2, %r4;",
       "expected .f32x2, .f16x2 or .bf16x2 and .f32x2"},
      {"sm_107f", "9.4", "mul.rn.f32x2.f16x2.f32x2 %rd3, %r2, %rd4;",
       "expected .f32x2, .f16x2 or .bf16x2 and .f32x2"},
      {"sm_107f", "9.4",
       "fma.rz.bf16x2.f32x2.f32x2.f32x2 %r2, %rd3, %rd4, %rd4;",
       "expected .f32x2, .f16x2 or .bf16x2 and .f32x2"},
      {"sm_107f", "9.4", "mul.bf16x2.bf16x2.f16x2 %r2, %r3, %r4;",
       "does not say how the second source is rounded"},
  };
  for (const auto &c : cases) {
    const ModuleScope scope(c.target, c.version);
    EXPECT_REPORT(run(kernel(c.text)), ReportKind::Unsupported, c.message);
  }
}
