//===- UndefinedTest.cpp - operands and copies without a value ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bytes and cells that nothing wrote go through tcgen05.cp, st, shift, ld and
// mma, and are reported where what was made of them leaves for global memory.
//
//===----------------------------------------------------------------------===//

#include "PtxHarness.h"

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

/// Shared memory from 32768 on: the mbarrier, the address of Tensor Memory.
const std::string kSetUp =
    "setp.eq.u32 %p0, %r0, 0; setp.eq.u32 %p1, %r1, 0;\n"
    "add.u32 %r3, %r2, 32768; add.u32 %r4, %r2, 32784;\n"
    "@%p0 mbarrier.init.shared.b64 [%r3], 1;\n@!%p1 bra ALLOCATED;\n"
    "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r4], 64;\n"
    "ALLOCATED: fence.proxy.async.shared::cta; bar.sync 0;\n"
    "ld.shared.u32 %r10, [%r4]; shl.b32 %r11, %r1, 21;\n"
    "add.u32 %r12, %r10, %r11; shr.u32 %r5, %r2, 4; cvt.u64.u32 %rd4, %r5;\n"
    "or.b64 %rd4, %rd4, 0x0000401000080000; add.u64 %rd5, %rd4, 512;\n";
const std::string kCommit =
    "@%p0 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster."
    "b64 [%r3];\n"
    "W: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 0; @!%p2 bra W;\n"
    "tcgen05.fence::after_thread_sync;\n";
const std::string kFree =
    "bar.sync 0; @!%p1 bra FREED;\n"
    "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r10, 64;\nFREED:\n";

/// Stores column `column` of the lanes for which %p3 holds.
std::string storeColumn(unsigned column) {
  return "add.u32 %r13, %r12, " + num(column) +
         "; tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%r13];\n"
         "tcgen05.wait::ld.sync.aligned; mul.wide.u32 %rd1, %r0, 4;\n"
         "add.u64 %rd1, %rd0, %rd1; @%p3 st.global.u32 [%rd1], %v0;\n";
}

/// `body`, then those lanes of the column; "" or what is reported.
std::string result(const std::string &body, unsigned column, const char *lanes,
                   const std::string &before = "",
                   const std::string &schedule = "lazy",
                   std::vector<uint32_t> *out = nullptr) {
  Outcome outcome =
      run(kernel(before + kSetUp + body + "setp." + lanes + " %p3, %r0, %r20;" +
                 storeColumn(column) + kFree),
          256, 128, schedule, {}, {}, {}, {}, 1, AssumptionSet::defaults());
  if (out)
    *out = outcome.out;
  return outcome.result.ok ? "" : outcome.message();
}

/// Threads below `rows` write 16 bytes each, one after the other.
std::string fill(unsigned rows) {
  return "setp.lt.u32 %p4, %r0, " + num(rows) +
         "; shl.b32 %r6, %r0, 4; add.u32 %r6, %r6, %r2;\n"
         "@%p4 st.shared.v4.b32 [%r6], {%r0, %r0, %r0, %r0};\n";
}

TEST(Undefined, copies_to_tensor_memory_pass_it_on) {
  struct {
    const char *shape;
    unsigned rows; ///< that are written, of 16 bytes
    const char *defined, *undefined;
    unsigned lane;
  } const cases[] = {
      // LBO 8, SBO 16: rows of 16 bytes, eight of them per 256 bytes.
      {"128x128b", 32, "lt.u32", "ge.u32", 16},
      {"128x256b", 32, "lt.u32", "ge.u32", 16},
      {"32x128b.warpx4", 16, "lt.u32", "eq.u32", 8},
      {"64x128b.warpx2::02_13", 64, "lt.u32", "eq.u32", 32},
      {"64x128b.warpx2::01_23", 64, "lt.u32", "ge.u32", 64},
      {"4x256b", 2, "eq.u32", "eq.u32", 0},
  };
  for (const auto &c : cases) {
    const std::string copy = "@%p0 tcgen05.cp.cta_group::1." +
                             std::string(c.shape) + " [%r10], %rd4;\n" +
                             kCommit + "mov.u32 %r20, ";
    for (const std::string &schedule : schedules())
      EXPECT_EQ(result(copy + num(c.lane) + ";", 0, c.defined, fill(c.rows),
                       schedule),
                "")
          << c.shape;
    // Of 4x256b the row in lane 64.
    const unsigned lane = c.shape[0] == '4' ? 64 : c.lane;
    EXPECT_NE(result(copy + num(lane) + ";", 0, c.undefined, fill(c.rows))
                  .find("tcgen05.cp.cta_group::1." + std::string(c.shape) +
                        " of line "),
              std::string::npos)
        << c.shape;
  }
}

TEST(Undefined, moves_within_tensor_memory_pass_it_on) {
  // Lanes from 64 on store a register that was never written.
  const std::string store =
      "setp.lt.u32 %p4, %r0, 64; @%p4 mov.u32 %v1, 7;\n"
      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%r12], {%v1};\n"
      "tcgen05.wait::st.sync.aligned; mov.u32 %r20, 64;\n";
  EXPECT_EQ(result(store, 0, "lt.u32"), "");
  EXPECT_NE(result(store, 0, "ge.u32")
                .find("tcgen05.st.sync.aligned.32x32b.x1.b32 of line"),
            std::string::npos);
  // Halves have cells of their own.
  const std::string unpack =
      "mov.b32 {%h0, _}, %r0; mov.b32 %v1, {%h0, %h1}; mov.u32 %r20, 0;\n"
      "tcgen05.st.sync.aligned.32x32b.x1.unpack::16b.b32 [%r12], {%v1};\n"
      "tcgen05.wait::st.sync.aligned;\n";
  EXPECT_EQ(result(unpack, 0, "ge.u32"), "");
  EXPECT_NE(result(unpack, 1, "ge.u32"), "");
  // Row i takes what row i + 1 has: 6 is the last row with a value.
  const std::string shift =
      "setp.lt.u32 %p4, %r0, 8; @%p4 mov.u32 %v1, %r0;\n"
      "tcgen05.st.sync.aligned.32x32b.x8.b32 [%r12], {%v1, %v1, %v1, %v1, %v1, "
      "%v1, %v1, %v1};\n"
      "tcgen05.wait::st.sync.aligned; tcgen05.fence::before_thread_sync;\n"
      "bar.sync 0; tcgen05.fence::after_thread_sync;\n"
      "@%p0 tcgen05.shift.cta_group::1.down [%r10];\n" +
      kCommit + "mov.u32 %r20, 7;\n";
  EXPECT_EQ(result(shift, 3, "lt.u32"), "");
  EXPECT_NE(result(shift, 3, "eq.u32"), "");
}

/// A of 128 rows and 16 columns at 0, B of 8 rows at 8192; all are 1, in bf16.
/// Threads below `rows` write A, those below `columns` B.
std::string operands(unsigned rows, unsigned columns) {
  return "mov.u32 %r40, 0x3f803f80; shr.u32 %r6, %r0, 3; shl.b32 %r6, %r6, 8;\n"
         "and.b32 %r7, %r0, 7; shl.b32 %r7, %r7, 4; add.u32 %r6, %r6, %r7;\n"
         "add.u32 %r6, %r6, %r2; setp.lt.u32 %p4, %r0, " +
         num(rows) + "; setp.lt.u32 %p5, %r0, " + num(columns) +
         ";\n"
         "@%p4 st.shared.v4.b32 [%r6], {%r40, %r40, %r40, %r40};\n"
         "@%p4 st.shared.v4.b32 [%r6+128], {%r40, %r40, %r40, %r40};\n"
         "@%p5 st.shared.v4.b32 [%r6+8192], {%r40, %r40, %r40, %r40};\n"
         "@%p5 st.shared.v4.b32 [%r6+8320], {%r40, %r40, %r40, %r40};\n";
}

std::string mma(const char *accumulate, const char *d = "%r10") {
  return "mov.u32 %r21, " + num(1 << 4 | 1 << 7 | 1 << 10 | 1 << 17 | 8 << 24) +
         "; setp.ne.u32 %p6, " + accumulate +
         ", 0;\n@%p0 tcgen05.mma.cta_group::1.kind::f16 [" + d +
         "], %rd4, %rd5, %r21, %p6;\n";
}

TEST(Undefined, products_are_as_undefined_as_their_operands) {
  const std::string once = mma("0") + kCommit,
                    twice = mma("0") + mma("1") + kCommit,
                    first = mma("1") + kCommit,
                    of = "tcgen05.mma.cta_group::1.kind::f16 of line ";
  auto check = [&](const char *name, const std::string &body,
                   const std::string &before, unsigned column,
                   const char *defined, const char *undefined,
                   unsigned undefinedColumn, const std::string &why) {
    const std::string all = body + "mov.u32 %r20, 100;\n";
    for (const std::string &schedule : schedules()) {
      std::vector<uint32_t> out;
      EXPECT_EQ(result(all, column, defined, before, schedule, &out), "")
          << name << ", " << schedule;
      const std::string report =
          result(all, undefinedColumn, undefined, before, schedule);
      EXPECT_NE(report.find(why), std::string::npos)
          << name << ", " << schedule << ": " << report;
    }
  };
  check("rows of A", once, operands(100, 8), 0, "lt.u32", "eq.u32", 0, of);
  check("columns of B", once, operands(128, 7), 6, "lt.u32", "lt.u32", 7,
        "reads offset 9328 of shared memory, where nothing was written before "
        "or since");
  check("twice", twice, operands(100, 8), 7, "lt.u32", "ge.u32", 7,
        "of shared memory");
  EXPECT_NE(result(first + "mov.u32 %r20, 0;", 0, "eq.u32", operands(128, 8))
                .find("accumulates into Tensor Memory that was never written: "
                      "lane 0, column "),
            std::string::npos);
  // A new product makes the cells good.
  std::vector<uint32_t> out;
  EXPECT_EQ(result(first + "mov.u32 %r20, 0; bar.sync 0;\n" + mma("0") +
                       "@%p0 tcgen05.commit.cta_group::1.mbarrier::arrive::one."
                       "shared::cluster.b64 [%r3];\n"
                       "V: mbarrier.try_wait.parity.shared.b64 %p2, [%r3], 1; "
                       "@!%p2 bra V;\ntcgen05.fence::after_thread_sync;\n",
                   3, "ge.u32", operands(128, 8), "lazy", &out),
            "");
  EXPECT_EQ(out[127], 0x41800000u);
}

TEST(Undefined, tensor_stores_read_what_is_in_the_tensor) {
  // 8 rows of 64 bytes, a box of 16.
  TensorMapDesc map;
  map.dtype = TensorMapType::U32;
  map.rank = 2;
  map.dims = {16, 8};
  map.strides = {64};
  map.box = {16, 16};
  auto store = [&](unsigned rows, const char *swizzle) {
    map.swizzle = *swizzle ? TensorMapSwizzle::B64 : TensorMapSwizzle::None;
    return run(kernel(fill(4 * rows) +
                      "setp.eq.u32 %p0, %r0, 0; mov.u32 %r40, 0;\n"
                      "fence.proxy.async.shared::cta; bar.sync 0;\n"
                      "mov.b64 %rd2, mapA; cvta.param.u64 %rd3, %rd2;\n"
                      "@%p0 cp.async.bulk.tensor.2d.global.shared::cta.tile."
                      "bulk_group [%rd3, {%r40, %r40}], [%r2];\n"
                      "cp.async.bulk.commit_group; "
                      "cp.async.bulk.wait_group 0;"),
               4, 128, "lazy", std::vector<uint8_t>(512), map)
        .message();
  };
  for (const char *swizzle : {"", "64 bytes"}) {
    EXPECT_EQ(store(8, swizzle), "");
    EXPECT_NE(store(7, swizzle)
                  .find("the source is not readable: byte at "
                        "offset "),
              std::string::npos);
  }
}

} // namespace
