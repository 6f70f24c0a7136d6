//===- RubinFormsChecksTest.cpp - what those operands need ----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Refusals, operands without a value, and what an instruction with packed rows,
// tables or scale factors in 128 lanes reads until it is done.
//
//===----------------------------------------------------------------------===//

#include "RubinForms.h"

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

/// Either order of modifiers.
TEST(RubinFormsChecks, order_of_modifiers) {
  Case c;
  c.looksUp = true;
  Changes changes;
  for (const char *form :
       {".block_scale.decompress::lut::b.block32.collector::a::fill",
        ".block_scale.block32.collector::a::fill.decompress::lut::b"}) {
    changes.form = form;
    EXPECT_EQ(reportOf(c, draw(c, 7), changes), "");
  }
  c.kind = "f8f6f4";
  for (const char *form : {".decompress::lut::b.collector::b::fill",
                           ".collector::a::use.decompress::lut::b"}) {
    changes.form = form;
    changes.mask = "{%r35, %r35, %r35, %r35}, ";
    EXPECT_EQ(reportOf(c, draw(c, 7), changes), "");
  }
}

TEST(RubinFormsChecks, a_buffer_is_named_once) {
  Case c;
  c.kind = "f8f6f4";
  Changes changes;
  changes.form = ".collector::b::fill.collector::a::fill";
  EXPECT_EQ(reportOf(c, draw(c, 7), changes), "");
  changes.form = ".collector::a::fill.collector::a::use";
  expectReport(reportOf(c, draw(c, 7), changes),
               "expected one use of a collector buffer, got "
               ".collector::a::use, too");
}

/// Two factors of a row begin at its first or third byte.
TEST(RubinFormsChecks, bytes_of_factors) {
  Case c;
  c.idA = 2;
  EXPECT_EQ(reportOf(c, draw(c, 7)), "");
  c.idA = 1;
  expectReport(reportOf(c, draw(c, 7)), "bits 29-30 (SFA id): "
                                        "expected 0 or 2");
  c.idA = 0;
  c.idB = 3;
  expectReport(reportOf(c, draw(c, 7)), "bits 4-5 (SFB id): expected 0 or 2");
}

TEST(RubinFormsChecks, addresses_and_descriptors_are_checked) {
  const std::string section =
      " (PTX ISA 9.4, \"Decompression of input matrices\", 9.7.18.10.8)";
  Case c;
  c.kind = "f8f6f4";
  c.looksUp = true;
  Changes changes;
  changes.table = 1;
  expectReport(reportOf(c, draw(c, 1), changes),
               "operand lut, column of the address: expected a multiple of 2, "
               "got 101" +
                   section);
  for (unsigned lane : {16u, 128u}) {
    changes.table = lane << 16;
    expectReport(reportOf(c, draw(c, 1), changes),
                 "operand lut, lane of the address: expected 0, 32, 64 or 96, "
                 "as the emulator supports no other, got " +
                     num(lane) + section);
  }
  c.swizzleB = 6;
  expectReport(reportOf(c, draw(c, 1)),
               "b descriptor, bits 61-63 (swizzle): expected 0 (none), 1 "
               "(128B, 32B atoms), 2 (128B) or 4 (64B) for rows of 48 bytes of "
               "kind::f8f6f4, got 6 (32B) (PTX ISA 9.4, \"Packing formats\", "
               "9.7.18.10.4)");
  Case packed;
  packed.a = kE2M3;
  packed.swizzleA = 6;
  expectReport(reportOf(packed, draw(packed, 1)),
               "a descriptor, bits 61-63 (swizzle): expected 0 (none), 1 "
               "(128B, 32B atoms), 2 (128B) or 4 (64B) for rows of 48 bytes of "
               "kind::mxf8f6f4, got 6 (32B)");
  Case bytes;
  bytes.swizzleB = 6;
  expectReport(reportOf(bytes, draw(bytes, 1)),
               "b descriptor, bits 61-63 (swizzle): expected 0 (none), 1 "
               "(128B, 32B atoms), 2 (128B) or 4 (64B) for rows of 64 bytes of "
               "kind::mxf8f6f4, got 6 (32B)");
  Case lanes;
  lanes.lanes = true;
  changes = {};
  changes.scaleA = 32 << 16;
  expectReport(reportOf(lanes, draw(lanes, 1), changes),
               "operand sfa, lane of the address: expected 0 with scales in "
               "128 lanes, got 32 (PTX ISA 9.4, \"Block Scaling\", "
               "9.7.18.10.7)");
  // Of all operands but indices bit 53 is reserved.
  const std::string reserved = ", bits 53-60 (reserved): expected 0, got 1";
  Changes first, second;
  first.a = second.b = 1ull << 53;
  c.swizzleB = 0;
  expectReport(reportOf(c, draw(c, 1), first), reserved);
  EXPECT_EQ(reportOf(c, draw(c, 1), second), "");
  packed.swizzleA = 0;
  expectReport(reportOf(packed, draw(packed, 1), second), reserved);
}

/// The report where `word` of shared memory has no value.
std::string withoutWord(const Case &c, unsigned byte) {
  Data data = draw(c, 11);
  data.images[0].smemValid[byte / 4] = 0;
  return reportOf(c, data);
}

/// Where a cell, relative to the first of operands, has none.
std::string withoutCell(const Case &c, unsigned lane, unsigned column,
                        const std::function<unsigned(unsigned)> &index = {}) {
  Data data = draw(c, 11, index);
  data.images[0].tmemValid[lane * kTmemWords + column] = 0;
  return reportOf(c, data);
}

TEST(RubinFormsChecks, what_has_no_value) {
  const std::string why = "where nothing was written before",
                    stored = "tcgen05.st.sync.aligned.32x32b.x8.b32 of line";
  Case c;
  c.kind = "f8f6f4";
  c.looksUp = true;
  // Of a row of indices one half counts.
  for (c.segment = 0; c.segment < 2; ++c.segment)
    for (unsigned byte = 0; byte < 48; byte += 4) {
      const std::string got = withoutWord(c, kB + placeOf(0, 5, byte));
      if (byte / 24 == c.segment)
        expectReport(got, why);
      else
        EXPECT_EQ(got, "") << byte;
    }
  c.segment = 0;
  // Entries 4 to 7 of the table of columns 8 to 15, of which one has such an
  // index.
  const unsigned cell = kColumnTable + 1;
  auto low = [](unsigned n) { return n % 4; };
  auto oneHigh = [](unsigned n) { return n == 13 ? 5 : n % 4; };
  EXPECT_EQ(withoutCell(c, 1, cell, low), "");
  EXPECT_EQ(withoutCell(c, 4, cell), "");
  expectReport(withoutCell(c, 1, cell, oneHigh), "[%rd8+52]");
  // Packed rows.
  Case packed;
  packed.a = kE2M3;
  packed.swizzleA = 4;
  expectReport(withoutWord(packed, placeOf(4, 7, 0)), why);
  expectReport(withoutWord(packed, placeOf(4, 7, 44)), why);
  EXPECT_EQ(withoutWord(packed, placeOf(4, 7, 48)), "");
  packed.a = kE2M1;
  expectReport(withoutWord(packed, placeOf(4, 7, 28)), why);
  EXPECT_EQ(withoutWord(packed, placeOf(4, 7, 32)), "");
  packed.a = kE3M2;
  packed.tmemA = true;
  expectReport(withoutCell(packed, 100, 11), stored);
  EXPECT_EQ(withoutCell(packed, 100, 12), "");
  // Scales.
  packed.lanes = true;
  expectReport(withoutCell(packed, 100, kColumnSFA), stored);
  EXPECT_EQ(withoutCell(packed, 100, kColumnSFA + 1), "");
}

/// What is read until the instruction is done.
TEST(RubinFormsChecks, footprints) {
  const std::string read = ", which the tcgen05.mma.cta_group::1.kind::",
                    pending = "accesses Tensor Memory that pending work still "
                              "reads: tcgen05.mma.cta_group::1.kind::";
  Case c;
  c.kind = "f8f6f4";
  c.looksUp = true;
  c.swizzleB = 4;
  auto stored = [](const Case &c, unsigned byte) {
    Changes changes;
    changes.races = true;
    changes.issued = "st.shared.u32 [%r2+" + num(byte) + "], 0;\n";
    return reportOf(c, draw(c, 1), changes);
  };
  // Both halves of a row of indices.
  for (c.segment = 0; c.segment < 2; ++c.segment)
    for (unsigned byte = 0; byte < 64; byte += 4) {
      const std::string got = stored(c, kB + placeOf(4, 3, byte));
      if (byte < 48)
        expectReport(got, read);
      else
        EXPECT_EQ(got, "") << byte;
    }
  Case packed;
  packed.a = kE2M3;
  packed.b = kE2M1;
  packed.swizzleA = packed.swizzleB = 4;
  expectReport(stored(packed, placeOf(4, 127, 44)), read);
  EXPECT_EQ(stored(packed, placeOf(4, 127, 48)), "");
  expectReport(stored(packed, kB + placeOf(4, 31, 28)), read);
  EXPECT_EQ(stored(packed, kB + placeOf(4, 31, 32)), "");
  // A copy that still writes there.
  auto copied = [](const Case &c, unsigned byte) {
    Changes changes;
    changes.before =
        "add.u32 %r36, %r2, 24592;\nmbarrier.init.shared.b64 [%r36], 1;\n"
        "fence.mbarrier_init.release.cluster;\n"
        "mbarrier.arrive.expect_tx.shared.b64 _, [%r36], 16;\n"
        "add.u32 %r37, %r2, " +
        num(byte) +
        ";\ncp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
        "[%r37], [%rd1], 16, [%r36];\n";
    changes.issued =
        "COPIED:\nmbarrier.try_wait.parity.shared.b64 %p6, [%r36], "
        "0;\n@!%p6 bra COPIED;\n";
    return reportOf(c, draw(c, 1), changes);
  };
  const std::string limbo = "is being written by asynchronous work";
  for (c.segment = 0; c.segment < 2; ++c.segment) {
    for (unsigned byte : {0u, 16u, 32u})
      expectReport(copied(c, kB + placeOf(4, 3, byte)), limbo);
    EXPECT_EQ(copied(c, kB + placeOf(4, 3, 48)), "");
  }
  expectReport(copied(packed, placeOf(4, 127, 32)), limbo);
  EXPECT_EQ(copied(packed, placeOf(4, 127, 48)), "");
  expectReport(copied(packed, kB + placeOf(4, 31, 16)), limbo);
  EXPECT_EQ(copied(packed, kB + placeOf(4, 31, 32)), "");

  auto written = [](const Case &c, unsigned warp, unsigned column) {
    Changes changes;
    changes.after = "bar.sync 0;\nsetp.eq.u32 %p6, %r1, " + num(warp) +
                    ";\nadd.u32 %r13, %r12, " + num(kTmemFirst + column) +
                    ";\n@%p6 tcgen05.st.sync.aligned.32x32b.x1.b32 [%r13], "
                    "{%r0};\ntcgen05.wait::st.sync.aligned;\n";
    return reportOf(c, draw(c, 1), changes);
  };
  packed.tmemA = packed.lanes = true;
  expectReport(written(packed, 3, 11), pending);
  EXPECT_EQ(written(packed, 3, 12), "");
  expectReport(written(packed, 3, kColumnSFA), pending);
  EXPECT_EQ(written(packed, 3, kColumnSFA + 1), "");
  packed.lanes = false;
  expectReport(written(packed, 3, kColumnSFA + 3), pending);
  // The lanes of four tables.
  c.segment = 0;
  c.tableLane = 32;
  expectReport(written(c, 1, kColumnTable), pending);
  expectReport(written(c, 1, kColumnTable + 1), pending);
  EXPECT_EQ(written(c, 1, kColumnTable + 2), "");
  for (unsigned warp : {0u, 2u, 3u})
    EXPECT_EQ(written(c, warp, kColumnTable), "");
}

} // namespace
