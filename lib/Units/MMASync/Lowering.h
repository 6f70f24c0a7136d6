//===- Lowering.h - the parts of the unit -----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the library.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_UNITS_MMASYNC_LOWERING_H
#define TC_LIB_UNITS_MMASYNC_LOWERING_H

#include "mlir/Transforms/DialectConversion.h"

namespace tc {

/// Adds the patterns of the ops on tiles that the unit executes.
void populateMMASyncPatterns(mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace tc

#endif // TC_LIB_UNITS_MMASYNC_LOWERING_H
