//===- EmulatorDeviceTest.cpp - Names of launch files -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emulator's tensor map encoder is asked for, and what is refused
// before it is asked.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/TensorMap.h"
#include "tc/Runtime/Device.h"

#include <gtest/gtest.h>

using namespace tc;
using namespace tc::runtime;

/// A map that every check accepts.
static TensorMapArguments legalMap() {
  TensorMapArguments map;
  map.address = 0x100000;
  map.type = "bf16";
  map.swizzle = "128B";
  map.interleave = "none";
  map.oobFill = "zero";
  map.l2Promotion = "256B";
  map.dims = {256, 512};
  map.strides = {512};
  map.box = {64, 128};
  map.elementStrides = {1, 1};
  return map;
}

static emu::TensorMapDesc encoded(const TensorMapArguments &map) {
  auto image = createEmulatorDevice()->encodeTensorMap(map);
  EXPECT_TRUE(image) << image.error().message;
  if (!image)
    return {};
  auto desc = emu::decodeTensorMap(image->data());
  EXPECT_TRUE(desc) << desc.error().message;
  return desc ? *desc : emu::TensorMapDesc();
}

static std::string refusal(const TensorMapArguments &map) {
  auto image = createEmulatorDevice()->encodeTensorMap(map);
  return image ? "" : image.error().message;
}

TEST(EmulatorDevice, argumentsReachTheEncoder) {
  emu::TensorMapDesc desc = encoded(legalMap());
  EXPECT_EQ(desc.dtype, emu::TensorMapType::BF16);
  EXPECT_EQ(desc.rank, 2u);
  EXPECT_EQ(desc.globalAddress, 0x100000u);
  EXPECT_EQ(desc.dims[0], 256u);
  EXPECT_EQ(desc.dims[1], 512u);
  EXPECT_EQ(desc.strides[0], 512u);
  EXPECT_EQ(desc.box[0], 64u);
  EXPECT_EQ(desc.box[1], 128u);
  EXPECT_EQ(desc.swizzle, emu::TensorMapSwizzle::B128);
  EXPECT_EQ(desc.interleave, emu::TensorMapInterleave::None);
  EXPECT_EQ(desc.oobFill, emu::TensorMapOobFill::Zero);
  EXPECT_EQ(desc.l2Promotion, emu::TensorMapL2Promotion::B256);
}

TEST(EmulatorDevice, namesOfModes) {
  TensorMapArguments map = legalMap();
  map.swizzle = "128B_ATOM_32B"; // any case
  map.oobFill = "nan";
  map.l2Promotion = "none";
  emu::TensorMapDesc desc = encoded(map);
  EXPECT_EQ(desc.swizzle, emu::TensorMapSwizzle::B128Atom32);
  EXPECT_EQ(desc.oobFill, emu::TensorMapOobFill::NaN);
  EXPECT_EQ(desc.l2Promotion, emu::TensorMapL2Promotion::None);
  map = legalMap();
  map.type = "e4m3";
  EXPECT_EQ(encoded(map).dtype, emu::TensorMapType::U8);
  map.type = "e2m1";
  EXPECT_EQ(encoded(map).dtype, emu::TensorMapType::B4x16);
}

TEST(EmulatorDevice, refusals) {
  TensorMapArguments map = legalMap();
  map.swizzle = "256B";
  EXPECT_EQ(refusal(map),
            "swizzle: expected one of none 32b 64b 128b 128b_atom_32b "
            "128b_atom_32b_flip_8b 128b_atom_64b, got '256B'");
  map = legalMap();
  map.type = "float";
  EXPECT_EQ(refusal(map).find("dtype: expected one of f16 bf16 "), 0u);
  map = legalMap();
  map.interleave = "8B";
  EXPECT_EQ(refusal(map), "interleave: expected one of none 16b 32b, got '8B'");
  map = legalMap();
  map.oobFill = "one";
  EXPECT_EQ(refusal(map), "oob_fill: expected one of zero none nan, got 'one'");
  map = legalMap();
  map.l2Promotion = "1KB";
  EXPECT_EQ(refusal(map),
            "l2_promotion: expected one of none 64b 128b 256b, got '1KB'");
  map = legalMap();
  map.box[1] = uint64_t(1) << 40;
  EXPECT_EQ(refusal(map), "box[1]: expected a 32-bit value, got 1099511627776");
  map = legalMap();
  map.elementStrides[0] = uint64_t(1) << 32;
  EXPECT_EQ(refusal(map),
            "element_strides[0]: expected a 32-bit value, got 4294967296");
  map = legalMap();
  map.strides.clear();
  EXPECT_EQ(refusal(map), "expected 1 to 5 dims, one box size and one element "
                          "stride for each and one stride fewer");
  map = legalMap();
  map.strides[0] = 500; // the encoder's own check passes through
  EXPECT_NE(refusal(map).find("500"), std::string::npos);
}

TEST(EmulatorDevice, launchesNothingBeforeLoading) {
  auto device = createEmulatorDevice();
  EXPECT_TRUE(device->kernels().empty());
  emu::RunResult result = device->launch({}, {});
  EXPECT_FALSE(result.ok);
  ASSERT_EQ(result.reports.size(), 1u);
  EXPECT_EQ(result.reports[0].kind, emu::ReportKind::BadLaunch);
}
