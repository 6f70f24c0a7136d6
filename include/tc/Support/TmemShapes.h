//===- TmemShapes.h - data movement shapes of Tensor Memory -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shapes of tcgen05.ld, st, cp and shift as data (PTX ISA 9.0, 9.7.16.2.3
// "Data Movement Shape").
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_TMEMSHAPES_H
#define TC_SUPPORT_TMEMSHAPES_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>

namespace tc {

/// The shapes of tcgen05.ld and tcgen05.st.
enum class TmemAccessShape { L32x32b, L16x64b, L16x128b, L16x256b, L16x32bx2 };

/// What one repetition (.x1) of a shape moves.
struct TmemAccessFacts {
  /// As in PTX.
  llvm::StringRef name;
  int64_t lanes;
  /// Columns of 32-bit cells. Of 16x32bx2, those of one of its two halves.
  int64_t columns;
  /// Registers of a thread.
  int64_t registers;
  int64_t maxRepetition;
};

const TmemAccessFacts &getTmemAccess(TmemAccessShape shape);

/// The shapes of tcgen05.cp, each with its multicast: no other pair exists.
enum class TmemCopyShape {
  R128x256b,
  R4x256b,
  R128x128b,
  R64x128bWarps02And13,
  R64x128bWarps01And23,
  R32x128bWarpx4
};

struct TmemCopyFacts {
  /// Shape and multicast as in PTX.
  llvm::StringRef name;
  /// Rows of the source, and the bytes of one.
  int64_t rows;
  int64_t rowBytes;

  /// Columns of 32-bit cells that a row fills.
  int64_t getCellColumns() const { return rowBytes / 4; }
};

const TmemCopyFacts &getTmemCopy(TmemCopyShape shape);

/// Bytes of the unit of shared memory that tcgen05.cp decompresses to as many
/// elements of 8 bits, and that a matrix descriptor counts in (PTX ISA 9.0,
/// 9.7.16.9.2 "Tensorcore 5th Generation Instructions: tcgen05.cp").
constexpr int64_t kTmemCopyUnit = 16;

/// Columns of 32-bit cells that one tcgen05.shift moves: 32 bytes of 31 rows.
constexpr int64_t kTmemShiftColumns = 8;

} // namespace tc

#endif // TC_SUPPORT_TMEMSHAPES_H
