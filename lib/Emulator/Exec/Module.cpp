//===- Module.cpp - module-scope variables and parsePTX -------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Variables are laid out in order of declaration. Initialisers may hold
// addresses of other variables, so values are written in a second pass.
//
//===----------------------------------------------------------------------===//

#include "Exec/Module.h"

#include "Text/Parser.h"

#include <cstring>

namespace tc::emu {

using ast::VarSpace;

const ast::Function *Module::findFunction(std::string_view name) const {
  auto it = functions.find(name);
  return it == functions.end() ? nullptr : it->second;
}

const ast::Variable *Module::findVariable(std::string_view name) const {
  auto it = variables.find(name);
  return it == variables.end() ? nullptr : it->second;
}

static uint64_t alignTo(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// The bits of one initial value as an element of `type`.
static uint64_t elementBits(const ast::InitValue &value, Type type) {
  if (!value.isFloat)
    return value.bits;
  double number;
  if (value.isDouble) {
    memcpy(&number, &value.bits, 8);
  } else {
    float single;
    uint32_t bits = uint32_t(value.bits);
    memcpy(&single, &bits, 4);
    number = single;
  }
  if (type == Type::F64) {
    uint64_t bits;
    memcpy(&bits, &number, 8);
    return bits;
  }
  if (type == Type::F32) {
    float single = float(number);
    uint32_t bits;
    memcpy(&bits, &single, 4);
    return bits;
  }
  return value.bits;
}

/// Every launch copies them.
constexpr uint64_t maxModuleBytes = 1ull << 29;

Status layoutModule(Module &module) {
  for (const ast::Variable &v : module.source->variables) {
    if (v.space != VarSpace::Global && v.space != VarSpace::Const)
      continue;
    if (v.isExtern)
      continue;
    bool isConst = v.space == VarSpace::Const;
    std::vector<uint8_t> &image =
        isConst ? module.constData : module.moduleData;
    // Offset 0 stays unused so that no variable has a window's first address.
    uint64_t offset =
        alignTo(image.empty() ? 16 : image.size(), std::max(v.alignment(), 1u));
    if (offset + v.bytes() > maxModuleBytes)
      return Error{"expected at most " + std::to_string(maxModuleBytes) +
                       " bytes of module variables, got " +
                       std::to_string(offset + v.bytes()) + " up to '" +
                       std::string(v.name) + "'",
                   v.line};
    if (module.addresses.count(v.name))
      return Error{"variable '" + std::string(v.name) + "' is defined twice",
                   v.line};
    image.resize(offset + v.bytes());
    module.addresses[v.name] =
        (isConst ? kConstWindow : kModuleWindow) + offset;
  }
  for (const ast::Variable &v : module.source->variables) {
    auto it = module.addresses.find(v.name);
    if (it == module.addresses.end() || v.init.empty())
      continue;
    bool isConst = v.space == VarSpace::Const;
    uint8_t *out =
        isConst ? module.constData.data() + (it->second - kConstWindow)
                : module.moduleData.data() + (it->second - kModuleWindow);
    unsigned size = sizeOf(v.type);
    for (size_t i = 0; i < v.init.size(); ++i) {
      const ast::InitValue &value = v.init[i];
      uint64_t bits = elementBits(value, v.type);
      if (!value.symbol.empty()) {
        auto symbol = module.addresses.find(value.symbol);
        if (symbol == module.addresses.end())
          return Error{"initialiser of '" + std::string(v.name) +
                           "' names unknown variable '" +
                           std::string(value.symbol) + "'",
                       v.line};
        bits += symbol->second;
        if (value.mask)
          bits = (bits & value.mask) / (value.mask & (0 - value.mask));
      }
      memcpy(out + i * size, &bits, std::min(size, 8u));
    }
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Program
//===----------------------------------------------------------------------===//

Program::Program(std::unique_ptr<const Module> module, std::string fileName)
    : impl(std::move(module)), file(std::move(fileName)) {
  for (const KernelCode &kernel : impl->kernels)
    infos.push_back(kernel.info);
}

Program::~Program() = default;

std::string Program::at(int line) const {
  return (file.empty() ? "line " : file + ":") + std::to_string(line) + ": ";
}

const KernelInfo *Program::findKernel(std::string_view name) const {
  for (const KernelInfo &info : infos)
    if (info.name == name)
      return &info;
  return nullptr;
}

Expected<std::shared_ptr<const Program>> parsePTX(std::string_view text,
                                                  std::string_view fileName) {
  auto module = std::make_unique<Module>();
  module->text = std::string(text);
  // nvcc's files may end with a zero byte.
  while (!module->text.empty() && module->text.back() == '\0')
    module->text.pop_back();
  Expected<std::unique_ptr<ast::Module>> source = parseModule(module->text);
  if (!source)
    return source.takeError();
  module->source = std::move(*source);
  for (const ast::Function &function : module->source->functions)
    module->functions.emplace(function.name, &function);
  for (const ast::Variable &variable : module->source->variables)
    module->variables[variable.name] = &variable;
  if (Status status = layoutModule(*module); !status)
    return status.takeError();
  for (const ast::Function &function : module->source->functions)
    if (function.isEntry && !function.isDeclaration)
      module->kernels.push_back(decodeKernel(*module, function));
  return std::shared_ptr<const Program>(
      std::make_shared<Program>(std::move(module), std::string(fileName)));
}

} // namespace tc::emu
