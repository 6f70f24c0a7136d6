//===- CandidateRunner.cpp - Runs candidates of a product -------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffers of a product are made once, by a session of its first candidate;
// every candidate is launched on them. A candidate whose result is not that of
// the first one gets no time.
//
//===----------------------------------------------------------------------===//

#include "CandidateRunner.h"

#include <algorithm>
#include <cmath>
#include <unistd.h>

using namespace tc;
using namespace tc::run;
using runtime::Error;
using runtime::Expected;
using runtime::makeError;
using runtime::Status;
using runtime::TuneCandidate;

/// Results are compared in pieces, spread over a buffer that is larger than
/// this many of them.
static constexpr uint64_t kPieceBytes = 1 << 16;
static constexpr uint64_t kMostPieces = 256;

/// Part of a value, and of the mean size of all values, by which results of two
/// candidates may differ: they add in different orders, and round.
static constexpr double kTolerance = 1.0 / 32;

/// Whether the caller of a launch has the memory of `buffer`.
static bool isArgument(const runtime::BufferSpec &buffer) {
  return buffer.role != runtime::BufferRole::Temporary;
}

static bool isWritten(const runtime::BufferSpec &buffer) {
  return buffer.role == runtime::BufferRole::Out ||
         buffer.role == runtime::BufferRole::InOut;
}

Expected<std::unique_ptr<runtime::Device>>
CandidateRunner::createDevice() const {
  if (options.onCuda)
    return runtime::createCudaDevice();
  return runtime::createEmulatorDevice();
}

Expected<CandidateRunner::Loaded>
CandidateRunner::load(const TuneCandidate &candidate,
                      bool onCallersBuffers) const {
  const std::string path = folder.path + "/" + candidate.file;
  Expected<runtime::Description> description =
      runtime::Description::readFile(path + ".json");
  if (!description)
    return description.takeError();
  // Without a cubin the driver assembles the PTX.
  const bool hasCubin = access((path + ".cubin").c_str(), R_OK) == 0;
  const std::string code =
      path + (options.onCuda && hasCubin ? ".cubin" : ".ptx");
  Expected<std::vector<uint8_t>> bytes = runtime::readFile(code);
  if (!bytes)
    return bytes.takeError();
  Expected<std::unique_ptr<runtime::Device>> device = createDevice();
  if (!device)
    return device.takeError();
  Loaded loaded;
  loaded.device = std::move(*device);
  if (Status status = loaded.device->load(
          std::string_view(reinterpret_cast<const char *>(bytes->data()),
                           bytes->size()),
          code);
      !status)
    return makeError(code, status.error().message);
  runtime::SessionOptions session = options.session;
  if (onCallersBuffers)
    for (const runtime::BufferSpec &buffer : description->buffers)
      if (isArgument(buffer))
        session.callersBuffers.insert(buffer.name);
  auto created = runtime::Session::create(std::move(*description),
                                          *loaded.device, std::move(session));
  if (!created)
    return created.takeError();
  loaded.session = std::move(*created);
  return loaded;
}

Status CandidateRunner::check(const runtime::RunRecord &run) const {
  if (!run.ok)
    return makeError(run.reports.empty() ? "it did not run"
                                         : run.reports.front().message);
  if (!options.check)
    return {};
  auto results = home.session->check(run);
  if (!results)
    return results.takeError();
  for (const runtime::ProblemResult &result : *results)
    if (result.summary.mismatches)
      return makeError("compared with float64 " +
                       std::to_string(result.summary.mismatches) + " of " +
                       std::to_string(result.summary.elements) +
                       " elements are wrong");
  return {};
}

/// Makes the buffers of the product of `candidate`.
Status CandidateRunner::prepare(const TuneCandidate &candidate) {
  home.clear();
  Expected<Loaded> loaded = load(candidate, /*onCallersBuffers=*/false);
  if (!loaded)
    return loaded.takeError();
  home = std::move(*loaded);
  runtime::Session &session = *home.session;
  if (options.check) {
    Expected<runtime::RunRecord> run = session.run({});
    if (!run)
      return run.takeError();
    if (Status status = check(*run); !status)
      return status;
  }
  for (size_t i = 0; i < session.description().buffers.size(); ++i)
    if (!session.initial(i).empty())
      if (Status status =
              home.device->write(session.address(i), session.initial(i));
          !status)
        return status;
  return {};
}

/// Compares with the first candidate, which these are of if there was none.
Status CandidateRunner::compare(const std::vector<Output> &outputs) {
  if (expected.empty()) {
    expected = outputs;
    return {};
  }
  for (size_t i = 0; i < outputs.size(); ++i) {
    const Output &got = outputs[i], &first = expected[i];
    if (got.bytes == first.bytes)
      continue;
    const unsigned bits = runtime::getInfo(got.type).bits;
    const size_t count = got.bytes.size() * 8 / bits;
    auto valueOf = [&](const Output &output, size_t element) {
      return runtime::decode(
          output.type,
          runtime::readElement(output.bytes.data(), element, bits));
    };
    double sum = 0;
    for (size_t j = 0; j < count; ++j)
      if (double value = std::fabs(valueOf(first, j)); std::isfinite(value))
        sum += value;
    const bool isFloat = runtime::getInfo(got.type).mantissaBits != 0;
    const double mean = sum / double(count);
    for (size_t j = 0; j < count; ++j) {
      const double a = valueOf(first, j), b = valueOf(got, j);
      const double most =
          isFloat ? kTolerance * (mean + std::max(std::fabs(a), std::fabs(b)))
                  : 0;
      if (a == b || (std::isnan(a) && std::isnan(b)) ||
          std::fabs(a - b) <= most)
        continue;
      return makeError("its result is not that of candidate 0: an element of "
                       "'" +
                       got.name + "' is " + std::to_string(b) + ", expected " +
                       std::to_string(a));
    }
  }
  return {};
}

/// What a candidate left in `buffer`, or pieces of it.
Expected<CandidateRunner::Output>
CandidateRunner::readOutput(runtime::Device &device,
                            const runtime::BufferSpec &buffer, uint64_t address,
                            uint64_t bytes) const {
  Output output = {buffer.name, buffer.type, {}};
  const uint64_t pieces =
      std::clamp<uint64_t>(bytes / kPieceBytes, 1, kMostPieces);
  for (uint64_t i = 0; i < pieces; ++i) {
    // The last piece is at the end. Elements of 4 bits are in whole words.
    uint64_t size = pieces == 1 ? bytes : kPieceBytes;
    uint64_t start =
        pieces == 1 ? 0 : (bytes - size) / (pieces - 1) * i / 16 * 16;
    std::vector<uint8_t> piece(size);
    if (Status status = device.read(address + start, piece); !status)
      return status.takeError();
    output.bytes.insert(output.bytes.end(), piece.begin(), piece.end());
  }
  return output;
}

Status CandidateRunner::measure(TuneCandidate &candidate, bool isTimed) {
  Expected<Loaded> loaded = load(candidate, /*onCallersBuffers=*/true);
  if (!loaded)
    return loaded.takeError();
  runtime::Session &session = *loaded->session;
  runtime::Device &device = *loaded->device;
  const runtime::Description &description = session.description();
  const runtime::Description &first = home.session->description();
  std::vector<uint64_t> addresses;
  std::vector<std::pair<size_t, uint64_t>> written;
  for (size_t i = 0; i < description.buffers.size(); ++i) {
    const runtime::BufferSpec &buffer = description.buffers[i];
    if (!isArgument(buffer)) {
      addresses.push_back(0);
      continue;
    }
    const runtime::BufferSpec *same = first.findBuffer(buffer.name);
    const size_t index = size_t(same - first.buffers.data());
    if (!same || same->type != buffer.type ||
        home.session->layout(index).bytes() != session.layout(i).bytes())
      return makeError("its buffer '" + buffer.name +
                       "' is not one of candidate 0");
    const uint64_t address = home.session->address(index);
    addresses.push_back(address);
    if (!isWritten(buffer))
      continue;
    written.push_back({i, address});
    const std::vector<uint8_t> &initial = home.session->initial(index);
    Status status =
        buffer.role == runtime::BufferRole::InOut
            ? device.write(address, initial)
            : device.enqueueCopy(address, 0, initial.size(), nullptr);
    if (!status)
      return status;
  }
  if (Status status = session.launch(addresses, nullptr); !status)
    return status;
  std::vector<Output> outputs;
  for (auto [index, address] : written) {
    Expected<Output> output =
        readOutput(device, description.buffers[index], address,
                   session.layout(index).bytes());
    if (!output)
      return output.takeError();
    outputs.push_back(std::move(*output));
  }
  if (Status status = compare(outputs); !status || !isTimed)
    return status;
  runtime::TimingOptions timing;
  timing.samples = options.samples;
  Expected<runtime::Timing> times = session.measure(timing);
  if (!times)
    return times.takeError();
  candidate.seconds = times->samples;
  candidate.clockMHz = times->clockMHz;
  candidate.watts = times->watts;
  deviceName = times->device;
  return {};
}

Status CandidateRunner::runEmulated(const TuneCandidate &candidate) {
  Expected<Loaded> loaded = load(candidate, /*onCallersBuffers=*/false);
  if (!loaded)
    return loaded.takeError();
  home.clear();
  home = std::move(*loaded);
  const emu::Schedule schedule =
      options.schedules.empty() ? emu::Schedule() : options.schedules.front();
  Expected<runtime::RunRecord> run = home.session->run(schedule);
  if (!run)
    return run.takeError();
  if (Status status = check(*run); !status)
    return status;
  std::vector<Output> outputs;
  const auto &buffers = home.session->description().buffers;
  for (size_t i = 0; i < buffers.size(); ++i)
    if (isWritten(buffers[i]))
      outputs.push_back({buffers[i].name, buffers[i].type, run->buffers[i]});
  return compare(outputs);
}

bool CandidateRunner::canRead() {
  std::vector<uint8_t> bytes(1);
  return hasBuffers() &&
         bool(home.device->read(home.session->address(0), bytes));
}
