//===- SessionImpl.h - What a session holds ---------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to Session.cpp, which prepares it, and SessionRun.cpp, which runs it.
//
//===----------------------------------------------------------------------===//

#ifndef TC_RUNTIME_SESSION_SESSIONIMPL_H
#define TC_RUNTIME_SESSION_SESSIONIMPL_H

#include "tc/Runtime/Params.h"
#include "tc/Runtime/Session.h"

namespace tc::runtime {

struct Buffer {
  BufferLayout layout;
  std::vector<uint8_t> initial;
  uint64_t address = 0;
  bool isCallers = false;
  /// Where `launch` finds the first contents of a temporary; 0: all zeros.
  uint64_t pristine = 0;
  bool isRefilled = false;       ///< by each `launch`
  std::vector<uint8_t> expected; ///< after readExpectations
};

/// A module-scope variable: each run starts with the same contents.
struct Variable {
  uint64_t address = 0;
  std::vector<uint8_t> initial;
};

class ProblemViews;

struct Session::Impl final : ParamResolver {
  Impl(Description description, Device &device, SessionOptions options)
      : description(std::move(description)), device(device),
        options(std::move(options)) {}

  const Sizes &sizes() const override { return options.sizes; }
  double scalar(const std::string &name) const override {
    return options.scalars.at(name);
  }
  BufferPlace locate(const std::string &name) const override {
    size_t index = indexOf(name);
    const Buffer &buffer = buffers[index];
    return {buffer.address, buffer.layout.bytes(),
            description.buffers[index].leadBytes()};
  }
  Expected<std::array<uint8_t, 128>>
  encodeTensorMap(const TensorMapArguments &map) const override {
    return device.encodeTensorMap(map);
  }

  size_t indexOf(const std::string &name) const {
    return static_cast<size_t>(description.findBuffer(name) -
                               description.buffers.data());
  }
  /// The contents of a buffer before launch `launch`, or after the last one.
  const std::vector<uint8_t> &contents(const RunRecord &record, size_t buffer,
                                       size_t launch) const;

  Status keepContents(size_t number, RunRecord &record) const;
  Status resolveSizes(const ProblemSpec &spec, MatmulProblem &problem) const;
  Expected<MatmulProblem> resolveProblem(const ProblemSpec &spec,
                                         const RunRecord &record,
                                         ProblemViews &views) const;
  Expected<ProblemResult> checkRowsOf(const RowsSpec &spec,
                                      const RunRecord &record) const;

  Status checkSizes() const;
  Status checkScalars();
  Status checkConstraints() const;
  std::string describeMultiple(const ConstraintSpec &constraint) const;
  Status checkNames() const;
  Status applyAssumptions();
  Status layoutBuffers();
  Status fillBuffers();
  Status allocateBuffers();
  Status fillContents();
  Status readVariables();
  Status overrideVariable(const VariableSpec &spec);
  bool somethingIsEmpty() const;
  Status prepareLaunch(const LaunchSpec &launch);
  Status prepareRefills();
  Status bind(const std::vector<uint64_t> &addresses);

  Description description;
  Device &device;
  SessionOptions options;
  std::vector<Buffer> buffers;
  std::vector<Variable> variables; ///< in the order of the device
  std::vector<emu::LaunchConfig> launches;
  /// For each of them its number in the description.
  std::vector<size_t> launchNumbers;
  /// What `launch` has prepared for the caller's addresses.
  std::map<std::vector<uint64_t>, std::vector<emu::LaunchConfig>> bound;
};

} // namespace tc::runtime

#endif // TC_RUNTIME_SESSION_SESSIONIMPL_H
