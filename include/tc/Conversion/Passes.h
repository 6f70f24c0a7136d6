//===- Passes.h - conversions between dialects ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of every conversion pass.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_PASSES_H
#define TC_CONVERSION_PASSES_H

#include "tc/Conversion/LinalgToGPU/LinalgToGPU.h"
#include "tc/Conversion/LinalgToRows/LinalgToRows.h"
#include "tc/Conversion/LinalgToTMM/LinalgToTMM.h"
#include "tc/Conversion/RowsToAttention/RowsToAttention.h"
#include "tc/Conversion/SM80ToNVVM/SM80ToNVVM.h"
#include "tc/Conversion/SM90HostToLLVM/SM90HostToLLVM.h"
#include "tc/Conversion/SM90ToNVVM/SM90ToNVVM.h"
#include "tc/Conversion/TCGen05ToNVVM/TCGen05ToNVVM.h"
#include "tc/Conversion/TMMTiles/TMMTiles.h"
#include "tc/Conversion/TMMToSM90/TMMToSM90.h"

namespace tc {

#define GEN_PASS_REGISTRATION
#include "tc/Conversion/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_PASSES_H
