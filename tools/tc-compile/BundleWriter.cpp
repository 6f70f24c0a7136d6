//===- BundleWriter.cpp - the bytes of a bundle -----------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BundleWriter.h"

#include "tc/Runtime/BundleFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace tc;
using llvm::StringRef;
using runtime::bundle::Blob;
using runtime::bundle::Entry;
using runtime::bundle::Header;
using runtime::bundle::kAlignment;

uint32_t BundleWriter::numberOf(StringRef content) {
  auto [it, isNew] = numbers.try_emplace(content, uint32_t(blobs.size()));
  if (isNew)
    blobs.push_back(it->first());
  return it->second;
}

void BundleWriter::add(StringRef name, StringRef chip, StringRef function,
                       StringRef sizes, StringRef code, StringRef description) {
  kernels.push_back({name.str(), chip.str(), function.str(), sizes.str(),
                     numberOf(code), numberOf(description)});
}

template <typename T>
static void append(std::string &bytes, const T &value) {
  bytes.append(reinterpret_cast<const char *>(&value), sizeof(value));
}

std::string BundleWriter::write() {
  llvm::sort(kernels, [](const Kernel &a, const Kernel &b) {
    return std::tie(a.name, a.chip) < std::tie(b.name, b.chip);
  });
  std::string strings;
  llvm::StringMap<uint32_t> places;
  auto place = [&](StringRef text) {
    auto [it, isNew] = places.try_emplace(text, uint32_t(strings.size()));
    if (isNew) {
      strings += text;
      strings += '\0';
    }
    return it->second;
  };
  std::string entries;
  for (const Kernel &it : kernels)
    append(entries, Entry{place(it.name), place(it.chip), place(it.function),
                          place(it.sizes), it.code, it.description});

  Header header = {};
  std::memcpy(header.magic, runtime::bundle::kMagic, sizeof(header.magic));
  header.version = runtime::bundle::kVersion;
  header.entries = uint32_t(kernels.size());
  header.blobs = uint32_t(blobs.size());
  header.stringBytes = uint32_t(strings.size());
  uint64_t end = sizeof(Header) + entries.size() + blobs.size() * sizeof(Blob) +
                 strings.size();
  std::string index;
  for (StringRef blob : blobs) {
    end = llvm::alignTo(end, kAlignment);
    append(index, Blob{end, blob.size()});
    end += blob.size() + 1;
  }
  header.fileBytes = end;

  std::string bytes;
  bytes.reserve(end);
  append(bytes, header);
  bytes += entries + index + strings;
  for (StringRef blob : blobs) {
    bytes.resize(llvm::alignTo(bytes.size(), kAlignment));
    bytes += blob;
    bytes += '\0';
  }
  return bytes;
}
