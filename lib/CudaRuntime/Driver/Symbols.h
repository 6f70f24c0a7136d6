//===- Symbols.h - Calls by name --------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_DRIVER_SYMBOLS_H
#define TC_CUDARUNTIME_DRIVER_SYMBOLS_H

namespace tc::cuda::driver {

/// The newest call of that name that CUDA `version` knows, or null. False if
/// there is none in any version.
bool findSymbol(const char *name, int version, void *&address);

} // namespace tc::cuda::driver

#endif // TC_CUDARUNTIME_DRIVER_SYMBOLS_H
