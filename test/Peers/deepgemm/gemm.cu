//===- gemm.cu - Matrix multiplications of DeepGEMM -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instantiates DeepGEMM's kernels for sm_100 with its headers alone: BF16 and
// FP8 with scales of 32, each with one and two CTAs and with A and B swapped.
//
//===----------------------------------------------------------------------===//

#include "Launch.h"

#include <deep_gemm/impls/sm100_bf16_gemm.cuh>
#include <deep_gemm/impls/sm100_fp8_fp4_gemm_1d1d.cuh>

using namespace deep_gemm;
using peers::encode;
using peers::launch;

namespace {

constexpr int m = 400, n = 512, k = 640;

std::vector<float> reference(const std::vector<float> &a,
                             const std::vector<float> &b) {
  return peers::rounded<cutlass::bfloat16_t>(peers::reference(a, b, m, n, k));
}

template <uint32_t blockM, uint32_t blockN, uint32_t stages, uint32_t cluster,
          bool onA, bool swap, uint32_t sms>
bool bf16(const char *name) {
  using T = cutlass::bfloat16_t;
  std::vector<float> hostA = peers::integers(size_t(m) * k, 1);
  std::vector<float> hostB = peers::integers(size_t(n) * k, 2);
  peers::Buffer<T> a(hostA), b(hostB);
  peers::Buffer<T> d(std::vector<float>(size_t(m) * n, 99.f));
  constexpr auto major = cute::UMMA::Major::K;
  auto kernel =
      sm100_bf16_gemm_impl<major, major, 0, 0, 0, blockM, blockN, 64, 1, 128,
                           128, 128, stages, 128, 128, cluster, onA, sms, 128,
                           swap, false, GemmType::Normal, false, T,
                           epilogue::operators::Identity, 100>;
  constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
  constexpr auto swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  bool ran = launch(kernel, sms, 256, cluster, nullptr, uint32_t(m),
                    uint32_t(n), uint32_t(k), EpilogueOperatorArgs{},
                    encode(type, a.data, k, m, k * 2, 64,
                           blockM / (onA ? cluster : 1), swizzle),
                    encode(type, b.data, k, n, k * 2, 64,
                           blockN / (onA ? 1 : cluster), swizzle),
                    encode(type, d.data, n, m, n * 2, 64,
                           swap ? 16 : std::min(blockM, 128u), swizzle));
  return ran && peers::compare(name, d.read(), reference(hostA, hostB));
}

/// Four scales of a row along K in a word, rows adjacent. Exponents in [-1, 1]
/// multiply `values` as well.
std::vector<uint32_t> scales(std::vector<float> &values, int rows,
                             uint64_t seed) {
  std::vector<float> exponents = peers::integers(size_t(rows) * (k / 32), seed);
  std::vector<uint32_t> packed(size_t(rows) * (k / 128), 0);
  for (int row = 0; row < rows; ++row)
    for (int block = 0; block < k / 32; ++block) {
      int exponent = int(exponents[size_t(row) * (k / 32) + block]) % 2;
      packed[size_t(block / 4) * rows + row] |= uint32_t(127 + exponent)
                                                << (block % 4 * 8);
      for (int p = block * 32; p < block * 32 + 32; ++p)
        values[size_t(row) * k + p] *= exponent < 0   ? 0.5f
                                       : exponent > 0 ? 2.f
                                                      : 1.f;
    }
  return packed;
}

template <uint32_t blockM, uint32_t blockN, uint32_t stages, uint32_t cluster,
          bool onA, bool swap, uint32_t sms>
bool fp8(const char *name) {
  using T = cutlass::float_e4m3_t;
  using Out = cutlass::bfloat16_t;
  std::vector<float> hostA = peers::integers(size_t(m) * k, 1);
  std::vector<float> hostB = peers::integers(size_t(n) * k, 2);
  peers::Buffer<T> a(hostA), b(hostB);
  peers::Buffer<Out> d(std::vector<float>(size_t(m) * n, 99.f));
  std::vector<uint32_t> packedA = scales(hostA, m, 3);
  std::vector<uint32_t> packedB = scales(hostB, n, 4);
  uint32_t *sfa, *sfb;
  cudaMalloc(reinterpret_cast<void **>(&sfa), packedA.size() * 4);
  cudaMalloc(reinterpret_cast<void **>(&sfb), packedB.size() * 4);
  cudaMemcpy(sfa, packedA.data(), packedA.size() * 4, cudaMemcpyHostToDevice);
  cudaMemcpy(sfb, packedB.data(), packedB.size() * 4, cudaMemcpyHostToDevice);
  constexpr auto major = cute::UMMA::Major::K;
  auto kernel = sm100_fp8_fp4_gemm_1d1d_impl<
      major, major, 32, 32, 128, 0, 0, 0, blockM, blockN, 128, 1, 128, 128, 128,
      stages, 2, 128, 128, cluster, onA, sms, swap, false, GemmType::Normal,
      false, T, T, Out, epilogue::operators::Identity>;
  constexpr auto type = CU_TENSOR_MAP_DATA_TYPE_UINT8;
  constexpr auto swizzle = CU_TENSOR_MAP_SWIZZLE_128B;
  auto aligned = [](uint32_t rows) { return (rows + 127) / 128 * 128; };
  bool ran = launch(
      kernel, sms, 256, cluster, nullptr, uint32_t(m), uint32_t(n), uint32_t(k),
      EpilogueOperatorArgs{},
      encode(type, a.data, k, m, k, 128, blockM / (onA ? cluster : 1), swizzle),
      encode(type, b.data, k, n, k, 128, blockN / (onA ? 1 : cluster), swizzle),
      encode(CU_TENSOR_MAP_DATA_TYPE_INT32, sfa, m, k / 128, m * 4,
             aligned(blockM), 1, CU_TENSOR_MAP_SWIZZLE_NONE),
      encode(CU_TENSOR_MAP_DATA_TYPE_INT32, sfb, n, k / 128, n * 4,
             aligned(blockN), 1, CU_TENSOR_MAP_SWIZZLE_NONE),
      encode(CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, d.data, n, m, n * 2, 64,
             swap ? 16 : std::min(blockM, 128u), swizzle));
  return ran && peers::compare(name, d.read(), reference(hostA, hostB));
}

} // namespace

int main(int argc, char **argv) {
  const char *prefix = argc > 1 ? argv[1] : "";
  int failed = 0;
  auto tryOne = [&](const char *name, bool (*body)(const char *)) {
    if (!std::strncmp(name, prefix, std::strlen(prefix)))
      failed += !body(name);
  };
  tryOne("bf16", bf16<128, 192, 4, 1, false, false, 3>);
  tryOne("bf16_2cta", bf16<128, 256, 6, 2, false, false, 4>);
  tryOne("bf16_2cta_swap", bf16<240, 128, 7, 2, true, true, 4>);
  tryOne("mxf8", fp8<128, 128, 4, 1, false, false, 3>);
  tryOne("mxf8_2cta", fp8<128, 192, 6, 2, false, false, 4>);
  tryOne("mxf8_swap", fp8<64, 128, 8, 1, false, true, 5>);
  return failed != 0;
}
