//===- ExplainAttention.h - why a kernel is as it is ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the family: what `--explain` says.
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_KERNELS_ATTENTION_EXPLAINATTENTION_H
#define TC_LIB_KERNELS_ATTENTION_EXPLAINATTENTION_H

#include "AttentionShape.h"

#include "tc/Dialect/TMM/IR/KernelFamily.h"

namespace tc::tmm {

/// What there is to say of a kernel with `shape`.
std::unique_ptr<ConfigExplanation>
explainAttention(const AttentionShape &shape);

} // namespace tc::tmm

#endif // TC_LIB_KERNELS_ATTENTION_EXPLAINATTENTION_H
