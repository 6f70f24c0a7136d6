//===- UndefinedBytes.h - registers with a value in part --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cases that compute with registers of which some bytes have no value: each
// byte of the result is stored by itself, and is the same whatever those bytes
// hold, or is reported.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITTESTS_EMULATOR_UNDEFINEDBYTES_H
#define TC_UNITTESTS_EMULATOR_UNDEFINEDBYTES_H

#include "Harness.h"

namespace tc::emu::test {

inline const char *const kBytesShared = ".shared .align 128 .b8 s[1024];";
/// %r2 is 0x44332211; %r10 and %h10 have its even bytes only, %rd10 those and
/// zeros above, %r8 and %p9 nothing.
inline const char *const kPartialBytes = "mov.u32 %r2, 0x44332211;\n"
                                         "prmt.b32 %r10, %r2, %r8, 0x7250;\n"
                                         "cvt.u16.u32 %h10, %r10;\n"
                                         "cvt.u64.u32 %rd10, %r10;\n";

/// Gives everything that has no value above the same bits.
inline std::string filled(const char *bits) {
  const std::string b = bits;
  return "mov.b32 %r8, " + b + "; mov.b64 %rd9, {%r8, %r8}; mov.b32 %f9, " + b +
         ";\nmov.b32 %r9, " + b + "; mov.b32 %r11, " + b +
         "; mov.b32 {%h3, %h4}, %r8; setp.ne.u32 %p9, %r8, 0;\n";
}

struct BytesCase {
  const char *name, *body; ///< leaves %r20, or %rd20
  unsigned known;          ///< bytes of it, by bits
  uint64_t value;          ///< of them
};

inline std::string storedByte(const BytesCase &c, bool wide, unsigned byte) {
  const std::string by = std::to_string(8 * byte);
  return kernel(std::string(kPartialBytes) + c.body +
                    (wide ? "\nshr.u64 %rd21, %rd20, " + by +
                                "; st.global.u8 [%rd2], %rd21;"
                          : "\nshr.u32 %r21, %r20, " + by +
                                "; st.global.u8 [%rd2], %r21;"),
                kBytesShared);
}

/// Bytes that are known are the same whatever the others hold.
inline void checkFilledBytes(const BytesCase &c, bool wide) {
  for (const char *bits : {"0", "-1", "0x5a5a5a5a"}) {
    SCOPED_TRACE(bits);
    const Outcome r = run(kernel(filled(bits) + kPartialBytes + c.body +
                                     (wide ? "\nst.global.u64 [%rd2], %rd20;"
                                           : "\nst.global.u32 [%rd2], %r20;"),
                                 kBytesShared));
    EXPECT_TRUE(r.result.ok) << r.message();
    for (unsigned byte = 0; byte < (wide ? 8 : 4); ++byte)
      if (c.known >> byte & 1)
        EXPECT_EQ(r.words[0] >> (8 * byte) & 0xff, c.value >> (8 * byte) & 0xff)
            << "byte " << byte;
  }
}

/// `fills`: all that has no value is in registers.
inline void checkBytes(const BytesCase &c, bool wide = false,
                       bool fills = true) {
  SCOPED_TRACE(c.name);
  if (fills)
    checkFilledBytes(c, wide);
  const unsigned bytes = wide ? 8 : 4;
  for (unsigned byte = 0; byte < bytes; ++byte) {
    SCOPED_TRACE("byte " + std::to_string(byte));
    const Outcome r = run(storedByte(c, wide, byte));
    if (!(c.known >> byte & 1)) {
      EXPECT_REPORT(r, ReportKind::Undefined, "was never written, in lane 0");
      continue;
    }
    EXPECT_TRUE(r.result.ok) << r.message();
    EXPECT_EQ(r.words[0], c.value >> (8 * byte) & 0xff);
  }
  const Outcome whole = run(kernel(std::string(kPartialBytes) + c.body +
                                       (wide ? "\nst.global.u64 [%rd2], %rd20;"
                                             : "\nst.global.u32 [%rd2], %r20;"),
                                   kBytesShared));
  if (c.known != (1u << bytes) - 1)
    EXPECT_REPORT(whole, ReportKind::Undefined, "was never written, in lane 0");
  else
    EXPECT_EQ(whole.words[0], c.value) << whole.message();
}

} // namespace tc::emu::test

#endif // TC_UNITTESTS_EMULATOR_UNDEFINEDBYTES_H
