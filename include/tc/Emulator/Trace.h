//===- Trace.h - a timeline of launches -------------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Events in the format of Chrome's trace viewer, which Perfetto opens:
// RunOptions::trace. A process per CTA; in it a track per warp with what it ran
// and what it waited for, and a track per engine with the asynchronous work
// from issue to completion. Time is counted in steps of the emulator: one warp
// instruction or one step of an engine is one microsecond of the viewer. Every
// cluster has its own clock; launches follow each other.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_TRACE_H
#define TC_EMULATOR_TRACE_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string>

namespace tc::emu {

class Trace {
public:
  static constexpr size_t kDefaultLimit = size_t(64) << 20;
  /// `limit` bytes of events are kept, later ones are counted only.
  explicit Trace(size_t limit = kDefaultLimit) : left(limit) {}

  /// The whole document.
  std::string json() const;
  uint64_t dropped() const { return droppedEvents; }

  //===--- for the emulator -----------------------------------------------===//
  /// A launch of `ctas` CTAs begins: after all that came before.
  void beginLaunch(uint64_t ctas);
  uint64_t firstProcess() const { return processes; }
  uint64_t startTime() const { return origin; }
  /// Room for `bytes` more; counts a dropped event if there is none.
  bool reserve(size_t bytes);
  void add(const std::string &events, uint64_t endTime);

private:
  mutable std::mutex lock;
  std::string events;
  std::atomic<size_t> left;
  std::atomic<uint64_t> droppedEvents{0};
  uint64_t processes = 0, nextProcess = 0;
  uint64_t origin = 0, end = 0;
};

} // namespace tc::emu

#endif // TC_EMULATOR_TRACE_H
