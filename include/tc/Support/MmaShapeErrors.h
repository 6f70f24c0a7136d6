//===- MmaShapeErrors.h - what is wrong with a shape ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What verifiers and tools say of shapes that tcgen05.mma does not have.
//
//===----------------------------------------------------------------------===//

#ifndef TC_SUPPORT_MMASHAPEERRORS_H
#define TC_SUPPORT_MMASHAPEERRORS_H

#include "tc/Support/MmaShapes.h"

namespace tc {

/// What is wrong with M or N of an instruction of `form`, which exists; empty
/// where nothing is.
std::string findMmaRowsError(const MmaForm &form, int64_t m);
std::string findMmaColumnsError(const MmaForm &form, int64_t m, int64_t n);

} // namespace tc

#endif // TC_SUPPORT_MMASHAPEERRORS_H
