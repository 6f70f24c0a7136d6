//===- Synchronization.h - who waits for what -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See Synchronization.td.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_SYNCHRONIZATION_H
#define TC_SUPPORT_SYNCHRONIZATION_H

#include "mlir/IR/OpDefinition.h"

#include "tc/Support/SynchronizationOpInterfaces.h.inc"

#endif // TC_SUPPORT_SYNCHRONIZATION_H
