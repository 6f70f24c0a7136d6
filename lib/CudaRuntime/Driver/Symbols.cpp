//===- Symbols.cpp - Calls by name, and those that are refused --*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does not include cuda.h, so that every call can be declared as one without
// parameters: only its address is needed, or it does nothing but fail.
//
//===----------------------------------------------------------------------===//

#include "Driver/Symbols.h"

#include "Core/State.h"

#include <cstring>

using namespace tc::cuda;

static constexpr int notSupported = 801; // CUDA_ERROR_NOT_SUPPORTED

static int refuseCall(const char *name) {
  State &state = State::get();
  std::lock_guard<std::recursive_mutex> guard(state.lock);
  complain(std::string(name) + ": not supported on the emulator");
  ++state.refusals;
  return notSupported;
}

extern "C" {
#define TC_REFUSED(NAME)                                                       \
  int NAME() { return refuseCall(#NAME); }
#include "Driver/Refused.def"
#undef TC_REFUSED

// Declared where they are defined; several rows may name one.
#define TC_SYMBOL(NAME, VERSION, EXPORT) int EXPORT();
#include "Driver/Symbols.def"
#undef TC_SYMBOL
}

namespace {
struct Symbol {
  const char *name;
  int version;
  int (*address)();
};
} // namespace

static const Symbol symbols[] = {
#define TC_SYMBOL(NAME, VERSION, EXPORT) {#NAME, VERSION, EXPORT},
#include "Driver/Symbols.def"
#undef TC_SYMBOL
};

bool driver::findSymbol(const char *name, int version, void *&address) {
  const Symbol *best = nullptr;
  bool exists = false;
  for (const Symbol &symbol : symbols) {
    if (std::strcmp(symbol.name, name))
      continue;
    exists = true;
    if (symbol.version <= version && (!best || symbol.version > best->version))
      best = &symbol;
  }
  address = best ? reinterpret_cast<void *>(best->address) : nullptr;
  return exists;
}
