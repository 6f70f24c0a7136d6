//===- TestLib.cpp - what exists only in tests ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the back ends that CMakeLists.txt lists, for the tools that
// are built with them.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/DialectRegistry.h"

namespace tc {

#define TC_BACK_END(name) void register##name(mlir::DialectRegistry &);
#include "TestLib.inc"
#undef TC_BACK_END

void registerTestLib(mlir::DialectRegistry &registry) {
#define TC_BACK_END(name) register##name(registry);
#include "TestLib.inc"
#undef TC_BACK_END
}

} // namespace tc
