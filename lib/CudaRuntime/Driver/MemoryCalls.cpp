//===- MemoryCalls.cpp - Allocations and pointers ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

#include <cstring>

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

static CUresult allocate(State &state, MemoryKind kind, size_t bytes,
                         uint64_t &address, const char *call,
                         unsigned flags = 0) {
  if (!bytes)
    return CUDA_ERROR_INVALID_VALUE;
  emu::Expected<uint64_t> place = state.memory.allocate(bytes, kind, flags);
  if (!place)
    return refuse(state, CUDA_ERROR_OUT_OF_MEMORY, call, place.error().message);
  address = *place;
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo(size_t *free, size_t *total) {
  return inContext([&](State &state) {
    *total = state.memory.limit();
    *free = state.memory.limit() - state.memory.used();
    return CUDA_SUCCESS;
  });
}
static CUresult allocateDevice(State &state, CUdeviceptr *address, size_t bytes,
                               const char *call) {
  uint64_t place = 0;
  CUresult result = allocate(state, MemoryKind::Device, bytes, place, call);
  *address = place;
  return result;
}
CUresult cuMemAlloc(CUdeviceptr *address, size_t bytes) {
  return inContext([&](State &state) {
    if (!address)
      return CUDA_ERROR_INVALID_VALUE;
    const CUresult allowed = checkUnsafe();
    return allowed == CUDA_SUCCESS
               ? allocateDevice(state, address, bytes, "cuMemAlloc")
               : allowed;
  });
}
CUresult cuMemAllocPitch(CUdeviceptr *address, size_t *pitch, size_t width,
                         size_t height, unsigned) {
  if (!pitch)
    return CUDA_ERROR_INVALID_VALUE;
  *pitch = (width + 511) / 512 * 512;
  return cuMemAlloc(address, *pitch * height);
}
CUresult cuMemAllocManaged(CUdeviceptr *address, size_t bytes, unsigned flags) {
  return inContext([&](State &state) {
    if (!address)
      return CUDA_ERROR_INVALID_VALUE;
    uint64_t place = 0;
    CUresult result = allocate(state, MemoryKind::Managed, bytes, place,
                               "cuMemAllocManaged", flags);
    *address = place;
    return result;
  });
}
CUresult cuMemFree(CUdeviceptr address) {
  return inContext([&](State &state) {
    if (!address)
      return CUDA_SUCCESS;
    return check(
        state,
        state.memory.free(address, {MemoryKind::Device, MemoryKind::Managed}),
        "cuMemFree");
  });
}
CUresult cuMemHostAlloc(void **address, size_t bytes, unsigned flags) {
  return inContext([&](State &state) {
    if (!address)
      return CUDA_ERROR_INVALID_VALUE;
    uint64_t place = 0;
    CUresult result = allocate(state, MemoryKind::Pinned, bytes, place,
                               "cuMemHostAlloc", flags);
    *address = reinterpret_cast<void *>(place);
    return result;
  });
}
CUresult cuMemAllocHost(void **address, size_t bytes) {
  return cuMemHostAlloc(address, bytes, 0);
}
CUresult cuMemFreeHost(void *address) {
  return inContext([&](State &state) {
    if (!address)
      return CUDA_SUCCESS;
    return check(state,
                 state.memory.free(reinterpret_cast<uint64_t>(address),
                                   {MemoryKind::Pinned}),
                 "cuMemFreeHost");
  });
}
CUresult cuMemHostRegister(void *address, size_t bytes, unsigned flags) {
  return inContext([&](State &state) {
    return check(state, state.memory.registerHost(address, bytes, flags),
                 "cuMemHostRegister",
                 CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  });
}
CUresult cuMemHostUnregister(void *address) {
  return inContext([&](State &state) {
    return check(state,
                 state.memory.free(reinterpret_cast<uint64_t>(address),
                                   {MemoryKind::Registered}),
                 "cuMemHostUnregister", CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
  });
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *device, void *host, unsigned) {
  return inContext([&](State &state) {
    *device = reinterpret_cast<CUdeviceptr>(host);
    return state.memory.find(*device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult cuMemHostGetFlags(unsigned *flags, void *host) {
  return inContext([&](State &state) {
    const Memory::Allocation *found =
        state.memory.find(reinterpret_cast<uint64_t>(host));
    *flags = found ? found->flags : 0;
    return found ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  });
}
CUresult cuMemGetAddressRange(CUdeviceptr *begin, size_t *bytes,
                              CUdeviceptr address) {
  return inContext([&](State &state) {
    emu::DeviceMemory::Range range = state.memory.device.range(address);
    if (!range.data)
      return CUDA_ERROR_NOT_FOUND;
    if (begin)
      *begin = range.begin;
    if (bytes)
      *bytes = range.end - range.begin;
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Pools: names for the one memory
//===----------------------------------------------------------------------===//

static CUmemoryPool defaultPool() {
  static CUmemPoolHandle_st pool;
  return &pool;
}
CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice) {
  return locked([&](State &) {
    *pool = defaultPool();
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice device) {
  return cuDeviceGetDefaultMemPool(pool, device);
}
CUresult cuDeviceSetMemPool(CUdevice, CUmemoryPool) { return CUDA_SUCCESS; }
CUresult cuDeviceGetGraphMemAttribute(CUdevice device,
                                      CUgraphMem_attribute which, void *value) {
  return locked([&](State &state) {
    const Memory::OfGraphs &g = state.memory.ofGraphs;
    const uint64_t values[] = {g.used, g.usedHigh, g.held, g.heldHigh};
    if (device || !value || unsigned(which) >= std::size(values))
      return CUDA_ERROR_INVALID_VALUE;
    *static_cast<cuuint64_t *>(value) = values[which];
    return CUDA_SUCCESS;
  });
}
/// A high watermark can be set to zero; nothing else can.
CUresult cuDeviceSetGraphMemAttribute(CUdevice device,
                                      CUgraphMem_attribute which, void *value) {
  return locked([&](State &state) {
    Memory::OfGraphs &g = state.memory.ofGraphs;
    if (device || !value || *static_cast<cuuint64_t *>(value))
      return CUDA_ERROR_INVALID_VALUE;
    if (which == CU_GRAPH_MEM_ATTR_USED_MEM_HIGH)
      g.usedHigh = g.used;
    else if (which == CU_GRAPH_MEM_ATTR_RESERVED_MEM_HIGH)
      g.heldHigh = g.held;
    else
      return CUDA_ERROR_INVALID_VALUE;
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGraphMemTrim(CUdevice device) {
  return locked([&](State &state) {
    state.memory.ofGraphs.held = state.memory.ofGraphs.used;
    return device ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
  });
}
CUresult cuMemPoolCreate(CUmemoryPool *pool, const CUmemPoolProps *) {
  return inContext([&](State &) {
    *pool = new CUmemPoolHandle_st;
    return CUDA_SUCCESS;
  });
}
CUresult cuMemPoolDestroy(CUmemoryPool pool) {
  return inContext([&](State &) {
    if (!pool || pool == defaultPool())
      return CUDA_ERROR_INVALID_VALUE;
    delete pool;
    return CUDA_SUCCESS;
  });
}
CUresult cuMemPoolTrimTo(CUmemoryPool, size_t) { return CUDA_SUCCESS; }
CUresult cuMemPoolSetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  return locked([&](State &) {
    uint64_t bits = 0;
    std::memcpy(&bits, value,
                attribute >= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD ? 8 : 4);
    pool->attributes[attribute] = bits;
    return CUDA_SUCCESS;
  });
}
CUresult cuMemPoolGetAttribute(CUmemoryPool pool, CUmemPool_attribute attribute,
                               void *value) {
  return locked([&](State &) {
    uint64_t bits = pool->attributes[attribute];
    std::memcpy(value, &bits,
                attribute >= CU_MEMPOOL_ATTR_RELEASE_THRESHOLD ? 8 : 4);
    return CUDA_SUCCESS;
  });
}
CUresult cuMemPoolSetAccess(CUmemoryPool, const CUmemAccessDesc *, size_t) {
  return CUDA_SUCCESS;
}

static bool isCaptured(CUstream stream) {
  CUstream found = resolve(stream);
  return found && found->capture;
}
CUresult cuMemAllocAsync(CUdeviceptr *address, size_t bytes, CUstream stream) {
  return inContext([&](State &state) {
    if (!address)
      return CUDA_ERROR_INVALID_VALUE;
    if (!isCaptured(stream))
      return allocateDevice(state, address, bytes, "cuMemAllocAsync");
    AllocateWork work;
    CUresult result = makeAllocation(state, bytes, "cuMemAllocAsync", work);
    *address = work.address;
    return result == CUDA_SUCCESS ? submit(state, stream, work) : result;
  });
}
CUresult cuMemAllocFromPoolAsync(CUdeviceptr *address, size_t bytes,
                                 CUmemoryPool, CUstream stream) {
  return cuMemAllocAsync(address, bytes, stream);
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return inContext([&](State &state) {
    if (!isCaptured(stream))
      return cuMemFree(address);
    FreeWork work;
    CUresult result = makeFree(state, address, "cuMemFreeAsync", work);
    return result == CUDA_SUCCESS ? submit(state, stream, work) : result;
  });
}

//===----------------------------------------------------------------------===//
// Hints on managed memory
//===----------------------------------------------------------------------===//

extern "C" {
#undef cuMemAdvise
#undef cuMemPrefetchAsync
CUresult cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice) {
  return CUDA_SUCCESS;
}
CUresult cuMemAdvise_v2(CUdeviceptr, size_t, CUmem_advise, CUmemLocation) {
  return CUDA_SUCCESS;
}
CUresult cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream) {
  return CUDA_SUCCESS;
}
CUresult cuMemPrefetchAsync_v2(CUdeviceptr, size_t, CUmemLocation, unsigned,
                               CUstream) {
  return CUDA_SUCCESS;
}
}
CUresult cuStreamAttachMemAsync(CUstream, CUdeviceptr, size_t, unsigned) {
  return CUDA_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

template <class T>
static CUresult put(void *data, T value) {
  std::memcpy(data, &value, sizeof(value));
  return CUDA_SUCCESS;
}

static CUresult pointerAttribute(State &state, void *data,
                                 CUpointer_attribute attribute,
                                 CUdeviceptr address) {
  emu::DeviceMemory::Range range = state.memory.device.range(address);
  if (!range.data)
    return CUDA_ERROR_INVALID_VALUE;
  // Variables of modules are in no allocation of the program.
  const Memory::Allocation *found = state.memory.find(address);
  MemoryKind kind = found ? found->kind : MemoryKind::Device;
  bool isHost = kind == MemoryKind::Pinned || kind == MemoryKind::Registered;
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    return put(data, currentContext());
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    return put(data, isHost ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    return put(data, address);
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (kind == MemoryKind::Device)
      return CUDA_ERROR_INVALID_VALUE;
    return put(data, address);
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    return put(data, unsigned(1));
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    return put(data, static_cast<unsigned long long>(range.begin));
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    return put(data, unsigned(kind == MemoryKind::Managed));
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    return put(data, 0);
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
    return put(data, false);
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
    return put(data, CUdeviceptr(range.begin));
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
    return put(data, size_t(range.end - range.begin));
  case CU_POINTER_ATTRIBUTE_MAPPED:
    return put(data, true);
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    return put(data, 0ull);
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
    return put(data, false);
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    return put(data, CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE);
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    return put(data, CUmemoryPool(nullptr));
  default:
    return refuse(state, CUDA_ERROR_NOT_SUPPORTED, "cuPointerGetAttribute",
                  "attribute " + std::to_string(attribute) +
                      " is not supported on the emulator");
  }
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute,
                               CUdeviceptr address) {
  return inContext([&](State &state) {
    return pointerAttribute(state, data, attribute, address);
  });
}
CUresult cuPointerGetAttributes(unsigned count, CUpointer_attribute *attributes,
                                void **data, CUdeviceptr address) {
  return inContext([&](State &state) {
    bool isKnown = state.memory.device.range(address).data;
    for (unsigned i = 0; i < count; ++i) {
      // Memory of the host that is not registered has no attributes: zeros.
      if (isKnown && pointerAttribute(state, data[i], attributes[i], address) ==
                         CUDA_SUCCESS)
        continue;
      bool isWide = attributes[i] == CU_POINTER_ATTRIBUTE_CONTEXT ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_POINTER ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_HOST_POINTER ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_BUFFER_ID ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_START_ADDR ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_RANGE_SIZE ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE ||
                    attributes[i] == CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES;
      bool isByte =
          attributes[i] == CU_POINTER_ATTRIBUTE_MAPPED ||
          attributes[i] == CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE ||
          attributes[i] == CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE;
      std::memset(data[i], 0, isWide ? 8 : isByte ? 1 : 4);
      if (attributes[i] == CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
        put(data[i], -2);
    }
    return CUDA_SUCCESS;
  });
}
CUresult cuPointerSetAttribute(const void *, CUpointer_attribute attribute,
                               CUdeviceptr) {
  return attribute == CU_POINTER_ATTRIBUTE_SYNC_MEMOPS
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_VALUE;
}
