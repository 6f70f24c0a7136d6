//===- RowsToAttention.h - softmax between products -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass convert-rows-to-attention.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_ROWSTOATTENTION_ROWSTOATTENTION_H
#define TC_CONVERSION_ROWSTOATTENTION_ROWSTOATTENTION_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL_CONVERTROWSTOATTENTIONPASS
#include "tc/Conversion/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_ROWSTOATTENTION_ROWSTOATTENTION_H
