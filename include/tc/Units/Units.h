//===- Units.h - every matrix unit ------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registration of the matrix units of lib/Units/CMakeLists.txt.
//
//===----------------------------------------------------------------------===//

#ifndef TC_UNITS_UNITS_H
#define TC_UNITS_UNITS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace tc {

/// Has the tmm dialect, when it is loaded, know every unit of the project.
void registerUnits(mlir::DialectRegistry &registry);

} // namespace tc

#endif // TC_UNITS_UNITS_H
