//===- Synchronization.cpp - who waits for what -----------------*- C++ -*-===//
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

#include "tc/Support/Synchronization.h"

#include "tc/Support/SynchronizationOpInterfaces.cpp.inc"
