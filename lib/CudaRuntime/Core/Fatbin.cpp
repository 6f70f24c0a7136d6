//===- Fatbin.cpp - PTX out of what programs load ---------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fat binary is a header and a row of entries, each with a header of its own
// that says what it holds, for which architecture and how it is compressed.
// The layout is that of the files that nvcc 13.0 writes (cuobjdump names the
// same fields); LZ4 is what older versions and --compress-mode=speed use.
//
//===----------------------------------------------------------------------===//

#include "Fatbin.h"

#include <lz4.h>
#include <zstd.h>

#include <cstdint>
#include <cstring>

using namespace tc;
using namespace tc::cuda;

namespace {

struct Wrapper {
  uint32_t magic, version;
  const uint8_t *data;
};
struct Header {
  uint32_t magic;
  uint16_t version, headerBytes;
  uint64_t bytes; ///< of all entries
};
struct EntryHeader {
  uint16_t kind, version;
  uint32_t headerBytes;
  uint64_t payloadBytes; ///< with padding
  uint32_t compressedBytes;
  uint32_t optionsOffset;
  uint16_t minor, major;
  uint32_t arch;
  uint32_t nameOffset, nameBytes;
  uint64_t flags;
  uint64_t reserved;
  uint64_t textBytes; ///< after decompression
};
static_assert(sizeof(EntryHeader) == 64, "as nvcc writes it");

constexpr uint32_t wrapperMagic = 0x466243b1, headerMagic = 0xba55ed50,
                   elfMagic = 0x464c457f;
constexpr uint16_t kindPTX = 1, kindCubin = 2;
constexpr uint64_t flagLZ4 = 1 << 13, flagZstd = 1 << 15;
/// Most that a module is taken to have; larger numbers are damage.
constexpr uint64_t maxTextBytes = 1ull << 31;

} // namespace

static std::string howToRebuild(const Device &device) {
  const std::string arch =
      std::string("compute_") + (device.target + std::strlen("sm_"));
  return "rebuild with nvcc -gencode arch=" + arch + ",code=" + arch;
}

/// The text of a PTX entry.
static emu::Expected<std::string> decompress(const EntryHeader &entry,
                                             const uint8_t *payload) {
  if (!(entry.flags & (flagLZ4 | flagZstd))) {
    const char *text = reinterpret_cast<const char *>(payload);
    return std::string(text, strnlen(text, entry.payloadBytes));
  }
  if (entry.textBytes > maxTextBytes ||
      entry.compressedBytes > entry.payloadBytes)
    return emu::Error{"the fat binary is damaged: a PTX entry of " +
                      std::to_string(entry.textBytes) + " bytes"};
  std::string text(entry.textBytes, '\0');
  bool fits;
  if (entry.flags & flagZstd) {
    size_t got = ZSTD_decompress(text.data(), text.size(), payload,
                                 entry.compressedBytes);
    fits = !ZSTD_isError(got) && got == text.size();
  } else {
    int got = LZ4_decompress_safe(reinterpret_cast<const char *>(payload),
                                  text.data(), int(entry.compressedBytes),
                                  int(text.size()));
    fits = got >= 0 && size_t(got) == text.size();
  }
  if (!fits)
    return emu::Error{"the fat binary is damaged: its compressed PTX does not "
                      "decompress to " +
                      std::to_string(entry.textBytes) + " bytes"};
  while (!text.empty() && text.back() == '\0')
    text.pop_back();
  return text;
}

/// "sm_100a" of ".target sm_100a, debug".
static std::string targetOf(const std::string &ptx) {
  size_t at = ptx.find(".target");
  if (at == ptx.npos)
    return "";
  at = ptx.find("sm_", at);
  if (at == ptx.npos)
    return "";
  size_t end =
      ptx.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_", at);
  return ptx.substr(at, end - at);
}

static emu::Expected<std::string> extractEntries(const uint8_t *data,
                                                 const Device &device) {
  Header header;
  std::memcpy(&header, data, sizeof(header));
  const uint8_t *at = data + header.headerBytes, *end = at + header.bytes;
  std::string best, found, other;
  unsigned bestRank = 0;
  while (at + sizeof(EntryHeader) <= end) {
    EntryHeader entry;
    std::memcpy(&entry, at, sizeof(entry));
    uint64_t left = uint64_t(end - at);
    if (entry.headerBytes < sizeof(entry) || entry.headerBytes > left ||
        entry.payloadBytes > left - entry.headerBytes)
      return emu::Error{"the fat binary is damaged: an entry of " +
                        std::to_string(entry.payloadBytes) +
                        " bytes reaches past its end"};
    if (entry.kind == kindPTX) {
      emu::Expected<std::string> text =
          decompress(entry, at + entry.headerBytes);
      if (!text)
        return text;
      std::string target = targetOf(*text);
      found += (found.empty() ? "" : ", ") + ("PTX for " + target);
      for (const Device &candidate : devices())
        if (other.empty() && candidate.rank(target))
          other = candidate.name;
      if (const unsigned rank = device.rank(target); rank > bestRank) {
        bestRank = rank;
        best = std::move(*text);
      }
    } else if (entry.kind == kindCubin) {
      found += (found.empty() ? "" : ", ") +
               ("machine code for sm_" + std::to_string(entry.arch));
    }
    at += entry.headerBytes + entry.payloadBytes;
  }
  if (!bestRank)
    return emu::Error{"expected PTX for " + std::string(device.target) +
                      " or older in the fat binary, got " +
                      (found.empty() ? "nothing" : found) + ": " +
                      howToRebuild(device) +
                      (other.empty() ? "" : ", or run with --device=" + other)};
  return best;
}

emu::Expected<std::string>
cuda::extractPTX(const void *image, const Device &device, size_t bytes) {
  uint32_t magic = 0;
  if (!image)
    return emu::Error{"expected an image, got null"};
  if (bytes && bytes < 4)
    return emu::Error{"expected PTX or a fat binary, got " +
                      std::to_string(bytes) + " bytes"};
  // Text may be shorter than four bytes with its end.
  const char *text = static_cast<const char *>(image);
  std::memcpy(&magic, image, bytes ? 4 : strnlen(text, 3) + 1);
  if (magic == wrapperMagic) {
    Wrapper wrapper;
    std::memcpy(&wrapper, image, sizeof(wrapper));
    return extractPTX(wrapper.data, device);
  }
  if (magic == headerMagic)
    return extractEntries(static_cast<const uint8_t *>(image), device);
  if (magic == elfMagic)
    return emu::Error{std::string("expected PTX, got machine code (a cubin): "
                                  "load the PTX that it was assembled from, "
                                  "or ") +
                      howToRebuild(device)};
  std::string ptx(text, bytes ? strnlen(text, bytes) : std::strlen(text));
  if (ptx.find(".version") == ptx.npos)
    return emu::Error{"expected PTX or a fat binary, got neither"};
  return ptx;
}
