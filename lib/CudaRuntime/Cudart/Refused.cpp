//===- Refused.cpp - Calls of the runtime that are refused ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does not include the runtime's header, so that every call can be defined as
// one without parameters: it does nothing but fail.
//
//===----------------------------------------------------------------------===//

extern "C" int tcRefuseCall(const char *name);

extern "C" {
#define TC_REFUSED(NAME)                                                       \
  int NAME() { return tcRefuseCall(#NAME); }
#include "Cudart/Refused.def"
#undef TC_REFUSED
}
