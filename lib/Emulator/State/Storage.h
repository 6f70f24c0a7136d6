//===- Storage.h - large buffers that are used again ------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CTA has some 700 KiB of shared and Tensor Memory with their states. Taken
// from the system for every CTA, most of the time would go into fresh pages;
// buffers of CTAs that have ended are kept for those that come.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_STATE_STORAGE_H
#define TC_EMULATOR_STATE_STORAGE_H

#include <cstddef>
#include <cstdint>

namespace tc::emu {

/// A buffer of undefined contents, aligned to 64 bytes.
class Storage {
public:
  Storage() = default;
  explicit Storage(size_t bytes);
  Storage(Storage &&other) noexcept;
  Storage &operator=(Storage &&other) noexcept;
  ~Storage();

  uint8_t *data() { return bytes; }
  const uint8_t *data() const { return bytes; }
  explicit operator bool() const { return bytes; }

private:
  uint8_t *bytes = nullptr;
  size_t size = 0;
};

} // namespace tc::emu

#endif // TC_EMULATOR_STATE_STORAGE_H
