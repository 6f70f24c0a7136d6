//===- TensorMapNames.h - Tensor map arguments by name ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the devices share: names of launch files as values of an encoder.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_DEVICE_TENSORMAPNAMES_H
#define TC_RUNTIME_DEVICE_TENSORMAPNAMES_H

#include "tc/Emulator/TensorMap.h"
#include "tc/Runtime/Device.h"

namespace tc::runtime {

/// The arguments with all names looked up. Fails on an unknown name, which the
/// error gives with the choices, and where the lists do not have one entry per
/// dimension. The encoder checks legality.
Expected<emu::TensorMapDesc> describeTensorMap(const TensorMapArguments &map);

} // namespace tc::runtime

#endif // TC_RUNTIME_DEVICE_TENSORMAPNAMES_H
