//===- FuzzInput.cpp - run one damaged input ------------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device that gives the emulator's launches a small instruction budget, since
// damage makes endless loops; otherwise what tc-run does.
//
//===----------------------------------------------------------------------===//

#include "FuzzInput.h"

#include "tc/Emulator/Emulator.h"
#include "tc/Runtime/Device.h"
#include "tc/Runtime/Session.h"

#include <cstdio>
#include <cstdlib>

using namespace tc;
using namespace tc::test;

namespace {

constexpr uint64_t maxInstructions = 20000, maxBytes = 16 << 20;
const std::string ptxName = "input.ptx", launchName = "input.json";

class BudgetDevice final : public runtime::Device {
public:
  emu::Status load(std::string_view ptx, const std::string &name) override {
    return inner->load(ptx, name);
  }
  const std::vector<emu::KernelInfo> &kernels() const override {
    return inner->kernels();
  }
  emu::Expected<uint64_t> allocate(uint64_t bytes, uint64_t address,
                                   const std::string &name) override {
    return inner->allocate(bytes, address, name);
  }
  emu::Status write(uint64_t address,
                    const std::vector<uint8_t> &data) override {
    return inner->write(address, data);
  }
  emu::Status read(uint64_t address, std::vector<uint8_t> &data) override {
    return inner->read(address, data);
  }
  emu::Status setReadOnly(uint64_t address) override {
    return inner->setReadOnly(address);
  }
  emu::Expected<std::array<uint8_t, 128>>
  encodeTensorMap(const runtime::TensorMapArguments &map) override {
    return inner->encodeTensorMap(map);
  }
  emu::RunResult launch(const emu::LaunchConfig &config,
                        const emu::RunOptions &options) override {
    emu::RunOptions small = options;
    small.maxInstructions = maxInstructions;
    small.threads = 1;
    return inner->launch(config, small);
  }

private:
  std::unique_ptr<runtime::Device> inner = runtime::createEmulatorDevice();
};

/// Keeps the message; one about the text names the file.
void note(FuzzOutcome &outcome, const std::string &message, bool isReport) {
  outcome.messages.push_back(message);
  bool named = message.find(ptxName) != message.npos ||
               message.find(launchName) != message.npos;
  if (message.empty() || (isReport && !named)) {
    std::fprintf(stderr, "a message without a file name: '%s'\n",
                 message.c_str());
    std::abort();
  }
}

void note(FuzzOutcome &outcome, const std::vector<emu::Report> &reports) {
  for (const emu::Report &report : reports)
    note(outcome, report.message,
         !report.lines.empty() && report.lines[0] != 0);
}

void runEveryKernel(const emu::Program &program, FuzzOutcome &outcome) {
  outcome.stage = FuzzOutcome::Ran;
  for (const emu::KernelInfo &kernel : program.kernels()) {
    emu::DeviceMemory memory;
    emu::LaunchConfig config;
    config.entry = kernel.name;
    config.block = {64, 1, 1};
    if (kernel.reqnctapercluster[0])
      config.grid = kernel.reqnctapercluster;
    config.params.resize(std::min(kernel.paramBytes, 1u << 16));
    emu::RunOptions options;
    options.maxInstructions = maxInstructions;
    options.threads = 1;
    options.checkRaces = true;
    options.schedule = *emu::Schedule::parse("random:1");
    emu::RunResult result = emu::launch(program, config, memory, options);
    note(outcome, result.reports);
    if (!result.ok)
      outcome.stage = FuzzOutcome::Failed;
  }
}

} // namespace

FuzzOutcome test::runFuzzInput(std::string_view input) {
  FuzzOutcome outcome;
  size_t mark = input.find(launchMark);
  std::string_view ptx = input.substr(0, mark);
  if (mark == input.npos) {
    auto program = emu::parsePTX(ptx, ptxName);
    if (program)
      runEveryKernel(**program, outcome);
    else
      note(outcome, program.error().message, false);
    return outcome;
  }
  BudgetDevice device;
  if (emu::Status status = device.load(ptx, ptxName); !status) {
    note(outcome, status.error().message, false);
    return outcome;
  }
  auto description = runtime::Description::parse(
      input.substr(mark + launchMark.size()), launchName);
  if (!description) {
    note(outcome, description.error().message, true);
    return outcome;
  }
  runtime::SessionOptions options;
  options.threads = 1;
  options.maxBytes = maxBytes;
  for (const std::string &size : description->sizes)
    options.sizes[size] = 24;
  auto session =
      runtime::Session::create(std::move(*description), device, options);
  if (!session) {
    note(outcome, session.error().message, false);
    return outcome;
  }
  outcome.stage = FuzzOutcome::Failed;
  auto record = (*session)->run(*emu::Schedule::parse("random:1"));
  if (!record) {
    note(outcome, record.error().message, false);
    return outcome;
  }
  note(outcome, record->reports);
  if (!record->ok)
    return outcome;
  for (const std::string &line : (*session)->findStrayWrites(*record))
    note(outcome, line, false);
  if (!(*session)->description().problems.empty())
    if (auto results = (*session)->check(*record); !results)
      note(outcome, results.error().message, false);
  outcome.stage = FuzzOutcome::Ran;
  return outcome;
}
