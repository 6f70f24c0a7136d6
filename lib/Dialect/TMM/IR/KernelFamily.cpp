//===- KernelFamily.cpp - ops that become kernels ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Dialect/TMM/IR/KernelFamily.h"

using namespace mlir;
using namespace tc::tmm;

#include "tc/Dialect/TMM/IR/KernelFamily.cpp.inc"

TileKernel::~TileKernel() = default;
