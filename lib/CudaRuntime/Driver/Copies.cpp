//===- Copies.cpp - Copies and fills ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every copy is one of a box, every fill one of rows; calls differ in how they
// name the sides. The ones without a stream are those of the default stream.
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

//===----------------------------------------------------------------------===//
// Boxes
//===----------------------------------------------------------------------===//

static CUresult toPlace(State &state, CUmemorytype type, const void *host,
                        CUdeviceptr device, size_t x, size_t y, size_t z,
                        size_t pitch, size_t height, Place &place) {
  switch (type) {
  case CU_MEMORYTYPE_HOST:
    place.address = reinterpret_cast<uint64_t>(host);
    place.side = Place::Side::Host;
    break;
  case CU_MEMORYTYPE_DEVICE:
    place.address = device;
    place.side = Place::Side::Device;
    break;
  case CU_MEMORYTYPE_UNIFIED:
    place.address = device;
    break;
  default:
    return refuse(state, CUDA_ERROR_NOT_SUPPORTED, "cuMemcpy3D",
                  "CUDA arrays are not supported on the emulator");
  }
  place.pitch = pitch;
  place.slicePitch = pitch * height;
  place.address += z * place.slicePitch + y * pitch + x;
  return CUDA_SUCCESS;
}

CUresult driver::describeCopy(State &state, const CUDA_MEMCPY3D &p,
                              CopyWork &work) {
  work.params = p;
  work.box = {p.WidthInBytes, p.Height, p.Depth};
  if (CUresult result =
          toPlace(state, p.srcMemoryType, p.srcHost, p.srcDevice, p.srcXInBytes,
                  p.srcY, p.srcZ, p.srcPitch ? p.srcPitch : p.WidthInBytes,
                  p.srcHeight ? p.srcHeight : p.Height, work.from);
      result != CUDA_SUCCESS)
    return result;
  return toPlace(state, p.dstMemoryType, p.dstHost, p.dstDevice, p.dstXInBytes,
                 p.dstY, p.dstZ, p.dstPitch ? p.dstPitch : p.WidthInBytes,
                 p.dstHeight ? p.dstHeight : p.Height, work.to);
}

CUresult cuMemcpy3DAsync(const CUDA_MEMCPY3D *params, CUstream stream) {
  return inContext([&](State &state) {
    CopyWork work;
    CUresult result = describeCopy(state, *params, work);
    return result == CUDA_SUCCESS ? submit(state, stream, work) : result;
  });
}
CUresult cuMemcpy3D(const CUDA_MEMCPY3D *params) {
  return cuMemcpy3DAsync(params, nullptr);
}
CUresult cuMemcpy2DAsync(const CUDA_MEMCPY2D *p, CUstream stream) {
  CUDA_MEMCPY3D params{};
  params.srcXInBytes = p->srcXInBytes;
  params.srcY = p->srcY;
  params.srcMemoryType = p->srcMemoryType;
  params.srcHost = p->srcHost;
  params.srcDevice = p->srcDevice;
  params.srcPitch = p->srcPitch;
  params.dstXInBytes = p->dstXInBytes;
  params.dstY = p->dstY;
  params.dstMemoryType = p->dstMemoryType;
  params.dstHost = p->dstHost;
  params.dstDevice = p->dstDevice;
  params.dstPitch = p->dstPitch;
  params.WidthInBytes = p->WidthInBytes;
  params.Height = p->Height;
  params.Depth = 1;
  return cuMemcpy3DAsync(&params, stream);
}
CUresult cuMemcpy2D(const CUDA_MEMCPY2D *params) {
  return cuMemcpy2DAsync(params, nullptr);
}
CUresult cuMemcpy2DUnaligned(const CUDA_MEMCPY2D *params) {
  return cuMemcpy2DAsync(params, nullptr);
}

//===----------------------------------------------------------------------===//
// Rows of bytes
//===----------------------------------------------------------------------===//

static CUresult copy(uint64_t to, CUmemorytype toType, uint64_t from,
                     CUmemorytype fromType, size_t bytes, CUstream stream) {
  CUDA_MEMCPY3D params{};
  params.srcMemoryType = fromType;
  params.srcHost = reinterpret_cast<const void *>(from);
  params.srcDevice = from;
  params.dstMemoryType = toType;
  params.dstHost = reinterpret_cast<void *>(to);
  params.dstDevice = to;
  params.WidthInBytes = bytes;
  params.Height = params.Depth = 1;
  return cuMemcpy3DAsync(&params, stream);
}
static uint64_t bits(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

CUresult cuMemcpyAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                       CUstream stream) {
  return copy(to, CU_MEMORYTYPE_UNIFIED, from, CU_MEMORYTYPE_UNIFIED, bytes,
              stream);
}
CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return cuMemcpyAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes,
                           CUstream stream) {
  return copy(to, CU_MEMORYTYPE_DEVICE, bits(from), CU_MEMORYTYPE_HOST, bytes,
              stream);
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void *from, size_t bytes) {
  return cuMemcpyHtoDAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  return copy(bits(to), CU_MEMORYTYPE_HOST, from, CU_MEMORYTYPE_DEVICE, bytes,
              stream);
}
CUresult cuMemcpyDtoH(void *to, CUdeviceptr from, size_t bytes) {
  return cuMemcpyDtoHAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes,
                           CUstream stream) {
  return copy(to, CU_MEMORYTYPE_DEVICE, from, CU_MEMORYTYPE_DEVICE, bytes,
              stream);
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, size_t bytes) {
  return cuMemcpyDtoDAsync(to, from, bytes, nullptr);
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext, CUdeviceptr from,
                           CUcontext, size_t bytes, CUstream stream) {
  return cuMemcpyDtoDAsync(to, from, bytes, stream);
}
CUresult cuMemcpyPeer(CUdeviceptr to, CUcontext, CUdeviceptr from, CUcontext,
                      size_t bytes) {
  return cuMemcpyDtoD(to, from, bytes);
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

static CUresult fill(CUdeviceptr to, size_t pitch, unsigned value,
                     unsigned valueBytes, size_t width, size_t height,
                     CUstream stream) {
  return inContext([&](State &state) {
    FillWork work;
    work.params.dst = to;
    work.params.pitch = pitch;
    work.params.value = value;
    work.params.elementSize = valueBytes;
    work.params.width = width;
    work.params.height = height;
    return submit(state, stream, work);
  });
}

// cuMemsetD8, cuMemsetD8Async, cuMemsetD2D8, cuMemsetD2D8Async and the same
// for 16 and 32 bits.
#define TC_MEMSET(BITS, TYPE)                                                  \
  CUresult cuMemsetD##BITS##Async(CUdeviceptr to, TYPE value, size_t count,    \
                                  CUstream stream) {                           \
    return fill(to, 0, value, BITS / 8, count, 1, stream);                     \
  }                                                                            \
  CUresult cuMemsetD2D##BITS##Async(CUdeviceptr to, size_t pitch, TYPE value,  \
                                    size_t width, size_t height,               \
                                    CUstream stream) {                         \
    return fill(to, pitch, value, BITS / 8, width, height, stream);            \
  }
TC_MEMSET(8, unsigned char)
TC_MEMSET(16, unsigned short)
TC_MEMSET(32, unsigned)
#undef TC_MEMSET

CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, size_t count) {
  return cuMemsetD8Async(to, value, count, nullptr);
}
CUresult cuMemsetD16(CUdeviceptr to, unsigned short value, size_t count) {
  return cuMemsetD16Async(to, value, count, nullptr);
}
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, size_t count) {
  return cuMemsetD32Async(to, value, count, nullptr);
}
CUresult cuMemsetD2D8(CUdeviceptr to, size_t pitch, unsigned char value,
                      size_t width, size_t height) {
  return cuMemsetD2D8Async(to, pitch, value, width, height, nullptr);
}
CUresult cuMemsetD2D16(CUdeviceptr to, size_t pitch, unsigned short value,
                       size_t width, size_t height) {
  return cuMemsetD2D16Async(to, pitch, value, width, height, nullptr);
}
CUresult cuMemsetD2D32(CUdeviceptr to, size_t pitch, unsigned value,
                       size_t width, size_t height) {
  return cuMemsetD2D32Async(to, pitch, value, width, height, nullptr);
}
