//===- Debugger.cpp - stopping at a line ----------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Debugger.h"

#include "Debug/Observers.h"
#include "Debug/Views.h"
#include "State/Module.h"

#include <algorithm>
#include <cstdio>

namespace tc::emu {

//===----------------------------------------------------------------------===//
// Reading requests
//===----------------------------------------------------------------------===//

/// A number of at most 10 digits, hexadecimal after 0x.
static std::optional<uint64_t> readNumber(std::string_view text) {
  unsigned base = 10;
  if (text.substr(0, 2) == "0x") {
    base = 16;
    text.remove_prefix(2);
  }
  if (text.empty() || text.size() > 10)
    return {};
  uint64_t value = 0;
  for (char c : text) {
    unsigned digit = c >= '0' && c <= '9'   ? unsigned(c - '0')
                     : c >= 'a' && c <= 'f' ? unsigned(c - 'a' + 10)
                     : c >= 'A' && c <= 'F' ? unsigned(c - 'A' + 10)
                                            : 16;
    if (digit >= base)
      return {};
    value = value * base + digit;
  }
  return value;
}

Expected<StopPoint> StopPoint::parse(std::string_view text) {
  const size_t colon = text.find(':');
  std::optional<uint64_t> line = readNumber(text.substr(0, colon)), count = 1;
  if (colon != text.npos)
    count = readNumber(text.substr(colon + 1));
  if (!line || !count || !*line || !*count || *line > INT32_MAX)
    return Error{"expected LINE or LINE:COUNT, both at least 1, got '" +
                 std::string(text) + "'"};
  StopPoint point;
  point.line = int(*line);
  point.count = *count;
  return point;
}

Status StopPoint::parsePlace(std::string_view text) {
  const Error error{"expected X[,Y[,Z]] of a CTA, /WARP, or both, got '" +
                    std::string(text) + "'"};
  const size_t slash = text.find('/');
  std::string_view rest = text.substr(0, slash);
  if (!rest.empty()) {
    cta.emplace();
    *cta = {};
    for (unsigned i = 0;; ++i) {
      const size_t comma = rest.find(',');
      std::optional<uint64_t> number = readNumber(rest.substr(0, comma));
      if (!number || i == 3 || *number > UINT32_MAX)
        return error;
      (*cta)[i] = unsigned(*number);
      if (comma == rest.npos)
        break;
      rest.remove_prefix(comma + 1);
    }
  }
  if (slash != text.npos) {
    std::optional<uint64_t> number = readNumber(text.substr(slash + 1));
    if (!number || *number > UINT32_MAX)
      return error;
    warp = unsigned(*number);
  } else if (!cta) {
    return error;
  }
  return {};
}

static Expected<StopView> readView(std::string_view item) {
  const size_t colon = item.find(':');
  const std::string_view kind = item.substr(0, colon);
  std::string_view rest =
      colon == item.npos ? std::string_view() : item.substr(colon + 1);
  StopView view;
  const bool isRange = kind == "SMEM" || kind == "TMEM";
  if (!isRange && kind != "REGS")
    return Error{"expected REGS, SMEM or TMEM, got '" + std::string(kind) +
                 "'"};
  view.kind = kind == "REGS"   ? StopView::Kind::Registers
              : kind == "SMEM" ? StopView::Kind::Shared
                               : StopView::Kind::Tensor;
  if (colon == item.npos)
    return view;
  if (isRange) {
    const size_t plus = rest.find('+');
    std::optional<uint64_t> first = readNumber(rest.substr(0, plus)), count;
    if (plus != rest.npos)
      count = readNumber(rest.substr(plus + 1));
    if (!first || !count || !*count || *first > UINT32_MAX ||
        *count > UINT32_MAX)
      return Error{std::string(kind) + ": expected " +
                   (kind == "SMEM" ? "OFFSET+BYTES" : "COLUMN+COLUMNS") +
                   ", got '" + std::string(rest) + "'"};
    view.first = uint32_t(*first);
    view.count = uint32_t(*count);
    return view;
  }
  const size_t slash = rest.find('/');
  view.name = rest.substr(0, slash);
  if (slash != rest.npos)
    view.type = rest.substr(slash + 1);
  if (view.name.empty())
    return Error{"REGS: expected NAME or NAME/TYPE, got '" + std::string(rest) +
                 "'"};
  if (slash != rest.npos && !sizeOf(parseType(view.type)))
    return Error{
        "REGS: expected a type such as f32, s32, u64 or bf16x2, got '" +
        view.type + "'"};
  return view;
}

Expected<std::vector<StopView>> StopView::parse(std::string_view list) {
  std::vector<StopView> views;
  while (true) {
    const size_t comma = list.find(',');
    Expected<StopView> view = readView(list.substr(0, comma));
    if (!view)
      return view.takeError();
    views.push_back(std::move(*view));
    if (comma == list.npos)
      return views;
    list.remove_prefix(comma + 1);
  }
}

//===----------------------------------------------------------------------===//
// Debugger
//===----------------------------------------------------------------------===//

/// The line with an instruction of the program that is nearest to `line`.
static int nearestLine(const Module &module, int line) {
  int nearest = 0;
  for (const KernelCode &kernel : module.kernels)
    for (size_t i = 0; i + 1 < kernel.code.size(); ++i) {
      int candidate = kernel.code[i].line;
      if (!nearest || std::abs(candidate - line) < std::abs(nearest - line))
        nearest = candidate;
    }
  return nearest;
}

std::string Debugger::attach(const Program &program, const KernelCode &kernel,
                             const LaunchConfig &config) {
  places.clear();
  std::vector<bool> found(kernel.code.size());
  // The last one is the end of the body.
  for (size_t i = 0; i + 1 < kernel.code.size(); ++i)
    found[i] = kernel.code[i].line == point.line &&
               (i == 0 || kernel.code[i - 1].line != point.line);
  if (std::find(found.begin(), found.end(), true) == found.end()) {
    int nearest = nearestLine(program.module(), point.line);
    if (nearest == point.line)
      return ""; // of another kernel
    return "expected a line with an instruction, got " +
           std::to_string(point.line) +
           (nearest ? " (nearest: " + std::to_string(nearest) + ")" : "");
  }
  if (point.cta)
    for (unsigned i = 0; i < 3; ++i)
      if ((*point.cta)[i] >= config.grid[i])
        return "expected a CTA of grid (" + std::to_string(config.grid[0]) +
               "," + std::to_string(config.grid[1]) + "," +
               std::to_string(config.grid[2]) + "), got (" +
               std::to_string((*point.cta)[0]) + "," +
               std::to_string((*point.cta)[1]) + "," +
               std::to_string((*point.cta)[2]) + ")";
  const unsigned threads = config.block[0] * config.block[1] * config.block[2];
  if (point.warp && *point.warp >= (threads + 31) / 32)
    return "expected a warp in [0, " + std::to_string((threads + 31) / 32) +
           "), got " + std::to_string(*point.warp);
  for (const StopView &view : views) {
    if (view.kind != StopView::Kind::Registers || view.name.empty())
      continue;
    auto reg = std::find_if(
        kernel.registers.begin(), kernel.registers.end(),
        [&](const KernelCode::Register &r) { return r.name == view.name; });
    if (reg == kernel.registers.end())
      return "expected a register that kernel '" + kernel.info.name +
             "' uses, got '" + view.name + "'";
    if (!view.type.empty() && sizeOf(parseType(view.type)) != sizeOf(reg->type))
      return "expected a type of " + std::to_string(sizeOf(reg->type)) +
             " bytes for register '" + view.name + "', got ." + view.type;
  }
  places = std::move(found);
  return "";
}

bool Debugger::matches(const Warp &warp) const {
  return (!point.cta || warp.cta.ctaid == *point.cta) &&
         (!point.warp || warp.index == *point.warp);
}

bool Debugger::stopsAt(Warp &warp, uint32_t pc, uint32_t lanes) {
  if (!places[pc] || executed + 1 < point.count || !matches(warp))
    return false;
  text = describe(warp, warp.machine.kernel.code[pc], lanes);
  return true;
}

std::string Debugger::describe(Warp &warp, const DecodedInst &inst,
                               uint32_t lanes) {
  const KernelCode &kernel = warp.machine.kernel;
  char mask[16];
  snprintf(mask, sizeof(mask), "0x%08x", lanes);
  std::string out = "stopped before line " + std::to_string(inst.line) + " '" +
                    cleanText(inst.text) + "', execution " +
                    std::to_string(executed + 1) + ", in " + warp.name() +
                    ", lanes " + mask + "\n";
  bool named = false;
  unsigned unwritten = 0;
  for (const StopView &view : views) {
    switch (view.kind) {
    case StopView::Kind::Registers:
      if (!named)
        out += "registers of " + warp.name() + ":\n";
      named = true;
      for (const KernelCode::Register &reg : kernel.registers) {
        if (!view.name.empty() && reg.name != view.name)
          continue;
        if (view.name.empty() && !(warp.defined[0][reg.dst.reg] & lanes) &&
            !warp.pendingOp(reg.dst.reg)) {
          ++unwritten;
          continue;
        }
        const Type as = parseType(view.type);
        out += showRegister(warp, reg, lanes,
                            sizeOf(as) == sizeOf(reg.type) ? as : Type::None);
      }
      if (unwritten)
        out += "  and " + std::to_string(unwritten) + " never written\n";
      unwritten = 0;
      break;
    case StopView::Kind::Shared:
      out +=
          showShared(warp.cta, std::max(view.first, kSmemReserved), view.count);
      break;
    case StopView::Kind::Tensor: {
      TmemWindow window;
      window.column = std::min(view.first, Tmem::kColumns);
      window.columns = std::min(view.count, Tmem::kColumns);
      out += showTmem(warp.cta, window);
      break;
    }
    }
  }
  return out;
}

namespace {
class ClusterDebugger final : public Observer {
public:
  explicit ClusterDebugger(Debugger &debugger) : debugger(debugger) {}

  unsigned subjects() const override { return Instructions; }
  bool stopsAt(Warp &warp, uint32_t pc, uint32_t lanes) override {
    return debugger.stopsAt(warp, pc, lanes);
  }
  void executed(const Warp &warp, uint32_t pc) override {
    debugger.hasExecuted(warp, pc);
  }

private:
  Debugger &debugger;
};

class DebuggerObserver final : public LaunchObserver {
public:
  explicit DebuggerObserver(Debugger &debugger) : debugger(debugger) {}
  std::unique_ptr<Observer> observe(Cluster &) override {
    if (!debugger.watches())
      return nullptr;
    return std::make_unique<ClusterDebugger>(debugger);
  }

private:
  Debugger &debugger;
};
} // namespace

std::unique_ptr<LaunchObserver> observeForDebugger(Debugger &debugger) {
  return std::make_unique<DebuggerObserver>(debugger);
}

} // namespace tc::emu
