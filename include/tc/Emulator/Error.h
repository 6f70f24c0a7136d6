//===- Error.h - errors as values -------------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emulator and the runtime use neither exceptions nor LLVM. A function that
// can fail returns Expected<T>: a value or an Error with a message and, where
// PTX text is at fault, its line.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_ERROR_H
#define TC_EMULATOR_ERROR_H

#include <cassert>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace tc::emu {

/// What went wrong. `line` is the 1-based line of the PTX text, 0 if none.
struct Error {
  std::string message;
  int line = 0;
};

/// A value of type T or an Error.
template <class T>
class Expected {
public:
  Expected(T value) : storage(std::move(value)) {}
  Expected(Error error) : storage(std::move(error)) {}

  explicit operator bool() const { return storage.index() == 0; }

  T &operator*() { return std::get<0>(storage); }
  const T &operator*() const { return std::get<0>(storage); }
  T *operator->() { return &std::get<0>(storage); }
  const T *operator->() const { return &std::get<0>(storage); }

  const Error &error() const { return std::get<1>(storage); }
  Error takeError() { return std::move(std::get<1>(storage)); }

private:
  std::variant<T, Error> storage;
};

/// Success or an Error.
template <>
class Expected<void> {
public:
  Expected() = default;
  Expected(Error error) : failure(std::move(error)) {}

  explicit operator bool() const { return !failure; }
  const Error &error() const { return *failure; }
  Error takeError() { return std::move(*failure); }

private:
  std::optional<Error> failure;
};

using Status = Expected<void>;

} // namespace tc::emu

#endif // TC_EMULATOR_ERROR_H
