//===- UndefinedTest.cpp - values that nothing ever wrote -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever reads bytes, registers or lanes without a value passes that on. It
// is reported where it decides or leaves for global memory, with what brought
// it in. Each case runs as it is, and fails when it stores the other value.
//
//===----------------------------------------------------------------------===//

#include "Harness.h"

using namespace tc::emu;
using namespace tc::emu::test;

namespace {

const char *const kShared = ".shared .align 128 .b8 s[1024];";
const char *const kStore = " mad.wide.u32 %rd9, %r1, 4, %rd1;\n"
                           "st.global.u32 [%rd9], ";
/// Lane l writes bytes 4 l to 4 l + 3: the first 128 of them.
const char *const kFill = "mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2;\n"
                          "st.shared.u32 [%r3], %r1; bar.warp.sync -1;\n";

/// `body` leaves a value in %r20 and none in %r21, which `origin` explains.
void check(const std::string &name, const std::string &body,
           const std::string &origin, const char *guard = "") {
  SCOPED_TRACE(name);
  for (const char *schedule : {"eager", "lazy", "random:1"}) {
    Options o;
    o.schedule = schedule;
    Outcome r = run(kernel(body + guard + kStore + "%r20;", kShared), o);
    EXPECT_TRUE(r.result.ok) << schedule << ": " << r.message();
    EXPECT_REPORT(run(kernel(body + guard + kStore + "%r21;", kShared), o),
                  ReportKind::Undefined, "was never written, in lane ");
    EXPECT_REPORT(run(kernel(body + guard + kStore + "%r21;", kShared), o),
                  ReportKind::Undefined, origin);
  }
}

std::string rows(unsigned mask) {
  return "and.b32 %r4, %r1, " + std::to_string(mask) +
         "; mad.lo.u32 %r4, %r4, 16, %r2;\n";
}

TEST(Undefined, matrices_that_were_not_written) {
  const std::string from = " reads offset 1152 of shared memory, where nothing "
                           "was written before or since";
  check("two matrices",
        kFill + rows(15) +
            "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r20, %r21}, [%r4];\n",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 of line ");
  check("four matrices",
        kFill + rows(31) +
            "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r20, %r21, %r22, "
            "%r23}, [%r4];\n",
        from);
  check("transposed",
        kFill + rows(15) +
            "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r20, %r21}, "
            "[%r4];\n",
        from);
  check("bytes, 16 rows of which the last 8 are missing",
        kFill + rows(15) +
            "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r20, %r21}, "
            "[%r4];\n",
        "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 of line ",
        "setp.lt.u32 %p1, %r1, 32; and.b32 %r6, %r1, 3;\n"
        "setp.lt.u32 %p1, %r6, 2; @!%p1 mov.u32 %r20, 0; "
        "@%p1 mov.u32 %r21, 0;\n");
  // Half of a matrix: the low halves of lanes of even rows.
  check("rows of four bits, whose padding is no part of them",
        "mov.u32 %r2, s; mov.u64 %rd3, 5; shl.b32 %r3, %r1, 4;\n"
        "add.u32 %r3, %r3, %r2; setp.lt.u32 %p1, %r1, 8;\n"
        "@%p1 st.shared.u64 [%r3], %rd3; bar.warp.sync -1;\n" +
            rows(15) +
            "ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b4x16_p64 {%r20, "
            "%r21}, [%r4];\n",
        from);
}

TEST(Undefined, matrices_of_registers) {
  const std::string load =
      kFill + rows(15) +
      "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r10, %r11}, [%r4];\n";
  check("stored and loaded again",
        load + "add.u32 %r5, %r4, 512;\n"
               "stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r5], {%r10, %r11};\n"
               "bar.warp.sync -1; add.u32 %r5, %r3, 512;\n"
               "ld.shared.u32 %r20, [%r5]; ld.shared.u32 %r21, [%r5+128];\n",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 of line ");
  check("transposed",
        load + "movmatrix.sync.aligned.m8n8.trans.b16 %r20, %r10;\n"
               "movmatrix.sync.aligned.m8n8.trans.b16 %r21, %r11;\n",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 of line ");
  // Rows 8 to 15 of A, in %r11, have no value, nor have those rows of D.
  check("rows of a product",
        load + "mov.u32 %r12, 0; mov.f32 %f1, 0f00000000;\n"
               "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f2, %f3, "
               "%f4, %f5}, {%r10, %r11}, {%r12}, {%f1, %f1, %f1, %f1};\n"
               "mov.b32 %r20, %f3; mov.b32 %r21, %f4;\n",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 of line ");
  check("columns of a product, as halves",
        load + "mov.u32 %r12, 0; setp.lt.u32 %p1, %r1, 16;\n"
               "selp.b32 %r13, %r10, %r11, %p1;\n"
               "mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%r14, %r15}, "
               "{%r12, %r12}, {%r13}, {%r12, %r12};\n"
               // Columns 2 (lane mod 4) and the next one.
               "and.b32 %r6, %r1, 3; setp.lt.u32 %p2, %r6, 2;\n"
               "selp.b32 %r20, %r14, 0, %p2; selp.b32 %r21, 0, %r15, %p2;\n",
        "ldmatrix.sync.aligned.m8n8.x2.shared.b16 of line ");
  check("accumulators",
        "mov.u32 %r12, 0; mov.f32 %f1, 0f00000000;\n"
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%f2, %f3, %f4, "
        "%f5}, {%r12, %r12}, {%r12}, {%f1, %f9, %f1, %f1};\n"
        "mov.b32 %r20, %f2; mov.b32 %r21, %f3;\n",
        "of line 11 reads a register that was never written");
}

TEST(Undefined, memory_passes_it_on) {
  check("a register through shared memory",
        "mov.u32 %r20, 1; st.shared.u32 [s], %r9; ld.shared.u32 %r21, [s];\n"
        "add.u32 %r21, %r21, 1;\n",
        "st.shared.u32 of line ");
  check("two loads: the first one counts",
        "mov.u32 %r20, 1; ld.shared.u32 %r9, [s+8]; st.shared.u32 [s], %r9;\n"
        "ld.shared.u32 %r21, [s]; xor.b32 %r21, %r21, %r1;\n",
        "reads offset 1032 of shared memory");
  check("local memory",
        "{ .local .align 8 .b8 l[8]; mov.u32 %r20, 1;\n"
        "ld.local.u32 %r21, [l+4]; }\n",
        "reads offset 4 of local memory, where nothing was written before");
  check("an atomic operation",
        "mov.u32 %r20, 1; red.shared.add.u32 [s], 1; bar.warp.sync -1;\n"
        "ld.shared.u32 %r21, [s];\n",
        "red.shared.add.u32 of line ");
  check("the old value, of which nothing is left",
        "atom.shared.exch.b32 %r21, [s], 1;\n"
        "ld.shared.u32 %r20, [s];\n"
        "setp.ne.u32 %p1, %r1, 0; @%p1 mov.u32 %r21, 0;\n",
        "atom.shared.exch.b32 of line ");
  check("a comparison with nothing",
        "mov.u32 %r20, 1; atom.shared.cas.b32 %r21, [s], 1, 2;\n",
        "atom.shared.cas.b32 of line ");
}

TEST(Undefined, asynchronous_copies_within_shared_memory) {
  const std::string wait =
      "W: mbarrier.try_wait.parity.shared.b64 %p3, [s+1016], 0; @!%p3 bra W;\n"
      "ld.shared.u32 %r20, [s+512]; ld.shared.u32 %r21, [s+512+16];\n";
  const std::string init =
      "setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, s; add.u32 %r5, %r2, 1016;\n"
      "add.u32 %r6, %r2, 512;\n"
      "@%p1 mbarrier.init.shared.b64 [%r5], 1; bar.sync 0;\n"
      "@%p1 mbarrier.arrive.expect_tx.shared.b64 _, [%r5], 32;\n";
  check("cp.async.bulk",
        init +
            "@%p1 st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1};\n"
            "fence.proxy.async.shared::cta; bar.sync 0;\n"
            "@%p1 cp.async.bulk.shared::cluster.shared::cta.mbarrier::"
            "complete_tx::bytes [%r6], [%r2], 32, [%r5];\n" +
            wait,
        "cp.async.bulk of line ");
  check("st.async",
        init +
            "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
            "[%r6], {%r1, %r1, %r1, %r1}, [%r5];\n"
            "@%p1 st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 "
            "[%r6+16], {%r9, %r1, %r1, %r1}, [%r5];\n" +
            wait,
        "st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 of line");
  check("red.async",
        init +
            "@%p1 st.shared.u32 [%r6], 0; bar.sync 0;\n"
            "@%p1 mbarrier.expect_tx.relaxed.cta.shared.b64 [%r5], 0;\n"
            "@%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::"
            "complete_tx::bytes.add.u32 [%r6], %r1, [%r5];\n"
            "@%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::"
            "complete_tx::bytes.add.u32 [%r6+16], %r1, [%r5];\n"
            "@%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::"
            "complete_tx::bytes.add.u64 [%r6+32], %rd1, [%r5];\n"
            "@%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::"
            "complete_tx::bytes.add.u64 [%r6+40], %rd1, [%r5];\n"
            "@%p1 red.async.relaxed.cluster.shared::cluster.mbarrier::"
            "complete_tx::bytes.add.u64 [%r6+48], %rd1, [%r5];\n" +
            wait,
        "reads offset 1552 of shared memory");
}

TEST(Undefined, bulk_stores_are_uses) {
  const std::string body =
      "setp.eq.u32 %p1, %r1, 0; mov.u32 %r2, s; @!%p1 bra END;\n"
      "st.shared.v4.u32 [%r2], {%r1, %r1, %r1, %r1};\n"
      "st.shared.v2.u32 [%r2+16], {%r1, %r9};\n"
      "fence.proxy.async.shared::cta;\n"
      "cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r2], SIZE;\n"
      "cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;\nEND:";
  auto stores = [&](const char *size) {
    std::string text = body;
    text.replace(text.find("SIZE"), 4, size);
    return run(kernel(text, kShared));
  };
  EXPECT_TRUE(stores("16").result.ok);
  EXPECT_TRUE(contains(
      stores("32").message(),
      "byte at offset 1044 was written with an undefined value: "
      "st.shared.v2.u32 of line 12 reads a register that was never written"));
}

TEST(Undefined, shuffles_from_lanes_that_are_not_there) {
  // %r20 of the lanes that read a member, %r21 of the others.
  const std::string pick =
      "@%p3 mov.u32 %r20, %r10; mov.u32 %r21, %r10;\n@!%p3 mov.u32 %r20, 0;\n";
  struct {
    const char *name, *shuffle, *guard;
  } const cases[] = {
      {"down past the tile", "@%p1 shfl.sync.down.b32 %r10, %r1, 4, 31, 0xff;",
       "setp.lt.u32 %p3, %r1, 4;"},
      {"up to another tile",
       "@%p1 shfl.sync.up.b32 %r10, %r1, 1, 0, 0xff;"
       "@!%p1 shfl.sync.up.b32 %r10, %r1, 1, 0, 0xffffff00;",
       "setp.ne.u32 %p3, %r1, 8;"},
      {"butterfly", "@%p1 shfl.sync.bfly.b32 %r10, %r1, 8, 31, 0xff;",
       "setp.gt.u32 %p3, %r1, 31;"},
      {"index", "@%p1 shfl.sync.idx.b32 %r10, %r1, 9, 31, 0xff;",
       "setp.gt.u32 %p3, %r1, 31;"},
      {"only one lane asks for it",
       "selp.b32 %r11, 20, 3, %p2;"
       "@%p1 shfl.sync.idx.b32 %r10, %r1, %r11, 31, 0xff;",
       "setp.lt.u32 %p3, %r1, 5;"},
      {"tiles with masks of their own",
       "selp.b32 %r11, 0xff, 0xffffff00, %p1;"
       "shfl.sync.bfly.b32 %r10, %r1, 8, 31, %r11;",
       "setp.gt.u32 %p3, %r1, 15;"}};
  for (const auto &[name, shuffle, guard] : cases)
    check(name,
          "setp.lt.u32 %p1, %r1, 8; setp.eq.u32 %p2, %r1, 5;\n" +
              std::string(shuffle) + "\n" + guard + "\n" + pick,
          "which does not execute it with the same member mask (PTX ISA 9.0, "
          "\"shfl.sync\", 9.7.9.6)",
          "setp.gt.u32 %p4, %r1, 7; @%p4 mov.u32 %r21, 0;\n"
          "setp.eq.u32 %p4, %r1, 8; @%p4 selp.b32 %r21, %r10, 0, %p4;\n");
}

TEST(Undefined, lanes_settle_a_vote_or_do_not) {
  // %p1 has a value in the lanes below 16: true in the first 8.
  const std::string some = "setp.lt.u32 %p4, %r1, 16;\n"
                           "@%p4 setp.lt.u32 %p1, %r1, 8;\n"
                           "@%p4 mov.u32 %r9, 3;\n",
                    give = "selp.u32 %r20, 1, 0, %p2;\n";
  const std::string never = "in lane 0";
  check("any, ballot",
        some + "vote.sync.any.pred %p2, %p1, -1;\n" + give +
            "vote.sync.ballot.b32 %r21, %p1, -1;\n",
        never);
  check("all, redux",
        some + "vote.sync.all.pred %p2, %p1, -1;\n" + give +
            "redux.sync.add.u32 %r21, %r9, -1;\n",
        never);
  check("uni, match.any",
        some + "vote.sync.uni.pred %p2, %p1, -1;\n" + give +
            "match.any.sync.b32 %r21, %r9, -1;\n",
        never);
  check("match.all",
        some + "match.all.sync.b32 %r21, %r9, -1;\n"
               "mov.u32 %r20, 1;\n",
        never, "");
  EXPECT_REPORT(run(kernel("vote.sync.all.pred %p2, %p1, -1; @%p2 exit;")),
                ReportKind::Undefined, "was never written, in lane 0");
  EXPECT_REPORT(run(kernel("setp.eq.u32 %p1, %r1, %r1;\n"
                           "vote.sync.ballot.b32 %r2, %p1, %r3;")),
                ReportKind::Undefined, "was never written, in lane 0");
}

TEST(Undefined, predicates_that_others_settle_or_do_not) {
  // %p1 and %r9 have a value in the lanes below 16, where %p2 holds.
  const std::string some = "setp.lt.u32 %p2, %r1, 16; not.pred %p3, %p2;\n"
                           "@%p2 setp.lt.u32 %p1, %r1, 8;\n"
                           "@%p2 mov.u32 %r9, 3;\n",
                    give = "selp.u32 %r20, 1, 0, %p4;\n"
                           "selp.u32 %r21, 1, 0, %p5;\n";
  const std::string never = "in lane 16";
  const std::pair<const char *, const char *> cases[] = {
      {"and", "and.pred %p4, %p1, %p2; and.pred %p5, %p1, %p3;"},
      {"and, the other way round",
       "and.pred %p4, %p2, %p1; and.pred %p5, %p3, %p1;"},
      {"or", "or.pred %p4, %p1, %p3; or.pred %p5, %p1, %p2;"},
      {"xor", "and.pred %p4, %p1, %p2; xor.pred %p5, %p1, %p2;"},
      {"comparison and", "setp.eq.and.u32 %p4|%p6, %r9, 3, %p2;\n"
                         "setp.eq.and.u32 %p5, %r9, 3, %p3;"},
      {"not the comparison, and", "setp.eq.and.u32 %p6|%p4, %r9, 3, %p2;\n"
                                  "setp.eq.and.u32 %p6|%p5, %r9, 3, %p3;"},
      {"comparison or", "setp.lt.or.s32 %p4, %r9, 5, %p3;\n"
                        "setp.lt.or.s32 %p5, %r9, 5, %p2;"},
      {"comparison xor", "setp.lt.or.s32 %p4, %r9, 5, %p3;\n"
                         "setp.lt.xor.s32 %p5, %r9, 5, %p3;"},
      {"no choice", "mov.pred %p4, %p2; mov.pred %p5, %p1;"}};
  for (const auto &[name, combine] : cases)
    check(name, some + combine + "\n" + give, never);
  check("a choice of equals",
        some + "selp.b32 %r20, %r1, %r1, %p1;\n"
               "selp.b32 %r21, %r1, 99, %p1;\n",
        never);
}

TEST(Undefined, guards_of_what_has_no_other_effect) {
  const std::string some =
      "ld.shared.u32 %r9, [s+512]; mov.u32 %r20, 1;\n"
      "setp.eq.u32 %p9, %r9, 3; mov.u32 %r21, 2;\n"
      "setp.eq.u32 %p1, %r1, %r1; mov.f32 %f1, 0f3f800000;\n";
  const std::pair<const char *, const char *> cases[] = {
      {"mov", "@%p9 mov.u32 %r21, %r1;"},
      {"the other way round", "@!%p9 mov.u32 %r21, %r1;"},
      {"a sum", "@%p9 add.u32 %r21, %r21, 1;"},
      {"a comparison", "@%p9 setp.ne.u32 %p1, %r1, %r1;\n"
                       "selp.u32 %r21, 1, 0, %p1;"},
      {"a choice", "@%p9 selp.u32 %r21, 3, 4, %p1;"},
      {"a conversion", "@%p9 cvt.rzi.u32.f32 %r21, %f1;"},
      {"a float", "@%p9 mul.f32 %f1, %f1, %f1; mov.b32 %r21, %f1;"},
      {"two that exclude each other",
       "@%p9 mov.u32 %r21, 5; @!%p9 mov.u32 %r21, 6;"}};
  for (const auto &[name, guarded] : cases)
    check(name, some + guarded + "\n", "ld.shared.u32 of line ");
  for (const char *effect :
       {"@%p9 st.shared.u32 [s], %r1;",
        "@%p9 bra A; st.shared.u32 [s], %r1; A:",
        "A: add.u32 %r20, %r20, 1; @%p9 bra A;",
        "@%p9 bra A; bra B; A: bar.warp.sync -1; B:",
        "@%p9 bra A; add.cc.u32 %r20, %r1, 1; A:", "@%p9 bra A; exit; A:",
        "@%p9 bra A; B: add.u32 %r20, %r20, 1;\n"
        "setp.lt.u32 %p2, %r20, 9; @%p2 bra B; A:",
        "@%p9 ld.global.u32 %r21, [%rd1];", "@%p9 bar.warp.sync -1;",
        "@%p9 add.cc.u32 %r21, %r1, 1;", "@%p9 exit;",
        "@%p9 red.shared.add.u32 [s], 1;"})
    EXPECT_REPORT(run(kernel(some + effect, kShared)), ReportKind::Undefined,
                  " in lane 0: ld.shared.u32 of line ");
  // Lanes whose guard has a value keep theirs.
  check("some lanes",
        some + "setp.lt.u32 %p2, %r1, 16; @%p2 setp.lt.u32 %p9, %r1, 3;\n"
               "@%p9 mov.u32 %r21, 9;\n"
               "@%p2 mov.u32 %r20, %r21; @%p2 mov.u32 %r21, 4;\n",
        "ld.shared.u32 of line ");
}

/// Both ways only compute, until they meet.
TEST(Undefined, branches_around_computations) {
  const std::string some =
      "ld.shared.u32 %r9, [s+512]; mov.u32 %r20, 1; mov.u32 %r8, 4;\n"
      "setp.eq.u32 %p9, %r9, 3; mov.u32 %r21, 2; setp.lt.u32 %p2, %r1, 9;\n";
  const std::pair<const char *, const char *> cases[] = {
      {"around one", "@%p9 bra A; mov.u32 %r21, 7; A:"},
      {"two ways", "@%p9 bra A; mov.u32 %r21, 7; bra B;\n"
                   "A: add.u32 %r21, %r21, 1; B:"},
      {"one way and back", "@!%p9 bra A; mov.u32 %r21, %r20;\n"
                           "add.u32 %r21, %r21, 1; A:"},
      {"branches within", "@%p9 bra A; mov.u32 %r8, 7; @%p2 bra A;\n"
                          "mov.u32 %r21, 9; A:"},
      {"undefined ones within", "@%p9 bra A; mov.u32 %r21, 7; @%p9 bra A;\n"
                                "mov.u32 %r8, 9; A:"},
      {"one after the other", "@%p9 bra A; mov.u32 %r8, 7; A:\n"
                              "setp.eq.u32 %p3, %r8, 4; @%p3 bra B;\n"
                              "mov.u32 %r21, 7; B:"},
      {"a predicate", "setp.eq.u32 %p3, %r1, %r1; @%p9 bra A;\n"
                      "setp.eq.u32 %p3, %r1, 3; A: selp.u32 %r21, 1, 2, %p3;"},
      {"within a branch of some lanes",
       "@%p2 bra C; @%p9 bra A; mov.u32 %r21, 7; A: mov.u32 %r8, 3;\n"
       "bra D; C: mov.u32 %r21, %r9; D:"},
      {"some lanes know",
       "@%p2 setp.lt.u32 %p9, %r1, 4; @%p9 bra A; mov.u32 %r21, 7; A:\n"
       "@%p2 mov.u32 %r20, %r21; @%p2 mov.u32 %r21, %r9;"},
      {"guards within", "@%p9 bra A; @%p2 mov.u32 %r21, 7;\n"
                        "@%p9 mov.u32 %r8, 7; A:"}};
  for (const auto &[name, branch] : cases)
    check(name, some + branch + "\n", "ld.shared.u32 of line ");
  // They meet again, and values are right where the guard has one.
  const Outcome r = run(kernel(
      some + "@%p2 setp.lt.u32 %p9, %r1, 4; @%p9 bra A; mov.u32 %r21, 7; A:\n"
             "activemask.b32 %r5; mov.b64 %rd3, {%r21, %r5};\n"
             "@%p2 st.global.u64 [%rd2], %rd3;",
      kShared));
  ASSERT_TRUE(r.result.ok) << r.message();
  for (unsigned lane = 0; lane < 9; ++lane)
    EXPECT_EQ(r.words[lane], 0xffffffff00000000ull | (lane < 4 ? 2 : 7));
}

TEST(Undefined, the_write_that_came_too_late_is_told) {
  Outcome r = run(kernel("ld.shared.u32 %r3, [s]; bar.sync 0;\n"
                         "st.shared.u32 [s], %r1;\n"
                         "add.u32 %r3, %r3, 1; st.global.u32 [%rd1], %r3;",
                         kShared));
  EXPECT_REPORT(r, ReportKind::Undefined,
                "ld.shared.u32 of line 10 reads offset 1024 of shared memory, "
                "where nothing was written before; expected a barrier between "
                "the write that has followed and the read");
  // Another warp would come to it only after the report; a third never does.
  const std::string exchange = "mov.u32 %r2, s; mad.lo.u32 %r3, %r1, 4, %r2;\n"
                               "xor.b32 %r4, %r1, 32;\n"
                               "mad.lo.u32 %r4, %r4, 4, %r2;\n"
                               "setp.ge.u32 %p1, %r1, 64; @%p1 bra END;\n"
                               "st.shared.u32 [%r3], %r1;\n",
                    end = "st.global.u32 [%rd2], %r5;\nEND: bar.sync 0;\n";
  for (const char *schedule : {"eager", "reverse", "lazy", "random:1"}) {
    Options options;
    options.threads = 96;
    options.words = 128;
    options.schedule = schedule;
    EXPECT_REPORT(
        run(kernel(exchange + "ld.shared.u32 %r5, [%r4];\n" + end, kShared),
            options),
        ReportKind::Undefined,
        "where nothing was written before; expected a barrier between the "
        "write that has followed and the read");
    EXPECT_REPORT(
        run(kernel(exchange + "ld.shared.u32 %r5, [%r4+256];\n" + end, kShared),
            options),
        ReportKind::Undefined, "where nothing was written before or since");
  }
}

} // namespace
