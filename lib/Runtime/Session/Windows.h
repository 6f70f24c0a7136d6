//===- Windows.h - the windows of images as a matrix ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to the session: the matrix that a convolution multiplies, gathered
// from the images as the formula of a description says.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_SESSION_WINDOWS_H
#define TC_RUNTIME_SESSION_WINDOWS_H

#include "tc/Runtime/Description.h"
#include "tc/Runtime/Reference.h"

#include <vector>

namespace tc::runtime {

/// A dense matrix and its bytes.
struct GatheredMatrix {
  BufferLayout layout;
  std::vector<uint8_t> bytes;
};

/// The windows of `images`, whose dimensions are their number, those of an
/// image, and channels: a matrix of `m` x `k`, or an error.
Expected<GatheredMatrix> gatherWindows(const MatrixView &images,
                                       const WindowsSpec &windows, int64_t m,
                                       int64_t k);

} // namespace tc::runtime

#endif // TC_RUNTIME_SESSION_WINDOWS_H
