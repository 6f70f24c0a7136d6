//===- Recorder.cpp - Launches as launch files ------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Recorder.h"

#include "tc/Runtime/Buffer.h"

#include <cerrno>
#include <cstring>
#include <sys/stat.h>

using namespace tc;
using namespace tc::cuda;

static std::string hexBytes(const uint8_t *data, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof(digits), "%02x", data[i]);
    text += digits;
  }
  return text;
}

static std::string triple(const std::array<unsigned, 3> &t) {
  return "[" + std::to_string(t[0]) + ", " + std::to_string(t[1]) + ", " +
         std::to_string(t[2]) + "]";
}

static emu::Status makeFolder(const std::string &path) {
  if (mkdir(path.c_str(), 0777) && errno != EEXIST)
    return emu::Error{"cannot make " + path + ": " + std::strerror(errno)};
  return {};
}

static std::string parameters(const LaunchRequest &request) {
  std::string text;
  for (const emu::ParamInfo &param : request.function->info->params)
    text += (text.empty() ? "\n    " : ",\n    ") +
            ("{\"bytes\": \"" +
             hexBytes(request.config.params.data() + param.offset, param.size) +
             "\"}");
  return text;
}

/// Where `address` is in the file of the launch: a variable of the module, or
/// a buffer.
static const emu::VariableInfo *findVariable(const LaunchRequest &request,
                                             uint64_t address) {
  for (const emu::VariableInfo &variable :
       request.function->module->program->variables())
    if (!variable.isConst && variable.address == address)
      return &variable;
  return nullptr;
}

/// The constants of the module are in one block, which has a variable for each.
static bool isConstants(const LaunchRequest &request, uint64_t address) {
  for (const emu::VariableInfo &variable :
       request.function->module->program->variables())
    if (variable.isConst && variable.allocation == address)
      return true;
  return false;
}

emu::Expected<std::string> cuda::record(const std::string &folder,
                                        uint64_t number,
                                        const LaunchRequest &request,
                                        const Memory::Snapshot &before) {
  const emu::LaunchConfig &config = request.config;
  char stem[32];
  std::snprintf(stem, sizeof(stem), "launch%04llu",
                static_cast<unsigned long long>(number));
  const std::string base = folder + "/" + stem;
  if (emu::Status status = makeFolder(folder); !status)
    return status.takeError();
  auto write = [&](const std::string &path, const void *data, size_t bytes) {
    const uint8_t *from = static_cast<const uint8_t *>(data);
    return runtime::writeFile(path, {from, from + bytes});
  };
  const std::string &ptx = request.function->module->ptx();
  if (emu::Status status = write(base + ".ptx", ptx.data(), ptx.size());
      !status)
    return status.takeError();

  std::string buffers, variables;
  for (const auto &[address, data] : before) {
    if (isConstants(request, address))
      continue;
    const emu::VariableInfo *variable = findVariable(request, address);
    const std::string file = std::string(stem) + "." + hex(address) + ".bin";
    if (emu::Status status =
            write(folder + "/" + file, data.data(), data.size());
        !status)
      return status.takeError();
    std::string &into = variable ? variables : buffers;
    into += (into.empty() ? "\n    " : ",\n    ") +
            quoteJson(variable ? variable->name : "m" + hex(address)) + ": {" +
            (variable ? ""
                      : "\"dtype\": \"u8\", \"shape\": [" +
                            std::to_string(data.size()) + "], ") +
            "\"address\": \"" + hex(address) +
            "\", \"file\": " + quoteJson(file) + "}";
  }
  for (const emu::VariableInfo &variable :
       request.function->module->program->variables()) {
    auto block = before.find(variable.allocation);
    if (!variable.isConst || block == before.end())
      continue;
    variables += (variables.empty() ? "\n    " : ",\n    ") +
                 quoteJson(variable.name) + ": {\"bytes\": \"" +
                 hexBytes(block->second.data() +
                              (variable.address - variable.allocation),
                          variable.bytes) +
                 "\"}";
  }
  std::string json = "{ \"entry\": " + quoteJson(request.function->info->name) +
                     ",\n  \"grid\": " + triple(config.grid) +
                     ", \"block\": " + triple(config.block);
  if (config.cluster[0])
    json += ", \"cluster\": " + triple(config.cluster);
  if (config.preferredCluster[0])
    json += ", \"preferred_cluster\": " + triple(config.preferredCluster);
  json += ",\n  \"dynamic_smem\": " + std::to_string(config.dynamicSmem);
  if (config.programmaticLaunch)
    json += ", \"programmatic_launch\": true";
  if (config.coResident)
    json += ", \"co_resident\": true";
  std::string envregs;
  for (uint32_t value : config.envregs)
    envregs += (envregs.empty() ? "" : ", ") + std::to_string(value);
  if (config.envregs != decltype(config.envregs){})
    json += ",\n  \"envregs\": [" + envregs + "]";
  json += ",\n  \"variables\": {" + variables + "},\n  \"buffers\": {" +
          buffers + "},\n  \"params\": [" + parameters(request) + "] }\n";
  if (emu::Status status = write(base + ".json", json.data(), json.size());
      !status)
    return status.takeError();
  return base + ".json";
}
