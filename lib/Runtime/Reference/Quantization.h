//===- Quantization.h - Quantised outputs as intervals ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Runtime: what an interval of f32 numbers may become in a float of
// 8 bits or fewer, and which scale factor the largest of a block asks for.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_REFERENCE_QUANTIZATION_H
#define TC_RUNTIME_REFERENCE_QUANTIZATION_H

#include "Runtime/Reference/ReferenceOperands.h"
#include "tc/Runtime/Epilogue.h"

namespace tc::runtime {

/// The largest absolute value of elements that are intervals; NaN where one is.
struct Amax {
  double low = 0, value = 0, high = 0;
  bool mayBeNan = false;

  void raise(const Interval &element);
  void raise(const Amax &other);
  Interval get() const { return {low, value, high, mayBeNan}; }
};

/// Whether D of `type` is converted with saturation.
bool isQuantized(DType type);

/// What `value` times the reciprocal of `factor` becomes in `type`; a factor of
/// 0 makes 0 of it.
Interval quantize(DType type, const Interval &value, double factor = 1);

/// The factor of type `scale` (ue8m0 or ue4m3) of a block of elements of `type`
/// of which the largest is `largest`.
Interval quantizeFactor(DType type, DType scale, const Amax &largest);

/// Factor `block` of row `row` in the matrix of blocks of factors.
double readFactor(const Slice &scales, int64_t row, int64_t block);

} // namespace tc::runtime

#endif // TC_RUNTIME_REFERENCE_QUANTIZATION_H
