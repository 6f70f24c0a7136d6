//===- MmaKernels.cpp - Vector kernels of one MMA row -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cut of a term toward zero to F = 25 bits below 2^E is a conversion to
// integer: the product times 2^(25 - E) is below 2^27, and the conversion
// truncates. Products of the formats concerned have at most 22 significant
// bits and are exact in f32; so are the multiplications by powers of two. The
// file must be compiled without contraction of a * b + c.
//
//===----------------------------------------------------------------------===//

#include "Numerics/MmaKernels.h"

#include "Numerics/MmaBlock.h"

#include <cstring>

#define TC_INLINE static inline __attribute__((always_inline))

namespace tc::emu {

namespace {

/// W lanes of 32 bits.
template <int W>
struct Lanes {
  typedef int32_t Int __attribute__((vector_size(W * 4)));
  typedef uint32_t Unsigned __attribute__((vector_size(W * 4)));
  typedef float Float __attribute__((vector_size(W * 4)));
};

} // namespace

template <class To, class From>
TC_INLINE To bitCast(const From &from) {
  static_assert(sizeof(To) == sizeof(From), "bitCast needs equal sizes");
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// `Wide` multiplies significands and applies each product's own exponent;
/// otherwise the products themselves are in range. `Half` rounds to f16.
template <int W, bool Wide, bool Half>
TC_INLINE bool generalRow(const KernelJob &job) {
  using Int = typename Lanes<W>::Int;
  using Float = typename Lanes<W>::Float;
  // Masks are sign bits spread by a shift: g++ takes the result of a comparison
  // apart lane by lane where it is more than a choice between two values.
  using Unsigned = typename Lanes<W>::Unsigned;
  const Int zero = {}, ones = ~zero;
  bool anyLeft = false;
  for (unsigned n = 0; n < job.columns; n += W) {
    unsigned width = job.columns - n < W ? job.columns - n : W;
    Int cell = zero;
    if (job.accumulate) {
      if (width == W)
        std::memcpy(&cell, job.row + n, sizeof(cell));
      else
        std::memcpy(&cell, job.row + n, width * 4);
    }
    Int bad;
    std::memcpy(&bad, job.specialB + n, sizeof(bad));
    if (Half)
      for (int i = 0; i < W; ++i)
        cell[i] = static_cast<int32_t>(bitsFromFloat(decodeFloat(
            NumberFormat::F16, static_cast<uint32_t>(cell[i]) & 0xffff)));
    Int field = (cell >> 23) & 255;
    Int largest = field - 127;
    // Half: an f16 subnormal is normal in f32, but keeps its smallest exponent.
    const int smallest = Half ? -14 : -126;
    largest = largest < (zero + smallest) ? (zero + smallest) : largest;
    largest = (cell & 0x7fffffff) == zero ? (zero + zeroExponent) : largest;
    bad |= (254 - field) >> 31;

    for (unsigned k0 = 0; k0 < job.k; k0 += 8) {
#pragma GCC unroll 8
      for (unsigned j = 0; j < 8; ++j) {
        Int exponent;
        std::memcpy(&exponent, job.exponentB + (k0 + j) * job.pitch + n,
                    sizeof(exponent));
        exponent += job.exponentA[k0 + j];
        largest = exponent > largest ? exponent : largest;
      }
    }
    // Nothing but zeros is no reason to leave the vector path; a window in
    // which every scale below is a normal f32 is.
    if (Half)
      largest = largest < (zero + job.floorExponent)
                    ? (zero + job.floorExponent)
                    : largest;
    bad |= ((zeroExponent / 2 - largest) & (largest + 100)) >> 31;
    bad |= ((Wide ? 100 : 127) - largest) >> 31;
    largest = largest < (zero - 100) ? (zero - 100) : largest;
    largest = largest > (zero + 127) ? (zero + 127) : largest;

    const Float scale =
        bitCast<Float>(Int((zero + (127 + 25) - largest) << 23));
    Int sum0 = zero, sum1 = zero;
    for (unsigned k0 = 0; k0 < job.k; k0 += 8) {
#pragma GCC unroll 8
      for (unsigned j = 0; j < 8; ++j) {
        Float factor;
        std::memcpy(&factor, job.factorB + (k0 + j) * job.pitch + n,
                    sizeof(factor));
        Float product = factor * job.factorA[k0 + j];
        if (Wide) {
          Int exponent;
          std::memcpy(&exponent, job.exponentB + (k0 + j) * job.pitch + n,
                      sizeof(exponent));
          Int own = exponent + job.exponentA[k0 + j] - largest + (127 + 25);
          own = own < zero ? zero : own;
          // Only elements marked bad can be above the largest exponent.
          own = own > (zero + 254) ? (zero + 254) : own;
          product = product * bitCast<Float>(Int(own << 23));
          Float limit = Float{} + 0x1p27f;
          product = product > limit ? limit : product;
          product = product < -limit ? -limit : product;
        } else {
          product = product * scale;
        }
        if (j & 1)
          sum1 += __builtin_convertvector(product, Int);
        else
          sum0 += __builtin_convertvector(product, Int);
      }
    }
    Float c = bitCast<Float>(Int(cell & ~bad)) * scale;
    Int half = (sum0 >> 1) + (sum1 >> 1);
    // Past this the sum with C, or its rounding, could leave 32 bits.
    // Where the difference wraps, the other one is negative, too.
    const uint32_t most = (1u << 30) - (1u << 27);
    bad |= (Int(most - Unsigned(half)) | Int(Unsigned(half) + most)) >> 31;
    Int sum = sum0 + sum1 + __builtin_convertvector(c, Int);
    sum &= ~bad;

    // Truncate the magnitude to 24 bits: convert to nearest, step back if that
    // went up.
    Int sign = sum & static_cast<int32_t>(0x80000000u);
    Int magnitude = sum < zero ? -sum : sum;
    Float rounded = __builtin_convertvector(magnitude, Float);
    Int back = __builtin_convertvector(rounded, Int);
    Int code = bitCast<Int>(rounded) + (back > magnitude ? ones : zero);
    if (Half) {
      // Keep a sticky bit, so that rounding to f16 afterwards is right.
      Int whole = __builtin_convertvector(bitCast<Float>(code), Int);
      code |= whole == magnitude ? zero : (zero + 1);
    }
    Float value = bitCast<Float>(Int(code | sign)) *
                  bitCast<Float>(Int((largest + (127 - 25)) << 23));
    Int result = bitCast<Int>(value);
    // A sum of zero is +0.
    result = sum == zero ? zero : result;
    if (Half)
      for (int i = 0; i < W; ++i) {
        const uint32_t bits = encodeNumber(
            NumberFormat::F16, floatFromBits(static_cast<uint32_t>(result[i])),
            RoundingMode::NearestEven, false);
        result[i] = static_cast<int32_t>(bits & 0x7fff ? bits : 0);
      }

    int32_t anyBad = 0;
    for (unsigned i = 0; i < width; ++i)
      anyBad |= bad[i];
    if (!anyBad) {
      if (width == W)
        std::memcpy(job.row + n, &result, sizeof(result));
      else
        std::memcpy(job.row + n, &result, width * 4);
      std::memset(job.left + n, 0, width);
      continue;
    }
    anyLeft = true;
    for (unsigned i = 0; i < width; ++i) {
      job.left[n + i] = bad[i] != 0;
      if (!bad[i])
        job.row[n + i] = static_cast<uint32_t>(result[i]);
    }
  }
  return anyLeft;
}

/// All partial sums are exact, so any order gives the one result.
template <int W>
TC_INLINE bool exactRow(const KernelJob &job) {
  using Int = typename Lanes<W>::Int;
  using Float = typename Lanes<W>::Float;
  if (job.accumulate) {
    // C must be a multiple of 2^quantum and below 2^(quantum + 23).
    const float toUnits = bitCast<float>((127 - job.quantum) << 23);
    Int wrong = {};
    unsigned n = 0;
    for (; n + W <= job.columns; n += W) {
      Float c;
      std::memcpy(&c, job.row + n, sizeof(c));
      c = c * toUnits;
      // A magnitude below 2^23, as bits of f32; then a whole number.
      Int inRange = ((bitCast<Int>(c) & 0x7fffffff) - 0x4b000000) >> 31;
      c = bitCast<Float>(Int(bitCast<Int>(c) & inRange));
      Float whole =
          __builtin_convertvector(__builtin_convertvector(c, Int), Float);
      wrong |= ~inRange | bitCast<Int>(Float(whole - c));
    }
    int32_t any = 0;
    for (int i = 0; i < W; ++i)
      any |= wrong[i];
    for (; n < job.columns; ++n) {
      float c = bitCast<float>(job.row[n]) * toUnits;
      if (!(c < 0x1p23f && c > -0x1p23f) ||
          static_cast<float>(static_cast<int32_t>(c)) != c)
        return false;
    }
    if (any)
      return false;
  }
  unsigned n = 0;
  for (; n + 2 * W <= job.columns; n += 2 * W) {
    Float s0 = {}, s1 = {};
    if (job.accumulate) {
      std::memcpy(&s0, job.row + n, sizeof(s0));
      std::memcpy(&s1, job.row + n + W, sizeof(s1));
    }
    // +0 + x turns a C of -0 into the +0 of the model.
    s0 += 0.0f;
    s1 += 0.0f;
    for (unsigned k = 0; k < job.k; ++k) {
      Float b0, b1;
      std::memcpy(&b0, job.valueB + k * job.pitch + n, sizeof(b0));
      std::memcpy(&b1, job.valueB + k * job.pitch + n + W, sizeof(b1));
      s0 += b0 * job.valueA[k];
      s1 += b1 * job.valueA[k];
    }
    std::memcpy(job.row + n, &s0, sizeof(s0));
    std::memcpy(job.row + n + W, &s1, sizeof(s1));
  }
  for (; n < job.columns; ++n) {
    float s = job.accumulate ? bitCast<float>(job.row[n]) : 0.0f;
    s += 0.0f;
    for (unsigned k = 0; k < job.k; ++k)
      s += job.valueB[k * job.pitch + n] * job.valueA[k];
    job.row[n] = bitCast<uint32_t>(s);
  }
  return true;
}

/// Without branches, for the compiler to turn into vectors.
TC_INLINE void decodeNumbers(DecodeJob &job) {
  const uint32_t mantissaMask = (1u << job.mantissaBits) - 1;
  const uint32_t exponentMask = (1u << job.exponentBits) - 1;
  const unsigned signShift = job.mantissaBits + job.exponentBits;
  const unsigned up = 23 - job.mantissaBits;
  // Formats with the exponents of f32 have its subnormals too, and arithmetic
  // on those is slow; elsewhere a subnormal is a multiple of 2^(1 - bias - p).
  const bool asF32 = job.bias == 127;
  const int32_t smallest =
      1 - job.bias - static_cast<int32_t>(job.mantissaBits);
  const float unit = bitCast<float>(asF32 ? 127 << 23 : (smallest + 127) << 23);
  const uint32_t specialMantissa = job.specials == 2 ? mantissaMask : 0;
  const bool any = job.specials != 0, all = job.specials == 1;
  int32_t minExponent = job.minExponent, maxExponent = job.maxExponent;
  int32_t minUlp = job.minUlp;
  const unsigned storageShift = job.storageShift,
                 mantissaBits = job.mantissaBits;
  const int32_t bias = job.bias;
  const uint32_t *__restrict words = job.words;
  float *__restrict values = job.value;
  int32_t *__restrict exponents = job.exponent;
  int32_t *__restrict specials = job.special;
  const size_t count = job.count;
  for (size_t i = 0; i < count; ++i) {
    uint32_t word = words[i] >> storageShift;
    uint32_t mantissa = word & mantissaMask;
    uint32_t field = (word >> mantissaBits) & exponentMask;
    uint32_t sign = ((word >> signShift) & 1) << 31;
    bool special =
        any & (field == exponentMask) & (all | (mantissa == specialMantissa));
    uint32_t significand = field ? mantissa | (mantissaMask + 1) : mantissa;
    bool nothing = (significand == 0) | special;
    int32_t exponent = static_cast<int32_t>(field ? field : 1) - bias;
    uint32_t normal = static_cast<uint32_t>(exponent + 127) << 23 | mantissa
                                                                        << up;
    uint32_t multiple = bitCast<uint32_t>(
        static_cast<float>(static_cast<int32_t>(mantissa)) * unit);
    uint32_t subnormal = asF32 ? mantissa << up : multiple;
    uint32_t magnitude = field ? normal : subnormal;
    values[i] = bitCast<float>(nothing ? 0u : magnitude | sign);
    exponents[i] = nothing ? zeroExponent : exponent;
    specials[i] = special ? -1 : 0;
    // The exponent of the lowest bit that is set, from its conversion to f32.
    int32_t low = static_cast<int32_t>(significand & (0u - significand));
    int32_t trailing = (bitCast<int32_t>(static_cast<float>(low)) >> 23) - 127;
    int32_t ulp = exponent - static_cast<int32_t>(mantissaBits) + trailing;
    int32_t least = nothing ? INT32_MAX : exponent;
    int32_t most = nothing ? INT32_MIN : exponent;
    int32_t leastUlp = nothing ? INT32_MAX : ulp;
    minExponent = least < minExponent ? least : minExponent;
    maxExponent = most > maxExponent ? most : maxExponent;
    minUlp = leastUlp < minUlp ? leastUlp : minUlp;
  }
  job.minExponent = minExponent;
  job.maxExponent = maxExponent;
  job.minUlp = minUlp;
}

#define TC_KERNEL_SET(suffix, width, attributes)                               \
  attributes static bool narrow_##suffix(const KernelJob &job) {               \
    return generalRow<width, false, false>(job);                               \
  }                                                                            \
  attributes static bool wide_##suffix(const KernelJob &job) {                 \
    return generalRow<width, true, false>(job);                                \
  }                                                                            \
  attributes static bool narrowHalf_##suffix(const KernelJob &job) {           \
    return generalRow<width, false, true>(job);                                \
  }                                                                            \
  attributes static bool wideHalf_##suffix(const KernelJob &job) {             \
    return generalRow<width, true, true>(job);                                 \
  }                                                                            \
  attributes static bool exact_##suffix(const KernelJob &job) {                \
    return exactRow<width>(job);                                               \
  }                                                                            \
  attributes static void decode_##suffix(DecodeJob &job) {                     \
    decodeNumbers(job);                                                        \
  }                                                                            \
  static constexpr MmaKernels kernels_##suffix = {                             \
      #suffix,           narrow_##suffix, wide_##suffix,  narrowHalf_##suffix, \
      wideHalf_##suffix, exact_##suffix,  decode_##suffix};

TC_KERNEL_SET(portable, 4, )
#if defined(__x86_64__)
TC_KERNEL_SET(avx2, 8, __attribute__((target("avx2"))))
TC_KERNEL_SET(avx512, 16,
              __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))))
#endif

std::vector<const MmaKernels *> supportedMmaKernels() {
  std::vector<const MmaKernels *> sets;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    sets.push_back(&kernels_avx512);
  if (__builtin_cpu_supports("avx2"))
    sets.push_back(&kernels_avx2);
#endif
  sets.push_back(&kernels_portable);
  return sets;
}

const MmaKernels &mmaKernels() {
  static const MmaKernels &best = *supportedMmaKernels().front();
  return best;
}

} // namespace tc::emu
