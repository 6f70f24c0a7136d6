//===- Passes.td - passes on the sm90 dialect --------------*- tablegen -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that stay within the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TC_DIALECT_SM90_TRANSFORMS_PASSES_TD
#define TC_DIALECT_SM90_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def VerifyLoweredPass : Pass<"sm90-verify-lowered"> {
  let summary = "Fail if anything of the dialect is left in a GPU module";
  let description = [{
    Closes the level: after `convert-sm90-to-nvvm` and
    `convert-sm90-kernel-params` no operation, type or attribute of the dialect
    may be left in a GPU module. The host side keeps its tensor maps.
  }];
}

#endif // TC_DIALECT_SM90_TRANSFORMS_PASSES_TD
