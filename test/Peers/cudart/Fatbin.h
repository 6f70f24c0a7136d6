//===- Fatbin.h - PTX out of nvcc's fat binaries ----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_PEERS_CUDART_FATBIN_H
#define TC_PEERS_CUDART_FATBIN_H

#include <string>

namespace tc::peers {

/// The PTX text in what __cudaRegisterFatBinary gets; empty, with `error` set,
/// where there is none or it is compressed (nvcc --no-compress).
std::string extractPTX(const void *wrapper, std::string &error);

} // namespace tc::peers

#endif // TC_PEERS_CUDART_FATBIN_H
