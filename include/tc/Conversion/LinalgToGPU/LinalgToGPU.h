//===- LinalgToGPU.h - what is no product becomes kernels -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass convert-linalg-to-gpu.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_LINALGTOGPU_LINALGTOGPU_H
#define TC_CONVERSION_LINALGTOGPU_LINALGTOGPU_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL_CONVERTLINALGTOGPUPASS
#include "tc/Conversion/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_LINALGTOGPU_LINALGTOGPU_H
