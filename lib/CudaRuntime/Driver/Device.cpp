//===- Device.cpp - The device that programs see ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device, of Core/Devices.h. Attributes that are not in the tables are
// those of features that it does not have: 0.
//
//===----------------------------------------------------------------------===//

#include "Driver/Handles.h"

#include <cstring>
#include <optional>

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
  return locked([&](State &state) {
    if (length < 1)
      return CUDA_ERROR_INVALID_VALUE;
    std::snprintf(name, size_t(length), "%s (tc emulator)",
                  state.settings.device->product);
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
// Capability": what all devices have alike.
static const Attribute attributes[] = {
    {CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y, 1024},
    {CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z, 64},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X, 0x7fffffff},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z, 65535},
    {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 48 * 1024},
    {CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK, 1024},
    {CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY, 65536},
    {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
    {CU_DEVICE_ATTRIBUTE_MAX_PITCH, 0x7fffffff},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK, 65536},
    {CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR, 65536},
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
    {CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1},
    {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, CU_COMPUTEMODE_DEFAULT},
    {CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, 128 << 20},
};

/// What they differ in; nothing if it is not that.
static std::optional<int> attributeOf(const Settings &settings,
                                      CUdevice_attribute attribute) {
  const Device &device = *settings.device;
  switch (attribute) {
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
    return device.capability() / 10;
  case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    return device.capability() % 10;
  case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
    return settings.multiprocessors;
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
    return device.blockSharedBytes();
  case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
    return device.sharedKiB << 10;
  case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
    return device.threads;
  case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
    return device.blocks;
  case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
    return device.clockKHz;
  case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
    return device.memoryClockKHz;
  case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
    return device.memoryBusBits;
  case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
    return device.l2KiB << 10;
  case CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE:
    return (device.l2KiB << 10) / 8 * 5;
  case CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH:
  case CU_DEVICE_ATTRIBUTE_TENSOR_MAP_ACCESS_SUPPORTED:
    return device.hasClusters();
  case CU_DEVICE_ATTRIBUTE_SINGLE_TO_DOUBLE_PRECISION_PERF_RATIO:
    return device.singleToDouble();
  default:
    return std::nullopt;
  }
}

CUresult cuDeviceGetAttribute(int *value, CUdevice_attribute attribute,
                              CUdevice device) {
  return locked([&](State &state) {
    if (attribute < 1 || attribute >= CU_DEVICE_ATTRIBUTE_MAX)
      return CUDA_ERROR_INVALID_VALUE;
    *value = attributeOf(state.settings, attribute).value_or(0);
    for (const Attribute &row : attributes)
      if (row.attribute == attribute)
        *value = row.value;
    return checkDevice(device);
  });
}
CUresult cuDeviceComputeCapability(int *major, int *minor, CUdevice device) {
  return locked([&](State &state) {
    *major = int(state.settings.device->capability() / 10);
    *minor = int(state.settings.device->capability() % 10);
    return checkDevice(device);
  });
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
  (void)cuDeviceGetAttribute(&properties->clockRate,
                             CU_DEVICE_ATTRIBUTE_CLOCK_RATE, device);
  properties->textureAlign = 512;
  return checkDevice(device);
}

CUresult cuDeviceGetUuid(CUuuid *uuid, CUdevice device) {
  return locked([&](State &state) {
    char text[17];
    std::snprintf(text, sizeof(text), "tc emulator %4s",
                  state.settings.device->target + std::strlen("sm_"));
    std::memcpy(uuid->bytes, text, 16);
    return checkDevice(device);
  });
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
