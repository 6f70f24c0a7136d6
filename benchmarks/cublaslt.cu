//===- cublaslt.cu - the best algorithm of cuBLASLt -----------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times D = A * B with f32 sums and D in bf16, with each of the first 8
// algorithms that cuBLASLt's heuristic gives.
//
//   cublaslt M N K TYPE ORDER EPILOGUE
//
// TYPE: of A and B, bf16 or f8E4M3FN (fast accumulation). ORDER: two letters,
// for A and B: n for M x K and K x N in rows, t for K x M and N x K. EPILOGUE:
// none, bias (one bf16 per column) or bias_gelu.
// Prints: best median us, smallest, largest, algorithms.
//
//===----------------------------------------------------------------------===//

#include "burst.cuh"

#include <cublasLt.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>

#include <cstring>

static void check(cublasStatus_t status, const char *what) {
  if (status == CUBLAS_STATUS_SUCCESS)
    return;
  std::fprintf(stderr, "error: %s: %s\n", what, cublasGetStatusString(status));
  std::exit(1);
}

int main(int argc, char **argv) {
  if (argc != 7) {
    std::fprintf(stderr, "usage: cublaslt M N K TYPE ORDER EPILOGUE\n");
    return 1;
  }
  const bool fp8 = !std::strcmp(argv[4], "f8E4M3FN");
  const char *epilogue = argv[6];
  const int64_t m = std::atoll(argv[1]), n = std::atoll(argv[2]),
                k = std::atoll(argv[3]);
  if (m <= 0 || n <= 0 || k <= 0) {
    std::fprintf(stderr, "error: expected sizes of at least 1\n");
    return 1;
  }
  constexpr int kAlgorithms = 8;
  constexpr size_t kWorkspace = 64 << 20;
  const cudaDataType_t type = fp8 ? CUDA_R_8F_E4M3 : CUDA_R_16BF;
  __nv_bfloat16 *d, *bias;
  void *a, *b, *workspace;
  check(cudaMalloc(&a, m * k * (fp8 ? 1 : 2)), "A");
  check(cudaMalloc(&b, n * k * (fp8 ? 1 : 2)), "B");
  check(cudaMalloc(&bias, n * 2), "bias");
  check(cudaMalloc(&d, m * n * 2), "D");
  check(cudaMalloc(&workspace, kWorkspace), "workspace");
  if (fp8) {
    fill<<<1024, 256>>>(static_cast<__nv_fp8_e4m3 *>(a), m * k, 1);
    fill<<<1024, 256>>>(static_cast<__nv_fp8_e4m3 *>(b), n * k, 2);
  } else {
    fill<<<1024, 256>>>(static_cast<__nv_bfloat16 *>(a), m * k, 1);
    fill<<<1024, 256>>>(static_cast<__nv_bfloat16 *>(b), n * k, 2);
  }
  fill<<<1024, 256>>>(bias, n, 3);
  check(cudaDeviceSynchronize(), "fill");

  cublasLtHandle_t handle;
  check(cublasLtCreate(&handle), "cublasLtCreate");
  cublasLtMatmulDesc_t matmul;
  check(cublasLtMatmulDescCreate(&matmul, CUBLAS_COMPUTE_32F, CUDA_R_32F),
        "cublasLtMatmulDescCreate");
  // Column-major: D^T (N x M) = B^T * A^T; A in rows of K is a column-major
  // K x M, which needs no transposition there.
  const bool ta = argv[5][0] == 't', tb = argv[5][1] == 't';
  const cublasOperation_t none = CUBLAS_OP_N, transpose = CUBLAS_OP_T;
  check(cublasLtMatmulDescSetAttribute(matmul, CUBLASLT_MATMUL_DESC_TRANSA,
                                       tb ? &transpose : &none,
                                       sizeof(transpose)),
        "order of B");
  check(cublasLtMatmulDescSetAttribute(matmul, CUBLASLT_MATMUL_DESC_TRANSB,
                                       ta ? &transpose : &none,
                                       sizeof(transpose)),
        "order of A");
  const int8_t fast = fp8;
  check(cublasLtMatmulDescSetAttribute(matmul, CUBLASLT_MATMUL_DESC_FAST_ACCUM,
                                       &fast, sizeof(fast)),
        "fast accumulation");
  if (std::strcmp(epilogue, "none")) {
    const cublasLtEpilogue_t kind = !std::strcmp(epilogue, "bias")
                                        ? CUBLASLT_EPILOGUE_BIAS
                                        : CUBLASLT_EPILOGUE_GELU_BIAS;
    check(cublasLtMatmulDescSetAttribute(matmul, CUBLASLT_MATMUL_DESC_EPILOGUE,
                                         &kind, sizeof(kind)),
          "epilogue");
    check(cublasLtMatmulDescSetAttribute(
              matmul, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof(bias)),
          "bias");
  }
  cublasLtMatrixLayout_t la, lb, ld;
  check(tb ? cublasLtMatrixLayoutCreate(&lb, type, k, n, k)
           : cublasLtMatrixLayoutCreate(&lb, type, n, k, n),
        "layout of B");
  check(ta ? cublasLtMatrixLayoutCreate(&la, type, m, k, m)
           : cublasLtMatrixLayoutCreate(&la, type, k, m, k),
        "layout of A");
  check(cublasLtMatrixLayoutCreate(&ld, CUDA_R_16BF, n, m, n), "layout of D");
  cublasLtMatmulPreference_t preference;
  check(cublasLtMatmulPreferenceCreate(&preference), "preference");
  check(cublasLtMatmulPreferenceSetAttribute(
            preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &kWorkspace,
            sizeof(kWorkspace)),
        "workspace of the preference");
  cublasLtMatmulHeuristicResult_t found[kAlgorithms];
  int count = 0;
  check(cublasLtMatmulAlgoGetHeuristic(handle, matmul, lb, la, ld, ld,
                                       preference, kAlgorithms, found, &count),
        "heuristic");
  const float one = 1, zero = 0;
  Burst burst;
  for (int i = 0; i < count; ++i)
    burst.measure([&] {
      check(cublasLtMatmul(handle, matmul, &one, b, lb, a, la, &zero, d, ld, d,
                           ld, &found[i].algo, workspace, kWorkspace, 0),
            "cublasLtMatmul");
    });
  return burst.print("cuBLASLt");
}
