//===- Units.cpp - every matrix unit ----------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each folder defines register<Name>Unit. CMakeLists.txt lists the names.
//
//===----------------------------------------------------------------------===//

#include "tc/Units/Units.h"

#include "mlir/IR/DialectRegistry.h"

namespace tc {

#define TC_UNIT(name) void register##name##Unit(mlir::DialectRegistry &);
#include "Units.inc"
#undef TC_UNIT

void registerUnits(mlir::DialectRegistry &registry) {
#define TC_UNIT(name) register##name##Unit(registry);
#include "Units.inc"
#undef TC_UNIT
}

} // namespace tc
