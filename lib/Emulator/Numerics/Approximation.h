//===- Approximation.h - results of .approx instructions --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the PTX ISA promises of its approximate functions, as one table, and the
// ways to pick a result that keeps the promise: the correctly rounded one, any
// one drawn from a seed, or the one that a device was seen to give.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_NUMERICS_APPROXIMATION_H
#define TC_EMULATOR_NUMERICS_APPROXIMATION_H

#include "Numerics/Formats.h"
#include "tc/Emulator/Approximation.h"

#include <array>
#include <optional>
#include <unordered_map>

namespace tc::emu {

enum class ApproxFunction : uint8_t {
  Rcp,
  Sqrt,
  Rsqrt,
  Sin,
  Cos,
  Lg2,
  Ex2,
  Tanh,
  Div
};

/// What a bound is measured in.
enum class ApproxBound : uint8_t {
  None,     ///< the ISA states none: only the rounded result is given
  Ulp,      ///< units in the last place of the rounded result
  Relative, ///< of the exact result
  Absolute,
  /// sin and cos: absolute, `bound` for arguments up to 2 pi, 2^-14.7 up to
  /// 100 pi; beyond there is no promise.
  Angle,
  /// lg2: `bound` absolute for arguments in (0.5, 2), relative elsewhere.
  Logarithm,
};

/// One opcode. Pairs (f16x2) are looked up as their halves.
struct ApproxRow {
  std::string_view opcode;
  ApproxFunction function;
  /// Of operands and result: F32, F16 or BF16; F32 in the rows of f64, where it
  /// is not used.
  NumberFormat format;
  bool ftz;
  ApproxBound kind;
  /// Ulp: how many; the others: the exponent of 2, as the ISA writes bounds.
  double bound;
  std::string_view section; ///< of PTX ISA 9.0
};

/// The row of an opcode, or -1.
int findApproxRow(std::string_view opcode);
const ApproxRow &approxRow(unsigned row);

/// Results of a device, by row of the table and operands.
class ApproxTable {
public:
  /// Operands that are bits of the row's format; `b` is 0 but for div.
  std::optional<uint64_t> find(unsigned row, uint64_t a, uint64_t b) const;
  void add(unsigned row, uint64_t a, uint64_t b, uint64_t result);

private:
  struct Key {
    uint64_t a, b;
    bool operator==(const Key &other) const {
      return a == other.a && b == other.b;
    }
  };
  struct Hash {
    size_t operator()(const Key &key) const {
      return key.a * 0x9e3779b97f4a7c15ull ^ key.b;
    }
  };
  std::unordered_map<unsigned, std::unordered_map<Key, uint64_t, Hash>> rows;
};

/// The least and the largest result that the bound of `row` allows, as bits of
/// its format, for operand `x` with the exact result `exact`. Results that the
/// ISA lists one by one (of zeros, infinities, NaN) allow themselves only.
/// Subnormal results are not flushed here.
struct ApproxRange {
  uint32_t least, largest;
};
ApproxRange approxRange(const ApproxRow &row, double x, double exact);

/// Whether a result keeps the promise of row `row`; .ftz may have flushed it.
/// Rows without a bound take any.
bool isWithinBound(unsigned row, double x, double exact, uint64_t result);

/// A result in the range, one and the same for a seed and operands; both ends
/// of the range come often.
uint32_t drawApprox(unsigned row, uint64_t seed, uint64_t a, uint64_t b,
                    double x, double exact);

} // namespace tc::emu

#endif // TC_EMULATOR_NUMERICS_APPROXIMATION_H
