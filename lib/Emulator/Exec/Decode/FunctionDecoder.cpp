//===- FunctionDecoder.cpp - names, registers and control flow ------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Scopes are pushed at `{` and hold the labels of their own block, because
// inline assembly repeats label names in separate blocks. A register gets its
// slot at its first use: nvcc declares many more than it uses.
//
//===----------------------------------------------------------------------===//

#include "Exec/Decode/FunctionDecoder.h"
#include "Exec/Decode/Targets.h"

#include "State/Machine.h"

#include <algorithm>
#include <cstring>

namespace tc::emu {

using ast::Operand;
using ast::Statement;
using ast::VarSpace;

FunctionDecoder::FunctionDecoder(const Module &module,
                                 const ast::Function &entry)
    : module(module), entry(entry) {}

void FunctionDecoder::fail(std::string message, int line) {
  if (failed())
    return;
  kernel.unsupported = std::move(message);
  kernel.unsupportedLine = line;
}

Symbol *FunctionDecoder::lookupModule(std::string_view name) {
  const ast::Variable *v = module.findVariable(name);
  if (!v)
    return nullptr;
  Symbol symbol;
  symbol.kind = Symbol::Kind::Variable;
  if (v->space == VarSpace::Shared) {
    auto it = sharedOffsets.find(v);
    if (it == sharedOffsets.end())
      return nullptr;
    symbol.space = Space::SharedCta;
    symbol.address = it->second;
  } else {
    auto it = module.addresses.find(v->name);
    if (it == module.addresses.end())
      return nullptr; // extern: an unknown name where it is used
    symbol.space = v->space == VarSpace::Const ? Space::Const : Space::Global;
    symbol.address = it->second;
  }
  return &(scopes.front()[v->name] = std::move(symbol));
}

uint64_t FunctionDecoder::allocateLocal(uint64_t bytes, uint64_t align) {
  uint64_t offset = alignTo(kernel.localBytes, std::max<uint64_t>(align, 1));
  // PTX ISA: 512 KiB of local memory per thread.
  if (offset + bytes > 512 * 1024) {
    fail("local memory exceeds 512 KiB per thread", entry.line);
    return 0;
  }
  kernel.localBytes = uint32_t(offset + bytes);
  return offset;
}

Dst FunctionDecoder::allocate(Type type) {
  Dst dst;
  dst.valid = true;
  dst.reg = kernel.numRegs++;
  dst.offset = kernel.frameWords;
  kernel.registerOffsets.push_back(kernel.frameWords);
  unsigned bytes = sizeOf(type);
  // Predicates take one word but keep slots aligned to vectors.
  kernel.frameWords += type == Type::Pred ? 8 : bytes <= 4 ? 32 : bytes * 8;
  return dst;
}

void FunctionDecoder::allocateMeeting() {
  if (kernel.meeting.sources[0].valid)
    return;
  for (Dst &slot : kernel.meeting.sources)
    slot = allocate(Type::B64);
  for (Dst &slot : kernel.meeting.results)
    slot = allocate(Type::B64);
}

void FunctionDecoder::declare(const ast::Variable &v) {
  Symbol symbol;
  if (v.space == VarSpace::Reg) {
    if (v.vector != 1 || v.isArray)
      return fail("unsupported: vector register '" + std::string(v.name) + "'",
                  v.line);
    symbol.type = v.type;
    symbol.count = v.count;
  } else {
    symbol.kind = Symbol::Kind::Variable;
    switch (v.space) {
    case VarSpace::Shared:
      symbol.space = Space::SharedCta;
      symbol.address = sharedOffsets.at(&v);
      break;
    case VarSpace::Local:
      symbol.space = Space::Local;
      symbol.address = allocateLocal(v.bytes(), v.alignment());
      break;
    case VarSpace::Param:
      symbol.space = Space::Param;
      symbol.functionParam = true;
      symbol.address = allocateLocal(v.bytes(), v.alignment());
      break;
    default:
      return fail("unsupported: variable '" + std::string(v.name) +
                      "' of a module's state space in a function body",
                  v.line);
    }
  }
  scopes.back()[v.name] = std::move(symbol);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Symbol *FunctionDecoder::lookup(std::string_view name) {
  for (size_t i = scopes.size(); i--;) {
    auto it = scopes[i].find(name);
    if (it != scopes[i].end())
      return &it->second;
  }
  return lookupModule(name);
}

std::optional<Dst> FunctionDecoder::findRegister(std::string_view name,
                                                 Type &type) {
  auto slot = [&](Symbol &symbol, unsigned i) {
    type = symbol.type;
    auto known = symbol.slots.find(i);
    if (known == symbol.slots.end()) {
      known = symbol.slots.emplace(i, allocate(symbol.type)).first;
      kernel.registers.push_back({name,
                                  callStack.empty()
                                      ? std::string_view()
                                      : callStack.back().function->name,
                                  symbol.type, known->second});
    }
    return known->second;
  };
  // %r12 may be a member of the family %r<20>, or a register of its own; the
  // innermost scope that has either decides.
  size_t digits = name.size();
  while (digits && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  std::string_view stem = name.substr(0, digits);
  bool hasNumber = digits < name.size() && name.size() - digits < 9;
  unsigned number = 0;
  for (size_t i = digits; hasNumber && i < name.size(); ++i)
    number = number * 10 + (name[i] - '0');
  for (size_t i = scopes.size(); i--;) {
    auto it = scopes[i].find(name);
    if (it != scopes[i].end() && !it->second.count) {
      if (it->second.kind != Symbol::Kind::Register)
        return std::nullopt;
      return slot(it->second, 0);
    }
    if (!hasNumber)
      continue;
    it = scopes[i].find(stem);
    if (it != scopes[i].end() && number < it->second.count)
      return slot(it->second, number);
  }
  return std::nullopt;
}

Dst FunctionDecoder::special(SpecialReg which) {
  auto it = specials.find(which);
  if (it != specials.end())
    return it->second;
  Dst dst = allocate(which == SpecialReg::GridId ? Type::B64 : Type::B32);
  kernel.specials.push_back({which, dst});
  return specials[which] = dst;
}

std::optional<Dst> FunctionDecoder::findSpecial(std::string_view name,
                                                unsigned &bits) {
  static const std::pair<std::string_view, SpecialReg> kNames[] = {
      {"%tid.x", SpecialReg::TidX},
      {"%tid.y", SpecialReg::TidY},
      {"%tid.z", SpecialReg::TidZ},
      {"%ntid.x", SpecialReg::NtidX},
      {"%ntid.y", SpecialReg::NtidY},
      {"%ntid.z", SpecialReg::NtidZ},
      {"%ctaid.x", SpecialReg::CtaidX},
      {"%ctaid.y", SpecialReg::CtaidY},
      {"%ctaid.z", SpecialReg::CtaidZ},
      {"%nctaid.x", SpecialReg::NctaidX},
      {"%nctaid.y", SpecialReg::NctaidY},
      {"%nctaid.z", SpecialReg::NctaidZ},
      {"%laneid", SpecialReg::LaneId},
      {"%warpid", SpecialReg::WarpId},
      {"%nwarpid", SpecialReg::NwarpId},
      {"%smid", SpecialReg::SmId},
      {"%nsmid", SpecialReg::NsmId},
      {"%gridid", SpecialReg::GridId},
      {"%lanemask_eq", SpecialReg::LanemaskEq},
      {"%lanemask_le", SpecialReg::LanemaskLe},
      {"%lanemask_lt", SpecialReg::LanemaskLt},
      {"%lanemask_ge", SpecialReg::LanemaskGe},
      {"%lanemask_gt", SpecialReg::LanemaskGt},
      {"%clusterid.x", SpecialReg::ClusterIdX},
      {"%clusterid.y", SpecialReg::ClusterIdY},
      {"%clusterid.z", SpecialReg::ClusterIdZ},
      {"%nclusterid.x", SpecialReg::NclusterIdX},
      {"%nclusterid.y", SpecialReg::NclusterIdY},
      {"%nclusterid.z", SpecialReg::NclusterIdZ},
      {"%cluster_ctaid.x", SpecialReg::ClusterCtaidX},
      {"%cluster_ctaid.y", SpecialReg::ClusterCtaidY},
      {"%cluster_ctaid.z", SpecialReg::ClusterCtaidZ},
      {"%cluster_nctaid.x", SpecialReg::ClusterNctaidX},
      {"%cluster_nctaid.y", SpecialReg::ClusterNctaidY},
      {"%cluster_nctaid.z", SpecialReg::ClusterNctaidZ},
      {"%cluster_ctarank", SpecialReg::ClusterCtarank},
      {"%cluster_nctarank", SpecialReg::ClusterNctarank},
      {"%total_smem_size", SpecialReg::TotalSmemSize},
      {"%dynamic_smem_size", SpecialReg::DynamicSmemSize},
      {"%aggr_smem_size", SpecialReg::AggrSmemSize},
      {"%reserved_smem_offset_begin", SpecialReg::ReservedSmemBegin},
      {"%reserved_smem_offset_end", SpecialReg::ReservedSmemEnd},
      {"%reserved_smem_offset_cap", SpecialReg::ReservedSmemCap},
      {"%reserved_smem_offset_0", SpecialReg::ReservedSmem0},
      {"%reserved_smem_offset_1", SpecialReg::ReservedSmem1},
      {"%locality_domain_id", SpecialReg::LocalityDomainId},
      {"%locality_domain_supplemental_sm",
       SpecialReg::LocalityDomainSupplementalSm},
  };
  for (const auto &row : kNames)
    if (row.first == name) {
      bits = row.second == SpecialReg::GridId ? 64 : 32;
      if (row.second == SpecialReg::LocalityDomainId ||
          row.second == SpecialReg::LocalityDomainSupplementalSm) {
        const std::string why =
            missingTarget(*module.source, name, Targets::From100, {9, 5});
        if (!why.empty())
          fail(why, currentInstruction ? currentInstruction->line : 0);
      }
      return special(row.second);
    }
  constexpr std::string_view env = "%envreg";
  if (name.substr(0, env.size()) == env)
    for (unsigned i = 0; i < 32; ++i)
      if (name.substr(env.size()) == std::to_string(i)) {
        bits = 32;
        return special(SpecialReg(unsigned(SpecialReg::EnvReg0) + i));
      }
  return std::nullopt;
}

Src FunctionDecoder::constant32(uint32_t value) {
  auto [it, isNew] = constants.try_emplace({value, false});
  if (isNew) {
    it->second.valid = true;
    it->second.bank = 1;
    it->second.reg = kernel.numConstants++;
    it->second.offset = uint32_t(kernel.constants.size());
    kernel.constants.insert(kernel.constants.end(), 32, value);
  }
  return it->second;
}

Src FunctionDecoder::constant64(uint64_t value) {
  auto [it, isNew] = constants.try_emplace({value, true});
  if (isNew) {
    it->second.valid = true;
    it->second.bank = 1;
    it->second.reg = kernel.numConstants++;
    it->second.offset = uint32_t(kernel.constants.size());
    for (unsigned i = 0; i < 32; ++i) {
      kernel.constants.push_back(uint32_t(value));
      kernel.constants.push_back(uint32_t(value >> 32));
    }
  }
  return it->second;
}

uint32_t FunctionDecoder::findLabel(std::string_view name) {
  Symbol *symbol = lookup(name);
  return symbol && symbol->kind == Symbol::Kind::Label ? symbol->label : ~0u;
}

const std::vector<std::string_view> *
FunctionDecoder::findTable(std::string_view name) {
  Symbol *symbol = lookup(name);
  return symbol && symbol->kind == Symbol::Kind::Table ? &symbol->table->labels
                                                       : nullptr;
}

//===----------------------------------------------------------------------===//
// Bodies
//===----------------------------------------------------------------------===//

void FunctionDecoder::enterScope(const ast::Function &function, size_t first) {
  scopes.emplace_back();
  unsigned depth = 0;
  for (size_t i = first; i < function.body.size(); ++i) {
    const Statement &statement = function.body[i];
    if (statement.kind == Statement::Kind::BlockBegin) {
      ++depth;
    } else if (statement.kind == Statement::Kind::BlockEnd) {
      if (!depth--)
        return;
    } else if (!depth && !statement.name.empty()) {
      Symbol symbol;
      symbol.table = &statement;
      switch (statement.kind) {
      case Statement::Kind::Table:
        symbol.kind = Symbol::Kind::Table;
        break;
      case Statement::Kind::Targets:
        symbol.kind = Symbol::Kind::Targets;
        break;
      case Statement::Kind::Prototype:
        symbol.kind = Symbol::Kind::Prototype;
        symbol.prototype = &function.prototypes[statement.index];
        break;
      default:
        symbol.kind = Symbol::Kind::Label;
        symbol.label = newLabel();
      }
      if (!scopes.back().emplace(statement.name, std::move(symbol)).second)
        return fail("label '" + std::string(statement.name) +
                        "' is defined twice",
                    statement.line);
    }
  }
}

void FunctionDecoder::decodeBody(const ast::Function &function) {
  size_t depth = scopes.size();
  enterScope(function, 0);
  for (size_t i = 0; i < function.body.size() && !failed(); ++i) {
    const Statement &statement = function.body[i];
    switch (statement.kind) {
    case Statement::Kind::BlockBegin:
      enterScope(function, i + 1);
      break;
    case Statement::Kind::BlockEnd:
      scopes.pop_back();
      break;
    case Statement::Kind::Label:
      labelTargets[lookup(statement.name)->label] = here();
      break;
    case Statement::Kind::Table:
    case Statement::Kind::Targets:
    case Statement::Kind::Prototype:
      break;
    case Statement::Kind::Decl:
      declare(function.variables[statement.index]);
      break;
    case Statement::Kind::Inst:
      decodeInstruction(function.instructions[statement.index]);
      break;
    }
  }
  scopes.resize(depth);
}

static std::vector<std::string_view> splitOpcode(std::string_view opcode) {
  std::vector<std::string_view> parts;
  while (true) {
    size_t dot = opcode.find('.');
    parts.push_back(opcode.substr(0, dot));
    if (dot == std::string_view::npos)
      return parts;
    opcode.remove_prefix(dot + 1);
  }
}

bool FunctionDecoder::decodeGuard(const ast::Instruction &source,
                                  DecodedInst &inst) {
  if (!source.guarded)
    return true;
  Type type = Type::None;
  std::optional<Dst> slot = findRegister(source.guard, type);
  if (!slot || type != Type::Pred) {
    fail("expected a predicate register as guard, got '" +
             std::string(source.guard) + "'",
         source.line);
    return false;
  }
  inst.guarded = true;
  inst.guardNegated = source.guardNegated;
  inst.guard = valueOf(*slot);
  return true;
}

/// Most instructions are called without this detour.
static Step execAndRemember(Warp &w, const DecodedInst &inst, uint32_t active) {
  Step step = inst.fn(w, inst, active);
  if (step == Step::Next || step == Step::Yield || step == Step::Jump)
    w.remember(uint32_t(&inst - w.machine.kernel.code.data()), active);
  return step;
}

/// Whether the history of a warp keeps the instruction: what synchronises and
/// what leaves work with an engine.
static bool isNoted(std::string_view base, std::string_view opcode) {
  static const char *const kNoted[] = {
      "mbarrier",   "cp.async",       "cp.reduce.async",
      "tcgen05",    "wgmma",          "barrier",
      "bar",        "fence",          "membar",
      "setmaxnreg", "griddepcontrol", "atom",
      "red",        "st.async",       "st.bulk",
      "multimem",   "redux",          "clusterlaunchcontrol",
      "elect",      "trap",           "brkpt",
      "exit"};
  for (const char *start : kNoted) {
    size_t length = std::strlen(start);
    if (base.substr(0, length) == start &&
        (base.size() == length || base[length] == '.'))
      return true;
  }
  for (const char *order : {".acquire", ".release", ".acq_rel"})
    if (opcode.find(order) != opcode.npos)
      return true;
  return false;
}

void FunctionDecoder::decodeInstruction(const ast::Instruction &source) {
  currentInstruction = &source;
  if (kernel.code.size() > maxInstructions)
    return fail("expected at most " + std::to_string(maxInstructions) +
                    " instructions with all calls inlined",
                source.line);
  DecodedInst inst;
  inst.line = source.line;
  inst.text = source.text;
  if (!decodeGuard(source, inst))
    return;
  std::vector<std::string_view> parts = splitOpcode(source.opcode);
  if (parts[0] == "call")
    return decodeCall(source, inst.guarded ? &inst.guard : nullptr);
  unsigned used = 0;
  const InstructionTable::Entry *family =
      InstructionTable::get().find(parts, used);
  if (!family)
    return fail("unsupported instruction '" + std::string(source.text) + "'",
                source.line);
  size_t baseLength = 0;
  for (unsigned i = 0; i < used; ++i)
    baseLength += parts[i].size() + (i ? 1 : 0);
  parts.erase(parts.begin(), parts.begin() + used);
  DecodeContext context(*this, source, inst, std::move(parts),
                        source.opcode.substr(0, baseLength));
  inst.computes = family->computes;
  inst.flow = family->flow;
  if (isNoted(context.base, source.opcode))
    inst.run = execAndRemember;
  family->decode(context);
  if (failed())
    return;
  for (std::string_view modifier : context.modifiers)
    if (!modifier.empty())
      return context.fail("unknown modifier ." + std::string(modifier));
  if (!inst.fn)
    return; // nothing to execute
  kernel.code.push_back(std::move(inst));
}

void FunctionDecoder::emitJump(uint32_t label, int line,
                               std::string_view text) {
  DecodedInst inst;
  inst.fn = execBranch;
  inst.line = line;
  inst.text = text;
  addBranch(here(), label);
  kernel.code.push_back(std::move(inst));
}

KernelCode FunctionDecoder::decode() {
  kernel.info.name = std::string(entry.name);
  kernel.info.line = entry.line;
  kernel.info.reqntid = entry.reqntid;
  kernel.info.maxntid = entry.maxntid;
  kernel.info.reqnctapercluster = entry.reqnctapercluster;
  kernel.info.maxclusterrank = entry.maxclusterrank;
  kernel.info.explicitcluster = entry.explicitcluster;
  kernel.info.minnctapersm = entry.minnctapersm;
  kernel.info.maxnreg = entry.maxnreg;
  scopes.emplace_back();
  layoutShared();
  scopes.emplace_back();
  layoutParams();
  decodeBody(entry);
  // Falling off the end is a return.
  DecodedInst end;
  end.fn = execExit;
  end.line = entry.line;
  end.text = "}";
  kernel.code.push_back(std::move(end));
  if (!failed())
    finishBranches();
  for (DecodedInst &inst : kernel.code)
    if (!inst.run)
      inst.run = inst.fn;
  return std::move(kernel);
}

void FunctionDecoder::finishBranches() {
  std::unordered_map<uint32_t, std::vector<uint32_t>> tables;
  auto resolve = [&](uint32_t label, uint32_t inst) {
    if (labelTargets[label] == ~0u)
      fail("branch to a label that is not defined", kernel.code[inst].line);
    return labelTargets[label];
  };
  for (const Branch &branch : branches) {
    DecodedInst &inst = kernel.code[branch.instruction];
    inst.target = resolve(branch.label, branch.instruction);
    inst.flow = Flow::Branch;
  }
  for (const Indirect &jump : indirect) {
    auto table = std::make_shared<BranchTable>();
    for (uint32_t label : jump.labels)
      table->targets.push_back(resolve(label, jump.instruction));
    tables[jump.instruction] = table->targets;
    kernel.code[jump.instruction].payload = std::move(table);
  }
  if (!failed())
    findReconvergence(kernel.code, tables);
}

KernelCode decodeKernel(const Module &module, const ast::Function &entry) {
  return FunctionDecoder(module, entry).decode();
}

} // namespace tc::emu
