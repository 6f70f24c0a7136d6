//===- TensorMaps.cpp - Encoding tensor maps --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

#include "tc/Emulator/TensorMap.h"

#include <cstring>

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

static CUresult encode(CUtensorMap *map, const emu::TensorMapDesc &desc,
                       const char *call) {
  emu::Expected<emu::TensorMapImage> image = emu::encodeTensorMap(desc);
  if (!image)
    return refuse(State::get(), CUDA_ERROR_INVALID_VALUE, call,
                  image.error().message);
  static_assert(sizeof(*map) == sizeof(*image), "128 bytes");
  std::memcpy(map, image->data(), sizeof(*map));
  return CUDA_SUCCESS;
}

/// What both kinds of maps share.
static emu::TensorMapDesc
describe(CUtensorMapDataType type, cuuint32_t rank, void *address,
         const cuuint64_t *dims, const cuuint64_t *strides,
         const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
         CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
         CUtensorMapFloatOOBfill fill) {
  emu::TensorMapDesc desc;
  desc.dtype = emu::TensorMapType(type);
  desc.rank = rank;
  desc.globalAddress = reinterpret_cast<uint64_t>(address);
  for (unsigned i = 0; i < rank && i < 5; ++i) {
    desc.dims[i] = dims[i];
    desc.elementStrides[i] = elementStrides[i];
    if (i + 1 < rank)
      desc.strides[i] = strides[i];
  }
  desc.interleave = emu::TensorMapInterleave(interleave);
  desc.swizzle = emu::TensorMapSwizzle(swizzle);
  desc.l2Promotion = emu::TensorMapL2Promotion(promotion);
  desc.oobFill = emu::TensorMapOobFill(fill);
  return desc;
}

CUresult cuTensorMapEncodeTiled(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  emu::TensorMapDesc desc =
      describe(type, rank, address, dims, strides, elementStrides, interleave,
               swizzle, promotion, fill);
  for (unsigned i = 0; i < rank && i < 5; ++i)
    desc.box[i] = box[i];
  return encode(map, desc, "cuTensorMapEncodeTiled");
}

CUresult cuTensorMapEncodeIm2col(
    CUtensorMap *map, CUtensorMapDataType type, cuuint32_t rank, void *address,
    const cuuint64_t *dims, const cuuint64_t *strides, const int *lower,
    const int *upper, cuuint32_t channels, cuuint32_t pixels,
    const cuuint32_t *elementStrides, CUtensorMapInterleave interleave,
    CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
    CUtensorMapFloatOOBfill fill) {
  emu::TensorMapDesc desc =
      describe(type, rank, address, dims, strides, elementStrides, interleave,
               swizzle, promotion, fill);
  desc.im2col = true;
  for (unsigned i = 0; i + 2 < rank && i < 3; ++i) {
    desc.lowerCorner[i] = lower[i];
    desc.upperCorner[i] = upper[i];
  }
  desc.channelsPerPixel = channels;
  desc.pixelsPerColumn = pixels;
  return encode(map, desc, "cuTensorMapEncodeIm2col");
}

CUresult cuTensorMapReplaceAddress(CUtensorMap *map, void *address) {
  auto *image = reinterpret_cast<uint8_t *>(map);
  emu::Expected<emu::TensorMapDesc> desc = emu::decodeTensorMap(image);
  if (!desc)
    return refuse(State::get(), CUDA_ERROR_INVALID_VALUE,
                  "cuTensorMapReplaceAddress", desc.error().message);
  desc->globalAddress = reinterpret_cast<uint64_t>(address);
  return encode(map, *desc, "cuTensorMapReplaceAddress");
}
