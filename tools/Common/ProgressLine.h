//===- ProgressLine.h - how far a long run is -------------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A line on standard error that is written over, after a second, and goes when
// the run ends; nothing where that is no terminal.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_COMMON_PROGRESSLINE_H
#define TC_TOOLS_COMMON_PROGRESSLINE_H

#include "tc/Emulator/Emulator.h"

#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>

namespace tc::tools {

class ProgressLine {
public:
  /// `ctas`: of all launches of the run.
  ProgressLine(std::string name, uint64_t ctas)
      : name(std::move(name)), ctas(ctas) {
    if (isatty(STDERR_FILENO))
      writer = std::thread([this] { write(); });
  }
  ~ProgressLine() {
    if (!writer.joinable())
      return;
    {
      std::lock_guard<std::mutex> guard(lock);
      isOver = true;
    }
    over.notify_all();
    writer.join();
  }
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  emu::Progress progress;

private:
  void write() {
    using namespace std::chrono;
    const auto start = steady_clock::now();
    bool isShown = false;
    std::unique_lock<std::mutex> guard(lock);
    for (auto pause = milliseconds(1000);
         !over.wait_for(guard, pause, [this] { return isOver; });
         pause = milliseconds(200)) {
      const auto taken = duration_cast<seconds>(steady_clock::now() - start);
      std::fprintf(stderr,
                   "\r\033[K%s: %llu of %llu CTAs, %.1f million warp "
                   "instructions, %lld s",
                   name.c_str(), (unsigned long long)progress.ctasDone.load(),
                   (unsigned long long)ctas,
                   double(progress.instructions.load()) / 1e6,
                   (long long)taken.count());
      std::fflush(stderr);
      isShown = true;
    }
    if (isShown)
      std::fprintf(stderr, "\r\033[K");
  }

  const std::string name;
  const uint64_t ctas;
  std::mutex lock;
  std::condition_variable over;
  bool isOver = false;
  std::thread writer;
};

} // namespace tc::tools

#endif // TC_TOOLS_COMMON_PROGRESSLINE_H
