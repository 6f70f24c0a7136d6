//===- WideAccess.h - several elements for each thread ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the conversion: elementwise operations in accesses of 16 bytes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_LINALGTOGPU_WIDEACCESS_H
#define TC_LIB_CONVERSION_LINALGTOGPU_WIDEACCESS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace tc {

/// Neighbours along the last loop of `op` that a thread can take together,
/// because what `op` reads and writes of them is adjacent, aligned and there:
/// 16 bytes of the widest elements, or fewer; 1 where there are none.
int64_t getWidth(mlir::linalg::GenericOp op);

/// How often a thread does so, blocks of `threads` apart: more often where it
/// reads little, and there are points for all threads.
int64_t getRepeats(mlir::linalg::GenericOp op, int64_t width, int64_t threads);

/// Replaces `op` by its computation for `width` points from each of `places`
/// on, along its last loop. All loads come before the stores.
void lowerWide(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op,
               llvm::ArrayRef<llvm::SmallVector<mlir::Value>> places,
               int64_t width);

} // namespace tc

#endif // TC_LIB_CONVERSION_LINALGTOGPU_WIDEACCESS_H
