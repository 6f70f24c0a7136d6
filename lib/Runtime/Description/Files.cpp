//===- Files.cpp - Whole files and the memory for them ----------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reading with a size check before any memory is taken, and writing through a
// temporary file in the same folder, which rename() replaces atomically.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Buffer.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace tc;
using namespace tc::runtime;

uint64_t runtime::memoryLimit() {
  long pages = sysconf(_SC_PHYS_PAGES), pageSize = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || pageSize <= 0)
    return uint64_t(1) << 34;
  // A buffer exists three times: as made, on the device, and as read back.
  return static_cast<uint64_t>(pages) * static_cast<uint64_t>(pageSize) / 3;
}

static Error systemError(const std::string &path, const char *what) {
  return makeError(path, std::string(what) + ": " + std::strerror(errno));
}

Expected<std::vector<uint8_t>>
runtime::readFile(const std::string &path, std::optional<uint64_t> bytes) {
  std::FILE *file = std::fopen(path.c_str(), "rb");
  if (!file)
    return systemError(path, "cannot open");
  struct stat status;
  std::optional<Error> error;
  if (fstat(fileno(file), &status) != 0)
    error = systemError(path, "cannot read");
  else if (S_ISDIR(status.st_mode))
    error = makeError(path, "expected a file, got a folder");
  else if (S_ISREG(status.st_mode) && bytes &&
           static_cast<uint64_t>(status.st_size) != *bytes)
    error =
        makeError(path, "expected " + std::to_string(*bytes) + " bytes, got " +
                            std::to_string(status.st_size));
  else if (static_cast<uint64_t>(status.st_size) > memoryLimit())
    error =
        makeError(path, "expected at most " + std::to_string(memoryLimit()) +
                            " bytes, got " + std::to_string(status.st_size));
  std::vector<uint8_t> data;
  if (!error) {
    // A pipe has no size: read what comes, up to what is expected.
    uint64_t limit = bytes ? *bytes : memoryLimit();
    data.resize(S_ISREG(status.st_mode) ? static_cast<size_t>(status.st_size)
                                        : 0);
    size_t got =
        data.empty() ? 0 : std::fread(data.data(), 1, data.size(), file);
    bool isShort = got != data.size();
    uint8_t chunk[4096];
    while (!isShort && data.size() <= limit) {
      size_t more = std::fread(chunk, 1, sizeof(chunk), file);
      if (more == 0)
        break;
      data.insert(data.end(), chunk, chunk + more);
    }
    if (std::ferror(file) || isShort)
      error = systemError(path, "cannot read");
    else if (bytes && data.size() != *bytes)
      error = makeError(path, "expected " + std::to_string(*bytes) +
                                  " bytes, got " + std::to_string(data.size()));
  }
  std::fclose(file);
  if (error)
    return *error;
  return data;
}

Status runtime::writeFile(const std::string &path,
                          const std::vector<uint8_t> &data) {
  // Devices and pipes cannot be renamed over: they take the bytes as they come.
  struct stat status;
  bool isSpecial = stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode);
  if (isSpecial && S_ISDIR(status.st_mode))
    return makeError(path, "expected a file, got a folder");
  std::string target =
      isSpecial ? path : path + ".tmp" + std::to_string(getpid());
  std::FILE *file = std::fopen(target.c_str(), "wb");
  if (!file)
    return systemError(path, "cannot write");
  bool ok = data.empty() ||
            std::fwrite(data.data(), 1, data.size(), file) == data.size();
  ok &= std::fclose(file) == 0;
  if (ok && !isSpecial)
    ok = std::rename(target.c_str(), path.c_str()) == 0;
  if (ok)
    return {};
  Error error = systemError(path, "cannot write");
  if (!isSpecial)
    std::remove(target.c_str());
  return error;
}
