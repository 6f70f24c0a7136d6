//===- marlin_cuda_kernel.cuh - What the sources leave out ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The source distribution has no headers. Nothing of this one is needed.
//
//===----------------------------------------------------------------------===//
