//===- wmma.cu - nvcuda::wmma ---------------------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles of mma.h as nvcc translates them: D = alpha A B + beta C with fragments
// that are scaled element by element, from global memory and from rows of
// shared memory that are padded by 16 bytes.
//
//===----------------------------------------------------------------------===//

#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <vector>

using namespace nvcuda;

/// What a fragment of tf32 is loaded from.
template <class T>
struct Stored {
  using type = T;
};
template <>
struct Stored<wmma::precision::tf32> {
  using type = float;
};

template <class T, class C, int M, int N, int K, class LayoutA, class LayoutB>
__global__ void multiply(const typename Stored<T>::type *a, int lda,
                         const typename Stored<T>::type *b, int ldb, C *c,
                         C alpha, C beta) {
  wmma::fragment<wmma::matrix_a, M, N, K, T, LayoutA> tileA;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LayoutB> tileB;
  wmma::fragment<wmma::accumulator, M, N, K, C> sum, old;
  wmma::fill_fragment(sum, C(0));
  wmma::load_matrix_sync(tileA, a, lda);
  wmma::load_matrix_sync(tileB, b, ldb);
  wmma::mma_sync(sum, tileA, tileB, sum);
  wmma::load_matrix_sync(old, c, N, wmma::mem_row_major);
  for (int i = 0; i < sum.num_elements; ++i)
    old.x[i] = alpha * sum.x[i] + beta * old.x[i];
  wmma::store_matrix_sync(c, old, N, wmma::mem_row_major);
}

/// K = 64 through shared memory, whose rows have 24 halves.
__global__ void multiplyPadded(const half *a, const half *b, float *c) {
  __shared__ __align__(32) half tileA[16][24], tileB[16][24];
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k = 0; k < 64; k += 16) {
    for (int i = threadIdx.x; i < 256; i += 32) {
      tileA[i / 16][i % 16] = a[i / 16 * 64 + k + i % 16];
      tileB[i / 16][i % 16] = b[(k + i / 16) * 16 + i % 16];
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
    wmma::load_matrix_sync(left, &tileA[0][0], 24);
    wmma::load_matrix_sync(right, &tileB[0][0], 24);
    wmma::mma_sync(sum, left, right, sum);
    __syncwarp();
  }
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

/// Rows of 128 bits: the bits in which two differ.
__global__ void countBits(const unsigned *a, const unsigned *b, int *c) {
  using Bits = wmma::experimental::precision::b1;
  wmma::fragment<wmma::matrix_a, 8, 8, 128, Bits, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, Bits, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> sum;
  wmma::fill_fragment(sum, 0);
  wmma::load_matrix_sync(left, a, 128);
  wmma::load_matrix_sync(right, b, 128);
  wmma::bmma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 8, wmma::mem_row_major);
}

static int wrong, checks;
static void expect(const char *what, double got, double expected) {
  ++checks;
  if (got != expected && wrong++ < 5)
    printf("%s: expected %g, got %g\n", what, expected, got);
}
static int number(unsigned i) { return int(i * 2654435761u >> 29) - 4; }

template <class T>
static T *managed(size_t count) {
  T *data;
  cudaMallocManaged(&data, count * sizeof(T));
  return data;
}

template <class T, class C, int M, int N, int K, class LayoutA, class LayoutB>
static void check(const char *what) {
  constexpr bool rowA = std::is_same<LayoutA, wmma::row_major>::value,
                 rowB = std::is_same<LayoutB, wmma::row_major>::value;
  using E = typename Stored<T>::type;
  const int lda = rowA ? 2 * K : 2 * M, ldb = rowB ? 2 * N : 2 * K;
  E *a = managed<E>(lda * (rowA ? M : K)),
    *b = managed<E>(ldb * (rowB ? K : N));
  C *c = managed<C>(M * N);
  auto atA = [&](int m, int k) -> E & {
    return a[rowA ? m * lda + k : k * lda + m];
  };
  auto atB = [&](int k, int n) -> E & {
    return b[rowB ? k * ldb + n : n * ldb + k];
  };
  for (int k = 0; k < K; ++k) {
    for (int m = 0; m < M; ++m)
      atA(m, k) = E(number(m * K + k));
    for (int n = 0; n < N; ++n)
      atB(k, n) = E(number(1000 + k * N + n));
  }
  for (int i = 0; i < M * N; ++i)
    c[i] = C(i % 7);
  multiply<T, C, M, N, K, LayoutA, LayoutB>
      <<<1, 32>>>(a, lda, b, ldb, c, C(2), C(3));
  if (cudaDeviceSynchronize() != cudaSuccess)
    return expect(what, 1, 0);
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) {
      double sum = 0;
      for (int k = 0; k < K; ++k)
        sum += double(number(m * K + k)) * number(1000 + k * N + n);
      expect(what, double(c[m * N + n]), 2 * sum + 3 * ((m * N + n) % 7));
    }
}

int main() {
  using Row = wmma::row_major;
  using Column = wmma::col_major;
  check<half, float, 16, 16, 16, Row, Column>("f16");
  check<half, float, 32, 8, 16, Column, Row>("f16, 32 rows");
  check<half, half, 8, 32, 16, Row, Row>("f16, sums of f16");
  check<__nv_bfloat16, float, 16, 16, 16, Column, Column>("bf16");
  check<wmma::precision::tf32, float, 16, 16, 8, Row, Row>("tf32");
  check<double, double, 8, 8, 4, Row, Column>("f64");
  check<signed char, int, 16, 16, 16, Row, Column>("s8");
  check<signed char, int, 8, 32, 16, Column, Row>("s8, 32 columns");

  half *a = managed<half>(16 * 64), *b = managed<half>(64 * 16);
  float *c = managed<float>(256);
  for (int i = 0; i < 1024; ++i) {
    a[i] = half(number(i));
    b[i] = half(number(3 * i + 5));
  }
  multiplyPadded<<<1, 32>>>(a, b, c);
  if (cudaError_t error = cudaDeviceSynchronize()) {
    printf("padded: %s\n", cudaGetErrorName(error));
    return 1;
  }
  for (int m = 0; m < 16; ++m)
    for (int n = 0; n < 16; ++n) {
      double sum = 0;
      for (int k = 0; k < 64; ++k)
        sum += double(number(m * 64 + k)) * number(3 * (k * 16 + n) + 5);
      expect("padded", c[m * 16 + n], sum);
    }

  unsigned *x = managed<unsigned>(64);
  int *counts = managed<int>(64);
  for (int i = 0; i < 64; ++i)
    x[i] = i * 2654435761u;
  countBits<<<1, 32>>>(x, x + 32, counts);
  cudaDeviceSynchronize();
  for (int m = 0; m < 8; ++m)
    for (int n = 0; n < 8; ++n) {
      int differ = 0;
      for (int w = 0; w < 4; ++w)
        differ += __builtin_popcount(x[m * 4 + w] ^ x[32 + n * 4 + w]);
      expect("bits", counts[m * 8 + n], differ);
    }
  printf("%s %d checks\n", wrong ? "failed" : "passed", checks);
  return wrong != 0;
}
