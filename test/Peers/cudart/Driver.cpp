//===- Driver.cpp - CUDA driver calls on the emulator -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps: linked directly or asked for by name.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/TensorMap.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

using namespace tc;

static CUresult encode(CUtensorMap *map, const emu::TensorMapDesc &desc) {
  emu::Expected<emu::TensorMapImage> image = emu::encodeTensorMap(desc);
  if (!image) {
    std::fprintf(stderr, "tensor map: %s\n", image.error().message.c_str());
    return CUDA_ERROR_INVALID_VALUE;
  }
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

extern "C" {

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
  return encode(map, desc);
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
  return encode(map, desc);
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == CUDA_SUCCESS ? "no error" : "invalid argument";
  return CUDA_SUCCESS;
}
CUresult cuGetErrorName(CUresult error, const char **text) {
  return cuGetErrorString(error, text);
}
CUresult cuDriverGetVersion(int *version) {
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

cudaError_t
cudaGetDriverEntryPointByVersion(const char *symbol, void **function, unsigned,
                                 unsigned long long,
                                 cudaDriverEntryPointQueryResult *result) {
  *function = nullptr;
  if (!std::strcmp(symbol, "cuTensorMapEncodeTiled"))
    *function = reinterpret_cast<void *>(&cuTensorMapEncodeTiled);
  else if (!std::strcmp(symbol, "cuTensorMapEncodeIm2col"))
    *function = reinterpret_cast<void *>(&cuTensorMapEncodeIm2col);
  else
    std::fprintf(stderr, "no driver call '%s' on the emulator\n", symbol);
  if (result)
    *result = *function ? cudaDriverEntryPointSuccess
                        : cudaDriverEntryPointSymbolNotFound;
  return *function ? cudaSuccess : cudaErrorNotSupported;
}
cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **function,
                                    unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *result) {
  return cudaGetDriverEntryPointByVersion(symbol, function, 0, flags, result);
}

} // extern "C"
