//===- LinalgToRows.h - rows of linalg to tmm.rows --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass convert-linalg-to-rows.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_LINALGTOROWS_LINALGTOROWS_H
#define TC_CONVERSION_LINALGTOROWS_LINALGTOROWS_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL_CONVERTLINALGTOROWSPASS
#include "tc/Conversion/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_LINALGTOROWS_LINALGTOROWS_H
