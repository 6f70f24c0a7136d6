//===- Bundle.cpp - C interface of bundles ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Error.h"

#include "tc/Runtime/Bundle.h"

using namespace tc;
using runtime::Bundle;
using runtime::Expected;

struct TcBundle {
  std::unique_ptr<Bundle> bundle;
};

TcBundle *tcBundleOpen(const char *path, TcError **error) {
  if (!path)
    return failNull("path", error);
  Expected<std::unique_ptr<Bundle>> bundle = Bundle::open(path);
  if (!bundle)
    return fail(bundle.takeError(), error);
  return new TcBundle{std::move(*bundle)};
}

void tcBundleDestroy(TcBundle *bundle) { delete bundle; }

size_t tcBundleNumKernels(const TcBundle *bundle) {
  return bundle ? bundle->bundle->size() : 0;
}

bool tcBundleFind(const TcBundle *bundle, const char *name, const char *chip,
                  size_t *kernel, TcError **error) {
  if (!bundle)
    return bool(failNull("bundle", error));
  Expected<size_t> found = bundle->bundle->find(orEmpty(name), orEmpty(chip));
  if (!found)
    return bool(fail(found.takeError(), error));
  if (kernel)
    *kernel = *found;
  return true;
}

/// One text of a kernel; NULL past the end.
static const char *textOf(const TcBundle *bundle, size_t kernel,
                          std::string_view Bundle::Kernel::*member,
                          size_t *length = nullptr) {
  if (length)
    *length = 0;
  if (kernel >= tcBundleNumKernels(bundle))
    return nullptr;
  const std::string_view text = (*bundle->bundle)[kernel].*member;
  if (length)
    *length = text.size();
  return text.data();
}

const char *tcBundleName(const TcBundle *bundle, size_t kernel) {
  return textOf(bundle, kernel, &Bundle::Kernel::name);
}
const char *tcBundleChip(const TcBundle *bundle, size_t kernel) {
  return textOf(bundle, kernel, &Bundle::Kernel::chip);
}
const char *tcBundleFunction(const TcBundle *bundle, size_t kernel) {
  return textOf(bundle, kernel, &Bundle::Kernel::function);
}
const char *tcBundleSizes(const TcBundle *bundle, size_t kernel) {
  return textOf(bundle, kernel, &Bundle::Kernel::sizes);
}
const char *tcBundleCode(const TcBundle *bundle, size_t kernel,
                         size_t *length) {
  return textOf(bundle, kernel, &Bundle::Kernel::code, length);
}
const char *tcBundleDescription(const TcBundle *bundle, size_t kernel,
                                size_t *length) {
  return textOf(bundle, kernel, &Bundle::Kernel::description, length);
}
