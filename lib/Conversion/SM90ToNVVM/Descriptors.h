//===- Descriptors.h - matrix descriptors of wgmma --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bits of the matrix descriptor of wgmma, as a pure function of the layout
// (PTX ISA 9.0, 9.7.15.5.1.2.2 "Matrix Descriptor Format").
//
//===----------------------------------------------------------------------===//

#ifndef TC_LIB_CONVERSION_SM90TONVVM_DESCRIPTORS_H
#define TC_LIB_CONVERSION_SM90TONVVM_DESCRIPTORS_H

#include "tc/Dialect/SM90/IR/SM90.h"
#include "tc/Support/MatrixDescriptor.h"

#include <cstdint>

namespace tc {

/// The 64 bits of the descriptor of a tile with `layout`, with start address 0:
/// the strides of Support/MatrixDescriptor.h and the swizzle. The base offset
/// (bits 49 to 51) stays 0: patterns start on their boundary.
uint64_t getWgmmaDescriptorBits(SmemTileLayoutInterface layout);

} // namespace tc

#endif // TC_LIB_CONVERSION_SM90TONVVM_DESCRIPTORS_H
