//===- TensorMapTest.cpp - Validation and image of tensor maps --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One legal map, and for each rule of cuTensorMapEncodeTiled a map that breaks
// only it.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/TensorMap.h"

#include "gtest/gtest.h"

using namespace tc::emu;

namespace {

/// bf16, 200 x 136, boxes of 64 x 128.
TensorMapDesc legalMap() {
  TensorMapDesc d;
  d.dtype = TensorMapType::BF16;
  d.rank = 2;
  d.globalAddress = 0x10000;
  d.dims = {136, 200};
  d.strides = {272};
  d.box = {64, 128};
  d.swizzle = TensorMapSwizzle::B128;
  return d;
}

std::string refusal(const TensorMapDesc &d) {
  Expected<TensorMapImage> image = encodeTensorMap(d);
  return image ? "accepted" : image.error().message;
}

TEST(TensorMap, fields_survive_the_image) {
  TensorMapDesc d = legalMap();
  d.rank = 5;
  d.dims = {uint64_t(1) << 32, 2, 3, 4, 5};
  d.strides = {32, 64, 0, (uint64_t(1) << 40) - 16};
  d.box = {64, 1, 2, 256, 3};
  d.elementStrides = {1, 2, 3, 4, 8};
  d.oobFill = TensorMapOobFill::NaN;
  d.l2Promotion = TensorMapL2Promotion::B256;
  Expected<TensorMapImage> image = encodeTensorMap(d);
  ASSERT_TRUE(bool(image)) << image.error().message;
  Expected<TensorMapDesc> back = decodeTensorMap(image->data());
  ASSERT_TRUE(bool(back));
  EXPECT_EQ(back->dtype, d.dtype);
  EXPECT_EQ(back->rank, d.rank);
  EXPECT_EQ(back->globalAddress, d.globalAddress);
  EXPECT_EQ(back->dims, d.dims);
  EXPECT_EQ(back->strides, d.strides);
  EXPECT_EQ(back->box, d.box);
  EXPECT_EQ(back->elementStrides, d.elementStrides);
  EXPECT_EQ(back->swizzle, d.swizzle);
  EXPECT_EQ(back->oobFill, d.oobFill);
  EXPECT_EQ(back->l2Promotion, d.l2Promotion);
}

TEST(TensorMap, a_changed_image_is_refused) {
  Expected<TensorMapImage> image = encodeTensorMap(legalMap());
  ASSERT_TRUE(bool(image));
  for (unsigned byte = 0; byte < 128; ++byte) {
    TensorMapImage changed = *image;
    changed[byte] ^= 0x10;
    EXPECT_FALSE(bool(decodeTensorMap(changed.data()))) << byte;
  }
  TensorMapImage zeros{};
  EXPECT_EQ(decodeTensorMap(zeros.data()).error().message,
            "tensor map: expected an object written by encodeTensorMap, got "
            "other bytes");
}

TEST(TensorMap, each_argument_is_checked) {
  auto with = [](auto change) {
    TensorMapDesc d = legalMap();
    change(d);
    return refusal(d);
  };
  EXPECT_EQ(with([](TensorMapDesc &d) {}), "accepted");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.rank = 0; }),
            "tensor map: tensorRank: expected 1 to 5, got 0");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.rank = 6; }),
            "tensor map: tensorRank: expected 1 to 5, got 6");
  // Grouped kernels fill it in with tensormap.replace.
  EXPECT_EQ(with([](TensorMapDesc &d) { d.globalAddress = 0; }), "accepted");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.globalAddress = 0x10008; }),
            "tensor map: globalAddress: expected a multiple of 16 bytes, got "
            "65544 (nearest: 65536 or 65552)");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.dims[1] = 0; }),
            "tensor map: globalDim[1]: expected 1 to 2^32 elements, got 0");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.strides[0] = 274; }),
            "tensor map: globalStrides[0]: expected a multiple of 16 bytes, "
            "got 274 (nearest: 272 or 288)");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.strides[0] = uint64_t(1) << 40; }),
            "tensor map: globalStrides[0]: expected less than 2^40 bytes, got "
            "1099511627776");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.box[1] = 257; }),
            "tensor map: boxDim[1]: expected 1 to 256 elements, got 257");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.box[0] = 60; }),
            "tensor map: boxDim[0]: expected a multiple of 16 bytes, got 60 "
            "elements of 16 bits (nearest: 64 elements)");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.box[0] = 72; }),
            "tensor map: boxDim[0]: expected at most 128 bytes for swizzle "
            "128B, got 144");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.swizzle = TensorMapSwizzle::B64; }),
            "tensor map: boxDim[0]: expected at most 64 bytes for swizzle 64B, "
            "got 128");
  EXPECT_EQ(with([](TensorMapDesc &d) { d.elementStrides[1] = 9; }),
            "tensor map: elementStrides[1]: expected 1 to 8, got 9");
  EXPECT_EQ(
      with([](TensorMapDesc &d) { d.interleave = TensorMapInterleave::B16; }),
      "tensor map: tensorRank: expected at least 3 with interleave, got 2");
  EXPECT_EQ(with([](TensorMapDesc &d) {
              d.dtype = TensorMapType::U16;
              d.oobFill = TensorMapOobFill::NaN;
            }),
            "tensor map: oobFill: expected zero for types that are not "
            "floating point, got NaN with u16");
}

TEST(TensorMap, packed_types_have_rules_of_their_own) {
  TensorMapDesc d = legalMap();
  d.dtype = TensorMapType::B4x16P64;
  d.dims = {256, 64};
  d.strides = {128};
  d.box = {128, 64};
  EXPECT_EQ(refusal(d), "accepted");
  d.box[0] = 64;
  EXPECT_EQ(refusal(d), "tensor map: boxDim[0]: expected 128 elements for "
                        "16-byte aligned packed types, got 64");
  d.box[0] = 128;
  d.dims[0] = 192;
  EXPECT_EQ(refusal(d), "tensor map: globalDim[0]: expected a multiple of 128 "
                        "elements for 16-byte aligned packed types, got 192 "
                        "(nearest: 128 or 256)");
  d.dims[0] = 256;
  d.strides[0] = 144;
  EXPECT_EQ(refusal(d), "tensor map: globalStrides[0]: expected a multiple of "
                        "32 bytes, got 144 (nearest: 128 or 160)");
  d.strides[0] = 128;
  d.swizzle = TensorMapSwizzle::B64;
  EXPECT_NE(refusal(d), "accepted");
}

} // namespace
