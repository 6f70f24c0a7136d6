//===- TMMTiles.h - lower the ops on tiles ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass that lowers what is left of tmm in kernels, with the patterns of the
// matrix units that there are.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TMMTILES_TMMTILES_H
#define TC_CONVERSION_TMMTILES_TMMTILES_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL_CONVERTTMMTILESPASS
#include "tc/Conversion/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_TMMTILES_TMMTILES_H
