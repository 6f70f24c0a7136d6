//===- Machine.cpp - what one launch shares -------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The windows of the generic address space outside of shared and local memory,
// and the list of reports.
//
//===----------------------------------------------------------------------===//

#include "State/Machine.h"

#include "State/Module.h"
#include "State/Sources.h"
#include "tc/Emulator/Names.h"

namespace tc::emu {

Observer::~Observer() = default;
WaitOracle::~WaitOracle() = default;
LaunchObserver::~LaunchObserver() = default;

const char *toString(ReportKind kind) {
  switch (kind) {
  case ReportKind::BadLaunch:
    return "bad launch";
  case ReportKind::Unsupported:
    return "unsupported";
  case ReportKind::Resource:
    return "resource limit";
  case ReportKind::Memory:
    return "memory error";
  case ReportKind::Undefined:
    return "undefined value";
  case ReportKind::Sync:
    return "synchronisation error";
  case ReportKind::Race:
    return "race";
  case ReportKind::Deadlock:
    return "deadlock";
  case ReportKind::Trap:
    return "trap";
  case ReportKind::Assertion:
    return "assertion";
  case ReportKind::Limit:
    return "instruction limit";
  }
  return "";
}

std::string cleanText(std::string_view text) {
  std::string result;
  for (char c : text) {
    bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank)
      result += c;
    else if (!result.empty() && result.back() != ' ')
      result += ' ';
  }
  // tcgen05.ld of 128 registers does not help anybody.
  if (result.size() > 160)
    result = result.substr(0, 157) + "...";
  return result;
}

Machine::Machine(const Program &program, const KernelCode &kernel,
                 const LaunchConfig &config, DeviceMemory &memory,
                 const RunOptions &options)
    : program(program), kernel(kernel),
      chip(chipFacts(program.module().source->target)), config(config),
      memory(memory), options(options), heap(memory, config.heapBytes),
      constants(kernel.constants.data()),
      constantsDefined(kernel.numConstants + 1, ~0u), params(config.params),
      moduleData(program.module().moduleData) {
  const Module &module = program.module();
  constData = {module.constData.data(), module.constData.size()};
  if (module.constStorage)
    constData.bytes = memory.readable(module.constStorage, constData.size());
}

Machine::~Machine() = default;

std::string nameOfCta(const std::array<unsigned, 3> &ctaid) {
  return "CTA (" + std::to_string(ctaid[0]) + "," + std::to_string(ctaid[1]) +
         "," + std::to_string(ctaid[2]) + ")";
}

std::array<unsigned, 3> Machine::ctaid(uint64_t cluster, unsigned rank) const {
  std::array<unsigned, 3> result;
  for (unsigned i = 0; i < 3; ++i) {
    const unsigned size = config.cluster[i], clusters = config.grid[i] / size;
    result[i] = unsigned(cluster % clusters) * size + rank % size;
    cluster /= clusters;
    rank /= size;
  }
  return result;
}

std::string KernelCode::nameShared(uint32_t offset) const {
  offset -= kSmemReserved;
  for (const SharedVariable &variable : sharedVariables)
    if (offset >= variable.offset &&
        offset - variable.offset < variable.bytes) {
      const uint32_t inside = offset - variable.offset;
      return " (" + shortName(variable.name) +
             (inside ? "+" + std::to_string(inside) : "") + ")";
    }
  return "";
}

bool Machine::isNewRace(int before, int after) {
  std::lock_guard<std::mutex> lock(reportMutex);
  return races.size() < options.keepRaces &&
         races.emplace(before, after).second;
}

void Machine::report(Report report, bool ends) {
  report.message += describeSources(*program.module().source, report);
  std::lock_guard<std::mutex> lock(reportMutex);
  if (reports.size() < options.maxReports)
    reports.push_back(std::move(report));
  if (ends)
    stop = true;
}

void Machine::noteUse(AssumptionMask mask, int before, int after) {
  std::lock_guard<std::mutex> lock(reportMutex);
  for (const AssumptionInfo &info : assumptions())
    if (mask & maskOf(info.assumption))
      places[info.assumption].emplace(before, after);
}

std::vector<AssumptionUse> Machine::uses() const {
  std::vector<AssumptionUse> result;
  for (const auto &[assumption, lines] : places)
    result.push_back({assumption, unsigned(lines.size()), lines.begin()->first,
                      lines.begin()->second});
  return result;
}

void Machine::print(std::string_view text) {
  std::lock_guard<std::mutex> lock(reportMutex);
  output += text;
}

template <class Bytes>
static auto windowPointer(Bytes &image, uint64_t window, uint64_t address,
                          uint64_t bytes) -> decltype(image.data()) {
  uint64_t offset = address - window;
  if (bytes > image.size() || offset > image.size() - bytes)
    return nullptr;
  return image.data() + offset;
}

const uint8_t *Machine::readable(uint64_t address, uint64_t bytes) const {
  if (isDeviceAddress(address))
    return memory.readable(address, bytes);
  if (inWindow(address, kModuleWindow))
    return windowPointer(moduleData, kModuleWindow, address, bytes);
  if (inWindow(address, kConstWindow))
    return windowPointer(constData, kConstWindow, address, bytes);
  if (inWindow(address, kParamWindow))
    return windowPointer(params, kParamWindow, address, bytes);
  return nullptr;
}

uint8_t *Machine::writable(uint64_t address, uint64_t bytes) {
  if (isDeviceAddress(address))
    return memory.writable(address, bytes);
  if (inWindow(address, kModuleWindow))
    return windowPointer(moduleData, kModuleWindow, address, bytes);
  return nullptr;
}

std::string Machine::explain(uint64_t address, uint64_t bytes,
                             bool write) const {
  if (int line = heap.freedAt(address))
    return std::to_string(bytes) + " bytes are in a block that line " +
           std::to_string(line) + " has freed";
  if (isDeviceAddress(address))
    return memory.explain(address, bytes, write);
  std::string access = std::to_string(bytes) + " bytes at offset " +
                       std::to_string(address % kWindowSize) + " of ";
  if (inWindow(address, kModuleWindow))
    return access + "the module's .global variables, which have " +
           std::to_string(moduleData.size()) + " bytes";
  if (inWindow(address, kConstWindow))
    return access + (write ? "constant memory, which is read-only"
                           : "the module's .const variables, which have " +
                                 std::to_string(constData.size()) + " bytes");
  if (inWindow(address, kParamWindow))
    return access + (write ? "the parameters, which are read-only"
                           : "the parameters, which have " +
                                 std::to_string(params.size()) + " bytes");
  if (inWindow(address, kSharedWindow))
    return access + "the shared window, where a global address is expected";
  if (inWindow(address, kLocalWindow))
    return access + "the local window, where a global address is expected";
  return std::to_string(bytes) + " bytes outside of every address window";
}

} // namespace tc::emu
