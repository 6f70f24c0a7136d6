//===- Destinations.h - ops that write their outputs ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the dialect: what ops share that read their inputs and write their
// outputs whole, tensors or memrefs, and never read them.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_DIALECT_TMM_IR_DESTINATIONS_H
#define TC_LIB_DIALECT_TMM_IR_DESTINATIONS_H

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tc::tmm {

/// Adds the effects of `op` on its memrefs.
void addDestinationEffects(
    mlir::DestinationStyleOpInterface op,
    llvm::SmallVectorImpl<
        mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>>
        &effects);

/// The results that `operand` of `op` becomes.
mlir::bufferization::AliasingValueList
getDestinationAliases(mlir::DestinationStyleOpInterface op,
                      mlir::OpOperand &operand);

/// Replaces `op`, which has results, by what `create` makes of buffers, one for
/// each operand, of adjacent elements along the last dimension; outputs that
/// have none are copied after it. Discardable attributes stay.
mlir::LogicalResult bufferizeDestinations(
    mlir::RewriterBase &rewriter, mlir::DestinationStyleOpInterface op,
    const mlir::bufferization::BufferizationOptions &options,
    mlir::bufferization::BufferizationState &state,
    llvm::function_ref<mlir::Operation *(mlir::ValueRange)> create);

} // namespace tc::tmm

#endif // TC_LIB_DIALECT_TMM_IR_DESTINATIONS_H
