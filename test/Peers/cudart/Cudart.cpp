//===- Cudart.cpp - CUDA runtime calls on the emulator ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs that nvcc compiled with -cudart none link this library instead of
// the CUDA runtime and run, host code and all, without a GPU: the calls that
// matrix kernels and their tests make. Everything is synchronous, so that
// streams and events are nothing but names.
//
//===----------------------------------------------------------------------===//

#include "Context.h"

#include <cuda_runtime_api.h>

#include <cstdlib>
#include <cstring>
#include <ctime>

using namespace tc::peers;

static thread_local cudaError_t lastError = cudaSuccess;

static cudaError_t report(cudaError_t error) {
  if (error != cudaSuccess)
    lastError = error;
  return error;
}
static cudaError_t check(bool ok, cudaError_t error = cudaErrorInvalidValue) {
  return report(ok ? cudaSuccess : error);
}

//===----------------------------------------------------------------------===//
// What the code that nvcc generates calls
//===----------------------------------------------------------------------===//

namespace {
struct CallConfiguration {
  dim3 grid, block;
  size_t smem;
};
thread_local std::vector<CallConfiguration> configurations;
} // namespace

extern "C" {

void **__cudaRegisterFatBinary(void *fatbin) {
  return reinterpret_cast<void **>(Context::get().addModule(fatbin));
}
void __cudaRegisterFatBinaryEnd(void **) {}
void __cudaUnregisterFatBinary(void **) {}
char __cudaInitModule(void **) { return 0; }
void __cudaRegisterFunction(void **module, const char *host, char *,
                            const char *name, int, uint3 *, uint3 *, dim3 *,
                            dim3 *, int *) {
  Context::get().addFunction(host, reinterpret_cast<Module *>(module), name);
}
// Variables of modules cannot be copied to and from; kernels see them.
void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int,
                       int) {}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t smem,
                                     cudaStream_t) {
  configurations.push_back({grid, block, smem});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *smem,
                                       void *stream) {
  if (configurations.empty())
    return cudaErrorMissingConfiguration;
  *grid = configurations.back().grid;
  *block = configurations.back().block;
  *smem = configurations.back().smem;
  std::memset(stream, 0, sizeof(cudaStream_t));
  configurations.pop_back();
  return cudaSuccess;
}
cudaError_t __cudaGetKernel(cudaKernel_t *kernel, const void *host) {
  *kernel = reinterpret_cast<cudaKernel_t>(const_cast<void *>(host));
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static cudaError_t launch(const void *host, const Launch &what) {
  Function *function = Context::get().find(host);
  if (!function)
    return report(cudaErrorInvalidDeviceFunction);
  if (what.dynamicSmem > size_t(function->maxDynamicSmem)) {
    std::fprintf(stderr, "%s: %zu bytes of dynamic shared memory, allowed %d\n",
                 function->name.c_str(), what.dynamicSmem,
                 function->maxDynamicSmem);
    return report(cudaErrorInvalidValue);
  }
  return check(Context::get().run(*function, what), cudaErrorLaunchFailure);
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block,
                             void **arguments, size_t smem, cudaStream_t) {
  Launch what;
  what.grid = {grid.x, grid.y, grid.z};
  what.block = {block.x, block.y, block.z};
  what.dynamicSmem = smem;
  what.arguments = arguments;
  return launch(host, what);
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block,
                               void **arguments, size_t smem,
                               cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, smem, stream);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *host, void **arguments) {
  Launch what;
  what.grid = {config->gridDim.x, config->gridDim.y, config->gridDim.z};
  what.block = {config->blockDim.x, config->blockDim.y, config->blockDim.z};
  what.dynamicSmem = config->dynamicSmemBytes;
  what.arguments = arguments;
  // A preferred cluster is a wish: the smaller one is legal everywhere.
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
      const auto &dim = config->attrs[i].val.clusterDim;
      what.cluster = {dim.x, dim.y, dim.z};
    }
  return launch(host, what);
}

cudaError_t cudaFuncSetAttribute(const void *host, cudaFuncAttribute attribute,
                                 int value) {
  Function *function = Context::get().find(host);
  if (!function)
    return report(cudaErrorInvalidDeviceFunction);
  if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
    if (value > 232448)
      return report(cudaErrorInvalidValue);
    function->maxDynamicSmem = value;
  }
  return cudaSuccess;
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                  const void *host) {
  Function *function = Context::get().find(host);
  if (!function)
    return report(cudaErrorInvalidDeviceFunction);
  *attributes = cudaFuncAttributes{};
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 64;
  attributes->ptxVersion = 100;
  attributes->binaryVersion = 100;
  attributes->maxDynamicSharedSizeBytes = function->maxDynamicSmem;
  return cudaSuccess;
}
cudaError_t cudaFuncSetCacheConfig(const void *, cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count,
                                                          const void *, int,
                                                          size_t) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *count,
                                                                   const void *,
                                                                   int, size_t,
                                                                   unsigned) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *,
                                           const cudaLaunchConfig_t *config) {
  unsigned size = 1;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    if (config->attrs[i].id == cudaLaunchAttributeClusterDimension) {
      const auto &dim = config->attrs[i].val.clusterDim;
      size = dim.x * dim.y * dim.z;
    }
  *count = int(Context::get().multiprocessors / size);
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

cudaError_t cudaMalloc(void **address, size_t bytes) {
  *address = Context::get().allocate(bytes);
  return check(*address, cudaErrorMemoryAllocation);
}
cudaError_t cudaMallocAsync(void **address, size_t bytes, cudaStream_t) {
  return cudaMalloc(address, bytes);
}
cudaError_t cudaFree(void *address) {
  return check(Context::get().free(address));
}
cudaError_t cudaFreeAsync(void *address, cudaStream_t) {
  return cudaFree(address);
}
cudaError_t cudaMallocHost(void **address, size_t bytes) {
  *address = std::malloc(bytes);
  return check(*address, cudaErrorMemoryAllocation);
}
cudaError_t cudaFreeHost(void *address) {
  std::free(address);
  return cudaSuccess;
}
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes,
                       cudaMemcpyKind) {
  return check(Context::get().copy(to, from, bytes));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes,
                            cudaMemcpyKind kind, cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemset(void *to, int value, size_t bytes) {
  return check(Context::get().fill(to, value, bytes));
}
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t) {
  return cudaMemset(to, value, bytes);
}
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *attributes,
                                     const void *address) {
  *attributes = cudaPointerAttributes{};
  bool isDevice = Context::get().isDevice(address);
  attributes->type =
      isDevice ? cudaMemoryTypeDevice : cudaMemoryTypeUnregistered;
  attributes->devicePointer = isDevice ? const_cast<void *>(address) : nullptr;
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// The device
//===----------------------------------------------------------------------===//

cudaError_t cudaGetDevice(int *device) {
  *device = 0;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceCount(int *count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) { return check(device == 0); }
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *properties, int) {
  *properties = cudaDeviceProp{};
  std::strcpy(properties->name, "tc emulator");
  properties->major = 10;
  properties->multiProcessorCount = int(Context::get().multiprocessors);
  properties->warpSize = 32;
  properties->maxThreadsPerBlock = 1024;
  properties->maxThreadsPerMultiProcessor = 2048;
  properties->maxGridSize[0] = 0x7fffffff;
  properties->maxGridSize[1] = properties->maxGridSize[2] = 65535;
  properties->maxThreadsDim[0] = properties->maxThreadsDim[1] = 1024;
  properties->maxThreadsDim[2] = 64;
  properties->sharedMemPerBlock = 48 * 1024;
  properties->sharedMemPerBlockOptin = 232448;
  properties->sharedMemPerMultiprocessor = 233472;
  properties->regsPerBlock = properties->regsPerMultiprocessor = 65536;
  properties->totalGlobalMem = size_t(180) << 30;
  properties->l2CacheSize = 126 << 20;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  switch (attribute) {
  case cudaDevAttrMultiProcessorCount:
    *value = properties.multiProcessorCount;
    break;
  case cudaDevAttrComputeCapabilityMajor:
    *value = properties.major;
    break;
  case cudaDevAttrComputeCapabilityMinor:
    *value = properties.minor;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlockOptin:
    *value = int(properties.sharedMemPerBlockOptin);
    break;
  case cudaDevAttrMaxSharedMemoryPerMultiprocessor:
    *value = int(properties.sharedMemPerMultiprocessor);
    break;
  case cudaDevAttrMaxThreadsPerBlock:
    *value = properties.maxThreadsPerBlock;
    break;
  case cudaDevAttrMaxThreadsPerMultiProcessor:
    *value = properties.maxThreadsPerMultiProcessor;
    break;
  case cudaDevAttrMaxSharedMemoryPerBlock:
    *value = int(properties.sharedMemPerBlock);
    break;
  case cudaDevAttrMaxRegistersPerBlock:
  case cudaDevAttrMaxRegistersPerMultiprocessor:
    *value = properties.regsPerBlock;
    break;
  case cudaDevAttrMaxBlocksPerMultiprocessor:
    *value = 32;
    break;
  case cudaDevAttrL2CacheSize:
    *value = properties.l2CacheSize;
    break;
  case cudaDevAttrWarpSize:
    *value = properties.warpSize;
    break;
  case cudaDevAttrMaxGridDimX:
  case cudaDevAttrMaxGridDimY:
  case cudaDevAttrMaxGridDimZ:
    *value =
        properties.maxGridSize[int(attribute) - int(cudaDevAttrMaxGridDimX)];
    break;
  case cudaDevAttrClockRate:
    *value = 1'965'000;
    break;
  default:
    std::fprintf(stderr, "cudaDeviceGetAttribute: unknown attribute %d\n",
                 int(attribute));
    return report(cudaErrorInvalidValue);
  }
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int *version) {
  *version = CUDART_VERSION;
  return cudaSuccess;
}

cudaError_t cudaGetLastError() {
  cudaError_t error = lastError;
  lastError = cudaSuccess;
  return error;
}
cudaError_t cudaPeekAtLastError() { return lastError; }
const char *cudaGetErrorString(cudaError_t error) {
  switch (error) {
  case cudaSuccess:
    return "no error";
  case cudaErrorLaunchFailure:
    return "the emulator stopped the kernel";
  case cudaErrorInvalidDeviceFunction:
    return "unknown kernel";
  case cudaErrorMemoryAllocation:
    return "out of memory";
  default:
    return "invalid argument";
  }
}
const char *cudaGetErrorName(cudaError_t error) {
  return cudaGetErrorString(error);
}

//===----------------------------------------------------------------------===//
// Streams and events
//===----------------------------------------------------------------------===//

cudaError_t cudaStreamCreate(cudaStream_t *stream) {
  *stream = nullptr;
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
  return cudaStreamCreate(stream);
}
cudaError_t cudaStreamDestroy(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaSuccess; }
cudaError_t cudaStreamWaitEvent(cudaStream_t, cudaEvent_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t *event) {
  *event = nullptr;
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
  return cudaEventCreate(event);
}
cudaError_t cudaEventDestroy(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t) { return cudaSuccess; }
cudaError_t cudaEventRecordWithFlags(cudaEvent_t, cudaStream_t, unsigned) {
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventQuery(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t,
                                 cudaEvent_t) {
  *milliseconds = 1;
  return cudaSuccess;
}

} // extern "C"
