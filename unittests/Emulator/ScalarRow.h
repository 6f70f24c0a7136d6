//===- ScalarRow.h - one row per scalar instruction -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row gives an instruction on registers d, a, b, c and the result that the
// PTX ISA defines for the inputs. It runs in a full warp and in a single lane,
// which take different paths through the emulator.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_EMULATOR_SCALARROW_H
#define TC_UNITTESTS_EMULATOR_SCALARROW_H

#include "Harness.h"

namespace tc::emu::test {

struct Row {
  const char *inst;
  /// Register types of d, a, b, c: h 16 bits, r 32, d 64.
  const char *widths;
  uint64_t a, b, c, expected;
};

inline const char *typeOf(char width) {
  return width == 'h' ? ".b16" : width == 'r' ? ".b32" : ".b64";
}

inline std::string program(const Row &row, bool singleLane,
                           const char *target) {
  std::string body = "{\n";
  const char *names[] = {"d", "a", "b", "c"};
  for (unsigned i = 0; row.widths[i]; ++i)
    body +=
        std::string(".reg ") + typeOf(row.widths[i]) + " " + names[i] + ";\n";
  if (singleLane)
    body += "setp.ne.u32 %p9, %r1, 0; @%p9 bra END;\n";
  for (unsigned i = 1; row.widths[i]; ++i) {
    std::string at = std::to_string(8 * (64 + i));
    body += "ld.global.b64 %rd9, [%rd1+" + at + "];\n";
    char width = row.widths[i];
    body += width == 'd' ? std::string("mov.b64 ") + names[i] + ", %rd9;\n"
            : width == 'r'
                ? std::string("cvt.u32.u64 ") + names[i] + ", %rd9;\n"
                : std::string("cvt.u16.u64 ") + names[i] + ", %rd9;\n";
  }
  body += std::string(row.inst) + ";\n";
  body += row.widths[0] == 'd'   ? "mov.b64 %rd8, d;\n"
          : row.widths[0] == 'r' ? "cvt.u64.u32 %rd8, d;\n"
                                 : "cvt.u64.u16 %rd8, d;\n";
  std::string text = kernel(body + "st.global.b64 [%rd2], %rd8;\nEND:\n}\n");
  if (target)
    text.replace(0, text.find(".address_size"),
                 ".version 9.4\n.target " + std::string(target) + "\n");
  return text;
}

/// On the target of the harness, or on `target`.
inline void check(const Row &row, const char *target = nullptr) {
  for (bool single : {false, true}) {
    Options options;
    options.words = 128;
    options.init.resize(128);
    options.init[65] = row.a;
    options.init[66] = row.b;
    options.init[67] = row.c;
    Outcome r = run(program(row, single, target), options);
    ASSERT_TRUE(r.result.ok) << row.inst << ": " << r.message();
    for (unsigned lane = 0; lane < (single ? 1 : 32); ++lane)
      ASSERT_EQ(r.words[lane], row.expected)
          << row.inst << std::hex << " got " << r.words[lane] << " expected "
          << row.expected;
  }
}

inline uint64_t f(float x) {
  uint32_t bits;
  memcpy(&bits, &x, 4);
  return bits;
}
inline uint64_t f2(float lo, float hi) { return f(lo) | f(hi) << 32; }
inline uint64_t d(double x) {
  uint64_t bits;
  memcpy(&bits, &x, 8);
  return bits;
}
constexpr uint64_t kNaN = 0x7fffffff, kInf = 0x7f800000;

} // namespace tc::emu::test

#endif // TC_UNITTESTS_EMULATOR_SCALARROW_H
