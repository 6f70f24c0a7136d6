//===- Fatbin.h - PTX out of what programs load -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_CORE_FATBIN_H
#define TC_CUDARUNTIME_CORE_FATBIN_H

#include "Core/Devices.h"

#include <string>

namespace tc::cuda {

/// The PTX text that the device takes from an image: PTX, a fat binary
/// or the wrapper that nvcc registers. `bytes` bounds the image; 0: it says
/// itself where it ends. The error names the option to rebuild with where the
/// image holds machine code alone.
emu::Expected<std::string> extractPTX(const void *image, const Device &device,
                                      size_t bytes = 0);

} // namespace tc::cuda

#endif // TC_CUDARUNTIME_CORE_FATBIN_H
