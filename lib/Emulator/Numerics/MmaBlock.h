//===- MmaBlock.h - A whole MMA step, blocked -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// D = A * B + C for one K-group of a whole tile, bit-identical to applying
// fusedDotAdd to every element. Operands are decoded once into planes; the
// kernel then works on vectors of columns. Two shortcuts are taken only where
// they provably change nothing: plain f32 arithmetic where every partial sum
// is exact, and 32-bit integers for the cut terms where they cannot overflow.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_NUMERICS_MMABLOCK_H
#define TC_EMULATOR_NUMERICS_MMABLOCK_H

#include "Numerics/FusedDotAdd.h"

#include <new>
#include <vector>

namespace tc::emu {

/// Exponent of a zero in a plane: below every sum of two real exponents.
constexpr int32_t zeroExponent = -16384;
/// That of a NaN or an infinity.
constexpr int32_t specialExponent = zeroExponent - 1;

/// From one k to the next in planes of B.
constexpr unsigned planePitch(unsigned columns) {
  return (columns + 15) / 16 * 16;
}

/// Storage that starts a line of the cache, as vectors that cross one take
/// twice as long to load, and is not filled before it is written.
template <class T>
struct LineAllocator {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  LineAllocator() = default;
  template <class Other>
  explicit LineAllocator(const LineAllocator<Other> &) {}
  T *allocate(size_t count) {
    return static_cast<T *>(::operator new(count * sizeof(T), line));
  }
  void deallocate(T *from, size_t) { ::operator delete(from, line); }
  template <class Element>
  void construct(Element *at) {
    ::new (static_cast<void *>(at)) Element;
  }
  friend bool operator==(LineAllocator, LineAllocator) { return true; }
};
template <class T>
using Plane = std::vector<T, LineAllocator<T>>;

/// One decoded operand: `count` rows of A or columns of B, `k` deep. The planes
/// of A are indexed [row * pitch + k], those of B [k * pitch + column] with the
/// pitch a multiple of 16 and the padding zero.
struct OperandPlanes {
  unsigned count = 0, k = 0, pitch = 0;
  bool isB = false;
  NumberFormat format = NumberFormat::F16;
  /// The bits as they came, at [index * perIndex + kk * perK].
  const uint32_t *bits = nullptr;
  size_t perIndex = 0, perK = 0;
  Plane<float> value;
  /// Unnormalised exponents, without scales.
  Plane<int32_t> exponent;
  /// Filled on first use (isAligned): per row (column) the largest exponent
  /// with its scale, the values divided by 2 to its power without the scale,
  /// the drops of the exponents from it, and the largest drop.
  Plane<int32_t> top;
  Plane<float> normal;
  Plane<uint8_t> drop;
  /// Likewise (hasChains), for chains (MmaChains.inc), which take no `normal`:
  /// the values with their scales, and a word of signs per row (column).
  Plane<double> chain;
  Plane<uint32_t> signs;
  bool isAligned = false, hasChains = false;
  int32_t spread = 0;
  /// The least and the largest top of rows (columns) that are not all zero.
  int32_t lowestTop = 0, highestTop = 0;
  /// Per row or column: -1 if it holds a NaN or an infinity or has a NaN scale.
  std::vector<int32_t> special;
  /// B, where it came with k fastest.
  std::vector<uint32_t> transposed;
  /// Per row or column, empty without scales: the exponent, and whether the
  /// scale is NaN.
  std::vector<int32_t> scaleExponent;
  std::vector<bool> isScaleNaN;
  /// Over all nonzero finite elements, without scales: exponents, and, once it
  /// has been asked for, the weight of the lowest bit that is set.
  int32_t minExponent = 0, maxExponent = 0, minUlp = 0;
  bool allZero = true, anySpecial = false, hasMinUlp = false;
};

/// Fills the planes from `bits`, which have to outlive them: `count` x `k`
/// elements with k fastest, or, of B, [k * planePitch(count) + column] with
/// zeros between. `scaleBits` is null or one ue8m0 scale per row (column).
void decodeOperand(OperandPlanes &planes, bool isB, NumberFormat format,
                   unsigned count, unsigned k, const uint32_t *bits,
                   const uint32_t *scaleBits = nullptr,
                   bool isTransposed = false);

struct MmaKernels;

/// Which implementation computes the step; tests compare them.
enum class MmaPath : uint8_t { Auto, Reference, General };

/// One K-group: d[m][n] = fusedDotAdd(a row m, b column n, c = d[m][n] or +0).
/// `rows[m]` points to b.count 32-bit cells of row m (accumulators are bits of
/// the rule's format in the low end of a cell); a null row is skipped. a.k and
/// b.k equal rule.group. Planes are not const because they are aligned on first
/// use. `kernels` null: the best set of this machine.
void mmaStep(const DotRule &rule, OperandPlanes &a, OperandPlanes &b,
             uint32_t *const *rows, bool accumulate,
             MmaPath path = MmaPath::Auto, const MmaKernels *kernels = nullptr);

/// The instruction set mmaStep uses here: "avx512", "avx2" or "portable".
std::string_view mmaInstructionSet();

} // namespace tc::emu

#endif // TC_EMULATOR_NUMERICS_MMABLOCK_H
