//===- Requirements.h - what the target must have ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some operations exist on some targets only. The back end would end the
// process on them ("cannot select"); conversions refuse them by name.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_REQUIREMENTS_H
#define TC_SUPPORT_REQUIREMENTS_H

#include "tc/Support/ISA.h"
#include "tc/Support/Target.h"

#include "mlir/IR/Operation.h"

namespace tc {

/// An instruction family and the fact of a target that it needs: null where
/// each known target has it.
struct Requirement {
  bool TargetFacts::*has;
  llvm::StringRef family;
  ISASection section;
  /// The PTX version from which on it exists, where LLVM does not know that.
  unsigned ptxVersion = 0;
};

/// The PTX version that `features` of a target name, as `94` for 9.4; `least`
/// where they name none.
unsigned getPtxVersion(llvm::StringRef features, unsigned least);

/// Checks that the targets of the modules below and around `root` have what
/// `getRequirement` says of each operation; fails with a diagnostic.
mlir::LogicalResult verifyRequirements(
    mlir::Operation *root,
    llvm::function_ref<std::optional<Requirement>(mlir::Operation *)>
        getRequirement);

} // namespace tc

#endif // TC_SUPPORT_REQUIREMENTS_H
