//===- Errors.h - Statistics of parts of a result ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Runtime/Reference: what threads found of their parts, as one.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_RUNTIME_REFERENCE_ERRORS_H
#define TC_LIB_RUNTIME_REFERENCE_ERRORS_H

#include "tc/Runtime/Reference.h"

#include <algorithm>

namespace tc::runtime {

/// Adds those of `next`, a later part, to `into`, which has finite elements
/// (`hasFinite`) so far. Means and `exact` are the caller's.
inline void mergeErrors(ErrorSummary &into, bool hasFinite,
                        const ErrorSummary &next) {
  if (next.maxError > into.maxError || !hasFinite) {
    into.maxError = next.maxError;
    into.boundAtMax = next.boundAtMax;
  }
  into.maxBound = std::max(into.maxBound, next.maxBound);
  into.maxRatio = std::max(into.maxRatio, next.maxRatio);
  into.elements += next.elements;
  into.finite += next.finite;
  into.unbounded += next.unbounded;
  if (next.mismatches != 0 &&
      (into.mismatches == 0 || next.firstMismatch < into.firstMismatch)) {
    into.firstMismatch = next.firstMismatch;
    into.output = next.output;
    into.expected = next.expected;
    into.got = next.got;
    into.bound = next.bound;
  }
  into.mismatches += next.mismatches;
}

} // namespace tc::runtime

#endif // TC_LIB_RUNTIME_REFERENCE_ERRORS_H
