//===- State.h - The device behind libcuda ----------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device per process. Everything runs where it is called, in that order, so
// that a stream is nothing but a name and a capture.
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_CORE_STATE_H
#define TC_CUDARUNTIME_CORE_STATE_H

#include "Launcher.h"

#include <mutex>

namespace tc::cuda {

class State {
public:
  /// Made at the first call; settings that cannot be read end the process.
  static State &get();
  /// The same, or null before the first call.
  static State *find();

  emu::Expected<Module *> loadModule(const void *image);
  void unload(Module *module);
  /// Whether a module is loaded: programs give handles that are none.
  bool isLoaded(const Module *module) const;

  /// Prints the totals. True if a launch was reported.
  bool finish();

  std::recursive_mutex lock;
  const Settings settings;
  Memory memory;
  Launcher launcher;
  /// What a failed launch left: every later call returns it (CUDA Runtime API,
  /// "Error Handling": errors that make a context unusable). 0: none.
  int stickyError = 0;
  /// Something was asked for that the emulator does not have, and refused.
  uint64_t refusals = 0;

private:
  explicit State(Settings settings);

  /// What the last line needs: tables of the emulator are gone when it is
  /// printed.
  const std::string runsOf;
  std::vector<const char *> assumptionNames;

  unsigned moduleCount = 0;
  std::vector<std::unique_ptr<Module>> modules;
};

/// One line on stderr.
void complain(const std::string &message);

} // namespace tc::cuda

#endif // TC_CUDARUNTIME_CORE_STATE_H
