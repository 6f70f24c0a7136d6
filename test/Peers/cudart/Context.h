//===- Context.h - The state behind the CUDA runtime calls ------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One device: the emulator's memory, the modules of the program and the
// settings of the run. Settings come from the environment, because programs of
// others have command lines of their own:
//
//   TC_PEERS_SCHEDULES  eager,lazy,random:1: the timings of a selected kernel
//   TC_PEERS_SELECT     substrings of kernel names, separated by commas; other
//                       kernels run once, eagerly. Default: kernels that use
//                       tcgen05
//   TC_PEERS_RACES      off, default or strict
//   TC_PEERS_SMS        multiprocessors that the device claims, default 148
//   TC_PEERS_LIMIT      warp instructions of a launch, default 4e9
//   TC_PEERS_LOG        file that gets a line of JSON for each launch
//   TC_PEERS_DUMP       folder that gets the PTX of each module
//
//===----------------------------------------------------------------------===//

#ifndef TC_PEERS_CUDART_CONTEXT_H
#define TC_PEERS_CUDART_CONTEXT_H

#include "tc/Emulator/Emulator.h"

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace tc::peers {

/// What nvcc registered for one translation unit; parsed at its first launch.
struct Module {
  std::string ptx, error;
  std::shared_ptr<const emu::Program> program;
};

struct Function {
  Module *module = nullptr;
  std::string name;
  int maxDynamicSmem = 48 * 1024;
};

struct Launch {
  std::array<unsigned, 3> grid{1, 1, 1}, block{1, 1, 1}, cluster{0, 0, 0};
  size_t dynamicSmem = 0;
  void **arguments = nullptr;
};

class Context {
public:
  static Context &get();

  Module *addModule(const void *fatbin);
  void addFunction(const void *host, Module *module, const char *name);
  Function *find(const void *host);

  /// Device memory, filled with bytes that are no useful number.
  void *allocate(size_t bytes);
  bool free(void *address);
  bool isDevice(const void *address) const;
  bool copy(void *to, const void *from, size_t bytes);
  bool fill(void *to, int value, size_t bytes);

  /// Runs the kernel under every schedule that is asked for, each from the same
  /// memory. False: a report, which has been printed.
  bool run(Function &function, const Launch &launch);

  unsigned multiprocessors = 148;

private:
  Context();
  bool load(Module &module);
  bool isSelected(const Function &function) const;
  void log(const Function &function, const emu::LaunchConfig &config,
           const emu::Schedule &schedule, const emu::RunResult &result,
           bool isSame);
  using Snapshot = std::map<uint64_t, std::vector<uint8_t>>;
  Snapshot snapshot() const;
  void restore(const Snapshot &from);

  emu::DeviceMemory memory;
  std::map<uint64_t, size_t> allocations;
  std::vector<std::unique_ptr<Module>> modules;
  std::unordered_map<const void *, Function> functions;
  std::vector<emu::Schedule> schedules;
  std::vector<std::string> selected;
  uint64_t maxInstructions = 4'000'000'000;
  emu::RaceMode races = emu::RaceMode::Default;
  const char *racesName = "default";
  FILE *logFile = nullptr;
  std::string dumpFolder;
};

} // namespace tc::peers

#endif // TC_PEERS_CUDART_CONTEXT_H
