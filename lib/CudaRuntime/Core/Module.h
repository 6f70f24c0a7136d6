//===- Module.h - Loaded PTX and its kernels --------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_CUDARUNTIME_CORE_MODULE_H
#define TC_CUDARUNTIME_CORE_MODULE_H

#include "Devices.h"
#include "Memory.h"

#include <memory>

namespace tc::cuda {

class Module;

/// A kernel with what the program has set for it.
struct Function {
  Module *module = nullptr;
  const emu::KernelInfo *info = nullptr;
  int maxDynamicSmem = 48 * 1024;
  int carveout = -1; ///< a hint, kept to be queried
  bool allowsBigClusters = false;
  std::array<unsigned, 3> cluster{}; ///< zeros: by the launch or the PTX
};

/// One PTX text, parsed, with its variables in device memory.
class Module {
public:
  /// `number` names it in reports: moduleN.ptx, in `folder` unless that is
  /// empty.
  static emu::Expected<std::unique_ptr<Module>>
  load(const void *image, const Device &device, Memory &memory, unsigned number,
       const std::string &folder);
  ~Module();

  /// The kernel of that name, or null.
  Function *find(std::string_view name);
  const std::vector<std::unique_ptr<Function>> &functions() const {
    return kernels;
  }

  const std::string &ptx() const { return text; }
  const std::string &name() const { return program->fileName(); }

  std::shared_ptr<const emu::Program> program;

private:
  explicit Module(Memory &memory) : memory(memory) {}

  Memory &memory;
  std::string text;
  std::vector<std::unique_ptr<Function>> kernels;
};

} // namespace tc::cuda

#endif // TC_CUDARUNTIME_CORE_MODULE_H
