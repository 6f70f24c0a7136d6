//===- ClusterTrace.h - events of one cluster -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects what the scheduler and the engine of a cluster report, and passes it
// to the Trace when the cluster ends.
//
//===----------------------------------------------------------------------===//

#ifndef TC_EMULATOR_DEBUG_CLUSTERTRACE_H
#define TC_EMULATOR_DEBUG_CLUSTERTRACE_H

#include "State/Warp.h"
#include "tc/Emulator/Trace.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace tc::emu {

class ClusterTrace final : public Observer {
public:
  ClusterTrace(Trace &trace, Cluster &cluster);
  ~ClusterTrace() override;

  unsigned subjects() const override { return Slices; }

  /// Around a slice of a warp.
  void beginSlice(const Warp &warp) override;
  void endSlice(const Warp &warp, SliceEnd end) override;

  void issued(const AsyncOp &op) override;
  void stepped(const AsyncOp &op, bool finished) override;

private:
  /// What a warp is at: running since, or waiting since.
  struct Track {
    bool named = false;
    uint64_t runStart = 0, runEnd = 0;
    int firstLine = 0, lastLine = 0;
    uint64_t waitStart = 0;
    std::string wait; ///< name and arguments; empty: it does not
  };
  Track &trackOf(const Warp &warp);
  void flushRun(const Warp &warp, Track &track);
  void flushWait(const Warp &warp, Track &track);
  void nameThread(unsigned rank, unsigned thread, const std::string &name);
  void emit(std::string event);
  std::string place(unsigned rank, unsigned thread) const;
  std::string time(uint64_t steps) const;

  Trace &trace;
  Cluster &cluster;
  std::string events;
  std::vector<Track> tracks;
  std::vector<uint32_t> namedEngines; ///< by CTA, one bit each
  uint64_t sliceStart = 0;
  /// Ops of the slice that runs; their time is known at its end.
  std::vector<uint64_t> fresh;
  /// When ops that are pending were issued, by id.
  std::unordered_map<uint64_t, uint64_t> issueTimes;
};

} // namespace tc::emu

#endif // TC_EMULATOR_DEBUG_CLUSTERTRACE_H
