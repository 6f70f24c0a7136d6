//===- BundleFormat.h - the bytes of a bundle -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bundle (.tcb, tc-compile --bundle) holds the code and the descriptions of
// many kernels for several chips. Version 1, all numbers little endian:
//
//   Header
//   Entry[entries]   by name, then by chip, as bytes compare
//   Blob[blobs]      where code and descriptions are; equal ones are one
//   strings          each ends with a zero
//   contents         of the blobs, each from a multiple of 16 on and with a
//                    zero after it, which is not counted
//
// Readers refuse any other version. A header alone: the compiler writes what
// the runtime reads, and neither links the other.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_BUNDLEFORMAT_H
#define TC_RUNTIME_BUNDLEFORMAT_H

#include <cstdint>

namespace tc::runtime::bundle {

constexpr char kMagic[8] = {'T', 'C', 'B', 'U', 'N', 'D', 'L', 'E'};
constexpr uint32_t kVersion = 1;
constexpr uint64_t kAlignment = 16;

struct Header {
  char magic[8];
  uint32_t version;
  uint32_t entries;
  uint32_t blobs;
  uint32_t stringBytes;
  uint64_t fileBytes;
};

/// Numbers of texts are their places in `strings`.
struct Entry {
  uint32_t name;
  uint32_t chip;        ///< as "sm_90a"
  uint32_t function;    ///< which one of the description; "": the only one
  uint32_t sizes;       ///< what the kernel was configured for, as "M=64"
  uint32_t code;        ///< the number of a blob: PTX or a cubin
  uint32_t description; ///< the number of a blob (docs/KernelDescription.md)
};

struct Blob {
  uint64_t offset; ///< from the start of the file
  uint64_t bytes;
};

static_assert(sizeof(Header) == 32 && sizeof(Entry) == 24 &&
              sizeof(Blob) == 16);
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

} // namespace tc::runtime::bundle

#endif // TC_RUNTIME_BUNDLEFORMAT_H
