//===- Launch.h - Launches of DeepGEMM's kernels ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensor maps and launches as DeepGEMM's own host code makes them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PEERS_DEEPGEMM_LAUNCH_H
#define TC_PEERS_DEEPGEMM_LAUNCH_H

#include "../cutlass/Problem.h"

#include <cuda.h>

#include <cstring>
#include <tuple>

namespace peers {

constexpr uint32_t smemBytes = 232448;

inline CUtensorMap encode(CUtensorMapDataType type, void *data, uint64_t inner,
                          uint64_t outer, uint64_t strideBytes,
                          uint32_t boxInner, uint32_t boxOuter,
                          CUtensorMapSwizzle swizzle) {
  CUtensorMap map;
  cuuint64_t dims[] = {inner, outer}, strides[] = {strideBytes};
  cuuint32_t box[] = {boxInner, boxOuter}, steps[] = {1, 1};
  if (cuTensorMapEncodeTiled(&map, type, 2, data, dims, strides, box, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
                             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
    std::exit(2);
  return map;
}

template <class... Parameters, class... Arguments>
bool launch(void (*kernel)(Parameters...), unsigned sms, unsigned threads,
            unsigned cluster, Arguments... arguments) {
  cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                       cudaFuncAttributeMaxDynamicSharedMemorySize, smemBytes);
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(sms);
  config.blockDim = dim3(threads);
  config.dynamicSmemBytes = smemBytes;
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  std::tuple<Parameters...> values(arguments...);
  return std::apply(
      [&](auto &...value) {
        void *pointers[] = {&value...};
        return cudaLaunchKernelExC(&config,
                                   reinterpret_cast<const void *>(kernel),
                                   pointers) == cudaSuccess;
      },
      values);
}

/// The result of A (m x k) and B (n x k), both with k adjacent.
inline std::vector<float> reference(const std::vector<float> &a,
                                    const std::vector<float> &b, int m, int n,
                                    int k) {
  return multiply(a, asRows(b, k, n, true), m, n, k);
}

/// The same, rounded to T.
template <class T>
std::vector<float> rounded(std::vector<float> values) {
  for (float &value : values)
    value = float(T(value));
  return values;
}

} // namespace peers

#endif // TC_PEERS_DEEPGEMM_LAUNCH_H
