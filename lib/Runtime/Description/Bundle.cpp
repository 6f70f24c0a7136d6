//===- Bundle.cpp - many kernels in one file --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole index is checked when a bundle is opened, so that nothing that is
// read later can be outside of the file.
//
//===----------------------------------------------------------------------===//

#include "tc/Runtime/Bundle.h"

#include "tc/Runtime/CudaLibrary.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace tc;
using namespace tc::runtime;
using bundle::Blob;
using bundle::Entry;
using bundle::Header;

/// Names that an error lists.
static constexpr size_t kMostNames = 4;

bool Bundle::isBundle(const std::string &path) {
  char start[sizeof(bundle::kMagic)] = {};
  // Not of a pipe, which would lose what is read.
  struct stat status;
  if (stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
    return false;
  std::FILE *file = std::fopen(path.c_str(), "rb");
  const bool isRead = file && std::fread(start, sizeof(start), 1, file) == 1;
  if (file)
    std::fclose(file);
  return isRead && !std::memcmp(start, bundle::kMagic, sizeof(start));
}

Expected<std::unique_ptr<Bundle>> Bundle::open(const std::string &path) {
  auto fail = [&](const char *what) {
    return makeError(path, std::string(what) + ": " + std::strerror(errno));
  };
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file == -1)
    return fail("cannot open");
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_size < off_t(sizeof(Header))) {
    ::close(file);
    return makeError(path, "expected a bundle of tc-compile --bundle, got "
                           "another file");
  }
  const size_t bytes = static_cast<size_t>(status.st_size);
  void *data = mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (data == MAP_FAILED)
    return fail("cannot read");
  std::unique_ptr<Bundle> result(
      new Bundle(path, static_cast<const char *>(data), bytes));
  if (Status status = result->check(); !status)
    return status.takeError();
  return result;
}

Bundle::~Bundle() { munmap(const_cast<char *>(data), bytes); }

const Header &Bundle::header() const {
  return *reinterpret_cast<const Header *>(data);
}
const Entry &Bundle::entry(size_t index) const {
  return reinterpret_cast<const Entry *>(data + sizeof(Header))[index];
}
const Blob &Bundle::blob(size_t index) const {
  return reinterpret_cast<const Blob *>(data + sizeof(Header) +
                                        size() * sizeof(Entry))[index];
}
const char *Bundle::strings() const {
  return data + sizeof(Header) + size() * sizeof(Entry) +
         header().blobs * sizeof(Blob);
}

/// Whether `text` is nothing, or numbers with names, as forEachSize takes it.
static bool isListOfSizes(const char *text) {
  while (*text) {
    const size_t name = std::strcspn(text, "=,");
    text += name;
    if (name == 0 || *text != '=')
      return false;
    const size_t digits = std::strspn(++text, "0123456789");
    // Numbers of more digits have no int64_t.
    if (digits == 0 || digits > 18)
      return false;
    text += digits;
    if (*text == ',' && text[1])
      ++text;
    else if (*text)
      return false;
  }
  return true;
}

Status Bundle::check() const {
  if (std::memcmp(header().magic, bundle::kMagic, sizeof(bundle::kMagic)) != 0)
    return makeError(path, "expected a bundle of tc-compile --bundle, got "
                           "another file");
  if (header().version != bundle::kVersion)
    return makeError(path, "expected version " +
                               std::to_string(bundle::kVersion) +
                               " of the format of bundles, got " +
                               std::to_string(header().version));
  if (header().fileBytes != bytes)
    return makeError(path, "expected " + std::to_string(header().fileBytes) +
                               " bytes, as its header says, got " +
                               std::to_string(bytes));
  const Error damaged = makeError(
      path, "expected an index of what is in the file, got a damaged one");
  const uint64_t index = sizeof(Header) +
                         uint64_t(header().entries) * sizeof(Entry) +
                         uint64_t(header().blobs) * sizeof(Blob);
  const uint64_t stringBytes = header().stringBytes;
  if (index > bytes || stringBytes > bytes - index || stringBytes == 0 ||
      strings()[stringBytes - 1] != 0)
    return damaged;
  for (size_t i = 0; i < header().blobs; ++i)
    if (blob(i).offset > bytes || blob(i).bytes >= bytes - blob(i).offset ||
        data[blob(i).offset + blob(i).bytes] != 0)
      return damaged;
  for (size_t i = 0; i < header().entries; ++i) {
    const Entry &it = entry(i);
    if (std::max({it.name, it.chip, it.function, it.sizes}) >= stringBytes ||
        std::max(it.code, it.description) >= header().blobs ||
        !isListOfSizes(strings() + it.sizes))
      return damaged;
  }
  return {};
}

Bundle::Kernel Bundle::operator[](size_t index) const {
  const Entry &it = entry(index);
  auto text = [&](uint32_t offset) {
    return std::string_view(strings() + offset);
  };
  auto contents = [&](uint32_t number) {
    return std::string_view(data + blob(number).offset, blob(number).bytes);
  };
  return {text(it.name),  text(it.chip),     text(it.function),
          text(it.sizes), contents(it.code), contents(it.description)};
}

/// "'a', 'b' or one of 7 others".
std::string Bundle::listNames() const {
  std::string text;
  size_t count = 0;
  std::string_view last;
  for (size_t i = 0; i < size(); ++i) {
    const std::string_view name = (*this)[i].name;
    if (i && name == last)
      continue;
    last = name;
    if (count++ < kMostNames)
      text += (text.empty() ? "'" : ", '") + std::string(name) + "'";
  }
  if (count > kMostNames)
    text += " or one of " + std::to_string(count - kMostNames) + " others";
  return text;
}

Expected<size_t> Bundle::find(std::string_view name,
                              std::string_view chip) const {
  size_t first = 0, end = size();
  if (name.empty()) {
    if (size() == 0 || (*this)[0].name != (*this)[size() - 1].name)
      return makeError(path, "expected the name of a kernel, " + listNames() +
                                 ", got none");
  } else {
    while (first < end) {
      const size_t middle = first + (end - first) / 2;
      if ((*this)[middle].name < name)
        first = middle + 1;
      else
        end = middle;
    }
    for (end = first; end < size() && (*this)[end].name == name;)
      ++end;
    if (first == end)
      return makeError(path, "expected a kernel that is " + listNames() +
                                 ", got '" + std::string(name) + "'");
  }
  return chip == "native" ? findNative(first, end) : findChip(first, end, chip);
}

Expected<size_t> Bundle::findChip(size_t first, size_t end,
                                  std::string_view chip) const {
  if (chip.empty() && end - first == 1)
    return first;
  std::string known;
  for (size_t i = first; i < end; ++i) {
    if ((*this)[i].chip == chip)
      return i;
    known += (known.empty() ? "" : ", ") + std::string((*this)[i].chip);
  }
  return makeError(
      path,
      "kernel '" + std::string((*this)[first].name) +
          "': expected a chip that is one of " + known + ", got " +
          (chip.empty() ? std::string("none") : "'" + std::string(chip) + "'"));
}

Expected<size_t> Bundle::findNative(size_t first, size_t end) const {
  cuda::Capability found;
  if (std::string why = cuda::findCapability(found); !why.empty())
    return makeError(path,
                     "chip: expected a GPU for 'native', got none: " + why);
  std::string known;
  size_t best = end;
  for (size_t i = first; i < end; ++i) {
    const std::string_view chip = (*this)[i].chip;
    known += (known.empty() ? "" : ", ") + std::string(chip);
    // What is for this GPU alone comes before what is for its family.
    if (runsOn(chip, found.major, found.minor) &&
        (best == end || chip.back() == 'a'))
      best = i;
  }
  if (best != end)
    return best;
  return makeError(path, "kernel '" + std::string((*this)[first].name) +
                             "': expected a GPU that runs one of " + known +
                             ", got one of compute capability " +
                             std::to_string(found.major) + "." +
                             std::to_string(found.minor));
}

bool runtime::runsOn(std::string_view chip, int major, int minor) {
  if (chip.substr(0, 3) != "sm_")
    return false;
  const int number = std::atoi(std::string(chip.substr(3)).c_str());
  if (number / 10 != major)
    return false;
  return chip.back() == 'a' ? number % 10 == minor : number % 10 <= minor;
}
