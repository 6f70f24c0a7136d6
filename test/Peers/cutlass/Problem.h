//===- Problem.h - Data and references for CUTLASS drivers ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Operands are small integers, so that every sum is exact and the result has to
// be equal, whatever the order of the kernel's additions.
//
//===----------------------------------------------------------------------===//

#ifndef TC_PEERS_CUTLASS_PROBLEM_H
#define TC_PEERS_CUTLASS_PROBLEM_H

#include <cuda_runtime_api.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace peers {

/// Integers in [-2, 2], different for each seed.
inline std::vector<float> integers(size_t count, uint64_t seed) {
  std::vector<float> values(count);
  uint64_t state = seed * 0x9e3779b97f4a7c15ull + 1;
  for (float &value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = float(int((state >> 33) % 5) - 2);
  }
  return values;
}

/// Device memory with `values` as elements of type T.
template <class T>
class Buffer {
public:
  explicit Buffer(const std::vector<float> &values) : count(values.size()) {
    std::vector<T> host(count);
    for (size_t i = 0; i < count; ++i)
      host[i] = T(values[i]);
    cudaMalloc(reinterpret_cast<void **>(&data), count * sizeof(T));
    cudaMemcpy(data, host.data(), count * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~Buffer() { cudaFree(data); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;

  std::vector<float> read() const {
    std::vector<T> host(count);
    cudaMemcpy(host.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost);
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i)
      values[i] = float(host[i]);
    return values;
  }

  T *data = nullptr;
  const size_t count;
};

/// A row-major copy of what is stored column-major where `transposed`.
inline std::vector<float> asRows(const std::vector<float> &stored, int rows,
                                 int columns, bool transposed) {
  if (!transposed)
    return stored;
  std::vector<float> result(stored.size());
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      result[size_t(r) * columns + c] = stored[size_t(c) * rows + r];
  return result;
}

/// M x K times K x N, both with rows adjacent.
inline std::vector<float> multiply(const std::vector<float> &a,
                                   const std::vector<float> &b, int m, int n,
                                   int k) {
  std::vector<float> d(size_t(m) * n, 0.f);
  for (int i = 0; i < m; ++i)
    for (int p = 0; p < k; ++p) {
      float factor = a[size_t(i) * k + p];
      if (factor != 0)
        for (int j = 0; j < n; ++j)
          d[size_t(i) * n + j] += factor * b[size_t(p) * n + j];
    }
  return d;
}

/// Prints how many elements differ; true if none.
inline bool compare(const std::string &name, const std::vector<float> &got,
                    const std::vector<float> &expected) {
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    if (!(got[i] == expected[i]) && !wrong++)
      first = i;
  if (wrong)
    std::printf("%s: %zu of %zu elements differ, the first at %zu: expected "
                "%g, got %g\n",
                name.c_str(), wrong, expected.size(), first,
                double(expected[first]), double(got[first]));
  else
    std::printf("%s: equal\n", name.c_str());
  return !wrong;
}

} // namespace peers

#endif // TC_PEERS_CUTLASS_PROBLEM_H
