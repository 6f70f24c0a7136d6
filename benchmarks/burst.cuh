//===- burst.cuh - how the benchmarks time a call ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Burst: the median of 9 calls, each after 22 ms without work, with a cold L2,
// and with the call waiting in the stream, on normal data.
//
//===----------------------------------------------------------------------===//

#ifndef TC_BENCHMARKS_BURST_CUH
#define TC_BENCHMARKS_BURST_CUH

#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

inline void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess)
    return;
  std::fprintf(stderr, "error: %s: %s\n", what, cudaGetErrorString(error));
  std::exit(1);
}

/// Normal values with mean 0 and variance 1, by Box and Muller.
template <typename T>
__global__ void fill(T *values, size_t count, unsigned seed) {
  size_t at = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
  for (; at < count; at += size_t(gridDim.x) * blockDim.x) {
    unsigned long long x = (at + 1) * 0x9E3779B97F4A7C15ull + seed;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9ull;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBull;
    x ^= x >> 31;
    float u = ((unsigned(x) >> 8) + 1) * 0x1p-24f, v = (x >> 40) * 0x1p-24f;
    values[at] = T(sqrtf(-2 * logf(u)) * cospif(2 * v));
  }
}

/// Keeps the stream busy while the host enqueues what is timed.
static __global__ void spin(long long cycles) {
  long long start = clock64();
  while (clock64() - start < cycles)
    ;
}

/// Times calls, and keeps the samples of the fastest, in microseconds.
class Burst {
public:
  Burst() {
    check(cudaMalloc(&flush, kFlush), "flush");
    check(cudaEventCreate(&start), "event");
    check(cudaEventCreate(&end), "event");
  }

  template <typename Run>
  void measure(Run run) {
    for (int warm = 0; warm < 3; ++warm)
      run();
    std::vector<float> samples;
    for (int sample = 0; sample < kSamples; ++sample) {
      check(cudaDeviceSynchronize(), "run");
      std::this_thread::sleep_for(std::chrono::milliseconds(22));
      check(cudaMemsetAsync(flush, 0, kFlush), "flush");
      spin<<<1, 1>>>(2000000);
      check(cudaEventRecord(start), "event");
      run();
      check(cudaEventRecord(end), "event");
      check(cudaEventSynchronize(end), "run");
      float ms;
      check(cudaEventElapsedTime(&ms, start, end), "event");
      samples.push_back(ms * 1000);
    }
    std::sort(samples.begin(), samples.end());
    ++count;
    if (best.empty() || samples[kSamples / 2] < best[kSamples / 2])
      best = samples;
  }

  /// Prints: best median us, smallest, largest, calls that were tried. Returns
  /// the exit status.
  int print(const char *peer) const {
    if (best.empty()) {
      std::fprintf(stderr, "error: %s has nothing for it\n", peer);
      return 1;
    }
    std::printf("%.2f %.2f %.2f %d\n", best[kSamples / 2], best.front(),
                best.back(), count);
    return 0;
  }

private:
  static constexpr int kSamples = 9;
  static constexpr size_t kFlush = 200 << 20;
  void *flush = nullptr;
  cudaEvent_t start, end;
  std::vector<float> best;
  int count = 0;
};

#endif // TC_BENCHMARKS_BURST_CUH
