//===- Interfaces.h - interfaces between the dialects -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What one dialect may use of another's types and attributes.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_INTERFACES_H
#define TC_SUPPORT_INTERFACES_H

#include "tc/Support/Swizzle.h"

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Types.h"

#include "tc/Support/AttrInterfaces.h.inc"
#include "tc/Support/TypeInterfaces.h.inc"

#endif // TC_SUPPORT_INTERFACES_H
