//===- cutlass.cu - the best of four kernels of CUTLASS -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times D = A * B^T in bf16 with f32 sums, by kernels for sm_90a that its
// collective builder makes: cooperative ones with a cluster of two, which are
// its best for large products, and ping-pong ones for few rows, each with bands
// of 1 and 8 tiles.
//
//   cutlass M N K
//
// Prints: best median us, smallest, largest, kernels that ran.
//
//===----------------------------------------------------------------------===//

#include "burst.cuh"

#include "cutlass/cutlass.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/util/packed_stride.hpp"

#include <cuda_bf16.h>

using Element = cutlass::bfloat16_t;
using RowMajor = cutlass::layout::RowMajor;
using ColumnMajor = cutlass::layout::ColumnMajor;
using namespace cute;

template <typename Tile, typename Cluster, typename Mainloop, typename Store>
static void measure(Burst &burst, const Element *a, const Element *b,
                    Element *d, int m, int n, int k) {
  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Tile, Cluster,
      cutlass::epilogue::collective::EpilogueTileAuto, float, float, void,
      RowMajor, 8, Element, RowMajor, 8, Store>::CollectiveOp;
  using Loop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm90, cutlass::arch::OpClassTensorOp, Element, RowMajor, 8,
      Element, ColumnMajor, 8, float, Tile, Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
          sizeof(typename Epilogue::SharedStorage))>,
      Mainloop>::CollectiveOp;
  using Kernel = cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>,
                                                      Loop, Epilogue>;
  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;
  auto stride = [](auto type, int rows, int columns) {
    return cutlass::make_cute_packed_stride(type, {rows, columns, 1});
  };
  auto strideA = stride(typename Kernel::StrideA{}, m, k);
  auto strideB = stride(typename Kernel::StrideB{}, n, k);
  auto strideD = stride(typename Kernel::StrideD{}, m, n);
  for (int band : {1, 8}) {
    typename Gemm::Arguments arguments{cutlass::gemm::GemmUniversalMode::kGemm,
                                       {m, n, k, 1},
                                       {a, strideA, b, strideB},
                                       {{1.0f, 0.0f}, nullptr, {}, d, strideD}};
    arguments.hw_info.sm_count =
        cutlass::KernelHardwareInfo::query_device_multiprocessor_count(0);
    arguments.scheduler.max_swizzle_size = band;
    Gemm gemm;
    if (gemm.can_implement(arguments) != cutlass::Status::kSuccess ||
        gemm.initialize(arguments) != cutlass::Status::kSuccess)
      return;
    burst.measure([&] {
      if (gemm.run() != cutlass::Status::kSuccess) {
        std::fprintf(stderr, "error: a kernel of CUTLASS does not run\n");
        std::exit(1);
      }
    });
  }
}

int main(int argc, char **argv) {
  const int m = argc == 4 ? std::atoi(argv[1]) : 0,
            n = argc == 4 ? std::atoi(argv[2]) : 0,
            k = argc == 4 ? std::atoi(argv[3]) : 0;
  if (m <= 0 || n <= 0 || k <= 0) {
    std::fprintf(stderr, "usage: cutlass M N K\n");
    return 1;
  }
  Element *a, *b, *d;
  check(cudaMalloc(&a, size_t(m) * k * 2), "A");
  check(cudaMalloc(&b, size_t(n) * k * 2), "B");
  check(cudaMalloc(&d, size_t(m) * n * 2), "D");
  fill<<<1024, 256>>>(reinterpret_cast<__nv_bfloat16 *>(a), size_t(m) * k, 1);
  fill<<<1024, 256>>>(reinterpret_cast<__nv_bfloat16 *>(b), size_t(n) * k, 2);
  check(cudaDeviceSynchronize(), "fill");

  Burst burst;
  using Cooperative = cutlass::gemm::KernelTmaWarpSpecializedCooperative;
  using PingPong = cutlass::gemm::KernelTmaWarpSpecializedPingpong;
  using StoreCooperative = cutlass::epilogue::TmaWarpSpecializedCooperative;
  using StorePingPong = cutlass::epilogue::TmaWarpSpecialized;
  if (m > 128) {
    measure<Shape<_128, _256, _64>, Shape<_2, _1, _1>, Cooperative,
            StoreCooperative>(burst, a, b, d, m, n, k);
    measure<Shape<_256, _128, _64>, Shape<_2, _1, _1>, Cooperative,
            StoreCooperative>(burst, a, b, d, m, n, k);
  } else {
    measure<Shape<_64, _128, _64>, Shape<_1, _1, _1>, PingPong, StorePingPong>(
        burst, a, b, d, m, n, k);
    measure<Shape<_64, _64, _128>, Shape<_1, _1, _1>, PingPong, StorePingPong>(
        burst, a, b, d, m, n, k);
  }
  return burst.print("CUTLASS");
}
