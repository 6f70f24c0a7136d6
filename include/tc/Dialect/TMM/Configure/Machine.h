//===- Machine.h - what configurations are chosen for -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a chip and the matrix units of a context to the plain data of
// tc::schedule.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_TMM_CONFIGURE_MACHINE_H
#define TC_DIALECT_TMM_CONFIGURE_MACHINE_H

#include "tc/Schedule/MatmulConfig.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

namespace tc::tmm {

/// The machine of `chip`; an error where it has no matrix unit. `option` says
/// how many multiprocessors there are where the chip does not.
mlir::FailureOr<schedule::Machine>
getMachine(mlir::MLIRContext *context, llvm::StringRef chip,
           const schedule::MatmulConfig &option,
           llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

} // namespace tc::tmm

#endif // TC_DIALECT_TMM_CONFIGURE_MACHINE_H
