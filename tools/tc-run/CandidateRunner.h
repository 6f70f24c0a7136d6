//===- CandidateRunner.h - Runs candidates of a product ---------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_TCRUN_CANDIDATERUNNER_H
#define TC_TOOLS_TCRUN_CANDIDATERUNNER_H

#include "Options.h"

#include "tc/Runtime/Tuning.h"

namespace tc::run {

/// Runs candidates of a product on the same buffers and compares their results.
class CandidateRunner {
public:
  CandidateRunner(const Options &options, const runtime::TuneFolder &folder)
      : options(options), folder(folder) {}

  runtime::Expected<std::unique_ptr<runtime::Device>> createDevice() const;

  /// Makes the buffers of the product of `candidate`.
  runtime::Status prepare(const runtime::TuneCandidate &candidate);
  /// Launches `candidate` on them, compares what it left, and where it is
  /// timed, takes its times.
  runtime::Status measure(runtime::TuneCandidate &candidate, bool isTimed);
  /// Runs `candidate` on the emulator, with buffers of its own.
  runtime::Status runEmulated(const runtime::TuneCandidate &candidate);

  /// Whether the buffers exist; whether the device still reads them.
  bool hasBuffers() const { return home.session != nullptr; }
  bool canRead();
  /// Whether there is a result to compare with.
  bool hasResult() const { return !expected.empty(); }
  void clearBuffers() { home.clear(); }
  void clearResult() { expected.clear(); }

  /// The name of the device that measured.
  const std::string &getDeviceName() const { return deviceName; }

private:
  /// A candidate that is loaded, the session before the device that it needs.
  struct Loaded {
    std::unique_ptr<runtime::Device> device;
    std::unique_ptr<runtime::Session> session;

    void clear() {
      session.reset();
      device.reset();
    }
  };

  /// What a candidate left in a buffer.
  struct Output {
    std::string name;
    runtime::DType type;
    std::vector<uint8_t> bytes;
  };

  runtime::Expected<Loaded> load(const runtime::TuneCandidate &candidate,
                                 bool onCallersBuffers) const;
  runtime::Status check(const runtime::RunRecord &record) const;
  runtime::Expected<Output> readOutput(runtime::Device &device,
                                       const runtime::BufferSpec &buffer,
                                       uint64_t address, uint64_t bytes) const;
  runtime::Status compare(const std::vector<Output> &outputs);

  const Options &options;
  const runtime::TuneFolder &folder;
  /// The session of the buffers, of the product that is measured now.
  Loaded home;
  /// The results of its first candidate.
  std::vector<Output> expected;
  std::string deviceName;
};

} // namespace tc::run

#endif // TC_TOOLS_TCRUN_CANDIDATERUNNER_H
