//===- SM90HostToLLVM.h - the host's side of kernels ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass convert-sm90-host-to-llvm.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CONVERSION_SM90HOSTTOLLVM_SM90HOSTTOLLVM_H
#define TC_CONVERSION_SM90HOSTTOLLVM_SM90HOSTTOLLVM_H

#include "mlir/Pass/Pass.h"

namespace tc {

#define GEN_PASS_DECL_CONVERTSM90HOSTTOLLVMPASS
#include "tc/Conversion/Passes.h.inc"

} // namespace tc

#endif // TC_CONVERSION_SM90HOSTTOLLVM_SM90HOSTTOLLVM_H
