//===- Context.cpp - The state behind the CUDA runtime calls ----*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel of interest runs once per schedule, always from the same memory; the
// results have to agree bit for bit, and if they do not, those that differ stay
// in memory, so that the program's own check sees them.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Fatbin.h"

#include <cstdlib>
#include <cstring>

using namespace tc;
using namespace tc::peers;

static std::vector<std::string> split(const char *text) {
  std::vector<std::string> parts;
  std::string part;
  for (; text && *text; ++text)
    if (*text == ',') {
      parts.push_back(std::move(part));
      part.clear();
    } else {
      part += *text;
    }
  if (!part.empty())
    parts.push_back(std::move(part));
  return parts;
}

[[noreturn]] static void stop(const std::string &message) {
  std::fprintf(stderr, "cudart on the emulator: %s\n", message.c_str());
  std::exit(2);
}

Context &Context::get() {
  // Never destroyed: programs free memory after main.
  static Context *context = new Context;
  return *context;
}

Context::Context() {
  const char *list = std::getenv("TC_PEERS_SCHEDULES");
  for (const std::string &name : split(list ? list : "eager")) {
    emu::Expected<emu::Schedule> schedule = emu::Schedule::parse(name);
    if (!schedule)
      stop("TC_PEERS_SCHEDULES: " + schedule.error().message);
    schedules.push_back(*schedule);
  }
  selected = split(std::getenv("TC_PEERS_SELECT"));
  if (const char *mode = std::getenv("TC_PEERS_RACES")) {
    racesName = mode;
    races = !std::strcmp(mode, "off")      ? emu::RaceMode::Off
            : !std::strcmp(mode, "strict") ? emu::RaceMode::Strict
                                           : emu::RaceMode::Default;
  }
  if (const char *count = std::getenv("TC_PEERS_SMS"))
    multiprocessors = unsigned(std::atoi(count));
  if (const char *limit = std::getenv("TC_PEERS_LIMIT"))
    maxInstructions = std::strtoull(limit, nullptr, 10);
  if (const char *path = std::getenv("TC_PEERS_LOG"))
    if (!(logFile = std::fopen(path, "a")))
      stop(std::string("cannot write ") + path);
  if (const char *folder = std::getenv("TC_PEERS_DUMP"))
    dumpFolder = folder;
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

Module *Context::addModule(const void *fatbin) {
  modules.push_back(std::make_unique<Module>());
  Module &module = *modules.back();
  module.ptx = extractPTX(fatbin, module.error);
  if (!dumpFolder.empty() && !module.ptx.empty()) {
    std::string path =
        dumpFolder + "/module" + std::to_string(modules.size()) + ".ptx";
    if (FILE *file = std::fopen(path.c_str(), "w")) {
      std::fwrite(module.ptx.data(), 1, module.ptx.size(), file);
      std::fclose(file);
    }
  }
  return &module;
}

void Context::addFunction(const void *host, Module *module, const char *name) {
  Function function;
  function.module = module;
  function.name = name;
  functions[host] = function;
}

Function *Context::find(const void *host) {
  auto found = functions.find(host);
  return found == functions.end() ? nullptr : &found->second;
}

bool Context::load(Module &module) {
  if (module.program || !module.error.empty())
    return module.program != nullptr;
  auto program = emu::parsePTX(module.ptx, "module.ptx");
  if (!program) {
    module.error = "line " + std::to_string(program.error().line) + ": " +
                   program.error().message;
    return false;
  }
  module.program = std::move(*program);
  return true;
}

bool Context::isSelected(const Function &function) const {
  if (!selected.empty()) {
    for (const std::string &part : selected)
      if (function.name.find(part) != function.name.npos)
        return true;
    return false;
  }
  const std::string &ptx = function.module->ptx;
  size_t begin = ptx.find(".entry " + function.name + "(");
  size_t end = ptx.find(".entry ", begin == ptx.npos ? begin : begin + 1);
  size_t tensor = ptx.find("tcgen05.", begin);
  return begin != ptx.npos && tensor < end;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static uint64_t toAddress(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}

void *Context::allocate(size_t bytes) {
  bytes = bytes ? bytes : 1;
  emu::Expected<uint64_t> address = memory.allocate(bytes);
  if (!address)
    return nullptr;
  allocations[*address] = bytes;
  void *pointer = reinterpret_cast<void *>(*address);
  fill(pointer, 0xcd, bytes);
  return pointer;
}

bool Context::free(void *address) {
  if (address && !allocations.erase(toAddress(address)))
    return false;
  return !address || bool(memory.free(toAddress(address)));
}

bool Context::isDevice(const void *address) const {
  return memory.range(toAddress(address)).data != nullptr;
}

bool Context::copy(void *to, const void *from, size_t bytes) {
  if (!bytes)
    return true;
  auto locate = [&](const void *at) {
    return isDevice(at) ? memory.writable(toAddress(at), bytes)
                        : static_cast<uint8_t *>(const_cast<void *>(at));
  };
  uint8_t *target = locate(to);
  const uint8_t *source = locate(from);
  if (!target || !source) {
    std::fprintf(
        stderr, "cudart on the emulator: copy of %zu bytes: %s\n", bytes,
        memory.explain(toAddress(target ? from : to), bytes, !target).c_str());
    return false;
  }
  std::memmove(target, source, bytes);
  return true;
}

bool Context::fill(void *to, int value, size_t bytes) {
  if (!bytes)
    return true;
  uint8_t *target = isDevice(to) ? memory.writable(toAddress(to), bytes)
                                 : static_cast<uint8_t *>(to);
  if (!target)
    return false;
  std::memset(target, value, bytes);
  return true;
}

Context::Snapshot Context::snapshot() const {
  Snapshot result;
  for (auto [address, bytes] : allocations) {
    const uint8_t *data = memory.readable(address, bytes);
    result[address].assign(data, data + bytes);
  }
  return result;
}

void Context::restore(const Snapshot &from) {
  for (const auto &[address, data] : from)
    std::memcpy(memory.writable(address, data.size()), data.data(),
                data.size());
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

static std::string quote(const std::string &text) {
  std::string result = "\"";
  for (char c : text)
    if (c == '"' || c == '\\')
      result += std::string("\\") + c;
    else if (c == '\n')
      result += "\\n";
    else if (static_cast<unsigned char>(c) >= 0x20)
      result += c;
  return result + "\"";
}

void Context::log(const Function &function, const emu::LaunchConfig &config,
                  const emu::Schedule &schedule, const emu::RunResult &result,
                  bool isSame) {
  std::string reports;
  for (const emu::Report &report : result.reports) {
    std::string line =
        std::string(emu::toString(report.kind)) + ": " + report.message;
    std::fprintf(stderr, "%s under %s: %s\n", function.name.c_str(),
                 schedule.str().c_str(), line.c_str());
    reports += (reports.empty() ? "" : ", ") + quote(line);
  }
  if (!logFile)
    return;
  std::fprintf(
      logFile,
      "{\"kernel\": %s, \"grid\": [%u, %u, %u], \"block\": %u, \"cluster\": "
      "[%u, %u, %u], \"schedule\": \"%s\", \"races\": \"%s\", \"ok\": %s, "
      "\"same\": %s, \"seconds\": %.3f, \"instructions\": %llu, \"macs\": "
      "%llu, \"reports\": [%s]}\n",
      quote(function.name).c_str(), config.grid[0], config.grid[1],
      config.grid[2], config.block[0] * config.block[1] * config.block[2],
      config.cluster[0], config.cluster[1], config.cluster[2],
      schedule.str().c_str(), racesName, result.ok ? "true" : "false",
      isSame ? "true" : "false", result.stats.seconds,
      static_cast<unsigned long long>(result.stats.warpInstructions),
      static_cast<unsigned long long>(result.stats.mmaMacs), reports.c_str());
  std::fflush(logFile);
}

bool Context::run(Function &function, const Launch &launch) {
  if (!load(*function.module)) {
    std::fprintf(stderr, "%s: %s\n", function.name.c_str(),
                 function.module->error.c_str());
    return false;
  }
  const emu::KernelInfo *kernel =
      function.module->program->findKernel(function.name);
  if (!kernel) {
    std::fprintf(stderr, "%s: not in the PTX\n", function.name.c_str());
    return false;
  }
  emu::LaunchConfig config;
  config.entry = function.name;
  config.grid = launch.grid;
  config.block = launch.block;
  config.cluster = launch.cluster;
  config.dynamicSmem = unsigned(launch.dynamicSmem);
  config.params.resize(kernel->paramBytes);
  for (size_t i = 0; i < kernel->params.size(); ++i)
    std::memcpy(config.params.data() + kernel->params[i].offset,
                launch.arguments[i], kernel->params[i].size);

  const bool isOfInterest = isSelected(function);
  const std::vector<emu::Schedule> once(1);
  const std::vector<emu::Schedule> &timings = isOfInterest ? schedules : once;
  Snapshot before, first;
  if (timings.size() > 1)
    before = snapshot();
  bool ok = true, differs = false;
  for (size_t i = 0; i < timings.size(); ++i) {
    if (i && !differs)
      restore(before);
    else if (differs)
      break;
    emu::RunOptions options;
    options.schedule = timings[i];
    options.maxInstructions = maxInstructions;
    options.races = isOfInterest ? races : emu::RaceMode::Off;
    emu::RunResult result =
        emu::launch(*function.module->program, config, memory, options);
    if (!result.output.empty())
      std::fwrite(result.output.data(), 1, result.output.size(), stdout);
    if (result.ok && timings.size() > 1) {
      if (first.empty())
        first = snapshot();
      else
        differs = snapshot() != first;
    }
    log(function, config, timings[i], result, !differs);
    ok &= result.ok;
  }
  if (differs)
    std::fprintf(stderr, "%s: the result depends on the schedule\n",
                 function.name.c_str());
  return ok;
}
