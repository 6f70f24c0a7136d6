//===- ISA.h - sections of the PTX ISA --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the PTX ISA says what a diagnostic enforces. Numbers change between
// releases, titles hardly: a diagnostic prints both.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_ISA_H
#define TC_SUPPORT_ISA_H

#include "llvm/ADT/StringRef.h"

namespace tc {

/// A section of the PTX ISA that some diagnostic cites.
enum class ISASection {
  Identifiers,
  TensorMapLimits,
  SwizzlingModes,
  TmaCopy,
  TmaPrefetchDescriptor,
  MBarrierObject,
  MBarrierInit,
  StAsync,
  ClusterLaunchTryCancel,
  ClusterLaunchQueryCancel,
  MmaSyncBlockScaling,
  MmaSyncFragments,
  MmaSync,
  LdMatrix,
  StMatrix,
  CpAsync,
  WgmmaShape,
  WgmmaTypes,
  WgmmaFragments,
  WgmmaDescriptor,
  Wgmma,
  WgmmaFence,
  WgmmaWaitGroup,
  TmemAddressing,
  TmemAllocation,
  MmaShape,
  TmemShapes,
  Canonical,
  SmemDescriptor,
  InstructionDescriptor,
  ZeroColumnMask,
  CtaGroup,
  TmemOrder,
  TmemAllocInstructions,
  TmemLoadAccess,
  TmemLoad,
  TmemStore,
  TmemWait,
  TmemCopy,
  TmemShift,
  MmaKinds,
  MmaTranspose,
  DataPath,
  BlockScaling,
  ScaleFactorA,
  ScaleFactorB,
  SparseMatrices,
  Mma,
  MmaWs,
  Commit,
  SetMaxNReg,
  TmemExclusive,
  WideMma,
  CollectorB,
  RestrictedCommit,
  MmaTI16,
  Sm107Scales,
  LookupB,
  TmaOverride,
  TmaReport,
  MBarrierLayout,
  MBarrierMulticast,
  Count
};

/// The citation for `section`, for the end of a diagnostic:
/// `(PTX ISA 9.0, 9.7.16.7 "Tensor Memory Allocation and Management
/// Instructions")`.
llvm::StringRef cite(ISASection section);

} // namespace tc

#endif // TC_SUPPORT_ISA_H
