//===- TunedConfigs.h - configurations that were measured -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: looks matmuls up in a table of measured
// configurations.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_MATMUL_TUNEDCONFIGS_H
#define TC_LIB_KERNELS_MATMUL_TUNEDCONFIGS_H

#include "tc/Dialect/TMM/IR/TMMOps.h"
#include "tc/Schedule/MatmulConfig.h"
#include "tc/Schedule/TunedTable.h"

namespace tc::tmm {

/// What a table says of a matmul.
struct TunedConfig {
  /// As the line has it, which agrees with what was given.
  std::optional<schedule::MatmulConfig> config;
  /// What was measured, or why it is not used; empty: the table has nothing.
  std::string words;
};

/// A table of measured configurations, for the kernels of a chip.
class TunedConfigs {
public:
  /// The table in the file `path`; an empty one without a path.
  static mlir::FailureOr<TunedConfigs>
  read(mlir::MLIRContext *context, llvm::StringRef path, llvm::StringRef chip,
       llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

  /// What it says of `op`, of whose configuration `given` is given.
  TunedConfig find(MatmulOp op, const schedule::MatmulConfig &given,
                   const schedule::MatmulProblem &problem,
                   const schedule::Machine &machine) const;

private:
  std::string chip;
  std::vector<schedule::TunedEntry> entries;
};

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_MATMUL_TUNEDCONFIGS_H
