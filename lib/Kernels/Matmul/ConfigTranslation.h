//===- ConfigTranslation.h - a matmul as plain data -------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: from the dialect to the plain data of tc::schedule.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_MATMUL_CONFIGTRANSLATION_H
#define TC_LIB_KERNELS_MATMUL_CONFIGTRANSLATION_H

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulConfig.h"

namespace tc::tmm {

/// The machine of `chip` for the products in `root`; an error where it has no
/// matrix unit. `option`, or else the configurations of the products, say how
/// many multiprocessors there are where the chip does not.
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

#endif // TC_LIB_KERNELS_MATMUL_CONFIGTRANSLATION_H
