//===- Pipelining.cpp - what back ends tell the middle ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Definitions of the interfaces generated from Pipelining.td.
//
//===----------------------------------------------------------------------===//

#include "tc/Support/Pipelining.h"

#include "tc/Support/PipeliningAttrInterfaces.cpp.inc"
