//===- TCGen05Forms.h - which target has which form -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The forms of tcgen05 instructions that not all targets have, or not from the
// same PTX version on (PTX ISA, "PTX ISA Notes" and "Target ISA Notes" of the
// instructions, as ptxas 13.0 and, from PTX 9.1 on, 13.5 enforce them), and how
// each of those that no GPU of this project has is known.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_TCGEN05FORMS_H
#define TC_SUPPORT_TCGEN05FORMS_H

#include "tc/Support/ISA.h"
#include "tc/Support/MmaShapes.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace tc {

enum class TCGen05Form {
  /// alloc, dealloc, relinquish_alloc_permit, ld, st, wait, cp, commit, fence.
  Memory,
  Shift,
  LdReduce,
  /// Two of each four elements, with their indices.
  LdCompress,
  /// Kinds f16, tf32, f8f6f4.
  Mma,
  MmaI8,
  /// Kinds mxf8f6f4 and mxf4 without the size of a block.
  MmaScaled,
  MmaScaledSparse4,
  MmaNVF4Block,
  MmaScaleVec1,
  MmaScaleVec2,
  MmaScaleVec4,
  MmaBlockSize,
  MmaScaleInputD,
  AllocExclusive,
  /// K of 64 (8 bits) and 128 (4 bits).
  MmaWideK,
  /// The collector buffer of B of an instruction that is not
  /// weight-stationary.
  MmaCollectorB,
  /// tcgen05.commit that waits for the reads of A alone.
  CommitReadsOfA,
  /// tcgen05.commit with a mask of 32 CTAs.
  CommitMulticast32,
  /// Kind ti16.
  MmaTI16,
  /// Factors of ue5m3, and of ue4m3 for 32 elements.
  MmaSm107Scales,
  /// Factors of A with a lane for each row.
  MmaLaneScales,
  /// B as indices into a table.
  MmaLookupB,
};

struct TCGen05FormFacts {
  TCGen05Form form;
  /// In diagnostics.
  llvm::StringRef name;
  ISASection section;
  /// The first PTX version with the form, on targets that are not younger.
  unsigned ptxVersion;
  /// The targets that have it, as in getTargets.
  llvm::ArrayRef<llvm::StringRef> targets;
  /// An instruction of the form, which ptxas assembles where it exists; empty
  /// where no text tells it.
  llvm::StringRef example;
  /// What says that it is so, besides ptxas, which takes the example: sections
  /// of the ISA's text, kernels of other projects, inference.
  llvm::StringRef evidence = "the text of PTX ISA 9.0";

  bool exists(const TargetFacts &target) const;
  /// The PTX version from which on `target`, which has the form, takes it.
  unsigned getPtxVersion(const TargetFacts &target) const;
};

llvm::ArrayRef<TCGen05FormFacts> getTCGen05Forms();
const TCGen05FormFacts &getFacts(TCGen05Form form);

/// The forms that an instruction of `form` has, of the kinds with scale factors
/// one for `scaleBlock` elements; `scaleVec`: with the modifier .scale_vec.
llvm::SmallVector<TCGen05Form>
getMmaForms(const MmaForm &form, int64_t scaleBlock = 0, bool scaleVec = false);

} // namespace tc

#endif // TC_SUPPORT_TCGEN05FORMS_H
