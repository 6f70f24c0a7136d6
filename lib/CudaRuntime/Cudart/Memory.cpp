//===- Memory.cpp - Allocations, copies, symbols ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/Frame.h"

#include <cstring>

using namespace tc::cuda;
using namespace tc::cuda::cudart;

//===----------------------------------------------------------------------===//
// Allocations
//===----------------------------------------------------------------------===//

static CUdeviceptr *asDevice(void **pointer) {
  return reinterpret_cast<CUdeviceptr *>(pointer);
}

extern "C" {
cudaError_t cudaMalloc(void **address, size_t bytes) {
  return withDevice([&] {
    if (!bytes && address) {
      *address = nullptr;
      return CUDA_SUCCESS;
    }
    return cuMemAlloc(asDevice(address), bytes);
  });
}
cudaError_t cudaFree(void *address) {
  return withDevice([&] { return cuMemFree(toDevice(address)); });
}
cudaError_t cudaMallocHost(void **address, size_t bytes) {
  return withDevice([&] { return cuMemAllocHost(address, bytes); });
}
cudaError_t cudaHostAlloc(void **address, size_t bytes, unsigned flags) {
  return withDevice([&] { return cuMemHostAlloc(address, bytes, flags); });
}
cudaError_t cudaFreeHost(void *address) {
  return withDevice([&] { return cuMemFreeHost(address); });
}
cudaError_t cudaMallocManaged(void **address, size_t bytes, unsigned flags) {
  return withDevice(
      [&] { return cuMemAllocManaged(asDevice(address), bytes, flags); });
}
cudaError_t cudaMallocPitch(void **address, size_t *pitch, size_t width,
                            size_t height) {
  return withDevice([&] {
    return cuMemAllocPitch(asDevice(address), pitch, width, height, 4);
  });
}
cudaError_t cudaMalloc3D(cudaPitchedPtr *pointer, cudaExtent extent) {
  if (!pointer)
    return note(cudaErrorInvalidValue);
  pointer->xsize = extent.width;
  pointer->ysize = extent.height;
  return cudaMallocPitch(&pointer->ptr, &pointer->pitch, extent.width,
                         extent.height * extent.depth);
}
cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t stream) {
  return withDevice(
      [&] { return cuMemAllocAsync(asDevice(address), bytes, stream); });
}
cudaError_t cudaMallocFromPoolAsync(void **address, size_t bytes,
                                    cudaMemPool_t pool, cudaStream_t stream) {
  return withDevice([&] {
    return cuMemAllocFromPoolAsync(asDevice(address), bytes, pool, stream);
  });
}
cudaError_t cudaFreeAsync(void *address, cudaStream_t stream) {
  return withDevice([&] { return cuMemFreeAsync(toDevice(address), stream); });
}
cudaError_t cudaHostRegister(void *address, size_t bytes, unsigned flags) {
  return withDevice([&] { return cuMemHostRegister(address, bytes, flags); });
}
cudaError_t cudaHostUnregister(void *address) {
  return withDevice([&] { return cuMemHostUnregister(address); });
}
cudaError_t cudaHostGetDevicePointer(void **device, void *host,
                                     unsigned flags) {
  return withDevice(
      [&] { return cuMemHostGetDevicePointer(asDevice(device), host, flags); });
}
cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  return withDevice([&] { return cuMemHostGetFlags(flags, host); });
}
cudaError_t cudaMemGetInfo(size_t *free, size_t *total) {
  return withDevice([&] { return cuMemGetInfo(free, total); });
}
cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                            cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
cudaError_t cudaMemAdvise(const void *, size_t, cudaMemoryAdvise,
                          cudaMemLocation) {
  return cudaSuccess;
}
cudaError_t cudaMemPrefetchAsync(const void *, size_t, cudaMemLocation,
                                 unsigned, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t, unsigned) {
  return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device) {
  return withDevice([&] { return cuDeviceGetDefaultMemPool(pool, device); });
}
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int device) {
  return cudaDeviceGetDefaultMemPool(pool, device);
}
cudaError_t cudaDeviceSetMemPool(int, cudaMemPool_t) { return cudaSuccess; }
cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const cudaMemPoolProps *) {
  return withDevice([&] { return cuMemPoolCreate(pool, nullptr); });
}
cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return withDevice([&] { return cuMemPoolDestroy(pool); });
}
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t, size_t) { return cudaSuccess; }
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t, const cudaMemAccessDesc *,
                                 size_t) {
  return cudaSuccess;
}
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which,
                                    void *value) {
  return withDevice([&] {
    return cuMemPoolSetAttribute(pool, static_cast<CUmemPool_attribute>(which),
                                 value);
  });
}
cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which,
                                    void *value) {
  return withDevice([&] {
    return cuMemPoolGetAttribute(pool, static_cast<CUmemPool_attribute>(which),
                                 value);
  });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes,
                                     const void *address) {
  *attributes = cudaPointerAttributes{};
  return withDevice([&] {
    unsigned type = 0, isManaged = 0;
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                   CU_POINTER_ATTRIBUTE_IS_MANAGED};
    void *values[] = {&type, &isManaged};
    CUresult result =
        cuPointerGetAttributes(2, names, values, toDevice(address));
    if (result != CUDA_SUCCESS)
      return result;
    void *pointer = const_cast<void *>(address);
    attributes->type = isManaged                      ? cudaMemoryTypeManaged
                       : type == CU_MEMORYTYPE_DEVICE ? cudaMemoryTypeDevice
                       : type == CU_MEMORYTYPE_HOST
                           ? cudaMemoryTypeHost
                           : cudaMemoryTypeUnregistered;
    bool isHost = attributes->type != cudaMemoryTypeDevice;
    bool isDevice = attributes->type != cudaMemoryTypeUnregistered;
    attributes->hostPointer = isHost ? pointer : nullptr;
    attributes->devicePointer = isDevice ? pointer : nullptr;
    return CUDA_SUCCESS;
  });
}

} // extern "C"

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// What `kind` says about the two sides (CUDA Runtime API, cudaMemcpyKind).
static void setSides(cudaMemcpyKind kind, CUmemorytype &to,
                     CUmemorytype &from) {
  const bool isDefault = kind == cudaMemcpyDefault;
  to = isDefault ? CU_MEMORYTYPE_UNIFIED
       : kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice
           ? CU_MEMORYTYPE_DEVICE
           : CU_MEMORYTYPE_HOST;
  from = isDefault ? CU_MEMORYTYPE_UNIFIED
         : kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice
             ? CU_MEMORYTYPE_DEVICE
             : CU_MEMORYTYPE_HOST;
}

static CUDA_MEMCPY3D makeCopy(void *to, size_t toPitch, const void *from,
                              size_t fromPitch, size_t width, size_t height,
                              cudaMemcpyKind kind) {
  CUDA_MEMCPY3D copy{};
  setSides(kind, copy.dstMemoryType, copy.srcMemoryType);
  copy.dstHost = to;
  copy.dstDevice = toDevice(to);
  copy.dstPitch = toPitch;
  copy.srcHost = from;
  copy.srcDevice = toDevice(from);
  copy.srcPitch = fromPitch;
  copy.WidthInBytes = width;
  copy.Height = height;
  copy.Depth = 1;
  return copy;
}

static bool isKind(cudaMemcpyKind kind) {
  return kind >= cudaMemcpyHostToHost && kind <= cudaMemcpyDefault;
}
CUresult cudart::describeCopy(const cudaMemcpy3DParms &p, CUDA_MEMCPY3D &copy) {
  if (p.srcArray || p.dstArray) {
    complain("cudaMemcpy3D", "CUDA arrays are not supported on the emulator");
    return CUDA_ERROR_NOT_SUPPORTED;
  }
  if (!isKind(p.kind))
    return static_cast<CUresult>(cudaErrorInvalidMemcpyDirection);
  copy = makeCopy(p.dstPtr.ptr, p.dstPtr.pitch, p.srcPtr.ptr, p.srcPtr.pitch,
                  p.extent.width, p.extent.height, p.kind);
  copy.Depth = p.extent.depth;
  copy.srcHeight = p.srcPtr.ysize;
  copy.dstHeight = p.dstPtr.ysize;
  copy.srcXInBytes = p.srcPos.x;
  copy.srcY = p.srcPos.y;
  copy.srcZ = p.srcPos.z;
  copy.dstXInBytes = p.dstPos.x;
  copy.dstY = p.dstPos.y;
  copy.dstZ = p.dstPos.z;
  return CUDA_SUCCESS;
}
CUresult cudart::describeCopy(void *to, const void *from, size_t bytes,
                              cudaMemcpyKind kind, CUDA_MEMCPY3D &copy) {
  if (!isKind(kind))
    return static_cast<CUresult>(cudaErrorInvalidMemcpyDirection);
  copy = makeCopy(to, bytes, from, bytes, bytes, 1, kind);
  return CUDA_SUCCESS;
}

extern "C" {
cudaError_t cudaMemcpy2DAsync(void *to, size_t toPitch, const void *from,
                              size_t fromPitch, size_t width, size_t height,
                              cudaMemcpyKind kind, cudaStream_t stream) {
  return withDevice([&] {
    if (!isKind(kind))
      return static_cast<CUresult>(cudaErrorInvalidMemcpyDirection);
    if (height > 1 && (toPitch < width || fromPitch < width))
      return static_cast<CUresult>(cudaErrorInvalidPitchValue);
    CUDA_MEMCPY3D copy =
        makeCopy(to, toPitch, from, fromPitch, width, height, kind);
    return cuMemcpy3DAsync(&copy, stream);
  });
}
cudaError_t cudaMemcpy2D(void *to, size_t toPitch, const void *from,
                         size_t fromPitch, size_t width, size_t height,
                         cudaMemcpyKind kind) {
  return cudaMemcpy2DAsync(to, toPitch, from, fromPitch, width, height, kind,
                           nullptr);
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, bytes, from, bytes, bytes, 1, kind, stream);
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind kind) {
  return cudaMemcpyAsync(to, from, bytes, kind, nullptr);
}
cudaError_t cudaMemcpyPeerAsync(void *to, int, const void *from, int,
                                size_t bytes, cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream);
}
cudaError_t cudaMemcpyPeer(void *to, int, const void *from, int, size_t bytes) {
  return cudaMemcpy(to, from, bytes, cudaMemcpyDefault);
}
cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *p, cudaStream_t stream) {
  return withDevice([&] {
    CUDA_MEMCPY3D copy;
    CUresult result = describeCopy(*p, copy);
    return result == CUDA_SUCCESS ? cuMemcpy3DAsync(&copy, stream) : result;
  });
}
cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *params) {
  return cudaMemcpy3DAsync(params, nullptr);
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width,
                              size_t height, cudaStream_t stream) {
  return withDevice([&] {
    return cuMemsetD2D8Async(toDevice(to), pitch,
                             static_cast<unsigned char>(value), width, height,
                             stream);
  });
}
cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width,
                         size_t height) {
  return cudaMemset2DAsync(to, pitch, value, width, height, nullptr);
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes,
                            cudaStream_t stream) {
  return cudaMemset2DAsync(to, bytes, value, bytes, 1, stream);
}
cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  return cudaMemsetAsync(to, value, bytes, nullptr);
}
cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int value, cudaExtent extent,
                              cudaStream_t stream) {
  for (size_t z = 0; z < extent.depth; ++z)
    if (cudaError_t error = cudaMemset2DAsync(
            static_cast<char *>(to.ptr) + z * to.pitch * to.ysize, to.pitch,
            value, extent.width, extent.height, stream);
        error != cudaSuccess)
      return error;
  return cudaSuccess;
}
cudaError_t cudaMemset3D(cudaPitchedPtr to, int value, cudaExtent extent) {
  return cudaMemset3DAsync(to, value, extent, nullptr);
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

cudaError_t cudaGetSymbolAddress(void **address, const void *symbol) {
  return withDevice([&] {
    size_t bytes = 0;
    return findSymbol(symbol, *asDevice(address), bytes);
  });
}
cudaError_t cudaGetSymbolSize(size_t *bytes, const void *symbol) {
  return withDevice([&] {
    CUdeviceptr address = 0;
    return findSymbol(symbol, address, *bytes);
  });
}
} // extern "C"
CUresult cudart::findPart(const void *symbol, size_t bytes, size_t offset,
                          void *&part) {
  CUdeviceptr address = 0;
  size_t all = 0;
  CUresult result = findSymbol(symbol, address, all);
  if (result == CUDA_SUCCESS && (offset > all || bytes > all - offset))
    result = CUDA_ERROR_INVALID_VALUE;
  part = reinterpret_cast<void *>(address + offset);
  return result;
}
extern "C" {
cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from,
                                    size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  void *to = nullptr;
  cudaError_t error =
      withDevice([&] { return findPart(symbol, bytes, offset, to); });
  return error == cudaSuccess ? cudaMemcpyAsync(to, from, bytes, kind, stream)
                              : error;
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from,
                               size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, nullptr);
}
cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol,
                                      size_t bytes, size_t offset,
                                      cudaMemcpyKind kind,
                                      cudaStream_t stream) {
  void *from = nullptr;
  cudaError_t error =
      withDevice([&] { return findPart(symbol, bytes, offset, from); });
  return error == cudaSuccess ? cudaMemcpyAsync(to, from, bytes, kind, stream)
                              : error;
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes,
                                 size_t offset, cudaMemcpyKind kind) {
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, nullptr);
}
} // extern "C"
