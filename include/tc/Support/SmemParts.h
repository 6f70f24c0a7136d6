//===- SmemParts.h - parts of shared memory ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SmemParts.td.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_SMEMPARTS_H
#define TC_SUPPORT_SMEMPARTS_H

#include "mlir/IR/OpDefinition.h"

#include "tc/Support/SmemPartsOpInterfaces.h.inc"

#endif // TC_SUPPORT_SMEMPARTS_H
