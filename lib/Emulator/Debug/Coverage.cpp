//===- Coverage.cpp - which instructions have run -------------------------===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The opcode is the first word of an instruction's text after its guard.
//
//===----------------------------------------------------------------------===//

#include "tc/Emulator/Coverage.h"

#include "Debug/Observers.h"
#include "State/Machine.h"

#include <algorithm>
#include <cstdio>

namespace tc::emu {

static std::string_view opcodeOf(std::string_view text) {
  if (!text.empty() && text[0] == '@') {
    size_t space = text.find_first_of(" \t\n");
    text.remove_prefix(space == text.npos ? text.size() : space);
    size_t begin = text.find_first_not_of(" \t\n");
    text.remove_prefix(begin == text.npos ? text.size() : begin);
  }
  return text.substr(0, text.find_first_of(" \t\n;[{("));
}

void Coverage::add(const KernelCode &kernel,
                   const std::vector<uint64_t> &executions) {
  std::lock_guard<std::mutex> guard(lock);
  for (size_t pc = 0; pc < executions.size(); ++pc) {
    // What the decoder adds itself, as at the closing brace, has no opcode.
    std::string_view opcode = opcodeOf(kernel.code[pc].text);
    if (!opcode.empty() && opcode[0] >= 'a' && opcode[0] <= 'z')
      counts[std::string(opcode)][kernel.code[pc].line] += executions[pc];
  }
}

std::vector<Coverage::Row> Coverage::rows() const {
  std::lock_guard<std::mutex> guard(lock);
  std::vector<Row> rows;
  for (const auto &[opcode, lines] : counts) {
    Row row;
    row.opcode = opcode;
    for (const auto &[line, count] : lines) {
      ++row.instructions;
      row.executions += count;
      if (!count)
        row.missed.push_back(line);
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string Coverage::table() const {
  std::vector<Row> sorted = rows();
  std::sort(sorted.begin(), sorted.end(), [](const Row &a, const Row &b) {
    bool aRan = a.executions != 0, bRan = b.executions != 0;
    return aRan != bRan ? aRan : a.opcode < b.opcode;
  });
  size_t executed = 0, width = 6;
  for (const Row &row : sorted) {
    executed += row.executions != 0;
    width = std::max(width, row.opcode.size());
  }
  std::string text = "coverage: " + std::to_string(executed) + " of " +
                     std::to_string(sorted.size()) + " opcodes executed\n";
  char line[64];
  for (const Row &row : sorted) {
    text += "  " + row.opcode + std::string(width - row.opcode.size(), ' ');
    snprintf(line, sizeof(line), " %14llu times, %zu of %u instructions",
             static_cast<unsigned long long>(row.executions),
             row.instructions - row.missed.size(), row.instructions);
    text += line;
    for (size_t i = 0; i < row.missed.size() && i < 8; ++i)
      text += (i ? ", " : "; never: line ") + std::to_string(row.missed[i]);
    if (row.missed.size() > 8)
      text += " and " + std::to_string(row.missed.size() - 8) + " more";
    text += "\n";
  }
  return text;
}

std::string Coverage::json() const {
  std::string text = "{\"opcodes\": [";
  const char *separator = "\n";
  for (const Row &row : rows()) {
    // An opcode has letters, digits, dots, colons and underscores only.
    text += separator;
    text += "  {\"opcode\": \"" + row.opcode +
            "\", \"executions\": " + std::to_string(row.executions) +
            ", \"instructions\": " + std::to_string(row.instructions) +
            ", \"missed\": [";
    for (size_t i = 0; i < row.missed.size(); ++i)
      text += (i ? ", " : "") + std::to_string(row.missed[i]);
    text += "]}";
    separator = ",\n";
  }
  return text + "\n]}\n";
}

namespace {
class ClusterCoverage final : public Observer {
public:
  ClusterCoverage(Coverage &coverage, const KernelCode &kernel)
      : coverage(coverage), kernel(kernel), executions(kernel.code.size()) {}
  ~ClusterCoverage() override { coverage.add(kernel, executions); }

  unsigned subjects() const override { return Instructions; }
  void executed(const Warp &warp, uint32_t pc) override { ++executions[pc]; }

private:
  Coverage &coverage;
  const KernelCode &kernel;
  std::vector<uint64_t> executions;
};

class CoverageObserver final : public LaunchObserver {
public:
  explicit CoverageObserver(Coverage &coverage) : coverage(coverage) {}
  std::unique_ptr<Observer> observe(Cluster &cluster) override {
    return std::make_unique<ClusterCoverage>(coverage, cluster.machine.kernel);
  }

private:
  Coverage &coverage;
};
} // namespace

std::unique_ptr<LaunchObserver> observeCoverage(Coverage &coverage) {
  return std::make_unique<CoverageObserver>(coverage);
}

} // namespace tc::emu
