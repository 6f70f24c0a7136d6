//===- Swizzle.h - swizzle modes of shared memory ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The swizzle modes as data: how wide a row of the pattern is, where the
// pattern must start, which address bits it exchanges.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_SWIZZLE_H
#define TC_SUPPORT_SWIZZLE_H

#include "mlir/IR/BuiltinTypes.h"

#include "tc/Support/SwizzleEnums.h.inc"

#include <cstdint>

namespace tc {

/// A swizzle as a function on a byte address in shared memory:
/// `a ^ (((a >> 7) & (2^bits - 1)) << shift)` (PTX ISA, "Swizzling-modes").
struct SwizzleFacts {
  /// Bytes of one row of the tile that the mode swizzles together. Without
  /// swizzle these are the 16 bytes of one row of a core matrix.
  int64_t spanBytes;
  /// The pattern repeats after this many bytes and starts on a multiple of it.
  int64_t patternBytes;
  /// Number of address bits that are exchanged, from bit 7.
  unsigned bits;
  /// Lowest address bit that changes.
  unsigned shift;
};

/// The facts of `swizzle`.
SwizzleFacts getSwizzleFacts(Swizzle swizzle);

/// The swizzle with 16-byte atoms whose rows have `bytes` bytes: 32, 64 or 128;
/// none for anything else.
Swizzle getSwizzleOfBytes(int64_t bytes);

/// `byteAddress` after the XOR of `swizzle`, for a pattern that starts on a
/// multiple of its size.
int64_t applySwizzle(Swizzle swizzle, int64_t byteAddress);

} // namespace tc

#endif // TC_SUPPORT_SWIZZLE_H
