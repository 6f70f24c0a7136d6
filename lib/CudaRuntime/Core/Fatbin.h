//===- Fatbin.h - PTX out of what programs load -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_CORE_FATBIN_H
#define TC_CUDARUNTIME_CORE_FATBIN_H

#include "tc/Emulator/Error.h"

#include <string>

namespace tc::cuda {

/// The PTX text that a device of sm_100a takes from an image: PTX, a fat binary
/// or the wrapper that nvcc registers. `bytes` bounds the image; 0: it says
/// itself where it ends. The error names the option to rebuild with where the
/// image holds machine code alone.
emu::Expected<std::string> extractPTX(const void *image, size_t bytes = 0);

} // namespace tc::cuda

#endif // TC_CUDARUNTIME_CORE_FATBIN_H
