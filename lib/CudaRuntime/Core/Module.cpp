//===- Module.cpp - Loaded PTX and its kernels ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Module.h"
#include "Fatbin.h"

#include <set>

using namespace tc;
using namespace tc::cuda;

emu::Expected<std::unique_ptr<Module>>
Module::load(const void *image, const Device &device, Memory &memory,
             unsigned number, const std::string &folder) {
  emu::Expected<std::string> text = extractPTX(image, device);
  if (!text)
    return text.takeError();
  std::unique_ptr<Module> module(new Module(memory));
  module->text = std::move(*text);
  std::string name = (folder.empty() ? "" : folder + "/") + "module" +
                     std::to_string(number) + ".ptx";
  emu::Expected<std::shared_ptr<const emu::Program>> program =
      emu::parsePTX(module->text, name, &memory.device);
  if (!program)
    return emu::Error{name + ":" + std::to_string(program.error().line) + ": " +
                      program.error().message};
  module->program = std::move(*program);
  for (const emu::KernelInfo &info : module->program->kernels()) {
    auto function = std::make_unique<Function>();
    function->module = module.get();
    function->info = &info;
    module->kernels.push_back(std::move(function));
  }
  return module;
}

Module::~Module() {
  if (!program)
    return;
  std::set<uint64_t> blocks;
  for (const emu::VariableInfo &variable : program->variables())
    blocks.insert(variable.allocation);
  for (uint64_t block : blocks)
    (void)memory.device.free(block);
}

Function *Module::find(std::string_view name) {
  for (const std::unique_ptr<Function> &kernel : kernels)
    if (kernel->info->name == name)
      return kernel.get();
  return nullptr;
}
