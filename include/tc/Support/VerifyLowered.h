//===- VerifyLowered.h - check that a level is closed -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// After its last pass nothing of a level may be left.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_VERIFYLOWERED_H
#define TC_SUPPORT_VERIFYLOWERED_H

#include "mlir/IR/Operation.h"

namespace tc {

/// Fails with a diagnostic for each operation below `root` that belongs to
/// `dialect`, or that has a type or an attribute of it. `pass` is the pass that
/// should have converted it.
mlir::LogicalResult verifyLowered(mlir::Operation *root,
                                  llvm::StringRef dialect,
                                  llvm::StringRef pass);

} // namespace tc

#endif // TC_SUPPORT_VERIFYLOWERED_H
