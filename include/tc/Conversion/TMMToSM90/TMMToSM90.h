//===- TMMToSM90.h - from pipelines and roles to mbarriers ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes that lower what every unit shares: pipelines, the interface of a
// kernel and roles.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_TMMTOSM90_TMMTOSM90_H
#define TC_CONVERSION_TMMTOSM90_TMMTOSM90_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL_CONVERTTMMKERNELINTERFACETOSM90PASS
#define GEN_PASS_DECL_CONVERTTMMPIPELINESTOSM90PASS
#define GEN_PASS_DECL_CONVERTTMMROLESTOSM90PASS
#include "tc/Conversion/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_TMMTOSM90_TMMTOSM90_H
