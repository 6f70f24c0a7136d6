//===- Device.cpp - The device that programs see ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device of compute capability 10.0. Attributes that are not in the table
// are those of features that it does not have: 0.
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

#include <cstring>

using namespace tc;
using namespace tc::cuda;
using namespace tc::cuda::driver;

static CUresult checkDevice(CUdevice device) {
  return device == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult cuDeviceGetCount(int *count) {
  return locked([&](State &) {
    *count = 1;
    return CUDA_SUCCESS;
  });
}
CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  return locked([&](State &) {
    *device = 0;
    return checkDevice(ordinal);
  });
}
CUresult cuDeviceGetName(char *name, int length, CUdevice device) {
  return locked([&](State &) {
    if (length < 1)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, size_t(length), "tc emulator (sm_100a)");
    return checkDevice(device);
  });
}
CUresult cuDeviceTotalMem(size_t *bytes, CUdevice device) {
  return locked([&](State &state) {
    *bytes = state.memory.limit();
    return checkDevice(device);
  });
}

namespace {
struct Attribute {
  CUdevice_attribute attribute;
  int value;
};
} // namespace

// CUDA C++ Programming Guide, "Technical Specifications per Compute
// Capability", column 10.0.
static const Attribute attributes[] = {
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 10},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 227 * 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR, 228 * 1024},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 0x7fffffff},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR, 2048},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR, 32},
    {CU_DEVICE_ATTRIBUTE_CLOCK_RATE, 1'965'000},
    {CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE, 3'996'000},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH, 7680},
    {CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE, 126 << 20},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT, 32},
    {CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT, 512},
    {CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING, 1},
    {CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY, 1},
    {CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, 1},
    {CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM, 1},
    {CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO, 2},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT},
};

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  return locked([&](State &state) {
    if (attribute < 1 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    *value = 0;
    if (attribute == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)
      *value = int(state.settings.multiprocessors);
    for (const Attribute &row : attributes)
      if (row.attribute == attribute)
        *value = row.value;
    return checkDevice(device);
  });
}
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  *major = 10;
  *minor = 0;
  return checkDevice(device);
}
CUresult cuDeviceGetProperties(CUdevprop *properties, CUdevice device) {
  *properties = CUdevprop{};
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->maxGridSize[0] = 0x7fffffff;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->sharedMemPerBlock = 48 * 1024;
  properties->totalConstantMemory = 65536;
  properties->SIMDWidth = 32;
  properties->memPitch = 0x7fffffff;
  properties->regsPerBlock = 65536;
  properties->clockRate = 1'965'000;
  properties->textureAlign = 512;
  return checkDevice(device);
}

static void setUuid(CUuuid *uuid) {
  std::memcpy(uuid->bytes, "tc emulator 100a", 16);
}
CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  setUuid(uuid);
  return checkDevice(device);
}
static const char *busId = "0000:00:00.0";
CUresult cuDeviceGetPCIBusId(char *text, int length, CUdevice device) {
  if (length < 13)
    return CUDA_ERROR_INVALID_VALUE;
  std::strcpy(text, busId);
  return checkDevice(device);
}
CUresult cuDeviceGetByPCIBusId(CUdevice *device, const char *text) {
  *device = 0;
  return std::strcmp(text, busId) ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}
CUresult cuDeviceCanAccessPeer(int *can, CUdevice device, CUdevice peer) {
  *can = 0;
  return device == 0 && peer == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}
CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *width, CUarray_format,
                                            unsigned, CUdevice device) {
  *width = 0;
  return checkDevice(device);
}
CUresult cuFlushGPUDirectRDMAWrites(CUflushGPUDirectRDMAWritesTarget,
                                    CUflushGPUDirectRDMAWritesScope) {
  return CUDA_SUCCESS;
}

extern "C" {
CUresult cuProfilerInitialize(const char *, const char *, int) {
  return CUDA_SUCCESS;
}
CUresult cuProfilerStart() { return CUDA_SUCCESS; }
CUresult cuProfilerStop() { return CUDA_SUCCESS; }
}
