//===- MmaShapes.h - legal shapes of tcgen05.mma ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which M and N each form of tcgen05.mma has (PTX ISA, "Matrix Shape"), one row
// for what the ISA's table has as one. Verifiers, the documentation and
// scripts/legality read this table.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_MMASHAPES_H
#define TC_SUPPORT_MMASHAPES_H

#include "tc/Support/Target.h"

#include <string>

namespace tc {

/// A form of tcgen05.mma, as far as its shapes depend on it.
struct MmaForm {
  MmaKindFacts kind;
  int ctaGroup = 1;
  /// A is sparse (.sp).
  bool sparse = false;
  /// Weight-stationary (.ws).
  bool weightStationary = false;
  /// It reads 64 bytes of a row of A, not 32.
  bool wide = false;
  /// B is indices into a table.
  bool lookup = false;

  /// K of the instruction.
  int64_t getK() const;
  /// In diagnostics: "sparse kind f16 with cta_group 2".
  std::string getName() const;
};

/// Values of M or N: a range, and some more.
struct MmaExtents {
  /// With step 0 there is none.
  ExtentRange range;
  llvm::ArrayRef<int64_t> others;

  bool contains(int64_t extent) const;
  int64_t nearest(int64_t extent) const;
  /// In words: "a multiple of 8 from 8 to 256", "64, 128 or 256".
  std::string getName() const;
};

struct MmaShapeFacts {
  llvm::ArrayRef<MmaKindFacts> kinds;
  int ctaGroup;
  bool dense, sparse, weightStationary;
  llvm::ArrayRef<int64_t> m;
  MmaExtents n;
  /// N of an instruction with M = 64 where it is another one.
  MmaExtents nOf64 = {};

  const MmaExtents &getN(int64_t rows) const {
    return rows == 64 && nOf64.range.step != 0 ? nOf64 : n;
  }
};

llvm::ArrayRef<MmaShapeFacts> getMmaShapes();
/// The shapes of `form`, or null where it does not exist.
const MmaShapeFacts *findMmaShapes(const MmaForm &form);
/// N of an instruction that reads B of 8 bits transposed (PTX ISA, "Major-ness
/// supported by Strides").
ExtentRange getMmaTransposedByteN(int ctaGroup);

/// Columns that the sparsity selector counts from a multiple of.
constexpr int64_t kMetadataColumns = 4;
/// K of a sparse instruction of `kind`: of A it reads half of the elements.
int64_t getMmaSparseK(MmaKindFacts kind);
/// Elements of a row that share a byte in every memory, with which K ends.
int64_t getMmaPackedElements(MmaKindFacts kind);
/// Elements of a row of A for which there are four bits of metadata.
int64_t getMmaSparseChunk(MmaKindFacts kind);
/// Columns of metadata that one instruction reads (PTX ISA, "Sparse matrices").
int64_t getMetadataWidth(MmaKindFacts kind);
/// Metadata in global and shared memory is in blocks of 128 lanes and 4 cells
/// of 32 bits, as tcgen05.cp.128x128b copies them to Tensor Memory: for 128
/// rows of A and this K.
constexpr int64_t kMetadataTileShape[] = {128, kMetadataColumns};
constexpr int64_t kMetadataTileBytes = 128 * kMetadataColumns * 4;
int64_t getMetadataTileK(MmaKindFacts kind);

} // namespace tc

#endif // TC_SUPPORT_MMASHAPES_H
