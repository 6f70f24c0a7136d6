//===- RecordedTest.cpp - Launch files with everything in its place -------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What tc-emulate --record writes: addresses, raw bytes, pointers in buffers,
// module variables, preferred clusters.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Session.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace tc;
using namespace tc::runtime;

namespace {

/// Stores a pointer's bits, the word that another one points to through
/// memory, a variable that counts launches, and the size of the cluster.
const char *const ptx = R"(
.version 8.7
.target sm_100a
.address_size 64
.global .align 4 .u32 count = 1;
.const .align 4 .u32 step = 10;
.visible .entry k(.param .u64 out, .param .align 8 .b8 raw[16]) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .pred %p1;
  mov.u32 %r6, %ctaid.x;
  setp.ne.u32 %p1, %r6, 0;
  @%p1 ret;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [raw];
  ld.param.u64 %rd3, [raw+8];
  st.global.u64 [%rd1], %rd2;
  ld.global.u64 %rd4, [%rd3];
  ld.global.u32 %r1, [%rd4];
  st.global.u32 [%rd1+8], %r1;
  ld.global.u32 %r2, [count];
  ld.const.u32 %r3, [step];
  add.u32 %r2, %r2, %r3;
  st.global.u32 [count], %r2;
  st.global.u32 [%rd1+12], %r2;
  mov.u64 %rd5, count;
  st.global.u64 [%rd1+16], %rd5;
  mov.u32 %r4, %cluster_nctarank;
  st.global.u32 [%rd1+24], %r4;
  mov.u32 %r5, %envreg2;
  st.global.u32 [%rd1+28], %r5;
  ret;
}
)";

Expected<std::vector<uint8_t>> runOnce(const std::string &json,
                                       const char *schedule = "eager",
                                       const char *ptx = ::ptx) {
  Expected<Description> description = Description::parse(json, "t.json");
  if (!description)
    return description.takeError();
  emu::VariablePlaces places;
  for (const VariableSpec &variable : description->variables)
    if (variable.address)
      places[variable.name] = variable.address;
  std::unique_ptr<Device> device = createEmulatorDevice();
  if (Status status = device->loadAt(ptx, "t.ptx", places); !status)
    return status.takeError();
  Expected<std::unique_ptr<Session>> session =
      Session::create(std::move(*description), *device, {});
  if (!session)
    return session.takeError();
  std::vector<uint8_t> last;
  // Each run starts from the same memory, variables included.
  for (int round = 0; round < 2; ++round) {
    Expected<RunRecord> record =
        (*session)->run(*emu::Schedule::parse(schedule));
    if (!record)
      return record.takeError();
    if (!record->ok)
      return Error{record->reports[0].message};
    for (size_t i = 0; i < (*session)->description().buffers.size(); ++i)
      if ((*session)->description().buffers[i].name == "out")
        last = record->buffers[i];
  }
  return last;
}

std::string launch(const std::string &more = "",
                   const std::string &raw = "\"efcdab8967452301\"") {
  return R"({"grid": [4, 1, 1], "block": [1, 1, 1], "cluster": [2, 1, 1],
  "preferred_cluster": [4, 1, 1], "envregs": [0, 0, 77], )" +
         more + R"("buffers": {
    "out": {"dtype": "u32", "shape": [8], "address": "0x7f1234567000"},
    "table": {"dtype": "u64", "shape": [2],
              "contains": [{"at": 0, "pointer": "word", "offset": 4},
                           {"at": 8, "bytes": "ff"}]},
    "word": {"dtype": "u32", "shape": [2], "bytes": "0000000029000000",
             "address": 281474976710656}},
  "params": [{"pointer": "out"},
             {"struct": {"size": 16, "fields": [{"at": 0, "bytes": )" +
         raw + R"(},
                {"at": 8, "pointer": "table"}]}}]})";
}

template <class T>
T at(const std::vector<uint8_t> &bytes, size_t offset) {
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

std::string errorOfLaunch(const std::string &json) {
  auto result = runOnce(json);
  return result ? "no error" : result.error().message;
}

TEST(Recorded, EverythingInItsPlace) {
  auto out = runOnce(launch(R"("variables": {
    "count": {"address": "0x6000000000", "bytes": "05"},
    "step": {"bytes": "64000000"}}, )"));
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(at<uint64_t>(*out, 0), 0x0123456789abcdefull);
  EXPECT_EQ(at<uint32_t>(*out, 8), 0x29u);
  EXPECT_EQ(at<uint32_t>(*out, 12), 105u);
  EXPECT_EQ(at<uint64_t>(*out, 16), 0x6000000000ull);
  EXPECT_EQ(at<uint32_t>(*out, 24), 2u);
  EXPECT_EQ(at<uint32_t>(*out, 28), 77u);
}

TEST(Recorded, TheScheduleChoosesTheCluster) {
  auto out = runOnce(launch(), "lazy");
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(at<uint32_t>(*out, 24), 4u);
}

TEST(Recorded, NullTensorMap) {
  auto description = Description::parse(
      R"({"grid": [1,1,1], "block": [1,1,1],
          "buffers": {"o": {"dtype": "u32", "shape": [4]}},
          "params": [{"struct": {"size": 128, "fields": [{"at": 0,
            "tensor_map": {"buffer": null, "dtype": "f16", "dims": [64, 64],
                           "strides": [128], "box": [64, 8]}}]}}]})",
      "t.json");
  EXPECT_TRUE(description) << description.error().message;
  EXPECT_NE(errorOfLaunch(R"({"grid": [1,1,1], "block": [1,1,1], "params": [
              {"tensor_map": {"buffer": null, "dims": [64], "box": [64]}}]})")
                .find("expected a member \"dtype\" where the buffer is null"),
            std::string::npos);
}

/// A tensor map that a kernel has and only loads through if it is told to.
const char *const mapPtx = R"(
.version 8.7
.target sm_100a
.address_size 64
.visible .entry k(.param .u64 out, .param .align 64 .b8 map[128],
                  .param .u32 load) {
  .reg .b32 %r<9>;
  .reg .b64 %rd<9>;
  .reg .pred %p1;
  .shared .align 128 .b8 smem[1024];
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [load];
  ld.param.u64 %rd2, [map];
  ld.param.u64 %rd3, [map+120];
  st.global.v2.u64 [%rd1], {%rd2, %rd3};
  setp.eq.u32 %p1, %r1, 0;
  @%p1 ret;
  mov.b64 %rd4, map;
  cvta.param.u64 %rd5, %rd4;
  mov.u32 %r2, smem;
  mov.u32 %r3, 0;
  mbarrier.init.shared.b64 [%r2+512], 1;
  fence.mbarrier_init.release.cluster;
  add.u32 %r4, %r2, 512;
  cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r2], [%rd5, {%r3}], [%r4];
  ret;
}
)";

TEST(Recorded, TensorMapThatIsNull) {
  auto launch = [](int load) {
    return R"({"grid": [1,1,1], "block": [1,1,1],
               "buffers": {"out": {"dtype": "u64", "shape": [2], "init": "ones"}},
               "params": [{"pointer": "out"}, {"tensor_map": null},
                          {"u32": )" +
           std::to_string(load) + "}]}";
  };
  auto out = runOnce(launch(0), "eager", mapPtx);
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(at<uint64_t>(*out, 0), 0u);
  EXPECT_EQ(at<uint64_t>(*out, 8), 0u);
  auto loaded = runOnce(launch(1), "eager", mapPtx);
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().message.find("tensor map"), std::string::npos)
      << loaded.error().message;
}

TEST(Recorded, BadInput) {
  EXPECT_NE(
      errorOfLaunch(launch("", "\"012\"")).find("expected two hexadecimal"),
      std::string::npos);
  EXPECT_NE(errorOfLaunch(launch("", "\"0g\"")).find("got '0g' at digit 0"),
            std::string::npos);
  EXPECT_NE(errorOfLaunch(launch(R"("variables": {"none": {"bytes": "00"}}, )"))
                .find("unknown variable 'none', expected one of: count, step"),
            std::string::npos);
  EXPECT_NE(errorOfLaunch(
                launch(R"("variables": {"count": {"bytes": "0000000000"}}, )"))
                .find("expected at most 4 bytes, got 5"),
            std::string::npos);
  EXPECT_NE(errorOfLaunch(
                launch(R"("variables": {"step": {"address": "0x6000000"}}, )"))
                .find("expected the name of a .global variable, got 'step'"),
            std::string::npos);
  EXPECT_NE(
      errorOfLaunch(R"({"grid": [1,1,1], "block": [1,1,1], "buffers": {"o":
              {"dtype": "u8", "shape": [4], "address": "7x"}}})")
          .find("expected an address of 64 bits such as"),
      std::string::npos);
  EXPECT_NE(
      errorOfLaunch(R"({"grid": [1,1,1], "block": [1,1,1], "buffers": {"o":
              {"dtype": "u8", "shape": [4], "bytes": "00"}}})")
          .find("expected 4 bytes, got 1"),
      std::string::npos);
  EXPECT_NE(
      errorOfLaunch(R"({"grid": [1,1,1], "block": [1,1,1], "buffers": {"o":
              {"dtype": "u8", "shape": [4], "fill": "000102"}}})")
          .find("expected a divisor of 4 bytes, got 3"),
      std::string::npos);
  EXPECT_NE(
      errorOfLaunch(R"({"grid": [1,1,1], "block": [1,1,1], "buffers": {"o":
              {"dtype": "u8", "shape": [1], "bytes": "00", "fill": "00"}}})")
          .find("expected one of \"bytes\" and \"fill\", got both"),
      std::string::npos);
  EXPECT_NE(
      errorOfLaunch(R"({"grid": [1,1,1], "block": [1,1,1], "buffers": {"o":
              {"dtype": "e2m1", "shape": [4], "offset": 3}}})")
          .find("expected an offset of whole bytes, got 3 elements of"),
      std::string::npos);
  EXPECT_NE(
      errorOfLaunch(R"({"grid": [1,1,1], "block": [1,1,1], "buffers": {"o":
              {"dtype": "u8", "shape": [4],
               "contains": [{"at": 3, "bytes": "0011"}]}}})")
          .find("expected a value that ends within the 4 bytes"),
      std::string::npos);
}

} // namespace
