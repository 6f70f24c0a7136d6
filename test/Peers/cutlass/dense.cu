//===- dense.cu - Dense GEMMs of CUTLASS's collective builders --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One translation unit instantiates the kernels named by PEERS_GROUP: the
// headers take longer to compile than a kernel. The program runs those whose
// names begin with its first argument.
//
//===----------------------------------------------------------------------===//

#include "Problem.h"

#include "cute/tensor.hpp"
#include "cutlass/cutlass.h"
#include "cutlass/epilogue/collective/collective_builder.hpp"
#include "cutlass/epilogue/fusion/operations.hpp"
#include "cutlass/epilogue/thread/activation.h"
#include "cutlass/gemm/collective/collective_builder.hpp"
#include "cutlass/gemm/device/gemm_universal_adapter.h"
#include "cutlass/gemm/kernel/gemm_universal.hpp"
#include "cutlass/gemm/kernel/tile_scheduler.hpp"
#include "cutlass/util/packed_stride.hpp"

#include <cstring>

using namespace cute;
using Row = cutlass::layout::RowMajor;
using Col = cutlass::layout::ColumnMajor;
using OneSm = cutlass::gemm::KernelTmaWarpSpecialized1SmSm100;
using TwoSm = cutlass::gemm::KernelTmaWarpSpecialized2SmSm100;
using OneSmStore = cutlass::epilogue::TmaWarpSpecialized1Sm;
using TwoSmStore = cutlass::epilogue::TmaWarpSpecialized2Sm;
using AutoStore = cutlass::epilogue::collective::EpilogueScheduleAuto;

namespace {

/// What a variant may change; each overrides what it needs.
struct Defaults {
  using A = cutlass::bfloat16_t;
  using B = cutlass::bfloat16_t;
  using C = cutlass::bfloat16_t;
  using D = cutlass::bfloat16_t;
  using Accumulator = float;
  using LayoutA = Row;
  using LayoutB = Col;
  using LayoutC = Row;
  using Tile = Shape<_128, _128, _64>;
  using Cluster = Shape<_1, _1, _1>;
  using Kernel = OneSm;
  using Store = OneSmStore;
  using Scheduler = void;
  static constexpr bool hasBias = false;
  static constexpr int m = 328, n = 272, k = 416, batch = 1;
  static constexpr float alpha = 1, beta = 0;
};

template <class V>
bool run(const char *name) {
  constexpr int alignA = 128 / cutlass::sizeof_bits<typename V::A>::value;
  constexpr int alignB = 128 / cutlass::sizeof_bits<typename V::B>::value;
  constexpr int alignC = 128 / cutlass::sizeof_bits<typename V::C>::value;
  constexpr int alignD = 128 / cutlass::sizeof_bits<typename V::D>::value;
  using Scalar =
      std::conditional_t<std::is_same_v<typename V::Accumulator, int>, float,
                         typename V::Accumulator>;
  using Fusion =
      std::conditional_t<V::hasBias,
                         cutlass::epilogue::fusion::LinCombPerRowBiasEltAct<
                             cutlass::epilogue::thread::ReLu, typename V::D,
                             float, float, typename V::C>,
                         cutlass::epilogue::fusion::LinearCombination<
                             typename V::D, Scalar, typename V::C, Scalar>>;
  using Epilogue = typename cutlass::epilogue::collective::CollectiveBuilder<
      cutlass::arch::Sm100, cutlass::arch::OpClassTensorOp, typename V::Tile,
      typename V::Cluster, cutlass::epilogue::collective::EpilogueTileAuto,
      typename V::Accumulator, Scalar, typename V::C, typename V::LayoutC,
      alignC, typename V::D, typename V::LayoutC, alignD, typename V::Store,
      Fusion>::CollectiveOp;
  using Mainloop = typename cutlass::gemm::collective::CollectiveBuilder<
      cutlass::arch::Sm100, cutlass::arch::OpClassTensorOp, typename V::A,
      typename V::LayoutA, alignA, typename V::B, typename V::LayoutB, alignB,
      typename V::Accumulator, typename V::Tile, typename V::Cluster,
      cutlass::gemm::collective::StageCountAutoCarveout<static_cast<int>(
          sizeof(typename Epilogue::SharedStorage))>,
      typename V::Kernel>::CollectiveOp;
  using Kernel =
      cutlass::gemm::kernel::GemmUniversal<Shape<int, int, int, int>, Mainloop,
                                           Epilogue, typename V::Scheduler>;
  using Gemm = cutlass::gemm::device::GemmUniversalAdapter<Kernel>;

  constexpr int m = V::m, n = V::n, k = V::k, l = V::batch;
  std::vector<float> hostA = peers::integers(size_t(m) * k * l, 1);
  std::vector<float> hostB = peers::integers(size_t(n) * k * l, 2);
  std::vector<float> hostC = peers::integers(size_t(m) * n * l, 3);
  std::vector<float> hostBias = peers::integers(m, 4);
  peers::Buffer<typename V::A> a(hostA);
  peers::Buffer<typename V::B> b(hostB);
  peers::Buffer<typename V::C> c(hostC);
  peers::Buffer<float> bias(hostBias);
  peers::Buffer<typename V::D> d(std::vector<float>(size_t(m) * n * l, 99.f));

  typename Gemm::Arguments arguments{
      cutlass::gemm::GemmUniversalMode::kGemm,
      {m, n, k, l},
      {a.data,
       cutlass::make_cute_packed_stride(typename Kernel::StrideA{}, {m, k, l}),
       b.data,
       cutlass::make_cute_packed_stride(typename Kernel::StrideB{}, {n, k, l})},
      {{},
       c.data,
       cutlass::make_cute_packed_stride(typename Kernel::StrideC{}, {m, n, l}),
       d.data,
       cutlass::make_cute_packed_stride(typename Kernel::StrideD{},
                                        {m, n, l})}};
  arguments.epilogue.thread.alpha = Scalar(V::alpha);
  arguments.epilogue.thread.beta = Scalar(V::beta);
  if constexpr (V::hasBias)
    arguments.epilogue.thread.bias_ptr = bias.data;

  Gemm gemm;
  peers::Buffer<uint8_t> workspace(
      std::vector<float>(Gemm::get_workspace_size(arguments) + 16, 0.f));
  cutlass::Status status = gemm.can_implement(arguments);
  if (status == cutlass::Status::kSuccess)
    status = gemm.initialize(arguments, workspace.data);
  if (status == cutlass::Status::kSuccess)
    status = gemm.run();
  if (status != cutlass::Status::kSuccess) {
    std::printf("%s: %s\n", name, cutlass::cutlassGetStatusString(status));
    return false;
  }

  std::vector<float> got = d.read(), expected(got.size());
  constexpr bool isColA = std::is_same_v<typename V::LayoutA, Col>;
  constexpr bool isColB = std::is_same_v<typename V::LayoutB, Col>;
  constexpr bool isColC = std::is_same_v<typename V::LayoutC, Col>;
  for (int batch = 0; batch < l; ++batch) {
    auto slice = [&](const std::vector<float> &all, int rows, int columns,
                     bool transposed) {
      auto first = all.begin() + size_t(batch) * rows * columns;
      return peers::asRows({first, first + size_t(rows) * columns}, rows,
                           columns, transposed);
    };
    std::vector<float> product = peers::multiply(
        slice(hostA, m, k, isColA), slice(hostB, k, n, isColB), m, n, k);
    std::vector<float> addend = slice(hostC, m, n, isColC);
    for (int i = 0; i < m; ++i)
      for (int j = 0; j < n; ++j) {
        size_t at = size_t(i) * n + j;
        float value = V::alpha * product[at] + V::beta * addend[at];
        if (V::hasBias)
          value = std::max(value + hostBias[i], 0.f);
        expected[size_t(batch) * m * n + (isColC ? size_t(j) * m + i : at)] =
            float(typename V::D(value));
      }
  }
  return peers::compare(name, got, expected);
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

struct Bf16Tn : Defaults {};
struct F16Nt : Defaults {
  using A = cutlass::half_t;
  using B = cutlass::half_t;
  using C = float;
  using D = float;
  using LayoutA = Col;
  using LayoutB = Row;
  using Tile = Shape<_256, _128, _64>;
  using Cluster = Shape<_2, _1, _1>;
  using Kernel = TwoSm;
  using Store = TwoSmStore;
  static constexpr float alpha = 2, beta = -1;
};
struct F16NnBias : Defaults {
  using A = cutlass::half_t;
  using B = cutlass::half_t;
  using C = cutlass::half_t;
  using D = cutlass::half_t;
  using LayoutA = Col;
  using LayoutC = Col;
  using Tile = Shape<_256, _256, _64>;
  using Cluster = Shape<_2, _2, _1>;
  using Kernel = TwoSm;
  using Store = TwoSmStore;
  static constexpr bool hasBias = true;
  static constexpr int batch = 2;
  static constexpr float beta = 1;
};
struct Bf16M64 : Defaults {
  using Tile = Shape<_64, _128, _64>;
  using Cluster = Shape<_1, _2, _1>;
  using LayoutC = Col;
};
struct Bf16StreamK : Defaults {
  using Tile = Shape<_256, _128, _64>;
  using Cluster = Shape<_2, _1, _1>;
  using Kernel = TwoSm;
  using Store = TwoSmStore;
  using Scheduler = cutlass::gemm::StreamKScheduler;
  static constexpr int m = 520, n = 264, k = 1096;
};
struct F16InF16 : Defaults {
  using A = cutlass::half_t;
  using B = cutlass::half_t;
  using C = cutlass::half_t;
  using D = cutlass::half_t;
  using Accumulator = cutlass::half_t;
};
struct Bf16CpAsync : Defaults {
  using Kernel = cutlass::gemm::KernelWarpSpecialized1SmSm100;
  using Store = cutlass::epilogue::NoSmemWarpSpecialized1Sm;
  // Where a copy is predicated off, zeros are stored without a proxy fence.
  static constexpr int m = 384, n = 256, k = 448;
};

template <class T>
struct Tf32 : Defaults {
  using A = cutlass::tfloat32_t;
  using B = cutlass::tfloat32_t;
  using C = float;
  using D = float;
  using Tile = Shape<_128, _64, _32>;
};
struct Tf32Tn : Tf32<void> {};
struct Tf32Nt : Tf32<void> {
  using LayoutA = Col;
  using LayoutB = Row;
  using Tile = Shape<_256, _128, _32>;
  using Cluster = Shape<_2, _1, _1>;
  using Kernel = TwoSm;
  using Store = TwoSmStore;
  static constexpr float beta = 1;
};

template <class T>
struct Fp8 : Defaults {
  using A = cutlass::float_e4m3_t;
  using B = cutlass::float_e5m2_t;
  using Tile = Shape<_256, _128, _128>;
  using Cluster = Shape<_2, _1, _1>;
  using Kernel = TwoSm;
  using Store = TwoSmStore;
};
struct Fp8Tn : Fp8<void> {};
struct Fp8Nn : Fp8<void> {
  using LayoutA = Col;
  static constexpr int m = 336;
  using D = cutlass::half_t;
};
struct Fp8Tt : Fp8<void> {
  using LayoutB = Row;
  using Tile = Shape<_128, _192, _128>;
  using Cluster = Shape<_1, _1, _1>;
  using Kernel = OneSm;
  using Store = OneSmStore;
};
template <class T>
struct S8 : Defaults {
  using A = int8_t;
  using B = int8_t;
  using C = int32_t;
  using D = int32_t;
  using Accumulator = int32_t;
  using Tile = Shape<_128, _128, _128>;
};
struct S8Tn : S8<void> {};
struct S8Nt : S8<void> {
  using LayoutA = Col;
  using LayoutB = Row;
  using Tile = Shape<_256, _256, _128>;
  using Cluster = Shape<_2, _1, _1>;
  using Kernel = TwoSm;
  using Store = TwoSmStore;
  static constexpr int m = 336;
};

} // namespace

int main(int argc, char **argv) {
  const char *prefix = argc > 1 ? argv[1] : "";
  int failed = 0;
  auto tryOne = [&](const char *name, bool (*body)(const char *)) {
    if (!std::strncmp(name, prefix, std::strlen(prefix)))
      failed += !body(name);
  };
#if PEERS_GROUP == 1
  tryOne("bf16_tn", run<Bf16Tn>);
  tryOne("f16_nt_2sm", run<F16Nt>);
  tryOne("f16_nn_2sm_bias_relu", run<F16NnBias>);
  tryOne("bf16_m64", run<Bf16M64>);
#elif PEERS_GROUP == 2
  tryOne("bf16_streamk_2sm", run<Bf16StreamK>);
  tryOne("f16_accumulate_f16", run<F16InF16>);
  tryOne("bf16_cp_async", run<Bf16CpAsync>);
#elif PEERS_GROUP == 3
  tryOne("tf32_tn", run<Tf32Tn>);
  tryOne("tf32_nt_2sm", run<Tf32Nt>);
  tryOne("s8_tn", run<S8Tn>);
  tryOne("s8_nt_2sm", run<S8Nt>);
#else
  tryOne("e4m3_e5m2_tn_2sm", run<Fp8Tn>);
  tryOne("e4m3_e5m2_nn_2sm", run<Fp8Nn>);
  tryOne("e4m3_e5m2_tt", run<Fp8Tt>);
#endif
  return failed != 0;
}
