//===- ForeignDialects.h - dialects of other projects -----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lowers the dialects of front ends to those that the project reads.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TRANSFORMS_FOREIGNDIALECTS_H
#define TC_TRANSFORMS_FOREIGNDIALECTS_H

#include "llvm/ADT/StringRef.h"

namespace tc {

/// The command that lowers the dialect called `dialect`, or none.
llvm::StringRef getLoweringOf(llvm::StringRef dialect);

} // namespace tc

#endif // TC_TRANSFORMS_FOREIGNDIALECTS_H
