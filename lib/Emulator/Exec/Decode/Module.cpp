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

#include "State/Module.h"
#include "Exec/Decode/FunctionDecoder.h"
#include "State/Sources.h"

#include "Text/Parser.h"
#include "tc/Emulator/Variables.h"

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

/// Functions are this far apart, modules `1 << moduleShift`.
constexpr uint64_t functionStep = 16;
constexpr unsigned moduleShift = 24;

uint64_t Module::addressOf(const ast::Function &function) const {
  return codeBase +
         functionStep * uint64_t(&function - source->functions.data());
}

/// Different modules have different addresses, so that a pointer to a function
/// of another one is no function of this one. They follow from names alone: a
/// launch that is repeated from a file finds those that it stored in memory.
static uint64_t chooseCodeBase(const ast::Module &source) {
  uint64_t hash = 0xcbf29ce484222325ull; // FNV-1a
  for (const ast::Function &function : source.functions)
    for (char c : function.name)
      hash = (hash ^ uint8_t(c)) * 0x100000001b3ull;
  return kCodeWindow + ((hash >> 49) << moduleShift);
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

/// Every launch of a program without memory for them copies them.
constexpr uint64_t maxModuleBytes = 1ull << 29;

/// Lays variables out in the images of the two windows.
static Status placeVariables(Module &module) {
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
  return {};
}

/// Where variables without a place go if others have one: away from what
/// DeviceMemory chooses, which the caller's own addresses may be.
constexpr uint64_t unplacedBase = 0x5'0000'0000ull;

namespace {
class VariableAllocator {
public:
  VariableAllocator(DeviceMemory &memory, const VariablePlaces *places)
      : memory(memory), next(places ? unplacedBase : 0) {}

  Expected<uint64_t> allocate(uint64_t bytes, uint64_t alignment,
                              const std::string &name) {
    if (next)
      next = alignTo(next, alignment);
    Expected<uint64_t> address = memory.allocate(bytes, alignment, next, name);
    if (next)
      next += bytes + 4096; // a page apart, so that an overrun is seen
    return address;
  }

private:
  DeviceMemory &memory;
  uint64_t next; ///< 0: wherever there is room
};
} // namespace

/// Allocates the variables that have to be somewhere.
static Status allocatePlaced(const Module &module, DeviceMemory &memory,
                             const VariablePlaces &places,
                             std::map<std::string_view, uint64_t> &placed) {
  for (const auto &[name, place] : places) {
    const ast::Variable *v = module.findVariable(name);
    if (!v || v->space != VarSpace::Global || v->isExtern)
      return Error{"expected the name of a .global variable, got '" + name +
                   "'"};
    Expected<uint64_t> address = memory.allocate(v->bytes(), 1, place, name);
    if (!address)
      return Error{"variable '" + name + "': " + address.error().message,
                   v->line};
    placed[v->name] = place;
  }
  return {};
}

/// Moves variables to device memory: each .global variable is an allocation of
/// its own, so that an overrun is seen; constants stay together, because they
/// are addressed from the start of their window.
static Status allocateVariables(Module &module, DeviceMemory &memory,
                                const VariablePlaces *places) {
  std::map<std::string_view, uint64_t> placed;
  if (places)
    if (Status status = allocatePlaced(module, memory, *places, placed);
        !status)
      return status;
  VariableAllocator allocator(memory, places);
  if (!module.constData.empty()) {
    Expected<uint64_t> block = allocator.allocate(module.constData.size(), 256,
                                                  "the module's constants");
    if (!block)
      return block.takeError();
    module.constStorage = *block;
  }
  for (const ast::Variable &v : module.source->variables) {
    auto it = module.addresses.find(v.name);
    if (it == module.addresses.end() || v.isExtern)
      continue;
    VariableInfo info;
    info.name = std::string(v.name);
    info.bytes = v.bytes();
    info.isConst = v.space == VarSpace::Const;
    if (info.isConst) {
      info.allocation = module.constStorage;
      info.address = module.constStorage + (it->second - kConstWindow);
    } else {
      auto place = placed.find(v.name);
      Expected<uint64_t> address =
          place != placed.end()
              ? Expected<uint64_t>(place->second)
              : allocator.allocate(v.bytes(), std::max(v.alignment(), 16u),
                                   info.name);
      if (!address)
        return address.takeError();
      info.allocation = info.address = *address;
      it->second = *address;
    }
    module.placed.push_back(std::move(info));
  }
  return {};
}

/// Where the initial value of a variable goes.
static uint8_t *storageOf(Module &module, const ast::Variable &v,
                          uint64_t address, DeviceMemory *memory) {
  if (v.space == VarSpace::Const)
    return module.constData.data() + (address - kConstWindow);
  if (memory)
    return memory->writable(address, v.bytes());
  return module.moduleData.data() + (address - kModuleWindow);
}

static Status initialise(Module &module, const ast::Variable &v, uint8_t *out) {
  unsigned size = sizeOf(v.type);
  for (size_t i = 0; i < v.init.size(); ++i) {
    const ast::InitValue &value = v.init[i];
    uint64_t bits = elementBits(value, v.type);
    if (!value.symbol.empty()) {
      auto symbol = module.addresses.find(value.symbol);
      const ast::Function *function = module.findFunction(value.symbol);
      if (symbol == module.addresses.end() && !function)
        return Error{"initialiser of '" + std::string(v.name) +
                         "' names unknown variable '" +
                         std::string(value.symbol) + "'",
                     v.line};
      bits += symbol == module.addresses.end() ? module.addressOf(*function)
                                               : symbol->second;
      if (value.mask)
        bits = (bits & value.mask) / (value.mask & (0 - value.mask));
    }
    memcpy(out + i * size, &bits, std::min(size, 8u));
  }
  return {};
}

/// Places module-scope variables and fills in their initial values: in
/// `memory`, or in images that every launch starts from if that is null.
static Status layoutModule(Module &module, DeviceMemory *memory,
                           const VariablePlaces *places) {
  if (Status status = placeVariables(module); !status)
    return status;
  if (memory) {
    if (Status status = allocateVariables(module, *memory, places); !status)
      return status;
    module.moduleData.clear();
  }
  for (const ast::Variable &v : module.source->variables) {
    auto it = module.addresses.find(v.name);
    if (it == module.addresses.end() || v.init.empty())
      continue;
    uint8_t *out = storageOf(module, v, it->second, memory);
    if (Status status = initialise(module, v, out); !status)
      return status;
  }
  if (module.constStorage)
    return memory->write(module.constStorage, module.constData.data(),
                         module.constData.size());
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
  const std::string source = sourceOf(*impl->source, line);
  return (file.empty() ? "line " : file + ":") + std::to_string(line) + ": " +
         (source.empty() ? "" : source + ": ");
}

const KernelInfo *Program::findKernel(std::string_view name) const {
  for (const KernelInfo &info : infos)
    if (info.name == name)
      return &info;
  return nullptr;
}

const std::vector<VariableInfo> &Program::variables() const {
  return impl->placed;
}

const VariableInfo *Program::findVariable(std::string_view name) const {
  for (const VariableInfo &info : impl->placed)
    if (info.name == name)
      return &info;
  return nullptr;
}

static Expected<std::shared_ptr<const Program>>
parse(std::string_view text, std::string_view fileName, DeviceMemory *variables,
      const VariablePlaces *places) {
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
  for (const auto &[alias, target] : module->source->aliases)
    if (const ast::Function *function = module->findFunction(target))
      module->functions[alias] = function;
  module->codeBase = chooseCodeBase(*module->source);
  for (const ast::Variable &variable : module->source->variables)
    module->variables[variable.name] = &variable;
  if (Status status = layoutModule(*module, variables, places); !status)
    return status.takeError();
  for (const ast::Function &function : module->source->functions)
    if (function.isEntry && !function.isDeclaration)
      module->kernels.push_back(decodeKernel(*module, function));
  return std::shared_ptr<const Program>(
      std::make_shared<Program>(std::move(module), std::string(fileName)));
}

Expected<std::shared_ptr<const Program>> parsePTX(std::string_view text,
                                                  std::string_view fileName,
                                                  DeviceMemory *variables) {
  return parse(text, fileName, variables, nullptr);
}

Expected<std::shared_ptr<const Program>>
parsePTXAt(std::string_view text, std::string_view fileName,
           DeviceMemory &memory, const VariablePlaces &places) {
  return parse(text, fileName, &memory, &places);
}

} // namespace tc::emu
