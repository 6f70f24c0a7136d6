//===- TmemProgram.cpp - kernels on Tensor Memory ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TmemProgram.h"

#include "tc/Emulator/Emulator.h"

#include "gtest/gtest.h"

#include <cstring>
#include <map>

using namespace tc;

std::string tc::registers(int64_t count) {
  std::string text = "{";
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", %v" : "%v") + str(i);
  return text + "}";
}

/// Loads or stores 32 columns at a time of all lanes: thread by thread the row
/// of %rd10 in global memory.
static std::string move(bool toTmem, int64_t columns) {
  std::string text;
  for (int64_t first = 0; first < columns; first += 32) {
    std::string address = "add.u32 %r13, %r12, " + str(first) + ";\n", global;
    for (int64_t c = 0; c < 32; c += 4) {
      std::string cells = "{%v" + str(c) + ", %v" + str(c + 1) + ", %v" +
                          str(c + 2) + ", %v" + str(c + 3) + "}";
      std::string at = "[%rd10+" + str(4 * (first + c)) + "]";
      global += toTmem ? "ld.global.v4.u32 " + cells + ", " + at + ";\n"
                       : "st.global.v4.u32 " + at + ", " + cells + ";\n";
    }
    text += toTmem ? global + address +
                         "tcgen05.st.sync.aligned.32x32b.x32.b32 [%r13], " +
                         registers(32) + ";\ntcgen05.wait::st.sync.aligned;\n"
                   : address + "tcgen05.ld.sync.aligned.32x32b.x32.b32 " +
                         registers(32) +
                         ", [%r13];\ntcgen05.wait::ld.sync.aligned;\n" + global;
  }
  return text;
}

/// Shared memory begins at %r2, Tensor Memory at %r10. `words`: of a thread,
/// which `access` may have in %v0 and on.
static std::string kernelOf(const Program &run, int64_t words) {
  bool pair = run.ctaGroup == 2;
  std::string group = "cta_group::" + str(run.ctaGroup);
  std::string meet =
      pair ? "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
           : "bar.sync 0;\n";
  int64_t bytes = static_cast<int64_t>(run.smem[0].size());
  int64_t columns = run.tmem[0].columns;
  std::string text =
      ".version 8.8\n.target sm_100a\n.address_size 64\n"
      ".visible .entry k(.param .u64 image, .param .u64 cells, .param .u64 "
      "out, .param .u64 own)\n{\n"
      ".reg .b32 %r<32>;\n.reg .b64 %rd<16>;\n.reg .pred %p<8>;\n"
      ".reg .b32 %v<128>;\n.reg .b16 %h<2>;\n"
      ".shared .align 1024 .b8 smem[" +
      str(bytes) +
      "];\n.shared .align 8 .b8 done[8];\n.shared .align 4 .b8 base[4];\n"
      "mov.u32 %r0, %tid.x;\nshr.u32 %r1, %r0, 5;\nmov.u32 %r2, smem;\n"
      "mov.u32 %r4, done;\nmov.u32 %r5, base;\nmov.u32 %r3, "
      "%cluster_ctarank;\nsetp.eq.u32 %p0, %r0, 0;\nsetp.eq.u32 %p1, %r1, 0;\n"
      // The image of shared memory, 16 bytes at a time.
      "ld.param.u64 %rd0, [image];\nmul.wide.u32 %rd1, %r3, " +
      str(bytes) +
      ";\nadd.s64 %rd0, %rd0, %rd1;\nshl.b32 %r6, %r0, 4;\nCOPY:\n"
      "setp.ge.u32 %p2, %r6, " +
      str(bytes) +
      ";\n@%p2 bra COPIED;\ncvt.u64.u32 %rd1, %r6;\nadd.s64 %rd1, %rd0, %rd1;\n"
      "ld.global.v4.u32 {%v0, %v1, %v2, %v3}, [%rd1];\nadd.u32 %r7, %r2, %r6;\n"
      "st.shared.v4.u32 [%r7], {%v0, %v1, %v2, %v3};\nadd.u32 %r6, %r6, 2048;\n"
      "bra COPY;\nCOPIED:\nfence.proxy.async.shared::cta;\n"
      "@!%p0 bra INITED;\nmbarrier.init.shared.b64 [%r4], 1;\n"
      "fence.mbarrier_init.release.cluster;\nINITED:\n" +
      meet + "@!%p1 bra ALLOCATED;\ntcgen05.alloc." + group +
      ".sync.aligned.shared::cta.b32 [%r5], 512;\nALLOCATED:\nbar.sync 0;\n"
      "ld.shared.u32 %r10, [%r5];\nshl.b32 %r11, %r1, 21;\n"
      "add.u32 %r12, %r10, %r11;\nshl.b32 %r14, %r3, 7;\n"
      "add.u32 %r14, %r14, %r0;\n"
      "ld.param.u64 %rd10, [cells];\nmul.wide.u32 %rd2, %r14, " +
      str(4 * columns) + ";\nadd.s64 %rd10, %rd10, %rd2;\n" +
      move(true, columns) + "tcgen05.fence::before_thread_sync;\n" + meet +
      "tcgen05.fence::after_thread_sync;\n";
  if (!run.instruction.empty()) {
    text += "setp.eq.u32 %p3, %r3, 0;\nand.pred %p3, %p3, %p0;\n"
            "@!%p3 bra ISSUED;\n" +
            run.instruction + "tcgen05.commit." + group +
            ".mbarrier::arrive::one.shared::cluster" +
            (pair ? ".multicast::cluster.b64 [%r4], %h0;\n" : ".b64 [%r4];\n") +
            "ISSUED:\nbar.sync 0;\n"
            "WAIT:\nmbarrier.try_wait.parity.shared.b64 %p2, [%r4], 0;\n"
            "@!%p2 bra WAIT;\ntcgen05.fence::after_thread_sync;\n";
    if (pair)
      text.insert(text.find("setp.eq.u32 %p3, %r3"), "mov.b16 %h0, 3;\n");
  }
  if (!run.access.empty()) {
    text += "ld.param.u64 %rd11, [own];\nmul.wide.u32 %rd3, %r14, " +
            str(4 * words) + ";\nadd.s64 %rd11, %rd11, %rd3;\n" + run.access;
  }
  text += "ld.param.u64 %rd10, [out];\nadd.s64 %rd10, %rd10, %rd2;\n" +
          move(false, columns) + "tcgen05.fence::before_thread_sync;\n" + meet +
          "@!%p1 bra FREED;\ntcgen05.dealloc." + group +
          ".sync.aligned.b32 %r10, 512;\nFREED:\n" + meet + "ret;\n}\n";
  return text;
}

std::vector<Image> tc::execute(const Program &run, std::vector<uint32_t> *own) {
  static std::map<std::string, std::shared_ptr<const emu::Program>> programs;
  int64_t words =
      own ? static_cast<int64_t>(own->size()) / (kTmemLanes * run.ctaGroup) : 0;
  std::string text = kernelOf(run, words);
  std::shared_ptr<const emu::Program> &program = programs[text];
  if (!program) {
    auto parsed = emu::parsePTX(text, "layout.ptx");
    if (!parsed) {
      ADD_FAILURE() << parsed.error().line << ": " << parsed.error().message;
      return {};
    }
    program = *parsed;
  }
  emu::DeviceMemory memory;
  auto place = [&](const void *data, size_t bytes) {
    uint64_t address = *memory.allocate(std::max<size_t>(bytes, 16), 256);
    EXPECT_TRUE(!bytes || bool(memory.write(address, data, bytes)));
    return address;
  };
  std::vector<uint8_t> smem;
  std::vector<uint32_t> cells;
  for (const std::vector<uint8_t> &image : run.smem)
    smem.insert(smem.end(), image.begin(), image.end());
  for (const Image &image : run.tmem)
    cells.insert(cells.end(), image.cells.begin(), image.cells.end());
  uint64_t params[] = {place(smem.data(), smem.size()),
                       place(cells.data(), 4 * cells.size()),
                       place(cells.data(), 4 * cells.size()),
                       own ? place(own->data(), 4 * own->size()) : 0};
  emu::LaunchConfig config;
  auto ctas = static_cast<unsigned>(run.ctaGroup);
  config.grid = {ctas, 1, 1};
  config.cluster = {ctas, 1, 1};
  config.block = {128, 1, 1};
  config.params.resize(sizeof(params));
  std::memcpy(config.params.data(), params, sizeof(params));
  emu::RunOptions options;
  options.schedule = *emu::Schedule::parse("lazy");
  options.assumptions = emu::AssumptionSet::none();
  options.threads = 1;
  emu::RunResult result = emu::launch(*program, config, memory, options);
  if (!result.ok) {
    ADD_FAILURE() << (result.reports.empty() ? "no report"
                                             : result.reports[0].message);
    return {};
  }
  EXPECT_TRUE(bool(memory.read(params[2], cells.data(), 4 * cells.size())));
  if (own)
    EXPECT_TRUE(bool(memory.read(params[3], own->data(), 4 * own->size())));
  std::vector<Image> out = run.tmem;
  auto from = cells.begin();
  for (Image &image : out) {
    std::copy_n(from, image.cells.size(), image.cells.begin());
    from += static_cast<std::ptrdiff_t>(image.cells.size());
  }
  return out;
}
