//===- gemm.cu - Marlin's matrix multiplication -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// f16 times 4-bit weights with Marlin's own launcher. The weights and scales
// are in the order that its Python packs them in.
//
//===----------------------------------------------------------------------===//

#include "../cutlass/Problem.h"

#include <marlin_cuda_kernel.cu>

#include <cstring>

namespace {

/// Where the codes of a tile of 16 x 64 weights, rows of 16 columns after
/// another, are in the packed words.
std::vector<int> order() {
  std::vector<int> result;
  for (int i = 0; i < 32; ++i)
    for (int j = 0; j < 4; ++j) {
      int tile[8], at = 0;
      for (int block : {0, 1})
        for (int row : {2 * (i % 4), 2 * (i % 4) + 1, 2 * (i % 4 + 4),
                        2 * (i % 4 + 4) + 1})
          tile[at++] = 16 * row + i / 4 + 8 * block + 256 * j;
      for (int k : {0, 2, 4, 6, 1, 3, 5, 7})
        result.push_back(tile[k]);
    }
  return result;
}

/// `codes` are 0 to 15, k x n with n adjacent.
std::vector<uint32_t> pack(const std::vector<int> &codes, int n, int k) {
  std::vector<uint32_t> words(size_t(n) * k / 8, 0);
  const std::vector<int> from = order();
  for (size_t at = 0; at < codes.size(); ++at) {
    // Position among rows of 16 x 16 tiles, each tile row-major.
    size_t place = at / 1024 * 1024 + size_t(from[at % 1024]);
    size_t tileRow = place / (size_t(n) * 16), in = place % (size_t(n) * 16);
    size_t row = tileRow * 16 + in % 256 / 16, column = in / 256 * 16 + in % 16;
    words[at / 8] |= uint32_t(codes[row * n + column]) << (at % 8 * 4);
  }
  return words;
}

/// Scales of groups x n, the columns of 64 or 32 in the order of the fragments.
std::vector<float> permute(const std::vector<float> &scales, bool grouped) {
  std::vector<int> from;
  for (int i = 0; i < (grouped ? 8 : 4); ++i)
    for (int j = 0; j < 8; ++j)
      from.push_back(grouped ? i + 8 * j : 2 * i + j % 2 + j / 2 * 8);
  std::vector<float> result(scales.size());
  for (size_t at = 0; at < scales.size(); ++at)
    result[at] =
        scales[at / from.size() * from.size() + size_t(from[at % from.size()])];
  return result;
}

bool run(const char *name, int m, int n, int k, int group, int sms) {
  std::vector<float> hostA = peers::integers(size_t(m) * k, 1);
  std::vector<float> weights = peers::integers(size_t(k) * n, 2);
  const int groups = group < 0 ? 1 : k / group;
  std::vector<float> scales = peers::integers(size_t(groups) * n, 3);
  std::vector<int> codes(weights.size());
  for (float &scale : scales)
    scale = scale < 0 ? 0.5f : scale > 0 ? 2.f : 1.f;
  for (size_t i = 0; i < weights.size(); ++i) {
    codes[i] = int(weights[i]) + 8;
    weights[i] *= scales[i / n / (k / groups) * n + i % n];
  }
  peers::Buffer<half> a(hostA);
  peers::Buffer<half> s(permute(scales, group > 0));
  peers::Buffer<half> d(std::vector<float>(size_t(m) * n, 99.f));
  std::vector<uint32_t> packed = pack(codes, n, k);
  uint32_t *b;
  int *locks;
  cudaMalloc(reinterpret_cast<void **>(&b), packed.size() * 4);
  cudaMemcpy(b, packed.data(), packed.size() * 4, cudaMemcpyHostToDevice);
  const size_t lockBytes = size_t(n) / 128 * 16 * sizeof(int);
  cudaMalloc(reinterpret_cast<void **>(&locks), lockBytes);
  cudaMemset(locks, 0, lockBytes);
  int failed = marlin_cuda(a.data, b, d.data, s.data, m, n, k, locks, group, 0,
                           nullptr, -1, -1, sms);
  std::vector<float> expected = peers::multiply(hostA, weights, m, n, k);
  for (float &value : expected)
    value = float(half(value));
  bool right = !failed && cudaDeviceSynchronize() == cudaSuccess &&
               peers::compare(name, d.read(), expected);
  cudaFree(b);
  cudaFree(locks);
  return right;
}

} // namespace

int main() {
  int failed = 0;
  failed += !run("one_row", 1, 256, 256, -1, 2);
  failed += !run("columns", 16, 256, 512, -1, 5);
  failed += !run("groups", 16, 256, 512, 128, 5);
  failed += !run("tail", 40, 256, 512, 128, 7);
  failed += !run("tall", 150, 512, 256, -1, 8);
  return failed != 0;
}
