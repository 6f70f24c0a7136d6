//===- bundle.h - tc._runtime: kernels of a bundle --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PYTHON_BUNDLE_H
#define TC_PYTHON_BUNDLE_H

#include <nanobind/nanobind.h>

/// Adds the class Bundle.
void addBundle(nanobind::module_ &module);

#endif // TC_PYTHON_BUNDLE_H
