//===- ConfigTranslation.h - a matmul as plain data -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the dialect to the plain data of tc::schedule.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_CONFIGURE_CONFIGTRANSLATION_H
#define TC_DIALECT_TMM_CONFIGURE_CONFIGTRANSLATION_H

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulConfig.h"

namespace tc::tmm {

/// The machine of `chip`; an error where it has no matrix unit. `option` says
/// how many multiprocessors there are where the chip does not.
mlir::FailureOr<schedule::Machine>
getMachine(mlir::MLIRContext *context, llvm::StringRef chip,
           const schedule::MatmulConfig &option,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// The same for the products in `root`, whose own configurations may say how
/// many multiprocessors there are, too. Kernels that are tiled need no machine:
/// without products there is no error.
mlir::FailureOr<schedule::Machine>
getMachine(mlir::Operation *root, llvm::StringRef chip,
           const schedule::MatmulConfig &option,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// What `op` multiplies, with the sizes that are static, on `machine`.
schedule::MatmulProblem getProblem(MatmulOp op,
                                   const schedule::Machine &machine);

/// What measured times of `op` are filed under: sizes, types and orders to
/// read, as "4096x7168x2048-bf16-bf16-bf16-nt-1b2c3d4e", and a hash of all that
/// it says but its configuration. A name of a file.
std::string getProblemKey(MatmulOp op);

/// The fields that the configuration of `op` sets.
schedule::MatmulConfig getConfig(MatmulOp op);

} // namespace tc::tmm

#endif // TC_DIALECT_TMM_CONFIGURE_CONFIGTRANSLATION_H
