//===- SmemParts.cpp - parts of shared memory -------------------*- C++ -*-===//
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

#include "tc/Support/SmemParts.h"

#include "tc/Support/SmemPartsOpInterfaces.cpp.inc"
