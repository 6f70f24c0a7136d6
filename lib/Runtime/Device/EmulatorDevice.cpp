//===- EmulatorDevice.cpp - The CPU emulator as a device --------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Forwards to the emulator.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Device/TensorMapNames.h"

using namespace tc;
using namespace tc::runtime;

// Out of line, so that the class has one home for its virtual table.
Device::~Device() = default;

Expected<Timing> Device::measure(const std::vector<emu::LaunchConfig> &,
                                 const TimingOptions &) {
  return makeError("expected --device=cuda: the emulator has no clock");
}

Status Device::enqueue(const emu::LaunchConfig &, void *) {
  return makeError("expected --device=cuda: the emulator has no streams");
}
Status Device::enqueueCopy(uint64_t, uint64_t, uint64_t, void *) {
  return makeError("expected --device=cuda: the emulator has no streams");
}

Status Device::loadAt(std::string_view ptx, const std::string &fileName,
                      const emu::VariablePlaces &places) {
  if (!places.empty())
    return Error{"expected the emulator for variables with addresses, got "
                 "another device"};
  return load(ptx, fileName);
}
const std::vector<emu::VariableInfo> &Device::variables() const {
  static const std::vector<emu::VariableInfo> none;
  return none;
}

namespace {

class EmulatorDevice final : public Device {
public:
  Status load(std::string_view ptx, const std::string &fileName) override {
    return loadAt(ptx, fileName, {});
  }
  Status loadAt(std::string_view ptx, const std::string &fileName,
                const emu::VariablePlaces &places) override {
    Expected<std::shared_ptr<const emu::Program>> parsed =
        emu::parsePTXAt(ptx, fileName, memory, places);
    if (!parsed)
      return parsed.takeError();
    program = std::move(*parsed);
    return {};
  }

  const std::vector<emu::KernelInfo> &kernels() const override {
    static const std::vector<emu::KernelInfo> none;
    return program ? program->kernels() : none;
  }

  const std::vector<emu::VariableInfo> &variables() const override {
    return program ? program->variables() : Device::variables();
  }

  Expected<uint64_t> allocate(uint64_t bytes, uint64_t address,
                              const std::string &name) override {
    return memory.allocate(bytes, /*alignment=*/address ? 1 : 256, address,
                           name);
  }
  Status write(uint64_t address, const std::vector<uint8_t> &data) override {
    return memory.write(address, data.data(), data.size());
  }
  Status read(uint64_t address, std::vector<uint8_t> &data) override {
    return memory.read(address, data.data(), data.size());
  }
  Status setReadOnly(uint64_t address) override {
    return memory.setReadOnly(address);
  }

  Expected<std::array<uint8_t, 128>>
  encodeTensorMap(const TensorMapArguments &map) override;

  emu::RunResult launch(const emu::LaunchConfig &config,
                        const emu::RunOptions &options) override {
    if (!program) {
      emu::RunResult result;
      result.reports.push_back(
          {emu::ReportKind::BadLaunch, "no PTX is loaded", {}, {}});
      return result;
    }
    return emu::launch(*program, config, memory, options);
  }

private:
  std::shared_ptr<const emu::Program> program;
  emu::DeviceMemory memory;
};

} // namespace

Expected<std::array<uint8_t, 128>>
EmulatorDevice::encodeTensorMap(const TensorMapArguments &map) {
  Expected<emu::TensorMapDesc> desc = describeTensorMap(map);
  if (!desc)
    return desc.takeError();
  return emu::encodeTensorMap(*desc);
}

std::unique_ptr<Device> runtime::createEmulatorDevice() {
  return std::make_unique<EmulatorDevice>();
}
