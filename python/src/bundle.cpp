//===- bundle.cpp - tc._runtime: kernels of a bundle ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A bundle as plain data, for tc/_bundle.py.
//
//===----------------------------------------------------------------------===//

#include "bundle.h"

#include "tc-c/Emulator.h"

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace {

struct Bundle {
  explicit Bundle(const std::string &path) {
    TcError *error = nullptr;
    ptr = tcBundleOpen(path.c_str(), &error);
    if (!ptr)
      raise(error);
  }
  ~Bundle() { tcBundleDestroy(ptr); }
  Bundle(const Bundle &) = delete;

  /// Raises what went wrong; `error` is destroyed.
  [[noreturn]] static void raise(TcError *error) {
    std::string message = tcErrorMessage(error);
    tcErrorDestroy(error);
    throw nb::value_error(message.c_str());
  }

  TcBundle *ptr;
};

} // namespace

/// (name, chip, sizes) of each kernel.
static nb::list kernelsOf(const Bundle &bundle) {
  nb::list list;
  for (size_t i = 0; i < tcBundleNumKernels(bundle.ptr); ++i)
    list.append(nb::make_tuple(tcBundleName(bundle.ptr, i),
                               tcBundleChip(bundle.ptr, i),
                               tcBundleSizes(bundle.ptr, i)));
  return list;
}

/// (code, description, function) of the kernel `name` for `chip`.
static nb::tuple find(const Bundle &bundle, const std::string &name,
                      const std::string &chip) {
  size_t kernel = 0;
  TcError *error = nullptr;
  if (!tcBundleFind(bundle.ptr, name.c_str(), chip.c_str(), &kernel, &error))
    Bundle::raise(error);
  size_t codeBytes = 0, descriptionBytes = 0;
  const char *code = tcBundleCode(bundle.ptr, kernel, &codeBytes);
  const char *description =
      tcBundleDescription(bundle.ptr, kernel, &descriptionBytes);
  return nb::make_tuple(nb::bytes(code, codeBytes),
                        nb::bytes(description, descriptionBytes),
                        tcBundleFunction(bundle.ptr, kernel));
}

void addBundle(nb::module_ &module) {
  nb::class_<Bundle>(module, "Bundle")
      .def(nb::init<const std::string &>())
      .def("kernels", &kernelsOf)
      .def("find", &find);
}
