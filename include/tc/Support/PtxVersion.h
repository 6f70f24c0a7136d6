//===- PtxVersion.h - PTX versions of instructions --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From which PTX version on ptxas takes instructions, as data.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_PTXVERSION_H
#define TC_SUPPORT_PTXVERSION_H

#include "tc/Support/Target.h"

namespace tc {

/// The PTX version from which max of three f32 exists, on chips of sm_100 and
/// later (PTX ISA, "max", PTX ISA Notes).
constexpr unsigned kMaxOfThreePtxVersion = 88;

/// The PTX version from which ptxas takes tcgen05.mma of `kind` as LLVM writes
/// it, as `86` for 8.6: block-scaled ones have no suffix for the size of a
/// block, which means .block16 or .block32 (PTX ISA, "tcgen05.mma", "PTX
/// ISA Notes").
unsigned getMmaPtxVersion(MmaKindFacts kind);

} // namespace tc

#endif // TC_SUPPORT_PTXVERSION_H
