//===- MmaKernels.cpp - vector kernels of one MMA row -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels (MmaRows.inc) once per instruction set, and which of them this
// machine can run. The file must be compiled without contraction of a * b + c.
//
//===----------------------------------------------------------------------===//

#include "Numerics/MmaKernels.h"

#include "Numerics/MmaBlock.h"

#include <algorithm>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#define TC_INLINE static inline __attribute__((always_inline))

namespace tc::emu {

// Functions between these are compiled for the instruction set. The sanitizer
// of undefined behaviour sees the text in the portable functions: in all of
// them it takes minutes to compile. That of addresses sees all.
#define TC_PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define TC_BEGIN_TARGET(set)                                                   \
  TC_PRAGMA(clang attribute push(                                              \
      __attribute__((target(set), no_sanitize("undefined"))),                  \
      apply_to = function))
#define TC_END_TARGET TC_PRAGMA(clang attribute pop)
#else
#define TC_BEGIN_TARGET(set)                                                   \
  TC_PRAGMA(GCC push_options) TC_PRAGMA(GCC target(set))
#define TC_END_TARGET TC_PRAGMA(GCC pop_options)
#endif

namespace portable {
#define TC_MMA_LANES 4
#define TC_MMA_NAME "portable"
#include "Numerics/MmaRows.inc"
#undef TC_MMA_LANES
#undef TC_MMA_NAME
} // namespace portable

#if defined(__x86_64__)
TC_BEGIN_TARGET("avx2")
namespace avx2 {
#define TC_MMA_LANES 8
#define TC_MMA_NAME "avx2"
#include "Numerics/MmaRows.inc"
#undef TC_MMA_LANES
#undef TC_MMA_NAME
} // namespace avx2
TC_END_TARGET

TC_BEGIN_TARGET("avx512f,avx512bw,avx512dq,avx512vl")
namespace avx512 {
#define TC_MMA_LANES 16
#define TC_MMA_NAME "avx512"
#include "Numerics/MmaRows.inc"
#undef TC_MMA_LANES
#undef TC_MMA_NAME
} // namespace avx512
TC_END_TARGET

TC_BEGIN_TARGET("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq")
namespace avx512vpopcntdq {
#define TC_MMA_LANES 16
#define TC_MMA_CHAINS
#define TC_MMA_NAME "avx512vpopcntdq"
#include "Numerics/MmaRows.inc"
#undef TC_MMA_LANES
#undef TC_MMA_CHAINS
#undef TC_MMA_NAME
} // namespace avx512vpopcntdq
TC_END_TARGET
#endif

std::vector<const MmaKernels *> supportedMmaKernels() {
  std::vector<const MmaKernels *> sets;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl")) {
    if (__builtin_cpu_supports("avx512vpopcntdq"))
      sets.push_back(&avx512vpopcntdq::kernels);
    sets.push_back(&avx512::kernels);
  }
  if (__builtin_cpu_supports("avx2"))
    sets.push_back(&avx2::kernels);
#endif
  sets.push_back(&portable::kernels);
  return sets;
}

const MmaKernels &mmaKernels() {
  static const MmaKernels &best = *supportedMmaKernels().front();
  return best;
}

} // namespace tc::emu
