//===- compiler.cpp - tc._compiler: the compiler for Python -----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Imported at the first compilation, as it loads LLVM. Errors are made in
// Python (tc/_errors.py).
//
//===----------------------------------------------------------------------===//

#include "tc-c/Compiler.h"

#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

static MlirStringRef toC(const std::string &text) {
  return mlirStringRefCreate(text.data(), text.size());
}
static nb::str toStr(MlirStringRef text) {
  return nb::str(text.data, text.length);
}

static const char *nameOf(MlirDiagnosticSeverity severity) {
  switch (severity) {
  case MlirDiagnosticError:
    return "error";
  case MlirDiagnosticWarning:
    return "warning";
  case MlirDiagnosticNote:
    return "note";
  case MlirDiagnosticRemark:
    return "remark";
  }
  return "";
}

static nb::list diagnosticsOf(TcCompilation compilation) {
  nb::list list;
  for (intptr_t i = 0; i < tcCompilationGetNumDiagnostics(compilation); ++i)
    list.append(nb::make_tuple(nameOf(tcCompilationGetSeverity(compilation, i)),
                               toStr(tcCompilationGetFile(compilation, i)),
                               tcCompilationGetLine(compilation, i),
                               tcCompilationGetColumn(compilation, i),
                               toStr(tcCompilationGetMessage(compilation, i))));
  return list;
}

/// (succeeded, output, description, diagnostics).
static nb::tuple compile(const std::string &text, const std::string &name,
                         const std::string &levelName, const std::string &chip,
                         const std::string &config, bool allowTf32,
                         bool explain, const std::string &ptxas,
                         const std::string &f32, bool genericForm,
                         const std::string &tuned) {
  TcLevel level;
  if (!tcLevelFind(toC(levelName), &level))
    throw nb::value_error(
        ("level: expected tmm, tiles, roles, tcgen05, nvvm, llvm, ptx or "
         "cubin, got '" +
         levelName + "'")
            .c_str());
  TcCompileOptions options = tcCompileOptionsGetDefault();
  options.chip = toC(chip);
  options.config = toC(config);
  options.allowTf32 = allowTf32;
  options.explain = explain;
  options.ptxas = toC(ptxas);
  options.f32 = toC(f32);
  options.genericForm = genericForm;
  options.tuned = toC(tuned);
  TcCompilation compilation;
  {
    nb::gil_scoped_release release;
    compilation = tcCompileText(toC(text), toC(name), level, options);
  }
  MlirStringRef output = tcCompilationGetOutput(compilation);
  nb::tuple result =
      nb::make_tuple(tcCompilationSucceeded(compilation),
                     nb::bytes(output.data, output.length),
                     toStr(tcCompilationGetDescription(compilation)),
                     diagnosticsOf(compilation));
  tcCompilationDestroy(compilation);
  return result;
}

NB_MODULE(_compiler, module) {
  module.def("compile", &compile);
  module.def("version", [] { return toStr(tcVersion()); });
  module.def("llvm_version", [] { return toStr(tcLLVMVersion()); });
}
