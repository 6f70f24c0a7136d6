//===- AccumulatorLayouts.h - layouts that units write ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the units whose accumulators are in registers.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_UNITS_ACCUMULATORLAYOUTS_H
#define TC_LIB_UNITS_ACCUMULATORLAYOUTS_H

#include "tc/Dialect/TMM/IR/TMMOps.h"

namespace tc {

/// Checks that what `Engine` multiplies in `kernel` has accumulators in layout
/// `Layout`, where it names one. Emits an error where not.
template <typename Engine, typename Layout>
mlir::LogicalResult verifyAccumulatorLayouts(mlir::gpu::GPUFuncOp kernel) {
  auto verify = [](tmm::MmaOp op) {
    mlir::Attribute layout = op.getLayoutAttr();
    if (!mlir::isa<Engine>(op.getBy()) || !layout || mlir::isa<Layout>(layout))
      return mlir::WalkResult::advance();
    op.emitOpError() << "expected acc in layout #" << Layout::name << " by "
                     << op.getBy() << ", got " << layout;
    return mlir::WalkResult::interrupt();
  };
  return mlir::failure(kernel.walk(verify).wasInterrupted());
}

} // namespace tc

#endif // TC_LIB_UNITS_ACCUMULATORLAYOUTS_H
