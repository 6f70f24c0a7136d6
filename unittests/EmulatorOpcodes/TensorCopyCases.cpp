//===- TensorCopyCases.cpp - cp.async.bulk.tensor by form -----------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One program for all forms: a box of two 64-bit words per row and two entries
// along every other dimension, copied at coordinates (0, 1, ..., 1) of a tensor
// whose word at (x, i1, i2, ...) is its linear index. The forms differ in where
// bytes and completions go (PTX ISA 9.0, "cp.async.bulk.tensor", 9.7.9.27.1.2).
//
//===----------------------------------------------------------------------===//

#include "Opcodes.h"

using namespace tc::emu;
using namespace tc::emu::test;

/// Word of the tensor where row r of the box starts.
static unsigned rowWord(unsigned rank, unsigned r) {
  unsigned word = 0, stride = 2;
  for (unsigned i = 1; i < rank; ++i, stride *= 3)
    word += (1 + ((r >> (i - 1)) & 1)) * stride;
  return word;
}

static void runTensorCopy(const std::string &form) {
  const bool load = form.find(".global.shared") == form.npos;
  const unsigned rank = unsigned(form[form.find("d.") - 1] - '0');
  const bool multicast = has(form, "multicast::cluster");
  const bool pair = has(form, "cta_group::2") || multicast;
  const bool hint = has(form, "L2::cache_hint");
  const unsigned rows = 1u << (rank - 1), bytes = rows * 16;
  constexpr unsigned out = 4096; // first word of the results

  Case program;
  program.threads = 1;
  program.ctas = program.cluster = pair ? 2 : 1;
  TensorMapDesc map;
  map.dtype = TensorMapType::U64;
  map.rank = rank;
  map.dims.fill(3);
  map.dims[0] = 2;
  uint64_t stride = 16;
  for (unsigned i = 0; i + 1 < rank; ++i, stride *= 3)
    map.strides[i] = stride;
  map.box.fill(2);
  program.map = map;

  std::string coords = "{%r10";
  for (unsigned i = 1; i < rank; ++i)
    coords += ", %r11";
  coords += "}";
  std::string &text = program.body;
  text = "mov.b64 %rd10, mapA; cvta.param.u64 %rd10, %rd10;\n"
         "mov.u32 %r10, 0; mov.u32 %r11, 1; mov.u64 %rd11, 0;\n"
         "createpolicy.fractional.L2::evict_first.b64 %rd11;\n"
         "mov.u32 %r12, %cluster_ctarank; mul.wide.u32 %rd12, %r12, 1024;\n"
         "add.u64 %rd12, %rd12, %rd0; add.u32 %r13, %r1, 2048;\n";
  const std::string policy = hint ? ", %rd11" : "";
  if (!load) {
    for (unsigned word = 0; word < 2 * rows; ++word)
      text += "mov.u64 %rd13, " + num(0xabcd0000 + word) +
              "; st.shared.u64 [%r1+" + num(8 * word) + "], %rd13;\n";
    text += "fence.proxy.async.shared::cta;\n" + form + " [%rd10, " + coords +
            "], [%r1]" + policy +
            ";\ncp.async.bulk.commit_group; cp.async.bulk.wait_group 0;";
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned x = 0; x < 2; ++x)
        program.expected[rowWord(rank, r) + x] = 0xabcd0000 + 2 * r + x;
    runProgram(form, program, {form});
    return;
  }

  const bool toLeader = has(form, "cta_group::2");
  text += "mbarrier.init.shared::cta.b64 [%r13], 1; "
          "fence.mbarrier_init.release.cluster;\n";
  if (pair)
    text += "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n";
  // Every CTA waits on its own barrier; with cta_group::2 the odd one's bytes
  // count on the even one's.
  text += "mov.u32 %r14, " + num(toLeader ? 2 * bytes : bytes) + ";\n";
  if (toLeader)
    text += "setp.ne.u32 %p3, %r12, 0; @%p3 mov.u32 %r14, 0;\n";
  text += "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%r13], %r14;\n";
  if (pair)
    text += "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n";
  text += "mov.u32 %r15, %r13;\n";
  if (toLeader)
    text += "mov.u32 %r16, 0; mapa.shared::cluster.u32 %r15, %r13, %r16;\n";
  text += "setp.eq.u32 %p4, %r12, 0; mov.u16 %h1, 3;\n";
  text += std::string(multicast ? "@%p4 " : "") + form + " [%r1], [%rd10, " +
          coords + "], [%r15]" + (multicast ? ", %h1" : "") + policy + ";\n";
  text += "mov.u32 %r17, 0;\nL1: mbarrier.try_wait.parity.shared::cta.b64 %p1, "
          "[%r13], %r17; @!%p1 bra L1;\n";
  if (pair)
    text += "barrier.cluster.arrive.release; barrier.cluster.wait.acquire;\n";
  for (unsigned word = 0; word < 2 * rows; ++word)
    text += "ld.shared.u64 %rd13, [%r1+" + num(8 * word) +
            "]; st.global.u64 [%rd12+" + num(8 * (out + word)) + "], %rd13;\n";
  for (unsigned cta = 0; cta < program.ctas; ++cta)
    for (unsigned r = 0; r < rows; ++r)
      for (unsigned x = 0; x < 2; ++x)
        program.expected[out + 128 * cta + 2 * r + x] =
            0x0101010101010101ull * ((rowWord(rank, r) + x) & 0xff);
  runProgram(form, program, {form});
}

void test::runTensorCopyCases(const std::vector<std::string> &forms) {
  for (const std::string &form : forms)
    if (form.substr(0, 21) == "cp.async.bulk.tensor.")
      runTensorCopy(form);
}
