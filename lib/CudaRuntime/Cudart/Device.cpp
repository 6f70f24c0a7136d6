//===- Device.cpp - The device that programs see ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/Frame.h"

using namespace tc::cuda;
using namespace tc::cuda::cudart;

static cudaError_t checkDevice(int device) {
  return note(device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

cudaError_t cudaGetDeviceCount(int *count) {
  return withDevice([&] { return cuDeviceGetCount(count); });
}
cudaError_t cudaGetDevice(int *device) {
  if (!device)
    return note(cudaErrorInvalidValue);
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  return device ? checkDevice(device) : withDevice([] { return CUDA_SUCCESS; });
}
cudaError_t cudaInitDevice(int device, unsigned, unsigned) {
  return cudaSetDevice(device);
}
cudaError_t cudaSetValidDevices(int *, int) { return cudaSuccess; }
cudaError_t cudaChooseDevice(int *device, const cudaDeviceProp *) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaSetDeviceFlags(unsigned flags) {
  return withDevice([&] { return cuDevicePrimaryCtxSetFlags(0, flags); });
}
cudaError_t cudaGetDeviceFlags(unsigned *flags) {
  return withDevice([&] {
    int active;
    return cuDevicePrimaryCtxGetState(0, flags, &active);
  });
}
cudaError_t cudaDeviceReset() {
  return withDevice([] { return cuDevicePrimaryCtxReset(0); });
}
cudaError_t cudaDeviceSynchronize() {
  return withDevice([] { return cuCtxSynchronize(); });
}

cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute,
                                   int device) {
  // The enumerators have the numbers of the driver's.
  return withDevice([&] {
    return cuDeviceGetAttribute(
        value, static_cast<CUdevice_attribute>(attribute), device);
  });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp *p, int device) {
  *p = cudaDeviceProp{};
  return withDevice([&] {
    auto get = [&](CUdevice_attribute attribute) {
      int value = 0;
      (void)cuDeviceGetAttribute(&value, attribute, device);
      return value;
    };
    p->major = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
    p->minor = get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
    p->multiProcessorCount = get(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    p->warpSize = get(CU_DEVICE_ATTRIBUTE_WARP_SIZE);
    p->maxThreadsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    p->maxThreadsPerMultiProcessor =
        get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR);
    p->maxBlocksPerMultiProcessor =
        get(CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR);
    for (int i = 0; i < 3; ++i) {
      p->maxThreadsDim[i] =
          get(CUdevice_attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X + i));
      p->maxGridSize[i] =
          get(CUdevice_attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X + i));
    }
    p->sharedMemPerBlock =
        size_t(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK));
    p->sharedMemPerBlockOptin =
        size_t(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
    p->sharedMemPerMultiprocessor =
        size_t(get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR));
    p->reservedSharedMemPerBlock =
        size_t(get(CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK));
    p->regsPerBlock = get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
    p->regsPerMultiprocessor =
        get(CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
    p->totalConstMem = size_t(get(CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY));
    p->l2CacheSize = get(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
    p->persistingL2CacheMaxSize =
        get(CU_DEVICE_ATTRIBUTE_MAX_PERSISTING_L2_CACHE_SIZE);
    p->accessPolicyMaxWindowSize =
        get(CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE);
    p->memPitch = size_t(get(CU_DEVICE_ATTRIBUTE_MAX_PITCH));
    p->textureAlignment = size_t(get(CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT));
    p->texturePitchAlignment =
        size_t(get(CU_DEVICE_ATTRIBUTE_TEXTURE_PITCH_ALIGNMENT));
    p->surfaceAlignment = size_t(get(CU_DEVICE_ATTRIBUTE_SURFACE_ALIGNMENT));
    p->memoryBusWidth = get(CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
    p->asyncEngineCount = get(CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT);
    p->concurrentKernels = get(CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS);
    p->canMapHostMemory = get(CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY);
    p->unifiedAddressing = get(CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING);
    p->managedMemory = get(CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY);
    p->concurrentManagedAccess =
        get(CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS);
    p->hostRegisterSupported = get(CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED);
    p->canUseHostPointerForRegisteredMem =
        get(CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM);
    p->streamPrioritiesSupported =
        get(CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED);
    p->globalL1CacheSupported =
        get(CU_DEVICE_ATTRIBUTE_GLOBAL_L1_CACHE_SUPPORTED);
    p->localL1CacheSupported =
        get(CU_DEVICE_ATTRIBUTE_LOCAL_L1_CACHE_SUPPORTED);
    p->cooperativeLaunch = get(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH);
    p->clusterLaunch = get(CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH);
    p->memoryPoolsSupported = get(CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED);
    p->computePreemptionSupported =
        get(CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED);
    (void)cuDeviceTotalMem(&p->totalGlobalMem, device);
    (void)cuDeviceGetUuid(reinterpret_cast<CUuuid *>(&p->uuid), device);
    return cuDeviceGetName(p->name, sizeof(p->name), device);
  });
}

cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) {
  return note(cuDriverGetVersion(version));
}
cudaError_t cudaDeviceGetPCIBusId(char *text, int length, int device) {
  return withDevice([&] { return cuDeviceGetPCIBusId(text, length, device); });
}
cudaError_t cudaDeviceGetByPCIBusId(int *device, const char *text) {
  return withDevice([&] { return cuDeviceGetByPCIBusId(device, text); });
}
cudaError_t cudaDeviceCanAccessPeer(int *can, int, int) {
  *can = 0;
  return cudaSuccess;
}
cudaError_t cudaDeviceSetLimit(cudaLimit limit, size_t value) {
  return withDevice(
      [&] { return cuCtxSetLimit(static_cast<CUlimit>(limit), value); });
}
cudaError_t cudaDeviceGetLimit(size_t *value, cudaLimit limit) {
  return withDevice(
      [&] { return cuCtxGetLimit(value, static_cast<CUlimit>(limit)); });
}
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest) {
  return withDevice(
      [&] { return cuCtxGetStreamPriorityRange(least, greatest); });
}
// Hints.
cudaError_t cudaDeviceSetCacheConfig(cudaFuncCache) { return cudaSuccess; }
cudaError_t cudaDeviceGetCacheConfig(cudaFuncCache *config) {
  *config = cudaFuncCachePreferNone;
  return cudaSuccess;
}
cudaError_t cudaCtxResetPersistingL2Cache() { return cudaSuccess; }
cudaError_t
cudaDeviceFlushGPUDirectRDMAWrites(cudaFlushGPUDirectRDMAWritesTarget,
                                   cudaFlushGPUDirectRDMAWritesScope) {
  return cudaSuccess;
}
extern "C" {
cudaError_t cudaProfilerStart() { return cudaSuccess; }
cudaError_t cudaProfilerStop() { return cudaSuccess; }
}

//===----------------------------------------------------------------------===//
// Calls of the driver by name
//===----------------------------------------------------------------------===//

cudaError_t
cudaGetDriverEntryPointByVersion(const char *name, void **address,
                                 unsigned version, unsigned long long flags,
                                 cudaDriverEntryPointQueryResult *result) {
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
  CUresult found =
      cuGetProcAddress(name, address, int(version), flags, &status);
  if (result)
    *result = static_cast<cudaDriverEntryPointQueryResult>(status);
  if (found == CUDA_SUCCESS && !*address && !result)
    return note(cudaErrorSymbolNotFound);
  return note(found);
}
extern "C" {
// Removed from the headers of CUDA 13.0, but not from the library.
cudaError_t cudaGetDriverEntryPoint(const char *name, void **address,
                                    unsigned long long flags,
                                    cudaDriverEntryPointQueryResult *result) {
  return cudaGetDriverEntryPointByVersion(name, address, CUDART_VERSION, flags,
                                          result);
}
}

//===----------------------------------------------------------------------===//
// The log of errors
//===----------------------------------------------------------------------===//

cudaError_t cudaLogsRegisterCallback(cudaLogsCallback_t callback, void *data,
                                     cudaLogsCallbackHandle *handle) {
  return withDevice([&] {
    return cuLogsRegisterCallback(reinterpret_cast<CUlogsCallback>(callback),
                                  data, handle);
  });
}
cudaError_t cudaLogsUnregisterCallback(cudaLogsCallbackHandle handle) {
  return withDevice([&] { return cuLogsUnregisterCallback(handle); });
}
cudaError_t cudaLogsCurrent(cudaLogIterator *iterator, unsigned flags) {
  return withDevice([&] { return cuLogsCurrent(iterator, flags); });
}
cudaError_t cudaLogsDumpToFile(cudaLogIterator *iterator, const char *path,
                               unsigned flags) {
  return withDevice([&] { return cuLogsDumpToFile(iterator, path, flags); });
}
cudaError_t cudaLogsDumpToMemory(cudaLogIterator *iterator, char *buffer,
                                 size_t *size, unsigned flags) {
  return withDevice(
      [&] { return cuLogsDumpToMemory(iterator, buffer, size, flags); });
}
