//===- StandardOutput.h - No output is lost unseen --------------*- C++ -*-===//
//
// Part of the tc project, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool whose standard output is closed or full says so in one line and exits
// with status 1. Without LLVM; tools with it use LLVMOutput.h.
//
//===----------------------------------------------------------------------===//

#ifndef TC_TOOLS_COMMON_STANDARDOUTPUT_H
#define TC_TOOLS_COMMON_STANDARDOUTPUT_H

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace tc::tools {

struct OutputWatch {
  const char *tool;
  /// Writes what another buffer holds; an errno or 0.
  int (*flush)();
};
inline OutputWatch outputWatch;

/// Writes what is buffered; an errno, -1 where it is not known any more, or 0.
inline int flushStandardOutput() {
  errno = 0;
  if (std::fflush(stdout) != 0 && errno)
    return errno;
  if (std::ferror(stdout))
    return -1;
  return outputWatch.flush ? outputWatch.flush() : 0;
}

inline void checkStandardOutput() {
  const int error = flushStandardOutput();
  if (!error)
    return;
  std::fprintf(stderr, "%s: error: cannot write standard output%s%s\n",
               outputWatch.tool, error > 0 ? ": " : "",
               error > 0 ? std::strerror(error) : "");
  // The status of an exit that has begun changes in no other way.
  _exit(1);
}

/// To be called first in `main`. The check runs when the program exits, before
/// streams are destroyed that exist now.
inline void watchStandardOutput(const char *tool, int (*flush)() = nullptr) {
  // Where it is closed, the next file that is opened would get its number. This
  // one refuses what is written as a closed one does.
  if (fcntl(STDOUT_FILENO, F_GETFD) == -1) {
    const int file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file != STDOUT_FILENO && file != -1) {
      dup3(file, STDOUT_FILENO, O_CLOEXEC);
      close(file);
    }
  }
  outputWatch = {tool, flush};
  std::atexit(checkStandardOutput);
}

} // namespace tc::tools

#endif // TC_TOOLS_COMMON_STANDARDOUTPUT_H
