//===- Debugger.h - stopping at a line --------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// RunOptions::debugger: stops a launch when a warp is about to execute a line
// of PTX and keeps what was asked for as text. A launch with a debugger runs on
// one thread of the host, so that the same schedule always stops at the same
// place.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_DEBUGGER_H
#define TC_EMULATOR_DEBUGGER_H

#include "tc/Emulator/Error.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tc::emu {

struct DecodedInst;
struct KernelCode;
struct LaunchConfig;
class Program;
class Warp;

/// Where to stop.
struct StopPoint {
  int line = 0;
  uint64_t count = 1; ///< at the count-th execution
  std::optional<std::array<unsigned, 3>> cta;
  std::optional<unsigned> warp;

  /// Reads LINE or LINE:COUNT.
  static Expected<StopPoint> parse(std::string_view text);
  /// Reads X[,Y[,Z]], /WARP or both: which warps count and stop.
  Status parsePlace(std::string_view text);
};

/// What to show of the warp that stops.
struct StopView {
  enum class Kind : uint8_t { Registers, Shared, Tensor };
  Kind kind = Kind::Registers;
  /// Registers: one of them, empty for all, and the type to show it as.
  std::string name, type;
  /// Bytes of shared memory from an offset on, or columns of Tensor Memory.
  uint32_t first = 0, count = ~0u;

  /// Reads a list of REGS[:NAME[/TYPE]], SMEM[:OFFSET+BYTES] and
  /// TMEM[:COLUMN+COLUMNS], separated by commas; numbers may be hexadecimal.
  static Expected<std::vector<StopView>> parse(std::string_view list);
};

class Debugger {
public:
  Debugger(StopPoint point, std::vector<StopView> views)
      : point(std::move(point)), views(std::move(views)) {}

  const StopPoint &where() const { return point; }
  bool stopped() const { return !text.empty(); }
  /// What was asked for, once it has stopped.
  const std::string &shown() const { return text; }
  /// How often the line has been executed.
  uint64_t executions() const { return executed; }

  //===--- for the emulator -----------------------------------------------===//
  /// A launch begins; why it cannot be watched, or nothing. A kernel of the
  /// program that does not hold the line runs without stopping.
  std::string attach(const Program &program, const KernelCode &kernel,
                     const LaunchConfig &config);
  bool watches() const { return !places.empty(); }
  /// The warp is about to execute the instruction at `pc`; true: it stops here.
  bool stopsAt(Warp &warp, uint32_t pc, uint32_t lanes);
  /// It has executed it.
  void hasExecuted(const Warp &warp, uint32_t pc) {
    executed += places[pc] && matches(warp);
  }

private:
  bool matches(const Warp &warp) const;
  std::string describe(Warp &warp, const DecodedInst &inst, uint32_t lanes);

  const StopPoint point;
  const std::vector<StopView> views;
  std::vector<bool> places; ///< by instruction; empty: not in this kernel
  uint64_t executed = 0;
  std::string text;
};

} // namespace tc::emu

#endif // TC_EMULATOR_DEBUGGER_H
