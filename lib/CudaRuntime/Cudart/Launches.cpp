//===- Launches.cpp - Kernels and occupancy ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cudart/Frame.h"

#include <string>

using namespace tc::cuda;
using namespace tc::cuda::cudart;

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The same configuration for the driver: attributes have one layout.
static CUlaunchConfig toDriver(const cudaLaunchConfig_t &config) {
  static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute),
                "one layout");
  CUlaunchConfig result{};
  result.gridDimX = config.gridDim.x;
  result.gridDimY = config.gridDim.y;
  result.gridDimZ = config.gridDim.z;
  result.blockDimX = config.blockDim.x;
  result.blockDimY = config.blockDim.y;
  result.blockDimZ = config.blockDim.z;
  result.sharedMemBytes = unsigned(config.dynamicSmemBytes);
  result.hStream = config.stream;
  result.attrs = reinterpret_cast<CUlaunchAttribute *>(config.attrs);
  result.numAttrs = config.numAttrs;
  return result;
}

static cudaLaunchConfig_t makeConfig(dim3 grid, dim3 block, size_t smem,
                                     cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = smem;
  config.stream = stream;
  return config;
}

/// Whether any kernel may have this shape; others are an error of their own.
static bool isShape(const cudaLaunchConfig_t &config) {
  const dim3 &grid = config.gridDim, &block = config.blockDim;
  return grid.x && grid.y && grid.z && grid.x < 1u << 31 && grid.y < 1u << 16 &&
         grid.z < 1u << 16 && block.x && block.y && block.z && block.z <= 64 &&
         uint64_t(block.x) * block.y * block.z <= 1024;
}

static std::string toString(const dim3 &size) {
  return "(" + std::to_string(size.x) + "," + std::to_string(size.y) + "," +
         std::to_string(size.z) + ")";
}
static CUresult refuseShape(const cudaLaunchConfig_t &config) {
  const std::string why = "expected a grid and a block of at most 1024 threads "
                          "that are not empty, got grid " +
                          toString(config.gridDim) + " and block " +
                          toString(config.blockDim);
  complain("cudaLaunchKernel", why.c_str());
  return static_cast<CUresult>(cudaErrorInvalidConfiguration);
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config,
                                const void *host, void **arguments) {
  return withFunction(host, [&](CUfunction function) {
    if (!isShape(*config))
      return refuseShape(*config);
    if (config->dynamicSmemBytes > 228 * 1024)
      return CUDA_ERROR_INVALID_VALUE;
    CUlaunchConfig driver = toDriver(*config);
    return cuLaunchKernelEx(&driver, function, arguments, nullptr);
  });
}
cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block,
                             void **arguments, size_t smem,
                             cudaStream_t stream) {
  cudaLaunchConfig_t config = makeConfig(grid, block, smem, stream);
  return cudaLaunchKernelExC(&config, host, arguments);
}
cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block,
                                        void **arguments, size_t smem,
                                        cudaStream_t stream) {
  cudaLaunchConfig_t config = makeConfig(grid, block, smem, stream);
  cudaLaunchAttribute cooperative{};
  cooperative.id = cudaLaunchAttributeCooperative;
  cooperative.val.cooperative = 1;
  config.attrs = &cooperative;
  config.numAttrs = 1;
  return cudaLaunchKernelExC(&config, host, arguments);
}
cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function,
                               void *data) {
  return withDevice([&] { return cuLaunchHostFunc(stream, function, data); });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

cudaError_t cudaFuncSetAttribute(const void *host, cudaFuncAttribute attribute,
                                 int value) {
  return withFunction(host, [&](CUfunction function) {
    // The enumerators have the numbers of the driver's.
    return cuFuncSetAttribute(
        function, static_cast<CUfunction_attribute>(attribute), value);
  });
}
cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel,
                                            cudaFuncAttribute attribute,
                                            int value, int) {
  return cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel), attribute,
                              value);
}
cudaError_t cudaFuncSetCacheConfig(const void *, cudaFuncCache) {
  return cudaSuccess;
}
cudaError_t cudaFuncSetSharedMemConfig(const void *, cudaSharedMemConfig) {
  return cudaSuccess;
}
cudaError_t cudaFuncGetName(const char **name, const void *host) {
  return withFunction(
      host, [&](CUfunction function) { return cuFuncGetName(name, function); });
}
cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset,
                                 size_t *bytes) {
  return withFunction(host, [&](CUfunction function) {
    return cuFuncGetParamInfo(function, index, offset, bytes);
  });
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes,
                                  const void *host) {
  return withFunction(host, [&](CUfunction function) {
    auto get = [&](CUfunction_attribute attribute) {
      int value = 0;
      (void)cuFuncGetAttribute(&value, attribute, function);
      return value;
    };
    *attributes = cudaFuncAttributes{};
    attributes->sharedSizeBytes =
        size_t(get(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES));
    attributes->maxThreadsPerBlock =
        get(CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK);
    attributes->numRegs = get(CU_FUNC_ATTRIBUTE_NUM_REGS);
    attributes->ptxVersion = get(CU_FUNC_ATTRIBUTE_PTX_VERSION);
    attributes->binaryVersion = get(CU_FUNC_ATTRIBUTE_BINARY_VERSION);
    attributes->maxDynamicSharedSizeBytes =
        get(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
    attributes->preferredShmemCarveout =
        get(CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
    attributes->clusterDimMustBeSet =
        get(CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
    attributes->requiredClusterWidth =
        get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
    attributes->requiredClusterHeight =
        get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
    attributes->requiredClusterDepth =
        get(CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
    attributes->nonPortableClusterSizeAllowed =
        get(CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
    return CUDA_SUCCESS;
  });
}

//===----------------------------------------------------------------------===//
// Occupancy
//===----------------------------------------------------------------------===//

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *count, const void *host, int threads, size_t smem, unsigned flags) {
  return withFunction(host, [&](CUfunction function) {
    return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        count, function, threads, smem, flags);
  });
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *count,
                                                          const void *host,
                                                          int threads,
                                                          size_t smem) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      count, host, threads, smem, 0);
}
cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes,
                                                      const void *host,
                                                      int blocks, int threads) {
  return withFunction(host, [&](CUfunction function) {
    return cuOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks,
                                                   threads);
  });
}
cudaError_t cudaOccupancyMaxActiveClusters(int *count, const void *host,
                                           const cudaLaunchConfig_t *config) {
  return withFunction(host, [&](CUfunction function) {
    CUlaunchConfig driver = toDriver(*config);
    return cuOccupancyMaxActiveClusters(count, function, &driver);
  });
}
cudaError_t
cudaOccupancyMaxPotentialClusterSize(int *size, const void *host,
                                     const cudaLaunchConfig_t *config) {
  return withFunction(host, [&](CUfunction function) {
    CUlaunchConfig driver = toDriver(*config);
    return cuOccupancyMaxPotentialClusterSize(size, function, &driver);
  });
}
