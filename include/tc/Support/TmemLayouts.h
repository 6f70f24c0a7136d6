//===- TmemLayouts.h - where elements are in Tensor Memory ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layouts of Tensor Memory as functions: data path layouts A to G (PTX ISA,
// "Data Path Layout Organization"), scale factors ("Block Scaling"), metadata
// ("Sparse Matrices") and the registers of tcgen05.ld and st ("Data Movement
// Shape").
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_TMEMLAYOUTS_H
#define TC_SUPPORT_TMEMLAYOUTS_H

#include "tc/Support/Target.h"
#include "tc/Support/TmemShapes.h"

namespace tc {

/// A place in Tensor Memory, from the first lane and column of a region.
struct TmemPlace {
  /// In a pair 1 is the odd CTA.
  int64_t cta = 0;
  int64_t lane = 0;
  int64_t column = 0;
  /// The first bit in the cell.
  unsigned bit = 0;

  bool operator==(const TmemPlace &other) const {
    return cta == other.cta && lane == other.lane && column == other.column &&
           bit == other.bit;
  }
};

/// A data path layout of D.
struct DataPathFacts {
  char name;
  /// M of the instruction, and its cta_group.
  int64_t m;
  int ctaGroup;
  /// Which instructions write it.
  bool dense, sparse, weightStationary;
  /// Groups of columns that are below each other.
  int64_t folds;

  /// Rows of the matrix in a CTA.
  int64_t getRows() const { return m / ctaGroup; }
  /// Lanes from one group of columns of D, and from one copy of the rows of A,
  /// to the next.
  int64_t getFoldLanes() const { return kTmemLanes / folds; }
};

llvm::ArrayRef<DataPathFacts> getDataPaths();
/// The layout called `name`, or null.
const DataPathFacts *findDataPath(char name);

/// Where row `m` and column `n` of D are, of an instruction with N = `columns`.
TmemPlace getAccumulatorPlace(const DataPathFacts &layout, int64_t m, int64_t n,
                              int64_t columns);
/// Where the factor of block `block` in [0, 4) of row (or column) `row` is, in
/// the first of its copies; the others are `copies` times 32 lanes further.
/// `split`: the factors of B where D has layout B, of `columns` columns.
TmemPlace getScalePlace(int64_t row, int64_t block, bool split,
                        int64_t columns);
/// Copies of a factor in the lanes of a CTA.
int64_t getScaleCopies(bool split);
/// Where element `k` of row `m` of A is in Tensor Memory, of an instruction
/// that writes D in `layout`, in the first of its copies; an element takes
/// `bits` bits.
TmemPlace getMatrixAPlace(const DataPathFacts &layout, unsigned bits, int64_t m,
                          int64_t k);
/// Where the four bits are that belong to the chunk of elements that starts at
/// `k`, for row `m` of a CTA of a sparse A of elements of `bits` bits, in the
/// first of their copies.
TmemPlace getMetadataPlace(const DataPathFacts &layout, unsigned bits,
                           int64_t m, int64_t k);
/// Elements of A that share four bits of metadata.
int64_t getMetadataChunk(unsigned bits);
/// The cell that register `r` of thread `t` holds; `offset`: of 16x32bx2.
TmemPlace getAccessPlace(TmemAccessShape shape, int64_t t, int64_t r,
                         int64_t offset);

} // namespace tc

#endif // TC_SUPPORT_TMEMLAYOUTS_H
