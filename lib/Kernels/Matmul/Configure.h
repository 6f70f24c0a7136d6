//===- Configure.h - configurations of products -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: what it answers the passes and the tool that choose,
// explain, obey and measure configurations.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_MATMUL_CONFIGURE_H
#define TC_LIB_KERNELS_MATMUL_CONFIGURE_H

#include "TunedConfigs.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"
#include "tc/Schedule/MatmulModel.h"

namespace tc::tmm {

/// What holds for all products of a request.
struct MatmulRequest {
  schedule::Machine machine;
  TunedConfigs table;
};

/// Looks up what `request` names. Emits an error where the chip has no matrix
/// unit or the table cannot be read.
mlir::FailureOr<MatmulRequest> lookUp(const ConfigRequest &request);

/// Chooses the configurations of `ops`, all of them MatmulOp.
mlir::FailureOr<unsigned>
chooseMatmulConfigs(llvm::ArrayRef<mlir::Operation *> ops,
                    const ConfigRequest &request);

/// Explains what chooseMatmulConfigs chooses.
mlir::FailureOr<ConfigExplanations>
explainMatmulConfigs(llvm::ArrayRef<mlir::Operation *> ops,
                     const ConfigRequest &request);

/// Has `ops`, all of them MatmulOp, read copies of operands that TMA cannot
/// load, where that pays.
mlir::LogicalResult packMatmuls(llvm::ArrayRef<mlir::Operation *> ops,
                                const ConfigRequest &request, bool remarks);

/// Why `op` cannot have TMA load `operand`, the windows of images; empty: it
/// can.
mlir::FailureOr<std::string>
findMatmulWindowsObstacle(MatmulOp op, mlir::OpOperand &operand,
                          const ConfigRequest &request);

/// `op` with the candidates of its configuration.
mlir::FailureOr<std::unique_ptr<TuningProblem>>
getMatmulTuning(MatmulOp op, const TuningRequest &request);

/// The cycles of a K-block and those of a launch, with the bytes it loads and
/// its bound, by the names that explanations and measured candidates give them.
llvm::json::Object describeBlock(const schedule::Estimate &estimate);
llvm::json::Object describeTime(const schedule::Estimate &estimate);

/// Replaces `op` by parts of its K and their sum, where its configuration has
/// several. Returns whether it did.
mlir::FailureOr<bool> splitMatmul(MatmulOp op, llvm::StringRef chip);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_MATMUL_CONFIGURE_H
