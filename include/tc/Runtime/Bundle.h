//===- Bundle.h - many kernels in one file ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads what tc-compile --bundle writes (BundleFormat.h). The file is mapped,
// and its index checked once: opening takes microseconds however many kernels
// there are.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_BUNDLE_H
#define TC_RUNTIME_BUNDLE_H

#include "tc/Runtime/BundleFormat.h"
#include "tc/Runtime/Error.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace tc::runtime {

class Bundle {
public:
  /// Texts belong to the bundle, and each ends with a zero.
  struct Kernel {
    std::string_view name, chip, function, sizes, code, description;
  };

  /// Whether the file starts as a bundle does.
  static bool isBundle(const std::string &path);
  static Expected<std::unique_ptr<Bundle>> open(const std::string &path);
  ~Bundle();
  Bundle(const Bundle &) = delete;
  Bundle &operator=(const Bundle &) = delete;

  size_t size() const { return header().entries; }
  Kernel operator[](size_t index) const;

  /// The number of the kernel `name` for `chip`; an empty name: of the only
  /// kernel; an empty chip: the only one of it; "native": the first GPU.
  Expected<size_t> find(std::string_view name, std::string_view chip) const;

private:
  Bundle(std::string path, const char *data, size_t bytes)
      : path(std::move(path)), data(data), bytes(bytes) {}
  Status check() const;
  const bundle::Header &header() const;
  const bundle::Entry &entry(size_t index) const;
  const bundle::Blob &blob(size_t index) const;
  const char *strings() const;
  std::string listNames() const;
  Expected<size_t> findChip(size_t first, size_t end,
                            std::string_view chip) const;
  Expected<size_t> findNative(size_t first, size_t end) const;

  const std::string path;
  const char *const data;
  const size_t bytes;
};

/// Whether kernels for `chip` ("sm_90a", "sm_100f", "sm_80") run on a GPU of
/// compute capability major.minor.
bool runsOn(std::string_view chip, int major, int minor);

/// Sizes of an entry ("M=64,N=128"), each given to `take`.
template <typename Take>
void forEachSize(std::string_view sizes, Take take) {
  while (!sizes.empty()) {
    const std::string one(sizes.substr(0, sizes.find(',')));
    const size_t sign = one.find('=');
    take(one.substr(0, sign), int64_t(std::stoll(one.substr(sign + 1))));
    sizes.remove_prefix(std::min(one.size() + 1, sizes.size()));
  }
}

} // namespace tc::runtime

#endif // TC_RUNTIME_BUNDLE_H
