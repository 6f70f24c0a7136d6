//===- Interfaces.cpp - interfaces between the dialects ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Definitions of the interfaces generated from Interfaces.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Interfaces.h"

#include "tc/Support/AttrInterfaces.cpp.inc"
#include "tc/Support/TypeInterfaces.cpp.inc"
