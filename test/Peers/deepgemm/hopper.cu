//===- hopper.cu - Matrix multiplications of DeepGEMM for sm_90 -*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instantiates DeepGEMM's kernels for sm_90 with its headers alone: FP8 with
// f32 scales of rows or blocks of B, and BF16.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <deep_gemm/impls/sm90_bf16_gemm.cuh>
#include <deep_gemm/impls/sm90_fp8_gemm_1d1d.cuh>
#include <deep_gemm/impls/sm90_fp8_gemm_1d2d.cuh>

using namespace deep_gemm;
using peers::encode;
using peers::launch;

namespace {

constexpr int m = 400, n = 512, k = 640;
constexpr int blocks = k / 128;
constexpr auto swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
constexpr auto bytes = CU_TENSOR_MAP_DATA_TYPE_UINT8;

/// Scales of `granularity` rows and 128 columns, 0.5, 1 or 2, by column and
/// then by row; `values` are multiplied by them.
std::vector<float> scales(std::vector<float> &values, int rows, int granularity,
                          uint64_t seed) {
  int groups = rows / granularity;
  std::vector<float> result = peers::integers(size_t(groups) * blocks, seed);
  for (float &scale : result)
    scale = scale < 0 ? 0.5f : scale > 0 ? 2.f : 1.f;
  for (int row = 0; row < rows; ++row)
    for (int column = 0; column < k; ++column)
      values[size_t(row) * k + column] *=
          result[size_t(column / 128) * groups + row / granularity];
  return result;
}

CUtensorMap encodeScales(float *data, int rows, uint32_t box) {
  return encode(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, data, rows, blocks,
                uint64_t(rows) * 4, box, 1, CU_TENSOR_MAP_SWIZZLE_NONE);
}

CUtensorMapSwizzle asSwizzle(uint32_t swizzled) {
  return swizzled == 128  ? CU_TENSOR_MAP_SWIZZLE_128B
         : swizzled == 64 ? CU_TENSOR_MAP_SWIZZLE_64B
                          : CU_TENSOR_MAP_SWIZZLE_32B;
}

/// Scales of rows of A and of blocks of B.
template <uint32_t blockM, uint32_t blockN, uint32_t swizzleD, uint32_t stages,
          uint32_t multicast, bool onA, uint32_t sms>
bool blockwise(const char *name) {
  using T = cutlass::float_e4m3_t;
  using Out = cutlass::bfloat16_t;
  constexpr uint32_t threads = blockM <= 64 ? 128 : 256;
  std::vector<float> hostA = peers::integers(size_t(m) * k, 1);
  std::vector<float> hostB = peers::integers(size_t(n) * k, 2);
  peers::Buffer<T> a(hostA), b(hostB);
  peers::Buffer<Out> d(std::vector<float>(size_t(m) * n, 99.f));
  peers::Buffer<float> sfa(scales(hostA, m, 1, 3));
  peers::Buffer<float> sfb(scales(hostB, n, 128, 4));
  auto kernel =
      sm90_fp8_gemm_1d2d_impl<cute::UMMA::Major::MN, 0, 0, 0, 1, blockM, blockN,
                              128, 128, 128, swizzleD, stages, 128, threads,
                              multicast, onA, sms, GemmType::Normal, Out>;
  bool ran = launch(kernel, sms, threads + 128, multicast, sfb.data, nullptr,
                    uint32_t(m), uint32_t(n), uint32_t(k),
                    encode(bytes, a.data, k, m, k, 128, blockM, swizzle),
                    encode(bytes, b.data, k, n, k, 128, blockN, swizzle),
                    encode(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, d.data, n, m,
                           n * 2, swizzleD / 2, blockM, asSwizzle(swizzleD)),
                    encodeScales(sfa.data, m, blockM));
  return ran && peers::compare(name, d.read(),
                               peers::rounded<Out>(
                                   peers::reference(hostA, hostB, m, n, k)));
}

/// Scales of rows of A and B; adds to D.
template <uint32_t blockM, uint32_t blockN, uint32_t stages, uint32_t multicast,
          bool onA, uint32_t sms>
bool rowwise(const char *name) {
  using T = cutlass::float_e4m3_t;
  constexpr uint32_t threads = blockM <= 64 ? 128 : 256;
  std::vector<float> hostA = peers::integers(size_t(m) * k, 1);
  std::vector<float> hostB = peers::integers(size_t(n) * k, 2);
  std::vector<float> hostC = peers::integers(size_t(m) * n, 5);
  peers::Buffer<T> a(hostA), b(hostB);
  peers::Buffer<float> d(hostC);
  peers::Buffer<float> sfa(scales(hostA, m, 1, 3));
  peers::Buffer<float> sfb(scales(hostB, n, 1, 4));
  auto kernel = sm90_fp8_gemm_1d1d_impl<0, 0, 0, 1, blockM, blockN, 128, 128,
                                        128, stages, 128, threads, multicast,
                                        onA, sms, GemmType::Normal, float>;
  bool ran = launch(kernel, sms, threads + 128, multicast, nullptr, nullptr,
                    nullptr, nullptr, uint32_t(m), uint32_t(n), uint32_t(k),
                    encode(bytes, a.data, k, m, k, 128, blockM, swizzle),
                    encode(bytes, b.data, k, n, k, 128, blockN, swizzle),
                    encodeScales(sfa.data, m, blockM),
                    encodeScales(sfb.data, n, blockN),
                    encode(CU_TENSOR_MAP_DATA_TYPE_FLOAT32, d.data, n, m, n * 4,
                           blockN, 64, CU_TENSOR_MAP_SWIZZLE_NONE));
  std::vector<float> expected = peers::reference(hostA, hostB, m, n, k);
  for (size_t i = 0; i < expected.size(); ++i)
    expected[i] += hostC[i];
  return ran && peers::compare(name, d.read(), expected);
}

template <uint32_t blockM, uint32_t blockN, uint32_t stages, uint32_t multicast,
          bool onA, uint32_t sms>
bool bf16(const char *name) {
  using T = cutlass::bfloat16_t;
  constexpr uint32_t threads = blockM <= 64 ? 128 : 256;
  std::vector<float> hostA = peers::integers(size_t(m) * k, 1);
  std::vector<float> hostB = peers::integers(size_t(n) * k, 2);
  peers::Buffer<T> a(hostA), b(hostB);
  peers::Buffer<T> d(std::vector<float>(size_t(m) * n, 99.f));
  constexpr auto major = cute::UMMA::Major::K;
  constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  auto kernel =
      sm90_bf16_gemm_impl<major, major, 0, 0, 0, 1, blockM, blockN, 64, 128,
                          128, 128, stages, 128, threads, multicast, onA, sms,
                          GemmType::Normal, false, T>;
  bool ran = launch(kernel, sms, threads + 128, multicast, nullptr, uint32_t(m),
                    uint32_t(n), uint32_t(k),
                    encode(type, a.data, k, m, k * 2, 64, blockM, swizzle),
                    encode(type, b.data, k, n, k * 2, 64, blockN, swizzle),
                    encode(type, d.data, n, m, n * 2, 64, blockM, swizzle));
  return ran && peers::compare(
                    name, d.read(),
                    peers::rounded<T>(peers::reference(hostA, hostB, m, n, k)));
}

} // namespace

int main(int argc, char **argv) {
  const char *prefix = argc > 1 ? argv[1] : "";
  int failed = 0;
  auto tryOne = [&](const char *name, bool (*body)(const char *)) {
    if (!std::strncmp(name, prefix, std::strlen(prefix)))
      failed += !body(name);
  };
  tryOne("fp8_blockwise128", blockwise<128, 128, 128, 4, 1, false, 3>);
  tryOne("fp8_blockwise112", blockwise<64, 112, 32, 5, 1, false, 4>);
  tryOne("fp8_blockwise_multicast", blockwise<128, 160, 64, 3, 2, false, 4>);
  tryOne("fp8_blockwise_on_a", blockwise<64, 128, 128, 5, 2, true, 4>);
  tryOne("fp8_rowwise128", rowwise<128, 128, 3, 1, false, 3>);
  tryOne("fp8_rowwise_multicast", rowwise<128, 128, 3, 2, true, 4>);
  tryOne("bf16_plain", bf16<128, 128, 4, 1, false, 3>);
  tryOne("bf16_multicast", bf16<64, 256, 3, 2, false, 4>);
  return failed != 0;
}
