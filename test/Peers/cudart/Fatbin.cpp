//===- Fatbin.cpp - PTX out of nvcc's fat binaries --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fat binary is a header and a row of entries, each with a header of its own
// that says where its payload starts. Only text that nvcc left uncompressed is
// taken.
//
//===----------------------------------------------------------------------===//

#include "Fatbin.h"

#include <cstdint>
#include <cstring>

using namespace tc::peers;

namespace {

struct Wrapper {
  uint32_t magic, version;
  const uint8_t *data;
};
struct Header {
  uint32_t magic;
  uint16_t version, headerBytes;
  uint64_t bytes;
};
struct EntryHeader {
  uint16_t kind, version;
  uint32_t headerBytes;
  uint64_t payloadBytes;
};
constexpr uint32_t wrapperMagic = 0x466243b1, headerMagic = 0xba55ed50;
constexpr uint16_t kindPTX = 1;

} // namespace

std::string tc::peers::extractPTX(const void *wrapper, std::string &error) {
  Wrapper outer;
  std::memcpy(&outer, wrapper, sizeof(outer));
  Header header;
  if (outer.magic == wrapperMagic)
    std::memcpy(&header, outer.data, sizeof(header));
  if (outer.magic != wrapperMagic || header.magic != headerMagic) {
    error = "not a fat binary";
    return {};
  }
  const uint8_t *at = outer.data + header.headerBytes;
  const uint8_t *end = at + header.bytes;
  error = "the fat binary holds no PTX (expected nvcc -gencode "
          "arch=compute_100a,code=compute_100a)";
  while (at + sizeof(EntryHeader) <= end) {
    EntryHeader entry;
    std::memcpy(&entry, at, sizeof(entry));
    const char *text = reinterpret_cast<const char *>(at + entry.headerBytes);
    if (entry.kind == kindPTX) {
      std::string ptx(text, strnlen(text, entry.payloadBytes));
      if (ptx.find(".version") != ptx.npos) {
        error.clear();
        return ptx;
      }
      error = "the PTX is compressed (expected nvcc --no-compress)";
    }
    at += entry.headerBytes + entry.payloadBytes;
  }
  return {};
}
